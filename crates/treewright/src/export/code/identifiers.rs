//! Names of features as identifiers of programming languages.

use std::collections::{BTreeMap, BTreeSet};

/// Words that mean something else in C, Python or Rust, or are macros that some compilers define.
const RESERVED: &str = "\
    abstract alignas alignof and as asm assert async auto await become bool box break case char \
    class const constexpr continue crate def default del do double dyn elif else enum except extern \
    false final finally float fn for from gen global goto i386 if impl import in inline int is \
    lambda let linux long loop macro match mod move mut none nonlocal not nullptr or override pass \
    priv pub raise ref register restrict return row self short signed sizeof static struct super \
    switch template this thread_local throw trait true try type typedef typeof union unix unsafe \
    unsized unsigned use using virtual void volatile where while with yield";

/// An identifier for each name: lower case, of plain letters, digits and underscores, all different.
pub(in crate::export) fn identifiers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    // Where the numbers of a stem go on: very many names may have the same.
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let mut identifiers = Vec::new();
    for name in names {
        let stem = stem(name);
        let number = next.entry(stem.clone()).or_insert(2);
        let mut identifier = stem.clone();
        while is_reserved(&identifier) || taken.contains(&identifier) {
            identifier = format!("{stem}_{number}");
            *number += 1;
        }
        taken.insert(identifier.clone());
        identifiers.push(identifier);
    }
    identifiers
}

fn is_reserved(word: &str) -> bool {
    RESERVED.split_whitespace().any(|reserved| reserved == word)
}

/// What is left of a name; it starts with a letter.
fn stem(name: &str) -> String {
    const LONGEST: usize = 40;
    let mut stem = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            stem.push(c.to_ascii_lowercase());
        } else if !stem.ends_with('_') {
            stem.push('_');
        }
    }
    let mut stem: String = stem.trim_matches('_').chars().take(LONGEST).collect();
    stem.truncate(stem.trim_end_matches('_').len());
    if stem.starts_with(|c: char| c.is_ascii_alphabetic()) {
        stem
    } else if stem.is_empty() {
        "x".into()
    } else {
        format!("x_{stem}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_plain_and_different() {
        let names = [
            "age",
            "Age",
            "size, cm",
            "size cm",
            "2nd",
            "été",
            "",
            "***",
            "class",
            "*/ evil()",
            "_",
            "age_2",
        ];
        let expected = [
            "age",
            "age_2",
            "size_cm",
            "size_cm_2",
            "x_2nd",
            "t",
            "x",
            "x_2",
            "class_2",
            "evil",
            "x_3",
            "age_2_2",
        ];
        assert_eq!(identifiers(names), expected);
    }
}

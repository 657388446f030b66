//! Categories that differ only in case or in blanks.

use rustc_hash::FxHashMap;

use crate::check::Finding;

/// The categories that are hardly different from others, and the pair with the most rows as an example.
pub(in crate::check) fn of(distinct: &[String], cells: &[usize]) -> Option<Finding> {
    let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (code, text) in distinct.iter().enumerate() {
        if cells[code] > 0 {
            groups.entry(bare(text)).or_default().push(code);
        }
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(|it| it.len() > 1).collect();
    for group in &mut groups {
        group.sort_by_key(|&code| (std::cmp::Reverse(cells[code]), code));
    }
    let first = groups.iter().min_by_key(|group| {
        let rows: usize = group.iter().map(|&code| cells[code]).sum();
        (std::cmp::Reverse(rows), group[0])
    })?;
    let text = |at: usize| (distinct[first[at]].clone(), cells[first[at]]);
    Some(Finding::AlikeCategories {
        most: text(0),
        other: text(1),
        categories: groups.iter().map(|group| group.len() - 1).sum(),
    })
}

/// The text in lower case, with one blank between its words and none around.
fn bare(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

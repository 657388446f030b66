//! Names, numbers and the conditions of branches in words, the same in every export for people.

use std::borrow::Cow;

use crate::data::Schema;
use crate::error::printable;
use crate::tree::{Bound, Branch, MissingRoute, NodeId, Split, Tree};

/// Categories that are written out where a set is cut short.
const MOST_CATEGORIES: usize = 6;
/// Characters of a name that are written out where it is cut short.
const LONGEST_NAME: usize = 60;

/// How much of names and sets is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum Extent {
    /// Long ones are cut, for people.
    Short,
    /// The same, and numbers are rounded: for a screen only.
    Screen,
    /// Everything.
    Full,
}

/// The categories of every child of a branch, found in one go: there may be very many children.
#[derive(Debug)]
pub(in crate::export) struct Members {
    /// Category codes, those of the first child first.
    codes: Vec<u32>,
    /// Where the codes of each child end.
    ends: Vec<usize>,
    /// The child that only missing values take.
    missing_only: Option<usize>,
}

impl Members {
    /// The categories of the children of `branch`; none where it asks for a number.
    pub(in crate::export) fn new(branch: &Branch) -> Self {
        let missing_only = branch.missing_only();
        let Split::Categories { branches, .. } = &branch.split else {
            return Self {
                codes: Vec::new(),
                ends: Vec::new(),
                missing_only,
            };
        };
        let child_of = |code: &u32| branches[*code as usize];
        let codes = 0..branches.len() as u32;
        let mut codes: Vec<u32> = codes.filter(|code| child_of(code).is_some()).collect();
        codes.sort_by_key(child_of);
        let end = |child| codes.partition_point(|code| child_of(code) <= Some(child));
        let ends = (0..branch.n_children).map(end).collect();
        Self {
            codes,
            ends,
            missing_only,
        }
    }

    fn of(&self, position: usize) -> &[u32] {
        let start = position
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.codes[start..self.ends[position]]
    }
}

/// What a row must fulfil to go to one child of a branch, in pieces.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::export) enum Condition {
    /// `x <= 3`, `2 < x <= 3`, `x known`: what stands before the feature (may be empty) and after it.
    Numeric(String, String),
    /// `= a` or `in {a, b}`.
    Categories(String),
    /// The branch that only missing values take.
    Missing,
}

impl Condition {
    /// The condition of the child at `position`.
    pub(in crate::export) fn of(
        schema: &Schema,
        branch: &Branch,
        members: &Members,
        position: usize,
        extent: Extent,
    ) -> Self {
        if members.missing_only == Some(position) {
            return Self::Missing;
        }
        match &branch.split {
            Split::Intervals { .. } => {
                let (lower, upper) = branch.split.bounds(position);
                let (before, after) = interval(lower, upper, extent);
                Self::Numeric(before, after)
            }
            Split::Categories { feature, .. } => {
                let names = schema.features[*feature].categories();
                let name = |&code: &u32| names[code as usize].as_str();
                let members: Vec<&str> = members.of(position).iter().map(name).collect();
                Self::Categories(set(&members, extent))
            }
        }
    }

    /// The condition as one text.
    pub(in crate::export) fn text(&self, feature: &str) -> String {
        match self {
            Self::Numeric(before, after) => format!("{before}{feature}{after}"),
            Self::Categories(set) => format!("{feature} {set}"),
            Self::Missing => format!("{feature} missing"),
        }
    }
}

/// What surrounds a feature that must lie in an interval.
pub(in crate::export) fn interval(
    lower: Option<Bound>,
    upper: Option<Bound>,
    extent: Extent,
) -> (String, String) {
    let number = |x| number_at(x, extent);
    let sign = |bound: Bound, strict: &'static str, wide: &'static str| {
        if bound.included { wide } else { strict }
    };
    match (lower, upper) {
        (None, None) => (String::new(), " known".into()),
        (Some(low), None) => {
            let after = format!(" {} {}", sign(low, ">", ">="), number(low.cut));
            (String::new(), after)
        }
        (None, Some(high)) => {
            let after = format!(" {} {}", sign(high, "<", "<="), number(high.cut));
            (String::new(), after)
        }
        (Some(low), Some(high)) => (
            format!("{} {} ", number(low.cut), sign(low, "<", "<=")),
            format!(" {} {}", sign(high, "<", "<="), number(high.cut)),
        ),
    }
}

/// `= a`, or `in {a, b}`; a long set is cut and counted.
fn set(members: &[&str], extent: Extent) -> String {
    if let [only] = members {
        return format!("= {}", word(only, extent));
    }
    let shown = match extent {
        // Cutting a single one off would not save anything.
        Extent::Short | Extent::Screen if members.len() > MOST_CATEGORIES + 1 => MOST_CATEGORIES,
        _ => members.len(),
    };
    let mut words: Vec<String> = members[..shown]
        .iter()
        .map(|name| word(name, extent))
        .collect();
    if shown < members.len() {
        words.push(format!("... {} more", members.len() - shown));
    }
    format!("in {{{}}}", words.join(", "))
}

/// Does every branch of the tree distribute missing values?
pub(in crate::export) fn distributes_everywhere(tree: &Tree) -> bool {
    let mut branches = tree.ids().filter_map(|id| tree.branch(id)).peekable();
    branches.peek().is_some() && branches.all(|branch| branch.missing == MissingRoute::Distribute)
}

/// What a node answers: a class label or a number.
pub(in crate::export) fn answer(tree: &Tree, id: NodeId, extent: Extent) -> String {
    match tree.schema().classes() {
        [] => number_at(tree.value(id), extent),
        classes => word(&classes[tree.value(id) as usize], extent),
    }
}

/// The mean cost of a regression node's rows; `None` without rows.
pub(in crate::export) fn mse(tree: &Tree, id: NodeId) -> Option<f64> {
    let weight = tree.weight(id);
    (weight > 0.0).then(|| tree.cost(id) / weight)
}

/// A name that cannot be mistaken for anything else: in quotes where it is not plain.
pub(in crate::export) fn word(name: &str, extent: Extent) -> String {
    let is_plain = !name.is_empty()
        && name != "missing"
        && name.trim() == name
        && !name.contains(['<', '>', '=', '"', '{', '}', ',', '(', ')', '#']);
    if is_plain {
        printable(&cut(name, extent))
    } else {
        quoted(name, extent)
    }
}

/// A name in double quotes.
pub(in crate::export) fn quoted(name: &str, extent: Extent) -> String {
    let inner = cut(name, extent).replace('\\', "\\\\");
    format!("\"{}\"", printable(&inner.replace('"', "\\\"")))
}

fn cut(name: &str, extent: Extent) -> Cow<'_, str> {
    if extent == Extent::Full || name.chars().count() <= LONGEST_NAME {
        return Cow::Borrowed(name);
    }
    let head: String = name.chars().take(LONGEST_NAME - 1).collect();
    Cow::Owned(format!("{head}…"))
}

/// The shortest text that reads back as the same number.
pub(in crate::export) fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        size if (1e-5..1e16).contains(&size) => x.to_string(),
        _ => format!("{x:e}"),
    }
}

/// A cut or an answer; on a screen without the digits that tell people nothing.
fn number_at(x: f64, extent: Extent) -> String {
    const DIGITS: i32 = 6;
    let full = number(x);
    let n_digits = full.chars().filter(char::is_ascii_digit).count();
    let size = x.abs();
    if extent != Extent::Screen
        || n_digits <= 7
        || x.fract() == 0.0
        || !(1e-5..1e16).contains(&size)
    {
        return full;
    }
    let decimals = (DIGITS - 1 - size.log10().floor() as i32).max(1) as usize;
    let rounded = format!("{x:.decimals$}");
    rounded.parse().map_or(rounded, number)
}

/// A weight or a mean for people: whole numbers in full, others to four digits.
pub(in crate::export) fn amount(x: f64) -> String {
    if x.fract() == 0.0 || !x.is_finite() {
        return number(x);
    }
    // One decimal at least, so that it does not look whole.
    let rounded = if x.abs() < 1000.0 {
        format!("{x:.3e}")
    } else {
        format!("{x:.1}")
    };
    rounded.parse().map_or(rounded, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (2.45, "2.45"),
            (-3.0, "-3"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e300, "1e300"),
            (1.5e-7, "1.5e-7"),
        ] {
            assert_eq!(number(x), text);
            assert_eq!(text.parse::<f64>().unwrap(), x);
        }
        assert_eq!(amount(38.333_333_333_333_336), "38.33");
        assert_eq!(amount(123_456.78), "123456.8");
        assert_eq!(amount(0.000_123_456), "0.0001235");
        assert_eq!(amount(150.0), "150");
        assert_eq!(amount(f64::MIN_POSITIVE), "2.225e-308");
    }

    #[test]
    fn names_are_safe_and_unambiguous() {
        let short = |name: &str| word(name, Extent::Short);
        assert_eq!(short("petal length"), "petal length");
        assert_eq!(short("été"), "été");
        assert_eq!(short("a\u{1b}[31m\n"), r#""a\u{1b}[31m\n""#);
        assert_eq!(short("a\u{1b}[31m"), r"a\u{1b}[31m");
        assert_eq!(short("\u{202e}x"), r"\u{202e}x");
        assert_eq!(short("a, b"), r#""a, b""#);
        assert_eq!(short("say \"x\""), r#""say \"x\"""#);
        assert_eq!(short("missing"), r#""missing""#);
        assert_eq!(short(""), r#""""#);
        assert_eq!(short(&"x".repeat(100)).chars().count(), 60);
        assert_eq!(word(&"x".repeat(100), Extent::Full).len(), 100);
    }

    #[test]
    fn every_child_has_its_categories() {
        let branches = [Some(2), None, Some(0), Some(2), Some(1)];
        let branch = Branch {
            split: Split::Categories {
                feature: 0,
                branches: branches.to_vec(),
            },
            first_child: NodeId(1),
            n_children: 4,
            missing: MissingRoute::Child(3),
        };
        let members = Members::new(&branch);
        assert_eq!(members.of(0), [2]);
        assert_eq!(members.of(1), [4]);
        assert_eq!(members.of(2), [0, 3]);
        assert_eq!(members.missing_only, Some(3));
    }

    #[test]
    fn long_sets_are_cut_and_counted() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        assert_eq!(set(&names[..1], Extent::Short), "= a");
        assert_eq!(set(&names[..2], Extent::Short), "in {a, b}");
        assert_eq!(
            set(&names, Extent::Short),
            "in {a, b, c, d, e, f, ... 3 more}"
        );
        assert_eq!(set(&names, Extent::Full), "in {a, b, c, d, e, f, g, h, i}");
    }

    #[test]
    fn a_screen_rounds() {
        for (x, text) in [
            (76.990_000_000_000_01, "76.99"),
            (570.745_555_555_555_5, "570.746"),
            (1_234_567.5, "1234567.5"),
            (0.000_123_456_789, "0.000123457"),
            (12_345_678_901.0, "12345678901"),
            (2.45, "2.45"),
        ] {
            assert_eq!(number_at(x, Extent::Screen), text);
            assert_eq!(number_at(x, Extent::Short), number(x));
        }
    }
}

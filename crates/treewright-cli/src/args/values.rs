//! Texts that stand for lists and numbers.

use std::str::FromStr;

use anyhow::{anyhow, ensure};
use treewright::ErrorKind;
use treewright::cost::Lambda;

use crate::input;

/// A list of names, written as one CSV record: quotes protect a comma.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(pub(crate) Vec<String>);

impl Names {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        match input::text_records(text, ',').map_err(|error| error.to_string())? {
            mut records if records.len() == 1 => Ok(Self(records.remove(0).cells)),
            _ => Err("expected a list on one line".into()),
        }
    }
}

/// Lists of names with semicolons between; quotes protect those, too.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameGroups(pub(crate) Vec<Vec<String>>);

impl NameGroups {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (mut groups, mut is_quoted) = (vec![String::new()], false);
        for c in text.chars() {
            is_quoted ^= c == '"';
            match groups.last_mut() {
                Some(group) if c != ';' || is_quoted => group.push(c),
                _ => groups.push(String::new()),
            }
        }
        let names = |group: &String| Names::parse(group).map(|names| names.0);
        groups.iter().map(names).collect::<Result<_, _>>().map(Self)
    }
}

/// A whole number as it was typed, perhaps outside of the range that its flag allows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholeNumber(i128);

impl std::str::FromStr for WholeNumber {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse()
            .map(Self)
            .map_err(|_| "expected a whole number")
    }
}

impl WholeNumber {
    /// The number, if it is one to count with and at least `least`.
    pub(crate) fn count(self, flag: &str, least: usize) -> anyhow::Result<usize> {
        let given = self.0;
        ensure!(
            given >= least as i128,
            "{flag}: got {given}, expected at least {least}"
        );
        usize::try_from(given).map_err(|_| {
            let most = usize::MAX;
            anyhow!("{flag}: got {given}, expected at most {most}")
        })
    }
}

/// A number as it was typed, a decimal or p/q, perhaps out of range. It is read exactly.
#[derive(Debug, Clone)]
pub(crate) struct ExactNumber(String);

impl FromStr for ExactNumber {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_number(text) {
            Ok(Self(text.into()))
        } else {
            Err("expected a number: a decimal such as 0.01 or 1e-3, or a ratio such as 1/300")
        }
    }
}

impl ExactNumber {
    /// The number, if it is not negative.
    pub(crate) fn value(&self, flag: &str) -> anyhow::Result<Lambda> {
        self.read(flag)
    }

    /// The number as something that is not any number.
    pub(crate) fn read<T: FromStr<Err = treewright::Error>>(
        &self,
        flag: &str,
    ) -> anyhow::Result<T> {
        self.0.parse().map_err(|error: treewright::Error| {
            let given = &self.0;
            match error.kind() {
                ErrorKind::Parameter { allowed, .. } => {
                    anyhow!("{flag}: got {given}, expected {allowed}")
                }
                _ => anyhow!("{flag}: {error}"),
            }
        })
    }
}

/// Is this the text of a number at all?
pub(crate) fn is_number(text: &str) -> bool {
    let is_whole = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match text.split_once('/') {
        Some((numerator, denominator)) => is_whole(numerator) && is_whole(denominator),
        None => text.parse::<f64>().is_ok(),
    }
}

/// A share as a number, or in percent: `0.01`, `1%`, `1 %`.
pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 100.0),
        None => (text, 1.0),
    };
    number
        .parse::<f64>()
        .map(|number| number / unit)
        .map_err(|_| "expected a share, such as 0.01 or 1%".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_csv_records() {
        let names = |text| Names::parse(text).map(|names| names.0);
        assert_eq!(names("a,b c").unwrap(), ["a", "b c"]);
        assert_eq!(
            names(r#""a,b","say ""x""",c"#).unwrap(),
            ["a,b", "say \"x\"", "c"]
        );
        assert!(names("").unwrap().is_empty());
        assert!(names("\"a").is_err());
        assert!(names("a\nb").is_err());
    }

    #[test]
    fn groups_are_lists_with_semicolons_between() {
        let groups = |text| NameGroups::parse(text).map(|groups| groups.0);
        assert_eq!(groups("a,b;c").unwrap(), [vec!["a", "b"], vec!["c"]]);
        assert_eq!(groups(r#""a;,""x""",b"#).unwrap(), [["a;,\"x\"", "b"]]);
        assert_eq!(groups("a;").unwrap(), [vec!["a"], vec![]]);
        assert!(groups("\"a;b").is_err());
    }

    #[test]
    fn numbers_are_decimals_or_ratios() {
        for text in ["0", "-1", "1e-3", "1/300", "-2/3", ".5"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "abc", "1/", "/2", "1/2/3", "1/0.5", "0,1"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn shares_may_be_in_percent() {
        for (text, share) in [("1%", 0.01), ("0.2", 0.2), ("12.5 %", 0.125), ("-1", -1.0)] {
            assert_eq!(parse_share(text), Ok(share));
        }
        assert!(parse_share("a bit").is_err());
        assert!(parse_share("%").is_err());
    }
}

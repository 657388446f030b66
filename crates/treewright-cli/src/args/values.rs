//! Texts that stand for lists and numbers.

use anyhow::{anyhow, ensure};

use crate::input;

/// A list of names, written as one CSV record: quotes protect a comma.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(pub(super) Vec<String>);

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
}

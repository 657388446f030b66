//! What a number of leaves costs.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Result;
use clap::Args;
use treewright::cost::Penalty;

use crate::args::values::is_number;
use crate::input;

/// What a number of leaves costs.
#[derive(Debug, Args)]
pub(crate) struct PenaltyArgs {
    /// What a number of leaves costs: linear, sqrt, log, power:T, or table:FILE with one number a
    /// line, line k for k leaves, strictly rising [default: linear]
    #[arg(long, value_name = "PENALTY", allow_hyphen_values = true)]
    penalty: Option<PenaltyArg>,
}

impl PenaltyArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.penalty.is_some()
    }

    /// The penalty; that of a table is read from its file.
    pub(crate) fn read(&self) -> Result<Penalty> {
        match &self.penalty {
            None => Ok(Penalty::Linear),
            Some(PenaltyArg::Named(text)) => Ok(text.parse()?),
            Some(PenaltyArg::Table(path)) => input::penalty_table(path),
        }
    }

    /// The file of a penalty table.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.penalty {
            Some(PenaltyArg::Table(path)) => Some(path),
            _ => None,
        }
    }
}

/// A penalty as it was typed, perhaps with an exponent out of range.
#[derive(Debug, Clone)]
enum PenaltyArg {
    Named(String),
    Table(PathBuf),
}

impl FromStr for PenaltyArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if matches!(text, "linear" | "sqrt" | "log") => Ok(Self::Named(text.into())),
            Some(("power", exponent)) if is_number(exponent) => Ok(Self::Named(text.into())),
            Some(("table", file)) if !file.is_empty() => Ok(Self::Table(file.into())),
            _ => Err("expected linear, sqrt, log, power:T or table:FILE"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_have_names() {
        for text in [
            "linear",
            "sqrt",
            "log",
            "power:1.5",
            "power:-1",
            "table:a:b",
        ] {
            assert!(text.parse::<PenaltyArg>().is_ok(), "{text}");
        }
        for text in ["", "cubic", "power", "power:", "power:x", "table", "table:"] {
            assert!(text.parse::<PenaltyArg>().is_err(), "{text}");
        }
    }
}

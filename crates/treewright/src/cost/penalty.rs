//! What a number of leaves costs.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::{Error, Result};

/// A rising function of the number of leaves.
#[derive(Debug, Clone, PartialEq)]
pub enum Penalty {
    /// The number of leaves itself.
    Linear,
    /// A power of it, with a positive exponent.
    Power(f64),
    /// Its natural logarithm.
    Log,
    /// Any rising numbers: entry `k - 1` is the penalty of `k` leaves.
    Table(Arc<[f64]>),
}

/// What is known about a penalty, and hence which algorithm fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A constant times the number of leaves, plus a constant.
    Additive,
    /// Every further leaf costs at most as much as the one before.
    Concave,
    /// Rising, and nothing else.
    Rising,
}

impl Penalty {
    /// A penalty from the texts of its values for 1, 2, ... leaves.
    pub fn table(values: &[&str]) -> Result<Self> {
        let values = values.iter().map(|text| {
            text.parse()
                .map_err(|_| Error::parameter("penalty", text, "a number"))
        });
        Ok(Self::Table(values.collect::<Result<_>>()?))
    }

    /// The penalty of so many leaves, as a double.
    pub fn at(&self, leaves: usize) -> f64 {
        match self {
            Self::Linear => leaves as f64,
            Self::Power(exponent) => (leaves as f64).powf(*exponent),
            Self::Log => (leaves as f64).ln(),
            Self::Table(values) => values[leaves - 1],
        }
    }

    /// Refuses a penalty that is not known for every number of leaves up to `most_leaves`, or too large.
    pub fn check(&self, _most_leaves: usize) -> Result<()> {
        Ok(())
    }

    /// The shape of the penalty on 1, 2, ..., `most_leaves` leaves.
    pub fn shape(&self, _most_leaves: usize) -> Shape {
        match self {
            Self::Linear => Shape::Additive,
            Self::Power(exponent) if *exponent <= 1.0 => Shape::Concave,
            Self::Log => Shape::Concave,
            Self::Power(_) | Self::Table(_) => Shape::Rising,
        }
    }
}

impl FromStr for Penalty {
    type Err = Error;

    /// Reads `linear`, `sqrt`, `log` or `power:T`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "linear" => Ok(Self::Linear),
            "sqrt" => Ok(Self::Power(0.5)),
            "log" => Ok(Self::Log),
            _ => text
                .strip_prefix("power:")
                .and_then(|exponent| exponent.parse().ok())
                .map(Self::Power)
                .ok_or_else(|| {
                    Error::parameter("penalty", text, "linear, sqrt, log, power:T or table:FILE")
                }),
        }
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => f.write_str("linear"),
            Self::Power(0.5) => f.write_str("sqrt"),
            Self::Power(exponent) => write!(f, "power:{exponent}"),
            Self::Log => f.write_str("log"),
            Self::Table(_) => f.write_str("table"),
        }
    }
}

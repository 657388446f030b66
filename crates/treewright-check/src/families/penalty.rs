//! Penalties on the number of leaves, in doubles: what is closer than their rounding is not decided.

use crate::numbers::{nearest, parse};

/// A part of a number that is larger than all roundings of a few operations on doubles.
pub(crate) const GUARD: f64 = 1e-12;

pub(crate) enum Penalty {
    Linear,
    Sqrt,
    Log,
    Power(f64),
    /// The penalties of 1, 2, ... leaves.
    Table(Vec<f64>),
}

impl Penalty {
    /// `None` for a table whose values are not in the file.
    pub(crate) fn new(name: &str, table: Option<&Vec<f64>>) -> Option<Self> {
        match name {
            "linear" => Some(Self::Linear),
            "sqrt" => Some(Self::Sqrt),
            "log" => Some(Self::Log),
            "table" => {
                // It rises with the leaves.
                let rises = |values: &&Vec<f64>| values.windows(2).all(|pair| pair[0] < pair[1]);
                table.filter(rises).cloned().map(Self::Table)
            }
            _ => {
                let exponent = nearest(&parse(name.strip_prefix("power:")?)?);
                // A penalty rises with the leaves.
                (exponent > 0.0).then_some(Self::Power(exponent))
            }
        }
    }

    /// Is it concave? Then the sizes that are the best for some weight are so for the linear penalty, too.
    pub(crate) fn is_concave(&self) -> bool {
        match self {
            Self::Linear | Self::Sqrt | Self::Log => true,
            Self::Power(exponent) => *exponent <= 1.0,
            Self::Table(_) => false,
        }
    }

    /// Is a tree with this number of leaves beyond the end of the table, and so not allowed?
    pub(crate) fn excludes(&self, leaves: usize) -> bool {
        matches!(self, Self::Table(values) if leaves > values.len())
    }

    /// The penalty of a number of leaves; infinite beyond the end of a table, as no tree may have more leaves.
    pub(crate) fn of(&self, leaves: usize) -> f64 {
        let number = leaves as f64;
        match self {
            Self::Linear => number,
            Self::Sqrt => number.sqrt(),
            Self::Log => number.ln(),
            Self::Power(exponent) => number.powf(*exponent),
            Self::Table(values) => values.get(leaves - 1).copied().unwrap_or(f64::INFINITY),
        }
    }
}

//! The weight of the penalty, exactly as it was written.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use crate::error::{Error, Result};

/// A number that is not negative, kept as a ratio: `0.1` is one tenth, not the double next to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lambda(BigRational);

impl Lambda {
    /// Takes a ratio that is not negative.
    pub fn new(ratio: BigRational) -> Result<Self> {
        if ratio.is_negative() {
            return Err(Error::parameter("lambda", &ratio, "a number of at least 0"));
        }
        Ok(Self(ratio))
    }

    /// The exact value.
    pub fn ratio(&self) -> &BigRational {
        &self.0
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }
}

impl TryFrom<f64> for Lambda {
    type Error = Error;

    /// The exact value of a double, which must be finite and not negative.
    fn try_from(number: f64) -> Result<Self> {
        let ratio = BigRational::from_float(number)
            .ok_or_else(|| Error::parameter("lambda", number, "a number of at least 0"))?;
        Self::new(ratio)
    }
}

impl FromStr for Lambda {
    type Err = Error;

    /// Reads a decimal number (`0.01`, `2`, `1e-3`) or a ratio of two whole numbers (`1/300`).
    fn from_str(text: &str) -> Result<Self> {
        if let Some((numerator, denominator)) = text.split_once('/') {
            let numbers = (
                numerator.parse::<BigInt>().ok(),
                denominator.parse::<BigInt>().ok(),
            );
            if let (Some(numerator), Some(denominator)) = numbers
                && denominator.is_positive()
            {
                return Self::new(BigRational::new(numerator, denominator));
            }
        }
        match text.parse::<f64>() {
            Ok(number) => Self::try_from(number),
            Err(_) => Err(Error::parameter("lambda", text, "a number of at least 0")),
        }
    }
}

impl fmt::Display for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

//! The weight of the penalty, exactly as it was written.

use std::fmt;
use std::str::FromStr;

use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use serde_json::{Number, Value};

use crate::cost::exact::decimal;
use crate::error::{Error, Result, quoted};

/// A number that is not negative and not above the doubles, kept as a ratio: `0.1` is one tenth, not
/// the double next to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lambda(BigRational);

impl Lambda {
    /// Takes a ratio that is not negative. Refuses one that as a double would be infinite, since
    /// every report has the weight as a double too.
    pub fn new(ratio: BigRational) -> Result<Self> {
        if ratio.is_negative() {
            let given = decimal::format(&ratio);
            return Err(Error::parameter("lambda", given, "a number of at least 0"));
        }
        let lambda = Self(ratio);
        if lambda.to_f64().is_infinite() {
            let expected = "a number of at most 1.7976931348623157e308";
            return Err(Error::parameter("lambda", lambda, expected));
        }
        Ok(lambda)
    }

    /// Weight 0: only the cost counts, and of equal costs the fewer leaves.
    pub fn zero() -> Self {
        Self(BigRational::zero())
    }

    /// The exact value.
    pub fn ratio(&self) -> &BigRational {
        &self.0
    }

    /// The nearest double; of two that are equally near, the even one.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }

    /// For a file: a number where its decimal form is exactly the weight, else a text like `1/3`.
    pub fn number_or_text(&self) -> Value {
        let number = self.to_f64();
        let is_exact = number
            .to_string()
            .parse::<Self>()
            .is_ok_and(|read| read == *self);
        match Number::from_f64(number).filter(|_| is_exact) {
            Some(number) => number.into(),
            None => self.to_string().into(),
        }
    }
}

impl TryFrom<f64> for Lambda {
    type Error = Error;

    /// The exact value of a double, which must be finite and not negative.
    fn try_from(number: f64) -> Result<Self> {
        let ratio = BigRational::from_float(number)
            .ok_or_else(|| Error::parameter("lambda", number, "a finite number of at least 0"))?;
        Self::new(ratio)
    }
}

impl FromStr for Lambda {
    type Err = Error;

    /// Reads a decimal number (`0.01`, `2`, `1e-3`) or a ratio of two whole numbers (`1/300`).
    fn from_str(text: &str) -> Result<Self> {
        let ratio = decimal::parse(text)
            .map_err(|fault| Error::parameter("lambda", quoted(text), fault.expected()))?;
        Self::new(ratio)
    }
}

impl fmt::Display for Lambda {
    /// A decimal if that is exact and short, else `p/q`. Either reads back as the same weight.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal::format(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        text.parse::<Lambda>().unwrap_err().to_string()
    }

    #[test]
    fn weights_are_what_was_written() {
        let tenth: Lambda = "0.1".parse().unwrap();
        assert_eq!(tenth, "1/10".parse().unwrap());
        assert_ne!(tenth, Lambda::try_from(0.1).unwrap());
        assert_eq!(tenth.to_string(), "0.1");
        assert_eq!("1/3".parse::<Lambda>().unwrap().to_string(), "1/3");
        assert_eq!("-0.0".parse::<Lambda>().unwrap(), Lambda::zero());
        assert!("1e-320".parse::<Lambda>().unwrap() > Lambda::zero());
    }

    #[test]
    fn faults_name_the_value_and_what_would_be_right() {
        assert_eq!(
            fault("-0.5"),
            "lambda: got -0.5, expected a number of at least 0"
        );
        assert_eq!(
            fault("inf"),
            "lambda: got \"inf\", expected a finite number"
        );
        assert_eq!(
            fault("1/0"),
            "lambda: got \"1/0\", expected a ratio with a denominator above 0"
        );
        assert_eq!(
            fault(""),
            "lambda: got \"\", expected a decimal number such as 0.01 or 1e-3, or a ratio such as 1/300"
        );
        assert_eq!(
            fault("1e999999999"),
            "lambda: got \"1e999999999\", expected a number from 1e-400 to 1e400"
        );
        assert_eq!(
            fault("1e309"),
            "lambda: got 1e309, expected a number of at most 1.7976931348623157e308"
        );
        assert!(Lambda::try_from(f64::NAN).is_err());
        assert!(Lambda::try_from(-1.0).is_err());
    }

    #[test]
    fn doubles_are_the_nearest_ones() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut texts = vec![
            "2.4703282292062327e-324".to_owned(),
            "2.4703282292062328e-324".to_owned(),
            "1.7976931348623157e308".to_owned(),
            "2.2250738585072011e-308".to_owned(),
            "9007199254740993".to_owned(),
        ];
        for _ in 0..3000 {
            let (digits, exponent) = (random.u64(..), random.i32(-345..=288));
            texts.push(format!("{digits}e{exponent}"));
            let number = f64::from_bits(random.u64(..) >> 1);
            if number.is_finite() {
                texts.push(number.to_string());
            }
        }
        for text in texts {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(text.parse::<Lambda>().unwrap().to_f64(), expected, "{text}");
        }
    }
}

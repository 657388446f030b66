//! The least share of a class in a leaf, exactly as it was written.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::Lambda;
use super::exact::decimal;
use crate::error::{Error, Result, quoted};

/// What a least share can be.
const ALLOWED: &str =
    "a share above 0 and at most 1: a decimal such as 0.9, or a ratio such as 9/10";
/// Sums of weights that are not whole numbers may be off by their rounding.
const SLACK: f64 = 1e-9;
/// Numbers below this are exact as doubles.
const LARGEST_WHOLE: f64 = (1_u64 << 53) as f64;

/// A share above 0 and at most 1: of the weight of every leaf, the class that the leaf predicts has at least as much.
/// A tree of one leaf may have less.
///
/// ```
/// # use treewright::cost::ClassShare;
/// let share: ClassShare = "0.9".parse().unwrap();
/// assert!(share.allows(&[1.0, 9.0], 1));
/// assert!(!share.allows(&[1.0, 8.0], 1));
/// assert!("0".parse::<ClassShare>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassShare {
    exact: Lambda,
    /// The share is the first divided by the second.
    ratio: [u64; 2],
}

impl ClassShare {
    /// Takes a ratio above 0 and at most 1, of two numbers of 63 bits.
    pub fn new(ratio: &BigRational) -> Result<Self> {
        if !ratio.is_positive() || *ratio > BigRational::one() {
            return Err(refused(decimal::format(ratio)));
        }
        let exact = Lambda::new(ratio.clone())?;
        let small = |number: &BigInt| number.to_i64().map(|number| number as u64);
        let (Some(part), Some(whole)) = (small(ratio.numer()), small(ratio.denom())) else {
            let allowed = "a share with at most 18 digits";
            return Err(Error::parameter("min-class-share", exact, allowed));
        };
        Ok(Self {
            exact,
            ratio: [part, whole],
        })
    }

    /// A double as it is printed: 0.9 is nine tenths.
    pub fn of_number(number: f64) -> Result<Self> {
        if !number.is_finite() {
            return Err(refused(number));
        }
        number.to_string().parse()
    }

    /// Two whole numbers whose ratio this is.
    pub fn ratio(&self) -> [u64; 2] {
        self.ratio
    }

    /// For a file: a number where its decimal form is exactly the share, else a text like `2/3`.
    pub fn number_or_text(&self) -> serde_json::Value {
        self.exact.number_or_text()
    }

    /// May rows with these weights of classes be a leaf that predicts a class? Exact for whole numbers.
    pub fn allows(&self, counts: &[f64], class: usize) -> bool {
        let all: f64 = counts.iter().sum();
        let own = counts.get(class).copied().unwrap_or(0.0);
        let is_whole = |count: &f64| count.fract() == 0.0;
        if all < LARGEST_WHOLE && counts.iter().all(is_whole) {
            return self.allows_whole(own as u64, all as u64);
        }
        own >= self.exact.to_f64() * all * (1.0 - SLACK)
    }

    /// The same for whole numbers: of the weight `all`, the class has `own`.
    pub fn allows_whole(&self, own: u64, all: u64) -> bool {
        self.spare(own, all) >= 0
    }

    /// How much more than enough the class has, in parts that add up: rows together have the sum of what they have
    /// alone.
    pub(crate) fn spare(&self, own: u64, all: u64) -> i128 {
        let [part, whole] = self.ratio.map(i128::from);
        whole * i128::from(own) - part * i128::from(all)
    }
}

fn refused(given: impl fmt::Display) -> Error {
    Error::parameter("min-class-share", given, ALLOWED)
}

impl FromStr for ClassShare {
    type Err = Error;

    /// Reads a decimal number (`0.9`) or a ratio of two whole numbers (`9/10`).
    fn from_str(text: &str) -> Result<Self> {
        match decimal::parse(text) {
            Ok(ratio) => Self::new(&ratio),
            Err(_) => Err(refused(quoted(text))),
        }
    }
}

impl fmt::Display for ClassShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.exact.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::ClassShare;

    #[test]
    fn shares_are_compared_exactly() {
        let share: ClassShare = "0.55".parse().unwrap();
        // As doubles, 0.55 of 20 is a little more than 11.
        assert!(share.allows(&[9.0, 11.0], 1) && !share.allows(&[9.0, 10.0], 1));
        assert!(share.allows(&[0.9, 1.1], 1) && !share.allows(&[0.9, 1.0], 1));
        assert_eq!(ClassShare::of_number(0.1).unwrap().ratio(), [1, 10]);
        assert!("1".parse::<ClassShare>().unwrap().allows(&[0.0, 0.0], 0));
        assert_eq!("2/3".parse::<ClassShare>().unwrap().to_string(), "2/3");
    }

    #[test]
    fn other_numbers_are_refused() {
        for text in [
            "0", "-0.5", "1.01", "x", "nan", "", "1/0", "1e-30", "3/2", "-1/3",
        ] {
            let fault = text.parse::<ClassShare>().unwrap_err().to_string();
            assert!(fault.starts_with("min-class-share: got "), "{fault}");
            assert!(!fault.contains('\n'));
        }
        assert!(ClassShare::of_number(f64::NAN).is_err());
        assert!(ClassShare::of_number(f64::INFINITY).is_err());
    }
}

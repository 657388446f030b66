//! What a number of leaves costs.

mod table;

use std::fmt;
use std::str::FromStr;

use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive};

pub use self::table::PenaltyTable;
use self::table::TOO_LARGE;
use crate::cost::exact::decimal;
use crate::error::{Error, Result, counted, quoted};

/// A strictly rising function of the number of leaves.
#[derive(Debug, Clone, PartialEq)]
pub enum Penalty {
    /// The number of leaves itself.
    Linear,
    /// A power of it, with a positive exponent.
    Power(Exponent),
    /// Its natural logarithm.
    Log,
    /// Any rising numbers: entry `k - 1` is the penalty of `k` leaves.
    Table(PenaltyTable),
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

/// The exponent of a power: a positive ratio of whole numbers, as it was written. At most 1000, with a
/// denominator of at most 10^9, which `parse` guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exponent {
    numerator: u64,
    denominator: u64,
}

impl Exponent {
    /// One half: the square root.
    pub const HALF: Self = Self {
        numerator: 1,
        denominator: 2,
    };

    const LARGEST: u64 = 1000;
    const LARGEST_DENOMINATOR: u64 = 1_000_000_000;

    /// Reads a positive decimal (`1.5`) or ratio (`1/3`). The error is what would have been right.
    pub(super) fn parse(text: &str) -> std::result::Result<Self, String> {
        let ratio = decimal::parse(text).map_err(decimal::Fault::expected)?;
        if !ratio.is_positive() {
            return Err("a number above 0, so that more leaves cost more".into());
        }
        match (ratio.numer().to_u64(), ratio.denom().to_u64()) {
            (Some(numerator), Some(denominator))
                if denominator <= Self::LARGEST_DENOMINATOR
                    && numerator <= Self::LARGEST * denominator =>
            {
                Ok(Self {
                    numerator,
                    denominator,
                })
            }
            _ => Err(format!(
                "a number of at most {} with at most 9 decimals, or a ratio with a denominator of at \
                 most {}",
                Self::LARGEST,
                Self::LARGEST_DENOMINATOR
            )),
        }
    }

    /// Numerator and denominator, without a common factor.
    pub fn ratio(&self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        // Both are whole numbers below 2^53, so that only the division rounds.
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = Ratio::new_raw(self.numerator.into(), self.denominator.into());
        f.write_str(&decimal::format(&ratio))
    }
}

impl Penalty {
    /// A penalty from the texts of its values for 1, 2, ... leaves.
    pub fn table(values: &[&str]) -> Result<Self> {
        PenaltyTable::new(values).map(Self::Table)
    }

    /// The penalty of this many leaves, as a double. A table must reach that far: see
    /// [`check`](Self::check).
    pub fn at(&self, leaves: usize) -> f64 {
        match self {
            Self::Linear => leaves as f64,
            Self::Power(Exponent::HALF) => (leaves as f64).sqrt(),
            Self::Power(exponent) => (leaves as f64).powf(exponent.to_f64()),
            Self::Log => (leaves as f64).ln(),
            Self::Table(table) => table.values()[leaves - 1],
        }
    }

    /// Refuses a penalty that is not known for every number of leaves up to `most_leaves`, or too large.
    pub fn check(&self, most_leaves: usize) -> Result<()> {
        if let Self::Table(table) = self {
            let n_lines = table.values().len();
            if n_lines < most_leaves {
                let lines = counted(n_lines, "line", "lines");
                return Err(Error::penalty(format!(
                    "penalty table: has {lines}, expected at least {most_leaves}, one for \
                     each number of leaves that a tree may have"
                )));
            }
        } else if !(self.at(most_leaves) < TOO_LARGE) {
            return Err(Error::parameter(
                "penalty",
                self,
                format!("a penalty below {TOO_LARGE:e} for {most_leaves} leaves"),
            ));
        }
        Ok(())
    }

    /// The shape of the penalty on 1, 2, ..., `most_leaves` leaves.
    pub fn shape(&self, most_leaves: usize) -> Shape {
        match self {
            Self::Power(exponent) if exponent.numerator > exponent.denominator => Shape::Rising,
            Self::Table(table) => table.shape(most_leaves),
            _ if self.is_linear() => Shape::Additive,
            _ => Shape::Concave,
        }
    }

    /// The penalty of a number of leaves, for a sentence.
    pub fn in_words(&self) -> String {
        let name = self.to_string();
        match (self, name.strip_prefix("power:")) {
            (_, Some(exponent)) => format!("leaves^{exponent}"),
            (Self::Linear, None) => "leaves".into(),
            (Self::Table(_), None) => "penalty(leaves)".into(),
            (Self::Power(_) | Self::Log, None) => format!("{name}(leaves)"),
        }
    }

    /// Is the penalty the number of leaves itself?
    pub(crate) fn is_linear(&self) -> bool {
        match self {
            Self::Linear => true,
            Self::Power(exponent) => exponent.ratio() == (1, 1),
            Self::Log | Self::Table(_) => false,
        }
    }
}

impl FromStr for Penalty {
    type Err = Error;

    /// Reads `linear`, `sqrt`, `log` or `power:T`.
    fn from_str(text: &str) -> Result<Self> {
        let refused = |expected: &str| Error::parameter("penalty", quoted(text), expected);
        match text.split_once(':') {
            None if text == "linear" => Ok(Self::Linear),
            None if text == "sqrt" => Ok(Self::Power(Exponent::HALF)),
            None if text == "log" => Ok(Self::Log),
            Some(("power", exponent)) => Exponent::parse(exponent)
                .map(Self::Power)
                .map_err(|expected| refused(&format!("power:T where T is {expected}"))),
            Some(("table", _)) => Err(refused(
                "linear, sqrt, log or power:T; the values of a table are read from its file",
            )),
            _ => Err(refused("linear, sqrt, log, power:T or table:FILE")),
        }
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => f.write_str("linear"),
            Self::Power(Exponent::HALF) => f.write_str("sqrt"),
            Self::Power(exponent) => write!(f, "power:{exponent}"),
            Self::Log => f.write_str("log"),
            Self::Table(_) => f.write_str("table"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        text.parse::<Penalty>().unwrap_err().to_string()
    }

    #[test]
    fn names_read_back() {
        for (text, name) in [
            ("linear", "linear"),
            ("sqrt", "sqrt"),
            ("log", "log"),
            ("power:1/2", "sqrt"),
            ("power:1.50", "power:1.5"),
            ("power:1/3", "power:1/3"),
            ("power:1", "power:1"),
            ("power:0.123456789", "power:0.123456789"),
        ] {
            let penalty: Penalty = text.parse().unwrap();
            assert_eq!(penalty.to_string(), name);
            assert_eq!(name.parse::<Penalty>().unwrap(), penalty);
        }
    }

    #[test]
    fn faults_say_what_would_be_right() {
        assert_eq!(
            fault("quadratic"),
            "penalty: got \"quadratic\", expected linear, sqrt, log, power:T or table:FILE"
        );
        assert!(fault("table:a.txt").contains("the values of a table are read from its file"));
        assert_eq!(
            fault("power:0"),
            "penalty: got \"power:0\", expected power:T where T is a number above 0, so that more \
             leaves cost more"
        );
        assert!(fault("power:-1").contains("T is a number above 0"));
        assert!(fault("power:").contains("T is a decimal number"));
        assert!(fault("power:0.1234567891").contains("at most 9 decimals"));
        assert!(fault("power:1001").contains("at most 1000"));
        assert!(fault("power:1/1000000001").contains("denominator of at most 1000000000"));
    }

    #[test]
    fn penalties_are_checked_up_to_the_most_leaves() {
        let table = Penalty::table(&["1", "2"]).unwrap();
        assert!(table.check(2).is_ok());
        let error = table.check(3).unwrap_err().to_string();
        assert!(error.contains("has 2 lines, expected at least 3"));
        let steep: Penalty = "power:60".parse().unwrap();
        assert!(steep.check(99_999).is_ok());
        assert_eq!(
            steep.check(100_000).unwrap_err().to_string(),
            "penalty: got power:60, expected a penalty below 1e300 for 100000 leaves"
        );
        assert!(Penalty::Log.check(usize::MAX).is_ok());
    }

    #[test]
    fn shapes() {
        for (text, shape) in [
            ("linear", Shape::Additive),
            ("power:1", Shape::Additive),
            ("sqrt", Shape::Concave),
            ("power:0.999999999", Shape::Concave),
            ("power:1.000000001", Shape::Rising),
            ("log", Shape::Concave),
        ] {
            assert_eq!(text.parse::<Penalty>().unwrap().shape(10), shape, "{text}");
        }
    }
}

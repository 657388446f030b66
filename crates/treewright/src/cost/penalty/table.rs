//! A penalty given value by value.

use std::sync::Arc;

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::Shape;
use crate::cost::exact::decimal;
use crate::error::{Error, Result, quoted};

/// Penalties of this size and more are refused: sums of them would leave the doubles.
pub(super) const TOO_LARGE: f64 = 1e300;

/// Strictly rising numbers, at least one: entry `k - 1` is the penalty of `k` leaves. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyTable {
    exact: Arc<[BigRational]>,
    /// The nearest doubles, which rise strictly, too: files have these.
    rounded: Arc<[f64]>,
}

impl PenaltyTable {
    /// Reads the texts of the values for 1, 2, ... leaves: decimals or ratios, read exactly.
    pub(super) fn new(values: &[&str]) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::penalty(
                "penalty table: no values, expected one for each number of leaves",
            ));
        }
        let mut exact: Vec<BigRational> = Vec::with_capacity(values.len());
        for (place, text) in values.iter().enumerate() {
            let value = entry(text, place + 1)?;
            if exact.last().is_some_and(|before| *before >= value) {
                return Err(Error::penalty(format!(
                    "penalty table, line {}: {} is not above {} of line {place}, expected strictly \
                     rising numbers",
                    place + 1,
                    text.trim(),
                    values[place - 1].trim()
                )));
            }
            exact.push(value);
        }
        let rounded: Arc<[f64]> = exact.iter().map(rounded).collect();
        if let Some(place) = rounded.windows(2).position(|two| two[0] >= two[1]) {
            return Err(Error::penalty(format!(
                "penalty table, line {}: {} is too close to {} of line {}, expected numbers that differ as \
                 doubles",
                place + 2,
                values[place + 1].trim(),
                values[place].trim(),
                place + 1
            )));
        }
        Ok(Self {
            exact: exact.into(),
            rounded,
        })
    }

    /// The values as doubles.
    pub fn values(&self) -> &[f64] {
        &self.rounded
    }

    /// The exact values.
    pub fn ratios(&self) -> &[BigRational] {
        &self.exact
    }

    /// The shape of the first `most_leaves` values.
    pub(super) fn shape(&self, most_leaves: usize) -> Shape {
        let values = &self.exact[..most_leaves.min(self.exact.len())];
        let rises: Vec<BigRational> = values.windows(2).map(|two| &two[1] - &two[0]).collect();
        if rises.windows(2).all(|two| two[0] == two[1]) {
            Shape::Additive
        } else if rises.windows(2).all(|two| two[0] >= two[1]) {
            Shape::Concave
        } else {
            Shape::Rising
        }
    }
}

/// Reads one value.
fn entry(text: &str, line: usize) -> Result<BigRational> {
    let refused = |what: &str, expected: String| {
        let text = quoted(text);
        Error::penalty(format!(
            "penalty table, line {line}: {text} is {what}, expected {expected}"
        ))
    };
    let value = decimal::parse(text).map_err(|fault| match fault {
        decimal::Fault::NotFinite => refused("not finite", fault.expected()),
        _ => refused("not a number that can be read", fault.expected()),
    })?;
    if rounded(&value).abs() >= TOO_LARGE {
        return Err(refused("too large", format!("numbers below {TOO_LARGE:e}")));
    }
    Ok(value)
}

fn rounded(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(values: &[&str]) -> String {
        PenaltyTable::new(values).unwrap_err().to_string()
    }

    #[test]
    fn faults_name_the_line() {
        assert_eq!(
            fault(&["0", "0.7", "0.5"]),
            "penalty table, line 3: 0.5 is not above 0.7 of line 2, expected strictly rising numbers"
        );
        assert!(fault(&["1", "1.0"]).contains("line 2: 1.0 is not above 1 of line 1"));
        assert_eq!(
            fault(&["1", "two"]),
            "penalty table, line 2: \"two\" is not a number that can be read, expected a decimal \
             number such as 0.01 or 1e-3, or a ratio such as 1/300"
        );
        assert!(fault(&["nan"]).contains("line 1: \"nan\" is not finite"));
        assert!(fault(&["1e300"]).contains("\"1e300\" is too large"));
        assert!(fault(&[]).contains("no values"));
        assert_eq!(
            fault(&["-1e-400", "0", "1"]),
            "penalty table, line 2: 0 is too close to -1e-400 of line 1, expected numbers that differ as \
             doubles"
        );
    }

    #[test]
    fn shapes_are_exact() {
        let shape = |values: &[&str], most| PenaltyTable::new(values).unwrap().shape(most);
        // As doubles, 0.3 - 0.2 and 0.2 - 0.1 differ.
        assert_eq!(shape(&["0.1", "0.2", "0.3"], 3), Shape::Additive);
        assert_eq!(shape(&["-1", "0", "0.5", "0.9"], 4), Shape::Concave);
        assert_eq!(shape(&["1", "2", "4", "5"], 4), Shape::Rising);
        assert_eq!(shape(&["1", "2", "4", "5"], 2), Shape::Additive);
        assert_eq!(shape(&["1"], 9), Shape::Additive);
    }
}

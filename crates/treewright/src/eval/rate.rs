//! Costs for people.

use crate::cost::Loss;

/// A cost for people: a share of the rows in percent, where costs are that.
pub fn rate(loss: &Loss, cost: f64) -> String {
    match loss {
        Loss::ZeroOne => percent(cost),
        Loss::Matrix(_) => format!("{cost:.4}"),
        Loss::Squared => significant(cost),
    }
}

/// A share in percent, with two digits behind the point where the first would say little.
pub fn percent(share: f64) -> String {
    percent_with(share, percent_digits(share))
}

/// A share in percent with this many digits behind the point.
pub(super) fn percent_with(share: f64, digits: usize) -> String {
    format!("{:.digits$} %", 100.0 * share)
}

/// How many digits behind the point a share in percent has.
pub(super) fn percent_digits(share: f64) -> usize {
    if share == 0.0 || share.abs() >= 0.0095 {
        1
    } else {
        2
    }
}

/// A number with four digits that matter.
pub fn significant(number: f64) -> String {
    match significant_digits(number) {
        Some(digits) => format!("{number:.digits$}"),
        None => format!("{number:.3e}"),
    }
}

/// How many digits behind the point such a number has; `None` for one that is written with an exponent.
pub(super) fn significant_digits(number: f64) -> Option<usize> {
    if number == 0.0 || !number.is_finite() {
        return Some(0);
    }
    let magnitude = number.abs().log10().floor();
    let is_usual = (-4.0..9.0).contains(&magnitude);
    is_usual.then_some((3.0 - magnitude).max(0.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (number, text) in [
            (0.0, "0"),
            (12.345_6, "12.35"),
            (0.001_234_56, "0.001235"),
            (123_456.7, "123457"),
            (1.5e-7, "1.500e-7"),
        ] {
            assert_eq!(significant(number), text);
        }
        for (share, text) in [
            (0.2095, "20.9 %"),
            (0.0013, "0.13 %"),
            (0.0, "0.0 %"),
            (1.0, "100.0 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }
}

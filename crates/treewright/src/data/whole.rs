//! Numbers as they are written, as whole numbers of a common power of ten.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Whole numbers from here on may have been rounded when they were made a double.
const LARGEST_WHOLE: f64 = (1_u64 << 53) as f64;

/// Numbers that are not negative, times a power of ten.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WholeNumbers {
    /// The products, which are whole.
    pub(crate) values: Vec<u64>,
    /// The exponent of the power of ten.
    pub(crate) tens: u32,
}

impl WholeNumbers {
    /// The shortest decimals that read as these numbers, times the least power of ten that makes them whole. `None` if
    /// 64 bits do not hold them.
    pub(crate) fn of(numbers: &[f64]) -> Option<Self> {
        let is_whole = |&number: &f64| number.fract() == 0.0 && number < LARGEST_WHOLE;
        if numbers.iter().all(is_whole) {
            let values = numbers.iter().map(|&number| number as u64).collect();
            return Some(Self { values, tens: 0 });
        }
        let mut known: BTreeMap<u64, (u64, i32)> = BTreeMap::new();
        for &number in numbers {
            if let Entry::Vacant(place) = known.entry(number.to_bits()) {
                place.insert(decimal(number)?);
            }
        }
        let exponents = known.values().map(|(_, exponent)| -exponent);
        let tens = u32::try_from(exponents.max().unwrap_or(0).max(0)).ok()?;
        for (digits, exponent) in known.values_mut() {
            let power = 10_u64.checked_pow(tens.checked_add_signed(*exponent)?)?;
            *digits = digits.checked_mul(power)?;
        }
        let whole = |number: &f64| known[&number.to_bits()].0;
        let values = numbers.iter().map(whole).collect();
        Some(Self { values, tens })
    }
}

/// The shortest decimal that reads as a number, as digits and a power of ten.
pub(super) fn decimal(number: f64) -> Option<(u64, i32)> {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = exponent.parse::<i32>().ok()? - fraction.len() as i32;
    let digits = format!("{whole}{fraction}").parse().ok()?;
    // Zero is whole with any power.
    Some((digits, if digits == 0 { 0 } else { exponent }))
}

#[cfg(test)]
mod tests {
    use super::WholeNumbers;

    #[test]
    fn numbers_are_what_is_written() {
        let whole = |numbers: &[f64]| WholeNumbers::of(numbers).map(|it| (it.values, it.tens));
        assert_eq!(whole(&[3.0, 0.0, 7.0]), Some((vec![3, 0, 7], 0)));
        assert_eq!(whole(&[0.1, 0.25, 12.0]), Some((vec![10, 25, 1200], 2)));
        assert_eq!(
            whole(&[1e-8, 0.0, 2e-7]),
            Some((vec![1, 0, 20], 8)),
            "more digits than six"
        );
        assert_eq!(whole(&[1e-30, 1.0]), None);
        assert_eq!(whole(&[0.5, 1e19]), None);
        assert_eq!(whole(&[]), Some((vec![], 0)));
    }
}

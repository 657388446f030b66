//! Numbers as whole multiples of a power of two.
//!
//! Pruning adds and subtracts node costs in many orders. Whole numbers make every such sum exact, so
//! that the result does not depend on the order and ties are real ties. Costs that are whole numbers
//! already stay as they are. Others are rounded once, to multiples of a power of two that is some
//! `2^-61` of the largest sum: finer than the rounding that the costs have gone through before.

use crate::data::WholeNumbers;

/// Numbers as multiples of a unit, which is a power of two.
#[derive(Debug, Clone, PartialEq)]
pub struct Units {
    values: Vec<i64>,
    unit: f64,
    is_whole: bool,
}

/// Whole numbers below this are exact as doubles.
const LARGEST_WHOLE: f64 = (1_u64 << 53) as f64;

impl Units {
    /// Takes numbers that are not negative, of which no sum that will be formed is larger than
    /// `largest_sum`.
    pub fn new(numbers: &[f64], largest_sum: f64) -> Self {
        // Conversions that the processor does itself, unlike rounding.
        let is_whole = |number: f64| number as i64 as f64 == number;
        let is_whole = largest_sum < LARGEST_WHOLE && numbers.iter().all(|&x| is_whole(x));
        let unit = if is_whole || largest_sum <= 0.0 {
            1.0
        } else {
            // The largest sum takes 61 bits, which leaves room for differences of two.
            2.0_f64.powi((largest_sum.log2().ceil() as i32 - 61).max(f64::MIN_EXP - 1))
        };
        let per_unit = unit.recip();
        let rounded = |number: &f64| {
            let exact = number * per_unit;
            let whole = exact as i64;
            whole + i64::from(exact - whole as f64 >= 0.5)
        };
        Self {
            values: numbers.iter().map(rounded).collect(),
            unit,
            is_whole,
        }
    }

    /// Numbers that are not negative, as the decimals that they are written as: times the least power of ten that makes
    /// them whole, which is the second result. `None` if they have too many digits.
    pub(crate) fn of_decimals(numbers: &[f64]) -> Option<(Self, f64)> {
        let WholeNumbers { values, tens } = WholeNumbers::of(numbers)?;
        let values = values.into_iter().map(i64::try_from);
        let units = Self {
            values: values.collect::<Result<_, _>>().ok()?,
            unit: 1.0,
            is_whole: true,
        };
        // Powers of ten up to this one are doubles.
        (tens <= 22).then(|| (units, 10_f64.powi(tens as i32)))
    }

    /// Replaces numbers by others, in units.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut [i64])) {
        change(&mut self.values);
    }

    /// The numbers, in units.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The size of one unit: 1 if all numbers were whole.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// This many units as a number.
    pub fn number(&self, units: i64) -> f64 {
        units as f64 * self.unit
    }

    /// Were all numbers whole, so that nothing was rounded?
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_stay_and_others_keep_their_bits() {
        let whole = Units::new(&[3.0, 0.0, 7.0], 10.0);
        assert!(whole.is_whole());
        assert_eq!((whole.values(), whole.unit()), (&[3, 0, 7][..], 1.0));

        let real = Units::new(&[0.1, 0.75, 123.456], 125.0);
        assert!(!real.is_whole());
        for (units, number) in real.values().iter().zip([0.1, 0.75, 123.456]) {
            assert!((real.number(*units) - number).abs() <= real.unit() / 2.0);
        }
        assert!(real.values().iter().all(|units| units.abs() < 1 << 61));

        let tiny = Units::new(&[1e-300, 2e-300], 3e-300);
        assert!((tiny.number(tiny.values()[0]) / 1e-300 - 1.0).abs() < 1e-7);
    }
}

//! From which weight on one tree is at least as good as another.
//!
//! That weight is `x = fall in cost / rise in penalty`. A file has it as a double, printed in decimal
//! and perhaps read back as an exact decimal, which must still choose the smaller tree. So it is rounded
//! up to the smallest double `d` with both `d >= x` and `s >= x`, where `s` is the shortest decimal that
//! reads as `d` (what `{}` in Rust and `repr` in Python print).
//!
//! That is the smallest double `d >= x` or the next one: the shortest decimal of the next reads as the
//! next, hence is at least the midpoint of the two doubles, hence above `d >= x`.
//!
//! Where two shortest decimals are equally near to `d`, printers disagree on which to take (`2^-25` is
//! `2.9802322387695313e-8` in Rust and `2.9802322387695312e-08` in Python). Then the lower one counts.

use std::fmt::{self, Write};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::exact::decimal;
use super::exact::sign::{rise, sign};
use super::{Penalty, Scale, SolutionValue};

/// The least weight from which on `smaller` is at least as good as `larger`, which has more leaves and
/// less cost. Rounded up to a double whose shortest decimal form is not below the exact weight either,
/// so that the printed number, given back, still chooses `smaller`.
///
/// It is 0 if `smaller` costs no more than `larger`, and infinite if there is no such double.
pub fn lambda_low(
    smaller: SolutionValue,
    larger: SolutionValue,
    penalty: &Penalty,
    scale: Scale,
) -> f64 {
    if smaller.cost <= larger.cost {
        return 0.0;
    }
    // Every tree has a leaf; powers and logarithms take 1 for 0.
    if smaller.leaves.max(1) >= larger.leaves {
        return f64::INFINITY;
    }
    let quick = if penalty.is_linear() {
        Quotient::new(smaller, larger, scale.tamed()).and_then(|quotient| quotient.threshold())
    } else {
        None
    };
    quick.unwrap_or_else(|| Threshold::new(smaller, larger, penalty, scale).rounded_up())
}

/// `numerator / denominator * 2^exponent`: a threshold for the linear penalty. All its functions give up
/// where 128 bits are not enough.
struct Quotient {
    numerator: u128,
    denominator: u128,
    exponent: i32,
}

impl Quotient {
    fn new(smaller: SolutionValue, larger: SolutionValue, scale: Scale) -> Option<Self> {
        if scale.is_ratio() {
            return None;
        }
        let fall = u128::from(smaller.cost.abs_diff(larger.cost));
        let run = (larger.leaves - smaller.leaves) as u128;
        let (unit, weight) = (dyadic(scale.unit), dyadic(scale.total_weight));
        Some(Self {
            numerator: fall.checked_mul(unit.0.into())?,
            denominator: run.checked_mul(weight.0.into())?,
            exponent: unit.1 - weight.1,
        })
    }

    fn threshold(&self) -> Option<f64> {
        let number = self.rounded_up()?;
        let (digits, exponent) = shortest(number);
        Some(if self.is_reached(digits, exponent)? {
            number
        } else {
            number.next_up()
        })
    }

    /// The smallest double that is not below.
    fn rounded_up(&self) -> Option<f64> {
        // A quotient of 53 or 54 bits.
        let n_bits = |number: u128| 128 - number.leading_zeros() as i32;
        let shift = 53 + n_bits(self.denominator) - n_bits(self.numerator);
        let numerator = shifted(self.numerator, shift.max(0))?;
        let denominator = shifted(self.denominator, (-shift).max(0))?;
        let mut mantissa = numerator.div_ceil(denominator);
        let mut exponent = self.exponent - shift;
        if mantissa > 1 << 53 {
            mantissa = mantissa.div_ceil(2);
            exponent += 1;
        }
        // The product is exact, far from the smallest and largest doubles.
        let is_safe = (-900..=900).contains(&exponent);
        is_safe.then(|| mantissa as f64 * f64::from_bits(((exponent + 1023) as u64) << 52))
    }

    /// Is `digits * 10^exponent` not below?
    fn is_reached(&self, digits: u64, exponent: i32) -> Option<bool> {
        // digits * denominator * 5^exponent >= numerator * 2^(self.exponent - exponent)
        let fives = 5_u128.checked_pow(exponent.unsigned_abs())?;
        let (up, down) = if exponent < 0 { (1, fives) } else { (fives, 1) };
        let left = self.denominator.checked_mul(digits.into())?;
        let left = left.checked_mul(up)?;
        let right = self.numerator.checked_mul(down)?;
        let shift = self.exponent - exponent;
        Some(shifted(left, (-shift).max(0))? >= shifted(right, shift.max(0))?)
    }
}

/// `number * 2^by`, if that has 128 bits at most.
fn shifted(number: u128, by: i32) -> Option<u128> {
    (number.leading_zeros() as i32 >= by).then(|| number << by)
}

/// A finite positive double as an odd whole number times a power of two.
fn dyadic(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let (biased, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = if biased == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, biased - 1075)
    };
    let twos = mantissa.trailing_zeros();
    (mantissa >> twos, exponent + twos as i32)
}

/// The shortest decimal that reads as a finite positive double, as digits and an exponent of ten; the
/// lower one if two are equally near.
fn shortest(number: f64) -> (u64, i32) {
    let mut text = Scientific::default();
    // Cannot fail, as `Scientific` takes everything.
    let _ = write!(text, "{number:e}");
    let (digits, exponent) = text.number();
    let (mantissa, twos) = dyadic(number);
    // Halfway above the lower one: mantissa * 2^twos = (2 * digits - 1) / 2 * 10^exponent. Both sides
    // have one odd factor, and 5^-exponent divides that on the right.
    let is_halfway = exponent < 0
        && twos == exponent - 1
        && 5_u128
            .checked_pow(exponent.unsigned_abs())
            .and_then(|fives| fives.checked_mul(mantissa.into()))
            == Some(2 * u128::from(digits) - 1);
    (digits - u64::from(is_halfway), exponent)
}

/// Takes apart a number as `{:e}` writes it.
#[derive(Default)]
struct Scientific {
    digits: u64,
    decimals: i32,
    exponent: i32,
    has_point: bool,
    has_exponent: bool,
    is_negative: bool,
}

impl Scientific {
    fn number(&self) -> (u64, i32) {
        let sign = if self.is_negative { -1 } else { 1 };
        (self.digits, sign * self.exponent - self.decimals)
    }
}

impl Write for Scientific {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match byte {
                b'.' => self.has_point = true,
                b'e' => self.has_exponent = true,
                b'-' => self.is_negative = true,
                b'0'..=b'9' if self.has_exponent => {
                    self.exponent = 10 * self.exponent + i32::from(byte - b'0');
                }
                b'0'..=b'9' => {
                    self.digits = 10 * self.digits + u64::from(byte - b'0');
                    self.decimals += i32::from(self.has_point);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Any threshold: bounds on it, and what decides between them.
struct Threshold<'a> {
    low: BigRational,
    high: BigRational,
    /// Fall in cost, as files have it.
    fall: BigRational,
    smaller: usize,
    larger: usize,
    penalty: &'a Penalty,
}

impl<'a> Threshold<'a> {
    fn new(
        smaller: SolutionValue,
        larger: SolutionValue,
        penalty: &'a Penalty,
        scale: Scale,
    ) -> Self {
        let fall = scale.ratio() * BigInt::from(smaller.cost.abs_diff(larger.cost));
        let (least, most) = rise(penalty, smaller.leaves, larger.leaves);
        Self {
            low: &fall / most,
            high: &fall / least,
            fall,
            smaller: smaller.leaves,
            larger: larger.leaves,
            penalty,
        }
    }

    fn rounded_up(&self) -> f64 {
        let is_reached = |number: f64| {
            BigRational::from_float(number).is_none_or(|number| self.is_reached(&number))
        };
        // The bounds are so close that this is at most two steps away.
        let mut number = self.high.to_f64().unwrap_or(f64::INFINITY);
        while !is_reached(number) {
            number = number.next_up();
        }
        while number > 0.0 && is_reached(number.next_down()) {
            number = number.next_down();
        }
        if number.is_infinite() {
            return number;
        }
        let (digits, exponent) = shortest(number);
        if self.is_reached(&decimal::scaled(digits.into(), exponent)) {
            number
        } else {
            number.next_up()
        }
    }

    /// Is a weight not below the threshold? Exact.
    fn is_reached(&self, weight: &BigRational) -> bool {
        if *weight >= self.high {
            return true;
        }
        if *weight < self.low {
            return false;
        }
        // weight * (P(larger) - P(smaller)) - fall, times both denominators
        let constant = -(self.fall.numer() * weight.denom());
        let coefficient = weight.numer() * self.fall.denom();
        let terms = [
            (coefficient.clone(), self.larger),
            (-coefficient, self.smaller),
        ];
        sign(self.penalty, &constant, &terms).is_ge()
    }
}

#[cfg(test)]
mod tests;

//! Logarithms and powers of whole numbers to any precision, with a bound on the error.
//!
//! Fixed point: with `bits` bits, the whole number `n` stands for `n * 2^-bits`, one *unit* being
//! `2^-bits`. Series are summed with every division cut off, which errs by less than a unit; the
//! comments count these units. The bounds are generous, because precision is cheap and proofs are not.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::cost::Exponent;

/// A number in fixed point and how many units it is off at most.
#[derive(Debug, Clone)]
pub(in crate::cost) struct Approximation {
    pub(in crate::cost) value: BigInt,
    pub(in crate::cost) error: BigInt,
}

/// The least number of bits for which the bounds hold.
pub(in crate::cost) const FEWEST_BITS: u64 = 128;

/// The natural logarithm of a number of at least 1.
pub(in crate::cost) fn ln(number: u64, bits: u64) -> Approximation {
    // With `2^twos` near the number, `ln(number) = twos * ln(2) + 2 * atanh(z)`, where
    // `z = (number - 2^twos) / (number + 2^twos)` is between -1/5 and 1/7.
    let floor = number.max(1).ilog2();
    let is_above = 3 * u128::from(number) > 4 << floor;
    let twos = floor + u32::from(is_above);
    let (number, power) = (i128::from(number.max(1)), 1_i128 << twos);
    let rest = 2 * atanh(number - power, number + power, bits);
    // Each `atanh` is off by `bits + 8` units at most and counts at most 2 * (64 + 1) times.
    Approximation {
        value: twos * 2 * atanh(1, 3, bits) + rest,
        error: BigInt::from(130 * (bits + 8)),
    }
}

/// `atanh(numerator / denominator)` for a ratio between -1/3 and 1/3, off by `bits + 8` units at most.
fn atanh(numerator: i128, denominator: i128, bits: u64) -> BigInt {
    let (numerator, denominator) = (BigInt::from(numerator), BigInt::from(denominator));
    let square = (&numerator * &numerator, &denominator * &denominator);
    // The powers `z^n` shrink by 9 at least, so an error of one unit in each never adds up to more
    // than 9/8, and there are at most `bits / 3 + 1` of them. Dividing by `n` errs by one unit more.
    // What is left out when a power vanishes is less than 2 units in all.
    let mut power = (numerator << bits) / denominator;
    let mut sum = power.clone();
    let mut n = 1_u32;
    while !power.is_zero() {
        power = power * &square.0 / &square.1;
        n += 2;
        sum += &power / n;
    }
    sum
}

/// A number of at least 1 to a positive power.
pub(in crate::cost) fn power(number: u64, exponent: Exponent, bits: u64) -> Approximation {
    let (numerator, denominator) = exponent.ratio();
    // `number^exponent = e^y` with `y = exponent * ln(number) = twos * ln(2) + rest`.
    let (ln_number, ln_2) = (ln(number, bits), ln(2, bits));
    let y = ln_number.value.max(BigInt::zero()) * numerator / denominator;
    let y_error: BigInt = ln_number.error * numerator / denominator + 2;
    let twos = &y / &ln_2.value;
    let rest = y - &twos * &ln_2.value;
    let rest_error = y_error + &twos * ln_2.error;
    // `rest` is below 0.7 and, with that many bits, its error is tiny: `e^rest` is off by at most 3
    // times as much. Exponents of at most 1000 and numbers below 2^64 keep `twos` below 64,001.
    let twos = twos.to_u64().unwrap_or(0);
    let error: BigInt = 3 * rest_error + 3 * bits + 8;
    Approximation {
        value: exp(&rest, bits) << twos,
        error: error << twos,
    }
}

/// `e^x` for `x` from 0 to 0.7, off by `3 * bits + 8` units at most.
fn exp(x: &BigInt, bits: u64) -> BigInt {
    // A term errs by `0.7 / n` times the error of the one before, plus 2 for two roundings: less than
    // 3 in all. There are fewer than `bits` terms, and what is left out is less than 8 units.
    let mut term = BigInt::from(1) << bits;
    let mut sum = term.clone();
    let mut n = 0_u32;
    while !term.is_zero() {
        n += 1;
        term = ((term * x) >> bits) / n;
        sum += &term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is a number, which has this many bits more, within the bounds of an approximation?
    fn is_within(found: &Approximation, expected: &BigInt, more: u64) -> bool {
        let found_low = (&found.value - &found.error) << more;
        let found_high = (&found.value + &found.error) << more;
        found_low <= *expected && *expected <= found_high
    }

    #[test]
    fn logarithms_agree_with_known_digits_and_with_each_other() {
        // ln(10) = 2.302585092994045684017991454684364207601101488628772976033327900967572609677...
        let digits: BigInt = "2302585092994045684017991454684364207601101488628772976033327900967"
            .parse()
            .unwrap();
        let scale = BigInt::from(10).pow(66);
        let ten = ln(10, 200);
        assert!(is_within(&ten, &((digits << 200) / scale), 0));
        assert!(ten.error < BigInt::from(1) << 20);
        // ln is additive, and more bits agree with fewer.
        for (a, b) in [
            (2, 3),
            (7, 11),
            (1, 1),
            (999_983, 1_000_003),
            (1 << 31, (1 << 32) - 5),
        ] {
            let (fine, coarse) = (ln(a * b, 512), ln(a * b, 128));
            assert!(is_within(&coarse, &fine.value, 384));
            let sum = ln(a, 512).value + ln(b, 512).value;
            let most: BigInt = 3 * fine.error;
            assert!((sum - fine.value).magnitude() <= most.magnitude());
        }
    }

    #[test]
    fn powers_agree_with_whole_roots() {
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..300 {
            let n_bits = random.u32(1..=20);
            let number = random.u64(1..=1 << n_bits);
            let (top, bottom) = (random.u32(1..=9), random.u32(1..=9));
            let exponent = Exponent::parse(&format!("{top}/{bottom}")).unwrap();
            let bits = [128, 160, 256][round % 3];
            let found = power(number, exponent, bits);
            // The whole root is at most one unit below.
            let scaled: BigInt = BigInt::from(number).pow(top) << (bits * u64::from(bottom));
            let expected = scaled.nth_root(bottom);
            assert!(is_within(&found, &expected, 0) && is_within(&found, &(expected + 1), 0));
            assert!((found.error.bits() + 100) < found.value.bits());
        }
    }
}

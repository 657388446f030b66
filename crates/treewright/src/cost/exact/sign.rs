//! The exact sign of `constant + sum of coefficient * penalty(leaves)`, with whole coefficients.
//!
//! Every comparison of trees comes down to such a sign, and ties must be real ties. Three steps:
//!
//! 1. **Doubles** with a bound on their error settle nearly all cases ([`quick`]).
//! 2. **Is it zero?** Linear penalties and tables are ratios: their sum is computed exactly. For powers
//!    and logarithms there is a test that needs no approximation at all, see below.
//! 3. **If not zero**, evaluate with 128, 256, ... bits until the sum is larger than its error, which
//!    must happen ([`fixed`](super::fixed)).
//!
//! Powers, exponent `p/q`: if the prime `b` divides `k` exactly `m` times, it contributes
//! `b^(m * p / q)` to `k^(p/q)`. Writing `m * p = q * f + g` with `0 <= g < q` splits `k^(p/q)` into a
//! whole number, the product of the `b^f`, and a *radical*, the product of the `b^(g/q)`. Different
//! radicals are linearly independent over the ratios (Besicovitch 1940, "On the linear independence of
//! fractional powers of integers"), so the sum is zero only if it is for each radical separately. Whole
//! numbers belong to the empty radical.
//!
//! Logarithms: `sum of c * ln(k) = ln(product of k^c)`. With a constant that is not zero the sum is not
//! zero, since `e` to a ratio other than 0 is transcendental (Lindemann 1882) and the product is a
//! ratio. Without, it is zero if the product is 1: if the exponent of every prime is 0.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

use super::fixed::{self, Approximation, FEWEST_BITS};
use crate::cost::{Exponent, Penalty};

/// How far a sum of doubles may be off, relative to the sum of the magnitudes.
///
/// A handful of roundings err by `2^-53` each; an exponent that was rounded changes a power below 1e300
/// by up to `690 * 2^-53 < 2^-43`; `powf` and `ln` of all known platforms err by less than `2^-50`.
const RELATIVE_ERROR: f64 = 1.0 / (1_u64 << 40) as f64;

/// The sign of `constant + sum of coefficient * penalty`, if doubles are certain about it.
///
/// The numbers are the nearest doubles or off by as little as [`RELATIVE_ERROR`] allows for. Each
/// coefficient must be at least 1 in magnitude, or the constant must, so that no underflow matters.
pub(in crate::cost) fn quick<const N: usize>(
    constant: f64,
    terms: [(f64, f64); N],
) -> Option<Ordering> {
    let mut sum = constant;
    let mut size = constant.abs();
    for (coefficient, penalty) in terms {
        sum += coefficient * penalty;
        // Penalties below the normal doubles have absolute instead of relative errors.
        size += coefficient.abs() * penalty.abs().max(f64::MIN_POSITIVE);
    }
    // With infinities and NaN neither is true.
    let bound = size * RELATIVE_ERROR;
    if sum > bound && size.is_finite() {
        Some(Ordering::Greater)
    } else if sum < -bound && size.is_finite() {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// A coefficient and a number of leaves.
pub(in crate::cost) type Term = (BigInt, usize);

/// The sign of `constant + sum of coefficient * penalty(leaves)`. Exact.
pub(in crate::cost) fn sign<const N: usize>(
    penalty: &Penalty,
    constant: &BigInt,
    terms: &[Term; N],
) -> Ordering {
    let double = |number: &BigInt| number.to_f64().unwrap_or(f64::INFINITY);
    let rounded = terms
        .each_ref()
        .map(|(coefficient, leaves)| (double(coefficient), penalty.at(*leaves)));
    quick(double(constant), rounded).unwrap_or_else(|| exact_sign(penalty, constant, terms))
}

/// [`sign`] without the help of doubles.
fn exact_sign(penalty: &Penalty, constant: &BigInt, terms: &[Term]) -> Ordering {
    match penalty {
        Penalty::Linear => {
            let weighted = terms
                .iter()
                .map(|(coefficient, leaves)| coefficient * leaves);
            weighted
                .fold(constant.clone(), |sum, term| sum + term)
                .cmp(&BigInt::ZERO)
        }
        Penalty::Table(table) => {
            let mut sum = BigRational::from_integer(constant.clone());
            for (coefficient, leaves) in terms {
                sum += &table.ratios()[leaves - 1] * coefficient;
            }
            sum.cmp(&BigRational::zero())
        }
        Penalty::Power(exponent) => sign_of_powers(*exponent, constant, terms),
        Penalty::Log => sign_of_logarithms(constant, terms),
    }
}

/// Prime factors with a number each, in rising order.
type Factors = Vec<(u64, u64)>;

fn sign_of_powers(exponent: Exponent, constant: &BigInt, terms: &[Term]) -> Ordering {
    let mut parts: Vec<(Factors, BigInt)> = vec![(Vec::new(), constant.clone())];
    for (coefficient, leaves) in terms {
        let (whole, radical) = split(*leaves as u64, exponent);
        match parts.iter_mut().find(|part| part.0 == radical) {
            Some(part) => part.1 += coefficient * whole,
            None => parts.push((radical, coefficient * whole)),
        }
    }
    parts.retain(|part| !part.1.is_zero());
    match &parts[..] {
        [] => Ordering::Equal,
        // Radicals are positive.
        [(_, coefficient)] => coefficient.cmp(&BigInt::ZERO),
        _ => refined_sign(constant, terms, |leaves, bits| {
            fixed::power(leaves, exponent, bits)
        }),
    }
}

/// A power as a whole number times a radical: the latter as primes with the numerators of their
/// exponents, all over the denominator of the exponent and below it.
fn split(leaves: u64, exponent: Exponent) -> (BigInt, Factors) {
    let (numerator, denominator) = exponent.ratio();
    let mut whole = BigInt::from(1);
    let mut radical = Vec::new();
    for (prime, times) in factors(leaves) {
        let power = times * numerator;
        // At most 64 * 1000, as the exponent is at most 1000.
        whole *= BigInt::from(prime).pow((power / denominator) as u32);
        if power % denominator != 0 {
            radical.push((prime, power % denominator));
        }
    }
    (whole, radical)
}

fn sign_of_logarithms(constant: &BigInt, terms: &[Term]) -> Ordering {
    if constant.is_zero() {
        let mut exponents: BTreeMap<u64, BigInt> = BTreeMap::new();
        for (coefficient, leaves) in terms {
            for (prime, times) in factors(*leaves as u64) {
                *exponents.entry(prime).or_default() += coefficient * times;
            }
        }
        if exponents.values().all(BigInt::is_zero) {
            return Ordering::Equal;
        }
    }
    refined_sign(constant, terms, fixed::ln)
}

/// The prime factors of a number of leaves, by trial division: such numbers are small.
fn factors(mut number: u64) -> Factors {
    let mut factors = Vec::new();
    let mut prime = 2;
    while prime * prime <= number {
        let mut times = 0;
        while number.is_multiple_of(prime) {
            number /= prime;
            times += 1;
        }
        if times > 0 {
            factors.push((prime, times));
        }
        prime += 1 + prime % 2;
    }
    if number > 1 {
        factors.push((number, 1));
    }
    factors
}

/// The sign of a sum that is known not to be zero, with ever more bits.
fn refined_sign(
    constant: &BigInt,
    terms: &[Term],
    penalty: impl Fn(u64, u64) -> Approximation,
) -> Ordering {
    let mut bits = FEWEST_BITS;
    loop {
        let mut sum = constant << bits;
        let mut error = BigInt::ZERO;
        for (coefficient, leaves) in terms {
            let number = penalty(*leaves as u64, bits);
            sum += coefficient * number.value;
            error += coefficient.abs() * number.error;
        }
        if sum.abs() > error {
            return sum.cmp(&BigInt::ZERO);
        }
        bits *= 2;
    }
}

/// Bounds on how much larger the penalty of `to` leaves is than that of `from`, which are fewer: equal
/// if it is a ratio, else closer together than `2^-80` of it.
pub(in crate::cost) fn rise(
    penalty: &Penalty,
    from: usize,
    to: usize,
) -> (BigRational, BigRational) {
    let exact = match penalty {
        Penalty::Linear => BigRational::from_integer(BigInt::from(to) - BigInt::from(from)),
        Penalty::Table(table) => &table.ratios()[to - 1] - &table.ratios()[from - 1],
        Penalty::Log => return refined_rise(from, to, fixed::ln),
        Penalty::Power(exponent) => {
            let power = |leaves, bits| fixed::power(leaves, *exponent, bits);
            return refined_rise(from, to, power);
        }
    };
    (exact.clone(), exact)
}

fn refined_rise(
    from: usize,
    to: usize,
    penalty: impl Fn(u64, u64) -> Approximation,
) -> (BigRational, BigRational) {
    let mut bits = FEWEST_BITS;
    loop {
        let (low, high) = (penalty(from as u64, bits), penalty(to as u64, bits));
        let (rise, error) = (high.value - low.value, high.error + low.error);
        if rise > &error << 82_u32 {
            let unit = BigInt::from(1) << bits;
            let bound = |units: BigInt| BigRational::new(units, unit.clone());
            return (bound(&rise - &error), bound(rise + error));
        }
        bits *= 2;
    }
}

#[cfg(test)]
mod tests;

//! Numbers as they are written, and what may be called the same number.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

pub(crate) type Ratio = BigRational;

/// A decimal (`0.01`, `-2`, `1e-3`) or a ratio of whole numbers (`1/300`), exactly.
pub(crate) fn parse(text: &str) -> Option<Ratio> {
    if let Some((above, below)) = text.split_once('/') {
        let (above, below): (BigInt, BigInt) = (above.parse().ok()?, below.parse().ok()?);
        return below.is_positive().then(|| Ratio::new(above, below));
    }
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let all: BigInt = format!("{before}{after}").parse().ok()?;
    let exponent = exponent.checked_sub(after.len() as i64)?;
    let power = BigInt::from(10).pow(u32::try_from(exponent.abs()).ok().filter(|&n| n < 2000)?);
    Some(if exponent < 0 {
        Ratio::new(all, power)
    } else {
        Ratio::from(all * power)
    })
}

/// The shortest decimal that reads back as this double. Doubles that rise have decimals that rise.
pub(crate) fn decimal(number: f64) -> Ratio {
    parse(&format!("{number:e}")).expect("a finite double has a decimal")
}

/// The double itself. Numbers of a file are finite; what overflows in doubles is beyond all of them, so the largest will do.
pub(crate) fn binary(number: f64) -> Ratio {
    let number = if number.is_nan() { f64::MAX } else { number };
    Ratio::from_float(number.clamp(f64::MIN, f64::MAX)).unwrap_or_default()
}

/// A parameter of a file: a number, taken as its decimal, or a text such as `1/300`.
pub(crate) fn of_json(value: &serde_json::Value) -> Option<Ratio> {
    match value {
        serde_json::Value::String(text) => parse(text),
        value => value.as_f64().map(decimal),
    }
}

/// The nearest double, for messages.
pub(crate) fn nearest(ratio: &Ratio) -> f64 {
    ratio.to_f64().unwrap_or(f64::NAN)
}

/// A tolerance may be this part of an objective that is called the best, not more.
pub(crate) fn little() -> Ratio {
    Ratio::new(BigInt::one(), BigInt::from(1_000_000))
}

/// A whole number that is not too large.
pub(crate) fn small(number: &BigInt) -> Option<i128> {
    number.to_i128().filter(|number| number.abs() < 1 << 118)
}

/// Is the printed number the exact one, but for a few roundings of doubles?
pub(crate) fn few_ulps(printed: f64, exact: &Ratio) -> bool {
    within(
        printed,
        exact,
        &Ratio::new(BigInt::one(), BigInt::one() << 49),
    )
}

/// Is the printed number the exact one, but for roundings in long sums?
pub(crate) fn about(printed: f64, exact: &Ratio) -> bool {
    within(
        printed,
        exact,
        &Ratio::new(BigInt::one(), BigInt::from(1_000_000_000)),
    )
}

fn within(printed: f64, exact: &Ratio, relative: &Ratio) -> bool {
    let off = (binary(printed) - exact).abs();
    // Below the normal doubles there is no relative precision.
    let are_tiny = nearest(exact).abs() < 1e-300 && printed.abs() < 1e-299;
    off.is_zero() || off <= exact.abs() * relative || are_tiny
}

/// The least whole number that is not below.
pub(crate) fn ceil(ratio: &Ratio) -> BigInt {
    ratio.ceil().to_integer()
}

/// Shares of rows are doubles: three thirds of a row count 1. A sum that is nearly whole is taken for whole, as it is in a
/// model file.
pub(crate) fn snapped(cost: Ratio) -> Ratio {
    let whole = cost.round();
    let off = if cost < whole {
        &whole - &cost
    } else {
        &cost - &whole
    };
    if off <= &cost * binary(1e-13) {
        whole
    } else {
        cost
    }
}

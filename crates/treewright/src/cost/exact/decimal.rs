//! Numbers as they are written: exact ratios from decimals and fractions, and back.
//!
//! A weight of `0.1` is meant as one tenth. As a double it would be another number, and a tie that the
//! user computed by hand would be none. So numbers that enter a comparison are read into ratios.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The largest exponent of ten that is read: doubles end before, and ratios stay short.
const LARGEST_EXPONENT: i32 = 400;

/// The longest text that is read. Every double fits, with all its digits.
const LONGEST: usize = 2000;

/// More digits than this are not written as a decimal but as a ratio.
const MOST_DIGITS: usize = 20;

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cost) enum Fault {
    /// Neither a decimal nor a fraction.
    NotANumber,
    /// An infinity or a NaN.
    NotFinite,
    /// A fraction over 0 or less.
    NoDenominator,
    /// An exponent of ten out of range.
    LargeExponent,
    /// Too many characters.
    TooLong,
}

impl Fault {
    /// What would have been read.
    pub(in crate::cost) fn expected(self) -> String {
        match self {
            Self::NotANumber => {
                "a decimal number such as 0.01 or 1e-3, or a ratio such as 1/300".into()
            }
            Self::NotFinite => "a finite number".into(),
            Self::NoDenominator => "a ratio with a denominator above 0".into(),
            Self::LargeExponent => {
                format!("a number from 1e-{LARGEST_EXPONENT} to 1e{LARGEST_EXPONENT}")
            }
            Self::TooLong => format!("a number of at most {LONGEST} characters"),
        }
    }
}

/// Reads a decimal number (`2`, `-.5`, `1e-3`) or a ratio of two whole numbers (`1/300`), exactly.
pub(in crate::cost) fn parse(text: &str) -> Result<BigRational, Fault> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(Fault::TooLong);
    }
    if let Some((numerator, denominator)) = text.split_once('/') {
        let (numerator, denominator) = (whole(numerator)?, whole(denominator)?);
        if denominator <= BigInt::zero() {
            return Err(Fault::NoDenominator);
        }
        return Ok(BigRational::new(numerator, denominator));
    }
    match text.parse::<f64>() {
        Err(_) => Err(Fault::NotANumber),
        // Only words (`inf`, `nan`) have no digit; an overflow has.
        Ok(_) if !text.contains(|c: char| c.is_ascii_digit()) => Err(Fault::NotFinite),
        Ok(_) => decimal(text),
    }
}

/// A whole number, perhaps with a sign.
fn whole(text: &str) -> Result<BigInt, Fault> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number = number(digits)?;
    Ok(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

/// Digits and nothing else.
fn number(digits: &str) -> Result<BigInt, Fault> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::NotANumber);
    }
    digits.parse().map_err(|_| Fault::NotANumber)
}

/// A number with digits, perhaps with a point and an exponent.
fn decimal(text: &str) -> Result<BigRational, Fault> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| Fault::LargeExponent)?;
    // The least number has no absolute value of its own type.
    if exponent.unsigned_abs() > LARGEST_EXPONENT as u32 {
        return Err(Fault::LargeExponent);
    }
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole(&format!("{before}{after}"))?;
    Ok(scaled(digits, exponent - after.len() as i32))
}

/// `digits * 10^exponent`.
pub(in crate::cost) fn scaled(digits: BigInt, exponent: i32) -> BigRational {
    let power = BigInt::from(10).pow(exponent.unsigned_abs());
    if exponent < 0 {
        BigRational::new(digits, power)
    } else {
        BigRational::from_integer(digits * power)
    }
}

/// Writes a ratio so that [`parse`] reads it back: as a decimal if that is short, else as `p/q`.
pub(in crate::cost) fn format(ratio: &BigRational) -> String {
    let Some(decimals) = decimals(ratio.denom()) else {
        return ratio.to_string();
    };
    let mantissa = ratio.numer() * BigInt::from(10).pow(decimals) / ratio.denom();
    let text = mantissa.to_string();
    let (sign, all) = text
        .strip_prefix('-')
        .map_or(("", &*text), |rest| ("-", rest));
    let digits = all.trim_end_matches('0');
    if digits.is_empty() {
        return "0".into();
    }
    if digits.len() > MOST_DIGITS {
        return ratio.to_string();
    }
    format!(
        "{sign}{}",
        with_point(digits, all.len() as i32 - decimals as i32)
    )
}

/// How many decimals a number with this denominator needs, if some number of them suffices.
fn decimals(denominator: &BigInt) -> Option<u32> {
    let twos = denominator.trailing_zeros().unwrap_or(0);
    let mut rest = denominator >> twos;
    let mut fives = 0;
    while (&rest % 5_u32).is_zero() {
        rest /= 5;
        fives += 1;
    }
    rest.is_one()
        .then(|| u32::try_from(twos).map_or(u32::MAX, |twos| twos.max(fives)))
}

/// The digits with the point after the first `point` of them, or with an exponent if that is shorter.
fn with_point(digits: &str, point: i32) -> String {
    let n_digits = digits.len() as i32;
    match point {
        -4..=0 => format!("0.{}{digits}", "0".repeat(-point as usize)),
        1..=21 if point >= n_digits => {
            format!("{digits}{}", "0".repeat((point - n_digits) as usize))
        }
        1..=21 => format!(
            "{}.{}",
            &digits[..point as usize],
            &digits[point as usize..]
        ),
        _ if n_digits == 1 => format!("{digits}e{}", point - 1),
        _ => format!("{}.{}e{}", &digits[..1], &digits[1..], point - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn decimals_and_ratios_are_read_exactly() {
        for (text, numerator, denominator) in [
            ("0.01", 1, 100),
            ("2", 2, 1),
            ("1e-3", 1, 1000),
            ("1.5E+2", 150, 1),
            (".5", 1, 2),
            ("5.", 5, 1),
            ("+1", 1, 1),
            ("-0.25", -1, 4),
            ("-0", 0, 1),
            ("2/6", 1, 3),
            (" 7 ", 7, 1),
        ] {
            assert_eq!(parse(text), Ok(ratio(numerator, denominator)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_at_once() {
        for text in [
            "", " ", ".", "-", "e5", "1e", "1e5.0", "0x10", "1_000", "1,5", "1/", "/2", "1/2/3",
            "1.5/2", "one", "--1", "+-1",
        ] {
            assert_eq!(parse(text), Err(Fault::NotANumber), "{text}");
        }
        for text in ["inf", "-Infinity", "NaN"] {
            assert_eq!(parse(text), Err(Fault::NotFinite), "{text}");
        }
        for text in ["1/0", "1/-2", "0/0"] {
            assert_eq!(parse(text), Err(Fault::NoDenominator), "{text}");
        }
        for text in [
            "1e999999999",
            "1e-401",
            "1e-2147483648",
            "0e99999999999999999999",
        ] {
            assert_eq!(parse(text), Err(Fault::LargeExponent), "{text}");
        }
        assert_eq!(parse(&"1".repeat(2001)), Err(Fault::TooLong));
    }

    #[test]
    fn short_decimals_are_written_as_such() {
        for (text, written) in [
            ("0.010", "0.01"),
            ("1200", "1200"),
            ("12.50", "12.5"),
            ("1e-3", "0.001"),
            ("0.00001", "0.00001"),
            ("1.5e-7", "1.5e-7"),
            ("1e300", "1e300"),
            ("-2.5", "-2.5"),
            ("0/5", "0"),
            ("1/3", "1/3"),
            ("3/8", "0.375"),
        ] {
            assert_eq!(format(&parse(text).unwrap()), written);
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let number = f64::from_bits(random.u64(..));
            let Some(exact) = BigRational::from_float(number) else {
                continue;
            };
            assert_eq!(parse(&format(&exact)), Ok(exact));
            let shortest = parse(&number.to_string()).unwrap();
            assert_eq!(parse(&format(&shortest)), Ok(shortest.clone()));
            assert_eq!(parse(&format!("{number:e}")), Ok(shortest));
        }
    }
}

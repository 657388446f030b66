//! Most numbers in files are short, and short ones can be read fast and exactly.
//!
//! A decimal of at most 15 digits whose power of ten is at most 22 is the quotient or product of two
//! numbers that `f64` holds exactly, so a single rounding gives the nearest `f64`, the same that the
//! standard library finds. With up to 19 digits, and that is what programs write that show all digits
//! of an `f64`, both are whole numbers of 64 bits; their quotient is found with integers and rounded
//! once. Everything else is left to the standard library.

use wide::{CmpEq, u8x32};

/// Whole numbers of this many digits are exact as `f64`.
const EXACT_DIGITS: u32 = 15;

/// More digits might not fit into 64 bits.
const MOST_DIGITS: u32 = 19;

/// The powers of ten that `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The powers of five that 64 bits hold. Those of ten are the same, shifted.
const POWERS_OF_FIVE: [u64; 28] = {
    let mut powers = [1; 28];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 5;
        exponent += 1;
    }
    powers
};

/// For each power of five, shifted until its top bit is set, what to multiply by instead of dividing:
/// 2^125 divided by it, rounded down.
const RECIPROCALS: [u64; 28] = {
    let mut reciprocals = [0; 28];
    let mut exponent = 0;
    while exponent < reciprocals.len() {
        let power = POWERS_OF_FIVE[exponent];
        let shifted = (power as u128) << power.leading_zeros();
        reciprocals[exponent] = ((1 << 125) / shifted) as u64;
        exponent += 1;
    }
    reciprocals
};

/// Reads the number that begins at `at`: the value (never -0) and where it ends. `None` says nothing
/// about the text, only that the standard library must look at it.
///
/// There are no loops and hardly any branches: lengths and signs are hard to predict. The end is found
/// first, because the next number can be begun as soon as it is known.
#[inline]
pub(super) fn short_number(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let block = text.get(at..)?.first_chunk()?;
    let sign = block[0];
    let n_signs = u32::from(sign == b'-' || sign == b'+');
    let (digits, dots) = digits_and_dots(*block);
    // The lowest bit is where the digits before the decimal point end, the next one the others.
    let others = !digits & !n_signs;
    let point = dots & others & others.wrapping_neg();
    let whole_end = others.trailing_zeros();
    let digits_end = (others ^ point).trailing_zeros();
    let n_whole = whole_end - n_signs;
    let n_decimals = digits_end - whole_end - u32::from(point != 0);
    let n_digits = n_whole + n_decimals;
    if digits_end == u32::BITS || n_digits == 0 || n_digits > MOST_DIGITS {
        return None;
    }
    let mut end = at + digits_end as usize;
    let whole = last_digits(&text[..at + whole_end as usize], n_whole)?;
    let decimals = last_digits(&text[..end], n_decimals)?;
    let mantissa = whole * (POWERS_OF_FIVE[n_decimals as usize] << n_decimals) + decimals;
    let mut exponent = -i64::from(n_decimals);
    if matches!(text[end], b'e' | b'E') {
        exponent += read_exponent(text, &mut end)?;
    }
    let power = exponent.unsigned_abs() as usize;
    let value = if n_digits > EXACT_DIGITS && mantissa > 0 {
        if exponent > 0 {
            return None;
        }
        quotient(mantissa, power)?
    } else if exponent < 0 {
        mantissa as f64 / POWERS.get(power)?
    } else {
        mantissa as f64 * POWERS.get(power)?
    };
    let sign_bit = u64::from(sign == b'-') << 63;
    let signed = f64::from_bits(value.to_bits() | sign_bit);
    Some((signed + 0.0, end))
}

/// Which bytes are digits and which are dots, the first one in the lowest bit.
#[inline]
fn digits_and_dots(block: [u8; 32]) -> (u32, u32) {
    let bytes = u8x32::new(block);
    let values = bytes - u8x32::splat(b'0');
    let digits = values.cmp_eq(values.min(u8x32::splat(9)));
    let dots = bytes.cmp_eq(u8x32::splat(b'.'));
    (digits.move_mask() as u32, dots.move_mask() as u32)
}

/// The whole number that the last `n_digits` bytes spell; `None` near the start of the text.
#[inline]
fn last_digits(text: &[u8], n_digits: u32) -> Option<u64> {
    const EIGHT: u64 = 100_000_000;
    let (rest, last) = text.split_last_chunk()?;
    let last = last_of_eight(*last, n_digits.min(8));
    if n_digits <= 8 {
        return Some(last);
    }
    let (rest, middle) = rest.split_last_chunk()?;
    let (_, first) = rest.split_last_chunk()?;
    let middle = last_of_eight(*middle, (n_digits - 8).min(8));
    let first = last_of_eight(*first, n_digits.saturating_sub(16));
    Some((first * EIGHT + middle) * EIGHT + last)
}

#[inline]
fn last_of_eight(bytes: [u8; 8], n_digits: u32) -> u64 {
    const PAIR: u64 = 0x0000_00FF_0000_00FF;
    let others = u64::MAX.checked_shr(8 * n_digits).unwrap_or(0);
    let values = (u64::from_le_bytes(bytes) ^ u64::from_le_bytes([b'0'; 8])) & !others;
    let pairs = (values * 10) + (values >> 8);
    let first_and_third = (pairs & PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let second_and_fourth = ((pairs >> 16) & PAIR).wrapping_mul(1 + (10_000 << 32));
    first_and_third.wrapping_add(second_and_fourth) >> 32
}

/// Reads the exponent whose `e` is at `at`; `None` if there is none or it is large.
fn read_exponent(text: &[u8], at: &mut usize) -> Option<i64> {
    let sign = *text.get(*at + 1)?;
    let start = *at + 1 + usize::from(sign == b'-' || sign == b'+');
    let digits = text[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let n_digits = digits.clone().count();
    if n_digits == 0 || n_digits > 3 {
        return None;
    }
    *at = start + n_digits;
    let exponent = digits.fold(0, |value, digit| 10 * value + i64::from(digit - b'0'));
    Some(if sign == b'-' { -exponent } else { exponent })
}

/// The `f64` nearest to a positive whole number divided by a power of ten.
#[inline]
fn quotient(dividend: u64, power: usize) -> Option<f64> {
    let divisor = *POWERS_OF_FIVE.get(power)?;
    // With their top bits set, the quotient with 61 more binary places has 61 or 62 bits: far more
    // than fit, so that its last bits hardly ever matter.
    let (up, down) = (dividend.leading_zeros(), divisor.leading_zeros());
    let (dividend, divisor) = (dividend << up, divisor << down);
    let least = ((u128::from(dividend) * u128::from(RECIPROCALS[power])) >> 64) as i64;
    let mut rounded = least as f64;
    // Two roundings down took away less than two.
    if rounded != (least + 2) as f64 {
        rounded = rounded_quotient(dividend, divisor);
    }
    // Far from the smallest and largest numbers, powers of two only move the exponent.
    let exponent = i64::from(down) - i64::from(up) - 61 - power as i64;
    Some(rounded * f64::from_bits(((1023 + exponent) as u64) << 52))
}

/// The `f64` nearest to the quotient of two whole numbers with top bits set, times 2^61.
#[cold]
fn rounded_quotient(dividend: u64, divisor: u64) -> f64 {
    let (dividend, divisor) = (u128::from(dividend) << 61, u128::from(divisor));
    // Of the remainder it only matters whether there is one: it stands for the bits after the last.
    let is_inexact = dividend % divisor != 0;
    ((dividend / divisor) | u128::from(is_inexact)) as i64 as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Number;

    /// Whatever is read must be what the standard library reads, to the bit.
    fn check(number: &str) -> bool {
        let around = ",1.".repeat(11);
        let text = format!("{around}{number},{around}");
        let start = around.len();
        let Some((value, end)) = short_number(text.as_bytes(), start) else {
            return false;
        };
        let Number::Finite(expected) = Number::parse(&text[start..end]) else {
            panic!("{:?} is not a number", &text[start..end]);
        };
        assert_eq!(value.to_bits(), expected.to_bits(), "{number}");
        end == start + number.len()
    }

    #[test]
    fn short_numbers_are_read() {
        for number in [
            "0",
            "-0",
            "+7",
            "1.",
            ".5",
            "-.5",
            "0.1",
            "12345678",
            "123456789.123456",
            "9007199254740992",
            "1e22",
            "1E-22",
            "1e+05",
            "-1.5e3",
            "00012",
            "0.000001",
            "1234567890123456e-10",
            "99999999",
            "0.30000000000000",
            "9007199254740993",
            "9007199254740995",
            "9223372036854775807",
            "9223372036854775808",
            "900719925474099.5e1",
            "0.12345678901234567",
            "9999999999999999999",
            ".9999999999999999999",
            "-1.7976931348623157",
        ] {
            assert!(check(number), "{number}");
        }
    }

    #[test]
    fn long_and_strange_ones_are_left_alone() {
        for number in [
            "",
            "-",
            "+",
            ".",
            "-.",
            "e5",
            "abc",
            "1e",
            "1e+",
            "1e23",
            "1e9999",
            "inf",
            "nan",
            "9007199254740993e1",
            "12345678901234567890",
            " 1",
            "--1",
            "18446744073709551617",
            "0.000000000000000000000000001",
            "\u{e9}",
        ] {
            assert!(!check(number), "{number}");
        }
        // Numbers with something behind them: the length says where they stop.
        assert!(!check("1.5.5") && !check("1_000") && !check("0x10") && !check("1:"));
    }

    #[test]
    fn every_byte_is_a_digit_or_not() {
        for byte in 0..=u8::MAX {
            for position in 0..32 {
                let mut block = [b'7'; 32];
                block[position] = byte;
                let (digits, dots) = digits_and_dots(block);
                assert_eq!(digits == u32::MAX, byte.is_ascii_digit());
                assert!(digits | 1 << position == u32::MAX);
                assert_eq!(dots, u32::from(byte == b'.') << position);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn equals_the_standard_library(
            number in prop_oneof![
                "[-+]?[0-9]{0,20}(\\.[0-9]{0,20})?([eE][-+]?[0-9]{0,3})?",
                "[-+.eE0-9]{1,12}",
                any::<f64>().prop_map(|number| number.to_string()),
                any::<f32>().prop_map(|number| format!("{number:e}")),
                (0_u64..1 << 54, -25_i32..25).prop_map(|(m, e)| format!("{m}e{e}")),
                any::<f64>().prop_map(|number| format!("{:.17}", number % 1000.0)),
                (any::<u64>(), 0_i32..22).prop_map(|(m, e)| format!("{m}e-{e}")),
                // Halfway between two neighbours, and just beside.
                (1_u64 << 53..1 << 60, 0_u32..4, -1_i64..=1).prop_map(|(m, e, d)| {
                    let halfway = (m >> 10 << 10) + (1 << (m.ilog2() - 53));
                    let number = halfway.wrapping_add_signed(d);
                    format!("{}e-{e}", number.saturating_mul(10_u64.pow(e)))
                }),
                (9_007_199_254_740_000_u64..9_007_199_254_741_999).prop_map(|m| format!("{}.{}", m / 1000, m % 1000)),
            ]
        ) {
            check(&number);
        }
    }
}

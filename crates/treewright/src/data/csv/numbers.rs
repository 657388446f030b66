//! Most numbers in files are short, and short ones can be read fast and exactly.
//!
//! A decimal whose digits make a whole number up to 2^53 and whose power of ten is at most 22 is the
//! quotient or product of two numbers that `f64` holds exactly, so a single rounding gives the
//! nearest `f64`, the same that the standard library finds. With up to 19 digits, and that is what
//! programs write that show all digits of an `f64`, both are whole numbers of 64 bits; their quotient
//! is found and rounded with integers. Everything else is left to the standard library.

use super::records::word_at_position;

/// Whole numbers up to here are exact.
const LARGEST_MANTISSA: u64 = 1 << 53;

/// More digits might not fit into 64 bits.
const MOST_DIGITS: usize = 19;

/// The powers of ten that `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The powers of ten that 64 bits hold.
const WHOLE_POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// Reads a number at the start of `text`, which goes on behind it: the value (never -0) and its
/// length. `None` says nothing about the text, only that the standard library must look at it.
#[inline]
pub(super) fn short_number(text: &[u8]) -> Option<(f64, usize)> {
    let sign = *text.first()?;
    let mut at = usize::from(sign == b'-' || sign == b'+');
    let mut mantissa = 0;
    let mut n_digits = read_digits(text, &mut at, &mut mantissa)?;
    let mut exponent = 0;
    if text.get(at) == Some(&b'.') {
        at += 1;
        let n_decimals = read_digits(text, &mut at, &mut mantissa)?;
        n_digits += n_decimals;
        exponent = -(n_decimals as i64);
    }
    // Checked before anything is done with the mantissa, which wraps around beyond.
    if n_digits == 0 || n_digits > MOST_DIGITS {
        return None;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        exponent += read_exponent(text, &mut at)?;
    }
    let power = exponent.unsigned_abs() as usize;
    let value = if mantissa > LARGEST_MANTISSA {
        if exponent > 0 {
            return None;
        }
        quotient(mantissa, *WHOLE_POWERS.get(power)?)
    } else if exponent < 0 {
        mantissa as f64 / POWERS.get(power)?
    } else {
        mantissa as f64 * POWERS.get(power)?
    };
    // Not a branch: signs are even harder to predict than lengths.
    let sign_bit = u64::from(sign == b'-') << 63;
    let signed = f64::from_bits(value.to_bits() | sign_bit);
    Some((signed + 0.0, at))
}

/// Appends the digits at `at` to the mantissa (modulo 2^64) and counts them; `None` near the end of
/// the text, where eight bytes cannot be loaded.
#[inline]
fn read_digits(text: &[u8], at: &mut usize, mantissa: &mut u64) -> Option<usize> {
    let start = *at;
    loop {
        let (value, n_digits) = leading_digits(word_at_position(text, *at)?);
        *mantissa = mantissa
            .wrapping_mul(WHOLE_POWERS[n_digits])
            .wrapping_add(value);
        *at += n_digits;
        if n_digits < 8 {
            return Some(*at - start);
        }
    }
}

/// The number that the digits at the low end of a word spell, and how many there are. No branches:
/// the lengths of numbers in a column are hard to predict.
#[inline]
fn leading_digits(word: u64) -> (u64, usize) {
    const PAIR: u64 = 0x0000_00FF_0000_00FF;
    const fn all(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    let values = word ^ all(b'0');
    // The top bit of a byte says that it is not a digit: its value is above 9.
    let others = (((values & all(0x7F)) + all(0x76)) | values) & all(0x80);
    let n_digits = others.trailing_zeros() / 8;
    // Zeros move in front of the digits, which so become exactly eight.
    let eight = values.checked_shl(64 - 8 * n_digits).unwrap_or(0);
    let pairs = (eight * 10) + (eight >> 8);
    let first_and_third = (pairs & PAIR).wrapping_mul(100 + (1_000_000 << 32));
    let second_and_fourth = ((pairs >> 16) & PAIR).wrapping_mul(1 + (10_000 << 32));
    let value = first_and_third.wrapping_add(second_and_fourth) >> 32;
    (value, n_digits as usize)
}

/// The digits after the `e`, with their sign; `None` if there is none or it is large.
fn read_exponent(text: &[u8], at: &mut usize) -> Option<i64> {
    let sign = *text.get(*at)?;
    *at += usize::from(sign == b'-' || sign == b'+');
    let mut exponent = 0;
    let n_digits = read_digits(text, at, &mut exponent)?;
    if n_digits == 0 || n_digits > 3 {
        return None;
    }
    Some(if sign == b'-' {
        -(exponent as i64)
    } else {
        exponent as i64
    })
}

/// The `f64` nearest to the quotient of two positive whole numbers, the even one of two.
fn quotient(dividend: u64, divisor: u64) -> f64 {
    // With their top bits set, the quotient with 63 more binary places has 63 or 64 bits: ten or
    // eleven more than fit, so that what they and the remainder say about rounding is exact.
    let (up, down) = (dividend.leading_zeros(), divisor.leading_zeros());
    let numerator = u128::from(dividend << up) << 63;
    let denominator = u128::from(divisor << down);
    let quotient = (numerator / denominator) as u64;
    let is_exact = u128::from(quotient) * denominator == numerator;
    let n_surplus = 11 - quotient.leading_zeros();
    let (kept, half) = (quotient >> n_surplus, 1 << (n_surplus - 1));
    let surplus = quotient & (2 * half - 1);
    let rounds_up = surplus > half || (surplus == half && (!is_exact || kept % 2 == 1));
    let rounded = (kept + u64::from(rounds_up)) as f64;
    // Far from the smallest and largest numbers, powers of two only move the exponent.
    let exponent = i64::from(n_surplus) - 63 + i64::from(down) - i64::from(up);
    rounded * f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::Number;

    /// Whatever is read must be what the standard library reads, to the bit.
    fn check(number: &str) -> bool {
        let text = format!("{number},,,,,,,,");
        let Some((value, length)) = short_number(text.as_bytes()) else {
            return false;
        };
        let Number::Finite(expected) = Number::parse(&text[..length]) else {
            panic!("{:?} is not a number", &text[..length]);
        };
        assert_eq!(value.to_bits(), expected.to_bits(), "{number}");
        length == number.len()
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
    fn eight_bytes_of_anything() {
        for byte in 0..=u8::MAX {
            for n_digits in 0..8 {
                let mut bytes = *b"98765432";
                bytes[n_digits] = byte;
                let expected = bytes.iter().take_while(|byte| byte.is_ascii_digit());
                let expected = String::from_utf8(expected.copied().collect()).unwrap();
                let (value, found) = leading_digits(u64::from_le_bytes(bytes));
                assert_eq!(found, expected.len());
                assert_eq!(value, expected.parse().unwrap_or(0));
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

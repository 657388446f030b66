//! Columns of numbers, as texts: the ranges on which rounding has gone wrong before, and some more.

use fastrand::Rng;

use crate::dice::{chance, pick};

/// What the numbers of a column are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// Few small whole numbers: ties.
    Few,
    /// Small whole numbers, mostly different.
    Whole,
    /// Decimals of any size.
    Decimal,
    /// Decimals that differ in their last digits: coordinates, times, large numbers with a tenth.
    Narrow,
    /// Neighbouring doubles.
    Ulps,
    /// Numbers below the least normal double.
    Subnormal,
    /// Up to the largest double, of both signs.
    Huge,
    /// Every order of magnitude.
    Magnitudes,
    /// Halves, quarters, eighths and tenths of a range.
    Midpoints,
    /// One number.
    Constant,
    /// The same numbers in different spellings.
    Spellings,
    /// More digits than a double has.
    Digits,
}

impl Range {
    /// All of them; the usual ones more often.
    pub(crate) const ALL: [Self; 15] = [
        Self::Few,
        Self::Few,
        Self::Whole,
        Self::Whole,
        Self::Decimal,
        Self::Narrow,
        Self::Narrow,
        Self::Ulps,
        Self::Subnormal,
        Self::Huge,
        Self::Magnitudes,
        Self::Midpoints,
        Self::Constant,
        Self::Spellings,
        Self::Digits,
    ];
}

/// Texts of numbers in a range.
pub(crate) fn column(range: Range, n_rows: usize, dice: &mut Rng) -> Vec<String> {
    let mut next = source(range, n_rows, dice);
    (0..n_rows).map(|_| next(dice)).collect()
}

type Numbers = Box<dyn FnMut(&mut Rng) -> String>;

fn source(range: Range, n_rows: usize, dice: &mut Rng) -> Numbers {
    match range {
        Range::Few => {
            let most = dice.i64(1..6);
            Box::new(move |dice| dice.i64(0..=most).to_string())
        }
        Range::Whole => {
            let most = (2 * n_rows as i64).max(2);
            Box::new(move |dice| dice.i64(-most..=most).to_string())
        }
        Range::Decimal => {
            let n_digits = dice.usize(1..8);
            Box::new(move |dice| format!("{:.n_digits$}", dice.f64() * 20.0 - 10.0))
        }
        Range::Narrow => narrow(dice),
        Range::Ulps => {
            let base = pick(dice, &[1.0, 0.1, 0.3, -2.0, 123.456, 1e15, 1e300, 9e-5]);
            let most = dice.u64(1..12);
            Box::new(move |dice| plain(f64::from_bits(f64::to_bits(base) + dice.u64(0..=most))))
        }
        Range::Subnormal => {
            let most = pick(dice, &[3, 12, 1000, 1 << 50]);
            Box::new(move |dice| {
                let number = f64::from_bits(dice.u64(0..=most));
                plain(if chance(dice, 20) { -number } else { number })
            })
        }
        Range::Huge => {
            let ends = [f64::MAX, -f64::MAX, 1e308, -1e308, 0.0];
            Box::new(move |dice| {
                plain(if chance(dice, 40) {
                    pick(dice, &ends)
                } else {
                    (dice.f64() * 2.0 - 1.0) * f64::MAX
                })
            })
        }
        Range::Magnitudes => Box::new(|dice| {
            let sign = pick(dice, &["", "", "-"]);
            format!("{sign}{}e{}", dice.u32(1..100), dice.i32(-330..305))
        }),
        Range::Midpoints => {
            let parts = pick(dice, &[2, 4, 8, 16, 10, 100, 3]);
            let scale = pick(dice, &[1.0, 0.1, 10.0, 0.3, 1e6]);
            Box::new(move |dice| plain(f64::from(dice.u32(0..=parts)) / f64::from(parts) * scale))
        }
        Range::Constant => {
            let text = pick(dice, &["0", "-0", "7", "0.1", "1e308", "5e-324"]);
            Box::new(move |_| text.into())
        }
        Range::Spellings => Box::new(|dice| {
            let all = [
                "1", "1.0", "+1", "1e0", "01", "10e-1", "2", "2.000", "0", "-0", "0.0", ".5",
                "0.5", "5e-1", "1.", "0.1", "0.10", "1E-1",
            ];
            pick(dice, &all).into()
        }),
        Range::Digits => Box::new(|dice| {
            let digits: String = (0..dice.usize(18..40)).map(|_| dice.digit(10)).collect();
            format!(
                "{}.{}{digits}",
                dice.u32(0..2),
                pick(dice, &["1", "10", "9"])
            )
        }),
    }
}

/// A few steps of the last digit above a number that is large beside them.
fn narrow(dice: &mut Rng) -> Numbers {
    let (base, n_digits): (i64, usize) = pick(
        dice,
        &[
            (10_000_000, 1),
            (100_000, 1),
            (1_214_730, 4),
            (1_700_000_000_000, 3),
            (1_700_000_000, 0),
            (100_000_001, 3),
            (3, 1),
            (99_999_999_999_999, 2),
            (-1_214_730, 4),
        ],
    );
    let most = pick(dice, &[2, 4, 9, 40]);
    Box::new(move |dice| {
        let number = base + dice.i64(0..=most);
        let (sign, digits) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
        let ten = 10_u64.pow(n_digits as u32);
        let zeros = if n_digits > 0 && chance(dice, 5) {
            "0"
        } else {
            ""
        };
        match n_digits {
            0 => format!("{sign}{digits}"),
            _ => format!("{sign}{}.{:0n_digits$}{zeros}", digits / ten, digits % ten),
        }
    })
}

/// The shortest text that reads back.
pub(crate) fn plain(number: f64) -> String {
    if number == 0.0 || (1e-5..1e16).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::dice;

    #[test]
    fn all_of_them_are_finite_numbers() {
        for (at, range) in Range::ALL.into_iter().enumerate() {
            for seed in 0..50 {
                for text in column(range, 20, &mut dice(at as u64 * 1000 + seed)) {
                    let number: f64 = text.parse().unwrap();
                    assert!(number.is_finite(), "{range:?}: {text}");
                }
            }
        }
    }
}

//! One side of the box that is halved at its midpoint: where its cuts are, and in which cell a number lies.
//!
//! Numbers count as the decimals that are written for them, the shortest that are read back as the same double. Of
//! two doubles the larger one has the larger decimal, so a cut that is the least double whose decimal is not below an
//! exact place parts all doubles as that place parts their decimals. Cells are counted in the same decimals: what
//! the search puts into a cell, the finished tree sends there.
//!
//! Most numbers lie so far from any cut that a double with a known error tells their cell. The others take whole
//! numbers of a power of ten, or ratios where those would be too long.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// One side of the box, which is not empty.
#[derive(Debug, Clone)]
pub(crate) struct BoxSide {
    ends: [f64; 2],
    low: BigRational,
    width: BigRational,
    /// How far below a midpoint a value already counts as above it, as a share of the side.
    snap: BigRational,
    estimate: Estimate,
    whole: Option<Whole>,
}

impl BoxSide {
    /// The side from `low` to `high`, which is larger.
    pub(crate) fn new(low: f64, high: f64, snap: f64) -> Self {
        let snap_decimal = decimal(snap);
        Self {
            ends: [low, high],
            low: decimal(low),
            width: decimal(high) - decimal(low),
            estimate: Estimate::new(low, high, snap),
            whole: Whole::new(low, high).filter(|_| snap_decimal.is_zero()),
            snap: snap_decimal,
        }
    }

    /// Does a midpoint lie below where it is?
    pub(crate) fn is_snapped(&self) -> bool {
        !self.snap.is_zero()
    }

    /// The same side, with every midpoint where it is.
    pub(crate) fn without_snap(&self) -> Self {
        let [low, high] = self.ends;
        Self::new(low, high, 0.0)
    }

    /// The cut at `numerator / 2^level` of the side: the least double that is not below it as a decimal.
    pub(crate) fn cut(&self, numerator: u32, level: u32) -> f64 {
        let share = BigRational::new(numerator.into(), (1_u64 << level).into()) - &self.snap;
        let place = &self.width * share + &self.low;
        least_not_below(&place)
    }

    /// The cell of a number of the side after this many halvings, if that is far from any cut.
    pub(crate) fn clear_cell(&self, number: f64, halvings: u32) -> Option<u32> {
        self.estimate.cell(number, halvings)
    }

    /// The cell of a number of the side after this many halvings, one or more.
    pub(crate) fn exact_cell(&self, number: f64, halvings: u32) -> u32 {
        let whole = self.whole.as_ref();
        let cell = whole.and_then(|whole| whole.cell(number, halvings));
        // What lies on the upper end, or is snapped to it, belongs to the last cell.
        let last = (1_u32 << halvings) - 1;
        cell.unwrap_or_else(|| self.ratio_cell(number, halvings))
            .min(last)
    }

    /// The cell of any number after this many halvings, by exact ratios.
    fn ratio_cell(&self, number: f64, halvings: u32) -> u32 {
        let share = (decimal(number) - &self.low) / &self.width + &self.snap;
        let n_cells = BigRational::from_integer((1_u64 << halvings).into());
        (share * n_cells)
            .floor()
            .to_integer()
            .to_u32()
            .unwrap_or(u32::MAX)
    }
}

/// Cells by doubles, where their error does not matter.
#[derive(Debug, Clone)]
struct Estimate {
    /// A half where the width of the side would overflow, else one.
    scale: f64,
    low: f64,
    width: f64,
    snap: f64,
    /// How far an estimated place may be off, as a share of the side.
    off_by: f64,
}

impl Estimate {
    fn new(low: f64, high: f64, snap: f64) -> Self {
        let scale = if (high - low).is_finite() { 1.0 } else { 0.5 };
        let width = high * scale - low * scale;
        // No two neighbouring doubles of the side are further apart than `ulp`. A number is off from its decimal by at
        // most a half of that, so a difference of two is off by at most one `ulp` and the rounding of the difference,
        // 2^-53 of it. The width is so, too. If it is at least 16 `ulp`, the quotient of both is off by at most
        // 2.4 * (ulp / width + 2^-53), and rounded; so are the snap, its sum, and the sum with the error: less
        // than 6 * 2^-53 in all. Where doubles become sparse below 2^-1022, `ulp` covers that as well.
        let largest = high.abs().max(low.abs());
        let ulp = 2.0 * (largest - largest.next_down()) * scale;
        let share = ulp / width;
        let off_by = if share <= 1.0 / 16.0 {
            4.0 * share + 4.0 * f64::EPSILON
        } else {
            f64::INFINITY
        };
        Self {
            scale,
            low: low * scale,
            width,
            snap,
            off_by,
        }
    }

    fn cell(&self, number: f64, halvings: u32) -> Option<u32> {
        let n_cells = f64::from(1_u32 << halvings);
        let place = ((number * self.scale - self.low) / self.width + self.snap) * n_cells;
        let slack = self.off_by * n_cells;
        let cell = |place: f64| place.clamp(0.0, n_cells - 1.0) as u32;
        let (first, last) = (cell(place - slack), cell(place + slack));
        (first == last).then_some(first)
    }
}

/// Cells by whole multiples of a power of ten, for a side that is not snapped.
#[derive(Debug, Clone)]
struct Whole {
    /// Numbers are multiplied by this power of ten.
    power: i32,
    low: i128,
    width: u128,
}

/// Multiples have no more digits than this: with thirty halvings they still fit.
const MOST_DIGITS: i32 = 28;

impl Whole {
    fn new(low: f64, high: f64) -> Option<Self> {
        let largest = high.abs().max(low.abs());
        let (digits, exponent) = written(largest);
        let n_digits = digits.checked_ilog10().map_or(0, |log| log as i32 + 1);
        let power = MOST_DIGITS - n_digits - exponent;
        let (low, high) = (multiple(low, power)?, multiple(high, power)?);
        Some(Self {
            power,
            low,
            width: (high - low) as u128,
        })
    }

    fn cell(&self, number: f64, halvings: u32) -> Option<u32> {
        let above = (multiple(number, self.power)? - self.low) as u128;
        Some(((above << halvings) / self.width) as u32)
    }
}

/// A number times a power of ten, if that is whole and not too long.
fn multiple(number: f64, power: i32) -> Option<i128> {
    let (digits, exponent) = written(number);
    if digits == 0 {
        return Some(0);
    }
    let power = u32::try_from(power + exponent).ok()?;
    10_i128.checked_pow(power)?.checked_mul(digits.into())
}

/// The digits of the decimal that is written for a number, and the power of ten that they are multiplied by.
fn written(number: f64) -> (i64, i32) {
    // Whole numbers are written as they are.
    if number.abs() < 1e15 && number.fract() == 0.0 {
        return (number as i64, 0);
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{fraction}").parse().unwrap_or(0);
    let exponent = exponent.parse::<i32>().unwrap_or(0);
    (digits, exponent - fraction.len() as i32)
}

/// A number as the decimal that is written for it.
fn decimal(number: f64) -> BigRational {
    let (digits, exponent) = written(number);
    let digits = BigInt::from(digits);
    let power = BigInt::from(10).pow(exponent.unsigned_abs());
    if exponent < 0 {
        BigRational::new(digits, power)
    } else {
        BigRational::from_integer(digits * power)
    }
}

/// The least double that is not below the midpoint of two numbers, all of them as decimals.
pub(super) fn midpoint(low: f64, high: f64) -> f64 {
    let two = BigRational::from_integer(2.into());
    least_not_below(&((decimal(low) + decimal(high)) / two))
}

/// The least double whose decimal is not below a place; the largest double if there is none.
fn least_not_below(place: &BigRational) -> f64 {
    let (first, last) = (rank(f64::MIN), rank(f64::MAX));
    let is_above = |at: i64| at > last || at >= first && decimal(of_rank(at)) >= *place;
    let guess = place.to_f64().unwrap_or(0.0);
    let start = rank(guess.clamp(f64::MIN, f64::MAX));
    // From the guess, in longer and longer steps, until the place lies between `below` and `above`.
    let mut step = 1;
    let (mut below, mut above) = (start - 1, start);
    while !is_above(above) {
        (below, above) = (above, above.saturating_add(step));
        step = step.saturating_mul(2);
    }
    while is_above(below) {
        (below, above) = (below.saturating_sub(step), below);
        step = step.saturating_mul(2);
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if is_above(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    of_rank(above.min(last))
}

/// Doubles numbered by size, with zero for both zeros.
fn rank(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn of_rank(rank: i64) -> f64 {
    let bits = if rank < 0 { i64::MIN - rank } else { rank };
    f64::from_bits(bits as u64)
}

#[cfg(test)]
mod tests {

    use fastrand::Rng;

    use super::*;

    /// Two or more different numbers, of all sizes, far apart or next to each other.
    fn numbers(rng: &mut Rng) -> Vec<f64> {
        let base = match rng.u8(0..5) {
            0 => f64::from_bits(rng.u64(..)),
            1 => f64::from(rng.i32(-50..50)) / 10.0,
            2 => rng.f64() * 1e5,
            3 => [0.0, f64::MAX, f64::MIN, 1e15, -1e16, f64::MIN_POSITIVE][rng.usize(0..6)],
            _ => f64::from(rng.u32(..)),
        };
        let kind = rng.u8(0..5);
        let mut numbers: Vec<f64> = (0..40)
            .map(|_| match kind {
                0 => of_rank(rank(base).saturating_add(rng.i64(-20..20))),
                1 => of_rank(rank(base).saturating_add(rng.i64(-1 << 40..1 << 40))),
                2 => (base * 1000.0).round() / 1000.0 + f64::from(rng.u16(0..65)) / 1000.0,
                3 => base * rng.f64(),
                _ => f64::from(rng.u16(0..257)),
            })
            .filter(|number| number.is_finite())
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers
    }

    #[test]
    fn one_comparison_decides_cells_and_cuts() {
        for seed in 0..500 {
            let mut rng = Rng::with_seed(seed);
            let numbers = numbers(&mut rng);
            let [low, .., high] = numbers[..] else {
                continue;
            };
            let snap = [0.0, 0.0, 0.01, 1e-9][rng.usize(0..4)];
            let side = BoxSide::new(low, high, snap);
            let halvings = [1, 4, 20, 30][rng.usize(0..4)];
            for &number in &numbers {
                let cell = side.exact_cell(number, halvings);
                let last = (1 << halvings) - 1;
                assert_eq!(
                    cell,
                    side.ratio_cell(number, halvings).min(last),
                    "seed {seed}"
                );
                if let Some(clear) = side.clear_cell(number, halvings) {
                    assert_eq!(
                        clear, cell,
                        "seed {seed}: {number:e} of {low:e} to {high:e}"
                    );
                }
                // The cuts on both sides of a cell, at a coarse level as well as at the last one.
                for level in [1, halvings / 2 + 1, halvings] {
                    let part = cell >> (halvings - level);
                    let cut = side.cut(part, level);
                    assert!(
                        part == 0 || number >= cut,
                        "seed {seed}: {number:e} {cut:e}"
                    );
                    let cut = side.cut(part + 1, level);
                    let is_last = part + 1 == 1 << level;
                    assert!(is_last || number < cut, "seed {seed}: {number:e} {cut:e}");
                }
            }
        }
    }

    #[test]
    fn most_numbers_take_no_ratio() {
        // Coordinates and times, to all digits: whole numbers decide where doubles do not.
        let mut rng = Rng::with_seed(1);
        for (low, high) in [
            (121.4731, 121.4735),
            (1.6e9, 1.7e9),
            (-1.0, 1.0),
            (0.0, 1e22),
        ] {
            let side = BoxSide::new(low, high, 0.0);
            let number = || low + (high - low) * rng.f64();
            let numbers: Vec<f64> = std::iter::repeat_with(number).take(1000).collect();
            let is_fast = |&number: &f64| {
                let whole = side.whole.as_ref().and_then(|whole| whole.cell(number, 30));
                whole.or(side.clear_cell(number, 30)).is_some()
            };
            assert!(numbers.iter().all(is_fast), "{low} to {high}");
        }
    }

    #[test]
    fn decimals_are_what_is_written() {
        let texts = [
            "0.1",
            "-2.5e-7",
            "123456789012345e-3",
            "1e300",
            "5e-324",
            "42",
        ];
        for text in texts {
            let exact = crate::cost::Lambda::new(decimal(text.parse::<f64>().unwrap().abs()));
            let written = text.trim_start_matches('-').parse::<crate::cost::Lambda>();
            assert_eq!(exact.unwrap(), written.unwrap(), "{text}");
        }
        assert_eq!(least_not_below(&decimal(0.3)), 0.3);
        assert_eq!(least_not_below(&BigRational::zero()).to_bits(), 0);
        let beyond = decimal(f64::MAX) * BigRational::from_integer(4.into());
        assert_eq!(least_not_below(&beyond), f64::MAX);
        assert_eq!(least_not_below(&-beyond), f64::MIN);
    }
}

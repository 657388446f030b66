//! The best cut of one feature at one node, for rows that count as one each.
//!
//! This is where a fully grown tree spends its time, so each criterion has a loop of its own that
//! touches one array in order. With `n` rows, class totals `N_c`, and `n_l` rows with counts `L_c` below
//! the cut:
//!
//! - two classes, gini: the gain grows with `(n * L_1 - n_l * N_1)^2 / (n_l * n_r)`;
//! - more classes, gini: with `SL = sum L_c^2`, `D = sum L_c N_c`, `SN = sum N_c^2` it grows with
//!   `(SL * n + n_l * (SN - 2 D)) / (n_l * n_r)`, and both sums change by one term a row;
//! - entropy: `sum X[L_c] + sum X[R_c] - X[n_l] - X[n_r]` with `X[n] = n log2 n` in whole numbers.
//!
//! Two things make the loops fast without changing what they find. Gini gains are compared rounded
//! first, and exactly only where a cut comes close to the best so far. And most blocks of rows are
//! passed over whole, because no cut inside them can come close:
//!
//! - two classes: `n * L_1 - n_l * N_1` moves by known amounts, so the block's number of rows of class 1
//!   bounds it from both sides, and `n_l * n_r` is least at an end of the block;
//! - otherwise: with the block's rows in a pure child each, a split is worth at least as much as with any
//!   cut inside the block, because splitting on never lowers the worth.

use std::ops::Range;

use super::lists::{Packing, is_tie};
use super::measure::{Logs, Score, compare_products, rounding};

/// A cut below the entry at `position`.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) position: usize,
    pub(super) score: Score,
}

/// What a scan is to find.
#[derive(Debug)]
pub(super) struct Wish {
    /// Positions that leave enough rows on both sides.
    pub(super) allowed: Range<usize>,
    /// Is a cut without gain worth having?
    pub(super) zero_gain: bool,
    /// A cut whose drop is clearly below this is of no use, because another feature has a better one.
    pub(super) floor: f64,
}

/// A rounded comparison decides only beyond this relative distance.
const CLOSE: f64 = 1.0 - 1e-12;
/// Rows that are looked at together first.
const BLOCK: usize = 32;

/// Gini, two classes. `entries` are the known rows of the node in order.
pub(super) fn gini_of_two(
    entries: &[u32],
    packing: Packing,
    totals: &[u32],
    wish: &Wish,
) -> Option<Cut> {
    let n = entries.len();
    let ones = u64::from(totals[1]);
    // `d = n * L_1 - n_l * N_1` goes down by `N_1` at a row of class 0, up by `N_0` at one of class 1.
    let step = [-(ones as i64), n as i64 - ones as i64];
    let moved = |rows: usize, of_one: u32| i64::from(of_one) * n as i64 - rows as i64 * ones as i64;
    let Range { mut start, end } = wish.allowed.clone();
    let mut d = moved(start, count_ones(&entries[..start.min(n)], packing));
    let mut best: Option<(usize, i64)> = None;
    // The drop is `2 d^2 / (n * n_l * n_r)`.
    let reach = wish.floor * n as f64 / 2.0;
    let (mut best_over, mut best_under) = (reach.max(if wish.zero_gain { -1.0 } else { 0.0 }), 1.0);
    let under = |n_low: usize| n_low as f64 * (n - n_low) as f64;
    while start < end {
        let stop = (start + BLOCK).min(end);
        let block = &entries[start..stop];
        let of_one = count_ones(block, packing);
        let up = d + i64::from(of_one) * step[1];
        let down = d + (block.len() as i64 - i64::from(of_one)) * step[0];
        let most = up.abs().max(down.abs()) as f64;
        let least_under = under(start).min(under(stop - 1));
        if most * most * best_under < best_over * least_under * CLOSE {
            d += moved(block.len(), of_one);
            start = stop;
            continue;
        }
        for (position, &entry) in (start..stop).zip(block) {
            let (over, under) = (d as f64 * d as f64, under(position));
            if over * best_under >= best_over * under * CLOSE && !is_tie(entry) {
                let better = match best {
                    None => wish.zero_gain || d != 0,
                    Some((at, best_d)) => is_higher(n, (position, d), (at, best_d)),
                };
                if better {
                    best = Some((position, d));
                    (best_over, best_under) = (over, under);
                }
            }
            d += step[packing.class(entry)];
        }
        start = stop;
    }
    best.map(|(position, d)| {
        let n_low = position as u64;
        let low_ones = (d + (n_low * ones) as i64) as u64 / n as u64;
        let squares =
            |ones: u64, n: u64| (u128::from(ones).pow(2) + u128::from(n - ones).pow(2), n);
        let (low, high) = (
            squares(low_ones, n_low),
            squares(ones - low_ones, n as u64 - n_low),
        );
        Cut {
            position,
            score: Score::squares(low, high, squares(ones, n as u64)),
        }
    })
}

/// Is `d^2 / (n_l * n_r)` larger for the first of two cuts, given as position and `d`?
fn is_higher(n: usize, (a, a_d): (usize, i64), (b, b_d): (usize, i64)) -> bool {
    // `d` is at most `n^2 / 4`, so below this size everything fits into a machine word.
    const SMALL: usize = 1 << 11;
    let product = |at: usize| (at * (n - at)) as u64;
    let (a_d, b_d) = (a_d.unsigned_abs(), b_d.unsigned_abs());
    if n <= SMALL {
        return a_d * a_d * product(b) > b_d * b_d * product(a);
    }
    let square = |d: u64| u128::from(d) * u128::from(d);
    compare_products(
        square(a_d),
        product(b).into(),
        square(b_d),
        product(a).into(),
    )
    .is_gt()
}

/// Number of entries of class 1, where there are two classes.
fn count_ones(entries: &[u32], packing: Packing) -> u32 {
    entries
        .iter()
        .map(|&entry| packing.class(entry) as u32)
        .sum()
}

/// Gini, any number of classes.
pub(super) fn gini(
    entries: &[u32],
    packing: Packing,
    totals: &[u32],
    wish: &Wish,
    low: &mut Vec<u32>,
) -> Option<Cut> {
    let n = entries.len() as u64;
    let sum_of_squares = |counts: &[u32]| counts.iter().map(|&c| u64::from(c).pow(2)).sum::<u64>();
    let all_squares = sum_of_squares(totals);
    let Range { mut start, end } = wish.allowed.clone();
    low.clear();
    low.resize(totals.len(), 0);
    count(&entries[..start.min(entries.len())], packing, low);
    // SL and D of the module's doc.
    let product = |low: &[u32]| {
        low.iter()
            .zip(totals)
            .map(|(&low, &total)| u64::from(low) * u64::from(total))
            .sum::<u64>()
    };
    let (mut squares, mut products) = (sum_of_squares(low), product(low));
    // Worth of the cut times `n_l * n_r`, rounded and exact.
    let over = |n_low: usize, squares: u64, products: u64| {
        let rest = all_squares as i64 - 2 * products as i64;
        squares as f64 * n as f64 + n_low as f64 * rest as f64
    };
    let exact = |n_low: usize, squares: u64, products: u64| {
        let rest = i128::from(all_squares) - 2 * i128::from(products);
        let over = i128::from(squares) * i128::from(n) + n_low as i128 * rest;
        (over as u128, n_low as u128 * (n as usize - n_low) as u128)
    };
    let mut best: Option<(usize, u64, u64)> = None;
    // Without a cut the rows are worth `all_squares / n`; a cut that gains is worth more.
    let mut best_exact = (u128::from(all_squares), u128::from(n));
    let reach = all_squares as f64 / n as f64 + wish.floor.max(0.0) - Score::tolerance(n as f64);
    let anything_goes = wish.zero_gain && wish.floor <= 0.0;
    let (mut best_over, mut best_under) = (if anything_goes { 0.0 } else { reach }, 1.0);
    let mut skips = Skips::new(totals.len());
    while start < end {
        let stop = (start + skips.block).min(end);
        let block = &entries[start..stop];
        if skips.try_next() {
            let before = squares as f64 / start as f64;
            count(block, packing, low);
            let (all, some) = (sum_of_squares(low), product(low));
            let n_high = n as usize - stop;
            let after = (all_squares + all - 2 * some) as f64 / n_high.max(1) as f64;
            if (before + after + block.len() as f64) * best_under < best_over * CLOSE {
                (squares, products) = (all, some);
                start = stop;
                continue;
            }
            skips.failed();
            for &entry in block {
                low[packing.class(entry)] -= 1;
            }
        }
        for (position, &entry) in (start..stop).zip(block) {
            if !is_tie(entry) {
                let this_over = over(position, squares, products);
                let this_under = position as f64 * (n as usize - position) as f64;
                if this_over * best_under >= best_over * this_under * CLOSE {
                    let this = exact(position, squares, products);
                    let order = compare_products(this.0, best_exact.1, best_exact.0, this.1);
                    if order.is_gt() || best.is_none() && wish.zero_gain {
                        best = Some((position, squares, products));
                        best_exact = this;
                        (best_over, best_under) = (this_over, this_under);
                    }
                }
            }
            let class = packing.class(entry);
            squares += 2 * u64::from(low[class]) + 1;
            products += u64::from(totals[class]);
            low[class] += 1;
        }
        start = stop;
    }
    best.map(|(position, squares, products)| {
        let n_low = position as u64;
        let high_squares = all_squares + squares - 2 * products;
        let score = Score::squares(
            (u128::from(squares), n_low),
            (u128::from(high_squares), n - n_low),
            (u128::from(all_squares), n),
        );
        Cut { position, score }
    })
}

/// Entropy, any number of classes.
pub(super) fn entropy(
    entries: &[u32],
    packing: Packing,
    totals: &[u32],
    logs: &Logs,
    wish: &Wish,
    low: &mut Vec<u32>,
) -> Option<Cut> {
    let n = entries.len();
    let table = &logs.table()[..=n];
    let Range { mut start, end } = wish.allowed.clone();
    low.clear();
    low.resize(totals.len(), 0);
    count(&entries[..start.min(n)], packing, low);
    let sum_low = |low: &[u32]| low.iter().map(|&low| table[low as usize]).sum::<i64>();
    let sum_high = |low: &[u32]| {
        low.iter()
            .zip(totals)
            .map(|(&low, &total)| table[(total - low) as usize])
            .sum::<i64>()
    };
    let before = totals
        .iter()
        .map(|&total| table[total as usize])
        .sum::<i64>()
        - table[n];
    let (mut worth_low, mut worth_high) = (sum_low(low), sum_high(low));
    let close_to_zero = rounding(3 * (totals.len() + 1)) as i64;
    let mut best: Option<(usize, i64)> = None;
    let floor = (wish.floor / logs.unit() * (1.0 - 1e-14)) as i64 - 2;
    let mut best_drop = if wish.zero_gain { i64::MIN } else { 0 };
    if wish.floor > 0.0 {
        best_drop = best_drop.max(floor);
    }
    let mut skips = Skips::new(totals.len());
    while start < end {
        let stop = (start + skips.block).min(end);
        let block = &entries[start..stop];
        if skips.try_next() {
            let all_below = worth_low - table[start];
            count(block, packing, low);
            let (now_low, now_high) = (sum_low(low), sum_high(low));
            let all_above = now_high - table[n - stop];
            if all_below + all_above - before + close_to_zero <= best_drop {
                (worth_low, worth_high) = (now_low, now_high);
                start = stop;
                continue;
            }
            skips.failed();
            for &entry in block {
                low[packing.class(entry)] -= 1;
            }
        }
        for (position, &entry) in (start..stop).zip(block) {
            let mut drop = worth_low + worth_high - table[position] - table[n - position] - before;
            if drop > best_drop && !is_tie(entry) {
                if drop <= close_to_zero {
                    drop = if is_even(low, totals, position, n) {
                        0
                    } else {
                        drop.max(1)
                    };
                }
                if drop > best_drop {
                    best = Some((position, drop));
                    best_drop = drop;
                }
            }
            let class = packing.class(entry);
            let n_low = low[class] as usize;
            let n_high = totals[class] as usize - n_low;
            worth_low += table[n_low + 1] - table[n_low];
            worth_high += table[n_high - 1] - table[n_high];
            low[class] += 1;
        }
        start = stop;
    }
    best.map(|(position, drop)| Cut {
        position,
        score: Score::whole(drop.into(), logs.unit()),
    })
}

/// When to try to pass over a block: always, until it fails; then less and less often.
struct Skips {
    block: usize,
    wait: usize,
    pause: usize,
}

impl Skips {
    /// A bound costs a few steps a class, so blocks grow with the classes.
    fn new(n_classes: usize) -> Self {
        Self {
            block: BLOCK.max(4 * n_classes),
            wait: 0,
            pause: 1,
        }
    }

    fn try_next(&mut self) -> bool {
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        true
    }

    fn failed(&mut self) {
        self.wait = self.pause;
        self.pause = (2 * self.pause).min(16);
    }
}

/// Adds the classes of some entries to the counts.
fn count(entries: &[u32], packing: Packing, counts: &mut [u32]) {
    if let [zeros, ones] = counts {
        let of_one = count_ones(entries, packing);
        *ones += of_one;
        *zeros += entries.len() as u32 - of_one;
        return;
    }
    for &entry in entries {
        counts[packing.class(entry)] += 1;
    }
}

/// Are the class shares below the cut those of the node?
fn is_even(low: &[u32], totals: &[u32], n_low: usize, n: usize) -> bool {
    let product = |a: u32, b: usize| u128::from(a) * b as u128;
    low.iter()
        .zip(totals)
        .all(|(&low, &total)| product(low, n) == product(total, n_low))
}

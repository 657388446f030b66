//! The best cut of one feature at one node, for rows that count as one each.
//!
//! This is where a fully grown tree spends its time, so each criterion has a loop of its own that
//! touches one array in order and does a handful of operations a row. Gini gains are compared rounded
//! first; only a cut that comes close to the best so far is compared exactly.
//!
//! With `n` rows, class totals `N_c`, and `n_l` rows with counts `L_c` below the cut:
//!
//! - two classes, gini: the gain grows with `(n * L_1 - n_l * N_1)^2 / (n_l * n_r)`;
//! - more classes, gini: with `SL = sum L_c^2`, `D = sum L_c N_c`, `SN = sum N_c^2` it grows with
//!   `(SL * n + n_l * (SN - 2 D)) / (n_l * n_r)`, and both sums change by one term a row;
//! - entropy: `sum X[L_c] + sum X[R_c] - X[n_l] - X[n_r]` with `X[n] = n log2 n` in whole numbers.

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
}

/// A rounded comparison decides only beyond this relative distance.
const CLOSE: f64 = 1.0 - 1e-12;

/// Gini, two classes. `entries` are the known rows of the node in order.
pub(super) fn gini_of_two(
    entries: &[u32],
    packing: Packing,
    totals: &[u32],
    wish: &Wish,
) -> Option<Cut> {
    let n = entries.len();
    let ones = u64::from(totals[1]);
    // `d = n * L_1 - n_l * N_1` changes by one of two amounts from row to row.
    let step = [-(ones as i64), n as i64 - ones as i64];
    let mut d: i64 = entries[..wish.allowed.start]
        .iter()
        .map(|&e| step[packing.class(e)])
        .sum();
    let mut best: Option<(usize, i64)> = None;
    let (mut best_over, mut best_under) = (if wish.zero_gain { -1.0 } else { 0.0 }, 1.0);
    for position in wish.allowed.clone() {
        let entry = entries[position];
        let n_low = position as f64;
        let under = n_low * (n as f64 - n_low);
        let over = d as f64 * d as f64;
        if over * best_under >= best_over * under * CLOSE && !is_tie(entry) {
            let better = match best {
                None => wish.zero_gain || d != 0,
                Some((at, best_d)) => {
                    let square = |d: i64| u128::from(d.unsigned_abs()).pow(2);
                    let product = |at: usize| at as u128 * (n - at) as u128;
                    compare_products(square(d), product(at), square(best_d), product(position))
                        .is_gt()
                }
            };
            if better {
                best = Some((position, d));
                (best_over, best_under) = (over, under);
            }
        }
        d += step[packing.class(entry)];
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

/// Gini, any number of classes.
pub(super) fn gini(entries: &[u32], packing: Packing, totals: &[u32], wish: &Wish) -> Option<Cut> {
    let n = entries.len() as u64;
    let all_squares: u64 = totals.iter().map(|&total| u64::from(total).pow(2)).sum();
    let mut low = vec![0_u32; totals.len()];
    // SL and D of the module's doc.
    let (mut squares, mut products) = (0_u64, 0_u64);
    let mut take = |entry: u32, squares: &mut u64, products: &mut u64| {
        let class = packing.class(entry);
        *squares += 2 * u64::from(low[class]) + 1;
        *products += u64::from(totals[class]);
        low[class] += 1;
    };
    for &entry in &entries[..wish.allowed.start] {
        take(entry, &mut squares, &mut products);
    }
    // No cut at all is worth `all_squares / n`; a cut that gains must be above that.
    let exact = |position: usize, squares: u64, products: u64| {
        let (n_low, n) = (position as u128, u128::from(n));
        let rest = i128::from(all_squares) - 2 * i128::from(products);
        let over = (u128::from(squares) * n) as i128 + position as i128 * rest;
        (over as u128, n_low * (n - n_low))
    };
    let mut best: Option<(usize, u64, u64)> = None;
    let mut best_exact = (u128::from(all_squares), u128::from(n));
    let (mut best_over, mut best_under) = (all_squares as f64, n as f64);
    if wish.zero_gain {
        best_over = 0.0;
    }
    for position in wish.allowed.clone() {
        let entry = entries[position];
        let n_low = position as f64;
        let under = n_low * (n as f64 - n_low);
        let over =
            squares as f64 * n as f64 + n_low * (all_squares as i64 - 2 * products as i64) as f64;
        if over * best_under >= best_over * under * CLOSE && !is_tie(entry) {
            let this = exact(position, squares, products);
            let better = compare_products(this.0, best_exact.1, best_exact.0, this.1);
            if better.is_gt() || best.is_none() && wish.zero_gain {
                best = Some((position, squares, products));
                best_exact = this;
                (best_over, best_under) = (over, under);
            }
        }
        take(entry, &mut squares, &mut products);
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
) -> Option<Cut> {
    let table = &logs.table()[..=entries.len()];
    let n = entries.len();
    let mut low = vec![0_u32; totals.len()];
    // The two sums over classes, minus those of the uncut node.
    let mut worth = table[n];
    let take = |entry: u32, low: &mut [u32], worth: &mut i64| {
        let class = packing.class(entry);
        let n_low = low[class] as usize;
        let n_high = totals[class] as usize - n_low;
        *worth += table[n_low + 1] - table[n_low] + table[n_high - 1] - table[n_high];
        low[class] += 1;
    };
    for &entry in &entries[..wish.allowed.start] {
        take(entry, &mut low, &mut worth);
    }
    let close_to_zero = rounding(3 * (totals.len() + 1)) as i64;
    let mut best: Option<(usize, i64)> = None;
    let mut best_drop = if wish.zero_gain { i64::MIN } else { 0 };
    for position in wish.allowed.clone() {
        let entry = entries[position];
        let mut drop = worth - table[position] - table[n - position];
        if drop > best_drop && !is_tie(entry) {
            if drop <= close_to_zero {
                drop = if is_even(&low, totals, position, n) {
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
        take(entry, &mut low, &mut worth);
    }
    best.map(|(position, drop)| Cut {
        position,
        score: Score::whole(drop.into(), logs.unit()),
    })
}

/// Are the class shares below the cut those of the node?
fn is_even(low: &[u32], totals: &[u32], n_low: usize, n: usize) -> bool {
    low.iter().zip(totals).all(|(&low, &total)| {
        u64::from(low) as u128 * n as u128 == u64::from(total) as u128 * n_low as u128
    })
}

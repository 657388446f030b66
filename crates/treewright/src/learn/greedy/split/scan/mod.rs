//! The best cut of one feature at one node, for rows that count as one each.
//!
//! This is where a fully grown tree spends its time, so each criterion has a loop of its own that
//! touches one array in order. With `n` rows, class totals `N_c`, and `n_l` rows with counts `L_c` below
//! the cut:
//!
//! - two classes, gini: the gain grows with `(n * L_1 - n_l * N_1)^2 / (n_l * n_r)`;
//! - more classes, gini: with `SL = sum L_c^2`, `D = sum L_c N_c`, `SN = sum N_c^2` it grows with
//!   `SL / n_l + (SN - 2 D + SL) / n_r`, and `SL` and `D` change by one term a row;
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

mod entropy;
mod gini;
mod gini_of_two;
mod skips;

pub(crate) use self::entropy::entropy;
pub(crate) use self::gini::gini;
pub(crate) use self::gini_of_two::gini_of_two;
use std::ops::Range;

pub(crate) use self::entropy::Entropy;
pub(crate) use self::gini::Gini;
pub(crate) use self::gini_of_two::GiniOfTwo;

use crate::learn::greedy::problem::Packing;
use crate::learn::greedy::split::measure::{Logs, Score};

/// A cut below the entry at `position`.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(super) position: usize,
    pub(super) score: Score,
}

/// What a scan is to find.
#[derive(Debug)]
pub(crate) struct ScanRequest {
    /// Positions that leave enough rows on both sides. Scans of entries need at least one.
    pub(super) allowed: Range<usize>,
    /// Is a cut without gain worth having?
    pub(super) zero_gain: bool,
    /// A cut whose drop is clearly below this is of no use, because another feature has a better one.
    pub(super) floor: f64,
    /// May blocks of rows be passed over?
    pub(super) skipping: bool,
}

/// The classes of a node's rows, with what every scan of the node needs to know of them.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Number of rows of each class.
    pub(crate) counts: Vec<u32>,
    n: usize,
    /// Sum of the squared counts.
    squares: u64,
    /// Sum of `n log2 n` over the counts; 0 where the criterion does not need it.
    logs: i64,
}

impl Totals {
    /// For rows that count as one each; `logs` where the criterion is entropy.
    pub(crate) fn new(counts: Vec<u32>, logs: Option<&Logs>) -> Self {
        let log = |&count: &u32| logs.map_or(0, |logs| logs.table()[count as usize]);
        Self {
            n: counts.iter().map(|&count| count as usize).sum(),
            squares: counts.iter().map(|&count| u64::from(count).pow(2)).sum(),
            logs: counts.iter().map(log).sum(),
            counts,
        }
    }
}

/// A rounded comparison decides only beyond this relative distance.
const CLOSE: f64 = 1.0 - 1e-12;

/// Rows that are looked at together first.
const BLOCK: usize = 32;

/// Number of entries of class 1, where there are two classes.
fn count_ones(entries: &[u32], packing: Packing) -> u32 {
    entries
        .iter()
        .map(|&entry| packing.class(entry) as u32)
        .sum()
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

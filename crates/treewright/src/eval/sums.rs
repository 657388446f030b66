//! Sums over rows that are the same for any number of threads.

use rayon::prelude::*;

use crate::data::Dataset;

/// Rows whose sum is made by one thread.
const BLOCK: usize = 4096;

/// The sum over the rows of weight times `amount`: over blocks of a fixed length, whose sums are added in order.
pub(super) fn weighted_sum(data: &Dataset, amount: impl Fn(usize) -> f64 + Sync) -> f64 {
    let n_rows = data.n_rows();
    let blocks: Vec<f64> = (0..n_rows.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            (block * BLOCK..n_rows.min((block + 1) * BLOCK))
                .map(|row| data.weight(row) * amount(row))
                .sum()
        })
        .collect();
    blocks.iter().sum()
}

/// A quotient, unless it is undefined.
pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

//! `n log2 n` in whole numbers.

use super::Baseline;
use super::{groups, n_log_n};

/// `n log2 n` in whole numbers: rounded once to a fixed number of binary places.
///
/// Sums of whole numbers do not depend on their order, so the drop of a split is a function of its
/// counts alone and splits with the same counts tie.
#[derive(Debug, Clone)]
pub(crate) struct Logs {
    scale: f64,
    table: Vec<i64>,
}

impl Logs {
    /// For totals up to `weight`; numbers up to `tabled` are looked up.
    pub(crate) fn new(weight: f64, tabled: usize) -> Self {
        // Sums of a few hundred terms must stay far from 2^63.
        let largest = n_log_n(weight.max(2.0)).log2().ceil() as i32;
        let scale = f64::from(32.min(58 - largest)).exp2();
        let table = (0..=tabled).map(|n| rounded_log(n as f64, scale)).collect();
        Self { scale, table }
    }

    /// The value of one unit.
    pub(crate) fn unit(&self) -> f64 {
        1.0 / self.scale
    }

    /// The looked-up values, for scans that know their numbers are covered.
    pub(crate) fn table(&self) -> &[i64] {
        &self.table
    }

    fn of(&self, n: f64) -> i64 {
        match self.table.get(n as usize) {
            Some(&value) => value,
            None => rounded_log(n, self.scale),
        }
    }

    fn worth(&self, counts: &[f64], weight: f64) -> i64 {
        counts.iter().map(|&count| self.of(count)).sum::<i64>() - self.of(weight)
    }

    pub(super) fn drop(&self, base: &Baseline, children: &[&[f64]], weights: &[f64]) -> i64 {
        let parts = children.iter().zip(weights);
        let worth: i64 = parts
            .clone()
            .map(|(counts, &weight)| self.worth(counts, weight))
            .sum();
        let drop = worth - self.worth(&base.counts, base.weight);
        let terms = (children.len() + 1) * (base.counts.len() + 1);
        if drop <= rounding(terms)
            && parts
                .clone()
                .all(|(counts, &weight)| same_shares(counts, weight, &base.counts, base.weight))
        {
            return 0;
        }
        drop.max(1)
    }

    pub(super) fn split_information(&self, base: &Baseline, weights: &[f64]) -> i64 {
        let groups: i64 = groups(base, weights).map(|weight| self.of(weight)).sum();
        (self.of(base.node_weight) - groups).max(1)
    }
}

/// How far a sum of this many rounded logarithms may be off, generously.
pub(crate) fn rounding(terms: usize) -> i64 {
    64 * terms as i64
}

/// Do two groups have exactly the same class shares? Whole numbers only.
pub(super) fn same_shares(a: &[f64], a_weight: f64, b: &[f64], b_weight: f64) -> bool {
    let whole = |x: f64| u128::from(x as u64);
    a.iter()
        .zip(b)
        .all(|(&a, &b)| whole(a) * whole(b_weight) == whole(b) * whole(a_weight))
}

pub(super) fn rounded_log(n: f64, scale: f64) -> i64 {
    (n_log_n(n) * scale).round() as i64
}

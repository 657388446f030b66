//! Entropy with any number of classes.

use std::ops::Range;

use super::count;
use super::skips::Skips;
use super::{Cut, ScanRequest, Totals};
use crate::learn::greedy::problem::{Packing, is_tie};
use crate::learn::greedy::split::measure::{Logs, Score, rounding};

/// Entropy, any number of classes.
pub(crate) fn entropy(
    entries: &[u32],
    packing: Packing,
    totals: &Totals,
    logs: &Logs,
    request: &ScanRequest,
    low: &mut Vec<u32>,
) -> Option<Cut> {
    let mut best = Entropy::new(totals, logs, request);
    let table = best.table;
    let Range { mut start, end } = request.allowed.clone();
    let (mut worth_low, mut worth_high) = (0, totals.logs);
    let totals = &totals.counts;
    let take = |entry: u32, low: &mut [u32], worth_low: &mut i64, worth_high: &mut i64| {
        let class = packing.class(entry);
        let n_low = low[class] as usize;
        let n_high = totals[class] as usize - n_low;
        *worth_low += table[n_low + 1] - table[n_low];
        *worth_high += table[n_high - 1] - table[n_high];
        low[class] += 1;
    };
    low.clear();
    low.resize(totals.len(), 0);
    for &entry in &entries[..start] {
        take(entry, low, &mut worth_low, &mut worth_high);
    }
    let mut skips = Skips::new(totals.len(), request);
    while start < end {
        let stop = (start + skips.block).min(end);
        let block = &entries[start..stop];
        if skips.try_next() {
            count(block, packing, low);
            let after = best.sums(low);
            if best.is_hopeless(start, worth_low, stop, after.1) {
                (worth_low, worth_high) = after;
                start = stop;
                continue;
            }
            skips.failed();
            for &entry in block {
                low[packing.class(entry)] -= 1;
            }
        }
        for (position, &entry) in (start..stop).zip(block) {
            let drop = best.drop(position, worth_low + worth_high);
            if best.comes_close(drop) && !is_tie(entry) {
                best.consider(position, drop, low);
            }
            take(entry, low, &mut worth_low, &mut worth_high);
        }
        start = stop;
    }
    best.cut()
}

/// The best cut so far, entropy.
pub(crate) struct Entropy<'a> {
    n: usize,
    totals: &'a [u32],
    table: &'a [i64],
    unit: f64,
    /// Worth of the uncut node.
    before: i64,
    /// Up to here a drop may be nothing but rounding.
    close_to_zero: i64,
    best: Option<usize>,
    best_drop: i64,
}

impl<'a> Entropy<'a> {
    pub(crate) fn new(totals: &'a Totals, logs: &'a Logs, request: &ScanRequest) -> Self {
        let n = totals.n;
        let table = &logs.table()[..=n];
        let least = if request.zero_gain { i64::MIN } else { 0 };
        let floor = (request.floor / logs.unit() * (1.0 - 1e-14)) as i64 - 2;
        Self {
            n,
            totals: &totals.counts,
            table,
            unit: logs.unit(),
            before: totals.logs - table[n],
            close_to_zero: rounding(3 * (totals.counts.len() + 1)),
            best: None,
            best_drop: if request.floor > 0.0 {
                least.max(floor)
            } else {
                least
            },
        }
    }

    /// The sums over classes below and above the cut.
    pub(crate) fn sums(&self, low: &[u32]) -> (i64, i64) {
        let (mut below, mut above) = (0, 0);
        for (&low, &total) in low.iter().zip(self.totals) {
            below += self.table[low as usize];
            above += self.table[(total - low) as usize];
        }
        (below, above)
    }

    /// Can no cut between two positions come close to the best?
    fn is_hopeless(&self, start: usize, below: i64, stop: usize, above: i64) -> bool {
        let worth = below - self.table[start] + above - self.table[self.n - stop];
        worth - self.before + self.close_to_zero <= self.best_drop
    }

    #[inline]
    pub(crate) fn drop(&self, n_low: usize, sums: i64) -> i64 {
        sums - self.table[n_low] - self.table[self.n - n_low] - self.before
    }

    /// A gain may be rounded away; until there is one that is not, every cut is looked at.
    #[inline]
    fn comes_close(&self, drop: i64) -> bool {
        drop > self.best_drop || self.best_drop <= 0
    }

    /// Takes a cut, if it is better.
    pub(crate) fn consider(&mut self, n_low: usize, drop: i64, low: &[u32]) {
        let drop = match drop {
            drop if drop > self.close_to_zero => drop,
            _ if is_even(low, self.totals, n_low, self.n) => 0,
            drop => drop.max(1),
        };
        if drop > self.best_drop {
            self.best = Some(n_low);
            self.best_drop = drop;
        }
    }

    pub(crate) fn cut(&self) -> Option<Cut> {
        let score = Score::whole(self.best_drop, self.unit);
        self.best.map(|position| Cut { position, score })
    }
}

/// Are the class shares below the cut those of the node?
pub(super) fn is_even(low: &[u32], totals: &[u32], n_low: usize, n: usize) -> bool {
    let product = |a: u32, b: usize| u128::from(a) * b as u128;
    low.iter()
        .zip(totals)
        .all(|(&low, &total)| product(low, n) == product(total, n_low))
}

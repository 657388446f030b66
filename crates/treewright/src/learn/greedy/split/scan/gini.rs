//! Gini with any number of classes.

use std::ops::Range;

use super::skips::Skips;
use super::{CLOSE, count};
use super::{Cut, ScanRequest, Totals};
use crate::learn::greedy::problem::{Packing, is_tie};
use crate::learn::greedy::split::measure::{Pair, Score, compare_products};

/// Gini, any number of classes.
pub(crate) fn gini(
    entries: &[u32],
    packing: Packing,
    totals: &Totals,
    request: &ScanRequest,
    low: &mut Vec<u32>,
) -> Option<Cut> {
    let mut best = Gini::new(totals, request);
    let Range { mut start, end } = request.allowed.clone();
    let mut sums = SquareSums {
        low: 0,
        high: totals.squares as i64,
    };
    let totals = &totals.counts;
    let take = |entry: u32, low: &mut [u32], sums: &mut SquareSums| {
        let class = packing.class(entry);
        let n_low = i64::from(low[class]);
        let n_high = i64::from(totals[class]) - n_low;
        sums.low += 2 * n_low + 1;
        sums.high -= 2 * n_high - 1;
        low[class] += 1;
    };
    low.clear();
    low.resize(totals.len(), 0);
    for &entry in &entries[..start] {
        take(entry, low, &mut sums);
    }
    let mut skips = Skips::new(totals.len(), request);
    while start < end {
        let stop = (start + skips.block).min(end);
        let block = &entries[start..stop];
        if skips.try_next() {
            count(block, packing, low);
            let after = best.sums(low);
            if best.is_hopeless(start, sums, stop, after) {
                sums = after;
                start = stop;
                continue;
            }
            skips.failed();
            for &entry in block {
                low[packing.class(entry)] -= 1;
            }
        }
        for (position, &entry) in (start..stop).zip(block) {
            if !is_tie(entry) && best.comes_close(position, sums) {
                best.consider(position, sums);
            }
            take(entry, low, &mut sums);
        }
        start = stop;
    }
    best.cut()
}

/// The best cut so far, gini.
pub(crate) struct Gini<'a> {
    n: usize,
    totals: &'a [u32],
    all_squares: u64,
    zero_gain: bool,
    best: Option<(usize, SquareSums)>,
    /// Worth of the best as a fraction; at first that of the uncut node, which a cut must exceed.
    exact: (u128, u128),
    /// The worth of the best as a rounded fraction, or what must be reached.
    over: f64,
    under: f64,
}

/// Sums of the squared counts below and above a cut. (Signed numbers are faster to convert.)
#[derive(Debug, Clone, Copy)]
pub(crate) struct SquareSums {
    low: i64,
    high: i64,
}

impl<'a> Gini<'a> {
    pub(crate) fn new(totals: &'a Totals, request: &ScanRequest) -> Self {
        let (n, all_squares) = (totals.n, totals.squares);
        let before = all_squares as f64 / n as f64;
        let reach = before + request.floor.max(0.0) - Score::tolerance(n as f64);
        let anything_goes = request.zero_gain && request.floor <= 0.0;
        Self {
            n,
            totals: &totals.counts,
            all_squares,
            zero_gain: request.zero_gain,
            best: None,
            exact: (all_squares.into(), n as u128),
            over: if anything_goes { 0.0 } else { reach },
            under: 1.0,
        }
    }

    pub(crate) fn sums(&self, low: &[u32]) -> SquareSums {
        let mut sums = SquareSums { low: 0, high: 0 };
        for (&low, &total) in low.iter().zip(self.totals) {
            sums.low += i64::from(low) * i64::from(low);
            sums.high += i64::from(total - low) * i64::from(total - low);
        }
        sums
    }

    /// Can no cut between two positions come close to the best?
    fn is_hopeless(
        &self,
        start: usize,
        before: SquareSums,
        stop: usize,
        after: SquareSums,
    ) -> bool {
        let low = before.low as f64 / start as f64;
        let high = after.high as f64 / (self.n - stop).max(1) as f64;
        (low + high + (stop - start) as f64) * self.under < self.over * CLOSE
    }

    /// Worth of the cut times `n_l * n_r`, and that product, rounded.
    #[inline]
    fn fraction(&self, n_low: usize, sums: SquareSums) -> (f64, f64) {
        let (n_low, n_high) = (n_low as i64 as f64, (self.n - n_low) as i64 as f64);
        (
            sums.low as f64 * n_high + sums.high as f64 * n_low,
            n_low * n_high,
        )
    }

    #[inline]
    pub(crate) fn comes_close(&self, n_low: usize, sums: SquareSums) -> bool {
        let (over, under) = self.fraction(n_low, sums);
        over * self.under >= self.over * under * CLOSE
    }

    /// Takes a cut that comes close, if it is better.
    pub(crate) fn consider(&mut self, n_low: usize, sums: SquareSums) {
        let (low, high) = (n_low as u128, (self.n - n_low) as u128);
        let over = sums.low as u128 * high + sums.high as u128 * low;
        let exact = (over, low * high);
        let order = compare_products(exact.0, self.exact.1, self.exact.0, exact.1);
        if order.is_gt() || self.best.is_none() && self.zero_gain {
            self.best = Some((n_low, sums));
            self.exact = exact;
            (self.over, self.under) = self.fraction(n_low, sums);
        }
    }

    pub(crate) fn cut(&self) -> Option<Cut> {
        let (position, sums) = self.best?;
        let score = Score::pair(Pair {
            low: sums.low as u64,
            high: sums.high as u64,
            all: self.all_squares,
            n_low: position as u32,
            n_high: (self.n - position) as u32,
        });
        Some(Cut { position, score })
    }
}

//! Gini with two classes.

use std::ops::Range;

use super::{BLOCK, CLOSE, count_ones};
use super::{Cut, ScanRequest, Totals};
use crate::learn::greedy::problem::{Packing, is_tie};
use crate::learn::greedy::split::measure::{Pair, Score, compare_products};

/// Gini, two classes. `entries` are the known rows of the node in order.
pub(crate) fn gini_of_two(
    entries: &[u32],
    packing: Packing,
    totals: &Totals,
    request: &ScanRequest,
) -> Option<Cut> {
    let mut best = GiniOfTwo::new(totals, request);
    let Range { mut start, end } = request.allowed.clone();
    let mut d = best.moved(start, count_ones(&entries[..start], packing));
    while start < end {
        let stop = (start + BLOCK).min(end);
        let block = &entries[start..stop];
        let of_one = count_ones(block, packing);
        if request.skipping && best.is_hopeless(start, block.len(), of_one, d) {
            d += best.moved(block.len(), of_one);
        } else {
            for (position, &entry) in (start..stop).zip(block) {
                if best.comes_close(position, d) && !is_tie(entry) {
                    best.consider(position, d);
                }
                d += best.step[packing.class(entry)];
            }
        }
        start = stop;
    }
    best.cut()
}

/// The best cut so far, gini of two classes.
pub(crate) struct GiniOfTwo {
    n: usize,
    ones: u64,
    zero_gain: bool,
    /// What a row of class 0 and of class 1 adds to `d = n * L_1 - n_l * N_1`.
    step: [i64; 2],
    best: Option<(usize, i64)>,
    /// Rounded `d^2` and `n_l * n_r` of the best, or of what must be reached.
    over: f64,
    under: f64,
}

impl GiniOfTwo {
    pub(crate) fn new(totals: &Totals, request: &ScanRequest) -> Self {
        let n = totals.n;
        let totals = &totals.counts;
        // The drop is `2 d^2 / (n * n_l * n_r)`. The floor is a small difference of large numbers.
        let reach = (request.floor - Score::tolerance(n as f64)) * n as f64 / 2.0;
        Self {
            n,
            ones: u64::from(totals[1]),
            zero_gain: request.zero_gain,
            step: [-i64::from(totals[1]), i64::from(totals[0])],
            best: None,
            over: reach.max(if request.zero_gain { -1.0 } else { 0.0 }),
            under: 1.0,
        }
    }

    /// What some rows, `of_one` of them of class 1, add to `d`.
    pub(crate) fn moved(&self, rows: usize, of_one: u32) -> i64 {
        i64::from(of_one) * self.n as i64 - rows as i64 * self.ones as i64
    }

    fn under(&self, n_low: usize) -> f64 {
        // Signed numbers are faster to convert.
        n_low as i64 as f64 * (self.n - n_low) as i64 as f64
    }

    /// Can no cut before one of these rows come close to the best? `d` is that before the first.
    fn is_hopeless(&self, start: usize, rows: usize, of_one: u32, d: i64) -> bool {
        let up = d + i64::from(of_one) * self.step[1];
        let down = d + (rows as i64 - i64::from(of_one)) * self.step[0];
        let most = up.abs().max(down.abs()) as f64;
        let least_under = self.under(start).min(self.under(start + rows - 1));
        most * most * self.under < self.over * least_under * CLOSE
    }

    #[inline]
    pub(crate) fn comes_close(&self, n_low: usize, d: i64) -> bool {
        d as f64 * d as f64 * self.under >= self.over * self.under(n_low) * CLOSE
    }

    /// Takes a cut that comes close, if it is better.
    pub(crate) fn consider(&mut self, n_low: usize, d: i64) {
        let better = match self.best {
            None => self.zero_gain || d != 0,
            Some(best) => self.is_higher((n_low, d), best),
        };
        if better {
            self.best = Some((n_low, d));
            (self.over, self.under) = (d as f64 * d as f64, self.under(n_low));
        }
    }

    /// Is `d^2 / (n_l * n_r)` larger for the first of two cuts, given as `n_l` and `d`?
    fn is_higher(&self, (a, a_d): (usize, i64), (b, b_d): (usize, i64)) -> bool {
        // `d` is at most `n^2 / 4`, so below this size everything fits into a machine word.
        const SMALL: usize = 1 << 11;
        let product = |at: usize| (at * (self.n - at)) as u64;
        let (a_d, b_d) = (a_d.unsigned_abs(), b_d.unsigned_abs());
        if self.n <= SMALL {
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

    pub(crate) fn cut(&self) -> Option<Cut> {
        let (position, d) = self.best?;
        let (n, n_low) = (self.n as u64, position as u64);
        let low_ones = (d + (n_low * self.ones) as i64) as u64 / n;
        let squares = |ones: u64, n: u64| ones * ones + (n - ones) * (n - ones);
        let score = Score::pair(Pair {
            low: squares(low_ones, n_low),
            high: squares(self.ones - low_ones, n - n_low),
            all: squares(self.ones, n),
            n_low: n_low as u32,
            n_high: (n - n_low) as u32,
        });
        Some(Cut { position, score })
    }
}

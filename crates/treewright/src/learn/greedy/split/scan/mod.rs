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

use std::ops::Range;

use crate::learn::greedy::problem::lists::{Packing, is_tie};
use crate::learn::greedy::split::measure::{Logs, Pair, Score, compare_products, rounding};

/// A cut below the entry at `position`.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) position: usize,
    pub(crate) score: Score,
}

/// What a scan is to find.
#[derive(Debug)]
pub(crate) struct ScanRequest {
    /// Positions that leave enough rows on both sides. Scans of entries need at least one.
    pub(crate) allowed: Range<usize>,
    /// Is a cut without gain worth having?
    pub(crate) zero_gain: bool,
    /// A cut whose drop is clearly below this is of no use, because another feature has a better one.
    pub(crate) floor: f64,
    /// May blocks of rows be passed over?
    pub(crate) skipping: bool,
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

/// The best cut so far, gini.
pub(crate) struct Gini<'a> {
    n: usize,
    totals: &'a [u32],
    all_squares: u64,
    zero_gain: bool,
    best: Option<(usize, SquareSums)>,
    /// Worth of the best as a fraction; at first that of the uncut node, which a cut must exceed.
    exact: (u128, u128),
    /// The same rounded, or what must be reached.
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

/// Number of entries of class 1, where there are two classes.
fn count_ones(entries: &[u32], packing: Packing) -> u32 {
    entries
        .iter()
        .map(|&entry| packing.class(entry) as u32)
        .sum()
}

/// When to try to pass over a block: always, until it fails; then less and less often.
struct Skips {
    block: usize,
    wait: usize,
    pause: usize,
}

impl Skips {
    /// A bound costs a few steps a class, so blocks grow with the classes. What it allows for a block
    /// grows with the block, so next to it a node must be large for any hope of success.
    fn new(n_classes: usize, request: &ScanRequest) -> Self {
        let block = BLOCK.max(4 * n_classes);
        let pays = request.skipping && request.allowed.len() >= 16 * block;
        Self {
            block,
            wait: if pays { 0 } else { usize::MAX },
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

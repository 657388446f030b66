//! Counts of features with few values at a node, and the best cut of each.
//!
//! A table of counts, value by class, holds every cut of a feature. Filling the tables of all coarse features of a node
//! reads the codes of each row once.

use super::measure::{Logs, Measure};
use super::scan::{Cut, Entropy, Gini, GiniOfTwo, ScanRequest, Totals};
use crate::learn::greedy::problem::{CoarseFeatures, Packing};

/// The best cut of a coarse feature.
#[derive(Debug)]
pub(crate) struct CoarseCut {
    pub(super) cut: Cut,
    /// The last code below the cut and the first above it, of those that occur.
    pub(super) below: u8,
    pub(super) above: u8,
}

/// What looking at one coarse feature yields: `None` if it is constant, else its best cut if any.
pub(crate) type CoarseResult = Option<Option<CoarseCut>>;

/// The classes that occur at a node.
#[derive(Debug)]
pub(crate) struct Present {
    /// Position of each class among those that occur.
    position: Vec<u32>,
    /// Counts of those that occur.
    totals: Totals,
}

impl Present {
    pub(crate) fn of(totals: &[u32], logs: Option<&Logs>) -> Self {
        let mut position = vec![0; totals.len()];
        let mut present = Vec::new();
        for (class, &total) in totals.iter().enumerate() {
            if total > 0 {
                position[class] = present.len() as u32;
                present.push(total);
            }
        }
        Self {
            position,
            totals: Totals::new(present, logs),
        }
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.totals.counts.len()
    }
}

/// Counts of some coarse features at a node: for each class that occurs, for each feature, for each
/// value.
pub(crate) struct CoarseCounts<'a> {
    counts: &'a [u32],
    /// Where the values of each feature begin; the last one is the number of values of all.
    starts: Vec<usize>,
    classes: &'a Present,
}

impl<'a> CoarseCounts<'a> {
    /// Counts the values and classes of some coarse features among the entries of a node.
    pub(crate) fn new(
        coarse: &CoarseFeatures,
        features: &[u32],
        entries: &[u32],
        packing: Packing,
        classes: &'a Present,
        buffer: &'a mut Vec<u32>,
    ) -> Self {
        let n_places = coarse.n_places();
        let places: Vec<usize> = features.iter().map(|&f| coarse.place(f as usize)).collect();
        let mut starts = vec![0];
        for &feature in features {
            starts.push(starts[starts.len() - 1] + coarse.n_values(feature as usize));
        }
        let n_cells = starts[places.len()];
        buffer.clear();
        buffer.resize(n_cells * classes.n_classes(), 0);
        let are_all = places.len() == n_places;
        for &entry in entries {
            let codes = coarse.codes_of(packing.row(entry));
            let class = classes.position[packing.class(entry)] as usize;
            let table = &mut buffer[class * n_cells..][..n_cells];
            if are_all {
                for (&code, &start) in codes.iter().zip(&starts) {
                    table[start + usize::from(code)] += 1;
                }
            } else {
                for (&place, &start) in places.iter().zip(&starts) {
                    table[start + usize::from(codes[place])] += 1;
                }
            }
        }
        Self {
            counts: buffer,
            starts,
            classes,
        }
    }
}

impl CoarseCounts<'_> {
    /// The best cut of the feature at a position among those that were counted.
    pub(crate) fn best_cut(
        &self,
        at: usize,
        measure: &Measure,
        request: &ScanRequest,
        low: &mut Vec<u32>,
    ) -> CoarseResult {
        let totals = &self.classes.totals;
        let is_allowed = |n_low: usize| request.allowed.contains(&n_low);
        low.clear();
        low.resize(totals.counts.len(), 0);
        let cut = match measure {
            Measure::Gini if totals.counts.len() == 2 => {
                let mut best = GiniOfTwo::new(totals, request);
                let (zeros, ones) = self.counts.split_at(self.counts.len() / 2);
                let values = self.starts[at]..self.starts[at + 1];
                let (mut n_low, mut n_values, mut d) = (0, 0, 0);
                for (&zeros, &ones) in zeros[values.clone()].iter().zip(&ones[values]) {
                    let n = (zeros + ones) as usize;
                    if n > 0 {
                        if best.comes_close(n_low, d) && is_allowed(n_low) {
                            best.consider(n_low, d);
                        }
                        d += best.moved(n, ones);
                        n_low += n;
                        n_values += 1;
                    }
                }
                (n_values > 1).then(|| best.cut())
            }
            Measure::Gini => {
                let mut best = Gini::new(totals, request);
                let varies = self.each_value(at, low, |n_low, low| {
                    if is_allowed(n_low) {
                        let sums = best.sums(low);
                        if best.comes_close(n_low, sums) {
                            best.consider(n_low, sums);
                        }
                    }
                });
                varies.then(|| best.cut())
            }
            Measure::Entropy(logs) => {
                let mut best = Entropy::new(totals, logs, request);
                let varies = self.each_value(at, low, |n_low, low| {
                    if is_allowed(n_low) {
                        let (below, above) = best.sums(low);
                        best.consider(n_low, best.drop(n_low, below + above), low);
                    }
                });
                varies.then(|| best.cut())
            }
            Measure::GainRatio(_) | Measure::Error => unreachable!("has no coarse features"),
        };
        cut.map(|cut| cut.map(|cut| self.locate(at, cut)))
    }

    /// Visits the values that occur, but for the first, with the number and the counts of the rows
    /// below. Says whether there are two of them.
    fn each_value(&self, at: usize, low: &mut [u32], mut visit: impl FnMut(usize, &[u32])) -> bool {
        let (mut n_low, mut n_values) = (0, 0);
        for cell in self.starts[at]..self.starts[at + 1] {
            let n = self.rows(cell);
            if n > 0 {
                if n_values > 0 {
                    visit(n_low, low);
                }
                for (low, counts) in low.iter_mut().zip(self.of_classes()) {
                    *low += counts[cell];
                }
                n_low += n;
                n_values += 1;
            }
        }
        n_values > 1
    }

    /// Finds the values on both sides of a cut.
    fn locate(&self, at: usize, cut: Cut) -> CoarseCut {
        let (mut below, mut above) = (0, 0);
        let mut n_low = 0;
        for (code, cell) in (self.starts[at]..self.starts[at + 1]).enumerate() {
            let n = self.rows(cell);
            if n > 0 && n_low < cut.position {
                below = code as u8;
            } else if n > 0 {
                above = code as u8;
                break;
            }
            n_low += n;
        }
        CoarseCut { cut, below, above }
    }

    fn rows(&self, cell: usize) -> usize {
        self.of_classes().map(|counts| counts[cell] as usize).sum()
    }

    fn of_classes(&self) -> impl Iterator<Item = &[u32]> {
        self.counts.chunks_exact(self.starts[self.starts.len() - 1])
    }
}

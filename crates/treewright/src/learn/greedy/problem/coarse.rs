//! Features with few distinct values, counted instead of sorted.
//!
//! A node with many more rows than a feature has values need not look at the rows in order: a table of
//! counts, value by class, holds every cut. So while nodes are large, such *coarse* features have no
//! list that is parted with every split, only a code a row. Filling the tables of all coarse features of
//! a node reads each row's codes once. When a node becomes small, its lists are made from the codes, and
//! below it the features are treated like all others.

use std::ops::Range;
use std::sync::Arc;

use crate::learn::greedy::problem::lists::{Packing, distance, is_tie, whole_range};
use crate::learn::greedy::split::measure::{Logs, Measure};
use crate::learn::greedy::split::scan::{Cut, Entropy, Gini, GiniOfTwo, ScanRequest, Totals};

/// A feature is coarse if it has at most this many values, so that a code is a byte.
const MOST_VALUES: usize = 256;
/// Tables that are filled together should stay in the nearest cache.
const MOST_CELLS: usize = 1 << 13;

/// The codes of the coarse features.
#[derive(Debug, Clone)]
pub(crate) struct CoarseFeatures {
    shared: Arc<Shared>,
    /// Row by row, a code for each place.
    codes: Vec<u8>,
}

/// What is the same in all frames.
#[derive(Debug)]
struct Shared {
    /// Where a feature's code stands among the codes of a row.
    place: Vec<Option<usize>>,
    /// For each place the distinct values, rising.
    values: Vec<Vec<f64>>,
}

/// The best cut of a coarse feature.
#[derive(Debug)]
pub(crate) struct CoarseCut {
    pub(crate) cut: Cut,
    /// The last code below the cut and the first above it, of those that occur.
    pub(crate) below: u8,
    pub(crate) above: u8,
}

/// What looking at one coarse feature yields: `None` if it is constant, else its best cut if any.
pub(crate) type CoarseResult = Option<Option<CoarseCut>>;

/// One feature by codes: the distinct values, rising, and for every row the position of its value.
#[derive(Debug)]
pub(crate) struct Codes {
    values: Vec<f64>,
    codes: Vec<u8>,
}

impl Codes {
    /// Tries to code numbers of which none is missing, without sorting them: whole numbers of a small
    /// range.
    pub(crate) fn of_whole_numbers(numbers: &[f64]) -> Option<Self> {
        const WIDEST: usize = 1 << 12;
        let (low, n_keys) = whole_range(numbers).filter(|&(_, n_keys)| n_keys <= WIDEST)?;
        let key = |number: f64| distance(low, number);
        let mut occurs = vec![false; n_keys];
        for &number in numbers {
            occurs[key(number)] = true;
        }
        let values: Vec<f64> = (0..n_keys)
            .filter(|&key| occurs[key])
            .map(|key| low + key as f64)
            .collect();
        if !Self::pays(values.len(), numbers.len()) {
            return None;
        }
        let mut code_of = vec![0_u8; n_keys];
        for (code, &value) in values.iter().enumerate() {
            code_of[key(value)] = code as u8;
        }
        Some(Self {
            codes: numbers.iter().map(|&number| code_of[key(number)]).collect(),
            values,
        })
    }

    /// Tries to code numbers that have been sorted; none is missing.
    pub(crate) fn of_list(numbers: &[f64], list: &[u32], packing: Packing) -> Option<Self> {
        let is_new = |&at: &usize| at == 0 || !is_tie(list[at]);
        let n_values = (0..list.len()).filter(is_new).take(MOST_VALUES + 1).count();
        if !Self::pays(n_values, list.len()) {
            return None;
        }
        let mut values = Vec::with_capacity(n_values);
        let mut codes = vec![0; list.len()];
        for (at, &entry) in list.iter().enumerate() {
            if is_new(&at) {
                values.push(numbers[packing.row(entry)]);
            }
            codes[packing.row(entry)] = (values.len() - 1) as u8;
        }
        Some(Self { values, codes })
    }

    fn pays(n_values: usize, n_rows: usize) -> bool {
        n_values <= MOST_VALUES && 4 * n_values <= n_rows
    }
}

impl CoarseFeatures {
    /// Puts the codes of some features together, row by row. `None` if there are none.
    pub(crate) fn new(codes: Vec<Option<Codes>>, n_rows: usize) -> Option<Self> {
        let n_places = codes.iter().flatten().count();
        let mut shared = Shared {
            place: vec![None; codes.len()],
            values: Vec::new(),
        };
        let mut by_row = vec![0; n_rows * n_places];
        for (feature, codes) in codes.into_iter().enumerate() {
            let Some(Codes { values, codes }) = codes else {
                continue;
            };
            let place = shared.values.len();
            for (row, &code) in codes.iter().enumerate() {
                by_row[row * n_places + place] = code;
            }
            shared.place[feature] = Some(place);
            shared.values.push(values);
        }
        (n_places > 0).then(|| Self {
            shared: Arc::new(shared),
            codes: by_row,
        })
    }

    /// The codes of some rows, renumbered.
    pub(crate) fn pick(&self, rows: impl Iterator<Item = usize>) -> Self {
        let n_places = self.n_places();
        let mut codes = Vec::with_capacity(rows.size_hint().0 * n_places);
        for row in rows {
            codes.extend_from_slice(&self.codes[row * n_places..][..n_places]);
        }
        Self {
            shared: Arc::clone(&self.shared),
            codes,
        }
    }

    pub(crate) fn is_coarse(&self, feature: usize) -> bool {
        self.shared.place[feature].is_some()
    }

    /// The code of a row.
    pub(crate) fn code(&self, feature: usize, row: usize) -> u8 {
        self.codes[row * self.n_places() + self.place(feature)]
    }

    /// The value that a code stands for.
    pub(crate) fn value(&self, feature: usize, code: u8) -> f64 {
        self.shared.values[self.place(feature)][usize::from(code)]
    }

    /// Is it worth counting so many rows of so many classes, rather than going through lists?
    pub(crate) fn pays(&self, features: &[u32], n_rows: usize, n_classes: usize) -> bool {
        const SMALLEST: usize = 24;
        let sizes = features
            .iter()
            .filter_map(|&feature| self.shared.place[feature as usize]);
        let (n, cells) = sizes.fold((0, 0), |(n, cells), place| {
            (n + 1, cells + self.shared.values[place].len() * n_classes)
        });
        n > 0 && 2 * n * n_rows.saturating_sub(SMALLEST) >= cells
    }

    /// The features in groups whose tables fit into the cache together.
    pub(crate) fn groups(&self, features: &[u32], n_classes: usize) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let (mut start, mut cells) = (0, 0);
        for (at, &feature) in features.iter().enumerate() {
            let size = self.n_values(feature as usize) * n_classes;
            if cells + size > MOST_CELLS && at > start {
                groups.push(start..at);
                (start, cells) = (at, 0);
            }
            cells += size;
        }
        groups.push(start..features.len());
        groups
    }

    /// Counts the values and classes of some coarse features among the entries of a node.
    pub(crate) fn count<'a>(
        &self,
        features: &[u32],
        entries: &[u32],
        packing: Packing,
        classes: &'a Present,
        buffer: &'a mut Vec<u32>,
    ) -> CoarseCounts<'a> {
        let n_places = self.n_places();
        let places: Vec<usize> = features.iter().map(|&f| self.place(f as usize)).collect();
        let mut starts = vec![0];
        for &place in &places {
            starts.push(starts[starts.len() - 1] + self.shared.values[place].len());
        }
        let n_cells = starts[places.len()];
        buffer.clear();
        buffer.resize(n_cells * classes.n_classes(), 0);
        let are_all = places.len() == n_places;
        for &entry in entries {
            let codes = &self.codes[packing.row(entry) * n_places..][..n_places];
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
        CoarseCounts {
            counts: buffer,
            starts,
            classes,
        }
    }

    /// The entries of a node in the order of a coarse feature. `rows` has them by rising row number.
    pub(crate) fn sort(&self, feature: usize, rows: &[u32], packing: Packing, list: &mut [u32]) {
        let place = self.place(feature);
        let n_places = self.n_places();
        let code = |entry: u32| usize::from(self.codes[packing.row(entry) * n_places + place]);
        let mut starts = [0_u32; MOST_VALUES + 1];
        let n_values = self.shared.values[place].len();
        for &entry in rows {
            starts[code(entry) + 1] += 1;
        }
        for at in 1..=n_values {
            starts[at] += starts[at - 1];
        }
        let mut next = starts;
        for &entry in rows {
            let code = code(entry);
            list[next[code] as usize] = entry & !1 | u32::from(next[code] != starts[code]);
            next[code] += 1;
        }
    }

    fn n_places(&self) -> usize {
        self.shared.values.len()
    }

    fn n_values(&self, feature: usize) -> usize {
        self.shared.values[self.place(feature)].len()
    }

    fn place(&self, feature: usize) -> usize {
        self.shared.place[feature].expect("only asked for coarse features")
    }
}

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

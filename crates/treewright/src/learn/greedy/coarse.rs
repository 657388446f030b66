//! Features with few distinct values, counted instead of sorted.
//!
//! A node with many more rows than a feature has values need not look at the rows in order: a table of
//! counts, value by class, holds every cut. So while nodes are large, such *coarse* features have no
//! list that is parted with every split, only a code a row. Filling the tables of all coarse features of
//! a node reads each row's codes once. When a node becomes small, its lists are made from the codes, and
//! below it the features are treated like all others.

use std::ops::Range;
use std::sync::Arc;

use super::lists::{Packing, is_tie};
use super::measure::Measure;
use super::scan::{Cut, Entropy, Gini, GiniOfTwo, Wish};
use crate::data::Column;

/// A feature is coarse if it has at most this many values, so that a code is a byte.
const MOST_VALUES: usize = 256;
/// Tables that are filled together should stay in the nearest cache.
const MOST_CELLS: usize = 1 << 13;

/// The codes of the coarse features.
#[derive(Debug, Clone)]
pub(super) struct Coarse {
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
pub(super) struct CoarseCut {
    pub(super) cut: Cut,
    /// The last code below the cut and the first above it, of those that occur.
    pub(super) below: u8,
    pub(super) above: u8,
}

/// What looking at one coarse feature yields: `None` if it is constant, else its best cut if any.
pub(super) type Look = Option<Option<CoarseCut>>;

impl Coarse {
    /// Finds the coarse ones among features that were sorted; `None` if there are none.
    pub(super) fn new(
        columns: &[Column],
        has_missing: &[bool],
        lists: &[Vec<u32>],
        packing: Packing,
    ) -> Option<Self> {
        let mut shared = Shared {
            place: vec![None; columns.len()],
            values: Vec::new(),
        };
        let mut features = Vec::new();
        for (feature, (column, list)) in columns.iter().zip(lists).enumerate() {
            let Column::Numeric(numbers) = column else {
                continue;
            };
            if has_missing[feature] {
                continue;
            }
            let mut values = Vec::new();
            for (at, &entry) in list.iter().enumerate() {
                if at == 0 || !is_tie(entry) {
                    values.push(numbers[packing.row(entry)]);
                    if values.len() > MOST_VALUES {
                        break;
                    }
                }
            }
            if values.len() <= MOST_VALUES && 4 * values.len() <= list.len() {
                shared.place[feature] = Some(shared.values.len());
                shared.values.push(values);
                features.push(feature);
            }
        }
        let n_places = shared.values.len();
        let n_rows = lists.first().map_or(0, Vec::len);
        let mut codes = vec![0; n_rows * n_places];
        for (place, &feature) in features.iter().enumerate() {
            let mut code = 0;
            for (at, &entry) in lists[feature].iter().enumerate() {
                code += u8::from(at > 0 && !is_tie(entry));
                codes[packing.row(entry) * n_places + place] = code;
            }
        }
        (n_places > 0).then(|| Self {
            shared: Arc::new(shared),
            codes,
        })
    }

    /// The codes of some rows, renumbered.
    pub(super) fn pick(&self, rows: impl Iterator<Item = usize>) -> Self {
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

    pub(super) fn is_coarse(&self, feature: usize) -> bool {
        self.shared.place[feature].is_some()
    }

    /// The code of a row.
    pub(super) fn code(&self, feature: usize, row: usize) -> u8 {
        self.codes[row * self.n_places() + self.place(feature)]
    }

    /// The value that a code stands for.
    pub(super) fn value(&self, feature: usize, code: u8) -> f64 {
        self.shared.values[self.place(feature)][usize::from(code)]
    }

    /// Is it worth counting so many rows of so many classes, rather than going through lists?
    pub(super) fn pays(&self, features: &[u32], n_rows: usize, n_classes: usize) -> bool {
        const SMALLEST: usize = 24;
        let sizes = features
            .iter()
            .filter_map(|&feature| self.shared.place[feature as usize]);
        let (n, cells) = sizes.fold((0, 0), |(n, cells), place| {
            (n + 1, cells + self.shared.values[place].len() * n_classes)
        });
        n > 0 && 4 * n * n_rows.saturating_sub(SMALLEST) >= cells
    }

    /// The features in groups whose tables fit into the cache together.
    pub(super) fn groups(&self, features: &[u32], n_classes: usize) -> Vec<Range<usize>> {
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

    /// The best cuts of a group of coarse features at a node with these entries.
    pub(super) fn look(
        &self,
        features: &[u32],
        entries: &[u32],
        packing: Packing,
        classes: &Present,
        measure: &Measure,
        wish: &mut dyn FnMut(Option<&CoarseCut>) -> Wish,
    ) -> Vec<Look> {
        let n_classes = classes.totals.len();
        let places: Vec<usize> = features.iter().map(|&f| self.place(f as usize)).collect();
        let mut starts = vec![0];
        for &place in &places {
            let size = self.shared.values[place].len() * n_classes;
            starts.push(starts[starts.len() - 1] + size);
        }
        let tables = self.count(&places, &starts, entries, packing, classes);
        let mut current = wish(None);
        let mut found = Vec::with_capacity(features.len());
        for ends in starts.windows(2) {
            let table = &tables[ends[0]..ends[1]];
            let look = best_cut(table, &classes.totals, measure, &current);
            if let Some(Some(cut)) = &look {
                current = wish(Some(cut));
            }
            found.push(look);
        }
        found
    }

    fn count(
        &self,
        places: &[usize],
        starts: &[usize],
        entries: &[u32],
        packing: Packing,
        classes: &Present,
    ) -> Vec<u32> {
        let n_places = self.n_places();
        let n_classes = classes.totals.len();
        let mut tables = vec![0_u32; starts[places.len()]];
        for &entry in entries {
            let codes = &self.codes[packing.row(entry) * n_places..][..n_places];
            let class = classes.position[packing.class(entry)] as usize;
            for (&place, &start) in places.iter().zip(starts) {
                tables[start + usize::from(codes[place]) * n_classes + class] += 1;
            }
        }
        tables
    }

    /// The entries of a node in the order of a coarse feature. `rows` has them by rising row number.
    pub(super) fn sort(&self, feature: usize, rows: &[u32], packing: Packing, list: &mut [u32]) {
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
pub(super) struct Present {
    /// Position of each class among those that occur.
    position: Vec<u32>,
    /// Counts of those that occur.
    totals: Vec<u32>,
}

impl Present {
    pub(super) fn of(totals: &[u32]) -> Self {
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
            totals: present,
        }
    }

    pub(super) fn n_classes(&self) -> usize {
        self.totals.len()
    }
}

/// The best cut of one table of counts.
fn best_cut(table: &[u32], totals: &[u32], measure: &Measure, wish: &Wish) -> Look {
    let is_allowed = |n_low: usize| wish.allowed.contains(&n_low);
    let cut = match measure {
        Measure::Gini if totals.len() == 2 => {
            let mut best = GiniOfTwo::new(totals, wish);
            let mut d = 0;
            let varies = each_value(table, 2, |n_low, n, counts| {
                if is_allowed(n_low) && best.comes_close(n_low, d) {
                    best.offer(n_low, d);
                }
                d += best.moved(n, counts[1]);
            });
            varies.then(|| best.cut())
        }
        Measure::Gini => {
            let mut best = Gini::new(totals, wish);
            let mut low = vec![0; totals.len()];
            let varies = each_value(table, totals.len(), |n_low, _, counts| {
                if is_allowed(n_low) {
                    let sums = best.sums(&low);
                    if best.comes_close(n_low, sums) {
                        best.offer(n_low, sums);
                    }
                }
                add(&mut low, counts);
            });
            varies.then(|| best.cut())
        }
        Measure::Entropy(logs) => {
            let mut best = Entropy::new(totals, logs, wish);
            let mut low = vec![0; totals.len()];
            let varies = each_value(table, totals.len(), |n_low, _, counts| {
                if is_allowed(n_low) {
                    let (below, above) = best.sums(&low);
                    best.offer(n_low, best.drop(n_low, below + above), &low);
                }
                add(&mut low, counts);
            });
            varies.then(|| best.cut())
        }
        Measure::GainRatio(_) | Measure::Error => unreachable!("has no coarse features"),
    };
    cut.map(|cut| cut.map(|cut| locate(table, totals.len(), cut)))
}

/// Visits the values that occur, with the number of rows below, the rows of the value and its counts.
/// Says whether there are two of them.
fn each_value(
    table: &[u32],
    n_classes: usize,
    mut visit: impl FnMut(usize, usize, &[u32]),
) -> bool {
    let mut n_low = 0;
    let mut n_values = 0;
    for counts in table.chunks_exact(n_classes) {
        let n = counts.iter().sum::<u32>() as usize;
        if n > 0 {
            visit(n_low, n, counts);
            n_low += n;
            n_values += 1;
        }
    }
    n_values > 1
}

/// Finds the values on both sides of a cut.
fn locate(table: &[u32], n_classes: usize, cut: Cut) -> CoarseCut {
    let (mut below, mut above) = (0, 0);
    let mut n_low = 0;
    for (code, counts) in table.chunks_exact(n_classes).enumerate() {
        let n = counts.iter().sum::<u32>() as usize;
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

fn add(sum: &mut [u32], counts: &[u32]) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += count;
    }
}

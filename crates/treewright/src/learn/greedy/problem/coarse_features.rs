//! Features with few distinct values, counted instead of sorted.
//!
//! A node with many more rows than a feature has values need not look at the rows in order: a table of
//! counts, value by class, holds every cut. So while nodes are large, such *coarse* features have no
//! list that is parted with every split, only a code a row. Filling the tables of all coarse features of
//! a node reads each row's codes once. When a node becomes small, its lists are made from the codes, and
//! below it the features are treated like all others.

use std::ops::Range;
use std::sync::Arc;

use super::codes::{Codes, MOST_VALUES};
use super::packing::Packing;

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

    /// The codes of a row, one for each coarse feature.
    #[inline]
    pub(crate) fn codes_of(&self, row: usize) -> &[u8] {
        let n_places = self.n_places();
        &self.codes[row * n_places..][..n_places]
    }

    /// The code of a row.
    pub(crate) fn code(&self, feature: usize, row: usize) -> u8 {
        self.codes[row * self.n_places() + self.place(feature)]
    }

    /// The value that a code stands for.
    pub(crate) fn value(&self, feature: usize, code: u8) -> f64 {
        self.shared.values[self.place(feature)][usize::from(code)]
    }

    /// Is it worth counting this many rows of this many classes, rather than going through lists?
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

    pub(crate) fn n_places(&self) -> usize {
        self.shared.values.len()
    }

    /// How many values a feature has.
    pub(crate) fn n_values(&self, feature: usize) -> usize {
        self.shared.values[self.place(feature)].len()
    }

    /// Where the code of a feature stands among the codes of a row.
    pub(crate) fn place(&self, feature: usize) -> usize {
        self.shared.place[feature].expect("only asked for coarse features")
    }
}

//! Sets of rows, each feature with its ranks among them and its order.

use super::cells::{FeatureCells, NewRow};
use super::region::Region;
use super::table::NONE;

/// Some weighted rows of a table.
#[derive(Debug, Clone)]
pub(crate) struct RowSet {
    /// Their numbers in the whole table, rising.
    ids: Vec<u32>,
    labels: Vec<Label>,
    /// For each feature.
    cells: Vec<FeatureCells>,
    /// The weight of each class.
    sums: Vec<u64>,
    /// Does any row have no weight?
    has_idle: bool,
    /// The cuts of numbers that leave just these rows, if there are such.
    region: Option<Region>,
}

/// The class of a row, and what it gains if that is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    pub(in crate::learn::optimal) class: u32,
    pub(in crate::learn::optimal) weight: u32,
}

impl Label {
    /// What a row counts: its weight, or 1 if it has none and is only counted.
    #[inline]
    pub(crate) fn amount(self) -> u32 {
        self.weight.max(1)
    }
}

impl RowSet {
    #[inline]
    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    #[inline]
    pub(crate) fn labels(&self) -> &[Label] {
        &self.labels
    }

    #[inline]
    pub(crate) fn cells(&self) -> &[FeatureCells] {
        &self.cells
    }

    #[inline]
    pub(crate) fn sums(&self) -> &[u64] {
        &self.sums
    }

    #[inline]
    pub(crate) fn has_idle(&self) -> bool {
        self.has_idle
    }

    #[inline]
    pub(crate) fn region(&self) -> Option<&Region> {
        self.region.as_ref()
    }

    /// All rows of a table.
    pub(crate) fn new(labels: Vec<Label>, cells: Vec<FeatureCells>, n_classes: usize) -> Self {
        let mut rows = Self {
            ids: (0..labels.len() as u32).collect(),
            labels,
            cells,
            sums: vec![0; n_classes],
            has_idle: false,
            region: None,
        };
        rows.add_up();
        rows
    }

    /// These rows, with the cuts that leave them.
    pub(crate) fn with_region(self, region: Option<Region>) -> Self {
        Self { region, ..self }
    }

    /// These rows, with the cells of some features.
    pub(super) fn with_cells(self, cells: Vec<FeatureCells>) -> Self {
        Self { cells, ..self }
    }

    /// These rows without some features: as all of their cells are missing, no split on them separates any rows.
    pub(crate) fn hiding(mut self, features: &[usize]) -> Self {
        for &feature in features {
            self.cells[feature] = FeatureCells::hidden(self.ids.len());
        }
        self
    }

    /// No rows at all.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new(), Vec::new(), 0)
    }

    fn add_up(&mut self) {
        for label in &self.labels {
            self.sums[label.class as usize] += u64::from(label.weight);
            self.has_idle |= label.weight == 0;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The weight of all rows.
    pub(crate) fn weight(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// The weight outside the best class.
    pub(crate) fn error(&self) -> u64 {
        self.weight() - self.sums.iter().max().copied().unwrap_or(0)
    }

    /// Those of the rows that have a rank in a range: only there, at a cut or category.
    pub(crate) fn within(&self, feature: usize, ranks: std::ops::Range<u32>) -> Self {
        let of = self.cells[feature].ranks();
        self.only(|row| ranks.contains(&of[row]))
    }

    /// The rows below a cut of a feature that all have, and the others.
    pub(crate) fn parted(&self, feature: usize, cut: u32) -> [Self; 2] {
        let n_low = self.cells[feature].starts()[cut as usize] as usize;
        self.in_two(feature, n_low, |rank| rank >= cut)
    }

    /// The rows of a category of a feature that all have, and the others.
    pub(crate) fn apart(&self, feature: usize, category: u32) -> [Self; 2] {
        let n_low = self.cells[feature].rows(category, category + 1).len();
        self.in_two(feature, n_low, |rank| rank != category)
    }

    /// The rows on two sides of a feature that all have, given how many are on the low one.
    #[inline]
    fn in_two(&self, feature: usize, n_low: usize, is_high: impl Fn(u32) -> bool) -> [Self; 2] {
        let of = self.cells[feature].ranks();
        let sizes = [n_low, self.len() - n_low];
        let mut new = vec![NewRow::default(); self.len()];
        let nothing = Label {
            class: 0,
            weight: 0,
        };
        let mut ids = sizes.map(|size| vec![0; size + 1]);
        let mut labels = sizes.map(|size| vec![nothing; size + 1]);
        let mut n_in = [0; 2];
        for (row, new) in new.iter_mut().enumerate() {
            let is_high = is_high(of[row]);
            // Both sides are written to, and one of them counts: to branch would be a coin toss.
            for side in 0..2 {
                ids[side][n_in[side]] = self.ids[row];
                labels[side][n_in[side]] = self.labels[row];
            }
            *new = NewRow::of(n_in[usize::from(is_high)], is_high);
            n_in[0] += usize::from(!is_high);
            n_in[1] += usize::from(is_high);
        }
        let cells = self.cells.iter().map(|cells| cells.parted(&new, sizes));
        let (low, high): (Vec<FeatureCells>, Vec<FeatureCells>) = cells.collect();
        let [low_ids, high_ids] = ids;
        let [low_labels, high_labels] = labels;
        let rows = |mut ids: Vec<u32>, mut labels: Vec<Label>, cells: Vec<FeatureCells>| {
            ids.pop();
            labels.pop();
            let mut rows = Self {
                ids,
                labels,
                cells,
                sums: vec![0; self.sums.len()],
                has_idle: false,
                region: None,
            };
            rows.add_up();
            rows
        };
        [
            rows(low_ids, low_labels, low),
            rows(high_ids, high_labels, high),
        ]
    }

    /// Those of the rows that have no cell.
    pub(crate) fn missing(&self, feature: usize) -> Self {
        let of = self.cells[feature].ranks();
        self.only(|row| of[row] == NONE)
    }

    /// The rows of a rank of a feature, in the time that they take and not all rows.
    pub(crate) fn group(&self, feature: usize, rank: u32) -> Self {
        let group = self.cells[feature].rows(rank, rank + 1);
        if group.len() * 16 > self.len() {
            return self.within(feature, rank..rank + 1);
        }
        let labels = group.iter().map(|&row| self.labels[row as usize]).collect();
        let cells = self.cells.iter().map(|cells| cells.of(group)).collect();
        let ids = group.iter().map(|&row| self.ids[row as usize]).collect();
        Self {
            ids,
            ..Self::new(labels, cells, self.sums.len())
        }
    }

    /// Some of these rows.
    pub(crate) fn only(&self, is_in: impl Fn(usize) -> bool) -> Self {
        self.narrow(is_in, |_| true)
    }

    /// Some of these rows with some of the features; the others have no cells.
    pub(crate) fn narrow(
        &self,
        is_in: impl Fn(usize) -> bool,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let n_new = (0..self.len()).filter(|&row| is_in(row)).count();
        let mut new = vec![0_u32; self.len()];
        let mut ids = vec![0; n_new + 1];
        let mut labels = vec![
            Label {
                class: 0,
                weight: 0
            };
            n_new + 1
        ];
        let mut n_in = 0;
        for (row, new) in new.iter_mut().enumerate() {
            let is_in = is_in(row);
            *new = if is_in { n_in as u32 } else { n_new as u32 };
            ids[n_in] = self.ids[row];
            labels[n_in] = self.labels[row];
            n_in += usize::from(is_in);
        }
        ids.truncate(n_new);
        labels.truncate(n_new);
        let cells = self.cells.iter().enumerate().map(|(feature, cells)| {
            if is_wanted(feature) {
                cells.only(&new, n_new)
            } else {
                FeatureCells::default()
            }
        });
        let mut rows = Self {
            ids,
            labels,
            cells: cells.collect(),
            sums: vec![0; self.sums.len()],
            has_idle: false,
            region: None,
        };
        rows.add_up();
        rows
    }
}

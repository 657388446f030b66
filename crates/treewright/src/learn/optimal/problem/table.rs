//! The working form of a table: weighted classes in place of losses, ranks in place of numbers.
//!
//! Let a row cost `loss[c]` if its leaf is labelled `c`, and `most` the largest of these. The label then *gains*
//! `most - loss[c]`, and a tree costs the constant sum of `most` less all that its labels gain. A row that gains
//! by several labels is as good as several rows with the same cells, one for each: so whatever the costs and
//! weights are, a table becomes rows with **one class and one weight each**, and the best tree has the least
//! weight of rows outside the class of their leaf. With plain errors these rows are the rows of the table.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use super::cells::FeatureCells;
use super::leaf_share::{LeafShare, LeafSums};
use super::leaf_size::LeafSize;
use super::region::Region;
use super::rows::{Label, RowSet};
use super::sorted_columns::{SortedColumns, sorted_cells};
use crate::budget::Budget;
use crate::cost::{ClassShare, RowLosses};
use crate::data::{Column, Dataset};
use crate::tree::{CategoricalSplits, NeverBelow};

/// What all sets of rows of a table have in common.
#[derive(Debug)]
pub(crate) struct RankTable<'a> {
    data: &'a Dataset,
    /// The columns that are features here; all others do not matter.
    columns: Vec<usize>,
    kinds: Vec<FeatureKind>,
    n_classes: usize,
    /// The row of the table behind each weighted row; `None` if they are the same.
    real: Option<Vec<u32>>,
    /// The loss of a tree is the weight of rows outside their class and this.
    constant: i64,
    whole: Arc<RowSet>,
    leaf_size: LeafSize,
    leaf_share: Option<LeafShare>,
    /// Which of the features are never asked below which.
    never_below: NeverBelow,
    splits: CategoricalSplits,
    /// Are two categories cut as two numbers are?
    has_cuts_of_two: bool,
    /// Columns that are in order already; `None` if no other search has use for them.
    shared: Option<&'a SortedColumns<'a>>,
}

/// How a feature can be split on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeatureKind {
    Numeric,
    Categorical,
}

/// A missing cell.
pub(crate) const NONE: u32 = u32::MAX;

impl<'a> RankTable<'a> {
    #[inline]
    pub(crate) fn data(&self) -> &'a Dataset {
        self.data
    }

    #[inline]
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    #[inline]
    pub(crate) fn kinds(&self) -> &[FeatureKind] {
        &self.kinds
    }

    #[inline]
    pub(crate) fn n_classes(&self) -> usize {
        self.n_classes
    }

    #[inline]
    pub(crate) fn constant(&self) -> i64 {
        self.constant
    }

    #[inline]
    pub(crate) fn whole(&self) -> &Arc<RowSet> {
        &self.whole
    }

    #[inline]
    pub(crate) fn leaf_size(&self) -> &LeafSize {
        &self.leaf_size
    }

    #[inline]
    pub(crate) fn leaf_share(&self) -> Option<&LeafShare> {
        self.leaf_share.as_ref()
    }

    #[inline]
    pub(crate) fn never_below(&self) -> &NeverBelow {
        &self.never_below
    }

    /// All columns of the data, in no order yet.
    pub(crate) fn new(data: &'a Dataset, losses: &RowLosses<'_>, leaf_size: LeafSize) -> Self {
        let p = losses.n_classes;
        let (labels, real, constant) = match losses.classes() {
            Some(classes) => labels_of_errors(classes, p),
            None => labels_of_losses(losses.table(), p),
        };
        let real = (labels.len() != data.n_rows()).then_some(real);
        let n_columns = data.columns().len();
        Self {
            data,
            columns: (0..n_columns).collect(),
            kinds: data.columns().iter().map(FeatureKind::of).collect(),
            n_classes: p,
            constant,
            whole: Arc::new(RowSet::new(
                labels,
                vec![FeatureCells::default(); n_columns],
                p,
            )),
            real,
            leaf_size,
            leaf_share: None,
            never_below: NeverBelow::default(),
            splits: CategoricalSplits::Multiway,
            has_cuts_of_two: false,
            shared: None,
        }
    }

    /// This table, with a least share of the predicted class in each leaf.
    pub(crate) fn with_share(self, share: Option<&ClassShare>, is_by_weight: bool) -> Self {
        let real = (0..self.whole.len() as u32).map(|id| self.real_row(id));
        let leaf_share = share.map(|share| LeafShare::new(share, self.data, real, is_by_weight));
        Self { leaf_share, ..self }
    }

    /// May some rows of the data be a leaf?
    pub(crate) fn is_leaf(&self, rows: &[u32]) -> bool {
        let is_large = self.leaf_size.of(rows.iter().copied()) >= self.leaf_size.least();
        let Some(share) = self.leaf_share.as_ref().filter(|_| is_large) else {
            return is_large;
        };
        let mut sums = LeafSums::none(self.n_classes);
        for &row in rows {
            let ids = match &self.real {
                None => row as usize..row as usize + 1,
                Some(real) => {
                    let first = real.partition_point(|&other| other < row);
                    first..first + real[first..].partition_point(|&other| other == row)
                }
            };
            for id in ids {
                share.add(&mut sums, id as u32, self.whole.labels()[id]);
            }
        }
        share.allows(&sums)
    }

    /// This table, with rules about the features on a path.
    pub(crate) fn with_rules(self, never_below: NeverBelow) -> Self {
        Self {
            never_below,
            ..self
        }
    }

    /// This table, with a way to split categories, and whether numbers are cut at the last level at all.
    pub(crate) fn splitting(self, splits: CategoricalSplits, has_cuts: bool) -> Self {
        Self {
            splits,
            has_cuts_of_two: has_cuts && splits != CategoricalSplits::Multiway,
            ..self
        }
    }

    /// How categories are split.
    #[inline]
    pub(crate) fn splits(&self) -> CategoricalSplits {
        self.splits
    }

    /// Has a split on a feature one branch for each of its categories?
    #[inline]
    pub(crate) fn is_multiway(&self, feature: usize) -> bool {
        self.is_category(feature) && self.splits == CategoricalSplits::Multiway
    }

    /// Does a split on a feature set one category apart, or group them?
    #[inline]
    pub(crate) fn is_binary(&self, feature: usize) -> bool {
        self.is_category(feature) && self.splits != CategoricalSplits::Multiway
    }

    fn is_category(&self, feature: usize) -> bool {
        self.kinds[feature] == FeatureKind::Categorical
    }

    /// Is the column of a feature categorical? To the search, two categories are as good as two numbers.
    pub(crate) fn has_categories(&self, feature: usize) -> bool {
        matches!(
            self.data.columns()[self.columns[feature]],
            Column::Categorical(_)
        )
    }

    /// This table, with columns that other searches have sorted.
    pub(crate) fn sharing(self, shared: Option<&'a SortedColumns<'a>>) -> Self {
        Self { shared, ..self }
    }

    /// About how long sorting would have taken that other searches have done.
    pub(crate) fn time_saved(&self) -> Duration {
        self.shared
            .map_or(Duration::ZERO, SortedColumns::time_to_sort)
    }

    /// This table with the order of these columns, which are all that is left. If the budget is spent before they
    /// are sorted, nothing changes, and that is said.
    pub(crate) fn sorted(self, columns: Vec<usize>, budget: &Budget) -> (Self, bool) {
        let cells = |&column: &usize| {
            let cells = match self.shared {
                None => Cow::Owned(sorted_cells(&self.data.columns()[column], budget)?),
                Some(shared) => Cow::Borrowed(shared.get(column, budget)?),
            };
            Some(match &self.real {
                None => cells.into_owned(),
                Some(real) => cells.spread(real),
            })
        };
        let cells: Option<Vec<FeatureCells>> = if rayon::current_num_threads() > 1 {
            columns.par_iter().map(cells).collect()
        } else {
            columns.iter().map(cells).collect()
        };
        let Some(cells) = cells else {
            return (self, false);
        };
        let kind = |(&column, cells): (&usize, &FeatureCells)| match self.kinds[column] {
            // One of two categories against the other is a cut.
            _ if self.has_cuts_of_two && cells.n_ranks() <= 2 => FeatureKind::Numeric,
            kind => kind,
        };
        let kinds = columns.iter().zip(&cells).map(kind).collect();
        let whole = Arc::unwrap_or_clone(self.whole).with_cells(cells);
        let whole = whole.with_region(Some(Region::default()));
        let sorted = Self {
            kinds,
            never_below: self.never_below.among(&columns),
            columns,
            whole: Arc::new(whole),
            ..self
        };
        (sorted, true)
    }

    /// The numbers of all columns if every cell of the data is one, and a row of the data is a row here.
    pub(crate) fn numbers(&self) -> Option<Vec<&'a [f64]>> {
        let numbers = |column: &'a Column| match column {
            Column::Numeric(numbers) => {
                let has_missing = numbers.iter().any(|number| number.is_nan());
                (!has_missing).then_some(&numbers[..])
            }
            Column::Categorical(_) => None,
        };
        let is_plain = self.real.is_none();
        is_plain.then(|| self.data.columns().iter().map(numbers).collect())?
    }

    /// No way from the root to a leaf is longer: every split separates some rows. A path splits on a categorical
    /// feature with a branch for each category once, and on another one once for each of the cuts, or the categories
    /// but one, and for being missing.
    pub(crate) fn longest_way(&self) -> usize {
        let questions = |(kind, cells): (&FeatureKind, &FeatureCells)| match kind {
            FeatureKind::Categorical if self.splits == CategoricalSplits::Multiway => 1,
            _ => cells.n_ranks(),
        };
        let all: usize = self
            .kinds
            .iter()
            .zip(self.whole.cells())
            .map(questions)
            .sum();
        all.min(self.data.n_rows())
    }

    /// How large the rows of the table are that stand behind some weighted rows, which have rising numbers.
    pub(crate) fn size(&self, ids: impl ExactSizeIterator<Item = u32>) -> usize {
        match &self.real {
            None => self.leaf_size.of(ids),
            Some(real) => {
                let mut rows: Vec<u32> = ids.map(|id| real[id as usize]).collect();
                rows.dedup();
                self.leaf_size.of(rows.into_iter())
            }
        }
    }

    /// Is the size of rows their number?
    pub(crate) fn counts_rows(&self) -> bool {
        self.real.is_none() && self.leaf_size.counts_rows()
    }

    /// The row of the table behind a weighted row.
    pub(crate) fn real_row(&self, id: u32) -> u32 {
        self.real.as_ref().map_or(id, |real| real[id as usize])
    }

    /// How many different numbers of all rows are below this one.
    pub(crate) fn rank_of(&self, feature: usize, number: f64) -> u32 {
        let (mut from, mut to) = (0, self.whole.cells()[feature].n_ranks() as u32);
        while from < to {
            let middle = from.midpoint(to);
            if self.number(feature, &self.whole, middle) < number {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// The number that is a rank among some rows.
    pub(crate) fn number(&self, feature: usize, rows: &RowSet, rank: u32) -> f64 {
        let cells = &rows.cells()[feature];
        let id = rows.ids()[cells.order()[cells.starts()[rank as usize] as usize] as usize];
        let row = self.real_row(id);
        match &self.data.columns()[self.columns[feature]] {
            // Minus zero is zero.
            Column::Numeric(numbers) => numbers[row as usize] + 0.0,
            Column::Categorical(codes) => f64::from(codes[row as usize]),
        }
    }
}

/// The weighted rows, the row of the table behind each, and what is lost anyway.
type Labelled = (Vec<Label>, Vec<u32>, i64);

/// One row for each row of the table: its class costs nothing, every other one 1.
fn labels_of_errors(classes: &[u32], n_classes: usize) -> Labelled {
    // With one class nothing can go wrong.
    let weight = u32::from(n_classes > 1);
    let label = |&class: &u32| Label { class, weight };
    let labels = classes.iter().map(label).collect();
    (labels, (0..classes.len() as u32).collect(), 0)
}

/// One row for each label that is better than the worst.
fn labels_of_losses(losses: &[u32], n_classes: usize) -> Labelled {
    let mut labels = Vec::with_capacity(losses.len() / n_classes);
    let (mut real, mut constant) = (Vec::new(), 0_i64);
    for (row, losses) in losses.chunks_exact(n_classes).enumerate() {
        let most = losses.iter().copied().max().unwrap_or(0);
        constant += i64::from(most);
        let before = labels.len();
        for (class, &loss) in losses.iter().enumerate().filter(|&(_, &loss)| loss < most) {
            labels.push(Label {
                class: class as u32,
                weight: most - loss,
            });
            constant -= i64::from(most - loss);
        }
        if labels.len() == before {
            // No label is better than another, but the row is still there.
            labels.push(Label {
                class: 0,
                weight: 0,
            });
        }
        real.extend((before..labels.len()).map(|_| row as u32));
    }
    (labels, real, constant)
}

impl FeatureKind {
    fn of(column: &Column) -> Self {
        match column {
            Column::Numeric(_) => Self::Numeric,
            Column::Categorical(_) => Self::Categorical,
        }
    }
}

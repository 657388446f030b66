//! The working form of the greedy learner: rows with their weights, and a sorted list a feature.
//!
//! The root frame holds all rows of the dataset. A node is a range of its frame, and splitting parts the
//! range in place. That is not possible where rows with a missing value go to several children: then
//! each child gets a frame of its own, with its own row numbers and weights. Large subtrees that
//! are handed to another thread get one too.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::coarse_features::CoarseFeatures;
use super::codes::Codes;
use super::labels::{Labels, WholeTargets};
use super::packing::{Packing, is_tie};
use super::sorting::sorted_list_by_comparison;
use super::sorting::sorted_list_in_time;
use crate::budget::Budget;
use crate::data::{Column, Value};
use crate::error::{Error, Result};
use crate::learn::greedy::switches::GreedySwitches;

/// Rows with labels and weights, and their order by every feature.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    columns: &'a [Column],
    has_missing: Arc<[bool]>,
    n_rows: usize,
    /// Row of the dataset for each row here; `None` if they are the same.
    origin: Option<Vec<u32>>,
    labels: Labels<'a>,
    /// `None` if every row weighs 1.
    weights: Option<Cow<'a, [f64]>>,
    /// The part of each row that is here; `None` if all of it is.
    shares: Option<Vec<f64>>,
    /// Are the weights, and so all sums of them, whole numbers?
    pub(crate) whole: bool,
    packing: Packing,
    /// Do the entries hold the classes?
    packed: bool,
    /// A list for each feature; with coarse features one more, of the rows by their numbers.
    lists: Vec<Vec<u32>>,
    coarse: Option<CoarseFeatures>,
}

impl<'a> Frame<'a> {
    /// All rows of a table; `None` if the budget is spent before they are sorted. With `counting` the criterion can
    /// do without the lists of coarse features.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of a table, and how it is used"
    )]
    pub(crate) fn new(
        columns: &'a [Column],
        has_missing: Arc<[bool]>,
        n_rows: usize,
        labels: Labels<'a>,
        weights: Option<&'a [f64]>,
        whole: bool,
        switches: GreedySwitches,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let (packing, packed) = packing(n_rows, &labels).ok_or_else(|| {
            Error::schema(format!(
                "{n_rows} rows are more than the greedy learner can take"
            ))
        })?;
        let classes = packed.then_some(&*labels.classes);
        let can_count = switches.counting && packed && weights.is_none();
        // The lists, and what sorting two of them takes beside.
        if !budget.has_room_for(n_rows.saturating_mul(4 * (columns.len() + 8))) {
            return Ok(None);
        }
        let prepare = |(column, &has_missing): (&'a Column, &bool)| {
            let is_counted = can_count && !has_missing;
            sorted_or_coded(column, classes, packing, is_counted, switches, budget)
        };
        let prepared = columns.par_iter().zip(&*has_missing).map(prepare);
        let Some(prepared): Option<Vec<_>> = prepared.collect() else {
            return Ok(None);
        };
        let (mut lists, codes): (Vec<Vec<u32>>, Vec<Option<Codes>>) = prepared.into_iter().unzip();
        let coarse = CoarseFeatures::new(codes, n_rows);
        if coarse.is_some() {
            let pack = |row: usize| packing.pack(row, labels.classes[row], false);
            lists.push((0..n_rows).map(pack).collect());
        }
        let weights = weights.map(Cow::Borrowed);
        let (origin, shares) = (None, None);
        Ok(Some(Self {
            columns,
            has_missing,
            n_rows,
            origin,
            labels,
            weights,
            shares,
            whole,
            packing,
            packed,
            lists,
            coarse,
        }))
    }

    /// The coarse features, if there are any.
    pub(crate) fn coarse(&self) -> Option<&CoarseFeatures> {
        self.coarse.as_ref()
    }

    /// Has the feature no list in nodes that are still coarse?
    pub(crate) fn is_coarse(&self, feature: usize) -> bool {
        self.coarse
            .as_ref()
            .is_some_and(|coarse| coarse.is_coarse(feature))
    }

    /// Which list has the rows of a coarse node by their numbers.
    pub(crate) fn row_list(&self) -> usize {
        self.columns.len()
    }

    /// All rows of the frame, by rising number: sums over them do not depend on which features there are.
    pub(crate) fn by_row(&self) -> Vec<u32> {
        let classes = &self.labels.classes;
        let class = |row: usize| if self.packed { classes[row] } else { 0 };
        let pack = |row: usize| self.packing.pack(row, class(row), false);
        (0..self.n_rows).map(pack).collect()
    }

    /// Makes the lists of the coarse ones among these features, for one node.
    pub(crate) fn refine(&mut self, range: &Range<usize>, features: &[u32]) {
        let Some(coarse) = &self.coarse else { return };
        let (lists, rows) = self.lists.split_at_mut(self.columns.len());
        let rows = &rows[0][range.clone()];
        for &feature in features {
            if coarse.is_coarse(feature as usize) {
                let list = &mut lists[feature as usize][range.clone()];
                coarse.sort(feature as usize, rows, self.packing, list);
            }
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn n_features(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn packing(&self) -> Packing {
        self.packing
    }

    /// Does every row count as one, with its class in the entry, so that the fast scans apply?
    pub(crate) fn is_plain(&self) -> bool {
        self.packed && self.weights.is_none() && self.shares.is_none()
    }

    /// The entries of a node in the order of a feature.
    pub(crate) fn list(&self, feature: usize, range: &Range<usize>) -> &[u32] {
        &self.lists[feature][range.clone()]
    }

    pub(crate) fn lists_mut(&mut self) -> &mut [Vec<u32>] {
        &mut self.lists
    }

    /// The entries of a node whose value is known, and those whose value is missing.
    pub(crate) fn known_and_missing(
        &self,
        feature: usize,
        range: &Range<usize>,
    ) -> (&[u32], &[u32]) {
        self.part_missing(feature, self.list(feature, range))
    }

    /// Has the feature missing values anywhere in the table?
    pub(crate) fn has_missing(&self, feature: usize) -> bool {
        self.has_missing[feature]
    }

    /// A list of a feature in two: the entries whose value is known, and those whose value is missing.
    pub(crate) fn part_missing<'l>(
        &self,
        feature: usize,
        list: &'l [u32],
    ) -> (&'l [u32], &'l [u32]) {
        if !self.has_missing[feature] {
            return (list, &[]);
        }
        let n_known = list.partition_point(|&entry| self.value(feature, entry) != Value::Missing);
        list.split_at(n_known)
    }

    pub(crate) fn value(&self, feature: usize, entry: u32) -> Value {
        self.columns[feature].value(self.origin_of(self.packing.row(entry)))
    }

    /// The cells of a feature, by row of the dataset.
    pub(crate) fn column(&self, feature: usize) -> &'a Column {
        &self.columns[feature]
    }

    /// Is the feature categorical?
    pub(crate) fn is_categorical(&self, feature: usize) -> bool {
        matches!(self.columns[feature], Column::Categorical(_))
    }

    pub(crate) fn class(&self, entry: u32) -> usize {
        if self.packed {
            self.packing.class(entry)
        } else {
            self.labels.classes[self.packing.row(entry)] as usize
        }
    }

    pub(crate) fn number(&self, entry: u32) -> f64 {
        self.labels.numbers[self.packing.row(entry)]
    }

    /// The numbers that criteria add up, by row: whole ones, if their sums are exact, else as they are.
    pub(crate) fn judged(&self) -> &[f64] {
        let whole = self.labels.whole.as_ref().filter(|_| self.whole);
        let scaled = whole.and_then(|whole| whole.scaled.as_deref());
        scaled.unwrap_or(&self.labels.numbers)
    }

    /// What one of these is, if they are whole and their sums are exact.
    pub(crate) fn unit(&self) -> Option<f64> {
        let whole = self.labels.whole.as_ref().filter(|_| self.whole);
        whole.map(|whole| whole.unit)
    }

    pub(crate) fn weight(&self, entry: u32) -> f64 {
        self.weights
            .as_ref()
            .map_or(1.0, |weights| weights[self.packing.row(entry)])
    }

    pub(crate) fn share(&self, entry: u32) -> f64 {
        self.shares
            .as_ref()
            .map_or(1.0, |shares| shares[self.packing.row(entry)])
    }

    pub(crate) fn has_weights(&self) -> bool {
        self.weights.is_some()
    }

    pub(crate) fn n_classes(&self) -> usize {
        self.labels.n_classes
    }

    /// Number of rows that these entries stand for.
    pub(crate) fn count_rows(&self, entries: &[u32]) -> f64 {
        match &self.shares {
            None => entries.len() as f64,
            Some(shares) => entries
                .iter()
                .map(|&entry| shares[self.packing.row(entry)])
                .sum(),
        }
    }

    /// Weight of the rows that these entries stand for.
    pub(crate) fn total_weight(&self, entries: &[u32]) -> f64 {
        match &self.weights {
            None => entries.len() as f64,
            Some(weights) => entries
                .iter()
                .map(|&entry| weights[self.packing.row(entry)])
                .sum(),
        }
    }

    /// A frame of its own for some rows of a node. `parts` has the rows in rising order, each with
    /// the factor for its weight and share; only lists of `features` are made. A coarse node passes
    /// its coarseness on. `numbering` is memory that is reused between calls.
    pub(crate) fn subframe(
        &self,
        range: &Range<usize>,
        parts: &[(u32, f64)],
        features: &[u32],
        is_coarse: bool,
        numbering: &mut Vec<u32>,
    ) -> Frame<'a> {
        const ABSENT: u32 = u32::MAX;
        numbering.resize(numbering.len().max(self.n_rows), ABSENT);
        let any_list = if is_coarse {
            self.row_list()
        } else {
            let Some(&feature) = features.first() else {
                return self.bare(parts);
            };
            feature as usize
        };
        for &entry in self.list(any_list, range) {
            numbering[self.packing.row(entry)] = ABSENT;
        }
        for (new, &(row, _)) in parts.iter().enumerate() {
            numbering[row as usize] = new as u32;
        }
        let mut frame = self.bare(parts);
        let (packing, packed) = (frame.packing, frame.packed);
        let mut lists = vec![Vec::new(); self.columns.len()];
        for &feature in features {
            if is_coarse && self.is_coarse(feature as usize) {
                lists[feature as usize].resize(parts.len(), 0);
                continue;
            }
            let list = &mut lists[feature as usize];
            list.reserve_exact(parts.len());
            let (mut group, mut last_group) = (0_u32, u32::MAX);
            for &entry in self.list(feature as usize, range) {
                group += u32::from(!is_tie(entry));
                let row = numbering[self.packing.row(entry)];
                if row != ABSENT {
                    let class = if packed { self.class(entry) as u32 } else { 0 };
                    list.push(packing.pack(row as usize, class, group == last_group));
                    last_group = group;
                }
            }
        }
        frame.coarse = self.coarse.as_ref().filter(|_| is_coarse).map(|coarse| {
            let class = |row: u32| self.labels.classes[row as usize];
            let pack =
                |(new, &(row, _)): (usize, &(u32, f64))| packing.pack(new, class(row), false);
            lists.push(parts.iter().enumerate().map(pack).collect());
            coarse.pick(parts.iter().map(|&(row, _)| row as usize))
        });
        frame.lists = lists;
        frame
    }

    /// The rows of such a frame without any lists.
    pub(crate) fn bare(&self, parts: &[(u32, f64)]) -> Frame<'a> {
        let labels = Labels {
            classes: pick(&self.labels.classes, parts),
            n_classes: self.labels.n_classes,
            numbers: pick(&self.labels.numbers, parts),
            whole: self.labels.whole.as_ref().map(|whole| WholeTargets {
                scaled: whole.scaled.as_ref().map(|scaled| pick(scaled, parts)),
                unit: whole.unit,
            }),
        };
        let (packing, packed) = packing(parts.len(), &labels).expect("a part fits where all did");
        let is_part = parts.iter().any(|&(_, factor)| factor != 1.0);
        let scaled = |values: Option<&[f64]>| -> Vec<f64> {
            let value = |row: u32| values.map_or(1.0, |values| values[row as usize]);
            parts
                .iter()
                .map(|&(row, factor)| value(row) * factor)
                .collect()
        };
        let weights = (is_part || self.weights.is_some()).then(|| scaled(self.weights.as_deref()));
        let shares = (is_part || self.shares.is_some()).then(|| scaled(self.shares.as_deref()));
        Frame {
            columns: self.columns,
            has_missing: Arc::clone(&self.has_missing),
            n_rows: parts.len(),
            origin: Some(
                parts
                    .iter()
                    .map(|&(row, _)| self.origin_of(row as usize) as u32)
                    .collect(),
            ),
            labels,
            weights: weights.map(Cow::Owned),
            shares,
            whole: self.whole && !is_part,
            packing,
            packed,
            lists: Vec::new(),
            coarse: None,
        }
    }

    /// The row of the dataset that a row here stands for.
    pub(crate) fn origin_of(&self, row: usize) -> usize {
        self.origin
            .as_ref()
            .map_or(row, |origin| origin[row] as usize)
    }
}

fn packing(n_rows: usize, labels: &Labels<'_>) -> Option<(Packing, bool)> {
    let packed = (!labels.classes.is_empty())
        .then(|| Packing::new(n_rows, labels.n_classes))
        .flatten()
        .map(|packing| (packing, true));
    packed.or_else(|| Packing::new(n_rows, 1).map(|packing| (packing, false)))
}

/// The list of a feature, and its codes if it is to be counted and has few values. A feature that could be coded
/// without sorting has an empty list. `None` if the budget is spent before.
fn sorted_or_coded(
    column: &Column,
    classes: Option<&[u32]>,
    packing: Packing,
    is_counted: bool,
    switches: GreedySwitches,
    budget: &Budget,
) -> Option<(Vec<u32>, Option<Codes>)> {
    let numbers = match column {
        Column::Numeric(numbers) if is_counted => Some(numbers),
        _ => None,
    };
    if let Some(codes) = numbers.and_then(|numbers| Codes::of_whole_numbers(numbers)) {
        return Some((vec![0; column.len()], Some(codes)));
    }
    let list = if switches.fast_sorting {
        sorted_list_in_time(column, classes, packing, budget)?
    } else {
        sorted_list_by_comparison(column, classes, packing)
    };
    let codes = numbers.and_then(|numbers| Codes::of_list(numbers, &list, packing));
    Some((list, codes))
}

fn pick<'a, T: Copy>(values: &[T], parts: &[(u32, f64)]) -> Cow<'a, [T]> {
    if values.is_empty() {
        return Cow::Owned(Vec::new());
    }
    parts.iter().map(|&(row, _)| values[row as usize]).collect()
}

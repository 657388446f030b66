//! From the parameters and a table to what a search works with: sorted rows, labels, and the criterion.

use std::borrow::Cow;
use std::sync::Arc;

use super::deadline::SplitDeadline;
use super::parameters::{Criterion, Greedy};
use super::switches::GreedySwitches;
use crate::budget::Budget;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::learn::greedy::problem::{Frame, Labels, WholeTargets};
use crate::learn::greedy::split::{Judge, Logs, Measure, SplitSearch};

impl Greedy {
    pub(super) fn criterion(&self, data: &Dataset) -> Criterion {
        self.criterion.unwrap_or(match data.target() {
            Target::Numbers(_) => Criterion::Mse,
            Target::Classes(_) | Target::Absent => Criterion::Gini,
        })
    }

    /// All rows of a table, without the features.
    pub(super) fn bare_frame<'a>(&self, data: &'a Dataset) -> Result<Frame<'a>> {
        let labels = self.labels(data, self.criterion(data));
        let (n_rows, weights) = (data.n_rows(), data.weights());
        let whole = data.has_whole_weights();
        let unlimited = Budget::unlimited();
        let frame = Frame::new(
            &[],
            Arc::new([]),
            n_rows,
            labels,
            weights,
            whole,
            GreedySwitches::NONE,
            &unlimited,
        );
        frame?.ok_or_else(|| no_room(data))
    }

    /// All rows of a table in their working form; `None` if time or memory does not suffice.
    pub(super) fn frame<'a>(
        &self,
        data: &'a Dataset,
        has_missing: &Arc<[bool]>,
        switches: GreedySwitches,
        budget: &Budget,
    ) -> Result<Option<Frame<'a>>> {
        let criterion = self.criterion(data);
        Frame::new(
            data.columns(),
            Arc::clone(has_missing),
            data.n_rows(),
            self.labels(data, criterion),
            data.weights(),
            data.has_whole_weights(),
            GreedySwitches {
                counting: criterion.can_count() && switches.counting,
                ..switches
            },
            budget,
        )
    }

    /// What decides about splits.
    pub(super) fn search(
        &self,
        data: &Dataset,
        switches: GreedySwitches,
        deadline: SplitDeadline,
    ) -> SplitSearch {
        SplitSearch {
            judge: judge(self.criterion(data), data),
            missing: self.missing,
            categorical: self.categorical_splits,
            min_leaf: self.min_leaf,
            min_weight: least_weight(self.min_leaf_weight, data),
            min_gain: self.min_gain,
            zero_gain: self.zero_gain,
            switches,
            deadline,
        }
    }

    pub(super) fn labels<'a>(&self, data: &'a Dataset, criterion: Criterion) -> Labels<'a> {
        match data.target() {
            Target::Classes(classes) => Labels {
                classes: Cow::Borrowed(classes),
                n_classes: data.schema().classes().len(),
                numbers: Cow::Borrowed(&[]),
                whole: None,
            },
            Target::Numbers(numbers) => {
                let binned = criterion == Criterion::BinnedGini;
                Labels {
                    classes: if binned {
                        bins(numbers, self.bins).into()
                    } else {
                        Cow::default()
                    },
                    n_classes: if binned { self.bins } else { 0 },
                    numbers: Cow::Borrowed(numbers),
                    whole: if binned {
                        None
                    } else {
                        WholeTargets::of(data, numbers)
                    },
                }
            }
            Target::Absent => unreachable!("checked before"),
        }
    }
}

/// The least weight of a leaf, a little below the share: sums of weights may be off by their rounding.
pub(super) fn least_weight(share: f64, data: &Dataset) -> f64 {
    const SLACK: f64 = 1e-12;
    if share == 0.0 {
        return 0.0;
    }
    (share - SLACK) * data.total_weight()
}

/// How many nodes a tree may have, for their counts of classes to fit into memory: once while it grows, and once
/// when it is put together.
pub(super) fn most_nodes(n_classes: usize, n_nodes: usize, budget: &Budget) -> usize {
    /// What can grow to this needs no limit.
    const LITTLE: usize = 64_000_000;
    let per_node = 2 * size_of::<f64>() * n_classes;
    if per_node.saturating_mul(n_nodes) <= LITTLE {
        return usize::MAX;
    }
    let room = usize::try_from(budget.room()).unwrap_or(usize::MAX);
    room / per_node.max(1)
}

/// There is no memory for the sorted lists of a table.
pub(super) fn no_room(data: &Dataset) -> Error {
    let megabytes = (data.n_rows() * 4 * (data.columns().len() + 8)).div_ceil(1_000_000);
    Error::schema(format!(
        "the sorted columns of the table need {megabytes} MB, which are not there"
    ))
}

pub(super) fn judge(criterion: Criterion, data: &Dataset) -> Judge {
    /// Larger numbers are rare enough to be worked out when they come up.
    const LARGEST_TABLED: f64 = (1 << 20) as f64;
    let logs = || {
        let weight = data.total_weight();
        // Scans of plain rows look every number up; there a table entry a row is affordable.
        let tabled = if data.weights().is_none() {
            weight
        } else {
            weight.min(LARGEST_TABLED)
        };
        Logs::new(
            weight,
            if data.has_whole_weights() {
                tabled as usize
            } else {
                0
            },
        )
    };
    match criterion {
        Criterion::Gini | Criterion::BinnedGini => Judge::Classes(Measure::Gini),
        Criterion::Entropy => Judge::Classes(Measure::Entropy(logs())),
        Criterion::GainRatio => Judge::Classes(Measure::GainRatio(logs())),
        Criterion::Error => Judge::Classes(Measure::Error),
        Criterion::Mse => Judge::Squared,
        Criterion::Mae => Judge::Absolute,
    }
}

/// The ends of all bins, from the least number to the largest.
pub(super) fn bin_edges(numbers: &[f64], n_bins: usize) -> Vec<f64> {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let edge = |at: usize| {
        let share = at as f64 / n_bins as f64;
        low * (1.0 - share) + high * share
    };
    (0..=n_bins).map(edge).collect()
}

/// The bin of each number: equal widths between the least and the largest of them.
pub(super) fn bins(numbers: &[f64], n_bins: usize) -> Vec<u32> {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Halves, so that the width of the widest range does not overflow.
    let width = high / 2.0 - low / 2.0;
    let bin = |number: f64| {
        let place = if width > 0.0 {
            (number / 2.0 - low / 2.0) / width
        } else {
            0.0
        };
        ((place * n_bins as f64) as u32).min(n_bins as u32 - 1)
    };
    numbers.iter().map(|&number| bin(number)).collect()
}

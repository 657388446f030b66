//! What the rows of a node look like, and what the node would answer as a leaf.

use crate::cost::Loss;
use crate::learn::greedy::parameters::Summary;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::{Weighed, median};
use crate::tree::{Moments, Outcome};

/// How nodes are summarised.
#[derive(Debug)]
pub(crate) enum Summaries<'a> {
    Classes(&'a Loss),
    /// `bins` says whether the criterion counts bins of the numbers.
    Numbers {
        answer: Summary,
        bins: bool,
    },
}

/// The rows of one node in short.
#[derive(Debug, Clone)]
pub(crate) struct NodeSummary {
    /// Weighted counts of classes or bins; empty where there are none.
    pub(crate) counts: Vec<f64>,
    pub(super) moments: Moments,
    /// The sum of the numbers that criteria add up, if that is exact.
    pub(super) whole_sum: f64,
    pub(crate) weight: f64,
    /// What the node answers as a leaf.
    pub(crate) value: f64,
    pub(crate) is_pure: bool,
    /// Number of rows, parts of rows counting as parts.
    pub(crate) rows: f64,
}

impl Summaries<'_> {
    /// Summarises the rows of some lists of entries.
    pub(crate) fn of(&self, frame: &Frame<'_>, parts: &[&[u32]]) -> NodeSummary {
        let counts = count(frame, parts);
        let rows = parts.iter().map(|part| frame.count_rows(part)).sum();
        match self {
            Self::Classes(loss) => NodeSummary {
                weight: counts.iter().sum(),
                value: loss.best_class(&counts) as f64,
                is_pure: counts.iter().filter(|&&count| count > 0.0).count() <= 1,
                moments: Moments::default(),
                whole_sum: 0.0,
                counts,
                rows,
            },
            Self::Numbers { answer, bins } => {
                let (moments, is_pure) = moments(frame, parts);
                // No split of one bin lowers its impurity, which is zero.
                let has_one_bin = || counts.iter().filter(|&&count| count > 0.0).count() <= 1;
                let is_pure = is_pure || *bins && has_one_bin();
                let value = match answer {
                    Summary::Auto | Summary::Mean => moments.mean,
                    Summary::Median => {
                        let weighed = |&entry: &u32| Weighed {
                            number: frame.number(entry),
                            weight: frame.weight(entry),
                        };
                        let entries = parts.iter().copied().flatten();
                        median(&mut entries.map(weighed).collect::<Vec<_>>())
                    }
                };
                NodeSummary {
                    counts,
                    weight: moments.weight,
                    moments,
                    whole_sum: whole_sum(frame, parts),
                    value,
                    is_pure,
                    rows,
                }
            }
        }
    }

    /// What goes into the tree.
    pub(crate) fn outcome(&self, summary: NodeSummary) -> Outcome {
        match self {
            Self::Classes(_) => Outcome::Counts(summary.counts),
            Self::Numbers { bins, .. } => {
                Outcome::Numbers(summary.moments, bins.then_some(summary.counts))
            }
        }
    }
}

fn count(frame: &Frame<'_>, parts: &[&[u32]]) -> Vec<f64> {
    let n_classes = frame.n_classes();
    if frame.has_weights() || !frame.is_plain() {
        let mut counts = vec![0.0; n_classes];
        if n_classes > 0 {
            for &entry in parts.iter().copied().flatten() {
                counts[frame.class(entry)] += frame.weight(entry);
            }
        }
        return counts;
    }
    let mut counts = vec![0_u32; n_classes];
    let packing = frame.packing();
    for &entry in parts.iter().copied().flatten() {
        counts[packing.class(entry)] += 1;
    }
    counts.into_iter().map(f64::from).collect()
}

/// The sum of the numbers that criteria add up; 0 where it would be rounded.
fn whole_sum(frame: &Frame<'_>, parts: &[&[u32]]) -> f64 {
    if frame.unit().is_none() {
        return 0.0;
    }
    let (numbers, packing) = (frame.judged(), frame.packing());
    let entries = parts.iter().copied().flatten();
    entries
        .map(|&entry| frame.weight(entry) * numbers[packing.row(entry)])
        .sum()
}

/// Mean, weight and squared error, and whether all numbers are the same.
fn moments(frame: &Frame<'_>, parts: &[&[u32]]) -> (Moments, bool) {
    let entries = || parts.iter().copied().flatten().copied();
    let Some(first) = entries().next().map(|entry| frame.number(entry)) else {
        return (Moments::default(), true);
    };
    let (mut sum, mut weight, mut is_pure) = (0.0, 0.0, true);
    for entry in entries() {
        let number = frame.number(entry);
        is_pure &= number == first;
        // Relative to the first number: no digits are lost where all are large and alike.
        sum += frame.weight(entry) * (number - first);
        weight += frame.weight(entry);
    }
    let mean = first + sum / weight;
    let sse = entries()
        .map(|entry| frame.weight(entry) * (frame.number(entry) - mean).powi(2))
        .sum();
    (Moments { mean, weight, sse }, is_pure)
}

//! Scores splits by squared error.

use std::ops::Range;

use super::{GroupJudge, SumJudge};
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::{FeatureCandidates, MissingRows, Pass};
use crate::learn::greedy::split::measure::{Score, WeightedSum};

/// Sums of numbers, relative to the mean of the node.
pub(crate) struct SquaredJudge {
    mean: f64,
    /// The rows that the two children of a split share out.
    judged: WeightedSum,
    before: f64,
    missing: f64,
    floor: f64,
}

impl SquaredJudge {
    pub(crate) fn new(candidates: &FeatureCandidates<'_>) -> Self {
        let mean = candidates.node.mean;
        let sum = |entries: &[u32]| {
            let mut sum = WeightedSum::default();
            let mut squares = 0.0;
            for &entry in entries {
                let (number, weight) = (
                    candidates.frame.number(entry) - mean,
                    candidates.frame.weight(entry),
                );
                sum.add(number, weight);
                squares += weight * number * number;
            }
            (sum, squares)
        };
        let tried = candidates.missing_rows == MissingRows::InEachChild;
        let (judged, squares) = if candidates.missing.is_empty() || tried {
            // Relative to their mean the numbers of the node add up to nothing.
            (
                WeightedSum {
                    sum: 0.0,
                    weight: candidates.node.weight,
                },
                candidates.node.sse,
            )
        } else {
            sum(candidates.known)
        };
        let (missing, missing_squares) = sum(candidates.missing);
        if candidates.missing_rows == MissingRows::OneMoreChild {
            let all = WeightedSum {
                sum: judged.sum + missing.sum,
                weight: judged.weight + missing.weight,
            };
            let floor = 1e-12 * (squares + missing_squares);
            return Self {
                mean,
                judged,
                before: all.worth(),
                missing: missing.worth(),
                floor,
            };
        }
        Self {
            mean,
            judged,
            before: judged.worth(),
            missing: 0.0,
            floor: 1e-12 * squares,
        }
    }
}

impl GroupJudge for SquaredJudge {
    type Tally = WeightedSum;

    fn empty(&self) -> WeightedSum {
        WeightedSum::default()
    }

    fn add(&self, tally: &mut WeightedSum, frame: &Frame<'_>, entry: u32) {
        tally.add(frame.number(entry) - self.mean, frame.weight(entry));
    }

    fn rest_of(
        &self,
        _candidates: &FeatureCandidates<'_>,
        _pass: &Pass<'_>,
        tally: &WeightedSum,
        _group: &Range<usize>,
    ) -> WeightedSum {
        self.rest(tally)
    }

    fn worth(&self, tally: &WeightedSum) -> f64 {
        tally.worth()
    }

    fn score(&self, groups: &[&WeightedSum]) -> Score {
        let worth: f64 = groups.iter().map(|sum| sum.worth()).sum();
        Score::rounded(worth + self.missing - self.before)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

impl SumJudge for SquaredJudge {
    fn rest(&self, tally: &WeightedSum) -> WeightedSum {
        self.judged.without(*tally)
    }

    fn join(&self, tally: &mut WeightedSum, other: &WeightedSum) {
        tally.sum += other.sum;
        tally.weight += other.weight;
    }

    fn is_behind(&self, low: &WeightedSum, reach: f64) -> bool {
        // With `d = W s_l - w_l S` the two groups are worth `d^2 / (W w_l w_r)` more than one.
        let weight = self.judged.weight;
        let d = weight * low.sum - low.weight * self.judged.sum;
        let under = weight * low.weight * (weight - low.weight);
        let offset = self.judged.worth() + self.missing - self.before;
        d * d < ((reach - offset) * (1.0 - 1e-9) - self.floor) * under
    }

    /// By rising mean.
    fn orders(&self, tallies: &[WeightedSum]) -> impl Iterator<Item = Vec<u32>> {
        let mean = |at: u32| tallies[at as usize].sum / tallies[at as usize].weight;
        let mut order: Vec<u32> = (0..tallies.len() as u32).collect();
        // A stable sort: equal means keep the order of the codes.
        order.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)));
        std::iter::once(order)
    }
}

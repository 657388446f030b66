//! Scores splits by squared error.

use super::GroupJudge;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::FeatureCandidates;
use crate::learn::greedy::split::measure::{Score, WeightedSum};

/// Sums of numbers, relative to the mean of the node.
pub(crate) struct SquaredJudge {
    mean: f64,
    known: WeightedSum,
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
        let (known, squares) = if candidates.missing.is_empty() {
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
        if candidates.own_branch {
            let all = WeightedSum {
                sum: known.sum + missing.sum,
                weight: known.weight + missing.weight,
            };
            let floor = 1e-12 * (squares + missing_squares);
            return Self {
                mean,
                known,
                before: all.worth(),
                missing: missing.worth(),
                floor,
            };
        }
        Self {
            mean,
            known,
            before: known.worth(),
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

    fn rest(&self, tally: &WeightedSum) -> WeightedSum {
        self.known.without(*tally)
    }

    fn is_behind(&self, low: &WeightedSum, reach: f64) -> bool {
        // With `d = W s_l - w_l S` the two groups are worth `d^2 / (W w_l w_r)` more than one.
        let weight = self.known.weight;
        let d = weight * low.sum - low.weight * self.known.sum;
        let under = weight * low.weight * (weight - low.weight);
        let offset = self.known.worth() + self.missing - self.before;
        d * d < ((reach - offset) * (1.0 - 1e-9) - self.floor) * under
    }

    fn score(&self, groups: &[&WeightedSum]) -> Score {
        let worth: f64 = groups.iter().map(|sum| sum.worth()).sum();
        Score::rounded(worth + self.missing - self.before)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

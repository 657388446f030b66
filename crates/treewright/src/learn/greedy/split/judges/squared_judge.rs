//! Scores splits by squared error.

use std::ops::Range;

use super::{GroupJudge, SumJudge};
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::{FeatureCandidates, MissingRows, Pass};
use crate::learn::greedy::split::measure::{Score, SquareSum, WeightedSum};

/// Sums of numbers, relative to the centre of the node.
pub(crate) struct SquaredJudge<'a> {
    numbers: &'a [f64],
    centre: f64,
    /// What a square of the numbers is, and how many of these make one.
    square: f64,
    per_square: f64,
    /// Are all sums whole, and exact?
    is_exact: bool,
    /// The rows that the two children of a split share out.
    judged: WeightedSum,
    all: WeightedSum,
    before: f64,
    /// The missing rows, if they are one more child.
    apart: WeightedSum,
    missing: f64,
    floor: f64,
}

impl<'a> SquaredJudge<'a> {
    pub(crate) fn new(candidates: &FeatureCandidates<'a>) -> Self {
        let (frame, node) = (candidates.frame, candidates.node);
        let (numbers, centre) = (frame.judged(), node.centre);
        let unit = frame.unit();
        let square = unit.unwrap_or(1.0).powi(2);
        let is_exact = unit.is_some();
        let sum = |entries: &[u32]| {
            let mut sum = WeightedSum::default();
            let mut squares = 0.0;
            for &entry in entries {
                let number = numbers[frame.packing().row(entry)] - centre;
                let weight = frame.weight(entry);
                sum.add(number, weight);
                squares += weight * number * number;
            }
            (sum, squares)
        };
        let tried = candidates.missing_rows == MissingRows::InEachChild;
        let (judged, squares) = if candidates.missing.is_empty() || tried {
            (
                WeightedSum {
                    sum: node.sum,
                    weight: node.weight,
                },
                node.sse / square,
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
                numbers,
                centre,
                square,
                per_square: square.recip(),
                is_exact,
                judged,
                before: all.worth(),
                all,
                missing: missing.worth(),
                apart: missing,
                floor,
            };
        }
        Self {
            numbers,
            centre,
            square,
            per_square: square.recip(),
            is_exact,
            judged,
            before: judged.worth(),
            all: judged,
            missing: 0.0,
            apart: WeightedSum::default(),
            floor: 1e-12 * squares,
        }
    }
}

impl GroupJudge for SquaredJudge<'_> {
    type Tally = WeightedSum;

    fn empty(&self) -> WeightedSum {
        WeightedSum::default()
    }

    fn add(&self, tally: &mut WeightedSum, frame: &Frame<'_>, entry: u32) {
        let number = self.numbers[frame.packing().row(entry)];
        tally.add(number - self.centre, frame.weight(entry));
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
        tally.worth() * self.square
    }

    fn score(&self, groups: &[&WeightedSum]) -> Score {
        let worth: f64 = groups.iter().map(|sum| sum.worth()).sum();
        let drop = (worth + self.missing - self.before) * self.square;
        if !self.is_exact {
            return Score::rounded(drop);
        }
        let slack = (worth + self.missing + self.before) * self.square;
        let squares = match *groups {
            [low, high] => SquareSum::of_two([*low, *high], self.apart, self.all),
            _ => SquareSum::of_many(groups, self.apart, self.all),
        };
        Score::squares(drop, slack, squares)
    }

    fn floor(&self) -> f64 {
        self.floor * self.square
    }
}

impl SumJudge for SquaredJudge<'_> {
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
        d * d < ((reach * self.per_square - offset) * (1.0 - 1e-9) - self.floor) * under
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

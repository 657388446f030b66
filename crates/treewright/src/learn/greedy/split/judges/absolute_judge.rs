//! Scores splits by absolute error.

use std::ops::Range;

use super::GroupJudge;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::{FeatureCandidates, MissingRows, Pass};
use crate::learn::greedy::split::measure::{RunningMedian, Score, Weighed};

/// Distances from medians.
pub(crate) struct AbsoluteJudge {
    mean: f64,
    /// Of the rows that the children of a split share out.
    pub(crate) all_of_judged: f64,
    /// What setting the missing rows apart lowers the deviation by.
    pub(crate) missing_drop: f64,
    floor: f64,
}

impl AbsoluteJudge {
    pub(crate) fn new(candidates: &FeatureCandidates<'_>) -> Self {
        let deviation = |parts: &[&[u32]]| {
            let mut median = RunningMedian::default();
            for &entry in parts.iter().copied().flatten() {
                median.add(candidates.weighed(entry));
            }
            median.deviation()
        };
        let (known, missing) = (candidates.known, candidates.missing);
        let all_of_judged = match candidates.missing_rows {
            MissingRows::InEachChild => deviation(&[known, missing]),
            MissingRows::Apart | MissingRows::OneMoreChild => deviation(&[known]),
        };
        let mean = candidates.node.mean;
        let distances = known.iter().chain(missing).map(|&entry| {
            let Weighed { number, weight } = candidates.weighed(entry);
            weight * number.abs()
        });
        let rounding = 1e-14 * distances.sum::<f64>();
        if candidates.missing_rows == MissingRows::OneMoreChild {
            let all = deviation(&[known, missing]);
            let missing_drop = all - all_of_judged - deviation(&[missing]);
            return Self {
                mean,
                all_of_judged,
                missing_drop,
                floor: 1e-12 * all + rounding,
            };
        }
        Self {
            mean,
            all_of_judged,
            missing_drop: 0.0,
            floor: 1e-12 * all_of_judged + rounding,
        }
    }
}

impl GroupJudge for AbsoluteJudge {
    type Tally = RunningMedian;

    fn empty(&self) -> RunningMedian {
        RunningMedian::default()
    }

    fn add(&self, tally: &mut RunningMedian, frame: &Frame<'_>, entry: u32) {
        let number = frame.number(entry) - self.mean;
        tally.add(Weighed {
            number,
            weight: frame.weight(entry),
        });
    }

    /// Medians cannot be subtracted, so all rows of the rest are gone through.
    fn rest_of(
        &self,
        candidates: &FeatureCandidates<'_>,
        pass: &Pass<'_>,
        _tally: &RunningMedian,
        group: &Range<usize>,
    ) -> RunningMedian {
        let known = candidates.known;
        let parts = [&known[..group.start], &known[group.end..], pass.above];
        let mut rest = RunningMedian::default();
        for &entry in parts.into_iter().flatten() {
            rest.add(candidates.weighed(entry));
        }
        rest
    }

    fn worth(&self, tally: &RunningMedian) -> f64 {
        -tally.deviation()
    }

    fn score(&self, groups: &[&RunningMedian]) -> Score {
        let deviation: f64 = groups.iter().map(|group| group.deviation()).sum();
        Score::rounded(self.all_of_judged - deviation + self.missing_drop)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

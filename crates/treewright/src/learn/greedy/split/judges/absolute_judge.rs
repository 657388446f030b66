//! Scores splits by absolute error.

use std::ops::Range;

use super::GroupJudge;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::FeatureCandidates;
use crate::learn::greedy::split::measure::{RunningMedian, Score, Weighed};

/// Distances from medians.
pub(crate) struct AbsoluteJudge {
    mean: f64,
    pub(crate) all_of_known: f64,
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
        let all_of_known = deviation(&[candidates.known]);
        let mean = candidates.node.mean;
        let distances = candidates
            .known
            .iter()
            .chain(candidates.missing)
            .map(|&entry| {
                let Weighed { number, weight } = candidates.weighed(entry);
                weight * number.abs()
            });
        let rounding = 1e-14 * distances.sum::<f64>();
        if candidates.own_branch {
            let all = deviation(&[candidates.known, candidates.missing]);
            let missing_drop = all - all_of_known - deviation(&[candidates.missing]);
            return Self {
                mean,
                all_of_known,
                missing_drop,
                floor: 1e-12 * all + rounding,
            };
        }
        Self {
            mean,
            all_of_known,
            missing_drop: 0.0,
            floor: 1e-12 * all_of_known + rounding,
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

    fn rest(&self, _tally: &RunningMedian) -> RunningMedian {
        unreachable!("medians cannot be subtracted; cuts and categories have their own way")
    }

    fn rest_of(
        &self,
        candidates: &FeatureCandidates<'_>,
        _tally: &RunningMedian,
        group: &Range<usize>,
    ) -> RunningMedian {
        let mut rest = RunningMedian::default();
        for &entry in candidates.known[..group.start]
            .iter()
            .chain(&candidates.known[group.end..])
        {
            rest.add(candidates.weighed(entry));
        }
        rest
    }

    fn score(&self, groups: &[&RunningMedian]) -> Score {
        let deviation: f64 = groups.iter().map(|group| group.deviation()).sum();
        Score::rounded(self.all_of_known - deviation + self.missing_drop)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

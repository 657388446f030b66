//! Scores splits by absolute error.

use std::ops::Range;

use super::GroupJudge;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::{FeatureCandidates, MissingRows, Pass};
use crate::learn::greedy::split::measure::{RunningMedian, Score, Weighed};

/// Distances from medians.
pub(crate) struct AbsoluteJudge<'a> {
    numbers: &'a [f64],
    centre: f64,
    /// What one of the numbers is, if all sums are whole and exact.
    unit: Option<f64>,
    /// Of the rows that the children of a split share out.
    pub(crate) all_of_judged: f64,
    /// What setting the missing rows apart lowers the deviation by.
    pub(crate) missing_drop: f64,
    floor: f64,
}

impl<'a> AbsoluteJudge<'a> {
    pub(crate) fn new(candidates: &FeatureCandidates<'a>) -> Self {
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
        let (numbers, centre) = (candidates.frame.judged(), candidates.node.centre);
        let unit = candidates.frame.unit();
        let distances = known.iter().chain(missing).map(|&entry| {
            let Weighed { number, weight } = candidates.weighed(entry);
            weight * number.abs()
        });
        let rounding = 1e-14 * distances.sum::<f64>();
        if candidates.missing_rows == MissingRows::OneMoreChild {
            let all = deviation(&[known, missing]);
            let missing_drop = all - all_of_judged - deviation(&[missing]);
            return Self {
                numbers,
                centre,
                unit,
                all_of_judged,
                missing_drop,
                floor: 1e-12 * all + rounding,
            };
        }
        Self {
            numbers,
            centre,
            unit,
            all_of_judged,
            missing_drop: 0.0,
            floor: 1e-12 * all_of_judged + rounding,
        }
    }
}

impl AbsoluteJudge<'_> {
    /// The score of a split that lowers the deviation of the judged rows by this.
    pub(crate) fn scored(&self, drop: f64) -> Score {
        let drop = drop + self.missing_drop;
        match self.unit {
            None => Score::rounded(drop),
            Some(unit) => Score::whole(drop as i64, unit),
        }
    }
}

impl GroupJudge for AbsoluteJudge<'_> {
    type Tally = RunningMedian;

    fn empty(&self) -> RunningMedian {
        RunningMedian::default()
    }

    fn add(&self, tally: &mut RunningMedian, frame: &Frame<'_>, entry: u32) {
        let number = self.numbers[frame.packing().row(entry)];
        tally.add(Weighed {
            number: number - self.centre,
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
        -tally.deviation() * self.unit.unwrap_or(1.0)
    }

    fn score(&self, groups: &[&RunningMedian]) -> Score {
        let deviation: f64 = groups.iter().map(|group| group.deviation()).sum();
        self.scored(self.all_of_judged - deviation)
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

//! Scores of splits for any weights, any criterion and any kind of feature.
//!
//! A judge adds up groups of rows and scores the split that some groups make of a node.

use std::ops::Range;

use crate::learn::greedy::problem::frame::Frame;
use crate::learn::greedy::split::candidates::FeatureCandidates;
use crate::learn::greedy::split::measure::deviation::{RunningMedian, Weighed, WeightedSum};
use crate::learn::greedy::split::measure::{Baseline, Measure, Score};

/// Adds up groups of rows and scores the split that they make of the known rows. Where missing rows
/// have a branch of their own, the judge adds it to every split.
pub(crate) trait GroupJudge {
    type Tally;

    fn empty(&self) -> Self::Tally;
    fn add(&self, tally: &mut Self::Tally, frame: &Frame<'_>, entry: u32);
    /// The known rows without a group.
    fn rest(&self, tally: &Self::Tally) -> Self::Tally;
    /// The same where the group stands at a range of positions and no difference can be formed.
    fn rest_of(
        &self,
        _candidates: &FeatureCandidates<'_>,
        tally: &Self::Tally,
        _group: &Range<usize>,
    ) -> Self::Tally {
        self.rest(tally)
    }
    fn score(&self, groups: &[&Self::Tally]) -> Score;
    /// Is the cut above this group clearly ranked below `reach`? Saves work, so it may always say no.
    fn is_behind(&self, _low: &Self::Tally, _reach: f64) -> bool {
        false
    }
    /// A drop below this is rounding, where nothing better is known.
    fn floor(&self) -> f64;
    /// Steps that a group takes besides its rows, and numbers that its tally has.
    fn steps(&self) -> usize {
        1
    }
}

/// Counts of classes.
pub(crate) struct ClassJudge<'a> {
    measure: &'a Measure,
    base: Baseline,
    known: (Vec<f64>, f64),
    /// The branch for missing values.
    missing: Option<(Vec<f64>, f64)>,
    /// Worth of the rows without a split, less that of the branch for missing values.
    worth_before: f64,
    floor: f64,
    tolerance: f64,
}

impl<'a> ClassJudge<'a> {
    pub(crate) fn new(candidates: &FeatureCandidates<'_>, measure: &'a Measure) -> Self {
        let frame = candidates.frame;
        let count = |entries: &[u32]| {
            let mut counts = vec![0.0; frame.n_classes()];
            for &entry in entries {
                counts[frame.class(entry)] += frame.weight(entry);
            }
            let weight = counts.iter().sum::<f64>();
            (counts, weight)
        };
        // Rounded sums must not depend on how the node came about, so they are made anew, in the
        // order of the feature.
        let known = if frame.whole && candidates.missing.is_empty() {
            (candidates.node.counts.to_vec(), candidates.node.weight)
        } else {
            count(candidates.known)
        };
        let missing = (!candidates.missing.is_empty()).then(|| count(candidates.missing));
        let node_weight = known.1 + missing.as_ref().map_or(0.0, |missing| missing.1);
        let (counts, weight) = match &missing {
            Some((missing, _)) if candidates.own_branch => (
                known.0.iter().zip(missing).map(|(a, b)| a + b).collect(),
                node_weight,
            ),
            _ => known.clone(),
        };
        let floor = 1e-12 * measure.impurity(&counts, weight) + 1e-14 * weight;
        let base = Baseline {
            counts,
            weight,
            node_weight,
            whole: frame.whole,
        };
        let missing = missing.filter(|_| candidates.own_branch);
        let missing_worth = missing
            .as_ref()
            .map_or(0.0, |(counts, n)| measure.worth(counts, *n));
        Self {
            measure,
            worth_before: measure.worth(&base.counts, base.weight) - missing_worth,
            tolerance: Score::tolerance(node_weight),
            base,
            known,
            missing,
            floor,
        }
    }
}

impl GroupJudge for ClassJudge<'_> {
    type Tally = (Vec<f64>, f64);

    fn empty(&self) -> Self::Tally {
        (vec![0.0; self.base.counts.len()], 0.0)
    }

    fn add(&self, tally: &mut Self::Tally, frame: &Frame<'_>, entry: u32) {
        let weight = frame.weight(entry);
        tally.0[frame.class(entry)] += weight;
        tally.1 += weight;
    }

    fn rest(&self, tally: &Self::Tally) -> Self::Tally {
        let counts = self
            .known
            .0
            .iter()
            .zip(&tally.0)
            .map(|(all, part)| (all - part).max(0.0));
        (counts.collect(), self.known.1 - tally.1)
    }

    fn is_behind(&self, low: &Self::Tally, reach: f64) -> bool {
        let weights = [low.1, self.known.1 - low.1];
        let worth = self.measure.worth_of_two(&low.0, &self.known.0, weights);
        let missing = self.missing.as_ref().map_or(0.0, |missing| missing.1);
        let groups = [weights[0], weights[1], missing];
        let rank = self
            .measure
            .rank(&self.base, worth - self.worth_before, &groups);
        rank < reach * (1.0 - 1e-9) - self.tolerance
    }

    fn score(&self, groups: &[&Self::Tally]) -> Score {
        let all = groups.iter().copied().chain(self.missing.as_ref());
        let counts: Vec<&[f64]> = all.clone().map(|tally| tally.0.as_slice()).collect();
        let weights: Vec<f64> = all.map(|tally| tally.1).collect();
        self.measure.score(&self.base, &counts, &weights)
    }

    fn steps(&self) -> usize {
        self.base.counts.len()
    }

    fn floor(&self) -> f64 {
        self.floor
    }
}

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

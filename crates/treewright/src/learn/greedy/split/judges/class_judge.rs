//! Scores splits by the counts of classes.

use std::cmp::Ordering;
use std::ops::Range;

use super::{GroupJudge, SumJudge};
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::{FeatureCandidates, MissingRows, Pass};
use crate::learn::greedy::split::measure::{Baseline, Measure, Score, compare_products};

/// Counts of classes.
pub(crate) struct ClassJudge<'a> {
    measure: &'a Measure,
    base: Baseline,
    /// The rows that the two children of a split share out.
    judged: (Vec<f64>, f64),
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
        let own_branch = candidates.missing_rows == MissingRows::OneMoreChild;
        let count = |parts: [&[u32]; 2]| {
            let mut counts = vec![0.0; frame.n_classes()];
            for &entry in parts.into_iter().flatten() {
                counts[frame.class(entry)] += frame.weight(entry);
            }
            let weight = counts.iter().sum::<f64>();
            (counts, weight)
        };
        let (known, missing) = (candidates.known, candidates.missing);
        let tried = candidates.missing_rows == MissingRows::InEachChild;
        // Missing rows that the children of a split do not share out.
        let missing = (!missing.is_empty() && !tried).then(|| count([missing, &[]]));
        // Rounded sums must not depend on how the node came about, so they are made anew, in the
        // order of the feature.
        let (all, weight) = (candidates.node.counts, candidates.node.weight);
        let judged = match &missing {
            None if frame.whole => (all.to_vec(), weight),
            Some((counts, of_missing)) if frame.whole => {
                let known = all.iter().zip(counts).map(|(all, missing)| all - missing);
                (known.collect(), weight - of_missing)
            }
            None => count([known, candidates.missing]),
            Some(_) => count([known, &[]]),
        };
        let node_weight = judged.1 + missing.as_ref().map_or(0.0, |missing| missing.1);
        let (counts, weight) = match &missing {
            Some((missing, _)) if own_branch => (
                judged.0.iter().zip(missing).map(|(a, b)| a + b).collect(),
                node_weight,
            ),
            _ => judged.clone(),
        };
        let floor = 1e-12 * measure.impurity(&counts, weight) + 1e-14 * weight;
        let base = Baseline {
            counts,
            weight,
            node_weight,
            whole: frame.whole,
        };
        let missing = missing.filter(|_| own_branch);
        let missing_worth = missing
            .as_ref()
            .map_or(0.0, |(counts, n)| measure.worth(counts, *n));
        Self {
            measure,
            worth_before: measure.worth(&base.counts, base.weight) - missing_worth,
            tolerance: Score::tolerance(node_weight),
            base,
            judged,
            missing,
            floor,
        }
    }

    /// Which of two groups has the smaller share of a class.
    fn compare_shares(&self, class: usize, a: &(Vec<f64>, f64), b: &(Vec<f64>, f64)) -> Ordering {
        if self.base.whole {
            let whole = |x: f64| u128::from(x as u64);
            return compare_products(whole(a.0[class]), whole(b.1), whole(b.0[class]), whole(a.1));
        }
        (a.0[class] / a.1).total_cmp(&(b.0[class] / b.1))
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

    fn rest_of(
        &self,
        _candidates: &FeatureCandidates<'_>,
        _pass: &Pass<'_>,
        tally: &Self::Tally,
        _group: &Range<usize>,
    ) -> Self::Tally {
        self.rest(tally)
    }

    fn worth(&self, tally: &Self::Tally) -> f64 {
        self.measure.worth(&tally.0, tally.1)
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

impl SumJudge for ClassJudge<'_> {
    fn rest(&self, tally: &Self::Tally) -> Self::Tally {
        let counts = self
            .judged
            .0
            .iter()
            .zip(&tally.0)
            .map(|(all, part)| (all - part).max(0.0));
        (counts.collect(), self.judged.1 - tally.1)
    }

    fn join(&self, tally: &mut Self::Tally, other: &Self::Tally) {
        for (sum, count) in tally.0.iter_mut().zip(&other.0) {
            *sum += count;
        }
        tally.1 += other.1;
    }

    fn is_behind(&self, low: &Self::Tally, reach: f64) -> bool {
        let weights = [low.1, self.judged.1 - low.1];
        let worth = self.measure.worth_of_two(&low.0, &self.judged.0, weights);
        let missing = self.missing.as_ref().map_or(0.0, |missing| missing.1);
        let groups = [weights[0], weights[1], missing];
        let rank = self
            .measure
            .rank(&self.base, worth - self.worth_before, &groups);
        rank < reach * (1.0 - 1e-9) - self.tolerance
    }

    /// By rising share of each class that occurs. Of one or two classes the last says it all.
    fn orders(&self, tallies: &[Self::Tally]) -> impl Iterator<Item = Vec<u32>> {
        let occurs = |class: &usize| tallies.iter().any(|tally| tally.0[*class] > 0.0);
        let mut classes: Vec<usize> = (0..self.base.counts.len()).filter(occurs).collect();
        if classes.len() <= 2 {
            classes.drain(..classes.len().saturating_sub(1));
        }
        classes.into_iter().map(|class| {
            let mut order: Vec<u32> = (0..tallies.len() as u32).collect();
            let tally = |at: u32| &tallies[at as usize];
            // A stable sort: equal shares keep the order of the codes.
            order.sort_by(|&a, &b| self.compare_shares(class, tally(a), tally(b)));
            order
        })
    }
}

//! Scores splits by the counts of classes.

use super::GroupJudge;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::FeatureCandidates;
use crate::learn::greedy::split::measure::{Baseline, Measure, Score};

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

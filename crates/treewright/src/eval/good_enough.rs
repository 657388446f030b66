//! Which tree is good enough, and how optimistic its error is because it was chosen.
//!
//! Among many trees that are judged on the same rows, the one that looks best looks a little better than it is: it was
//! lucky on these rows, too. Tibshirani and Tibshirani ("A bias correction for the minimum error rate in
//! cross-validation", 2009) estimate that from the folds which are there anyway: they choose by one part of the
//! folds and look at the other. They choose by a single fold. With hundreds of trees of many families, and with rules
//! that prefer small trees, a single fold is too noisy for that: its least error is far below all others. Here, as in
//! Tsamardinos, Greasidou and Borboudakis ("Bootstrapping the out-of-sample predictions", 2018), the same
//! rule chooses by all folds but one, and the error of its choice on that one is what a choice costs.

use crate::error::{Error, Result};

/// When a tree is good enough: it has the fewest leaves of those that are hardly worse than the best.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum GoodEnough {
    /// Its error is at most one standard error above the least.
    #[default]
    OneSe,
    /// Its error is at most this much above the least.
    Tolerance(f64),
}

/// A tree that was judged on rows left out.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Number of leaves.
    pub leaves: usize,
    /// Mean cost on rows left out.
    pub error: f64,
    /// The standard error of that.
    pub se: f64,
    /// The mean cost on the rows of each fold; empty if it is not known.
    pub by_fold: &'a [f64],
}

impl GoodEnough {
    /// Refuses what is no tolerance.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Tolerance(points) if !(0.0..1.0).contains(&points) => {
                let allowed = "at least 0 and less than 1, such as 0.01 or 1%";
                Err(Error::parameter("tolerance", points, allowed))
            }
            _ => Ok(()),
        }
    }

    /// The largest error that is good enough. `unit` is what a tolerance is a share of.
    fn most(self, least: &Candidate<'_>, unit: f64) -> f64 {
        match self {
            Self::OneSe => least.error + least.se,
            Self::Tolerance(points) => least.error + points * unit,
        }
    }

    /// The largest error that is good enough, if anything was judged.
    pub(super) fn most_of(self, candidates: &[Candidate<'_>], unit: f64) -> Option<f64> {
        let least = least(candidates)?;
        Some(self.most(&candidates[least], unit))
    }

    /// The tree with the fewest leaves that is good enough; of several the one of least error.
    pub fn choose(self, candidates: &[Candidate<'_>], unit: f64) -> Option<usize> {
        let most = self.most_of(candidates, unit)?;
        (0..candidates.len())
            .filter(|&place| candidates[place].error <= most)
            .min_by(|&a, &b| {
                let (a, b) = (&candidates[a], &candidates[b]);
                a.leaves.cmp(&b.leaves).then(a.error.total_cmp(&b.error))
            })
    }

    /// How much larger the error of the chosen tree is, as far as one can tell, than it looks because the tree was
    /// chosen by it. `weights` are those of the folds. `None` if the folds are not known.
    pub fn optimism(self, candidates: &[Candidate<'_>], weights: &[f64], unit: f64) -> Option<f64> {
        let chosen = self.choose(candidates, unit)?;
        let known: Vec<&Candidate<'_>> = candidates
            .iter()
            .filter(|it| it.by_fold.len() == weights.len())
            .collect();
        if weights.len() < 2 || candidates[chosen].by_fold.len() != weights.len() {
            return None;
        }
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        for (fold, weight) in weights.iter().enumerate() {
            let rest = total - weight;
            let without: Vec<Candidate<'_>> = known
                .iter()
                .map(|it| Candidate {
                    error: (it.error * total - it.by_fold[fold] * weight) / rest,
                    se: it.se * (total / rest).sqrt(),
                    ..**it
                })
                .collect();
            let place = self.choose(&without, unit)?;
            sum += weight * known[place].by_fold[fold];
        }
        Some((sum / total - candidates[chosen].error).max(0.0))
    }
}

/// The candidate of least error, of several the smallest.
fn least(candidates: &[Candidate<'_>]) -> Option<usize> {
    (0..candidates.len()).min_by(|&a, &b| {
        let (a, b) = (&candidates[a], &candidates[b]);
        a.error.total_cmp(&b.error).then(a.leaves.cmp(&b.leaves))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(leaves: usize, error: f64, by_fold: &[f64]) -> Candidate<'_> {
        let se = 0.02;
        Candidate {
            leaves,
            error,
            se,
            by_fold,
        }
    }

    #[test]
    fn the_fewest_leaves_that_are_good_enough() {
        let all = [
            candidate(1, 0.30, &[]),
            candidate(9, 0.20, &[]),
            candidate(4, 0.215, &[]),
            candidate(4, 0.21, &[]),
            candidate(3, 0.23, &[]),
        ];
        assert_eq!(GoodEnough::OneSe.choose(&all, 1.0), Some(3));
        assert_eq!(GoodEnough::Tolerance(0.0).choose(&all, 1.0), Some(1));
        assert_eq!(GoodEnough::Tolerance(0.05).choose(&all, 1.0), Some(4));
        assert_eq!(GoodEnough::Tolerance(0.05).choose(&all, 10.0), Some(0));
        assert_eq!(GoodEnough::OneSe.choose(&[], 1.0), None);
    }

    #[test]
    fn a_choice_by_luck_is_optimistic() {
        // Each is best by its luck on one of the folds.
        let all = [
            candidate(2, 0.2, &[0.1, 0.3]),
            candidate(2, 0.2, &[0.3, 0.1]),
        ];
        let rule = GoodEnough::Tolerance(0.0);
        let optimism = rule.optimism(&all, &[1.0, 1.0], 1.0).unwrap();
        assert!((optimism - 0.1).abs() < 1e-12, "{optimism}");
        let clear = [candidate(2, 0.2, &[0.1, 0.3])];
        assert_eq!(rule.optimism(&clear, &[1.0, 1.0], 1.0), Some(0.0));
        assert_eq!(rule.optimism(&clear, &[1.0], 1.0), None);
    }

    #[test]
    fn a_tolerance_is_a_share() {
        assert!(GoodEnough::Tolerance(0.01).check().is_ok());
        for bad in [-0.1, 1.0, f64::NAN, f64::INFINITY] {
            assert!(GoodEnough::Tolerance(bad).check().is_err());
        }
    }
}

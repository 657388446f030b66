//! How much a selection depends on the rows: the same search on many samples of them.
//!
//! The more subsets a search compares, the more it adapts to the rows that judge. A feature that is selected
//! on almost every sample deserves more trust than one that comes and goes. The figure for the whole is that
//! of Nogueira, Sechidis and Brown ("On the stability of feature selection algorithms", JMLR 18, 2018): with
//! the frequency `p_f` of each of `d` features over `m` samples and the mean number `k` of features selected,
//!
//! `1 - (m / (m - 1) * mean of p_f (1 - p_f)) / (k / d * (1 - k / d))`
//!
//! It is 1 if all selections are the same, and 0 on average if features are drawn blindly.

use rayon::prelude::*;

use super::Selection;
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::eval::Folds;
use crate::select::resampling::seed_of;

/// More would tell nothing new.
const MOST_SAMPLES: usize = 100_000;

/// Repeated selection on samples of the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// How many samples, at least 2.
    pub resamples: usize,
    /// The share of the rows in each, drawn without putting back, class by class.
    pub share: f64,
    /// Decides the rows.
    pub seed: u64,
}

/// What repeated selection found.
#[derive(Debug, Clone, PartialEq)]
pub struct StabilityReport {
    /// The selections that came to their end.
    pub selections: Vec<Selection>,
    /// For each feature the share of the selections that have it.
    pub frequency: Vec<f64>,
    /// The stability of the selections, at most 1; `None` with fewer than 2 of them.
    pub stability: Option<f64>,
    /// Was the budget spent before the end?
    pub stopped: bool,
}

impl Default for Stability {
    fn default() -> Self {
        Self {
            resamples: 50,
            share: 0.8,
            seed: 0,
        }
    }
}

impl Stability {
    /// Selects on every sample. A selection that the budget ended does not count.
    pub fn assess(
        &self,
        data: &Dataset,
        budget: &Budget,
        select: impl Fn(&Dataset, &Budget) -> Result<Selection> + Sync,
    ) -> Result<StabilityReport> {
        if !(2..=MOST_SAMPLES).contains(&self.resamples) {
            let allowed = format!("from 2 to {MOST_SAMPLES}");
            return Err(Error::parameter("resamples", self.resamples, allowed));
        }
        let progress = budget.progress();
        progress.start(self.resamples as u64);
        progress.tell(format!("of {} samples", self.resamples));
        let one = |sample: usize| -> Result<Option<Selection>> {
            if budget.is_spent() {
                return Ok(None);
            }
            let seed = seed_of(self.seed, sample as u64);
            let rows = Folds::holdout(data, 1.0 - self.share, seed)?.train(0);
            let selection = select(&data.rows(&rows), &budget.for_part()).map_err(|error| {
                Error::schema(format!("in a sample of {} rows: {error}", rows.len()))
            })?;
            progress.advance(1);
            Ok(Some(selection).filter(|selection| !selection.stopped))
        };
        let selections: Vec<Option<Selection>> = (0..self.resamples)
            .into_par_iter()
            .map(one)
            .collect::<Result<_>>()?;
        let stopped = selections.contains(&None);
        let selections: Vec<Selection> = selections.into_iter().flatten().collect();
        let subsets: Vec<&[usize]> = selections.iter().map(|s| &*s.selected).collect();
        let frequency = frequency(&subsets, data.columns().len());
        Ok(StabilityReport {
            stability: stability(&frequency, selections.len()),
            frequency,
            selections,
            stopped,
        })
    }
}

/// For each feature the share of the subsets that have it.
fn frequency(subsets: &[&[usize]], n_features: usize) -> Vec<f64> {
    let mut counts = vec![0_u32; n_features];
    for &feature in subsets.iter().copied().flatten() {
        counts[feature] += 1;
    }
    let n = subsets.len().max(1) as f64;
    counts
        .into_iter()
        .map(|count| f64::from(count) / n)
        .collect()
}

fn stability(frequency: &[f64], n_subsets: usize) -> Option<f64> {
    if n_subsets < 2 {
        return None;
    }
    let (d, m) = (frequency.len() as f64, n_subsets as f64);
    let variance = frequency.iter().map(|p| p * (1.0 - p)).sum::<f64>() / d * m / (m - 1.0);
    if variance == 0.0 {
        return Some(1.0);
    }
    let share = frequency.iter().sum::<f64>() / d;
    Some(1.0 - variance / (share * (1.0 - share)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_subsets_are_stable_and_disjoint_ones_are_not() {
        let of = |subsets: &[&[usize]]| stability(&frequency(subsets, 4), subsets.len());
        assert_eq!(of(&[&[0, 2], &[0, 2], &[0, 2]]), Some(1.0));
        assert_eq!(of(&[&[], &[]]), Some(1.0));
        // p = 1/2 everywhere: 1 - 2 * 1/4 / (1/4)
        assert_eq!(of(&[&[0, 1], &[2, 3]]), Some(-1.0));
        // p = 1, 1/2, 1/2, 0: the mean of p (1 - p) is 1/8, and k / d = 1/2.
        assert_eq!(of(&[&[0, 1], &[0, 2]]), Some(0.0));
        assert_eq!(of(&[&[0]]), None);
    }
}

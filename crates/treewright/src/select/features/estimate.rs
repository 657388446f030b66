//! Which rows build the trees, and which judge them.

use super::lattice::Sample;
use crate::budget::Budget;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::learn::Greedy;
use crate::select::Resampling;
use crate::select::held_out::LossUnits;

/// All samples of the rows are in memory together.
const MOST_SAMPLES: u64 = 1000;

/// How the error of a feature subset is estimated.
#[derive(Debug, Clone)]
pub enum Estimate {
    /// On a part of the rows that is held out, or by cross-validation: then the trees of all folds count
    /// together, and a feature is used if any of them uses it.
    Resampled(Resampling),
    /// The same with given rows: those that build the trees, and those that judge them.
    Splits(Vec<(Vec<usize>, Vec<usize>)>),
    /// On rows of another table with the same schema.
    Rows(Dataset),
}

impl Default for Estimate {
    fn default() -> Self {
        Self::Resampled(Resampling::Holdout {
            share: 0.3,
            seed: 0,
        })
    }
}

/// The rows of an estimate, dealt.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) all: Vec<Sample>,
    pub(super) units: LossUnits,
    /// Weight of all rows that judge; those of repeats count again.
    weight: f64,
}

impl Samples {
    /// An error as a rate.
    pub(super) fn rate(&self, error: i128) -> f64 {
        self.units.number(error) / self.weight
    }

    /// A difference of rates as a whole number of units, rounded down.
    pub(super) fn units_of(&self, rate: f64) -> i128 {
        self.units.floor(rate * self.weight)
    }
}

/// The budget of what every search begins with: the samples, and the trees of all features. In a small table these are
/// there in no time, and so they are always known.
pub(super) fn at_first(data: &Dataset, budget: &Budget) -> Budget {
    const FEW_CELLS: usize = 20_000;
    if data.n_rows().saturating_mul(data.columns().len()) <= FEW_CELLS {
        return Budget::unlimited();
    }
    budget.clone()
}

impl Estimate {
    /// Deals the rows; `None` if the budget does not suffice for the copies that samples are.
    pub(super) fn deal(
        &self,
        greedy: &Greedy,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Option<Samples>> {
        check(greedy, data)?;
        let a_sample = data.n_rows().saturating_mul(8 * (data.columns().len() + 1));
        match self {
            Self::Resampled(resampling) => {
                let mut all = Vec::new();
                let repeats = resampling.repeats()?;
                if resampling.n_trees() > MOST_SAMPLES {
                    let allowed = format!("at most {MOST_SAMPLES} folds in all repeats");
                    return Err(Error::parameter("repeats", repeats, allowed));
                }
                let bytes = a_sample.saturating_mul(resampling.n_trees() as usize);
                if !budget.has_room_for(bytes) && budget.is_limited() {
                    return Ok(None);
                }
                let mut weight = 0.0;
                for repeat in 0..repeats {
                    let folds = resampling.deal(data, repeat)?;
                    for fold in 0..folds.len() {
                        if budget.is_spent() {
                            return Ok(None);
                        }
                        let held = data.rows(&folds.test(fold));
                        weight += held.total_weight();
                        all.push(Sample::new(data.rows(&folds.train(fold)), Some(held)));
                    }
                }
                let units = LossUnits::of(data, &greedy.loss, repeats);
                Ok(Some(Samples { all, units, weight }))
            }
            Self::Splits(splits) => {
                let has = |rows: &[usize]| {
                    !rows.is_empty() && rows.iter().all(|&row| row < data.n_rows())
                };
                if splits.is_empty() || splits.iter().any(|(build, held)| !has(build) || !has(held))
                {
                    return Err(Error::schema(
                        "every split needs rows of the table that build trees, and rows that judge them",
                    ));
                }
                let mut all = Vec::new();
                let mut weight = 0.0;
                for (build, held) in splits {
                    let is_short = !budget.has_room_for(a_sample) && budget.is_limited();
                    if is_short || budget.is_spent() {
                        return Ok(None);
                    }
                    let held = data.rows(held);
                    weight += held.total_weight();
                    all.push(Sample::new(data.rows(build), Some(held)));
                }
                let units = LossUnits::of(data, &greedy.loss, splits.len());
                Ok(Some(Samples { all, units, weight }))
            }
            Self::Rows(rows) => {
                let is_usable = rows.n_rows() > 0 && matches!(rows.target(), Target::Classes(_));
                if !is_usable || rows.schema().features.len() != data.schema().features.len() {
                    let message = "the rows to search with need the columns of the table, its target and \
                                   at least one row";
                    return Err(Error::schema(message));
                }
                if !budget.has_room_for(a_sample) && budget.is_limited() {
                    return Ok(None);
                }
                Ok(Some(Samples {
                    units: LossUnits::of(rows, &greedy.loss, 1),
                    weight: rows.total_weight(),
                    all: vec![Sample::new(data.clone(), Some(rows.clone()))],
                }))
            }
        }
    }
}

/// Refuses what no search over feature subsets can work with.
pub(super) fn check(greedy: &Greedy, data: &Dataset) -> Result<()> {
    if matches!(data.target(), Target::Numbers(_)) || matches!(greedy.loss, Loss::Squared) {
        let message = "distinct trees and feature selection need a classification target";
        return Err(Error::schema(message));
    }
    greedy.check(data)
}

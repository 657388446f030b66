//! Cross-validation of a family, and the choice of a member by it.
//!
//! As in rpart (Therneau and Atkinson): a member of the full family is best for penalty weights from
//! `lambda_low` to `lambda_high`, and their geometric mean stands for them. Each fold has a family of its
//! own, learned without the fold's rows; what its member for that weight costs on these rows is what the
//! full member would cost on rows it has not seen. The smallest member, the root alone, is compared with
//! the root alone, the largest with weight 0.
//!
//! Work for a fold: learning, its family, and one pass of the rows left out. Losses are added up in
//! whole units that are the same for all folds and repeats, so that equal errors are found equal.

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::held_out::{LossUnits, Sums, sums_of_members};
use crate::budget::Budget;
use crate::cost::{Lambda, Objective};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::eval::Folds;
use crate::learn::Learner;
use crate::prune::{self, NodeCosts, PruningCost};
use crate::tree::{CrossValidation, Family, Member};

/// Which rows are left out, and how often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resampling {
    /// Cross-validation: each of the folds is left out once.
    Folds {
        /// Number of folds, from 2 to the number of rows.
        folds: usize,
        /// How often the rows are dealt into folds anew, at least once. Figures are means over these.
        repeats: usize,
        /// Decides the folds.
        seed: u64,
    },
    /// One part of the rows is left out, once.
    Holdout {
        /// Its share of the rows, between 0 and 1.
        share: f64,
        /// Decides the rows.
        seed: u64,
    },
}

impl Default for Resampling {
    fn default() -> Self {
        Self::Folds {
            folds: 10,
            repeats: 1,
            seed: 0,
        }
    }
}

impl Resampling {
    /// How often rows are dealt, at least once.
    pub fn repeats(self) -> Result<usize> {
        match self {
            Self::Folds { repeats: 0, .. } => Err(Error::parameter("repeats", 0, "at least 1")),
            Self::Folds { repeats, .. } => Ok(repeats),
            Self::Holdout { .. } => Ok(1),
        }
    }

    /// The folds of one of the repeats, counted from 0.
    pub fn deal(self, data: &Dataset, repeat: usize) -> Result<Folds> {
        match self {
            Self::Folds { folds, seed, .. } => {
                Folds::stratified(data, folds, seed_of(seed, repeat as u64))
            }
            Self::Holdout { share, seed } => Folds::holdout(data, share, seed),
        }
    }

    /// How many trees are grown in all.
    fn n_trees(self) -> u64 {
        match self {
            Self::Folds { folds, repeats, .. } => (folds as u64).saturating_mul(repeats as u64),
            Self::Holdout { .. } => 1,
        }
    }

    /// Adds itself to the parameters that go into a file.
    pub(super) fn add_to(self, params: &mut Map<String, Value>) {
        match self {
            Self::Folds {
                folds,
                repeats,
                seed,
            } => {
                params.insert("folds".into(), folds.into());
                params.insert("repeats".into(), repeats.into());
                params.insert("seed".into(), seed.into());
            }
            Self::Holdout { share, seed } => {
                params.insert("holdout".into(), share.into());
                params.insert("seed".into(), seed.into());
            }
        }
    }
}

/// The seed of a repeat. Far apart, so that the repeats of one seed are not those of its neighbour.
fn seed_of(seed: u64, repeat: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    seed.wrapping_add(repeat.wrapping_mul(GOLDEN))
}

/// How the members of a family do on rows left out of learning. `family` are the prunings of what the
/// learner made of all rows, by this cost. `most_bytes` limits the tables of penalties that are not
/// concave. `None` if the budget is spent before the end.
pub fn cross_validate(
    learner: &(dyn Learner + Sync),
    data: &Dataset,
    family: &Family,
    cost: PruningCost,
    resampling: Resampling,
    most_bytes: u64,
    budget: &Budget,
) -> Result<Option<CrossValidation>> {
    let repeats = resampling.repeats()?;
    let validation = Validation {
        learner,
        data,
        family,
        cost,
        most_bytes,
        budget,
        weights: weights(family),
        units: LossUnits::of(data, family.tree(0).loss(), repeats),
    };
    budget.progress().start(resampling.n_trees());
    let mut figures = Figures::new(family.len());
    // One after the other, so that any number of repeats needs the memory of one.
    for repeat in 0..repeats {
        let folds = resampling.deal(data, repeat)?;
        let Some(total) = validation.round(&folds)? else {
            return Ok(None);
        };
        figures.add(&total, &validation.units);
    }
    Ok(Some(figures.finish(&validation.units)))
}

/// What all folds share.
struct Validation<'a> {
    learner: &'a (dyn Learner + Sync),
    data: &'a Dataset,
    family: &'a Family,
    cost: PruningCost,
    most_bytes: u64,
    budget: &'a Budget,
    /// For each member the weight that stands for it; `None` is infinity.
    weights: Vec<Option<f64>>,
    units: LossUnits,
}

impl Validation<'_> {
    /// Costs of all members on the rows of all folds; `None` if the budget is spent.
    fn round(&self, folds: &Folds) -> Result<Option<Sums>> {
        let results: Vec<Result<Option<Sums>>> = (0..folds.len())
            .into_par_iter()
            .map(|fold| self.fold(folds, fold))
            .collect();
        let mut total = Sums::new(self.family.len());
        for result in results {
            match result? {
                Some(sums) => total.add(&sums),
                None => return Ok(None),
            }
        }
        Ok(Some(total))
    }

    /// Costs of all members on the rows of one fold; `None` if the budget is spent.
    fn fold(&self, folds: &Folds, fold: usize) -> Result<Option<Sums>> {
        if self.budget.is_spent() {
            return Ok(None);
        }
        let train = self.data.rows(&folds.train(fold));
        let fit = self.learner.fit(&train, &self.budget.for_part())?;
        if self.budget.is_spent() {
            return Ok(None);
        }
        drop(train);
        let tree = Arc::new(fit.model);
        let costs = NodeCosts::of(&tree, self.cost)?;
        let penalty = self.family.penalty();
        // Without these rows a tree may even have more leaves, and a table of penalties too few lines.
        let family = prune::known_family(&tree, &costs, penalty, self.most_bytes)?;
        let test = self.data.rows(&folds.test(fold));
        let members = members_at(&family, &self.weights)?;
        let sums = sums_of_members(&family, &members, &test, &self.units);
        self.budget.progress().advance(1);
        Ok(Some(sums))
    }
}

/// For each member the weight that stands for it: the geometric mean of its thresholds. They fall.
fn weights(family: &Family) -> Vec<Option<f64>> {
    let members = family.members();
    let weight = |member: &Member| {
        let high = member.lambda_high?;
        Some(member.lambda_low.sqrt() * high.sqrt())
    };
    members.iter().map(weight).collect()
}

/// The members that are best for falling weights. They only grow, so one walk finds them all.
fn members_at(family: &Family, weights: &[Option<f64>]) -> Result<Vec<usize>> {
    let mut member = 0;
    let mut members = Vec::with_capacity(weights.len());
    for &weight in weights {
        if let Some(weight) = weight {
            while member + 1 < family.len() && next_is_better(family, member, weight)? {
                member += 1;
            }
        }
        members.push(member);
    }
    Ok(members)
}

/// Is the next larger member better for a weight? Exact where doubles cannot tell.
fn next_is_better(family: &Family, member: usize, weight: f64) -> Result<bool> {
    let (smaller, larger) = (family.values()[member], family.values()[member + 1]);
    let cost = family.scale().cost(smaller.cost);
    let penalty = weight * family.penalty().at(larger.leaves);
    let saved = family.scale().cost(smaller.cost - larger.cost);
    let paid = penalty - weight * family.penalty().at(smaller.leaves);
    if (saved - paid).abs() > 1e-12 * (cost + penalty.abs()) {
        return Ok(saved > paid);
    }
    let (lambda, penalty) = (Lambda::try_from(weight)?, family.penalty().clone());
    let objective = Objective::new(lambda, penalty, family.scale());
    Ok(objective.compare(smaller, larger).is_gt())
}

/// Costs and standard errors of members, summed over repeats.
struct Figures {
    total: Sums,
    se: Vec<f64>,
    repeats: usize,
}

impl Figures {
    fn new(n_members: usize) -> Self {
        Self {
            total: Sums::new(n_members),
            se: vec![0.0; n_members],
            repeats: 0,
        }
    }

    fn add(&mut self, round: &Sums, units: &LossUnits) {
        for (member, se) in self.se.iter_mut().enumerate() {
            *se += units.se(round, member);
        }
        self.total.add(round);
        self.repeats += 1;
    }

    /// Errors are whole sums divided once, so that equal ones stay equal.
    fn finish(self, units: &LossUnits) -> CrossValidation {
        let members = 0..self.se.len();
        let error: Vec<f64> = members
            .map(|member| units.mean(&self.total, member))
            .collect();
        let repeats = self.repeats as f64;
        let se: Vec<f64> = self.se.iter().map(|se| se / repeats).collect();
        let (min, one_se) = choose(&error, &se);
        CrossValidation {
            error,
            se,
            min,
            one_se,
        }
    }
}

/// The first member of least error, and the first within one standard error of it.
fn choose(error: &[f64], se: &[f64]) -> (usize, usize) {
    let mut min = 0;
    for member in 1..error.len() {
        if error[member] < error[min] {
            min = member;
        }
    }
    let most = error[min] + se[min];
    let one_se = error.iter().position(|&error| error <= most);
    (min, one_se.unwrap_or(min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_equal_members_is_chosen() {
        let chosen = choose(&[4.0, 1.5, 1.0, 1.0], &[0.5, 0.5, 0.5, 4.5]);
        assert_eq!(chosen, (2, 1));
        assert_eq!(choose(&[0.0], &[0.0]), (0, 0));
    }
}

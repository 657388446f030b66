//! Cross-validation of a family, and the choice of a member by it.
//!
//! As in rpart (Therneau and Atkinson): a member of the full family is best for penalty weights from
//! `lambda_low` to `lambda_high`, and their geometric mean stands for them. Each fold has a family of its
//! own, learned without the fold's rows; what its member for that weight costs on these rows is what the
//! full member would cost on rows it has not seen. The smallest member, the root alone, is compared with
//! the root alone, the largest with weight 0. In a family of all sizes a member is compared with the one of
//! the fold that has as many leaves.
//!
//! Work for a fold: learning, its family, and one pass of the rows left out. Losses are added up in
//! whole units that are the same for all folds and repeats, so that equal errors are found equal.

use std::sync::Arc;

use crate::budget::Budget;
use crate::cost::{Lambda, Objective};
use crate::data::Dataset;
use crate::error::Result;
use crate::eval::Folds;
use crate::learn::Learner;
use crate::prune::{self, NodeCosts, PruningCost};
use crate::select::held_out::{LossUnits, Sums, sums_of_members};
use crate::select::resampling::Resampling;
use crate::tree::{CrossValidation, Family, FoldErrors, FoldTrees};
use rayon::prelude::*;

/// The trees of the folds are kept for members with at most this many leaves, where each has a tree of its own,
const MOST_LEAVES_KEPT: usize = 200;
/// and where all are cut from one.
const MOST_LEAVES_OF_NESTED: usize = 2000;

/// Which member of a family is chosen, given their errors on rows left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// That with the least error; of equal ones the smallest.
    Least,
    /// The smallest whose error is at most one standard error above the least.
    OneSe,
}

impl Rule {
    /// The member that this rule chooses.
    pub fn choose(self, validation: &CrossValidation) -> usize {
        match self {
            Self::Least => validation.min,
            Self::OneSe => validation.one_se,
        }
    }

    /// The name on the command line and in files.
    pub fn name(self, resampling: Resampling) -> &'static str {
        match (self, resampling) {
            (Self::OneSe, _) => "1se",
            (Self::Least, Resampling::Folds { .. }) => "cv",
            (Self::Least, Resampling::Holdout { .. }) => "holdout",
        }
    }
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
    let families = std::slice::from_ref(family);
    let found = cross_validate_all(
        learner, data, families, cost, resampling, most_bytes, budget,
    )?;
    Ok(found.and_then(|mut found| found.pop()))
}

/// How the members of several families do, all of them prunings of the same tree: the tree of a fold is grown
/// once. The families have different penalties.
pub(super) fn cross_validate_all(
    learner: &(dyn Learner + Sync),
    data: &Dataset,
    families: &[Family],
    cost: PruningCost,
    resampling: Resampling,
    most_bytes: u64,
    budget: &Budget,
) -> Result<Option<Vec<CrossValidation>>> {
    let prunings = |rows: Dataset, budget: &Budget| {
        let fit = learner.fit(&rows, budget)?;
        if budget.is_spent() {
            return Ok(None);
        }
        drop(rows);
        let tree = Arc::new(fit.model);
        let costs = NodeCosts::of_learned(&tree, &fit.learner.params, cost)?;
        // Without these rows a tree may even have more leaves, and a table of penalties too few lines.
        let known =
            |family: &Family| prune::known_family(&tree, &costs, family.penalty(), most_bytes);
        families.iter().map(known).collect::<Result<_>>().map(Some)
    };
    validate_all(&prunings, data, families, resampling, budget)
}

/// How the family of some rows is made; `None` if the budget is spent.
pub(in crate::select) type MakeFamily<'a> =
    dyn Fn(Dataset, &Budget) -> Result<Option<Family>> + Sync + 'a;

/// How several families of some rows are made; `None` if the budget is spent.
type MakeFamilies<'a> = dyn Fn(Dataset, &Budget) -> Result<Option<Vec<Family>>> + Sync + 'a;

/// How the members of a family of all rows do on rows left out of learning, if `make` makes the families
/// of the others. `None` if the budget is spent before the end.
pub(in crate::select) fn validate(
    make: &MakeFamily<'_>,
    data: &Dataset,
    family: &Family,
    resampling: Resampling,
    budget: &Budget,
) -> Result<Option<CrossValidation>> {
    let make = |rows: Dataset, budget: &Budget| {
        let family = make(rows, budget)?;
        Ok(family.map(|family| vec![family]))
    };
    let families = std::slice::from_ref(family);
    let found = validate_all(&make, data, families, resampling, budget)?;
    Ok(found.and_then(|mut found| found.pop()))
}

/// The same for several families with the same losses, which `make` makes in the same order.
fn validate_all(
    make: &MakeFamilies<'_>,
    data: &Dataset,
    families: &[Family],
    resampling: Resampling,
    budget: &Budget,
) -> Result<Option<Vec<CrossValidation>>> {
    let Some(first) = families.first() else {
        return Ok(Some(Vec::new()));
    };
    let repeats = resampling.repeats()?;
    let validation = Validation {
        make,
        data,
        budget,
        members: families.iter().map(stand_ins).collect(),
        n_kept: families.iter().map(n_kept).collect(),
        units: LossUnits::of(data, first.tree(0).loss(), repeats),
    };
    budget.progress().start(resampling.n_trees());
    let lengths = families.iter().map(Family::len);
    let mut figures: Vec<Figures> = lengths.map(Figures::new).collect();
    // One after the other, so that any number of repeats needs the memory of one.
    for repeat in 0..repeats {
        let folds = resampling.deal(data, repeat)?;
        let Some(totals) = validation.round(&folds)? else {
            return Ok(None);
        };
        for (figures, folds) in figures.iter_mut().zip(totals) {
            figures.add(folds, &validation.units);
        }
    }
    let finished = figures.into_iter().map(|it| it.finish(&validation.units));
    Ok(Some(finished.collect()))
}

/// What all folds share.
struct Validation<'a> {
    make: &'a MakeFamilies<'a>,
    data: &'a Dataset,
    budget: &'a Budget,
    /// For each family what stands for its members.
    members: Vec<Vec<StandIn>>,
    /// For each family the number of members whose trees are kept.
    n_kept: Vec<usize>,
    units: LossUnits,
}

impl Validation<'_> {
    /// For each family the costs of all members on the rows of each fold; `None` if the budget is spent.
    fn round(&self, folds: &Folds) -> Result<Option<Vec<Vec<Judged>>>> {
        let results: Vec<Result<Option<Vec<Judged>>>> = (0..folds.len())
            .into_par_iter()
            .map(|fold| self.fold(folds, fold))
            .collect();
        let mut totals: Vec<Vec<Judged>> = vec![Vec::new(); self.members.len()];
        for result in results {
            let Some(sums) = result? else {
                return Ok(None);
            };
            for (total, sums) in totals.iter_mut().zip(sums) {
                total.push(sums);
            }
        }
        Ok(Some(totals))
    }

    /// For each family the costs of all members on the rows of one fold; `None` if the budget is spent.
    fn fold(&self, folds: &Folds, fold: usize) -> Result<Option<Vec<Judged>>> {
        if self.budget.is_spent() {
            return Ok(None);
        }
        let train = self.data.rows(&folds.train(fold));
        let Some(families) = (self.make)(train, &self.budget.for_part())? else {
            return Ok(None);
        };
        let test = self.data.rows(&folds.test(fold));
        let stand_ins = self.members.iter().zip(&self.n_kept);
        let judged = families.iter().zip(stand_ins).map(|(family, it)| {
            let (stand_ins, &n_kept) = it;
            let members = members_at(family, stand_ins)?;
            Ok(Judged {
                sums: sums_of_members(family, &members, &test, &self.units),
                trees: FoldTrees::of(family, &members[..n_kept]),
            })
        });
        let judged = judged.collect::<Result<_>>()?;
        self.budget.progress().advance(1);
        Ok(Some(judged))
    }
}

/// What the members of a family cost on the rows of a fold, and the trees that stand for them there.
#[derive(Clone)]
struct Judged {
    sums: Sums,
    trees: FoldTrees,
}

/// How many members are small enough for their trees to be kept; at least the first.
fn n_kept(family: &Family) -> usize {
    let most = match family.as_nested() {
        Some(_) => MOST_LEAVES_OF_NESTED,
        None => MOST_LEAVES_KEPT,
    };
    let values = family.values();
    let n_small = values.partition_point(|member| member.leaves <= most);
    n_small.max(1)
}

/// What stands for a member of the full family in that of a fold.
enum StandIn {
    /// The member for a weight; `None` is infinity.
    Weight(Option<f64>),
    /// The member with at most this many leaves.
    Leaves(usize),
}

/// For each member what stands for it: the geometric mean of its thresholds, which fall. In a family of all sizes it is
/// the number of leaves, which rises.
fn stand_ins(family: &Family) -> Vec<StandIn> {
    if family.has_all_sizes() {
        let leaves = family.values().iter().map(|member| member.leaves);
        return leaves.map(StandIn::Leaves).collect();
    }
    let mut above: Option<f64> = None;
    let mut weight = |member: usize| {
        let low = family.lambda_low(member)?;
        let high = above.replace(low)?;
        Some(low.sqrt() * high.sqrt())
    };
    let members = 0..family.len();
    members
        .map(|member| StandIn::Weight(weight(member)))
        .collect()
}

/// The members that others stand for. They only grow, so one walk finds them all.
fn members_at(family: &Family, members: &[StandIn]) -> Result<Vec<usize>> {
    let mut member = 0;
    let mut found = Vec::with_capacity(members.len());
    for stand_in in members {
        match *stand_in {
            StandIn::Weight(None) => {}
            StandIn::Weight(Some(weight)) => {
                while member + 1 < family.len() && next_is_better(family, member, weight)? {
                    member += 1;
                }
            }
            StandIn::Leaves(most) => member = family.with_leaves(most).unwrap_or(0),
        }
        found.push(member);
    }
    Ok(found)
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
    folds: Vec<FoldErrors>,
    repeats: usize,
}

impl Figures {
    fn new(n_members: usize) -> Self {
        Self {
            total: Sums::new(n_members),
            se: vec![0.0; n_members],
            folds: Vec::new(),
            repeats: 0,
        }
    }

    /// The rows of a repeat, fold by fold.
    fn add(&mut self, folds: Vec<Judged>, units: &LossUnits) {
        let mut round = Sums::new(self.se.len());
        for Judged { sums, trees } in folds {
            round.add(&sums);
            let members = 0..self.se.len();
            self.folds.push(FoldErrors {
                weight: units.weight_of(&sums),
                error: members.map(|member| units.mean(&sums, member)).collect(),
                trees: (self.repeats == 0).then_some(trees),
            });
        }
        let round = &round;
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
            folds: self.folds,
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

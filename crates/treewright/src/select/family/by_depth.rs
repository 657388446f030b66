//! How well trees of depth 0, 1, 2, ... can describe a whole table.
//!
//! The best tree of each depth, one depth after the other, as in the tables of Auer, Holte and Maass (1995).
//! The budget spans all of them. A deeper tree is never worse: where a search that was stopped has found
//! nothing as good, the tree of the depth before stands, which is also one of this depth.

use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::cost::Lambda;
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::learn::FamilyLearner;
use crate::learn::optimal::{Optimal, SortedColumns};
use crate::tree::{CategoricalSplits, Certificate, FamilyFit, Fit};

/// Deeper trees of every size are too many to be read side by side.
const MOST_DEPTHS: usize = 3;

/// The best trees of rising depths.
#[derive(Debug, Clone)]
pub struct ByDepth {
    /// The tree of depth 0, of depth 1, and so on.
    pub fits: Vec<Fit>,
    /// Was the budget spent before all of them were proven?
    pub stopped: bool,
}

/// Finds the best trees of depth 0, 1, ... up to the learner's depth. It ends before that where no deeper
/// tree can cost less: nothing is wrong any more and leaves are free, or no way can be longer.
pub fn by_depth(learner: &Optimal, data: &Dataset, budget: &Budget) -> Result<ByDepth> {
    let deepest = longest_way(data, learner);
    budget.progress().start(0);
    let table = SortedColumns::new(data);
    let mut fits: Vec<Fit> = Vec::new();
    for depth in 0..=deepest {
        budget.progress().tell(format!("depth {depth}"));
        let learner = Optimal {
            depth,
            ..learner.clone()
        };
        let mut fit = match fits.last() {
            // To begin a search takes time, too.
            Some(before) if budget.is_spent() => learner.unsearched(data, before),
            _ => learner.fit_sorted(&table, &budget.for_part())?,
        };
        if let Some(before) = fits.last()
            && objective(&fit) > objective(before)
        {
            stand_in(&mut fit, before);
        }
        let is_done = fit.training.cost == 0.0 && learner.leaf_cost == Lambda::zero();
        fits.push(fit);
        if is_done {
            break;
        }
    }
    let is_proven = |fit: &Fit| {
        fit.certificate
            .as_ref()
            .is_some_and(Certificate::is_optimal)
    };
    let stopped = !fits.iter().all(is_proven);
    Ok(ByDepth { fits, stopped })
}

/// The best trees of every size, for each depth from 1 to 3, as far as the learner goes. Depths that the budget does not
/// reach are left out.
pub fn sizes_by_depth(
    learner: &Optimal,
    data: &Dataset,
    budget: &Budget,
) -> Result<Vec<FamilyFit>> {
    let deepest = longest_way(data, learner).min(MOST_DEPTHS);
    let mut found = Vec::new();
    // With a single interval there is only one size.
    for depth in (1..=deepest).filter(|_| learner.intervals != Some(1)) {
        if budget.is_spent() {
            break;
        }
        budget
            .progress()
            .tell(format!("all sizes of depth {depth}"));
        let learner = Optimal {
            depth,
            ..learner.clone()
        };
        found.push(learner.fit_family(data, &budget.for_part())?);
    }
    Ok(found)
}

fn objective(fit: &Fit) -> f64 {
    fit.certificate
        .as_ref()
        .map_or(fit.training.cost, |certificate| certificate.objective)
}

/// The tree of the depth before takes the place of a worse one. What is known about this depth stays.
fn stand_in(fit: &mut Fit, before: &Fit) {
    let seconds = fit.training.seconds;
    fit.model = before.model.clone();
    fit.training = before.training;
    fit.training.seconds = seconds;
    if let Some(certificate) = &mut fit.certificate {
        certificate.objective = objective(before);
        certificate.lower_bound = certificate.lower_bound.min(certificate.objective);
    }
}

/// No way from the root to a leaf asks more questions that separate something, and none more than the depth: one for
/// a categorical feature with a branch for each category, one less than it has different values for another one.
fn longest_way(data: &Dataset, learner: &Optimal) -> usize {
    let enough = learner.depth;
    let questions = |column: &Column| match column {
        Column::Numeric(numbers) => {
            let mut known = FxHashSet::default();
            for x in numbers.iter().filter(|x| !x.is_nan()) {
                // Both zeros are one value, and missing is one more.
                known.insert(if *x == 0.0 { 0 } else { x.to_bits() });
                if known.len() > enough {
                    return enough;
                }
            }
            (known.len() + usize::from(column.has_missing())).saturating_sub(1)
        }
        Column::Categorical(_) if learner.categorical_splits == CategoricalSplits::Multiway => 1,
        Column::Categorical(codes) => {
            let known: FxHashSet<u32> = codes.iter().copied().collect();
            known.len().saturating_sub(1).min(enough)
        }
    };
    let most = enough.min(data.n_rows().saturating_sub(1));
    let mut sum = 0;
    for column in data.columns() {
        if sum >= most {
            break;
        }
        sum += questions(column);
    }
    sum.min(most)
}

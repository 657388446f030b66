//! By branch and bound for one alpha, after some larger ones.

use super::answer::{Answer, LowerBound, best_greedy, takes_smaller};
use super::by_path::by_path;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::learn::dyadic::claim::Question;
use crate::learn::dyadic::deadline::SearchLimits;
use crate::learn::dyadic::engines::{Branch, BranchResult};
use crate::learn::dyadic::frontier::{Alpha, Frontier, LeastAlpha, Vertex};
use crate::learn::dyadic::parameters::Dyadic;
use crate::learn::dyadic::path::{Steps, value};
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Grid;
use crate::tree::Work;

/// The best tree so far, and what is proven, from one alpha to the next.
struct BranchIncumbent {
    tree: Vertex,
    plan: HalvingPlan,
    /// No tree has a smaller error + alpha * leaves.
    least_risk: f64,
    work: Work,
}

/// By the search for one alpha, after some larger ones that are easy: their trees are good ones for this
/// alpha as well, and they give lower bounds.
pub(super) fn by_branches(
    learner: &Dyadic,
    question: &Question,
    alpha: Alpha,
    grid: &Grid,
    budget: &Budget,
) -> Result<Answer> {
    let front = Frontier::Hull(LeastAlpha::above(alpha));
    let (tree, plan) = best_greedy(learner, question, front, grid, budget)?;
    let mut incumbent = BranchIncumbent {
        tree,
        plan,
        least_risk: 0.0,
        work: Work::default(),
    };
    let mut steps = Steps::new(grid.points.least_loss(), front, learner.switches);
    let resources = learner.resources(budget);
    loop {
        steps.next();
        let limits = SearchLimits {
            most_work: steps.most_work(),
            ..resources.limits()
        };
        let branch = Branch::new(&grid.points, steps.alpha(), learner.ties, limits);
        let Ok(branch) = branch else {
            let lower = above_base(incumbent.least_risk, grid);
            return Ok(incumbent.answer(lower, false, grid));
        };
        let Some(mut branch) = branch else {
            // Alphas with long numbers.
            return by_path(learner, question, grid, budget);
        };
        let found = incumbent.improve(&mut branch, learner, question, grid);
        // The best objective is a concave function of the alpha, and not negative at zero.
        let share = alpha.to_f64() / steps.alpha().to_f64().max(f64::MIN_POSITIVE);
        let least_risk = found.least_risk * share.min(1.0);
        incumbent.least_risk = incumbent.least_risk.max(least_risk);
        let lower = match (found.is_complete, steps.alpha() == alpha) {
            (true, true) => {
                let tree = incumbent.tree;
                check_value(found.value, branch.value(tree.error, tree.leaves))?;
                LowerBound::Found
            }
            (true, false) => {
                steps.done(branch.work());
                continue;
            }
            (false, _) if steps.is_too_far(branch.work(), &resources) => continue,
            (false, _) => above_base(incumbent.least_risk, grid),
        };
        let is_complete = matches!(lower, LowerBound::Found);
        let has_fewest_leaves = is_complete && takes_smaller(learner, alpha);
        return Ok(incumbent.answer(lower, has_fewest_leaves, grid));
    }
}

impl BranchIncumbent {
    /// Searches for a better tree, at the alpha of a search.
    fn improve(
        &mut self,
        branch: &mut Branch,
        learner: &Dyadic,
        question: &Question,
        grid: &Grid,
    ) -> BranchResult {
        // Also one that is only as good: of equal trees the first in the order of the search is taken.
        let upper = branch.value(self.tree.error, self.tree.leaves) + 1;
        let mut found = branch.search(upper);
        (self.work.solves, self.work.states) = (self.work.solves + 1, branch.states() as u64);
        if let Some(better) = found.plan.take() {
            let tree = better.figures(&grid.points);
            let (tree_value, best_value) = (value(tree, grid), value(self.tree, grid));
            let order = question.compare(tree_value, best_value, learner.ties);
            if order.is_le() {
                (self.tree, self.plan) = (tree, better);
            }
        }
        found
    }

    fn answer(self, lower: LowerBound, has_fewest_leaves: bool, grid: &Grid) -> Answer {
        Answer {
            plan: self.plan,
            value: value(self.tree, grid),
            lower,
            has_fewest_leaves,
            work: self.work,
        }
    }
}

/// A lower bound of error + alpha * leaves as one of the objective.
fn above_base(least_risk: f64, grid: &Grid) -> LowerBound {
    let (unit, total) = (grid.scale.unit, grid.scale.total_weight);
    let lower = grid.scale.cost(grid.base as i64) + least_risk * unit / total;
    // Rounding must not make the lower bound too large.
    LowerBound::Objective(lower * (1.0 - 1e-12))
}

/// Refuses a tree that is not worth what the search has proven to be the least.
pub(super) fn check_value(proven: u64, found: u64) -> Result<()> {
    if proven == found {
        return Ok(());
    }
    Err(Error::internal(format!(
        "the least value of a tree is {proven}, but the best one found has {found}"
    )))
}

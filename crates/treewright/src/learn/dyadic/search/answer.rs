//! What a search found, and what it proves.

use crate::budget::Budget;
use crate::cost::SolutionValue;
use crate::error::Result;
use crate::learn::dyadic::claim::Question;
use crate::learn::dyadic::frontier::{Alpha, Frontier, Vertex, vertex};
use crate::learn::dyadic::parameters::{Dyadic, Ties};
use crate::learn::dyadic::path::{engine_for, value};
use crate::learn::dyadic::plan::HalvingPlan;
use crate::learn::dyadic::problem::Grid;
use crate::tree::Work;

/// A tree that was found.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) plan: HalvingPlan,
    /// What the search says about it.
    pub(super) value: SolutionValue,
    pub(super) lower: LowerBound,
    /// Has no tree with the same objective fewer leaves?
    pub(super) has_fewest_leaves: bool,
    pub(super) work: Work,
}

/// How good a tree may be.
#[derive(Debug)]
pub(super) enum LowerBound {
    /// As good as the one that was found, and no better.
    Found,
    /// As good as one with these figures.
    Tree(SolutionValue),
    /// Its objective is not below this.
    Objective(f64),
}

/// The best of the trees that may exist, if it is better than the one that was found.
pub(super) fn lower_bound(
    question: &Question,
    found: SolutionValue,
    open: &[SolutionValue],
) -> LowerBound {
    let is_better = |tree: &&SolutionValue| question.is_better(**tree, found);
    let allowed = open.iter().filter(|tree| question.allows(**tree));
    allowed
        .filter(is_better)
        .copied()
        .reduce(|a, b| if question.is_better(b, a) { b } else { a })
        .map_or(LowerBound::Found, LowerBound::Tree)
}

/// The best of the trees that are found at once.
pub(super) fn best_greedy(
    learner: &Dyadic,
    question: &Question,
    front: Frontier,
    grid: &Grid,
    budget: &Budget,
) -> Result<(Vertex, HalvingPlan)> {
    if !learner.switches.greedy_start {
        return Ok((vertex(1, grid.points.least_loss()), HalvingPlan::Leaf));
    }
    let engine = engine_for(
        grid,
        learner.model,
        front,
        learner.resources(budget).limits(),
    )?;
    let trees = engine.greedy().into_iter();
    let allowed = trees.filter(|(tree, _)| question.allows(value(*tree, grid)));
    let best = allowed
        .min_by(|(a, _), (b, _)| question.compare(value(*a, grid), value(*b, grid), learner.ties));
    Ok(best.expect("one leaf is always a tree"))
}

/// Is the smaller of two equal trees taken? Without an alpha it is in any case.
pub(super) fn takes_smaller(learner: &Dyadic, alpha: Alpha) -> bool {
    learner.ties == Ties::Smaller || alpha.numerator == 0
}

/// One leaf, where there is no time or memory for anything else.
pub(super) fn only_leaf(leaf: Vertex, question: &Question, grid: &Grid) -> Answer {
    // Any other tree has two leaves, and at best no error.
    let two = value(vertex(2, 0), grid);
    let open = if question.allows(two) {
        two
    } else {
        value(vertex(1, 0), grid)
    };
    let leaf = value(leaf, grid);
    let lower = lower_bound(question, leaf, &[open]);
    Answer {
        plan: HalvingPlan::Leaf,
        value: leaf,
        has_fewest_leaves: matches!(lower, LowerBound::Found),
        lower,
        work: Work::default(),
    }
}

//! By way of all trees that could be best.

use super::answer::{Answer, best_greedy, lower_bound};
use crate::budget::Budget;
use crate::cost::SolutionValue;
use crate::error::Result;
use crate::learn::dyadic::claim::{Question, check_end};
use crate::learn::dyadic::parameters::{Dyadic, Ties};
use crate::learn::dyadic::path::{LambdaPath, value};
use crate::learn::dyadic::problem::Grid;

/// By way of all trees that could be best.
pub(super) fn by_path(
    learner: &Dyadic,
    question: &Question,
    grid: &Grid,
    budget: &Budget,
) -> Result<Answer> {
    let wanted = question.front(grid, learner.model, learner.ties)?;
    let (greedy, plan) = best_greedy(learner, question, wanted, grid, budget)?;
    let path = LambdaPath::search(grid, learner.model, wanted, &learner.resources(budget))?;
    let values = path.values(grid);
    if path.is_complete()
        && let Question::Weighted(objective) = question
    {
        let last = values[values.len() - 1];
        check_end(objective.penalty(), wanted, last, grid, learner.model)?;
    }
    let best = (0..values.len())
        .filter(|&place| question.allows(values[place]))
        .min_by(|&a, &b| question.compare(values[a], values[b], learner.ties))
        .expect("one leaf is always a tree");
    let greedy = value(greedy, grid);
    let is_greedy = question.compare(greedy, values[best], learner.ties).is_lt();
    let found = if is_greedy { greedy } else { values[best] };
    let open = path.still_open(grid);
    let mut allowed = open.iter().filter(|tree| question.allows(**tree));
    let is_smaller = |tree: &SolutionValue| question.compare(*tree, found, Ties::Smaller).is_le();
    let is_tied = learner.ties == Ties::Larger && !matches!(question, Question::Sized(_));
    Ok(Answer {
        value: found,
        has_fewest_leaves: !is_tied && !allowed.any(is_smaller),
        plan: if is_greedy {
            plan
        } else {
            path.plans(&[best]).remove(0)
        },
        lower: lower_bound(question, found, &open),
        work: path.work(),
    })
}

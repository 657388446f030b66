//! One tree, and the proof that there is none better.

use std::time::Instant;

use super::aim::{Aim, Question, check_end};
use super::engine::Plan;
use super::grid::Grid;
use super::path::Path;
use super::plant::plant;
use super::{Dyadic, FamilyLearner};
use crate::budget::Budget;
use crate::cost::{Objective, SolutionValue};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::tree::{Certificate, Fit, Training, Tree, Work};

/// A tree that was found.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) plan: Plan,
    /// No tree is better than this; `None` if that is the tree itself.
    pub(super) bound: Option<SolutionValue>,
    pub(super) work: Work,
}

/// The tree that is best at the aim of the learner, or the best one that was found in time.
pub(super) fn fit(learner: &Dyadic, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
    let start = Instant::now();
    let grid = learner.grid(data)?;
    let question = question(learner, data, &grid)?;
    let answer = by_path(learner, &question, &grid, budget)?;
    let tree = plant(&answer.plan, &grid, data, &learner.loss)?;
    let training = Training::of_leaves(&tree, data).taking(start.elapsed());
    let certificate = certificate(learner, &answer, &question, &grid, &training);
    let mut info = learner.info(&grid);
    let (name, value) = learner.aim.param();
    info.params.insert(name.into(), value);
    info.params.insert("search".into(), answer.work.to_json());
    Ok(Fit {
        model: tree,
        learner: info,
        training,
        certificate: Some(certificate),
    })
}

fn question(learner: &Dyadic, data: &Dataset, grid: &Grid) -> Result<Question> {
    if let Aim::Leaves(most_leaves) = learner.aim {
        if most_leaves == 0 {
            return Err(Error::parameter("leaves", 0, "at least 1"));
        }
        return Ok(Question::Sized(most_leaves));
    }
    let (lambda, penalty) = (learner.weight(data)?, learner.penalty.clone());
    let objective = Objective::new(lambda, penalty, grid.scale);
    Ok(Question::Weighted(objective))
}

/// By way of all trees that could be best.
fn by_path(
    learner: &Dyadic,
    question: &Question,
    grid: &Grid,
    budget: &Budget,
) -> Result<Answer> {
    let wanted = question.front(grid, learner.model, learner.ties)?;
    let path = Path::search(grid, learner.model, wanted, &learner.means(budget))?;
    let values = path.all_values(grid);
    if path.is_complete() && let Question::Weighted(objective) = question {
        let last = values[values.len() - 1];
        check_end(objective.penalty(), wanted, last, grid, learner.model)?;
    }
    let best = (0..values.len())
        .filter(|&place| question.allows(values[place]))
        .min_by(|&a, &b| question.compare(values[a], values[b], learner.ties))
        .expect("one leaf is always a tree");
    Ok(Answer {
        plan: path.plan(best),
        bound: bound(question, values[best], &path.still_open(grid)),
        work: path.work(),
    })
}

/// The best of the trees that may exist, if it is better than the one that was found.
fn bound(
    question: &Question,
    found: SolutionValue,
    open: &[SolutionValue],
) -> Option<SolutionValue> {
    let is_better = |tree: &&SolutionValue| question.is_better(**tree, found);
    let allowed = open.iter().filter(|tree| question.allows(**tree));
    allowed
        .filter(is_better)
        .copied()
        .reduce(|a, b| if question.is_better(b, a) { b } else { a })
}

fn certificate(
    learner: &Dyadic,
    answer: &Answer,
    question: &Question,
    grid: &Grid,
    training: &Training,
) -> Certificate {
    // From the rows themselves, whose losses may not be whole.
    let objective = question.value(training.cost, training.leaves);
    let lower_bound = answer.bound.map_or(objective, |tree| {
        question.value(grid.scale.cost(tree.cost), tree.leaves).min(objective)
    });
    Certificate {
        objective,
        lower_bound,
        exact: grid.is_whole,
        tolerance: grid.tolerance(),
        what: question.in_words(learner.model, &grid.halvings()),
    }
}

//! One tree, and the proof that there is none better.

use std::time::Instant;

use super::answer::{Answer, LowerBound, only_leaf};
use super::by_branches::by_branches;
use super::by_path::by_path;
use super::by_rectangles::by_rectangles;
use crate::budget::Budget;
use crate::cost::{Counting, Objective, Penalty};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::FamilyLearner;
use crate::learn::dyadic::claim::{Question, exact_alpha_of};
use crate::learn::dyadic::engines::bytes;
use crate::learn::dyadic::frontier::vertex;
use crate::learn::dyadic::parameters::{Aim, Dyadic, Model, Solver};
use crate::learn::dyadic::plan::PlanToTree;
use crate::learn::dyadic::problem::Grid;
use crate::tree::{Certificate, Fit, Training, Tree, after_rounding, check_claim};

/// The tree that is best at the aim of the learner, or the best one that was found in time.
pub(crate) fn fit(learner: &Dyadic, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
    let start = Instant::now();
    let grid = learner.grid(data, budget)?;
    fit_in(learner, data, &grid, budget, start)
}

/// The tree that is best at the aim of the learner, given the points of the table.
fn fit_in(
    learner: &Dyadic,
    data: &Dataset,
    grid: &Grid,
    budget: &Budget,
    start: Instant,
) -> Result<Fit<Tree>> {
    let question = question(learner, data, grid)?;
    let answer = answer(learner, &question, grid, budget)?;
    let tree = PlanToTree::new(grid, data, &learner.loss).build(&answer.plan)?;
    let recounted = tree.recounted(data, &grid.counting);
    check_claim(answer.value, recounted, grid.slack)?;
    let training = Training::of_leaves(&tree, data)
        .costing(grid.counting.exact_cost(grid.scale, || recounted.cost))
        .taking(start.elapsed());
    let certificate = certificate(learner, &answer, &question, grid, &training);
    let mut info = learner.info(grid);
    let (name, value) = learner.aim.param();
    info.params.insert(name, value);
    info.params.insert("search", answer.work.to_json());
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
    Ok(Question::Weighted(Box::new(objective)))
}

fn answer(learner: &Dyadic, question: &Question, grid: &Grid, budget: &Budget) -> Result<Answer> {
    let is_small = learner
        .resources(budget)
        .has_room_for(bytes(&grid.points, learner.switches).saturating_mul(2));
    let least_loss = || vertex(1, grid.points.least_loss());
    if let Some(leaf) = grid.only_leaf.or_else(|| (!is_small).then(least_loss)) {
        return Ok(only_leaf(leaf, question, grid));
    }
    let linear = match question {
        Question::Weighted(objective) if matches!(objective.penalty(), Penalty::Linear) => {
            let Some(alpha) = exact_alpha_of(objective.lambda(), grid) else {
                // An alpha that was rounded proves nothing; trees of a path are compared exactly.
                return by_path(learner, question, grid, budget);
            };
            Some(alpha)
        }
        _ => None,
    };
    let refused = |expected| Err(Error::parameter("solver", learner.solver.name(), expected));
    match (learner.solver, linear) {
        (Solver::Auto, Some(alpha)) if learner.model == Model::Collapsed => {
            by_branches(learner, question, alpha, grid, budget)
        }
        (Solver::Auto, _) => by_path(learner, question, grid, budget),
        (_, None) => refused("auto for sizes and for penalties that are not linear"),
        (Solver::BranchAndBound, Some(alpha)) => match learner.model {
            Model::Collapsed => by_branches(learner, question, alpha, grid, budget),
            Model::Boxed => refused("auto, mrp or mr for boxed trees"),
        },
        (Solver::Recursion | Solver::PlainRecursion, Some(alpha)) => {
            by_rectangles(learner, question, alpha, grid, budget)
        }
    }
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
    let lower_bound = match answer.lower {
        LowerBound::Found => objective,
        LowerBound::Tree(tree) => question.value(grid.scale.cost(tree.cost), tree.leaves),
        LowerBound::Objective(lower) => lower,
    };
    let lower_bound = after_rounding(lower_bound, objective, grid.tolerance());
    let is_exact = !matches!(&grid.counting, Counting::Rounded(_));
    Certificate {
        objective,
        lower_bound,
        exact: grid.is_whole,
        tolerance: grid.tolerance(),
        fewest_leaves: Some(answer.has_fewest_leaves && is_exact && lower_bound == objective),
        statement: question.statement(learner, grid.halvings()),
    }
}

#[cfg(test)]
mod tests {

    use super::super::by_branches::check_value;
    use super::*;
    use crate::data::ReadOptions;
    use crate::data::csv::CsvSource;

    /// A search that has put a row into another cell than the tree sends it to is found out, by every solver.
    #[test]
    fn points_that_are_not_the_rows_are_refused() {
        let text = "x,class\n1,b\n2,b\n3,a\n4,a\n";
        let source = CsvSource::new(text.into(), b',').unwrap();
        let data = Dataset::read(&source, &ReadOptions::default()).unwrap();
        for solver in [Solver::Auto, Solver::BranchAndBound, Solver::Recursion] {
            let learner = Dyadic {
                solver,
                aim: Aim::Lambda("0.9".parse().unwrap()),
                ..Dyadic::default()
            };
            let mut grid = learner.grid(&data, &Budget::unlimited()).unwrap();
            let fit = |grid: &Grid| {
                let budget = Budget::unlimited();
                fit_in(&learner, &data, grid, &budget, Instant::now())
            };
            assert!(fit(&grid).unwrap().certificate.unwrap().is_optimal());
            // The one leaf that is best here seems to cost less than it does.
            let place = grid.points.losses.iter().position(|&loss| loss > 0);
            grid.points.losses[place.unwrap()] -= 1;
            let error = fit(&grid).unwrap_err().to_string();
            assert!(error.starts_with("internal error: "), "{error}");
            assert!(check_value(3, 4).is_err());
        }
    }
}

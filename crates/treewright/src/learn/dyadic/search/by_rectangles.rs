//! By the recursion over rectangles of Hush and Porter.

use super::answer::{Answer, LowerBound, best_greedy, lower_bound, takes_smaller};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::learn::dyadic::claim::Question;
use crate::learn::dyadic::engines::Rectangles;
use crate::learn::dyadic::frontier::{Alpha, Frontier, LeastAlpha, vertex};
use crate::learn::dyadic::parameters::{Dyadic, Solver};
use crate::learn::dyadic::path::value;
use crate::learn::dyadic::problem::Grid;
use crate::tree::Work;

/// By the recursion over rectangles.
pub(super) fn by_rectangles(
    learner: &Dyadic,
    question: &Question,
    alpha: Alpha,
    grid: &Grid,
    budget: &Budget,
) -> Result<Answer> {
    let limits = learner.resources(budget).limits();
    let looks_ahead = learner.solver == Solver::Recursion;
    let (points, model) = (&grid.points, learner.model);
    let rectangles = Rectangles::new(points, model, looks_ahead, learner.ties, limits);
    let Some(mut rectangles) = rectangles else {
        return Err(Error::schema(
            "too many features, halvings or rows, or too large weights, for a recursion over rectangles; --solver auto is for them",
        ));
    };
    let solved = rectangles.value(alpha);
    let visited = rectangles.visited();
    let work = Work {
        solves: 1,
        rectangles: visited.occupied,
        rectangles_empty: visited.empty,
        ..Work::default()
    };
    if let Ok(best) = solved {
        return Ok(Answer {
            plan: rectangles.plan(),
            value: value(best, grid),
            lower: LowerBound::Found,
            has_fewest_leaves: takes_smaller(learner, alpha),
            work,
        });
    }
    let front = Frontier::Hull(LeastAlpha::above(alpha));
    let (greedy, plan) = best_greedy(learner, question, front, grid, &Budget::unlimited())?;
    // Two leaves without an error are the least that can be hoped for.
    let open = [vertex(1, points.least_loss()), vertex(2, 0)].map(|tree| value(tree, grid));
    let greedy = value(greedy, grid);
    Ok(Answer {
        plan,
        value: greedy,
        lower: lower_bound(question, greedy, &open),
        has_fewest_leaves: false,
        work,
    })
}

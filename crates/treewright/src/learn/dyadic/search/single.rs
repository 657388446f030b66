//! One tree, and the proof that there is none better.

use std::time::Instant;

use crate::budget::Budget;
use crate::cost::{Counting, Objective, Penalty, SolutionValue};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::dyadic::claim::{Aim, Question, check_end, exact_alpha_of};
use crate::learn::dyadic::engines::branch::Branch;
use crate::learn::dyadic::engines::collapsed::SearchLimits;
use crate::learn::dyadic::engines::rectangles::Rectangles;
use crate::learn::dyadic::engines::{HalvingPlan, bytes};
use crate::learn::dyadic::frontier::Frontier;
use crate::learn::dyadic::frontier::hull::{Alpha, LeastAlpha, Vertex, vertex};
use crate::learn::dyadic::path::{LambdaPath, Steps, engine_for, value};
use crate::learn::dyadic::plan::build_tree::PlanToTree;
use crate::learn::dyadic::problem::grid::Grid;
use crate::learn::dyadic::{Dyadic, FamilyLearner, Model, Solver, Ties};
use crate::tree::{Certificate, Fit, Training, Tree, Work, after_rounding, check_claim};

/// A tree that was found.
#[derive(Debug)]
struct Answer {
    plan: HalvingPlan,
    /// What the search says about it.
    value: SolutionValue,
    lower: LowerBound,
    /// Has no tree with the same objective fewer leaves?
    has_fewest_leaves: bool,
    work: Work,
}

/// How good a tree may be.
#[derive(Debug)]
enum LowerBound {
    /// As good as the one that was found, and no better.
    Found,
    /// As good as one with these figures.
    Tree(SolutionValue),
    /// Its objective is not below this.
    Objective(f64),
}

/// The tree that is best at the aim of the learner, or the best one that was found in time.
pub(crate) fn fit(learner: &Dyadic, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
    let start = Instant::now();
    let grid = learner.grid(data, budget)?;
    fit_in(learner, data, &grid, budget, start)
}

/// The same, given the points of the table.
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
    check_claim(
        answer.value,
        tree.recounted(data, grid.counting),
        grid.slack,
    )?;
    let training = Training::of_leaves(&tree, data).taking(start.elapsed());
    let certificate = certificate(learner, &answer, &question, grid, &training);
    let mut info = learner.info(grid);
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
    Ok(Question::Weighted(Box::new(objective)))
}

fn answer(learner: &Dyadic, question: &Question, grid: &Grid, budget: &Budget) -> Result<Answer> {
    let is_small = learner
        .resources(budget)
        .has_room_for(bytes(&grid.points).saturating_mul(2));
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

/// One leaf, where there is no time or memory for anything else.
fn only_leaf(leaf: Vertex, question: &Question, grid: &Grid) -> Answer {
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

/// By the search for one alpha, after some higher ones that are easy: their trees are good ones for this
/// alpha as well, and they bound it from below.
fn by_branches(
    learner: &Dyadic,
    question: &Question,
    alpha: Alpha,
    grid: &Grid,
    budget: &Budget,
) -> Result<Answer> {
    let points = &grid.points;
    let front = Frontier::Hull(LeastAlpha::above(alpha));
    let (mut best, mut plan) = best_greedy(learner, question, front, grid, budget)?;
    let mut steps = Steps::new(points.least_loss(), front);
    let resources = learner.resources(budget);
    let (mut least_risk, mut work) = (0.0_f64, Work::default());
    loop {
        steps.next();
        let limits = SearchLimits {
            most_work: steps.most_work(),
            ..resources.limits()
        };
        let branch = Branch::new(points, steps.alpha(), learner.ties, limits);
        let Ok(branch) = branch else {
            let lower = above_base(least_risk, grid);
            return Ok(Answer {
                plan,
                value: value(best, grid),
                lower,
                has_fewest_leaves: false,
                work,
            });
        };
        let Some(mut branch) = branch else {
            // Alphas with long numbers.
            return by_path(learner, question, grid, budget);
        };
        // Also one that is only as good: of equal trees the first in the order of the search is taken.
        let found = branch.search(branch.value(best.error, best.leaves) + 1);
        (work.solves, work.states) = (work.solves + 1, branch.states() as u64);
        if let Some(better) = found.plan {
            let tree = points.figures(&better);
            let (tree_value, best_value) = (value(tree, grid), value(best, grid));
            if question
                .compare(tree_value, best_value, learner.ties)
                .is_le()
            {
                (best, plan) = (tree, better);
            }
        }
        // The best objective is a concave function of the alpha, and not negative at zero.
        let share = alpha.to_f64() / steps.alpha().to_f64().max(f64::MIN_POSITIVE);
        least_risk = least_risk.max(found.least_risk * share.min(1.0));
        let lower = match (found.is_complete, steps.alpha() == alpha) {
            (true, true) => {
                check_value(found.value, branch.value(best.error, best.leaves))?;
                LowerBound::Found
            }
            (true, false) => {
                steps.done(branch.work());
                continue;
            }
            (false, _) if steps.is_too_far(branch.work(), &resources) => continue,
            (false, _) => above_base(least_risk, grid),
        };
        let is_complete = matches!(lower, LowerBound::Found);
        return Ok(Answer {
            plan,
            value: value(best, grid),
            lower,
            has_fewest_leaves: is_complete && takes_smaller(learner, alpha),
            work,
        });
    }
}

/// A bound for error + alpha * leaves as one for the objective.
fn above_base(least_risk: f64, grid: &Grid) -> LowerBound {
    let (unit, total) = (grid.scale.unit, grid.scale.total_weight);
    let lower = grid.scale.cost(grid.base as i64) + least_risk * unit / total;
    // Rounding must not make the bound too good.
    LowerBound::Objective(lower * (1.0 - 1e-12))
}

/// By the recursion over rectangles.
fn by_rectangles(
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

/// The best of the trees that are found at once.
fn best_greedy(
    learner: &Dyadic,
    question: &Question,
    front: Frontier,
    grid: &Grid,
    budget: &Budget,
) -> Result<(Vertex, HalvingPlan)> {
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

/// By way of all trees that could be best.
fn by_path(learner: &Dyadic, question: &Question, grid: &Grid, budget: &Budget) -> Result<Answer> {
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

/// Is the smaller of two equal trees taken? Without an alpha it is in any case.
fn takes_smaller(learner: &Dyadic, alpha: Alpha) -> bool {
    learner.ties == Ties::Smaller || alpha.numerator == 0
}

/// Refuses a tree that is not worth what the search has proven to be the least.
fn check_value(proven: u64, found: u64) -> Result<()> {
    if proven == found {
        return Ok(());
    }
    Err(Error::internal(format!(
        "the least value of a tree is {proven}, but the best one found has {found}"
    )))
}

/// The best of the trees that may exist, if it is better than the one that was found.
fn lower_bound(question: &Question, found: SolutionValue, open: &[SolutionValue]) -> LowerBound {
    let is_better = |tree: &&SolutionValue| question.is_better(**tree, found);
    let allowed = open.iter().filter(|tree| question.allows(**tree));
    allowed
        .filter(is_better)
        .copied()
        .reduce(|a, b| if question.is_better(b, a) { b } else { a })
        .map_or(LowerBound::Found, LowerBound::Tree)
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
    let is_exact = !matches!(grid.counting, Counting::Rounded(_));
    Certificate {
        objective,
        lower_bound,
        exact: grid.is_whole,
        tolerance: grid.tolerance(),
        fewest_leaves: Some(answer.has_fewest_leaves && is_exact && lower_bound == objective),
        what: question.in_words(learner.model, &grid.halvings()),
    }
}

#[cfg(test)]
mod tests {
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

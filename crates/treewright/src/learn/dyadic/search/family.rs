//! The best trees for all weights of a penalty.

use std::sync::Arc;
use std::time::Instant;

use crate::budget::Budget;
use crate::cost::{Counting, Penalty, SolutionValue, lambda_low, lower_hull, lower_hull_with_ties};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::dyadic::claim::{check_end, front_of_all};
use crate::learn::dyadic::engines::{Rectangles, bytes};
use crate::learn::dyadic::frontier::{Frontier, vertex};
use crate::learn::dyadic::parameters::{Dyadic, Method, Ties};
use crate::learn::dyadic::path::{
    LambdaPath, adaptive_count, grid_count, search, upper_leaves, value,
};
use crate::learn::dyadic::plan::{HalvingPlan, PlanToTree};
use crate::learn::dyadic::problem::Grid;
use crate::learn::exact::by_rows;
use crate::tree::{Family, FamilyFit, LearnerInfo, Training, Tree, Work, check_claim};

/// The family, complete or as far as time and memory allowed. `with_all_sizes`: shall a table of penalties
/// that is too short be refused?
pub(crate) fn fit(
    learner: &Dyadic,
    data: &Dataset,
    budget: &Budget,
    with_all_sizes: bool,
) -> Result<FamilyFit> {
    let start = Instant::now();
    let is_plain = learner.penalty == Penalty::Linear && !learner.collinear;
    if learner.method != Method::Hull && !is_plain {
        let expected = "hull for penalties that are not linear and for collinear trees";
        return Err(Error::parameter("method", learner.method.name(), expected));
    }
    let grid = learner.grid(data, budget)?;
    // A search keeps the points of the one before.
    let is_small = learner
        .resources(budget)
        .has_room_for(bytes(&grid.points, learner.switches).saturating_mul(2));
    let least_loss = || vertex(1, grid.points.least_loss());
    let only_leaf = grid.only_leaf.or_else(|| (!is_small).then(least_loss));
    let found = match (learner.method, only_leaf) {
        (_, Some(leaf)) => FamilyTrees::only(value(leaf, &grid), learner, &grid),
        (Method::Heuristic, _) => by_lambda_search(learner, &grid, budget)?,
        _ => by_path(learner, &grid, budget, with_all_sizes)?,
    };
    let mut builder = PlanToTree::new(&grid, data, &learner.loss);
    let trees = found.plans.iter().map(|plan| builder.build(plan));
    let trees = trees.collect::<Result<Vec<Tree>>>()?;
    for (tree, &value) in trees.iter().zip(&found.values) {
        check_claim(value, tree.recounted(data, &grid.counting), grid.slack)?;
    }
    let mut members = found.values;
    let (mut trees, mut costs) = (trees, None);
    if let Counting::Rounded(_) = &grid.counting {
        costs = Some(by_rows(&mut members, &mut trees, data));
    }
    let family = Family::new(
        learner.penalty.clone(),
        grid.scale,
        members,
        Arc::new(trees),
    );
    let family = family.down_to(found.lowest).with_costs(costs);
    let family = family.with_ties(learner.collinear);
    family.check_weights()?;
    let seconds = start.elapsed();
    let last = family.len() - 1;
    let units = || family.values()[last].cost;
    let exact = grid.counting.exact_cost(grid.scale, units);
    let training = Training::of_leaves(&family.tree(last), data);
    let training = training.costing(exact).taking(seconds);
    Ok(FamilyFit {
        family,
        learner: info(learner, &grid),
        training,
        exact: grid.is_whole,
        tolerance: grid.tolerance(),
        exact_down_to: found.exact_down_to,
        lower_bounds: None,
        costs_from: None,
        cross_validation: None,
        work: Some(found.work),
        seconds: seconds.as_secs_f64(),
    })
}

fn info(learner: &Dyadic, grid: &Grid) -> LearnerInfo {
    let mut info = learner.info(grid);
    if learner.collinear {
        info.params.insert("collinear", true);
    }
    if learner.method != Method::default() {
        let name = learner.method.name();
        info.params.insert("method", name);
    }
    info
}

/// The trees of a family.
struct FamilyTrees {
    values: Vec<SolutionValue>,
    plans: Vec<HalvingPlan>,
    /// From this weight on the family is complete.
    exact_down_to: f64,
    /// From this weight on its last tree is the best of those that were found.
    lowest: f64,
    work: Work,
}

impl FamilyTrees {
    /// One leaf. Any other tree has two leaves, and at best no error.
    fn only(leaf: SolutionValue, learner: &Dyadic, grid: &Grid) -> Self {
        let open = value(vertex(2, 0), grid);
        let from = match &learner.penalty {
            Penalty::Table(table) if table.values().len() < open.leaves => f64::INFINITY,
            penalty => lambda_low(leaf, open, penalty, grid.scale),
        };
        Self {
            values: vec![leaf],
            plans: vec![HalvingPlan::Leaf],
            exact_down_to: from,
            lowest: from,
            work: Work::default(),
        }
    }
}

/// By one pass.
fn by_path(
    learner: &Dyadic,
    grid: &Grid,
    budget: &Budget,
    with_all_sizes: bool,
) -> Result<FamilyTrees> {
    let (penalty, model) = (&learner.penalty, learner.model);
    let wanted = front_of_all(penalty, learner.collinear, grid, model)?;
    let path = LambdaPath::search(grid, model, wanted, &learner.resources(budget))?;
    let mut values = path.values(grid);
    if let Frontier::Stairs(most_leaves) = wanted {
        values.retain(|tree| tree.leaves <= most_leaves as usize);
    }
    if path.is_complete() && with_all_sizes {
        check_end(penalty, wanted, values[values.len() - 1], grid, model)?;
    }
    let (members, exact_down_to) = best_members(learner, &values, &path, grid);
    let mut work = path.work();
    if learner.method != Method::Hull {
        work.solves = n_alphas(learner, &path, grid, budget)?;
    }
    Ok(FamilyTrees {
        values: members.iter().map(|&member| values[member]).collect(),
        plans: path.plans(&members),
        exact_down_to,
        lowest: exact_down_to,
        work,
    })
}

/// How many solves a search of the paper would take that finds these trees.
fn n_alphas(learner: &Dyadic, path: &LambdaPath, grid: &Grid, budget: &Budget) -> Result<u64> {
    let limits = learner.resources(budget).limits();
    if !grid.points.is_narrow() {
        return Err(too_wide());
    }
    let most_leaves = upper_leaves(&grid.points, learner.model, limits).ok_or_else(too_wide)?;
    Ok(match learner.method {
        Method::Grid => grid_count(grid.points.least_loss(), most_leaves.into()),
        _ => adaptive_count(path.best(), most_leaves),
    })
}

/// By the paper's search over alphas that guesses the next one.
fn by_lambda_search(learner: &Dyadic, grid: &Grid, budget: &Budget) -> Result<FamilyTrees> {
    let (points, model) = (&grid.points, learner.model);
    let limits = learner.resources(budget).limits();
    let most_leaves = upper_leaves(points, model, limits.clone()).ok_or_else(too_wide)?;
    let rectangles = Rectangles::new(points, model, true, Ties::Larger, limits);
    let mut rectangles = rectangles.ok_or_else(too_wide)?;
    let found = search(&mut rectangles, most_leaves, true);
    let work = found.work();
    let solutions = found.solutions;
    let values: Vec<SolutionValue> = solutions.iter().map(|it| value(it.0, grid)).collect();
    let members = lower_hull(&values, &learner.penalty);
    Ok(FamilyTrees {
        values: members.iter().map(|&member| values[member]).collect(),
        plans: members
            .iter()
            .map(|&member| solutions[member].1.clone())
            .collect(),
        // It may have missed some trees.
        exact_down_to: f64::INFINITY,
        lowest: 0.0,
        work,
    })
}

fn too_wide() -> Error {
    Error::schema(
        "too many features, halvings or rows, or too large weights, for the searches of the paper; --method hull is for them",
    )
}

/// Which trees are best for some weight, and from which weight on that is certain.
fn best_members(
    learner: &Dyadic,
    values: &[SolutionValue],
    path: &LambdaPath,
    grid: &Grid,
) -> (Vec<usize>, f64) {
    let penalty = &learner.penalty;
    let open = path.still_open(grid);
    let found = values.iter().map(|&tree| (tree, true));
    let mut all: Vec<(SolutionValue, bool)> = found
        .chain(open.into_iter().map(|tree| (tree, false)))
        .collect();
    all.sort_by_key(|(tree, _)| tree.leaves);
    let trees: Vec<SolutionValue> = all.iter().map(|(tree, _)| *tree).collect();
    let best = hull(learner.collinear, &trees, penalty);
    // From the first one on that may or may not exist, nothing is certain.
    let certain = best.iter().take_while(|&&place| all[place].1).count();
    let exact_down_to = match best.get(certain) {
        None => 0.0,
        Some(&open) => {
            let last = trees[best[certain - 1]];
            lambda_low(last, trees[open], penalty, grid.scale)
        }
    };
    let members = best[..certain].iter().map(|&place| {
        let leaves = trees[place].leaves;
        values.partition_point(|tree| tree.leaves < leaves)
    });
    (members.collect(), exact_down_to)
}

fn hull(with_ties: bool, trees: &[SolutionValue], penalty: &Penalty) -> Vec<usize> {
    if with_ties {
        lower_hull_with_ties(trees, penalty)
    } else {
        lower_hull(trees, penalty)
    }
}

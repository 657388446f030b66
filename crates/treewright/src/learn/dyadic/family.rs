//! The best trees for all weights of a penalty.

use std::sync::Arc;
use std::time::Instant;

use super::Dyadic;
use super::aim::{check_end, front_of_all};
use super::grid::Grid;
use super::path::Path;
use super::plant::plant;
use crate::budget::Budget;
use crate::cost::{Penalty, SolutionValue, lambda_low, lower_hull, lower_hull_with_ties};
use crate::data::Dataset;
use crate::error::Result;
use crate::tree::{Family, FamilyFit, Training, Tree};

/// The family, complete or as far as time and memory allowed. `with_all_sizes`: shall a table of penalties
/// that is too short be refused?
pub(super) fn fit(
    learner: &Dyadic,
    data: &Dataset,
    budget: &Budget,
    with_all_sizes: bool,
) -> Result<FamilyFit> {
    let start = Instant::now();
    let grid = learner.grid(data)?;
    let penalty = &learner.penalty;
    let wanted = front_of_all(penalty, learner.collinear, &grid, learner.model)?;
    let path = Path::search(&grid, learner.model, wanted, &learner.means(budget))?;
    let values = path.values(&grid);
    if path.is_complete() && with_all_sizes {
        let last = values[values.len() - 1];
        check_end(penalty, wanted, last, &grid, learner.model)?;
    }
    let (members, exact_down_to) = best_members(learner, &values, &path, &grid);
    let trees = members
        .iter()
        .map(|&member| plant(&path.plan(member), &grid, data, &learner.loss))
        .collect::<Result<Vec<Tree>>>()?;
    let seconds = start.elapsed();
    let largest = trees.last().expect("one leaf is always a tree");
    let training = Training::of_leaves(largest, data).taking(seconds);
    let values = members.iter().map(|&member| values[member]).collect();
    let family = Family::new(penalty.clone(), grid.scale, values, Arc::new(trees))
        .down_to(exact_down_to)
        .with_ties(learner.collinear);
    family.check_weights()?;
    let mut info = learner.info(&grid);
    if learner.collinear {
        info.params.insert("collinear".into(), true.into());
    }
    Ok(FamilyFit {
        family,
        learner: info,
        training,
        exact: grid.is_whole,
        tolerance: grid.tolerance(),
        exact_down_to,
        costs_from: None,
        cross_validation: None,
        work: Some(path.work()),
        seconds: seconds.as_secs_f64(),
    })
}

/// Which trees are best for some weight, and from which weight on that is certain.
fn best_members(
    learner: &Dyadic,
    values: &[SolutionValue],
    path: &Path,
    grid: &Grid,
) -> (Vec<usize>, f64) {
    let penalty = &learner.penalty;
    let mut all = values.to_vec();
    all.extend(path.still_open(grid));
    let mut members = hull(learner.collinear, &all, penalty);
    // From the first one on that may or may not exist, nothing is certain.
    let certain = members.partition_point(|&member| member < values.len());
    let exact_down_to = match members.get(certain) {
        None => 0.0,
        Some(&open) => {
            let last = values[members[certain - 1]];
            lambda_low(last, all[open], penalty, grid.scale)
        }
    };
    members.truncate(certain);
    (members, exact_down_to)
}

fn hull(with_ties: bool, trees: &[SolutionValue], penalty: &Penalty) -> Vec<usize> {
    if with_ties {
        lower_hull_with_ties(trees, penalty)
    } else {
        lower_hull(trees, penalty)
    }
}

//! What can be said about the certificate of an optimal tree of bounded depth.
//!
//! The parameters say which trees it was compared with, so it must be one of them, and what its objective
//! is. Parameters that a file does not have are not checked.

use crate::data::Dataset;
use crate::error::counted;
use crate::tree::{CategoricalSplits, Fit, LearnerKind, NodeId, Split, Training, Tree};

pub(super) fn is_optimal(fit: &Fit<Tree>) -> bool {
    fit.learner.kind == LearnerKind::Optimal
}

/// What speaks against the certificate of an optimal tree; nothing for trees of other learners.
pub(super) fn differs(
    fit: &Fit<Tree>,
    data: &Dataset,
    found: &Training,
    objective: f64,
    slack: f64,
) -> Option<String> {
    if !is_optimal(fit) {
        return None;
    }
    let check = || -> Result<(), String> {
        let depth = fit.learner.params.depth()?;
        has_depth(depth, found)?;
        has_intervals(fit, depth)?;
        has_groups(fit)?;
        has_rows(fit, data)?;
        has_leaves(fit, found)?;
        has_objective(fit, found, objective, slack)
    };
    check().err()
}

fn has_depth(most: Option<usize>, found: &Training) -> Result<(), String> {
    match most {
        Some(most) if found.depth > most => Err(format!(
            "depth {}, but at most {most} was asked for",
            found.depth
        )),
        _ => Ok(()),
    }
}

/// Numbers are cut in two above the last level. Where all children are leaves, levels below may be
/// written as one.
fn has_intervals(fit: &Fit<Tree>, depth: Option<usize>) -> Result<(), String> {
    let Some(intervals) = fit.learner.params.intervals()? else {
        return Ok(());
    };
    let tree = &fit.model;
    let mut levels = vec![0; tree.n_nodes()];
    for id in tree.ids() {
        let Some(branch) = tree.branch(id) else {
            continue;
        };
        let level = levels[id.index()] + 1;
        for child in branch.children() {
            levels[child.index()] = level;
        }
        let most = match branch.children().all(|child| tree.is_leaf(child)) {
            true if depth == Some(level) => intervals,
            true => intervals.max(2),
            false => 2,
        };
        if let Split::Intervals { cuts, .. } = &branch.split
            && cuts.len() >= most
        {
            let found = cuts.len() + 1;
            let node = id.0;
            return Err(format!(
                "node {node} has {found} intervals, expected at most {most}"
            ));
        }
    }
    Ok(())
}

/// How many categories share a branch: none where each has one, else all but one category. Where all children are
/// leaves, there may be more groups.
fn has_groups(fit: &Fit<Tree>) -> Result<(), String> {
    let params = &fit.learner.params;
    let splits = params.categorical_splits()?;
    let Some(intervals) = params
        .intervals()?
        .filter(|_| splits != CategoricalSplits::Multiway)
    else {
        return Ok(());
    };
    let tree = &fit.model;
    for id in tree.ids() {
        let Some(branch) = tree.branch(id) else {
            continue;
        };
        let Split::Categories { branches, .. } = &branch.split else {
            continue;
        };
        let mut sizes = vec![0; branch.children().count()];
        for &child in branches.iter().flatten() {
            sizes[child as usize] += 1;
        }
        sizes.retain(|&size| size > 0);
        let is_last = branch.children().all(|child| tree.is_leaf(child));
        let is_grouped = splits == CategoricalSplits::Grouped && is_last;
        let most = if is_grouped { intervals.max(2) } else { 2 };
        let (node, found) = (id.0, sizes.len());
        if found > most {
            return Err(format!(
                "node {node} has {found} groups of categories, expected at most {most}"
            ));
        }
        if found > 1 && !is_grouped && !sizes.contains(&1) {
            return Err(format!("node {node} sets no category apart"));
        }
    }
    Ok(())
}

/// A tree that is one leaf may have few rows.
fn has_rows(fit: &Fit<Tree>, data: &Dataset) -> Result<(), String> {
    let (tree, least) = (&fit.model, fit.learner.params.min_leaf()?.unwrap_or(0));
    let mut n_rows = vec![0; tree.n_nodes()];
    for leaf in tree.apply(data) {
        n_rows[leaf.index()] += 1;
    }
    let is_small =
        |id: &NodeId| *id != NodeId::ROOT && tree.is_leaf(*id) && n_rows[id.index()] < least;
    match tree.ids().find(is_small) {
        None => Ok(()),
        Some(id) => {
            let rows = counted(n_rows[id.index()], "row", "rows");
            let node = id.0;
            Err(format!("leaf {node} has {rows}, expected at least {least}"))
        }
    }
}

fn has_leaves(fit: &Fit<Tree>, found: &Training) -> Result<(), String> {
    match fit.learner.params.leaves()? {
        Some(most) if found.leaves > most => {
            let found = counted(found.leaves, "leaf", "leaves");
            Err(format!("{found}, but at most {most} were asked for"))
        }
        _ => Ok(()),
    }
}

fn has_objective(
    fit: &Fit<Tree>,
    found: &Training,
    objective: f64,
    slack: f64,
) -> Result<(), String> {
    let Some(leaf_cost) = fit.learner.params.leaf_cost()? else {
        return Ok(());
    };
    let params = &fit.learner.params;
    let Some(penalty) = params.penalty_of_leaves() else {
        // The values of a table are not in a model.
        return match params.penalty().and_then(|name| name.as_str()) {
            Some("table") => Ok(()),
            _ => Err("params.penalty is no penalty".into()),
        };
    };
    let computed = found.cost + leaf_cost.to_f64() * penalty.at(found.leaves);
    if (objective - computed).abs() <= slack {
        return Ok(());
    }
    Err(format!("objective is {objective}, found {computed}"))
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;
    use crate::Budget;
    use crate::data::ReadOptions;
    use crate::data::csv::CsvSource;
    use crate::eval::verify;
    use crate::learn::Learner;
    use crate::learn::optimal::Optimal;
    use crate::tree::Params;

    fn data() -> Dataset {
        let rows = (0..40).map(|x| {
            format!(
                "{x},{},{}\n",
                x % 5,
                ["a", "b", "c"][(x / 7 + x % 5 / 3) % 3]
            )
        });
        let text = format!("x,y,class\n{}", rows.collect::<String>());
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    fn fit() -> Fit<Tree> {
        let learner = Optimal {
            min_leaf: 2,
            leaf_cost: "1/300".parse().unwrap(),
            ..Optimal::default()
        };
        learner.fit(&data(), &Budget::unlimited()).unwrap()
    }

    /// What the check of the certificate says.
    fn complaint(fit: &Fit<Tree>) -> Option<String> {
        let checks = verify(fit, &data()).checks;
        let check = checks.into_iter().find(|check| check.name == "certificate");
        check.unwrap().differs
    }

    #[test]
    fn the_objective_is_cost_and_leaves() {
        let fit = fit();
        assert_eq!(complaint(&fit), None);
        for change in [1e-7, -1e-7] {
            let mut fit = fit.clone();
            let certificate = fit.certificate.as_mut().unwrap();
            certificate.objective *= 1.0 + change;
            certificate.lower_bound = certificate.objective;
            let complaint = complaint(&fit).unwrap();
            assert!(complaint.starts_with("objective is "), "{complaint}");
        }
    }

    #[test]
    fn parameters_that_cannot_be() {
        let refused = |name: &str, value: Json, expected: &str| {
            let mut fit = fit();
            fit.learner.params.insert(name, value);
            let complaint = complaint(&fit).unwrap();
            assert!(complaint.starts_with(expected), "{complaint}");
        };
        refused("depth", 1.into(), "depth 2, but at most 1 was asked for");
        refused("depth", "2".into(), "params.depth is no whole number");
        refused("intervals", 1.into(), "node ");
        refused("intervals", (-1).into(), "params.intervals is no whole");
        refused("min_leaf", 30.into(), "leaf ");
        refused("min_leaf", 1.5.into(), "params.min_leaf is no whole");
        refused("leaf_cost", "x".into(), "params.leaf_cost is no price");
        refused("leaf_cost", 0.5.into(), "objective is ");
        refused("leaves", 1.into(), "8 leaves, but at most 1 ");
        refused("penalty", "cubic".into(), "params.penalty is no penalty");
    }

    #[test]
    fn parameters_that_are_not_there() {
        let mut fit = fit();
        fit.learner.params = Params::default();
        assert_eq!(complaint(&fit), None);
    }

    #[test]
    fn three_intervals_above_two_levels() {
        let mut fit = fit();
        fit.learner.params.insert("depth", 3);
        assert_eq!(complaint(&fit), None);
        fit.learner.params.insert("intervals", 2);
        let complaint = complaint(&fit).unwrap();
        assert!(complaint.ends_with("expected at most 2"), "{complaint}");
    }
}

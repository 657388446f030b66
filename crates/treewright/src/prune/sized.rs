//! Trees out of a family of all sizes.

use std::time::Instant;

use super::model::{taken_choice, training_of};
use crate::cost::{Lambda, Penalty};
use crate::error::{Error, Result};
use crate::tree::{
    Certificate, CostKind, FamilyFit, Fit, LeastLeaf, Minimised, Params, Statement, Tree,
    TreeClass, after_rounding,
};

/// A member as a model of its own: the best tree for a weight, or without one the best of its size.
pub(super) fn take_out_sized(
    fit: &FamilyFit,
    member: usize,
    lambda: Option<&Lambda>,
    rule: Option<&str>,
) -> Result<Fit<Tree>> {
    let start = Instant::now();
    let family = &fit.family;
    let tree = family.tree(member);
    let mut learner = fit.learner.clone();
    let choice = taken_choice(&mut learner.params, fit, member, rule);
    let figures = family.member(member);
    let (weight, penalty) = match lambda {
        Some(lambda) => (lambda.clone(), family.penalty().clone()),
        None => (Lambda::zero(), Penalty::Linear),
    };
    let most_leaves = lambda.is_none().then_some(figures.leaves);
    let objective = figures.cost + weight.to_f64() * penalty.at(figures.leaves);
    let is_proven = match lambda {
        Some(lambda) => family.at(lambda) == member && lambda.to_f64() >= fit.exact_down_to,
        None => true,
    };
    let bound = match (&fit.lower_bounds, lambda) {
        (Some(bounds), None) => bounds[member],
        _ => objective,
    };
    let statement = statement(
        &learner.params,
        weight.clone(),
        penalty.clone(),
        most_leaves,
    )?;
    let lower_bound = after_rounding(bound, objective, fit.tolerance);
    let certificate = is_proven.then_some(Certificate {
        objective,
        lower_bound,
        exact: fit.exact,
        tolerance: fit.tolerance,
        fewest_leaves: Some(fit.exact && lower_bound == objective),
        statement,
    });
    let params = &mut learner.params;
    params.insert("leaf_cost", weight.number_or_text());
    if penalty != Penalty::Linear {
        params.insert("penalty", penalty.to_string());
    }
    if let Some(leaves) = most_leaves {
        params.insert("leaves", leaves);
    }
    params.extend(choice);
    Ok(Fit {
        training: training_of(&tree, &fit.training)?.taking(start.elapsed()),
        model: tree,
        learner,
        certificate,
    })
}

/// What the certificate is about.
fn statement(
    params: &Params,
    weight: Lambda,
    penalty: Penalty,
    most_leaves: Option<usize>,
) -> Result<Statement> {
    let missing = |name: &str| Error::model(format!("params.{name} is missing"));
    let depth = params.depth().map_err(Error::model)?;
    let intervals = params.intervals().map_err(Error::model)?;
    let min_leaf = params.min_leaf().map_err(Error::model)?;
    let rows = LeastLeaf::Rows(min_leaf.unwrap_or(1));
    let over = TreeClass::Bounded {
        depth: depth.ok_or_else(|| missing("depth"))?,
        intervals: intervals.ok_or_else(|| missing("intervals"))?,
        categories: params.categorical_splits().map_err(Error::model)?,
        leaf: params.min_leaf_weight().map_or(rows, LeastLeaf::Weight),
        most_leaves,
    };
    let minimised = if weight == Lambda::zero() {
        Minimised::Cost(CostKind::Loss)
    } else {
        Minimised::Penalised(CostKind::Loss, weight, penalty)
    };
    Ok(Statement::least(minimised, over))
}

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
    // A family may be of trees up to a size.
    let limit = learner.params.leaves().map_err(Error::model)?;
    let most_leaves = lambda.map_or(Some(figures.leaves), |_| limit);
    let objective = figures.cost + weight.to_f64() * penalty.at(figures.leaves);
    let is_proven = lambda
        .is_none_or(|lambda| family.at(lambda) == member && lambda.to_f64() >= fit.exact_down_to);
    let bound = match (&fit.lower_bounds, lambda) {
        (Some(bounds), None) => bounds[member],
        _ if is_proven => objective,
        (bounds, _) => {
            least_objective(fit, bounds.as_deref(), &weight, limit).min(objective.next_down())
        }
    };
    let statement = statement(
        &learner.params,
        weight.clone(),
        penalty.clone(),
        most_leaves,
    )?;
    let lower_bound = after_rounding(bound, objective, fit.tolerance);
    let has_fewest_leaves = lambda.is_some() || has_fewest_leaves(fit, member);
    let certificate = Certificate {
        objective,
        lower_bound,
        exact: fit.exact,
        tolerance: fit.tolerance,
        fewest_leaves: Some(fit.exact && has_fewest_leaves && lower_bound == objective),
        statement,
    };
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
        certificate: Some(certificate),
    })
}

/// No tree has a smaller objective for a weight, as far as a search that was stopped knows. The bound of a member holds
/// for trees with fewer leaves than it has, and more than the member before; of larger ones nothing is known.
fn least_objective(
    fit: &FamilyFit,
    bounds: Option<&[f64]>,
    weight: &Lambda,
    limit: Option<usize>,
) -> f64 {
    let (values, penalty) = (fit.family.values(), fit.family.penalty());
    let objective = |cost: f64, leaves: usize| {
        // A table of penalties allows no trees for which it has no line.
        let is_allowed = penalty.check(leaves).is_ok() && limit.is_none_or(|most| leaves <= most);
        match is_allowed {
            false => f64::INFINITY,
            true if *weight == Lambda::zero() => cost,
            true => cost + weight.to_f64() * penalty.at(leaves),
        }
    };
    let mut fewest = 1;
    let mut least = f64::INFINITY;
    for (member, value) in values.iter().enumerate() {
        let cost = bounds.map_or(fit.family.member(member).cost, |bounds| bounds[member]);
        least = least.min(objective(cost, fewest));
        fewest = value.leaves + 1;
    }
    let larger = objective(0.0, fewest);
    let least = least.min(larger);
    least - 1e-12 * least.abs()
}

/// Is it known that trees with fewer leaves cost more than a member that is proven?
fn has_fewest_leaves(fit: &FamilyFit, member: usize) -> bool {
    let Some(bounds) = &fit.lower_bounds else {
        return true;
    };
    let Some(before) = member.checked_sub(1) else {
        return true;
    };
    let values = fit.family.values();
    values[before].leaves + 1 == values[member].leaves
        && bounds[before] > fit.family.member(member).cost
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
        min_class_share: params.min_class_share().map_err(Error::model)?,
        most_leaves,
        rules: params.rules().map_err(Error::model)?,
    };
    let minimised = if weight == Lambda::zero() {
        Minimised::Cost(CostKind::Loss)
    } else {
        Minimised::Penalised(CostKind::Loss, weight, penalty)
    };
    Ok(Statement::least(minimised, over))
}

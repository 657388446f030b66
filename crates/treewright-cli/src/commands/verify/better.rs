//! Trees that are quickly found: none of them may be better than what is called the best.

use anyhow::Result;
use treewright::data::{Column, Dataset};
use treewright::eval::Check;
use treewright::learn::greedy::{self, MissingPolicy};
use treewright::learn::{Greedy, Learner};
use treewright::tree::{AimParam, CategoricalSplits, LearnerKind};
use treewright::{Budget, Fit, Tree};

/// Sums of doubles agree to this relative difference.
const RELATIVE: f64 = 1e-9;

/// Compares the lower bound of a certificate with one leaf, all prunings of the tree, and a greedy tree of its class.
pub(super) fn check(fit: &Fit<Tree>, data: &Dataset) -> Result<Check> {
    let differs = differs(fit, data)?;
    Ok(Check {
        name: "better trees",
        ok: differs.is_none(),
        differs,
    })
}

fn differs(fit: &Fit<Tree>, data: &Dataset) -> Result<Option<String>> {
    let (Some(certificate), Some(price)) = (&fit.certificate, price(fit, data)) else {
        return Ok(None);
    };
    let bound = certificate.lower_bound;
    let bound = bound - RELATIVE * bound.abs() - certificate.tolerance.unwrap_or(0.0);
    let (objective, leaves) = best_pruning(&fit.model, price, data.total_weight());
    if objective < bound {
        return Ok(Some(format!(
            "a pruning with {leaves} leaves has the objective {objective}, below the bound"
        )));
    }
    if let Some(greedy) = greedy_tree(fit, data, price)? {
        let leaves = greedy.training.leaves;
        let objective = greedy.training.cost + price * leaves as f64;
        let is_allowed = fit
            .learner
            .params
            .leaves()
            .is_ok_and(|most| most.is_none_or(|most| leaves <= most));
        if is_allowed && objective < bound {
            return Ok(Some(format!(
                "the greedy tree with {leaves} leaves has the objective {objective}, below the bound"
            )));
        }
    }
    Ok(None)
}

/// What a leaf costs in the objective, if that is linear in the leaves.
fn price(fit: &Fit<Tree>, data: &Dataset) -> Option<f64> {
    let params = &fit.learner.params;
    let is_linear = params.penalty().is_none() && !params.has_pruned();
    match fit.learner.kind {
        _ if !is_linear || !fit.model.schema().is_classification() => None,
        LearnerKind::Optimal => Some(params.leaf_cost().ok()??.to_f64()),
        LearnerKind::Dyadic => match params.aim().ok()?? {
            AimParam::Lambda(lambda) => Some(lambda.to_f64()),
            AimParam::Kappa(kappa) => Some(kappa.to_f64() / data.total_weight()),
            AimParam::Leaves(_) => None,
        },
        LearnerKind::Greedy | LearnerKind::Other(_) | LearnerKind::Unknown => None,
    }
}

/// The least cost + price * leaves of all prunings, one leaf among them, and its leaves.
fn best_pruning(tree: &Tree, price: f64, total: f64) -> (f64, usize) {
    let mut best = vec![(0.0, 0); tree.n_nodes()];
    // Children come after their parents.
    for id in tree.ids().rev() {
        let cost = tree
            .loss()
            .of_counts(tree.counts(id), tree.value(id) as usize);
        let leaf = (cost / total + price, 1);
        let below = tree.branch(id).map(|branch| {
            branch
                .children()
                .fold((0.0, 0), |sum: (f64, usize), child| {
                    let (objective, leaves): (f64, usize) = best[child.index()];
                    (sum.0 + objective, sum.1 + leaves)
                })
        });
        best[id.index()] = match below {
            Some(below) if below.0 < leaf.0 => below,
            _ => leaf,
        };
    }
    best[0]
}

/// A greedy tree that is one of those an optimal tree was compared with.
fn greedy_tree(fit: &Fit<Tree>, data: &Dataset, price: f64) -> Result<Option<Fit<Tree>>> {
    let params = &fit.learner.params;
    let (Ok(Some(depth)), Ok(Some(min_leaf)), Ok(Some(intervals)), Ok(rules)) = (
        params.depth(),
        params.min_leaf(),
        params.intervals(),
        params.rules(),
    ) else {
        return Ok(None);
    };
    let is_optimal = fit.learner.kind == LearnerKind::Optimal;
    let is_multiway = params.categorical_splits() == Ok(CategoricalSplits::Multiway);
    let has_categories = data
        .columns()
        .iter()
        .any(|it| matches!(it, Column::Categorical(_)));
    // A greedy tree may keep categories together that have branches of their own here. Such a tree costs no less, but
    // it has fewer and larger leaves.
    let leaves_matter =
        min_leaf > 1 || price > 0.0 || params.leaves().is_ok_and(|most| most.is_some());
    // The prunings of a greedy tree are compared, and their leaves may have any class.
    let has_share = params.min_class_share() != Ok(None);
    let is_other_class = has_share || has_categories && is_multiway && leaves_matter;
    if !is_optimal || intervals < 2 || params.has_min_leaf_weight() || is_other_class {
        return Ok(None);
    }
    let learner = Greedy {
        max_depth: Some(depth),
        min_leaf: min_leaf.max(1),
        missing: MissingPolicy::Branch,
        categorical_splits: if is_multiway {
            greedy::CategoricalSplits::Multiway
        } else {
            greedy::CategoricalSplits::OneVsRest
        },
        rules,
        loss: fit.model.loss().clone(),
        ..Greedy::default()
    };
    Ok(Some(learner.fit(data, &Budget::unlimited())?))
}

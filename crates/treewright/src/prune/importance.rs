//! How much each feature contributes to a tree.

use super::{Impurity, NodeCosts, PruningCost};
use crate::error::Result;
use crate::tree::{LearnerInfo, Tree};

/// The importances of the features of a learned tree: by the impurity that its learner measures, or by squared errors
/// if it predicts numbers.
pub fn importances_of(tree: &Tree, learner: &LearnerInfo) -> Result<Vec<f64>> {
    let cost = if tree.schema().is_classification() {
        PruningCost::Impurity(Impurity::of_learner(learner))
    } else {
        PruningCost::Squared
    };
    let costs = NodeCosts::of(tree, cost)?;
    Ok(importances(tree, &costs))
}

/// For each feature the share of what its splits gain in what all splits gain: the cost of a node less that
/// of its children, summed over the splits on the feature. With impurities as costs these are the
/// importances of CART (and of scikit-learn). All are 0 if nothing is gained.
pub fn importances(tree: &Tree, costs: &NodeCosts) -> Vec<f64> {
    let mut gains = vec![0_i64; tree.schema().features.len()];
    for id in tree.ids() {
        if let Some(branch) = tree.branch(id) {
            let below: i64 = branch.children().map(|child| costs.at(child)).sum();
            let gain = &mut gains[branch.split.feature()];
            *gain = gain.saturating_add((costs.at(id) - below).max(0));
        }
    }
    let total: f64 = gains.iter().map(|&gain| gain as f64).sum();
    let share = |gain: i64| {
        if total > 0.0 {
            gain as f64 / total
        } else {
            0.0
        }
    };
    gains.into_iter().map(share).collect()
}

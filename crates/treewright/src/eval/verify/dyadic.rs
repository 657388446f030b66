//! What can be said about the certificate of a dyadic tree.
//!
//! The parameters say which price of a leaf the tree is the best for, so its objective is known.

use super::pruned::number;
use crate::tree::{Fit, Training, Tree};

fn is_dyadic(fit: &Fit<Tree>) -> bool {
    fit.learner.name == "dyadic"
}

/// What speaks against the objective of a dyadic tree; nothing for trees of other learners.
pub(super) fn differs(
    fit: &Fit<Tree>,
    found: &Training,
    objective: f64,
    slack: f64,
) -> Option<String> {
    if !is_dyadic(fit) {
        return None;
    }
    let params = &fit.learner.params;
    let (lambda, kappa) = (number(params, "lambda"), number(params, "kappa"));
    let lambda = match (lambda, kappa) {
        (Some(lambda), None) => lambda,
        (None, Some(kappa)) => kappa / found.weight,
        (Some(_), Some(_)) => return Some("params have both lambda and kappa".into()),
        (None, None) => return None,
    };
    let computed = found.cost + lambda * found.leaves as f64;
    let differs = !((objective - computed).abs() <= slack);
    differs.then(|| format!("objective is {objective}, found {computed}"))
}

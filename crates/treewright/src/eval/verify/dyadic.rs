//! What can be said about the certificate of a dyadic tree.
//!
//! The parameters say which price of a leaf the tree is the best for, so its objective is known.

use super::pruned::number;
use crate::data::{Dataset, Target};
use crate::tree::{Fit, Training, Tree};

/// Costs with this many digits behind the point are as good as whole numbers to the search.
const MOST_DIGITS: i32 = 6;

fn is_dyadic(fit: &Fit<Tree>) -> bool {
    fit.learner.name == "dyadic"
}

/// Is every cost of a row a decimal number with few digits? A dyadic search is exact then.
pub(super) fn has_decimal_costs(fit: &Fit<Tree>, data: &Dataset) -> bool {
    let Target::Classes(classes) = data.target() else {
        return false;
    };
    let (loss, n_classes) = (fit.model.loss(), fit.model.schema().classes().len());
    let factor = 10_f64.powi(MOST_DIGITS);
    let is_decimal = |number: f64| (number * factor).round() / factor == number;
    is_dyadic(fit)
        && (0..data.n_rows()).all(|row| {
            let cost = |class| data.weight(row) * loss.of_class(classes[row] as usize, class);
            (0..n_classes).all(|class| is_decimal(cost(class)))
        })
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

//! Rows that are kept aside: neither a tree nor the choice of it has seen them.

use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::eval::{Folds, KeptAside, exact_interval};
use crate::tree::Tree;

/// Fewer rows say next to nothing.
const FEWEST_ROWS: usize = 10;

/// How sure the interval is.
const CONFIDENCE: f64 = 0.95;

/// The rows of a table in two parts.
pub(super) struct Parts {
    pub(super) to_learn: Dataset,
    pub(super) aside: Dataset,
}

/// Keeps a share of the rows aside. Classes are spread as in all rows.
pub(super) fn split(data: &Dataset, share: f64, seed: u64) -> Result<Parts> {
    // Another deal than that of the first fold.
    let folds = Folds::holdout(data, share, seed ^ 0x5EED_0A51_DE00_0001)?;
    let (aside, to_learn) = (folds.test(0), folds.train(0));
    if aside.len() < FEWEST_ROWS || to_learn.len() < FEWEST_ROWS {
        let allowed = format!(
            "a share that keeps at least {FEWEST_ROWS} of the {} rows aside, and as many to learn from",
            data.n_rows()
        );
        return Err(Error::parameter("holdout", share, allowed));
    }
    Ok(Parts {
        to_learn: data.rows(&to_learn),
        aside: data.rows(&aside),
    })
}

/// What a tree costs on rows that were kept aside.
pub(super) fn judge(tree: &Tree, data: &Dataset) -> KeptAside {
    let predicted = tree.predict(data);
    let loss = |row: usize| match data.target() {
        Target::Classes(truths) => {
            (tree.loss()).of_class(truths[row] as usize, predicted[row] as usize)
        }
        Target::Numbers(truths) => (truths[row] - predicted[row]).powi(2),
        Target::Absent => 0.0,
    };
    let rows = data.n_rows();
    let weight = data.total_weight();
    let mean = |of: &dyn Fn(usize) -> f64| {
        let sum: f64 = (0..rows).map(|row| data.weight(row) * of(row)).sum();
        sum / weight
    };
    let error = mean(&loss);
    let variance = mean(&|row| (loss(row) - error).powi(2));
    let is_unweighted = (0..rows).all(|row| data.weight(row) == 1.0);
    let is_counted = is_unweighted && *tree.loss() == Loss::ZeroOne;
    let wrong = (error * rows as f64).round() as u64;
    KeptAside {
        rows,
        error,
        se: (variance / rows as f64).sqrt(),
        interval: is_counted.then(|| exact_interval(wrong, rows as u64, CONFIDENCE)),
    }
}

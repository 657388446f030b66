//! What every node would cost as a leaf, on rows other than those of training.
//!
//! With these costs a tree can be pruned on a validation set: the answers of the nodes stay, only what
//! they cost is counted anew. A row that is distributed counts in every node by its share there.

use super::comparable;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::tree::{NodeId, Tree};

/// Costs of all nodes of a tree on some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Recost {
    /// For each node the sum of weight times loss of the rows that reach it.
    pub costs: Vec<f64>,
    /// For each node the weight of the rows it would answer wrongly; `None` for regression.
    pub errors: Option<Vec<f64>>,
    /// For each node the sum of weight times squared loss.
    pub squares: Vec<f64>,
    /// Number of rows.
    pub rows: usize,
    /// Their total weight.
    pub weight: f64,
}

/// Counts what the nodes of a tree cost on these rows.
pub fn recost(tree: &Tree, data: &Dataset) -> Result<Recost> {
    comparable(tree, data)?;
    if data.n_rows() == 0 {
        return Err(Error::schema("there are no rows to take costs from"));
    }
    let mut costs = vec![0.0; tree.n_nodes()];
    let mut squares = costs.clone();
    each_loss(tree, data, tree.loss(), |id, weight, loss| {
        costs[id.index()] += weight * loss;
        squares[id.index()] += weight * (loss * loss);
    });
    let errors = match tree.loss() {
        _ if !tree.schema().is_classification() => None,
        Loss::ZeroOne | Loss::Squared => Some(costs.clone()),
        Loss::Matrix(_) => {
            let mut errors = vec![0.0; tree.n_nodes()];
            each_loss(tree, data, &Loss::ZeroOne, |id, weight, loss| {
                errors[id.index()] += weight * loss;
            });
            Some(errors)
        }
    };
    Ok(Recost {
        costs,
        errors,
        squares,
        rows: data.n_rows(),
        weight: data.total_weight(),
    })
}

/// Calls `found` with every node that a row reaches, the row's weight there and its loss.
fn each_loss(tree: &Tree, data: &Dataset, loss: &Loss, mut found: impl FnMut(NodeId, f64, f64)) {
    for row in 0..data.n_rows() {
        let weight = data.weight(row);
        let value = |feature: usize| data.columns()[feature].value(row);
        tree.visit(value, |id, share| {
            let answer = tree.value(id);
            let loss = match data.target() {
                Target::Classes(truths) => loss.of_class(truths[row] as usize, answer as usize),
                Target::Numbers(truths) => (truths[row] - answer).powi(2),
                Target::Absent => unreachable!("rows without a target are not comparable"),
            };
            found(id, weight * share, loss);
        });
    }
}

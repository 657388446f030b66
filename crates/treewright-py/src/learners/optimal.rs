//! Optimal trees of bounded depth.

use pyo3::prelude::*;
use treewright::export::proof;
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;
use treewright::tree::CategoricalSplits;

use super::{finished, loss, text_of};
use crate::errors::{guarded, named};
use crate::family::weight;
use crate::model::Model;
use crate::running::{Limits, Outcome};
use crate::table::Table;

/// Parameters of the learner of optimal trees.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OptimalParams {
    max_depth: usize,
    intervals: Option<usize>,
    categorical_splits: String,
    min_samples_leaf: usize,
    min_weight_fraction_leaf: f64,
    ccp_alpha: String,
    cost_matrix: Option<Vec<Vec<f64>>>,
    proof: bool,
}

/// The best tree of bounded depth.
#[pyfunction]
pub(crate) fn fit_optimal(
    py: Python<'_>,
    table: &Table,
    params: OptimalParams,
    limits: Limits,
) -> PyResult<Outcome<Model>> {
    guarded(|| {
        let learner = Optimal {
            depth: params.max_depth,
            intervals: params.intervals,
            categorical_splits: named(
                "categorical_splits",
                &params.categorical_splits,
                &CategoricalSplits::ALL.map(|splits| (splits.name(), splits)),
            )?,
            min_leaf: params.min_samples_leaf,
            min_leaf_weight: params.min_weight_fraction_leaf,
            leaf_cost: weight("ccp_alpha", &params.ccp_alpha)?,
            loss: loss(params.cost_matrix.as_deref(), table)?,
            most_bytes: limits.most_bytes(),
            ..Optimal::default()
        };
        let data = table.data();
        let (found, exception) = limits.run(py, table, |budget| {
            if !params.proof {
                return Ok((learner.fit(data, budget)?, None));
            }
            let (fit, proof) = learner.fit_with_proof(data, budget)?;
            let text = text_of(|out| proof::write_optimal(&proof, out))?;
            Ok((fit, Some(text)))
        })?;
        Ok((finished(found, table), exception))
    })
}

//! Optimal trees of bounded depth.

use pyo3::prelude::*;
use treewright::export::proof;
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;
use treewright::select::Searched;
use treewright::tree::CategoricalSplits;

use super::rules::{RuleParams, class_share};
use super::selection::SelectionParams;
use super::{family, finished, loss, nothing_chosen, text_of};
use crate::errors::{guarded, named, raised};
use crate::family::{Family, penalty, weight};
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
    penalty: String,
    max_leaf_nodes: Option<usize>,
    cost_matrix: Option<Vec<Vec<f64>>>,
    rules: RuleParams,
    min_class_share: Option<String>,
    selection: SelectionParams,
    proof: bool,
}

impl OptimalParams {
    fn learner(&self, table: &Table, limits: &Limits) -> PyResult<Optimal> {
        let learner = Optimal {
            depth: self.max_depth,
            intervals: self.intervals,
            categorical_splits: named(
                "categorical_splits",
                &self.categorical_splits,
                &CategoricalSplits::ALL.map(|splits| (splits.name(), splits)),
            )?,
            min_leaf: self.min_samples_leaf,
            min_leaf_weight: self.min_weight_fraction_leaf,
            leaf_cost: weight("ccp_alpha", &self.ccp_alpha)?,
            penalty: penalty(&self.penalty)?,
            leaves: self.max_leaf_nodes,
            rules: self.rules.clone().into(),
            min_class_share: class_share(self.min_class_share.as_deref())?,
            loss: loss(self.cost_matrix.as_deref(), table)?,
            most_bytes: limits.most_bytes(),
        };
        let checked = learner.check_leaf_size(table.data());
        checked.map_err(|error| raised(&error))?;
        Ok(learner)
    }
}

/// The best tree of bounded depth, for a weight or a size.
#[pyfunction]
pub(crate) fn fit_optimal(
    py: Python<'_>,
    table: &Table,
    params: OptimalParams,
    limits: Limits,
) -> PyResult<Outcome<Model>> {
    guarded(|| {
        let learner = params.learner(table, &limits)?;
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

/// The best trees of every size.
#[pyfunction]
pub(crate) fn optimal_family(
    py: Python<'_>,
    table: &Table,
    params: OptimalParams,
    limits: Limits,
) -> PyResult<Outcome<Family>> {
    guarded(|| {
        let searched = Searched::new(params.learner(table, &limits)?);
        let resampling = params.selection.resampling();
        let data = table.data();
        let (found, exception) = limits.run(py, table, |budget| {
            searched.fit_family(data, budget, resampling)
        })?;
        Ok((family(found, table), exception))
    })
}

/// The best trees of every size, and the one that is best on held-out rows.
#[pyfunction]
pub(crate) fn fit_optimal_family(
    py: Python<'_>,
    table: &Table,
    params: OptimalParams,
    limits: Limits,
) -> PyResult<Outcome<(Family, Model)>> {
    guarded(|| {
        let learner = params.learner(table, &limits)?;
        let (rule, resampling) = params.selection.choice()?.ok_or_else(nothing_chosen)?;
        let searched = Searched {
            learner,
            rule,
            resampling,
        };
        let data = table.data();
        let ((found, fit), exception) =
            limits.run(py, table, |budget| searched.fit_with_family(data, budget))?;
        let model = finished((fit, None), table);
        Ok(((family(found, table), model), exception))
    })
}

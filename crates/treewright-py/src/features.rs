//! Selection of features.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use treewright::Budget;
use treewright::select::{
    Backward, Complete, Estimate, FeatureSearch, FeatureSelection, Resampling, Stability,
    shared_bytes,
};

use crate::errors::guarded;
use crate::learners::GreedyParams;
use crate::model::Model;
use crate::running::{Limits, Outcome};
use crate::table::Table;

/// Parameters of a selection of features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SelectParams {
    /// Folds, or `None` for a part that is held out.
    cv: Option<usize>,
    /// Rows that build trees and rows that judge them, instead.
    splits: Option<Vec<(Vec<usize>, Vec<usize>)>>,
    repeats: usize,
    holdout: f64,
    seed: u64,
    plain: bool,
    within: f64,
    resamples: Option<usize>,
}

impl SelectParams {
    /// How the selection is repeated, if it is.
    fn stability(&self) -> Option<Stability> {
        let seed = self.seed;
        self.resamples.map(|resamples| Stability {
            resamples,
            seed,
            ..Stability::default()
        })
    }

    fn estimate(&self, table: &Table) -> Estimate {
        let seed = self.seed;
        if let Some(splits) = &self.splits {
            let known = |rows: &[usize]| table.places(rows);
            let splits = splits.iter();
            let known = splits.map(|(build, held)| (known(build), known(held)));
            return Estimate::Splits(known.collect());
        }
        Estimate::Resampled(match self.cv {
            None => Resampling::Holdout {
                share: self.holdout,
                seed,
            },
            Some(folds) => Resampling::Folds {
                folds,
                repeats: self.repeats,
                seed,
            },
        })
    }
}

/// Takes features away while the error falls.
#[pyfunction]
pub(crate) fn select_backward<'py>(
    py: Python<'py>,
    table: &Table,
    params: GreedyParams,
    select: SelectParams,
    limits: Limits,
) -> PyResult<Outcome<(Bound<'py, PyDict>, Model)>> {
    guarded(|| {
        let usual = Backward::new(params.learner(table)?);
        let search = FeatureSearch::Backward(Backward {
            estimate: select.estimate(table),
            plain: select.plain,
            most_bytes: shared_bytes(limits.memory_limit, usual.most_bytes),
            ..usual
        });
        selected(py, table, &search, &select, &limits)
    })
}

/// Finds the best subset of the features.
#[pyfunction]
pub(crate) fn select_complete<'py>(
    py: Python<'py>,
    table: &Table,
    params: GreedyParams,
    select: SelectParams,
    limits: Limits,
) -> PyResult<Outcome<(Bound<'py, PyDict>, Model)>> {
    guarded(|| {
        let usual = Complete::new(params.learner(table)?);
        let search = FeatureSearch::Complete(Complete {
            estimate: select.estimate(table),
            within: select.within,
            most_bytes: shared_bytes(limits.memory_limit, usual.most_bytes),
            ..usual
        });
        selected(py, table, &search, &select, &limits)
    })
}

/// Runs a search, and turns what it found into a dictionary and a model.
fn selected<'py>(
    py: Python<'py>,
    table: &Table,
    search: &FeatureSearch,
    select: &SelectParams,
    limits: &Limits,
) -> PyResult<Outcome<(Bound<'py, PyDict>, Model)>> {
    let data = table.data();
    let stability = select.stability();
    let work = |budget: &Budget| search.fit(data, budget, stability);
    let ((found, mut fit), exception) = limits.run(py, table, work)?;
    table.remember(&mut fit.learner);
    Ok(((figures(py, &found)?, fit.into()), exception))
}

/// What a selection found, for Python.
fn figures<'py>(py: Python<'py>, found: &FeatureSelection) -> PyResult<Bound<'py, PyDict>> {
    let selection = &found.selection;
    let dict = PyDict::new(py);
    dict.set_item("selected", &selection.selected)?;
    dict.set_item("unused", &selection.unused)?;
    dict.set_item("removed", &selection.removed)?;
    dict.set_item("search_error", selection.search_error)?;
    dict.set_item("all_features_error", selection.all_features_error)?;
    dict.set_item("trees_built", selection.trees_built)?;
    dict.set_item("trees_skipped", selection.trees_skipped)?;
    if let Some(proof) = &selection.proof {
        dict.set_item("optimal", proof.optimal)?;
        dict.set_item("lower_bound", proof.lower_bound)?;
    }
    dict.set_item("stopped", found.is_stopped())?;
    dict.set_item("seconds", selection.time.as_secs_f64())?;
    if let Some(report) = &found.stability {
        dict.set_item("frequency", &report.frequency)?;
        dict.set_item("stability", report.stability)?;
        dict.set_item("resamples", report.selections.len())?;
    }
    Ok(dict)
}

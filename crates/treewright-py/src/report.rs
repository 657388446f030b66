//! Reports, for Python.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use treewright::Budget;
use treewright::cost::Loss;
use treewright::data::ClassWeight;
use treewright::eval::GoodEnough;
use treewright::export::{html, json, words};
use treewright::select::{Exploration, Explore, Resampling};

use crate::errors::{guarded, raised};
use crate::learners::loss;
use crate::model::Model;
use crate::running::{Limits, Outcome};
use crate::table::{Rows, Table};

/// Trees and their figures side by side.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct Report {
    report: treewright::eval::Report,
    /// What models are made from, if the report was made by exploring a table.
    explored: Option<Explored>,
}

/// What was explored, and how.
struct Explored {
    found: Exploration,
    explore: Explore,
    rows: Arc<Rows>,
    class_weight: ClassWeight,
}

impl From<treewright::eval::Report> for Report {
    fn from(report: treewright::eval::Report) -> Self {
        Self {
            report,
            explored: None,
        }
    }
}

impl Report {
    /// The report, with rows of the table or without.
    fn report(&self, rows: bool) -> Cow<'_, treewright::eval::Report> {
        if rows {
            return Cow::Borrowed(&self.report);
        }
        Cow::Owned(treewright::eval::Report {
            sample: None,
            ..self.report.clone()
        })
    }
}

#[pymethods]
impl Report {
    /// The report as a page for a browser, with rows of the table or without.
    #[pyo3(signature = (rows = true))]
    fn to_html(&self, rows: bool) -> PyResult<String> {
        guarded(|| Ok(html::html(&self.report(rows))))
    }

    /// The report as one JSON document.
    #[pyo3(signature = (rows = true))]
    fn to_json(&self, rows: bool) -> PyResult<String> {
        guarded(|| Ok(json::write_report(&self.report(rows))))
    }

    /// Which tree is good enough, in words.
    #[getter]
    fn answer(&self) -> String {
        words::answer(&self.report)
    }

    /// A tree of the report as a model; if rows were kept aside, learned again from all of them.
    fn model(&self, py: Python<'_>, family: usize, member: usize) -> PyResult<Model> {
        guarded(|| {
            let Some(it) = &self.explored else {
                let what = "the report was not made by exploring a table";
                return Err(PyValueError::new_err(what));
            };
            let data = it.rows.data();
            let place = (family, member);
            let fit = py.detach(|| {
                it.found
                    .model(place, &it.explore, data, &Budget::unlimited())
            });
            let mut fit = fit.map_err(|error| raised(&error))?;
            fit.learner.params.set_class_weight(&it.class_weight);
            Ok(fit.into())
        })
    }
}

/// How a table is explored, without its limits.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ExploreParams {
    title: String,
    folds: usize,
    repeats: usize,
    seed: u64,
    tolerance: Option<f64>,
    holdout: Option<f64>,
    cost_matrix: Option<Vec<Vec<f64>>>,
}

/// Finds every tree worth having within the time limit.
#[pyfunction]
#[pyo3(signature = (table, params, limits))]
pub(crate) fn explore(
    py: Python<'_>,
    table: &Table,
    params: ExploreParams,
    limits: Limits,
) -> PyResult<Outcome<Report>> {
    guarded(|| {
        let loss: Loss = loss(params.cost_matrix.as_deref(), table)?;
        let explore = Explore {
            resampling: Resampling::Folds {
                folds: params.folds,
                repeats: params.repeats,
                seed: params.seed,
            },
            good_enough: params
                .tolerance
                .map_or(GoodEnough::OneSe, GoodEnough::Tolerance),
            holdout: params.holdout,
            most_bytes: limits.most_bytes(),
            ..Explore::new(loss)
        };
        let data = table.data();
        let (found, exception) =
            limits.run(py, table, |budget| explore.run(&params.title, data, budget))?;
        let mut report = found.report.clone();
        for section in &mut report.sections {
            table.remember(&mut section.learner);
        }
        let explored = Explored {
            found,
            explore,
            rows: table.rows(),
            class_weight: table.class_weight().clone(),
        };
        let report = Report {
            report,
            explored: Some(explored),
        };
        Ok((report, exception))
    })
}

//! Reports, for Python.

use pyo3::prelude::*;
use treewright::cost::Loss;
use treewright::export::{html, json, words};
use treewright::select::{Explore, Resampling};

use crate::errors::guarded;
use crate::learners::loss;
use crate::running::{Limits, Outcome};
use crate::table::Table;

/// Trees and their figures side by side.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct Report {
    report: treewright::eval::Report,
}

impl From<treewright::eval::Report> for Report {
    fn from(report: treewright::eval::Report) -> Self {
        Self { report }
    }
}

#[pymethods]
impl Report {
    /// The report as a page for a browser.
    fn to_html(&self) -> PyResult<String> {
        guarded(|| Ok(html::html(&self.report)))
    }

    /// The report as one JSON document.
    fn to_json(&self) -> PyResult<String> {
        guarded(|| Ok(json::write_report(&self.report)))
    }

    /// Which tree is good enough, in words.
    #[getter]
    fn answer(&self) -> String {
        words::answer(&self.report)
    }
}

/// Finds every tree worth having within the time limit.
#[pyfunction]
#[pyo3(signature = (table, title, folds, repeats, seed, cost_matrix, limits))]
#[expect(clippy::too_many_arguments, reason = "keywords of a Python function")]
pub(crate) fn explore(
    py: Python<'_>,
    table: &Table,
    title: &str,
    folds: usize,
    repeats: usize,
    seed: u64,
    cost_matrix: Option<Vec<Vec<f64>>>,
    limits: Limits,
) -> PyResult<Outcome<Report>> {
    guarded(|| {
        let loss: Loss = loss(cost_matrix.as_deref(), table)?;
        let explore = Explore {
            resampling: Resampling::Folds {
                folds,
                repeats,
                seed,
            },
            most_bytes: limits.most_bytes(),
            ..Explore::new(loss)
        };
        let data = table.data();
        let (mut report, exception) =
            limits.run(py, table, |budget| explore.run(title, data, budget))?;
        for section in &mut report.sections {
            table.remember(&mut section.learner);
        }
        Ok((report.into(), exception))
    })
}

//! The data check, for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use treewright::check::check_columns;
use treewright::data::Task;
use treewright::export::json;

use crate::errors::{guarded, raised};
use crate::table::Table;

/// What was found in a table, as one JSON document. The target, if there is one, is among the features.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    table: &Table,
    target: Option<&str>,
    task: &str,
) -> PyResult<String> {
    guarded(|| {
        let task = match task {
            "auto" => Task::Auto,
            "classification" => Task::Classification,
            "regression" => Task::Regression,
            other => {
                let allowed = "'auto', 'classification' or 'regression'";
                return Err(PyValueError::new_err(format!(
                    "task: got {other:?}, expected {allowed}"
                )));
            }
        };
        let rows = table.rows();
        let found = py.detach(|| check_columns(rows.data(), target, task));
        let found = found.map_err(|error| raised(&error))?;
        Ok(json::check(&found).to_string())
    })
}

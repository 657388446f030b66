//! The data check, for Python.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use treewright::Error;
use treewright::check::{self as checks, check_columns};
use treewright::data::csv::CsvSource;
use treewright::data::{self, Dataset, ReadOptions, Task};
use treewright::export::{json, words};

use crate::errors::{guarded, raised};
use crate::table::Table;

/// A table from the bytes of a CSV file, read as `explore` of the program reads it: with what the check found, and a
/// sentence for each thing that it changed.
#[pyfunction]
pub(crate) fn read_checked(
    py: Python<'_>,
    bytes: Vec<u8>,
    delimiter: char,
    target: Option<String>,
    task: &str,
    keep: Vec<String>,
) -> PyResult<(Table, Vec<String>)> {
    guarded(|| {
        let task = task_named(task)?;
        let read = || {
            let delimiter = u8::try_from(delimiter).unwrap_or(b',');
            let source = CsvSource::new(bytes, delimiter)?;
            let options = ReadOptions {
                target,
                task,
                ..ReadOptions::default()
            };
            let found = checks::check(&source, &options)?;
            let (options, changes) = found.prepare(&options, &keep)?;
            let data = Dataset::read(&source, &options)?;
            let is_changed = |name: &str| changes.iter().any(|it| it.column() == Some(name));
            let misread = found.all().filter_map(|(column, finding)| {
                let name = &column.filter(|column| !is_changed(&column.name))?.name;
                let sentence = words::finding(finding, column);
                finding.is_misread().then(|| format!("{name}: {sentence}"))
            });
            let changed = changes.iter().map(words::change);
            Ok((Table::owned(data), changed.chain(misread).collect()))
        };
        py.detach(read).map_err(|error: Error| raised(&error))
    })
}

/// Are these numbers the labels of classes?
#[pyfunction]
pub(crate) fn looks_like_classes(numbers: PyReadonlyArray1<'_, f64>) -> bool {
    let numbers: Vec<f64> = numbers.as_array().iter().copied().collect();
    data::looks_like_classes(&numbers, None)
}

fn task_named(task: &str) -> PyResult<Task> {
    match task {
        "auto" => Ok(Task::Auto),
        "classification" => Ok(Task::Classification),
        "regression" => Ok(Task::Regression),
        other => {
            let allowed = "'auto', 'classification' or 'regression'";
            Err(PyValueError::new_err(format!(
                "task: got {other:?}, expected {allowed}"
            )))
        }
    }
}

/// What was found in a table, as one JSON document. The target, if there is one, is among the features.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    table: &Table,
    target: Option<&str>,
    task: &str,
) -> PyResult<String> {
    guarded(|| {
        let task = task_named(task)?;
        let rows = table.rows();
        let found = py.detach(|| check_columns(rows.data(), target, task));
        let found = found.map_err(|error| raised(&error))?;
        Ok(json::check(&found).to_string())
    })
}

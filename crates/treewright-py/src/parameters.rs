//! The tables of the library's parameters, for Python: names in messages and files, and what the tests of the package
//! compare its signatures and documents with.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use treewright::learn::parameters::{COMMON, Kind, LEARNERS, LearnerTable, Parameter, Range};

/// All parameters of all learners, one dictionary each.
#[pyfunction]
pub(crate) fn parameters(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for learner in &LEARNERS {
        let after = learner.after.iter().copied().flatten();
        for parameter in learner.own.iter().chain(after) {
            list.append(dict(py, learner, "tree", parameter)?)?;
        }
        for parameter in learner.of_family.iter().copied().flatten() {
            list.append(dict(py, learner, "family", parameter)?)?;
        }
        for parameter in COMMON {
            list.append(dict(py, learner, "common", parameter)?)?;
        }
    }
    Ok(list)
}

fn dict<'py>(
    py: Python<'py>,
    learner: &LearnerTable,
    table: &str,
    parameter: &Parameter,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("learner", learner.name)?;
    dict.set_item("estimators", learner.estimators)?;
    dict.set_item("table", table)?;
    dict.set_item("name", parameter.name)?;
    dict.set_item("key", parameter.key())?;
    dict.set_item("sklearn", parameter.sklearn)?;
    dict.set_item("has_flag", parameter.has_flag)?;
    dict.set_item("kind", kind(parameter.kind))?;
    dict.set_item("default", parameter.default)?;
    dict.set_item("help", parameter.help)?;
    match parameter.range {
        Range::All => {}
        Range::AtLeast(least) => dict.set_item("at_least", least)?,
        Range::Between(least, most) => dict.set_item("between", (least, most))?,
        Range::Below(least, end) => dict.set_item("below", (least, end))?,
        Range::Inside(least, most) => dict.set_item("inside", (least, most))?,
        Range::OneOf(words) => dict.set_item("one_of", words)?,
    }
    Ok(dict)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Whole => "whole",
        Kind::WholeOrAuto => "whole or auto",
        Kind::WholesOrAuto => "wholes or auto",
        Kind::Number => "number",
        Kind::Exact => "exact",
        Kind::Word => "word",
        Kind::Switch => "switch",
        Kind::Penalty => "penalty",
        Kind::Time => "time",
        Kind::Memory => "memory",
        Kind::Text => "text",
    }
}

/// The name in Python of a parameter that an error of the library names: that of the tables, or else the same with
/// underscores.
pub(crate) fn python_name(name: &str) -> String {
    let key = name.replace('-', "_");
    let mut all = LEARNERS.iter().flat_map(LearnerTable::parameters);
    let known = all.find(|parameter| parameter.key() == key);
    let outside = known.and_then(|parameter| parameter.sklearn);
    outside.map_or(key, str::to_owned)
}

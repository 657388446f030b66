//! Errors of the library as exceptions.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use treewright::{Error, ErrorKind};

/// Parameters whose names in Python are those of scikit-learn.
const NAMES: [(&str, &str); 9] = [
    ("depth", "max_depth"),
    ("folds", "cv"),
    ("lambda", "ccp_alpha"),
    ("leaf_cost", "ccp_alpha"),
    ("leaves", "max_leaf_nodes"),
    ("min_leaf", "min_samples_leaf"),
    ("min_leaf_weight", "min_weight_fraction_leaf"),
    ("min_split", "min_samples_split"),
    ("predict", "leaf_value"),
];

/// The exception for an error of the library.
pub(crate) fn raised(error: &Error) -> PyErr {
    match error.kind() {
        ErrorKind::Io(message) => PyOSError::new_err(message.clone()),
        ErrorKind::Parameter {
            name,
            given,
            allowed,
        } => {
            let known = name.replace('-', "_");
            let named = NAMES.iter().find(|(inside, _)| *inside == known);
            let name = named.map_or(known.as_str(), |(_, outside)| outside);
            refused(name, given, allowed)
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for a parameter out of range.
pub(crate) fn refused(name: &str, given: impl Display, allowed: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: got {given}, expected {allowed}"))
}

/// The value that goes by a name.
pub(crate) fn named<T: Copy>(
    parameter: &str,
    name: &str,
    values: &[(&str, T)],
) -> pyo3::PyResult<T> {
    let found = values.iter().find(|(candidate, _)| *candidate == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = values.iter().map(|(name, _)| format!("{name:?}")).collect();
        refused(parameter, format!("{name:?}"), &names.join(", "))
    })
}

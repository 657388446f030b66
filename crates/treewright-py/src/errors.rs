//! Errors and panics of the library as exceptions.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, PyResult, pyfunction};
use treewright::{Error, ErrorKind};

use crate::parameters::python_name;

/// The exception for an error of the library.
pub(crate) fn raised(error: &Error) -> PyErr {
    match error.kind() {
        ErrorKind::Io(message) => PyOSError::new_err(message.clone()),
        ErrorKind::Parameter {
            name,
            given,
            allowed,
        } => refused(&python_name(name), given, allowed),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for a parameter out of range.
pub(crate) fn refused(name: &str, given: impl Display, allowed: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: got {given}, expected {allowed}"))
}

/// The value that goes by a name.
pub(crate) fn named<T: Copy>(parameter: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(candidate, _)| *candidate == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = values.iter().map(|(name, _)| format!("{name:?}")).collect();
        refused(parameter, format!("{name:?}"), &names.join(", "))
    })
}

/// What the last panic said, and where.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Panics are told by the exceptions that they become, not on standard error.
pub(crate) fn listen_to_panics() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(words.join(" "));
    }));
}

/// Shall the next guarded work panic?
static PANIC_NEXT: AtomicBool = AtomicBool::new(false);

/// For the tests: what is called next panics.
#[pyfunction]
pub(crate) fn panic_next_for_tests() {
    PANIC_NEXT.store(true, Ordering::Relaxed);
}

/// What Python calls: without this a panic would be an exception that is no `Exception`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(|| {
        assert!(!PANIC_NEXT.swap(false, Ordering::Relaxed), "a test panics");
        work()
    })?
}

/// Runs something; a panic becomes a `RuntimeError`. What it was working on is thrown away with it.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, PyErr> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        let what = last.take().unwrap_or_default();
        PyRuntimeError::new_err(format!(
            "this is a bug of treewright, please report it: {what}"
        ))
    })
}

//! The Python module `treewright._native`: glue between Python objects and the library.
//!
//! | file | idea |
//! |---|---|
//! | `table` | arrays become a `Dataset`, without a copy where they can be lent |
//! | `running` | work without the interpreter's lock, with Ctrl-C, progress and a number of threads |
//! | `learners` | parameters become learners, learners are run |
//! | `distinct` | distinct trees, found in the background |
//! | `features` | selection of features |
//! | `model` | a learned tree, for Python |
//! | `family` | a family of trees, for Python |
//! | `costs` | pruning of any tree, given by children and costs |
//! | `parameters` | the tables of the library's parameters, and their names in Python |
//! | `check` | the data check, for Python |
//! | `report` | reports, for Python |
//! | `errors` | errors of the library as exceptions |
//!
//! Nothing is computed here, and what users see is made in `python/treewright`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "functions for Python take what was made of their arguments"
)]

use pyo3::pymodule;

mod check;
mod costs;
mod distinct;
mod errors;
mod family;
mod features;
mod learners;
mod model;
mod parameters;
mod report;
mod running;
mod table;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::check::{check, looks_like_classes, read_checked};
    #[pymodule_export]
    use super::costs::CostTree;
    #[pymodule_export]
    use super::distinct::DistinctTrees;
    #[pymodule_export]
    use super::errors::panic_next_for_tests;
    #[pymodule_export]
    use super::family::Family;
    #[pymodule_export]
    use super::features::{select_backward, select_complete};
    #[pymodule_export]
    use super::learners::{
        dyadic_family, fit_dyadic, fit_dyadic_family, fit_greedy, fit_greedy_family, fit_optimal,
        fit_optimal_family, greedy_family, optimal_family,
    };
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::parameters::parameters;
    #[pymodule_export]
    use super::report::{Report, explore};
    #[pymodule_export]
    use super::running::panic_for_tests;
    #[pymodule_export]
    use super::table::Table;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::errors::listen_to_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

//! Parameters become learners, learners are run.
//!
//! | file | idea |
//! |---|---|
//! | `greedy` | greedy trees and their prunings |
//! | `dyadic` | dyadic trees |
//! | `optimal` | optimal trees of bounded depth |
//! | `selection` | how a tree is chosen by held-out rows |

use std::io::{self, Write};

use pyo3::prelude::*;
use treewright::Error;
use treewright::cost::{CostMatrix, Loss};
use treewright::tree::{FamilyFit, Fit};

use crate::errors::{raised, refused};
use crate::family::Family;
use crate::model::Model;
use crate::table::Table;

mod dyadic;
mod greedy;
mod optimal;
mod rules;
mod selection;

pub(crate) use dyadic::{dyadic_family, fit_dyadic, fit_dyadic_family};
pub(crate) use greedy::{GreedyParams, fit_greedy, fit_greedy_family, greedy_family};
pub(crate) use optimal::{fit_optimal, fit_optimal_family, optimal_family};

/// What wrong predictions cost.
pub(crate) fn loss(matrix: Option<&[Vec<f64>]>, table: &Table) -> PyResult<Loss> {
    let schema = table.data().schema();
    let Some(rows) = matrix else {
        return Ok(Loss::usual(schema));
    };
    let n_classes = schema.classes().len();
    if rows.len() != n_classes {
        let allowed = format!("one row for each of {n_classes} classes");
        return Err(refused(
            "cost_matrix",
            format!("{} rows", rows.len()),
            &allowed,
        ));
    }
    let matrix = CostMatrix::new(rows).map_err(|error| raised(&error))?;
    Ok(Loss::Matrix(matrix))
}

/// A fit, and the text of a proof file, if one was asked for.
type Found = (Fit, Option<String>);

/// A fit with everything that is needed to repeat it.
fn finished((mut fit, proof): Found, table: &Table) -> Model {
    table.remember(&mut fit.learner);
    Model { fit, proof }
}

/// A family with everything that is needed to repeat it.
fn family(mut found: FamilyFit, table: &Table) -> Family {
    table.remember(&mut found.learner);
    found.into()
}

/// Somebody asked for a member without saying which one.
fn nothing_chosen() -> PyErr {
    refused("select", "None", "a rule, or a weight in ccp_alpha")
}

fn text_of(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> treewright::Result<String> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| Error::io(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Error::io(error.to_string()))
}

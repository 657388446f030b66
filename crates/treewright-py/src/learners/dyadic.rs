//! Dyadic trees.

use pyo3::prelude::*;
use treewright::export::proof;
use treewright::learn::Learner;
use treewright::learn::dyadic::{self, Dyadic, Resolution};
use treewright::select::Searched;

use super::selection::SelectionParams;
use super::{family, finished, loss, nothing_chosen, text_of};
use crate::errors::{guarded, named, raised, refused};
use crate::family::{Family, penalty, weight};
use crate::model::Model;
use crate::running::{Limits, Outcome};
use crate::table::Table;

/// Parameters of the dyadic learner.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DyadicParams {
    k: Halvings,
    #[pyo3(item("box"))]
    grid_box: String,
    model: String,
    ties: String,
    missing: String,
    coding: String,
    snap: f64,
    solver: String,
    method: String,
    collinear: bool,
    penalty: String,
    ccp_alpha: Option<String>,
    kappa: Option<String>,
    max_leaf_nodes: Option<usize>,
    cost_matrix: Option<Vec<Vec<f64>>>,
    selection: SelectionParams,
    proof: bool,
}

/// How often features may be halved.
#[derive(FromPyObject)]
enum Halvings {
    Same(u32),
    Word(String),
    Each(Vec<u32>),
}

impl DyadicParams {
    fn learner(&self, table: &Table, limits: &Limits) -> PyResult<Dyadic> {
        Ok(Dyadic {
            resolution: match &self.k {
                Halvings::Word(word) => {
                    named("k", word, &[("auto", ())]).map(|()| Resolution::Auto)?
                }
                Halvings::Same(halvings) => Resolution::Same(*halvings),
                Halvings::Each(halvings) => Resolution::Each(halvings.clone()),
            },
            grid_box: self.grid_box.parse().map_err(|error| raised(&error))?,
            model: named(
                "model",
                &self.model,
                &[
                    ("collapsed", dyadic::Model::Collapsed),
                    ("boxed", dyadic::Model::Boxed),
                ],
            )?,
            ties: named(
                "ties",
                &self.ties,
                &[
                    ("smaller", dyadic::Ties::Smaller),
                    ("larger", dyadic::Ties::Larger),
                ],
            )?,
            missing: named(
                "missing",
                &self.missing,
                &[
                    ("code", dyadic::Missing::Code),
                    ("refuse", dyadic::Missing::Refuse),
                ],
            )?,
            coding: named(
                "coding",
                &self.coding,
                &[
                    ("share", dyadic::Coding::Share),
                    ("order", dyadic::Coding::Order),
                    ("one-vs-rest", dyadic::Coding::OneVsRest),
                ],
            )?,
            snap: self.snap,
            solver: named(
                "solver",
                &self.solver,
                &[
                    ("auto", dyadic::Solver::Auto),
                    ("bnb", dyadic::Solver::BranchAndBound),
                    ("mrp", dyadic::Solver::Recursion),
                    ("mr", dyadic::Solver::PlainRecursion),
                ],
            )?,
            method: named(
                "method",
                &self.method,
                &[
                    ("hull", dyadic::Method::Hull),
                    ("grid", dyadic::Method::Grid),
                    ("adaptive", dyadic::Method::Adaptive),
                    ("heuristic", dyadic::Method::Heuristic),
                ],
            )?,
            collinear: self.collinear,
            penalty: penalty(&self.penalty)?,
            aim: self.aim()?,
            loss: loss(self.cost_matrix.as_deref(), table)?,
            most_bytes: limits.most_bytes(),
            ..Dyadic::default()
        })
    }

    /// The proof file, if one is wanted: that none is needed.
    fn proof_text(&self) -> treewright::Result<Option<String>> {
        let wanted = self.proof.then_some("dyadic");
        wanted
            .map(|kind| text_of(|out| proof::write_needless(kind, out)))
            .transpose()
    }

    fn aim(&self) -> PyResult<dyadic::Aim> {
        Ok(match (&self.ccp_alpha, self.max_leaf_nodes, &self.kappa) {
            (Some(lambda), ..) => dyadic::Aim::Lambda(weight("ccp_alpha", lambda)?),
            (_, Some(leaves), _) => dyadic::Aim::Leaves(leaves),
            (.., Some(kappa)) => {
                dyadic::Aim::Kappa(kappa.parse().map_err(|_| {
                    refused("kappa", kappa, "a number that is not negative, or p/q")
                })?)
            }
            _ => dyadic::Aim::default(),
        })
    }
}

/// The best dyadic tree for a weight or a size.
#[pyfunction]
pub(crate) fn fit_dyadic(
    py: Python<'_>,
    table: &Table,
    params: DyadicParams,
    limits: Limits,
) -> PyResult<Outcome<Model>> {
    guarded(|| {
        let learner = params.learner(table, &limits)?;
        let data = table.data();
        let (found, exception) = limits.run(py, table, |budget| {
            Ok((learner.fit(data, budget)?, params.proof_text()?))
        })?;
        Ok((finished(found, table), exception))
    })
}

/// All best dyadic trees.
#[pyfunction]
pub(crate) fn dyadic_family(
    py: Python<'_>,
    table: &Table,
    params: DyadicParams,
    limits: Limits,
) -> PyResult<Outcome<Family>> {
    guarded(|| {
        let searched = Searched::new(params.learner(table, &limits)?);
        let resampling = params.selection.resampling();
        let data = table.data();
        let (found, exception) = limits.run(py, table, |budget| {
            searched.fit_family(data, budget, resampling)
        })?;
        Ok((family(found, table), exception))
    })
}

/// All best dyadic trees, and the one that is best on held-out rows.
#[pyfunction]
pub(crate) fn fit_dyadic_family(
    py: Python<'_>,
    table: &Table,
    params: DyadicParams,
    limits: Limits,
) -> PyResult<Outcome<(Family, Model)>> {
    guarded(|| {
        let learner = params.learner(table, &limits)?;
        let (rule, resampling) = params.selection.choice()?.ok_or_else(nothing_chosen)?;
        let searched = Searched {
            learner,
            rule,
            resampling,
        };
        let data = table.data();
        let ((found, fit, proof), exception) = limits.run(py, table, |budget| {
            let (found, fit) = searched.fit_with_family(data, budget)?;
            Ok((found, fit, params.proof_text()?))
        })?;
        let model = finished((fit, proof), table);
        Ok(((family(found, table), model), exception))
    })
}

//! Parameters become learners, learners are run.

use std::io::{self, Write};

use pyo3::prelude::*;
use treewright::Error;
use treewright::cost::{CostMatrix, Loss, Penalty};
use treewright::export::proof;
use treewright::learn::dyadic::{self, Dyadic, Resolution};
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy, Summary};
use treewright::learn::optimal::Optimal;
use treewright::learn::{Greedy, Learner};
use treewright::prune::{Aim, take_out};
use treewright::select::{Choice, Pruned, Resampling, Rule, Searched};
use treewright::tree::{FamilyFit, Fit, Training};

use crate::errors::{guarded, named, raised, refused};
use crate::family::{Family, pruning_cost, weight};
use crate::model::Model;
use crate::running::{Limits, Outcome};
use crate::table::Table;

/// Parameters of the greedy learner.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GreedyParams {
    criterion: String,
    bins: usize,
    leaf_value: String,
    max_depth: Option<usize>,
    min_samples_split: usize,
    min_samples_leaf: usize,
    min_weight_fraction_leaf: f64,
    min_gain: f64,
    missing: String,
    categorical_splits: String,
    zero_gain: bool,
    cost_matrix: Option<Vec<Vec<f64>>>,
}

/// Parameters of a pruning.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PruningParams {
    pruning_cost: String,
    penalty: String,
    ccp_alpha: Option<String>,
    max_leaf_nodes: Option<usize>,
    selection: SelectionParams,
    proof: bool,
}

/// Parameters of a choice by rows left out.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SelectionParams {
    select: Option<String>,
    cv: Option<usize>,
    repeats: usize,
    holdout: f64,
    seed: u64,
}

/// Parameters of the dyadic learner.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DyadicParams {
    k: Halvings,
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

/// Parameters of the learner of optimal trees.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OptimalParams {
    max_depth: usize,
    intervals: Option<usize>,
    min_samples_leaf: usize,
    min_weight_fraction_leaf: f64,
    ccp_alpha: String,
    cost_matrix: Option<Vec<Vec<f64>>>,
    proof: bool,
}

impl GreedyParams {
    pub(crate) fn learner(&self, table: &Table) -> PyResult<Greedy> {
        Ok(Greedy {
            criterion: Some(named(
                "criterion",
                &self.criterion,
                &[
                    ("gini", Criterion::Gini),
                    ("entropy", Criterion::Entropy),
                    ("log_loss", Criterion::Entropy),
                    ("gain-ratio", Criterion::GainRatio),
                    ("error", Criterion::Error),
                    ("mse", Criterion::Mse),
                    ("squared_error", Criterion::Mse),
                    ("mae", Criterion::Mae),
                    ("absolute_error", Criterion::Mae),
                    ("binned-gini", Criterion::BinnedGini),
                ],
            )?),
            bins: self.bins,
            predict: named(
                "leaf_value",
                &self.leaf_value,
                &[("mean", Summary::Mean), ("median", Summary::Median)],
            )?,
            max_depth: self.max_depth,
            min_split: self.min_samples_split,
            min_leaf: self.min_samples_leaf,
            min_leaf_weight: self.min_weight_fraction_leaf,
            min_gain: self.min_gain,
            missing: named(
                "missing",
                &self.missing,
                &[
                    ("distribute", MissingPolicy::Distribute),
                    ("branch", MissingPolicy::Branch),
                    ("majority", MissingPolicy::Majority),
                ],
            )?,
            categorical_splits: named(
                "categorical_splits",
                &self.categorical_splits,
                &[
                    ("multiway", CategoricalSplits::Multiway),
                    ("one-vs-rest", CategoricalSplits::OneVsRest),
                ],
            )?,
            zero_gain: self.zero_gain,
            loss: loss(self.cost_matrix.as_deref(), table)?,
        })
    }
}

impl PruningParams {
    fn pruned(&self, learner: Greedy, limits: &Limits) -> PyResult<Pruned> {
        Ok(Pruned {
            cost: pruning_cost(&self.pruning_cost)?,
            penalty: penalty(&self.penalty)?,
            most_bytes: limits.memory_limit.unwrap_or(u64::MAX),
            ..Pruned::new(learner)
        })
    }
}

impl SelectionParams {
    /// The rule that chooses, if one shall, and the rows that are left out.
    fn rule(&self) -> PyResult<Option<Rule>> {
        let rules = [
            ("cv", Rule::Least),
            ("holdout", Rule::Least),
            ("1se", Rule::OneSe),
        ];
        let rule = self.select.as_deref();
        rule.map(|rule| named("select", rule, &rules)).transpose()
    }

    fn resampling(&self) -> Option<Resampling> {
        let seed = self.seed;
        if self.select.as_deref() == Some("holdout") {
            let share = self.holdout;
            return Some(Resampling::Holdout { share, seed });
        }
        Some(Resampling::Folds {
            folds: self.cv?,
            repeats: self.repeats,
            seed,
        })
    }
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
            (Some(lambda), ..) => dyadic::Aim::Lambda(weight(lambda)?),
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

/// What wrong predictions cost.
pub(crate) fn loss(matrix: Option<&[Vec<f64>]>, table: &Table) -> PyResult<Loss> {
    let schema = table.data().schema();
    let Some(rows) = matrix else {
        return Ok(if schema.is_classification() {
            Loss::ZeroOne
        } else {
            Loss::Squared
        });
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

fn penalty(text: &str) -> PyResult<Penalty> {
    text.parse().map_err(|error| raised(&error))
}

/// A greedy tree as it is grown, or the pruning of it with at most so many leaves.
#[pyfunction]
pub(crate) fn fit_greedy(
    py: Python<'_>,
    table: &Table,
    params: GreedyParams,
    pruning: PruningParams,
    limits: Limits,
) -> PyResult<Outcome<Model>> {
    guarded(|| {
        let data = table.data();
        let mut pruned = pruning.pruned(params.learner(table)?, &limits)?;
        let (found, exception) = match pruning.max_leaf_nodes {
            None => limits.run(py, table, |budget| {
                Ok((pruned.learner.fit(data, budget)?, None))
            })?,
            Some(leaves) => {
                pruned.choice = Choice::Aim(Aim::Leaves(leaves));
                limits.run(py, table, |budget| {
                    if !pruning.proof {
                        return Ok((pruned.fit(data, budget)?, None));
                    }
                    let (fit, grown) = pruned.fit_with_grown(data, budget)?;
                    Ok((fit, Some(grown_text(grown, table)?)))
                })?
            }
        };
        Ok((finished(found, table), exception))
    })
}

/// All best prunings of a greedy tree, and the one that was asked for.
#[pyfunction]
pub(crate) fn greedy_family(
    py: Python<'_>,
    table: &Table,
    params: GreedyParams,
    pruning: PruningParams,
    limits: Limits,
) -> PyResult<Outcome<(Family, Option<Model>)>> {
    guarded(|| {
        let pruned = pruning.pruned(params.learner(table)?, &limits)?;
        let rule = pruning.selection.rule()?;
        let resampling = pruning.selection.resampling();
        let lambda = pruning.ccp_alpha.as_deref().map(weight).transpose()?;
        let data = table.data();
        let ((mut found, mut proof), exception) = limits.run(py, table, |budget| {
            if !pruning.proof {
                return Ok((pruned.fit_family(data, budget, resampling)?, None));
            }
            let (found, grown) = pruned.fit_family_with_grown(data, budget, resampling)?;
            Ok((found, Some(grown_text(grown, table)?)))
        })?;
        table.remember(&mut found.learner.params);
        let chosen = match (&found.cross_validation, rule, lambda) {
            (Some(validation), Some(rule), _) => {
                let name = resampling.map(|resampling| rule.name(resampling));
                Some((rule.choose(validation), None, name))
            }
            // Stopped: the tree as it was grown.
            (None, Some(_), _) => Some((found.family.len() - 1, None, None)),
            (_, None, Some(lambda)) => Some((found.family.at(&lambda), Some(lambda), None)),
            (_, None, None) => None,
        };
        let model = chosen
            .map(|(member, lambda, rule)| {
                let mut fit =
                    take_out(&found, member, lambda, rule).map_err(|error| raised(&error))?;
                let seconds = fit.training.seconds + found.seconds + found.training.seconds;
                // As the command line has it: by predictions, which with distributed rows is not a sum over
                // leaves.
                fit.training = Training {
                    seconds,
                    ..Training::of(&fit.model, data)
                };
                let proof = proof.take();
                Ok::<_, PyErr>(Model { fit, proof })
            })
            .transpose()?;
        Ok(((found.into(), model), exception))
    })
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

/// All best dyadic trees, and the one that was asked for.
#[pyfunction]
pub(crate) fn dyadic_family(
    py: Python<'_>,
    table: &Table,
    params: DyadicParams,
    limits: Limits,
) -> PyResult<Outcome<(Family, Option<Model>)>> {
    guarded(|| {
        let learner = params.learner(table, &limits)?;
        let rule = params.selection.rule()?;
        let resampling = params.selection.resampling();
        let data = table.data();
        let work = |budget: &treewright::Budget| -> treewright::Result<(FamilyFit, Option<Found>)> {
            let found = Searched::new(learner.clone()).fit_family(data, budget, resampling)?;
            let fit = match (&found.cross_validation, rule) {
                (Some(validation), Some(rule)) => {
                    let name = resampling.map(|resampling| rule.name(resampling));
                    let mut fit = take_out(&found, rule.choose(validation), None, name)?;
                    let seconds = fit.training.seconds + found.seconds;
                    fit.training = Training {
                        seconds,
                        ..Training::of_leaves(&fit.model, data)
                    };
                    Some(fit)
                }
                // Stopped: the tree for the usual weight.
                (None, Some(_)) => Some(learner.fit(data, budget)?),
                (_, None) => None,
            };
            let proof = params.proof_text()?;
            Ok((found, fit.map(|fit| (fit, proof))))
        };
        let ((mut found, fit), exception) = limits.run(py, table, work)?;
        table.remember(&mut found.learner.params);
        let model = fit.map(|fit| finished(fit, table));
        Ok(((found.into(), model), exception))
    })
}

/// The best tree of bounded depth.
#[pyfunction]
pub(crate) fn fit_optimal(
    py: Python<'_>,
    table: &Table,
    params: OptimalParams,
    limits: Limits,
) -> PyResult<Outcome<Model>> {
    guarded(|| {
        let learner = Optimal {
            depth: params.max_depth,
            intervals: params.intervals,
            min_leaf: params.min_samples_leaf,
            min_leaf_weight: params.min_weight_fraction_leaf,
            leaf_cost: weight(&params.ccp_alpha)?,
            loss: loss(params.cost_matrix.as_deref(), table)?,
            most_bytes: limits.most_bytes(),
        };
        let data = table.data();
        let (found, exception) = limits.run(py, table, |budget| {
            if !params.proof {
                return Ok((learner.fit(data, budget)?, None));
            }
            let (fit, proof) = learner.fit_with_proof(data, budget)?;
            let text = text_of(|out| proof::write_optimal(&proof, out))?;
            Ok((fit, Some(text)))
        })?;
        Ok((finished(found, table), exception))
    })
}

/// A fit, and the text of a proof file, if one was asked for.
type Found = (Fit, Option<String>);

/// A fit with everything that is needed to repeat it.
fn finished((mut fit, proof): Found, table: &Table) -> Model {
    table.remember(&mut fit.learner.params);
    Model { fit, proof }
}

/// A tree before it was pruned, as a proof file.
fn grown_text(mut grown: Fit, table: &Table) -> treewright::Result<String> {
    table.remember(&mut grown.learner.params);
    text_of(|out| proof::write_grown(&grown, out))
}

fn text_of(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> treewright::Result<String> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| Error::io(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Error::io(error.to_string()))
}

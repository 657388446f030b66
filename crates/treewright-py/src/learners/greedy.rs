//! Greedy trees and their prunings.

use pyo3::prelude::*;
use treewright::export::proof;
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy, Summary};
use treewright::learn::{Greedy, Learner};
use treewright::prune::Aim;
use treewright::select::{Choice, FamilyChoice, Pruned};
use treewright::tree::Fit;

use super::rules::{RuleParams, class_share};
use super::selection::SelectionParams;
use super::{family, finished, loss, nothing_chosen, text_of};
use crate::errors::{guarded, named};
use crate::family::{Family, penalty, pruning_cost, weight};
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
    rules: RuleParams,
    min_class_share: Option<String>,
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
                &[
                    ("auto", Summary::Auto),
                    ("mean", Summary::Mean),
                    ("median", Summary::Median),
                ],
            )?,
            max_depth: self.max_depth,
            min_split: self.min_samples_split,
            min_leaf: self.min_samples_leaf,
            min_leaf_weight: self.min_weight_fraction_leaf,
            min_gain: self.min_gain,
            missing: named(
                "missing",
                &self.missing,
                &MissingPolicy::ALL.map(|policy| (policy.name(), policy)),
            )?,
            categorical_splits: named(
                "categorical_splits",
                &self.categorical_splits,
                &CategoricalSplits::ALL.map(|splits| (splits.name(), splits)),
            )?,
            zero_gain: self.zero_gain,
            rules: self.rules.clone().into(),
            min_class_share: class_share(self.min_class_share.as_deref())?,
            loss: loss(self.cost_matrix.as_deref(), table)?,
        })
    }
}

impl PruningParams {
    fn pruned(&self, learner: Greedy, limits: &Limits) -> PyResult<Pruned> {
        Ok(Pruned {
            cost: pruning_cost("pruning_cost", &self.pruning_cost)?,
            penalty: penalty(&self.penalty)?,
            most_bytes: limits.memory_limit.unwrap_or(u64::MAX),
            ..Pruned::new(learner)
        })
    }

    /// The member of the family of prunings that is wanted: for a weight, or by a rule.
    fn member(&self) -> PyResult<Option<FamilyChoice>> {
        if let Some(lambda) = &self.ccp_alpha {
            return Ok(Some(FamilyChoice::Weight(weight("ccp_alpha", lambda)?)));
        }
        let choice = self.selection.choice()?;
        Ok(choice.map(|(rule, resampling)| FamilyChoice::by_rule(rule, resampling)))
    }
}

/// A greedy tree as it is grown, or the pruning of it with at most this many leaves.
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

/// All best prunings of a greedy tree.
#[pyfunction]
pub(crate) fn greedy_family(
    py: Python<'_>,
    table: &Table,
    params: GreedyParams,
    pruning: PruningParams,
    limits: Limits,
) -> PyResult<Outcome<Family>> {
    guarded(|| {
        let pruned = pruning.pruned(params.learner(table)?, &limits)?;
        let resampling = pruning.selection.resampling();
        let data = table.data();
        let (found, exception) = limits.run(py, table, |budget| {
            pruned.fit_family(data, budget, resampling)
        })?;
        Ok((family(found, table), exception))
    })
}

/// All best prunings of a greedy tree, and the one that is best for a weight or on held-out rows.
#[pyfunction]
pub(crate) fn fit_greedy_family(
    py: Python<'_>,
    table: &Table,
    params: GreedyParams,
    pruning: PruningParams,
    limits: Limits,
) -> PyResult<Outcome<(Family, Model)>> {
    guarded(|| {
        let pruned = pruning.pruned(params.learner(table)?, &limits)?;
        let resampling = pruning.selection.resampling();
        let member = pruning.member()?.ok_or_else(nothing_chosen)?;
        let data = table.data();
        let ((found, fit, proof), exception) = limits.run(py, table, |budget| {
            let found = pruned.fit_member(data, budget, resampling, &member)?;
            let proof = pruning.proof.then(|| grown_text(found.grown, table));
            Ok((found.family, found.chosen, proof.transpose()?))
        })?;
        let model = finished((fit, proof), table);
        Ok(((family(found, table), model), exception))
    })
}

/// A tree before it was pruned, as a proof file.
fn grown_text(mut grown: Fit, table: &Table) -> treewright::Result<String> {
    table.remember(&mut grown.learner);
    text_of(|out| proof::write_grown(&grown, out))
}

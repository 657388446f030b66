//! A family of trees, for Python.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treewright::cost::{Lambda, Penalty};
use treewright::data::Dataset;
use treewright::eval::recost;
use treewright::export::json;
use treewright::prune::{Impurity, Method, NodeCosts, Pruner, PruningCost, take_out};
use treewright::tree::{CostsFrom, FamilyFit, Fit, Kept};

use crate::errors::{guarded, named, raised, refused};
use crate::model::Model;
use crate::report::Report;
use crate::table::Table;

/// The best trees for all weights of a penalty: what a family file holds.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct Family {
    pub(crate) fit: FamilyFit,
    /// The members that a file has, by their places in the family.
    kept: Kept,
}

#[pymethods]
impl Family {
    /// Reads the text of a family file.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        guarded(|| {
            json::read_family(text)
                .map(Self::from)
                .map_err(|error| raised(&error))
        })
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        Ok((self.to_json()?,))
    }

    /// The text of a family file.
    fn to_json(&self) -> PyResult<String> {
        guarded(|| {
            json::check_family_size(&self.fit).map_err(|error| raised(&error))?;
            Ok(json::write_family(&self.fit))
        })
    }

    fn __len__(&self) -> usize {
        self.kept.members().len()
    }

    /// The figures of all members.
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let validation = self.fit.cross_validation.as_ref();
        let validation = guarded(|| Ok(validation.map(|found| self.kept.validation(found))))?;
        let all = self.fit.family.members();
        let kept = self.kept.members().iter().enumerate();
        kept.map(|(place, &member)| {
            let figures = &all[member];
            let dict = PyDict::new(py);
            dict.set_item("leaves", figures.leaves)?;
            dict.set_item("cost", figures.cost)?;
            if let Some(errors) = figures.errors {
                dict.set_item("errors", errors)?;
            }
            dict.set_item("lambda_low", figures.lambda_low)?;
            dict.set_item("lambda_high", figures.lambda_high.unwrap_or(f64::INFINITY))?;
            if let Some(validation) = &validation {
                dict.set_item("cv_error", validation.error[place])?;
                dict.set_item("cv_se", validation.se[place])?;
            }
            Ok(dict)
        })
        .collect()
    }

    /// A member as a model of its own; `rule` is the name of the rule that chose it.
    #[pyo3(signature = (place, rule=None, weight=None))]
    fn model(&self, place: usize, rule: Option<&str>, weight: Option<&str>) -> PyResult<Model> {
        let members = self.kept.members();
        let Some(&member) = members.get(place) else {
            let what = format!("member {place} of {}", members.len());
            return Err(PyIndexError::new_err(what));
        };
        let weight = weight.map(self::weight).transpose()?;
        guarded(|| {
            take_out(&self.fit, member, weight, rule)
                .map(Model::from)
                .map_err(|error| raised(&error))
        })
    }

    /// The place of the member that is best for a weight of the penalty.
    fn at(&self, weight: &str) -> PyResult<usize> {
        let weight = self::weight(weight)?;
        guarded(|| Ok(self.place_of(self.fit.family.at(&weight))))
    }

    /// The place of the largest member with at most so many leaves.
    fn with_leaves(&self, most_leaves: usize) -> PyResult<Option<usize>> {
        guarded(|| {
            let member = self.fit.family.with_leaves(most_leaves);
            Ok(member.map(|member| self.place_of(member)))
        })
    }

    /// The places of the member of least error on rows left out, and of the smallest within one standard
    /// error of it.
    #[getter]
    fn chosen(&self) -> PyResult<Option<(usize, usize)>> {
        guarded(|| {
            let found = self.fit.cross_validation.as_ref();
            let found = found.map(|found| self.kept.validation(found));
            Ok(found.map(|found| (found.min, found.one_se)))
        })
    }

    #[getter]
    fn penalty(&self) -> String {
        self.fit.family.penalty().to_string()
    }

    /// Texts of the classes; empty for regression.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.fit.family.tree(0).schema().classes().to_vec()
    }

    /// The same family with one more parameter of its learner.
    fn with_note(&self, name: &str, note: &str) -> Self {
        let mut fit = self.fit.clone();
        fit.learner.params.insert(name, note);
        fit.into()
    }

    /// Was the search stopped before the family was complete or validated?
    #[getter]
    fn stopped(&self) -> bool {
        self.fit.exact_down_to > 0.0 || self.fit.learner.params.stopped().is_some()
    }

    #[getter]
    fn exact_down_to(&self) -> f64 {
        self.fit.exact_down_to
    }

    #[getter]
    fn exact(&self) -> bool {
        self.fit.exact
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.fit.seconds
    }

    /// A report on the family; with a table also on what its trees do to the rows.
    #[pyo3(signature = (title, table=None))]
    fn report(&self, title: &str, table: Option<&Table>) -> PyResult<Report> {
        let rows = table.map(Table::data);
        guarded(|| {
            treewright::eval::Report::on_family(title, &self.fit, rows)
                .map(Report::from)
                .map_err(|error| raised(&error))
        })
    }

    /// Name of the learner, and its parameters as JSON.
    #[getter]
    fn learner(&self) -> (String, String) {
        let learner = &self.fit.learner;
        let params = serde_json::Value::Object(learner.params.as_json().clone());
        (learner.kind.name().to_owned(), params.to_string())
    }

    /// What the search took, as JSON.
    #[getter]
    fn work(&self) -> Option<String> {
        self.fit.work.map(|work| work.to_json().to_string())
    }
}

impl From<FamilyFit> for Family {
    fn from(fit: FamilyFit) -> Self {
        let kept = Kept::of(&fit.family);
        Self { fit, kept }
    }
}

impl Family {
    /// All prunings of a tree that are best for some weight of the penalty.
    pub(crate) fn of_prunings(
        fit: &Fit,
        penalty: &str,
        cost: &str,
        rows: Option<&Dataset>,
    ) -> PyResult<Self> {
        let penalty: Penalty = penalty.parse().map_err(|error| raised(&error))?;
        let cost = pruning_cost(cost)?.as_in(&fit.learner);
        let pruner = Pruner {
            penalty,
            cost,
            method: Method::Auto,
            most_bytes: u64::MAX,
        };
        let found = match rows {
            None => {
                let costs = NodeCosts::of_model(fit, cost);
                costs.and_then(|costs| pruner.family(fit.clone(), &costs, None))
            }
            Some(rows) => {
                if cost != PruningCost::Error && fit.training.errors.is_some() {
                    let what = "\"error\": costs of other rows are those of wrong predictions";
                    return Err(refused("cost", format!("{:?}", cost.name()), what));
                }
                from_rows(fit, rows)
                    .and_then(|(costs, from)| pruner.family(fit.clone(), &costs, Some(from)))
            }
        };
        found.map(Self::from).map_err(|error| raised(&error))
    }

    /// The place of a member among those that a file has: its own, or that of the one before, which took
    /// its weights over.
    fn place_of(&self, member: usize) -> usize {
        let members = self.kept.members();
        members
            .partition_point(|&kept| kept <= member)
            .saturating_sub(1)
    }
}

/// Costs of all nodes on other rows than those of the training.
fn from_rows(fit: &Fit, rows: &Dataset) -> treewright::Result<(NodeCosts, CostsFrom)> {
    let tree = &fit.model;
    let found = recost(tree, rows)?;
    let costs = NodeCosts::new(tree, &found.costs, found.errors.as_deref(), found.weight)?;
    let from = CostsFrom {
        rows: found.rows,
        weight: found.weight,
    };
    let is_whole = rows.has_whole_weights();
    Ok((if is_whole { costs } else { costs.rounded() }, from))
}

/// What a leaf costs.
pub(crate) fn pruning_cost(name: &str) -> PyResult<PruningCost> {
    named(
        "pruning_cost",
        name,
        &[
            ("error", PruningCost::Error),
            ("impurity", PruningCost::Impurity(Impurity::Gini)),
            ("mse", PruningCost::Squared),
        ],
    )
}

/// A weight of a penalty, exactly as it is written.
pub(crate) fn weight(text: &str) -> PyResult<Lambda> {
    let allowed = "a number that is finite and not negative, or p/q";
    text.parse()
        .map_err(|_| refused("ccp_alpha", text, allowed))
}

//! A family of trees, for Python.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treewright::cost::{Lambda, Penalty};
use treewright::export::json;
use treewright::prune::{Impurity, Method, NodeCosts, Pruner, PruningCost, take_out};
use treewright::select::FamilyChoice;
use treewright::tree::{FamilyFit, Fit, Kept};

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
            let is_best = figures.lambda_low.is_some();
            let infinity = is_best.then_some(f64::INFINITY);
            dict.set_item("lambda_high", figures.lambda_high.or(infinity))?;
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
        let weight = weight
            .map(|weight| self::weight("weight", weight))
            .transpose()?;
        guarded(|| {
            take_out(&self.fit, member, weight, rule)
                .map(Model::from)
                .map_err(|error| raised(&error))
        })
    }

    /// The place of the member that is best for a weight of the penalty.
    fn at(&self, weight: &str) -> PyResult<usize> {
        let member = FamilyChoice::Weight(self::weight("weight", weight)?);
        guarded(|| Ok(self.place_of(&member).unwrap_or_default()))
    }

    /// The place of the largest member with at most this many leaves.
    fn with_leaves(&self, most_leaves: usize) -> PyResult<Option<usize>> {
        guarded(|| Ok(self.place_of(&FamilyChoice::Leaves(most_leaves))))
    }

    /// The places of the member of least error on held-out rows, and of the smallest within one standard
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
    /// All prunings of a tree that are best for some weight of the penalty, by the costs of its training rows.
    pub(crate) fn of_prunings(fit: &Fit, penalty: &str, cost: &str) -> PyResult<Self> {
        let pruner = Pruner {
            penalty: self::penalty(penalty)?,
            cost: pruning_cost("cost", cost)?.as_in(&fit.learner),
            method: Method::Auto,
            most_bytes: u64::MAX,
        };
        NodeCosts::of_model(fit, pruner.cost)
            .and_then(|costs| pruner.family(fit.clone(), &costs, None))
            .map(Self::from)
            .map_err(|error| raised(&error))
    }

    /// The place of a member among those that a file has.
    fn place_of(&self, member: &FamilyChoice) -> Option<usize> {
        let place = member.place(&self.fit)?;
        Some(self.kept.place(place))
    }
}

/// What leaves cost.
pub(crate) fn penalty(text: &str) -> PyResult<Penalty> {
    text.parse().map_err(|error| raised(&error))
}

/// What a leaf costs. `name` is that of the parameter.
pub(crate) fn pruning_cost(name: &str, given: &str) -> PyResult<PruningCost> {
    named(
        name,
        given,
        &[
            ("error", PruningCost::Error),
            ("impurity", PruningCost::Impurity(Impurity::Gini)),
            ("mse", PruningCost::Squared),
        ],
    )
}

/// A weight of a penalty, exactly as it is written. `name` is that of the parameter.
pub(crate) fn weight(name: &str, text: &str) -> PyResult<Lambda> {
    let allowed = "a number that is finite and not negative, or p/q";
    text.parse().map_err(|_| refused(name, text, allowed))
}

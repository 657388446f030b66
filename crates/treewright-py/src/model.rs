//! A learned tree, for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use treewright::export::{self, json, words};
use treewright::prune::importances_of;
use treewright::{Fit, Tree};

use crate::errors::{guarded, named, raised};
use crate::family::Family;
use crate::report::Report;
use crate::table::Table;

/// Whole numbers, for Python.
type Numbers<'py> = Bound<'py, PyArray1<i64>>;

/// A learned tree with its circumstances: what a model file holds.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct Model {
    pub(crate) fit: Fit<Tree>,
    /// The text of a proof file, if one was asked for.
    pub(crate) proof: Option<String>,
}

impl From<Fit<Tree>> for Model {
    fn from(fit: Fit<Tree>) -> Self {
        Self { fit, proof: None }
    }
}

/// Ways to write a tree as text.
type Writer = fn(&Tree) -> treewright::Result<String>;

#[pymethods]
impl Model {
    /// Reads the text of a model file.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        guarded(|| {
            let fit = json::read_model(text).map_err(|error| raised(&error))?;
            Ok(fit.into())
        })
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        Ok((self.to_json()?,))
    }

    /// The text of a model file.
    fn to_json(&self) -> PyResult<String> {
        guarded(|| Ok(json::write_model(&self.fit)))
    }

    /// The text of a proof file, if the fit was asked for one.
    #[getter]
    fn proof(&self) -> Option<&str> {
        self.proof.as_deref()
    }

    /// The tree as a text of some format.
    fn export(&self, format: &str) -> PyResult<String> {
        let formats: [(&str, Writer); 9] = [
            ("c", export::c::c),
            ("dot", |tree| Ok(export::dot::dot(tree))),
            ("pmml", |tree| Ok(export::pmml::pmml(tree)?.text)),
            ("python", |tree| Ok(export::python::python(tree))),
            ("rules", |tree| Ok(export::rules::rules(tree))),
            ("rust", |tree| Ok(export::rust::rust(tree))),
            ("sql", export::sql::sql),
            ("svg", |tree| Ok(export::svg::svg(tree))),
            ("text", |tree| Ok(export::text::plain(tree))),
        ];
        let write = named("format", format, &formats)?;
        guarded(|| write(self.tree()).map_err(|error| raised(&error)))
    }

    /// The tree as the bytes of an ONNX file, and what to know about it.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let model = guarded(|| Ok(export::onnx::onnx(self.tree())))?;
        Ok((PyBytes::new(py, &model.bytes), model.notes))
    }

    /// A report on the tree; with a table also on what it does to its rows.
    #[pyo3(signature = (title, table=None))]
    fn report(&self, title: &str, table: Option<&Table>) -> PyResult<Report> {
        let rows = table.map(Table::data);
        guarded(|| {
            treewright::eval::Report::on_model(title, &self.fit, rows)
                .map(Report::from)
                .map_err(|error| raised(&error))
        })
    }

    #[getter]
    fn n_leaves(&self) -> usize {
        self.tree().n_leaves()
    }

    #[getter]
    fn n_nodes(&self) -> usize {
        self.tree().n_nodes()
    }

    #[getter]
    fn depth(&self) -> usize {
        self.tree().depth()
    }

    #[getter]
    fn is_classifier(&self) -> bool {
        self.tree().schema().is_classification()
    }

    /// Texts of the classes; empty for regression.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.tree().schema().classes().to_vec()
    }

    /// Name of the target.
    #[getter]
    fn target(&self) -> String {
        self.tree().schema().target.name.clone()
    }

    /// Name and categories (`None` for numbers) of every feature.
    #[getter]
    fn features(&self) -> Vec<(String, Option<Vec<String>>)> {
        let features = self.tree().schema().features.iter();
        features
            .map(|feature| {
                let categories = match feature.kind {
                    treewright::data::FeatureKind::Numeric => None,
                    treewright::data::FeatureKind::Categorical(_) => {
                        Some(feature.categories().to_vec())
                    }
                };
                (feature.name.clone(), categories)
            })
            .collect()
    }

    /// Texts that are missing cells in files.
    #[getter]
    fn na(&self) -> Vec<String> {
        self.tree().schema().reading.na.clone()
    }

    /// Name of the learner, and its parameters as JSON.
    #[getter]
    fn learner(&self) -> (String, String) {
        let learner = &self.fit.learner;
        let params = serde_json::Value::Object(learner.params.as_json().clone());
        (learner.kind.name().to_owned(), params.to_string())
    }

    /// The same model with one more parameter of its learner.
    fn with_note(&self, name: &str, note: &str) -> Self {
        let mut fit = self.fit.clone();
        fit.learner.params.insert(name, note);
        fit.into()
    }

    /// The figures on the rows it was learned from.
    #[getter]
    fn training<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let training = &self.fit.training;
        let dict = PyDict::new(py);
        dict.set_item("rows", training.rows)?;
        dict.set_item("weight", training.weight)?;
        if let Some(errors) = training.errors {
            dict.set_item("errors", errors)?;
        }
        dict.set_item("cost", training.cost)?;
        dict.set_item("leaves", training.leaves)?;
        dict.set_item("depth", training.depth)?;
        dict.set_item("seconds", training.seconds)?;
        Ok(dict)
    }

    /// What is proven, if anything is.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(certificate) = &self.fit.certificate else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("objective", certificate.objective)?;
        dict.set_item("lower_bound", certificate.lower_bound)?;
        dict.set_item("gap", certificate.gap())?;
        dict.set_item("optimal", certificate.is_optimal())?;
        dict.set_item("exact", certificate.exact)?;
        if let Some(tolerance) = certificate.tolerance {
            dict.set_item("tolerance", tolerance)?;
        }
        dict.set_item("what", words::statement(&certificate.statement))?;
        Ok(Some(dict))
    }

    /// How much of what all splits gain each feature gains.
    fn importances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let shares = guarded(|| {
            importances_of(self.tree(), &self.fit.learner).map_err(|error| raised(&error))
        })?;
        Ok(PyArray1::from_vec(py, shares))
    }

    /// Class indices or numbers.
    fn predict<'py>(&self, py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let data = table.data();
        let answers = py.detach(|| guarded(|| Ok(self.tree().predict(data))))?;
        Ok(PyArray1::from_vec(py, answers))
    }

    /// For each row the shares of the classes.
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let data = table.data();
        let shares = py.detach(|| guarded(|| Ok(self.tree().predict_proba(data))))?;
        let n_classes = self.tree().schema().classes().len();
        PyArray1::from_vec(py, shares).reshape([data.n_rows(), n_classes])
    }

    /// The leaf of each row.
    fn apply<'py>(&self, py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let data = table.data();
        let leaves = py.detach(|| guarded(|| Ok(self.tree().apply(data))))?;
        let leaves = leaves.into_iter().map(|id| i64::from(id.0));
        Ok(PyArray1::from_iter(py, leaves))
    }

    /// The nodes that each row passes, as the rows of a sparse matrix: where they begin, and the nodes.
    fn decision_path<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let data = table.data();
        let work = || {
            let mut begins = vec![0_i64];
            let mut nodes = Vec::new();
            for row in 0..data.n_rows() {
                let mut path = self.tree().decision_path(data, row);
                path.sort_unstable();
                nodes.extend(path.into_iter().map(|id| i64::from(id.0)));
                begins.push(nodes.len() as i64);
            }
            Ok((begins, nodes))
        };
        let (begins, nodes) = py.detach(|| guarded(work))?;
        Ok((
            PyArray1::from_vec(py, begins),
            PyArray1::from_vec(py, nodes),
        ))
    }

    /// Prunes the tree: all prunings that are best for some weight of the penalty.
    fn prunings(&self, penalty: &str, cost: &str) -> PyResult<Family> {
        guarded(|| Family::of_prunings(&self.fit, penalty, cost))
    }
}

impl Model {
    fn tree(&self) -> &Tree {
        &self.fit.model
    }
}

//! Anybody's tree, given by children and costs, for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use treewright::cost::Penalty;
use treewright::prune::{self, Aim, KeptNodes, Method};

use crate::errors::{guarded, raised};
use crate::family::{penalty, weight};

/// A tree of which only the shape and the costs are known.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct CostTree {
    tree: prune::CostTree,
}

#[pymethods]
impl CostTree {
    #[new]
    fn new(py: Python<'_>, children: Vec<Vec<i64>>, costs: Vec<f64>) -> PyResult<Self> {
        guarded(|| {
            let tree = py.detach(|| prune::CostTree::new(&children, &costs));
            tree.map(|tree| Self { tree })
                .map_err(|error| raised(&error))
        })
    }

    /// Were costs taken as they are, without rounding?
    #[getter]
    fn exact(&self) -> bool {
        self.tree.is_exact()
    }

    /// The best pruning for a weight of the penalty, `leaves` at most, or a cost of at most `max_cost`.
    #[pyo3(signature = (penalty, alpha=None, leaves=None, max_cost=None))]
    fn prune<'py>(
        &self,
        py: Python<'py>,
        penalty: PenaltyArg,
        alpha: Option<&str>,
        leaves: Option<usize>,
        max_cost: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let penalty = penalty.read()?;
        let aim = match (alpha, leaves, max_cost) {
            (Some(alpha), ..) => Aim::Weight(weight("alpha", alpha)?),
            (_, Some(leaves), _) => Aim::Leaves(leaves),
            (.., most) => Aim::MaxCost(weight("max_cost", most.unwrap_or("0"))?),
        };
        let kept = guarded(|| {
            let prune = || {
                let method = Method::Auto;
                self.tree.prune(&penalty, &aim, method, u64::MAX)
            };
            py.detach(prune).map_err(|error| raised(&error))
        });
        self.dict(py, kept?)
    }

    /// All prunings that are best for some weight of the penalty.
    fn family<'py>(
        &self,
        py: Python<'py>,
        penalty: PenaltyArg,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let penalty = penalty.read()?;
        let found = guarded(|| {
            let family = || {
                let family = self.tree.family(&penalty, Method::Auto, u64::MAX)?;
                let members = family.members.iter().enumerate();
                let kept = members.map(|(place, &member)| Ok((member, family.kept(place)?)));
                kept.collect::<treewright::Result<Vec<_>>>()
            };
            py.detach(family).map_err(|error| raised(&error))
        });
        let found = found?.into_iter();
        found
            .map(|(member, kept)| {
                let dict = self.dict(py, kept)?;
                dict.set_item("lambda_low", member.lambda_low)?;
                let high = member.lambda_high.unwrap_or(f64::INFINITY);
                dict.set_item("lambda_high", high)?;
                Ok(dict)
            })
            .collect()
    }

    /// All numbers of leaves that a pruning may have, with their least costs.
    fn least_costs(&self, py: Python<'_>) -> PyResult<Vec<(usize, f64)>> {
        guarded(|| Ok(py.detach(|| self.tree.least_costs())))
    }
}

impl CostTree {
    fn dict<'py>(&self, py: Python<'py>, kept: KeptNodes) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("kept", kept.nodes)?;
        dict.set_item("leaves", kept.leaves)?;
        dict.set_item("cost", kept.cost)?;
        dict.set_item("exact", self.exact())?;
        Ok(dict)
    }
}

/// The name of a penalty, or the texts of its values for 1, 2, ... leaves.
#[derive(FromPyObject)]
enum PenaltyArg {
    Named(String),
    Table(Vec<String>),
}

impl PenaltyArg {
    fn read(&self) -> PyResult<Penalty> {
        match self {
            Self::Named(name) => penalty(name),
            Self::Table(values) => {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                Penalty::table(&values).map_err(|error| raised(&error))
            }
        }
    }
}

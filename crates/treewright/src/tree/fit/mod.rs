//! What a learner hands back: the tree, where it came from, and what is proven about it.

mod learner;
mod params;
mod statement;

use std::time::Duration;

pub use learner::{LearnerInfo, LearnerKind};
pub use params::{AimParam, ChoiceParams, Params, PruningParams, StoppedIn};
pub use statement::{
    CategoricalSplits, CostKind, Least, LeastLeaf, Minimised, PruningLimit, PruningLoss, Statement,
    TreeClass,
};

use super::{Family, FoldTrees, NodeId, Tree};
use crate::data::{Dataset, Target};

/// A learned model with its circumstances: everything that goes into a model file.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit<T = Tree> {
    /// What was learned.
    pub model: T,
    /// Who learned it, with which parameters.
    pub learner: LearnerInfo,
    /// How it does on the rows it was learned from.
    pub training: Training,
    /// What is proven, if anything is.
    pub certificate: Option<Certificate>,
}

/// Figures of a model on its own training rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Training {
    /// Number of rows.
    pub rows: usize,
    /// Their total weight.
    pub weight: f64,
    /// Weight of the rows predicted wrongly; `None` for regression.
    pub errors: Option<f64>,
    /// Total cost divided by total weight.
    pub cost: f64,
    /// Number of leaves.
    pub leaves: usize,
    /// Longest way from the root to a leaf.
    pub depth: usize,
    /// Wall time of learning alone.
    pub seconds: f64,
}

/// A proven statement about a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// Objective of the tree.
    pub objective: f64,
    /// No tree of the class has a smaller objective than this.
    pub lower_bound: f64,
    /// Were all costs whole numbers, so that the comparison was exact?
    pub exact: bool,
    /// How far rounding may be off where it was not.
    pub tolerance: Option<f64>,
    /// Is it proven, too, that no tree with the same objective has fewer leaves? `None` where that is not said.
    pub fewest_leaves: Option<bool>,
    /// What is minimised, over which trees.
    pub statement: Statement,
}

/// A learned family with its circumstances: everything that goes into a family file.
#[derive(Debug, Clone)]
pub struct FamilyFit {
    /// The trees.
    pub family: Family,
    /// Who learned them, with which parameters.
    pub learner: LearnerInfo,
    /// How the largest tree, before any pruning, does on the rows it was learned from.
    pub training: Training,
    /// Were all costs whole numbers, so that every comparison was exact?
    pub exact: bool,
    /// How far rounding may be off where they were not.
    pub tolerance: Option<f64>,
    /// Every member with weights of at least this is in the family; 0 for a complete one.
    pub exact_down_to: f64,
    /// For each member of a family of all sizes: no tree with as many leaves costs less, divided by the total weight.
    /// `None` where all members are proven.
    pub lower_bounds: Option<Vec<f64>>,
    /// The rows that the costs come from, if they are not those of the training.
    pub costs_from: Option<CostsFrom>,
    /// Errors on rows that were left out, where they were asked for.
    pub cross_validation: Option<CrossValidation>,
    /// What the search took, where there was one.
    pub work: Option<Work>,
    /// Wall time of finding the family alone.
    pub seconds: f64,
}

/// What a search took, in figures that do not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Searches begun: for one weight, or from some weight on.
    pub solves: u64,
    /// Rectangles with rows in them that solvers of rectangles visited, over all solves.
    pub rectangles: u64,
    /// And those without rows.
    pub rectangles_empty: u64,
    /// Sets of rows that were solved by the last search that came to its end.
    pub states: u64,
    /// How many places of the table of solved sets are looked at to find one, on average; 0 without a
    /// table.
    pub probes: f64,
}

impl Work {
    /// The figures for a file.
    pub fn to_json(self) -> serde_json::Value {
        serde_json::json!({
            "solves": self.solves,
            "rectangles": self.rectangles,
            "rectangles_empty": self.rectangles_empty,
            "states": self.states,
            "probes": self.probes,
        })
    }
}

/// Rows that costs come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostsFrom {
    /// Number of rows.
    pub rows: usize,
    /// Their total weight.
    pub weight: f64,
}

/// How the members of a family do on rows that were left out of learning.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// For each member its cost on rows left out, divided by their weight.
    pub error: Vec<f64>,
    /// For each member the standard error of that.
    pub se: Vec<f64>,
    /// The member with the least error; of equal ones the smallest.
    pub min: usize,
    /// The smallest member whose error is at most one standard error above the least.
    pub one_se: usize,
    /// The same errors fold by fold; empty if that is not known, as for a family from a file.
    pub folds: Vec<FoldErrors>,
}

/// How the members of a family do on the rows of one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldErrors {
    /// The weight of these rows.
    pub weight: f64,
    /// For each member its cost on them, divided by their weight.
    pub error: Vec<f64>,
    /// The trees that these are the errors of; `None` in repeats after the first.
    pub trees: Option<FoldTrees>,
}

/// A claim may be off by this share of the objective without a word in the bound: the tolerance tells.
pub(crate) const LITTLE: f64 = 1e-6;

/// A lower bound that holds whatever rounding did: `bound` was found for rounded costs. What is off by a tiny part
/// of the objective is left to the tolerance.
pub(crate) fn after_rounding(bound: f64, objective: f64, tolerance: Option<f64>) -> f64 {
    let Some(tolerance) = tolerance else {
        return bound.min(objective);
    };
    if bound >= objective && tolerance <= LITTLE * objective.abs() {
        return objective;
    }
    let lowered = (bound.min(objective) - tolerance).next_down();
    // Only a penalty may be negative.
    if objective >= 0.0 {
        lowered.max(0.0)
    } else {
        lowered
    }
}

impl FamilyFit {
    /// Did the search for it come to its end? A family of all sizes may then still be without large trees.
    pub fn is_complete(&self) -> bool {
        if self.family.has_all_sizes() {
            self.lower_bounds.is_none()
        } else {
            self.exact_down_to == 0.0
        }
    }
}

impl Certificate {
    /// Is the tree proven to be the best?
    pub fn is_optimal(&self) -> bool {
        self.objective == self.lower_bound
    }

    /// Relative distance between the objective and the bound; 0 when they are equal, at most 1. Penalties
    /// from a table may be negative, and so may both.
    pub fn gap(&self) -> f64 {
        if self.is_optimal() {
            0.0
        } else {
            let distance = self.objective - self.lower_bound;
            (distance / self.objective.abs()).min(1.0)
        }
    }
}

impl Training {
    /// The figures of a tree on the rows it was learned from; the time is not known yet.
    ///
    /// Errors are those of [`Tree::predict`]. Where missing values are distributed that is not a sum
    /// over leaves.
    pub fn of(tree: &Tree, data: &Dataset) -> Self {
        let predicted = tree.predict(data);
        let sum = |loss: &dyn Fn(usize) -> f64| -> f64 {
            (0..data.n_rows())
                .map(|row| data.weight(row) * loss(row))
                .sum()
        };
        let (errors, cost) = match data.target() {
            Target::Classes(truths) => {
                let loss = |row: usize| {
                    tree.loss()
                        .of_class(truths[row] as usize, predicted[row] as usize)
                };
                let is_wrong =
                    |row: usize| f64::from(u8::from(f64::from(truths[row]) != predicted[row]));
                (Some(sum(&is_wrong)), sum(&loss))
            }
            Target::Numbers(truths) => (None, sum(&|row| (truths[row] - predicted[row]).powi(2))),
            Target::Absent => (None, 0.0),
        };
        Self::new(tree, data, errors, cost)
    }

    /// The same as sums over the leaves: for a tree that was learned from exactly these rows, with
    /// none of them distributed.
    pub fn of_leaves(tree: &Tree, data: &Dataset) -> Self {
        let leaves = || tree.ids().filter(|&id| tree.is_leaf(id));
        let is_classification = tree.schema().is_classification();
        let errors = is_classification.then(|| leaves().map(|id| tree.errors(id)).sum());
        Self::new(tree, data, errors, leaves().map(|id| tree.cost(id)).sum())
    }

    /// The figures of a pruning, as sums over its leaves: what can be said without the rows. `before`
    /// are those of the tree that was pruned.
    pub fn of_pruning(tree: &Tree, before: &Self) -> Self {
        let leaves = || tree.ids().filter(|&id| tree.is_leaf(id));
        let cost: f64 = leaves().map(|id| tree.cost(id)).sum();
        let weight = tree.weight(NodeId::ROOT);
        Self {
            errors: before
                .errors
                .map(|_| leaves().map(|id| tree.errors(id)).sum()),
            cost: if weight > 0.0 { cost / weight } else { 0.0 },
            leaves: tree.n_leaves(),
            depth: tree.depth(),
            seconds: 0.0,
            ..*before
        }
    }

    fn new(tree: &Tree, data: &Dataset, errors: Option<f64>, cost: f64) -> Self {
        let weight = data.total_weight();
        Self {
            rows: data.n_rows(),
            weight,
            errors,
            cost: if weight > 0.0 { cost / weight } else { 0.0 },
            leaves: tree.n_leaves(),
            depth: tree.depth(),
            seconds: 0.0,
        }
    }

    /// Sets the cost to that of whole numbers, where these are not the sums of doubles.
    #[must_use]
    pub(crate) fn costing(self, exact: Option<f64>) -> Self {
        Self {
            cost: exact.unwrap_or(self.cost),
            ..self
        }
    }

    /// Sets the time that learning took.
    #[must_use]
    pub fn taking(mut self, time: Duration) -> Self {
        self.seconds = time.as_secs_f64();
        self
    }
}

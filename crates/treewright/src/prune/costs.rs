//! One cost for every node, as if it were a leaf.

use crate::cost::{Loss, Scale, Units};
use crate::error::{Error, Result};
use crate::tree::{Branch, LearnerInfo, Moments, NodeId, Tree};

/// What a leaf costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PruningCost {
    /// The loss of its predictions: errors, or costs where the tree has a cost matrix, or squared
    /// errors in regression.
    #[default]
    Error,
    /// Its weight times its impurity, as scikit-learn's cost-complexity pruning has it.
    Impurity(Impurity),
    /// Squared errors; for regression.
    Squared,
}

/// How mixed the rows of a node are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Impurity {
    /// Gini impurity; in regression the variance, or that of the bins where the tree has bins.
    #[default]
    Gini,
    /// Entropy in bits; in regression as for `Gini`.
    Entropy,
}

impl PruningCost {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Impurity(_) => "impurity",
            Self::Squared => "mse",
        }
    }

    /// The same, where it is an impurity that which the learner used.
    #[must_use]
    pub fn as_in(self, learner: &LearnerInfo) -> Self {
        match self {
            Self::Impurity(_) => Self::Impurity(Impurity::of_learner(learner)),
            Self::Error | Self::Squared => self,
        }
    }
}

/// The cost of every node of one tree as a leaf, with the weight of the rows it comes from.
#[derive(Debug, Clone)]
pub struct NodeCosts {
    costs: Units,
    /// Weight of wrong predictions; `None` for regression.
    errors: Option<Units>,
    total_weight: f64,
    is_whole: bool,
}

impl NodeCosts {
    /// Costs of the rows that the tree was learned from.
    pub fn of(tree: &Tree, what: PruningCost) -> Result<Self> {
        let is_classification = tree.schema().is_classification();
        let costs: Vec<f64> = match what {
            PruningCost::Squared if is_classification => {
                return Err(Error::parameter(
                    "cost",
                    "mse",
                    "error or impurity for a tree that predicts classes",
                ));
            }
            PruningCost::Error | PruningCost::Squared => {
                tree.ids().map(|id| tree.cost(id)).collect()
            }
            PruningCost::Impurity(impurity) => tree.ids().map(|id| impurity.of(tree, id)).collect(),
        };
        let mut costs = Self::new(tree, &costs, None, tree.weight(NodeId::ROOT))?;
        costs.is_whole = costs.is_whole && has_whole_parts(tree);
        costs.errors = match (what, tree.loss()) {
            _ if !is_classification => None,
            (PruningCost::Error, Loss::ZeroOne) => Some(costs.costs.clone()),
            _ => {
                let errors: Vec<f64> = tree.ids().map(|id| tree.errors(id)).collect();
                Some(Units::new(&errors, largest_sum(tree, &errors)))
            }
        };
        Ok(costs)
    }

    /// Costs from anywhere: one for each node, finite and not negative, and the same for the weights of
    /// wrong predictions.
    pub fn new(
        tree: &Tree,
        costs: &[f64],
        errors: Option<&[f64]>,
        total_weight: f64,
    ) -> Result<Self> {
        if !(total_weight > 0.0 && total_weight.is_finite()) {
            return Err(Error::model(
                "no node has any rows, so there are no costs to prune by",
            ));
        }
        for numbers in [Some(costs), errors].into_iter().flatten() {
            assert_eq!(numbers.len(), tree.n_nodes(), "a number for each node");
            let strange = |number: &f64| !(number.is_finite() && *number >= 0.0);
            if let Some(node) = numbers.iter().position(strange) {
                return Err(Error::model(format!(
                    "node {node}: its cost is {}, expected a finite number that is not negative",
                    numbers[node]
                )));
            }
        }
        let units = |numbers: &[f64]| Units::new(numbers, largest_sum(tree, numbers));
        let costs = units(costs);
        Ok(Self {
            is_whole: costs.is_whole() && tree.schema().is_classification(),
            costs,
            errors: errors.map(units),
            total_weight,
        })
    }

    /// The same costs, of rows whose weights are not whole numbers: their sums may be so by rounding.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        self.is_whole = false;
        self
    }

    /// The cost of a node as a leaf, in units.
    pub fn at(&self, id: NodeId) -> i64 {
        self.costs.values()[id.index()]
    }

    /// Weights of wrong predictions, where there are classes.
    pub fn errors(&self) -> Option<&Units> {
        self.errors.as_ref()
    }

    /// What a unit of cost is worth.
    pub fn scale(&self) -> Scale {
        Scale {
            unit: self.costs.unit(),
            total_weight: self.total_weight,
        }
    }

    /// Are all costs whole numbers, so that every comparison is exact?
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// How far the cost of a pruning, divided by the total weight, may be off by rounding.
    pub fn tolerance(&self, tree: &Tree) -> Option<f64> {
        let largest = largest_sum(
            tree,
            &tree
                .ids()
                .map(|id| self.costs.number(self.at(id)))
                .collect::<Vec<_>>(),
        );
        (!self.is_whole())
            .then(|| tree.n_nodes() as f64 * f64::EPSILON * largest / self.total_weight)
    }
}

/// Are all counts and losses whole numbers? Sums of others may be whole by rounding.
fn has_whole_parts(tree: &Tree) -> bool {
    let are_whole = |numbers: &[f64]| numbers.iter().all(|number| number.fract() == 0.0);
    let loss = match tree.loss() {
        Loss::Matrix(matrix) => matrix.rows().all(are_whole),
        Loss::ZeroOne | Loss::Squared => true,
    };
    loss && tree.ids().all(|id| are_whole(tree.counts(id)))
}

/// The largest sum of numbers over the leaves of any pruning.
fn largest_sum(tree: &Tree, numbers: &[f64]) -> f64 {
    let mut sums = numbers.to_vec();
    for id in tree.ids().rev() {
        if let Some(branch) = tree.branch(id) {
            let below: f64 = branch.children().map(|child| sums[child.index()]).sum();
            sums[id.index()] = sums[id.index()].max(below);
        }
    }
    sums[0]
}

impl Impurity {
    /// The impurity that belongs to a learner's criterion.
    pub fn of_learner(learner: &LearnerInfo) -> Self {
        let criterion = learner
            .params
            .get("criterion")
            .and_then(|name| name.as_str());
        match criterion {
            Some("entropy" | "gain-ratio") => Self::Entropy,
            _ => Self::Gini,
        }
    }

    /// Weight times impurity of a node.
    fn of(self, tree: &Tree, id: NodeId) -> f64 {
        let counts = match tree.moments(id) {
            None => tree.counts(id),
            Some(Moments { sse, .. }) if tree.bins(id).is_empty() => return sse,
            Some(_) => tree.bins(id),
        };
        let total: f64 = counts.iter().sum();
        if total == 0.0 {
            return 0.0;
        }
        let present = counts.iter().filter(|count| **count > 0.0);
        match self {
            Self::Gini => present.map(|count| count * (total - count)).sum::<f64>() / total,
            Self::Entropy => present.map(|count| count * (total / count).log2()).sum(),
        }
    }
}

/// For every node the number of leaves below it, 1 for a leaf.
pub(super) fn leaves_below(tree: &Tree) -> Vec<usize> {
    let mut leaves = vec![1; tree.n_nodes()];
    for id in tree.ids().rev() {
        if let Some(children) = tree.branch(id).map(Branch::children) {
            leaves[id.index()] = children.map(|child| leaves[child.index()]).sum();
        }
    }
    leaves
}

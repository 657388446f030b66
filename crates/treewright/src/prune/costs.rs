//! One cost for every node, as if it were a leaf.

use crate::cost::{Loss, Scale, Units};
use crate::error::{Error, Result};
use crate::tree::{Fit, LearnerInfo, Moments, NodeId, Params, Tree};

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

/// The nodes from the first to before the second are the children of a node.
pub(super) type Children = (u32, u32);

/// The cost of every node of one tree as a leaf, with the weight of the rows it comes from.
#[derive(Debug, Clone)]
pub struct NodeCosts {
    /// The children of every node, an empty range for a leaf. Pruning goes over the tree several times
    /// and needs nothing else of it, so it is worth having this apart from the wide nodes.
    children: Vec<Children>,
    costs: Units,
    /// Weights of wrong predictions, where they are not those of the tree's own rows.
    errors: Option<Units>,
    total_weight: f64,
    /// No pruning costs more than this.
    largest: f64,
    /// By how much the costs of all nodes together were changed, in units; see [`Self::even_out`].
    evened: i64,
    is_whole: bool,
}

impl NodeCosts {
    /// Costs of a tree that is given by its shape alone: children are neighbours and come after their parent. A cost
    /// is `units / total_weight`.
    pub(super) fn of_shape(
        children: Vec<Children>,
        costs: Units,
        largest: f64,
        total_weight: f64,
        is_whole: bool,
    ) -> Self {
        let mut costs = Self {
            children,
            costs,
            errors: None,
            total_weight,
            largest,
            evened: 0,
            is_whole,
        };
        if !is_whole {
            costs.even_out();
        }
        costs
    }

    /// Costs of the rows that the tree was learned from.
    pub fn of(tree: &Tree, what: PruningCost) -> Result<Self> {
        Self::of_learned(tree, &Params::default(), what)
    }

    /// The same, where the learner of the tree had these parameters: where the class of a leaf must have a least share,
    /// so it must in prunings.
    pub fn of_learned(tree: &Tree, params: &Params, what: PruningCost) -> Result<Self> {
        if what == PruningCost::Squared && tree.schema().is_classification() {
            let allowed = "error or impurity for a tree that predicts classes";
            return Err(Error::parameter("cost", "mse", allowed));
        }
        let mut costs: Vec<f64> = match what {
            PruningCost::Error | PruningCost::Squared => {
                tree.ids().map(|id| tree.cost(id)).collect()
            }
            PruningCost::Impurity(impurity) => tree.ids().map(|id| impurity.of(tree, id)).collect(),
        };
        forbid(tree, params, &mut costs)?;
        let mut costs = Self::new(tree, &costs, None, tree.weight(NodeId::ROOT))?;
        let are_errors = what == PruningCost::Error && *tree.loss() == Loss::ZeroOne;
        if tree.schema().is_classification() && !are_errors {
            check_errors(tree)?;
        }
        // Logarithms may come out whole by rounding, so nothing is claimed for impurities.
        costs.is_whole &= !matches!(what, PruningCost::Impurity(_)) && has_whole_parts(tree);
        if !costs.costs.is_whole() {
            costs.even_out();
        }
        Ok(costs)
    }

    /// The same of a model. Counts of weighted rows may be whole by rounding, and only the rows could tell.
    pub fn of_model(fit: &Fit, what: PruningCost) -> Result<Self> {
        let costs = Self::of_learned(&fit.model, &fit.learner.params, what)?;
        let is_weighted =
            fit.model.schema().reading.weight.is_some() || fit.learner.params.has_class_weight();
        Ok(if is_weighted { costs.rounded() } else { costs })
    }

    /// Costs of a model on other rows, and the weights of wrong predictions there if costs are not these.
    pub fn of_other_rows(
        fit: &Fit,
        mut costs: Vec<f64>,
        errors: Option<&[f64]>,
        total_weight: f64,
    ) -> Result<Self> {
        forbid(&fit.model, &fit.learner.params, &mut costs)?;
        Self::new(&fit.model, &costs, errors, total_weight)
    }

    /// Gives a node exactly the cost of its children where the two differ by no more than the rounding
    /// of sums: a split that gains nothing shall not seem to gain a little.
    fn even_out(&mut self) {
        let (children, evened) = (&self.children, &mut self.evened);
        self.costs.change(|costs| {
            for (node, &(first, end)) in children.iter().enumerate().rev() {
                let below: i64 = costs[first as usize..end as usize].iter().sum();
                // Costs are sums of many rounded terms; this is some thousand roundings.
                let slack = (below >> 40) + 2;
                if first < end && (costs[node] - below).abs() <= slack {
                    *evened = evened.saturating_add((costs[node] - below).abs());
                    costs[node] = below;
                }
            }
        });
    }

    /// Costs from anywhere: one for each node, finite and not negative. The same for the weights of wrong
    /// predictions, unless they are those of the rows that the tree was learned from.
    pub fn new(
        tree: &Tree,
        costs: &[f64],
        errors: Option<&[f64]>,
        total_weight: f64,
    ) -> Result<Self> {
        if !total_weight.is_finite() {
            return Err(Error::model(
                "the weight of its rows is too large: their sum is not a finite number",
            ));
        }
        if total_weight <= 0.0 {
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
        let children: Vec<Children> = tree.ids().map(|id| children_of(tree, id)).collect();
        let units = |numbers: &[f64]| -> Result<(Units, f64)> {
            let largest = largest_sum(&children, numbers);
            if (largest / total_weight).is_finite() {
                return Ok((Units::new(numbers, largest), largest));
            }
            Err(Error::model(
                "the costs of its nodes are too large: their sum, or that divided by the total weight, \
                 is not a finite number",
            ))
        };
        let (costs, largest) = units(costs)?;
        let errors = errors.map(units).transpose()?.map(|(errors, _)| errors);
        Ok(Self {
            is_whole: costs.is_whole() && tree.schema().is_classification(),
            children,
            costs,
            errors,
            total_weight,
            largest,
            evened: 0,
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

    /// Costs of all nodes, in units.
    pub(super) fn values(&self) -> &[i64] {
        self.costs.values()
    }

    /// How many leaves the tree has before any pruning.
    pub(super) fn n_leaves(&self) -> usize {
        self.children
            .iter()
            .filter(|(first, end)| first == end)
            .count()
    }

    /// The children of all nodes.
    pub(super) fn children(&self) -> &[Children] {
        &self.children
    }

    /// Weights of wrong predictions, where they are not those of the tree's own rows.
    pub fn errors(&self) -> Option<&Units> {
        self.errors.as_ref()
    }

    /// What a unit of cost is worth.
    pub fn scale(&self) -> Scale {
        Scale::new(self.costs.unit(), self.total_weight)
    }

    /// Are all costs whole numbers, so that every comparison is exact?
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// How far the cost of a pruning, divided by the total weight, may be off by rounding; `None` where
    /// costs are whole numbers.
    pub fn tolerance(&self) -> Option<f64> {
        let n_nodes = self.costs.values().len() as f64;
        let by_sums = n_nodes * f64::EPSILON * self.largest;
        // One pruning may have become better by what was evened out, and another worse.
        let by_evening = 2.0 * self.costs.number(self.evened);
        (!self.is_whole()).then_some((by_sums + by_evening) / self.total_weight)
    }
}

/// Gives nodes that may not be leaves a cost with which no best pruning has them: the root alone costs less, and has
/// fewer leaves.
fn forbid(tree: &Tree, params: &Params, costs: &mut [f64]) -> Result<()> {
    let Some(share) = params.min_class_share().map_err(Error::model)? else {
        return Ok(());
    };
    let too_much = 2.0 * costs.first().copied().unwrap_or(0.0);
    for id in tree.ids().skip(1).filter(|&id| !tree.has_share(id, &share)) {
        costs[id.index()] = too_much;
    }
    Ok(())
}

fn children_of(tree: &Tree, id: NodeId) -> Children {
    tree.branch(id).map_or((0, 0), |branch| {
        let first = branch.first_child.0;
        (first, first + branch.n_children)
    })
}

/// Are all counts and losses whole numbers? Sums of others may be whole by rounding.
fn has_whole_parts(tree: &Tree) -> bool {
    // A conversion that the processor does itself, unlike `fract`.
    let are_whole = |numbers: &[f64]| numbers.iter().all(|&x| x as i64 as f64 == x);
    let loss = match tree.loss() {
        Loss::Matrix(matrix) => matrix.rows().all(are_whole),
        Loss::ZeroOne | Loss::Squared => true,
    };
    loss && tree.ids().all(|id| are_whole(tree.counts(id)))
}

/// The largest sum of numbers over the leaves of any pruning: as for a tree, from its shape alone.
pub(super) fn largest_sum(children: &[Children], numbers: &[f64]) -> f64 {
    let mut sums = numbers.to_vec();
    for (node, &(first, end)) in children.iter().enumerate().rev() {
        let below: f64 = sums[first as usize..end as usize].iter().sum();
        sums[node] = sums[node].max(below);
    }
    sums[0]
}

/// Refuses a tree whose errors add up to infinity; files have them beside costs of any kind.
fn check_errors(tree: &Tree) -> Result<()> {
    // No number of nodes makes an infinite sum of such counts.
    const SMALL: f64 = 1e290;
    let are_small = |id| tree.counts(id).iter().all(|count| *count < SMALL);
    if tree.ids().all(are_small) {
        return Ok(());
    }
    let errors: Vec<f64> = tree.ids().map(|id| tree.errors(id)).collect();
    if tree.largest_sum(&errors).is_finite() {
        return Ok(());
    }
    Err(Error::model(
        "the counts of its nodes are too large: the sum of their errors is not a finite number",
    ))
}

impl Impurity {
    /// The impurity that belongs to a learner's criterion.
    pub fn of_learner(learner: &LearnerInfo) -> Self {
        if learner.params.is_by_entropy() {
            Self::Entropy
        } else {
            Self::Gini
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

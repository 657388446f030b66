//! What a model file says about a pruning: how it was made, and what is proven about it.
//!
//! A pruning keeps the learner of the tree it was made from. The parameters get one more entry,
//! `pruned`, and the certificate speaks of the prunings of that tree.

use serde_json::{Map, Value};

use super::{Aim, Method, NodeCosts, Pruning, PruningCost};
use crate::cost::{Loss, Objective, Penalty};
use crate::tree::{
    Certificate, CostKind, CostsFrom, LearnerInfo, Minimised, PruningLimit, PruningLoss, Statement,
    Tree, TreeClass, after_rounding,
};

/// What a pruning was asked to be.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What leaves cost.
    pub penalty: &'a Penalty,
    /// What the pruning shall be best at.
    pub aim: &'a Aim,
    /// What a node costs as a leaf.
    pub cost: PruningCost,
    /// The rows that the costs come from, if they are not those of the training.
    pub costs_from: Option<CostsFrom>,
}

/// What is written about a pruning.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The entry `pruned` of the learner's parameters.
    pub params: Map<String, Value>,
    /// Proof that no pruning does better.
    pub certificate: Certificate,
}

impl Record {
    /// Describes a pruning of `tree` (as it was before), which `learner` had made.
    pub fn new(
        tree: &Tree,
        learner: &LearnerInfo,
        costs: &NodeCosts,
        request: Request<'_>,
        pruning: &Pruning,
    ) -> Self {
        let from_leaves = tree.n_leaves();
        let objective = request.objective(costs, pruning);
        Self {
            params: request.params(from_leaves, pruning.method),
            certificate: Certificate {
                objective,
                lower_bound: match request.aim {
                    Aim::MaxCost(_) => objective,
                    Aim::Weight(_) | Aim::Leaves(_) => {
                        after_rounding(objective, objective, costs.tolerance())
                    }
                },
                exact: costs.is_whole(),
                tolerance: costs.tolerance(),
                fewest_leaves: None,
                statement: request.statement(tree, learner, from_leaves),
            },
        }
    }

    /// The learner of the tree before, with this pruning among its parameters.
    #[must_use]
    pub fn added_to(&self, mut learner: LearnerInfo) -> LearnerInfo {
        let params = self.params.clone();
        learner.params.set_pruned(params);
        learner
    }
}

impl Request<'_> {
    /// The entry `pruned` of the learner's parameters.
    pub(super) fn params(&self, from_leaves: usize, method: Method) -> Map<String, Value> {
        let mut params = Map::new();
        params.insert("penalty".into(), self.penalty.to_string().into());
        params.insert("cost".into(), self.cost.name().into());
        params.insert("method".into(), method.name().into());
        params.insert("from_leaves".into(), from_leaves.into());
        let (name, value) = match self.aim {
            Aim::Weight(lambda) => ("lambda", lambda.number_or_text()),
            Aim::Leaves(leaves) => ("leaves", (*leaves).into()),
            Aim::MaxCost(most) => ("max_cost", most.number_or_text()),
        };
        params.insert(name.into(), value);
        if let Some(CostsFrom { rows, weight }) = self.costs_from {
            let from = serde_json::json!({"rows": rows, "weight": weight});
            params.insert("costs_from".into(), from);
        }
        params
    }

    /// What the pruning has less of than any other: the objective, the cost, or leaves.
    fn objective(&self, costs: &NodeCosts, pruning: &Pruning) -> f64 {
        let scale = costs.scale();
        let leaves = pruning.value.leaves;
        match (self.aim, self.own_cost(costs, pruning)) {
            (Aim::Weight(lambda), Some(cost)) => cost + lambda.to_f64() * self.penalty.at(leaves),
            (Aim::Weight(lambda), None) => {
                Objective::new(lambda.clone(), self.penalty.clone(), scale).value(pruning.value)
            }
            (Aim::Leaves(_), cost) => cost.unwrap_or_else(|| scale.cost(pruning.value.cost)),
            (Aim::MaxCost(_), _) => leaves as f64,
        }
    }

    /// Where costs were rounded to units: what the tree costs its own rows, if these are the costs.
    fn own_cost(&self, costs: &NodeCosts, pruning: &Pruning) -> Option<f64> {
        let are_own = self.costs_from.is_none() && !matches!(self.cost, PruningCost::Impurity(_));
        let tree = &pruning.tree;
        (are_own && !costs.is_whole()).then(|| {
            let leaves = tree.ids().filter(|&id| tree.branch(id).is_none());
            leaves.map(|id| tree.cost(id)).sum::<f64>() / costs.scale().total_weight
        })
    }

    /// What the certificate is about. `tree` is any of the prunings.
    pub(super) fn statement(
        &self,
        tree: &Tree,
        learner: &LearnerInfo,
        from_leaves: usize,
    ) -> Statement {
        let cost = self.cost_kind(tree);
        let (minimised, only) = match self.aim {
            Aim::Weight(lambda) => {
                let penalty = self.penalty.clone();
                (Minimised::Penalised(cost, lambda.clone(), penalty), None)
            }
            Aim::Leaves(leaves) => {
                let only = PruningLimit::Leaves(*leaves);
                (Minimised::Cost(cost), Some(only))
            }
            Aim::MaxCost(most) => {
                let only = PruningLimit::Cost(cost, most.clone());
                (Minimised::Leaves, Some(only))
            }
        };
        let over = TreeClass::Prunings {
            of: learner.kind.clone(),
            from_leaves,
            min_class_share: learner.params.min_class_share().ok().flatten(),
            only,
        };
        Statement::least(minimised, over)
    }

    fn cost_kind(&self, tree: &Tree) -> CostKind {
        let of = match (self.cost, tree.loss()) {
            (PruningCost::Impurity(_), _) => PruningLoss::Impurity,
            (PruningCost::Squared, _) => PruningLoss::Squared,
            (PruningCost::Error, _) if !tree.schema().is_classification() => PruningLoss::Squared,
            (PruningCost::Error, Loss::Matrix(_)) => PruningLoss::Matrix,
            (PruningCost::Error, Loss::ZeroOne | Loss::Squared) => PruningLoss::Error,
        };
        CostKind::Pruning {
            of,
            other_rows: self.costs_from.map(|from| from.rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::Lambda;

    #[test]
    fn ratios_without_a_decimal_form_are_texts() {
        let written = |text: &str| text.parse::<Lambda>().unwrap().number_or_text();
        assert_eq!(written("0.01").to_string(), "0.01");
        assert_eq!(written("1/4").to_string(), "0.25");
        assert_eq!(written("0").to_string(), "0.0");
        assert_eq!(written("1/3"), "1/3");
    }
}

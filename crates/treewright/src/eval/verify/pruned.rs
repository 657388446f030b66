//! What can be said about the certificate of a pruned tree.
//!
//! `params.pruned` says what the pruning was to be best at. Whether no other pruning is better cannot
//! be seen from the tree that is left; that its objective is what the file says can, as far as the costs
//! are those of the training rows and the penalty has a name.

use super::{agree, difference};
use crate::cost::Penalty;
use crate::error::counted;
use crate::tree::{Certificate, Fit, NodeId, PruningLoss, PruningParams, Tree};

/// Does the model say that it was pruned?
pub(super) fn is_pruned(fit: &Fit<Tree>) -> bool {
    pruned(fit).is_some()
}

fn pruned(fit: &Fit<Tree>) -> Option<PruningParams<'_>> {
    fit.learner.params.pruned()
}

/// Are the costs by which a tree was pruned sums of whole numbers, whatever the weights of the rows
/// are? Those of other rows are not known here. `None` if it was not pruned.
pub(super) fn has_whole_counts(fit: &Fit<Tree>) -> Option<bool> {
    let tree = &fit.model;
    let are_whole = |id: NodeId| tree.counts(id).iter().all(|count| count.fract() == 0.0);
    pruned(fit).map(|pruned| pruned.has_other_rows() || tree.ids().all(are_whole))
}

/// What speaks against the certificate of a pruned tree; nothing if it was not pruned.
pub(super) fn differs(fit: &Fit<Tree>, certificate: &Certificate) -> Option<String> {
    let pruned = pruned(fit)?;
    let leaves = fit.model.n_leaves();
    if let Some(from) = pruned.from_leaves()
        && from < leaves as u64
    {
        let leaves = counted(leaves, "leaf", "leaves");
        return Some(format!("{leaves} pruned from {from}"));
    }
    let Some(cost) = pruned.cost().and_then(|loss| LeafCost::by(loss, fit)) else {
        return Some("params.pruned: cost must be error, impurity or, for numbers, mse".into());
    };
    match (certificate.exact, certificate.tolerance) {
        (true, _) if !matches!(cost, LeafCost::Loss) => {
            return Some("exact is claimed, but impurities are not whole numbers".into());
        }
        (true, Some(_)) => return Some("exact is claimed, and a tolerance, too".into()),
        (false, None) => return Some("exact is not claimed, but there is no tolerance".into()),
        (true, None) | (false, Some(_)) => {}
    }
    let total = fit.model.weight(NodeId::ROOT);
    let claim = Claim {
        objective: certificate.objective,
        leaves,
        cost: (!pruned.has_other_rows()).then(|| cost.of_leaves(&fit.model) / total),
        scale: cost.of(&fit.model, NodeId::ROOT) / total,
    };
    match (pruned.lambda(), pruned.leaves(), pruned.max_cost()) {
        (Some(lambda), None, None) => claim.for_weight(lambda.to_f64(), pruned),
        (None, Some(most), None) => claim.for_leaves(most.as_u64()),
        (None, None, Some(most)) => claim.for_max_cost(most.to_f64()),
        _ => Some("params.pruned must have one of lambda, leaves and max_cost".into()),
    }
}

/// What a leaf costs, told from the tree itself.
#[derive(Clone, Copy)]
enum LeafCost {
    /// The loss of its predictions.
    Loss,
    /// Its weight times its Gini impurity, or its squared deviations where it has no bins.
    Gini,
    /// The same with the entropy in bits.
    Entropy,
}

impl LeafCost {
    /// None for squared errors of classes.
    fn by(loss: PruningLoss, fit: &Fit<Tree>) -> Option<Self> {
        match loss {
            PruningLoss::Squared if fit.model.schema().is_classification() => None,
            PruningLoss::Error | PruningLoss::Matrix | PruningLoss::Squared => Some(Self::Loss),
            PruningLoss::Impurity if fit.learner.params.is_by_entropy() => Some(Self::Entropy),
            PruningLoss::Impurity => Some(Self::Gini),
        }
    }

    fn of_leaves(self, tree: &Tree) -> f64 {
        let leaves = tree.ids().filter(|&id| tree.is_leaf(id));
        leaves.map(|id| self.of(tree, id)).sum()
    }

    fn of(self, tree: &Tree, id: NodeId) -> f64 {
        let counts = match tree.moments(id) {
            _ if matches!(self, Self::Loss) => return tree.cost(id),
            None => tree.counts(id),
            Some(moments) if tree.bins(id).is_empty() => return moments.sse,
            Some(_) => tree.bins(id),
        };
        let total: f64 = counts.iter().sum();
        let mixed = |&count: &f64| match self {
            Self::Entropy => count * (total / count).log2(),
            Self::Loss | Self::Gini => count * (1.0 - count / total),
        };
        let present = counts.iter().filter(|count| **count > 0.0);
        present.map(mixed).sum()
    }
}

struct Claim {
    objective: f64,
    leaves: usize,
    /// Where the tree itself tells it.
    cost: Option<f64>,
    /// What the root alone costs: differences between much smaller costs are those of rounding.
    scale: f64,
}

impl Claim {
    fn for_weight(&self, lambda: f64, pruned: PruningParams<'_>) -> Option<String> {
        let name = pruned.penalty()?;
        let penalty: Penalty = match name {
            "table" => return None,
            name => match name.parse() {
                Ok(penalty) => penalty,
                Err(error) => return Some(format!("params.pruned: {error}")),
            },
        };
        let weighted = lambda * penalty.at(self.leaves);
        match self.cost {
            Some(cost) => self.objective_is(cost + weighted),
            None if self.objective < weighted * (1.0 - 1e-9) => Some(format!(
                "objective {} is below lambda * penalty(leaves), {weighted}",
                self.objective
            )),
            None => None,
        }
    }

    fn for_leaves(&self, most: Option<u64>) -> Option<String> {
        let leaves = self.leaves;
        match most {
            Some(most) if leaves as u64 > most => Some(format!(
                "{leaves} leaves, but at most {most} were asked for"
            )),
            Some(_) => self.cost.and_then(|cost| self.objective_is(cost)),
            None => Some("params.pruned: leaves is no number of leaves".into()),
        }
    }

    fn for_max_cost(&self, most: f64) -> Option<String> {
        match self.cost {
            Some(cost) if cost > most && !agree(cost, most, self.scale, false) => {
                Some(format!("cost {cost}, but at most {most} was asked for"))
            }
            _ => difference("objective", self.objective, self.leaves as f64, false),
        }
    }

    fn objective_is(&self, found: f64) -> Option<String> {
        let claimed = self.objective;
        (!agree(claimed, found, self.scale, false))
            .then(|| format!("objective is {claimed}, found {found}"))
    }
}

//! What can be said about the certificate of a pruned tree.
//!
//! `params.pruned` says what the pruning was to be best at. Whether no other pruning is better cannot
//! be seen from the tree that is left; that its objective is what the file says can, as far as the costs
//! are those of the training rows and the penalty has a name.

use serde_json::{Map, Value as Json};

use super::agree;
use crate::cost::{Lambda, Penalty};
use crate::error::counted;
use crate::tree::{Certificate, Fit, NodeId, Tree};

/// Does the model say that it was pruned?
pub(super) fn is_pruned(fit: &Fit<Tree>) -> bool {
    pruned(fit).is_some()
}

fn pruned(fit: &Fit<Tree>) -> Option<&Map<String, Json>> {
    fit.learner.params.get("pruned").and_then(Json::as_object)
}

/// Are the costs by which a tree was pruned sums of whole numbers, whatever the weights of the rows
/// are? Those of other rows are not known here.
pub(super) fn has_whole_costs(fit: &Fit<Tree>) -> bool {
    let tree = &fit.model;
    let are_whole = |id: NodeId| tree.counts(id).iter().all(|count| count.fract() == 0.0);
    pruned(fit).is_some_and(|pruned| pruned.contains_key("costs_from") || tree.ids().all(are_whole))
}

/// What speaks against the certificate of a pruned tree; nothing if it was not pruned.
pub(super) fn differs(fit: &Fit<Tree>, certificate: &Certificate) -> Option<String> {
    let pruned = pruned(fit)?;
    let leaves = fit.model.n_leaves();
    if let Some(from) = pruned.get("from_leaves").and_then(Json::as_u64)
        && from < leaves as u64
    {
        let leaves = counted(leaves, "leaf", "leaves");
        return Some(format!("{leaves} pruned from {from}"));
    }
    if certificate.exact && pruned.get("cost").and_then(Json::as_str) == Some("impurity") {
        return Some("exact is claimed, but impurities are not whole numbers".into());
    }
    let claim = Claim {
        objective: certificate.objective,
        leaves,
        cost: known_cost(&fit.model, pruned),
    };
    match (
        number(pruned, "lambda"),
        pruned.get("leaves"),
        number(pruned, "max_cost"),
    ) {
        (Some(lambda), None, None) => claim.for_weight(lambda, pruned),
        (None, Some(most), None) => claim.for_leaves(most.as_u64()),
        (None, None, Some(most)) => claim.for_max_cost(most),
        _ => Some("params.pruned must have one of lambda, leaves and max_cost".into()),
    }
}

/// The cost of a tree as a sum over its leaves, where the tree itself tells it.
fn known_cost(tree: &Tree, pruned: &Map<String, Json>) -> Option<f64> {
    let is_loss = matches!(
        pruned.get("cost").and_then(Json::as_str),
        Some("error" | "mse")
    );
    if !is_loss || pruned.contains_key("costs_from") {
        return None;
    }
    let leaves = tree.ids().filter(|&id| tree.is_leaf(id));
    let cost: f64 = leaves.map(|id| tree.cost(id)).sum();
    Some(cost / tree.weight(NodeId::ROOT))
}

/// A number, or a ratio as text.
fn number(pruned: &Map<String, Json>, name: &str) -> Option<f64> {
    let text = match pruned.get(name)? {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.parse::<Lambda>().ok().map(|number| number.to_f64())
}

struct Claim {
    objective: f64,
    leaves: usize,
    cost: Option<f64>,
}

impl Claim {
    fn for_weight(&self, lambda: f64, pruned: &Map<String, Json>) -> Option<String> {
        let name = pruned.get("penalty").and_then(Json::as_str)?;
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
            Some(cost) if cost > most && !agree(cost, most, cost, false) => {
                Some(format!("cost {cost}, but at most {most} was asked for"))
            }
            _ => self.objective_is(self.leaves as f64),
        }
    }

    fn objective_is(&self, found: f64) -> Option<String> {
        let claimed = self.objective;
        (!agree(claimed, found, found, false))
            .then(|| format!("objective is {claimed}, found {found}"))
    }
}

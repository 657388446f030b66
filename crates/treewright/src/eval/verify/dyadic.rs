//! What can be said about the certificate of a dyadic tree.
//!
//! The parameters say what the tree is the best at: a weight of a penalty, or a number of leaves. So its
//! objective is known, unless the penalty is a table, whose values no model has.

use serde_json::Value as Json;

use super::pruned::number;
use crate::cost::Penalty;
use crate::tree::{Fit, Training, Tree};

const TABLE: &str = "table";

fn is_dyadic(fit: &Fit<Tree>) -> bool {
    fit.learner.name == "dyadic"
}

fn penalty_name(fit: &Fit<Tree>) -> Option<&Json> {
    fit.learner.params.get("penalty")
}

/// Is the objective the cost and something that is not negative? The values of a table may be.
pub(super) fn adds_to_cost(fit: &Fit<Tree>) -> bool {
    is_dyadic(fit) && penalty_name(fit).and_then(Json::as_str) != Some(TABLE)
}

/// What speaks against the objective of a dyadic tree; nothing for trees of other learners.
pub(super) fn differs(
    fit: &Fit<Tree>,
    found: &Training,
    objective: f64,
    slack: f64,
) -> Option<String> {
    if !is_dyadic(fit) {
        return None;
    }
    match added(fit, found) {
        Err(what) => Some(what),
        Ok(None) => None,
        Ok(Some(added)) => {
            let computed = found.cost + added;
            let differs = !((objective - computed).abs() <= slack);
            differs.then(|| format!("objective is {objective}, found {computed}"))
        }
    }
}

/// What the objective adds to the cost, if that is known.
fn added(fit: &Fit<Tree>, found: &Training) -> Result<Option<f64>, String> {
    let params = &fit.learner.params;
    let aims = ["lambda", "kappa", "leaves"].map(|name| params.contains_key(name).then_some(name));
    let aims: Vec<&str> = aims.into_iter().flatten().collect();
    let (name, more) = match aims[..] {
        [] => return Ok(None),
        [name, ref more @ ..] => (name, more),
    };
    if let Some(other) = more.first() {
        return Err(format!("params have both {name} and {other}"));
    }
    if name == "leaves" {
        let most = params[name].as_u64();
        return has_at_most(most, found.leaves).map(|()| Some(0.0));
    }
    let weight = number(params, name).ok_or_else(|| format!("params.{name} is no weight"))?;
    let lambda = match name {
        "kappa" => weight / found.weight,
        _ => weight,
    };
    Ok(penalty(fit)?.map(|penalty| lambda * penalty.at(found.leaves)))
}

fn has_at_most(most: Option<u64>, leaves: usize) -> Result<(), String> {
    match most {
        None => Err("params.leaves is no number of leaves".into()),
        Some(most) if leaves as u64 > most => Err(format!(
            "{leaves} leaves, but at most {most} were asked for"
        )),
        Some(_) => Ok(()),
    }
}

/// What leaves cost; `None` if only the learner knew.
fn penalty(fit: &Fit<Tree>) -> Result<Option<Penalty>, String> {
    match penalty_name(fit) {
        None => Ok(Some(Penalty::Linear)),
        Some(Json::String(name)) if name == TABLE => Ok(None),
        Some(Json::String(name)) => match name.parse() {
            Ok(penalty) => Ok(Some(penalty)),
            Err(error) => Err(format!("params: {error}")),
        },
        Some(_) => Err("params.penalty is no name of a penalty".into()),
    }
}

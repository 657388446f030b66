//! False families.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::cost::Penalty;

use super::{number, whole};
use crate::case::Case;
use crate::setting::Job;

/// Is the member the best for more than a sliver of weights?
fn has_room(member: &Value) -> bool {
    let low = number(&member["lambda_low"]).unwrap_or(f64::INFINITY);
    let high = number(&member["lambda_high"]).unwrap_or(f64::INFINITY);
    high > low + 1e-6 * low && high > 0.0
}

pub(crate) fn dropped(document: &Value, dice: &mut Rng, is_closed: bool) -> Option<Value> {
    let certificate = &document["certificate"];
    let is_whole = certificate["exact"] == true && certificate["exact_down_to"] == 0.0;
    let members = document["members"]
        .as_array()
        .filter(|members| is_whole && members.len() > 1)?;
    let at = dice.usize(..members.len());
    if !has_room(&members[at]) {
        return None;
    }
    let mut changed = document.clone();
    let left = changed["members"].as_array_mut()?;
    left.remove(at);
    if is_closed {
        let (before, after) = (at.checked_sub(1), (at < left.len()).then_some(at));
        let border = match (before, after) {
            (Some(before), Some(after)) => {
                let of = |at: usize, name: &str| number(&left[at][name]);
                let penalty: Penalty = document["penalty"].as_str()?.parse().ok()?;
                let leaves = |at| of(at, "leaves").map(|leaves| penalty.at(leaves as usize));
                let cheaper = of(before, "cost")? - of(after, "cost")?;
                json!(cheaper / (leaves(after)? - leaves(before)?))
            }
            (Some(_), None) => json!(0.0),
            (None, _) => Value::Null,
        };
        if let Some(before) = before {
            left[before]["lambda_low"] = border.clone();
        }
        if let Some(after) = after {
            left[after]["lambda_high"] = border;
        }
    }
    Some(changed)
}

pub(crate) fn member_cost(document: &Value, dice: &mut Rng) -> Option<Value> {
    let members = document["members"].as_array()?;
    let at = dice.usize(..members.len());
    // What is off by no more than the tolerance is not false.
    let least = 100.0 * number(&document["certificate"]["tolerance"]).unwrap_or(0.0);
    let cost = number(&members[at]["cost"]).filter(|cost| *cost > least)?;
    let mut changed = document.clone();
    changed["members"][at]["cost"] = json!(0.9 * cost);
    Some(changed)
}

pub(crate) fn threshold(document: &Value, dice: &mut Rng) -> Option<Value> {
    let members = document["members"]
        .as_array()
        .filter(|members| members.len() > 1)?;
    let at = dice.usize(..members.len() - 1);
    let low = number(&members[at]["lambda_low"]).filter(|low| *low > 0.0)?;
    // Some members may have no weights.
    let after = (at + 1..members.len()).find(|&after| !members[after]["lambda_low"].is_null())?;
    let next = number(&members[after]["lambda_low"])?;
    if !has_room(&members[at])
        || !has_room(&members[after])
        || document["certificate"]["exact"] != true
    {
        return None;
    }
    let moved = json!(f64::midpoint(low, next));
    let mut changed = document.clone();
    changed["members"][at]["lambda_low"] = moved.clone();
    changed["members"][after]["lambda_high"] = moved;
    Some(changed)
}

/// A family that a limit has ended is said to be the whole one.
pub(crate) fn complete(case: &Case, document: &Value) -> Option<Value> {
    let is_ended = document["certificate"]["exact_down_to"] != 0.0;
    if !is_ended || !matches!(case.setting.job, Job::DyadicPath(_)) {
        return None;
    }
    let whole: Value = serde_json::from_str(&whole(case)?.document).ok()?;
    let (all, found) = (
        whole["members"].as_array()?,
        document["members"].as_array()?,
    );
    if whole["certificate"]["exact_down_to"] != 0.0 || all.len() <= found.len() {
        return None;
    }
    let mut changed = document.clone();
    changed["certificate"]["exact_down_to"] = json!(0.0);
    let last = changed["members"].as_array_mut()?.last_mut()?;
    last["lambda_low"] = json!(0.0);
    Some(changed)
}

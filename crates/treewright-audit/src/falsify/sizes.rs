//! False families of the best trees of every number of leaves.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::cost::Penalty;

use super::family::{member_cost, threshold};
use super::{CLEAR, number, whole};
use crate::case::Case;
use crate::dice::pick;
use crate::learn::learn;
use crate::setting::{Job, Setting, Stop};

pub(super) fn falsehoods(
    case: &Case,
    document: &Value,
    dice: &mut Rng,
) -> Vec<(&'static str, Option<Value>)> {
    let least = Least::new(case);
    let least = least.as_ref();
    vec![
        ("cost of a member lowered", member_cost(document, dice)),
        ("threshold moved", threshold(document, dice)),
        ("size dropped", dropped(document, dice)),
        ("size with a worse tree", worse(case, document, dice)),
        (
            "bound of a size raised",
            bound_raised(document, least, dice),
        ),
        ("sizes said to be complete", complete(document, least)),
        ("counts of a size changed", counts(document, dice)),
        ("cut of a size moved", cut(document, dice)),
        ("label of a size changed", label(document, dice)),
    ]
}

/// The least costs, from a search without limits.
struct Least {
    /// Leaves and cost.
    members: Vec<(u64, f64)>,
    slack: f64,
}

impl Least {
    fn new(case: &Case) -> Option<Self> {
        let document: Value = serde_json::from_str(&whole(case)?.document).ok()?;
        let certificate = &document["certificate"];
        let is_whole = certificate["exact_down_to"] == 0.0;
        let members = document["members"].as_array().filter(|_| is_whole)?;
        let of = |member: &Value| Some((member["leaves"].as_u64()?, number(&member["cost"])?));
        let members: Vec<(u64, f64)> = members.iter().filter_map(of).collect();
        let tolerance = number(&certificate["tolerance"]).unwrap_or(0.0);
        let slack = 4.0 * tolerance + CLEAR * members.first()?.1;
        Some(Self { members, slack })
    }

    fn with(&self, leaves: u64) -> f64 {
        let mut known = self.members.iter().filter(|(own, _)| *own <= leaves);
        known.next_back().map_or(f64::INFINITY, |(_, cost)| *cost)
    }
}

/// Is it a family that is said to have all sizes?
fn is_complete(document: &Value) -> bool {
    let certificate = &document["certificate"];
    certificate["exact"] == true
        && certificate["exact_down_to"] == 0.0
        && document["members"][0].get("lower_bound").is_none()
}

/// The weights of the members, anew: from one corner of the lower hull to the next.
fn with_weights(mut document: Value) -> Option<Value> {
    let penalty: Penalty = document["penalty"].as_str()?.parse().ok()?;
    let members = document["members"].as_array_mut()?;
    let of = |member: &Value| {
        let leaves = member["leaves"].as_u64()?;
        Some((penalty.at(leaves as usize), number(&member["cost"])?))
    };
    let points: Vec<(f64, f64)> = members.iter().filter_map(of).collect();
    for member in members.iter_mut() {
        member["lambda_low"] = Value::Null;
        member["lambda_high"] = Value::Null;
    }
    let (mut at, mut high) = (0, Value::Null);
    while at < points.len() {
        let fall = |next: usize| (points[at].1 - points[next].1) / (points[next].0 - points[at].0);
        let is_better = |&a: &usize, &b: &usize| fall(a).total_cmp(&fall(b)).then(a.cmp(&b));
        let next = (at + 1..points.len()).max_by(is_better);
        let low = json!(next.map_or(0.0, |next| fall(next).next_up()));
        members[at]["lambda_high"] = high;
        members[at]["lambda_low"] = low.clone();
        high = low;
        at = next.unwrap_or(points.len());
    }
    Some(document)
}

fn dropped(document: &Value, dice: &mut Rng) -> Option<Value> {
    let mut changed = document.clone();
    let members = changed["members"].as_array_mut()?;
    if !is_complete(document) || members.len() < 2 {
        return None;
    }
    members.remove(dice.usize(..members.len()));
    with_weights(changed)
}

/// The best tree of a size among shallower ones, in the place of the best of all.
fn worse(case: &Case, document: &Value, dice: &mut Rng) -> Option<Value> {
    let Job::OptimalPath(job) = &case.setting.job else {
        return None;
    };
    let mut job = job.clone();
    job.trees.depth = job.trees.depth.checked_sub(1)?;
    let setting = Setting {
        job: Job::OptimalPath(job),
        stop: Stop::Never,
        threads: 1,
    };
    let other: Value = serde_json::from_str(&learn(&case.table, &setting).ok()?.document).ok()?;
    let own = document["members"]
        .as_array()
        .filter(|_| is_complete(document))?;
    let mut pairs = Vec::new();
    for (at, member) in own.iter().enumerate() {
        let same = other["members"].as_array()?.iter();
        let mut same = same.filter(|other| other["leaves"] == member["leaves"]);
        if let Some(worse) = same.next()
            && number(&worse["cost"])? > number(&member["cost"])? * (1.0 + CLEAR)
        {
            pairs.push((at, worse.clone()));
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let (at, worse) = pick(dice, &pairs);
    let mut changed = document.clone();
    changed["members"][at] = worse;
    if at + 1 == own.len() {
        changed["training"] = other["training"].clone();
    }
    with_weights(changed)
}

fn bound_raised(document: &Value, least: Option<&Least>, dice: &mut Rng) -> Option<Value> {
    let least = least?;
    let members = document["members"].as_array()?;
    let at = dice.usize(..members.len());
    number(&members[at]["lower_bound"])?;
    let best = least.with(members[at]["leaves"].as_u64()?);
    let cost = number(&members[at]["cost"])?;
    let raised = if cost > best + 2.0 * least.slack {
        f64::midpoint(best, cost)
    } else {
        1.1 * cost + 2.0 * least.slack
    };
    let mut changed = document.clone();
    changed["members"][at]["lower_bound"] = json!(raised);
    Some(changed)
}

/// The best trees so far are called the best of all.
fn complete(document: &Value, least: Option<&Least>) -> Option<Value> {
    let least = least?;
    let members = document["members"].as_array()?;
    let costs = |leaves: u64| {
        let mut known = members
            .iter()
            .filter(|member| member["leaves"].as_u64() <= Some(leaves));
        known.next_back().and_then(|member| number(&member["cost"]))
    };
    let is_worse = |&(leaves, cost): &(u64, f64)| costs(leaves) > Some(cost + least.slack);
    if !least.members.iter().any(is_worse) {
        return None;
    }
    let mut changed = document.clone();
    changed["certificate"]["exact_down_to"] = json!(0.0);
    for member in changed["members"].as_array_mut()? {
        member.as_object_mut()?.remove("lower_bound");
    }
    with_weights(changed)
}

/// A node of a member, and its place in the document.
fn node(document: &Value, dice: &mut Rng) -> Option<(String, Value)> {
    let members = document["members"].as_array()?;
    let at = dice.usize(..members.len());
    let nodes = members[at]["nodes"].as_array()?;
    let node = dice.usize(..nodes.len());
    Some((format!("/members/{at}/nodes/{node}"), nodes[node].clone()))
}

fn with(document: &Value, place: &str, value: Value) -> Option<Value> {
    let mut changed = document.clone();
    *changed.pointer_mut(place)? = value;
    Some(changed)
}

fn counts(document: &Value, dice: &mut Rng) -> Option<Value> {
    let (place, node) = node(document, dice)?;
    let counts: Vec<f64> = node["counts"]
        .as_array()?
        .iter()
        .filter_map(number)
        .collect();
    let class = dice.usize(..counts.len());
    let more = 0.1 * counts.iter().sum::<f64>();
    with(
        document,
        &format!("{place}/counts/{class}"),
        json!(counts[class] + more),
    )
}

/// Below all values: then the first child has no rows.
fn cut(document: &Value, dice: &mut Rng) -> Option<Value> {
    let (place, node) = node(document, dice)?;
    number(&node["split"]["cuts"][0])?;
    with(document, &format!("{place}/split/cuts/0"), json!(f64::MIN))
}

fn label(document: &Value, dice: &mut Rng) -> Option<Value> {
    let (place, node) = node(document, dice)?;
    if !document["target"]["costs"].is_null() {
        return None;
    }
    let counts: Vec<f64> = node["counts"]
        .as_array()?
        .iter()
        .filter_map(number)
        .collect();
    let own = counts[node["value"].as_u64()? as usize];
    let is_worse = |class: &usize| counts[*class] < own * (1.0 - CLEAR);
    let worse: Vec<usize> = (0..counts.len()).filter(is_worse).collect();
    if worse.is_empty() {
        return None;
    }
    with(
        document,
        &format!("{place}/value"),
        json!(pick(dice, &worse)),
    )
}

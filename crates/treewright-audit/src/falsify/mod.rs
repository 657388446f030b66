//! False certificates, made on purpose from true ones: the checker must refute every one.
//!
//! Each falsehood is one by construction: a figure is changed by far more than rounding, or a tree is put in
//! the place of a better one, with figures that are right for it.

mod classes;
mod family;
pub(crate) mod lies;
mod sizes;

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::Tree;
use treewright::cost::{Lambda, Penalty};
use treewright::data::Dataset;
use treewright::export::json::read_model;
use treewright::tree::{NodeId, Split};

use crate::case::Case;
use crate::dice::pick;
use crate::learn::{Learned, learn};
use crate::setting::{Job, Setting, Stop};
use family::{complete, dropped, member_cost, threshold};

/// A document that claims something false.
#[derive(Debug, Clone)]
pub struct Falsehood {
    /// What was done to it.
    pub what: &'static str,
    /// The document, and the proof that came with the true one.
    pub learned: Learned,
}

/// Differences below this share are left to rounding.
const CLEAR: f64 = 1e-6;

/// All falsehoods that can be made of something true.
pub fn falsehoods(case: &Case, learned: &Learned, dice: &mut Rng) -> Vec<Falsehood> {
    let Ok(document) = serde_json::from_str::<Value>(&learned.document) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut add = |what: &'static str, changed: Option<Value>| {
        if let Some(changed) = changed {
            let learned = Learned {
                document: changed.to_string(),
                ..learned.clone()
            };
            found.push(Falsehood { what, learned });
        }
    };
    if matches!(case.setting.job, Job::OptimalPath(_)) {
        for (what, changed) in sizes::falsehoods(case, &document, dice) {
            add(what, changed);
        }
        return found;
    }
    if document["members"].is_array() {
        add("member dropped", dropped(&document, dice, false));
        add("member dropped, gap closed", dropped(&document, dice, true));
        add("cost of a member lowered", member_cost(&document, dice));
        add("threshold moved", threshold(&document, dice));
        add("said to be complete", complete(case, &document));
        return found;
    }
    if !document["nodes"].is_array() {
        add("trees miscounted", miscounted(&document));
        return found;
    }
    add("cost lowered", cost_lowered(&document));
    add("objective lowered", objective_lowered(&document));
    add("errors lowered", errors_lowered(&document));
    add("counts changed", counts_changed(&document, dice));
    if let (Ok(fit), Ok(data)) = (read_model(&learned.document), case.table.read()) {
        add("label changed", label_changed(&document, &fit.model, dice));
        add("cut moved", cut_moved(&document, &fit.model, &data, dice));
        add(
            "category moved",
            classes::category_moved(&document, &fit.model, &data, dice),
        );
    }
    let whole = whole(case);
    add("bound raised", bound_raised(&document, whole.as_ref()));
    add(
        "said to be optimal",
        said_optimal(&document, whole.as_ref()),
    );
    for changed in classes::wider(case, &document) {
        add("better tree of a wider class", Some(changed));
    }
    for other in other_settings(&case.setting) {
        let what = "worse tree with its own figures";
        add(what, worse_tree(case, &document, &other));
    }
    found
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

/// By how much an objective must differ to be another one.
fn slack(document: &Value) -> f64 {
    let certificate = &document["certificate"];
    let tolerance = number(&certificate["tolerance"]).unwrap_or(0.0);
    let size = number(&certificate["objective"]).unwrap_or(0.0).abs();
    4.0 * tolerance + CLEAR * size.max(1e-300)
}

/// The same document with another certificate.
fn certified(mut document: Value, objective: f64, bound: f64) -> Value {
    let certificate = &mut document["certificate"];
    certificate["objective"] = json!(objective);
    certificate["lower_bound"] = json!(bound);
    certificate["optimal"] = json!(objective == bound);
    let size = objective.abs().max(bound.abs());
    let gap = if objective == bound {
        0.0
    } else {
        ((objective - bound) / size).clamp(0.0, 1.0)
    };
    certificate["gap"] = json!(gap);
    document
}

fn cost_lowered(document: &Value) -> Option<Value> {
    let cost = number(&document["training"]["cost"]).filter(|cost| *cost > 0.0)?;
    let mut changed = document.clone();
    changed["training"]["cost"] = json!(0.9 * cost);
    let certificate = &document["certificate"];
    let objective = number(&certificate["objective"]);
    let bound = number(&certificate["lower_bound"]);
    let (Some(objective), Some(bound)) = (objective, bound) else {
        return Some(changed);
    };
    let less = 0.1 * cost;
    Some(certified(changed, objective - less, bound - less))
}

fn objective_lowered(document: &Value) -> Option<Value> {
    let objective = number(&document["certificate"]["objective"])?;
    let lowered = objective - 0.1 * objective.abs();
    (lowered < objective - slack(document)).then(|| certified(document.clone(), lowered, lowered))
}

fn errors_lowered(document: &Value) -> Option<Value> {
    let errors = number(&document["training"]["errors"]).filter(|errors| *errors > 0.0)?;
    let mut changed = document.clone();
    changed["training"]["errors"] = json!(errors / 2.0);
    Some(changed)
}

fn counts_changed(document: &Value, dice: &mut Rng) -> Option<Value> {
    let mut changed = document.clone();
    let nodes = changed["nodes"].as_array_mut()?;
    let at = dice.usize(..nodes.len());
    let counts = nodes[at]["counts"].as_array_mut()?;
    let total: f64 = counts.iter().filter_map(number).sum();
    let class = dice.usize(..counts.len());
    let count = number(&counts[class])?;
    counts[class] = json!(count + if total > 0.0 { 0.1 * total } else { 1.0 });
    Some(changed)
}

fn label_changed(document: &Value, tree: &Tree, dice: &mut Rng) -> Option<Value> {
    let at = pick(dice, &tree.ids().collect::<Vec<NodeId>>());
    let counts = tree.counts(at);
    let total: f64 = counts.iter().sum();
    let old = tree.value(at) as usize;
    let cost = |class| tree.loss().of_counts(counts, class);
    // By more than sums of doubles may be off.
    let least = cost(old) + CLEAR * (total + cost(old));
    let is_worse = |class: &usize| *class != old && cost(*class) > least;
    let worse: Vec<usize> = (0..counts.len()).filter(is_worse).collect();
    if worse.is_empty() {
        return None;
    }
    let mut changed = document.clone();
    changed["nodes"][at.index()]["value"] = json!(pick(dice, &worse));
    Some(changed)
}

/// Moves a cut across rows that weigh something.
fn cut_moved(document: &Value, tree: &Tree, data: &Dataset, dice: &mut Rng) -> Option<Value> {
    use treewright::data::Value as Cell;
    let has_cuts = |id: &NodeId| {
        let split = tree.branch(*id).map(|branch| &branch.split);
        matches!(split, Some(Split::Intervals { cuts, .. }) if !cuts.is_empty())
    };
    let nodes: Vec<NodeId> = tree.ids().filter(has_cuts).collect();
    if nodes.is_empty() {
        return None;
    }
    let at = pick(dice, &nodes);
    let split = &tree.branch(at)?.split;
    let place = &document["nodes"][at.index()]["split"];
    let cuts: Vec<f64> = place["cuts"]
        .as_array()?
        .iter()
        .filter_map(number)
        .collect();
    let is_left = place["closed"] == "left";
    let moved = dice.usize(..cuts.len());
    let is_below = |value: f64, cut: f64| if is_left { value < cut } else { value <= cut };
    // The rows that come to the node undivided.
    let mut rows = Vec::new();
    for row in 0..data.n_rows() {
        let mut comes = false;
        tree.visit(
            |feature| data.columns()[feature].value(row),
            |id, share| comes |= id == at && share == 1.0,
        );
        if let Cell::Number(value) = data.columns()[split.feature()].value(row)
            && comes
        {
            rows.push((value, data.weight(row)));
        }
    }
    let total: f64 = tree.weight(at);
    let low = if moved == 0 {
        f64::NEG_INFINITY
    } else {
        cuts[moved - 1]
    };
    let high = cuts.get(moved + 1).copied().unwrap_or(f64::INFINITY);
    let crossed = |cut: f64| -> f64 {
        let crosses = |value: f64| is_below(value, cut) != is_below(value, cuts[moved]);
        let crossing = rows.iter().filter(|(value, _)| crosses(*value));
        crossing.map(|(_, weight)| weight).sum()
    };
    let is_other =
        |&(value, _): &(f64, f64)| low < value && value < high && crossed(value) > CLEAR * total;
    let others: Vec<f64> = rows
        .iter()
        .copied()
        .filter(|row| is_other(row))
        .map(|row| row.0)
        .collect();
    if others.is_empty() {
        return None;
    }
    let mut changed = document.clone();
    changed["nodes"][at.index()]["split"]["cuts"][moved] = json!(pick(dice, &others));
    Some(changed)
}

/// The same search without limits, on one thread.
pub(crate) fn whole(case: &Case) -> Option<Learned> {
    // Of a search that was stopped, the tree for a number of leaves may have another number.
    if matches!(
        case.setting.job,
        Job::Prune(_) | Job::Greedy(_) | Job::OptimalSize(_)
    ) && case.setting.stop != Stop::Never
    {
        return None;
    }
    let setting = Setting {
        stop: Stop::Never,
        threads: 1,
        ..case.setting.clone()
    };
    learn(&case.table, &setting).ok()
}

/// An honest bound becomes one that is too high.
fn bound_raised(document: &Value, whole: Option<&Learned>) -> Option<Value> {
    let (best, _) = whole?.bounds?;
    let objective = number(&document["certificate"]["objective"])?;
    if objective <= best + 2.0 * slack(document) {
        // The tree is the best, or nearly so: then no bound above it.
        let raised = objective + 0.1 * objective.abs();
        return (raised > objective + slack(document)).then(|| {
            let mut changed = certified(document.clone(), objective, raised);
            changed["certificate"]["optimal"] = json!(true);
            changed
        });
    }
    Some(certified(
        document.clone(),
        objective,
        f64::midpoint(best, objective),
    ))
}

/// The best tree so far is called the best of all.
fn said_optimal(document: &Value, whole: Option<&Learned>) -> Option<Value> {
    let (best, _) = whole?.bounds?;
    let objective = number(&document["certificate"]["objective"])?;
    (objective > best + slack(document)).then(|| certified(document.clone(), objective, objective))
}

/// Settings whose trees are of the same kind, and often worse.
fn other_settings(setting: &Setting) -> Vec<Setting> {
    let plain = Setting {
        stop: Stop::Never,
        threads: 1,
        ..setting.clone()
    };
    let with = |job: Job| Setting {
        job,
        ..plain.clone()
    };
    match &setting.job {
        Job::Optimal(job) => {
            let mut all = Vec::new();
            for depth in 0..job.depth {
                let mut job = job.clone();
                job.depth = depth;
                all.push(with(Job::Optimal(job)));
            }
            for leaf_cost in ["0.02", "0.1"] {
                let mut job = job.clone();
                job.leaf_cost = leaf_cost.into();
                all.push(with(Job::Optimal(job)));
            }
            all
        }
        Job::OptimalSize(job) => {
            let aims = [
                ("leaves", "1"),
                ("leaves", "2"),
                ("leaves", "4"),
                ("lambda", "0"),
            ];
            let other = |(name, value): (&str, &str)| {
                let mut job = job.clone();
                job.aim = (name.to_owned(), value.to_owned());
                with(Job::OptimalSize(job))
            };
            aims.into_iter().map(other).collect()
        }
        Job::Dyadic(job) => {
            let aims = [
                ("leaves", "1"),
                ("leaves", "2"),
                ("leaves", "3"),
                ("lambda", "0"),
            ];
            let other = |(name, value): (&str, &str)| {
                let mut job = job.clone();
                job.aim = (name.to_owned(), value.to_owned());
                job.penalty = "linear".into();
                job.search = "auto".into();
                with(Job::Dyadic(job))
            };
            aims.into_iter().map(other).collect()
        }
        Job::Prune(job) => {
            let aims = [
                ("leaves", "1"),
                ("leaves", "2"),
                ("leaves", "4"),
                ("lambda", "0"),
            ];
            let other = |(name, value): (&str, &str)| {
                let mut job = job.clone();
                job.aim = (name.to_owned(), value.to_owned());
                job.method = "auto".into();
                with(Job::Prune(job))
            };
            aims.into_iter().map(other).collect()
        }
        _ => Vec::new(),
    }
}

/// What a tree of a cost and a number of leaves is worth for a job.
fn objective(job: &Job, document: &Value, cost: f64, leaves: u64) -> Option<f64> {
    let weight = |text: &str| text.parse::<Lambda>().ok().map(|lambda| lambda.to_f64());
    let total = number(&document["training"]["weight"])?;
    let leaves_as = |penalty: &str| {
        let penalty: Option<Penalty> = penalty.parse().ok();
        penalty.map(|penalty| penalty.at(leaves as usize))
    };
    match job {
        Job::Optimal(job) => Some(cost + weight(&job.leaf_cost)? * leaves as f64),
        // The most leaves are those of the tree that was taken.
        Job::OptimalSize(job) => {
            if job.aim.0.as_str() == "lambda" {
                Some(cost + weight(&job.aim.1)? * leaves_as(&job.penalty)?)
            } else {
                let most = document["learner"]["params"]["leaves"].as_u64()?;
                (leaves <= most).then_some(cost)
            }
        }
        Job::Dyadic(job) => match job.aim.0.as_str() {
            "lambda" => Some(cost + weight(&job.aim.1)? * leaves_as(&job.penalty)?),
            "kappa" => Some(cost + weight(&job.aim.1)? / total * leaves_as(&job.penalty)?),
            _ => (leaves <= job.aim.1.parse().ok()?).then_some(cost),
        },
        Job::Prune(job) if job.cost == "error" => match job.aim.0.as_str() {
            "lambda" => Some(cost + weight(&job.aim.1)? * leaves_as(&job.penalty)?),
            "leaves" => (leaves <= job.aim.1.parse().ok()?).then_some(cost),
            _ => None,
        },
        _ => None,
    }
}

/// Puts a worse tree of the same kind in the place of the best, with figures that are right for it.
fn worse_tree(case: &Case, document: &Value, other: &Setting) -> Option<Value> {
    let certificate = &document["certificate"];
    let best = number(&certificate["objective"]).filter(|_| certificate["optimal"] == true)?;
    let other = learn(&case.table, other).ok()?;
    let other: Value = serde_json::from_str(&other.document).ok()?;
    let training = &other["training"];
    let (cost, leaves) = (number(&training["cost"])?, training["leaves"].as_u64()?);
    let worse = objective(&case.setting.job, document, cost, leaves)?;
    // Shared rows make the cost of a pruning differ from the sum over its leaves.
    let is_shared = document["nodes"].to_string().contains("distribute");
    if worse <= best + slack(document) || is_shared {
        return None;
    }
    let mut changed = document.clone();
    changed["nodes"] = other["nodes"].clone();
    changed["training"] = training.clone();
    Some(certified(changed, worse, worse))
}

/// Figures of searches over subsets.
fn miscounted(document: &Value) -> Option<Value> {
    let mut changed = document.clone();
    if let Some(count) = document["distinct"].as_u64() {
        changed["distinct"] = json!(count + 1);
        let sizes = changed["by_size"].as_array_mut()?;
        let last = sizes.last_mut()?;
        *last = json!(last.as_u64()? + 1);
        return Some(changed);
    }
    let error = number(&document["search_error"]).filter(|error| *error > 0.0)?;
    changed["search_error"] = json!(0.9 * error);
    changed["lower_bound"] = json!(0.9 * error);
    Some(changed)
}

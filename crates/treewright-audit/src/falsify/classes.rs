//! False claims about the class of trees: trees of a wider class, and categories that go another way.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::Tree;
use treewright::data::{Dataset, Value as Cell};
use treewright::tree::{NodeId, Split};

use super::{CLEAR, certified, number, objective, slack};
use crate::case::Case;
use crate::dice::pick;
use crate::learn::learn;
use crate::setting::{Job, OptimalJob, Rules, Setting, SizesJob, Stop};

/// A better tree of a wider class, with its own figures: it breaks a rule or splits in a way that is not allowed.
pub(super) fn wider(case: &Case, document: &Value) -> Vec<Value> {
    let certificate = &document["certificate"];
    let best = number(&certificate["objective"]).filter(|_| certificate["optimal"] == true);
    let (Some(best), Some(job)) = (best, trees(&case.setting.job)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for wider in wider_jobs(job) {
        let mut setting = Setting {
            stop: Stop::Never,
            threads: 1,
            ..case.setting.clone()
        };
        put(&mut setting.job, wider);
        found.extend(better(case, document, best, &setting));
    }
    found
}

fn better(case: &Case, document: &Value, best: f64, setting: &Setting) -> Option<Value> {
    let other: Value = serde_json::from_str(&learn(&case.table, setting).ok()?.document).ok()?;
    let training = &other["training"];
    let (cost, leaves) = (number(&training["cost"])?, training["leaves"].as_u64()?);
    let better = objective(&case.setting.job, document, cost, leaves)?;
    if better >= best - slack(document) {
        return None;
    }
    let mut changed = document.clone();
    changed["nodes"] = other["nodes"].clone();
    changed["training"] = training.clone();
    Some(certified(changed, better, better))
}

fn trees(job: &Job) -> Option<&OptimalJob> {
    match job {
        Job::Optimal(job)
        | Job::OptimalPath(SizesJob { trees: job, .. })
        | Job::OptimalSize(SizesJob { trees: job, .. }) => Some(job),
        _ => None,
    }
}

fn put(job: &mut Job, wider: OptimalJob) {
    if let Job::Optimal(job)
    | Job::OptimalPath(SizesJob { trees: job, .. })
    | Job::OptimalSize(SizesJob { trees: job, .. }) = job
    {
        *job = wider;
    }
}

/// Without the rules; with each other way to split categories.
fn wider_jobs(job: &OptimalJob) -> Vec<OptimalJob> {
    let mut all = Vec::new();
    if !job.rules.is_empty() {
        all.push(OptimalJob {
            rules: Rules::default(),
            ..job.clone()
        });
    }
    for splits in ["grouped", "one-vs-rest", "multiway"] {
        if splits != job.categorical_splits {
            all.push(OptimalJob {
                categorical_splits: splits.into(),
                ..job.clone()
            });
        }
    }
    all
}

/// Sends the rows of a category, which weigh something, to another branch.
pub(super) fn category_moved(
    document: &Value,
    tree: &Tree,
    data: &Dataset,
    dice: &mut Rng,
) -> Option<Value> {
    let has_categories = |id: &NodeId| {
        let split = tree.branch(*id).map(|branch| &branch.split);
        matches!(split, Some(Split::Categories { .. }))
    };
    let nodes: Vec<NodeId> = tree.ids().filter(has_categories).collect();
    if nodes.is_empty() {
        return None;
    }
    let at = pick(dice, &nodes);
    let feature = tree.branch(at)?.split.feature();
    let place = format!("/nodes/{}/split/branches", at.index());
    let branches = document.pointer(&place)?.as_array()?;
    let mut weights = vec![0.0; branches.len()];
    for row in 0..data.n_rows() {
        let mut comes = false;
        tree.visit(
            |feature| data.columns()[feature].value(row),
            |id, share| comes |= id == at && share == 1.0,
        );
        if let Cell::Category(code) = data.columns()[feature].value(row)
            && comes
        {
            weights[code as usize] += data.weight(row);
        }
    }
    let least = CLEAR * tree.weight(at);
    let mut moves = Vec::new();
    for (code, branch) in branches.iter().enumerate() {
        for other in branches {
            if weights[code] > least && !other.is_null() && other != branch {
                moves.push((code, other.clone()));
            }
        }
    }
    if moves.is_empty() {
        return None;
    }
    let (code, other) = pick(dice, &moves);
    let mut changed = document.clone();
    *changed.pointer_mut(&format!("{place}/{code}"))? = json!(other);
    Some(changed)
}

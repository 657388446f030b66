//! The claims of searches over subsets of the features, by going through all of them with a plain greedy builder.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

mod build;
mod offers;
mod score;

use self::build::Builder;
use crate::figures::Figures;
use crate::numbers::{Ratio, about, binary, few_ulps, nearest, of_json};
use crate::read::data::Data;
use crate::read::model::Model;
use crate::read::table::Table;
use crate::report::{Report, Verdict};

/// More features have too many subsets.
const MOST_FEATURES: usize = 12;

/// How many distinct trees there are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    features: usize,
    distinct: u64,
    built: u64,
    ratio: Option<f64>,
    by_size: Vec<u64>,
    complete: bool,
    #[serde(rename = "seconds")]
    _seconds: f64,
    problem: Option<Map<String, Json>>,
}

/// A selection of features.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Selection {
    method: String,
    selected: Vec<String>,
    unused: Vec<String>,
    removed: Vec<String>,
    search_error: Option<f64>,
    all_features_error: Option<f64>,
    trees_built: u64,
    trees_skipped: u64,
    optimal: Option<bool>,
    lower_bound: Option<f64>,
    #[serde(rename = "seconds")]
    _seconds: f64,
    #[serde(default)]
    stopped: bool,
    stability: Option<Json>,
    problem: Option<Map<String, Json>>,
    judged_by: Option<JudgedBy>,
}

/// Which rows judge.
#[derive(Deserialize)]
struct JudgedBy {
    holdout: Option<Json>,
    seed: Option<u64>,
    #[serde(flatten)]
    others: Map<String, Json>,
}

/// Checks a document that is no model and no family; `None` if it is nothing that is known.
pub(crate) fn check(text: &str, table: &Table, work: &Cell<u64>) -> Option<Report> {
    let document: Json = serde_json::from_str(text).ok()?;
    let is_distinct = document.get("by_size").is_some();
    if document.get("format").is_some() || !is_distinct && document.get("method").is_none() {
        return None;
    }
    let mut report = Report::default();
    let read = if is_distinct {
        serde_json::from_value(document).map(|claimed| distinct(&claimed, table, work, &mut report))
    } else {
        serde_json::from_value(document)
            .map(|claimed| selection(&claimed, table, work, &mut report))
    };
    match read {
        Err(error) => report.add("structure", Verdict::Refuted(error.to_string())),
        Ok(Err(Stop(verdict))) => report.add("subsets", verdict),
        Ok(Ok(())) => {}
    }
    Some(report)
}

/// Why nothing more can be said.
struct Stop(Verdict);

fn not_checked(why: impl Into<String>) -> Stop {
    Stop(Verdict::NotChecked(why.into()))
}

fn refuted(what: impl Into<String>) -> Stop {
    Stop(Verdict::Refuted(what.into()))
}

/// The table and the learner of a document, read as those of a model.
fn problem(given: Option<&Map<String, Json>>) -> Result<Model, Stop> {
    let given = given.ok_or_else(|| not_checked("the document does not say what was learned"))?;
    let mut model = given.clone();
    let n_classes = given
        .get("target")
        .and_then(|target| target["classes"].as_array());
    let counts = vec![0.0; n_classes.map_or(0, Vec::len)];
    model.insert("format".into(), json!("treewright.tree"));
    model.insert("version".into(), json!(1));
    model.insert("nodes".into(), json!([{"counts": counts, "value": 0}]));
    model.insert(
        "training".into(),
        json!({"rows": 0, "weight": 0, "cost": 0, "leaves": 1, "depth": 0, "seconds": 0}),
    );
    Model::read(&Json::Object(model).to_string()).map_err(refuted)
}

fn rows(model: &Model, table: &Table) -> Result<Data, Stop> {
    if model.task != "classification" || model.learner.name != "greedy" {
        return Err(not_checked("trees of another kind"));
    }
    if model.features.len() > MOST_FEATURES {
        return Err(not_checked("too large: more than 12 features"));
    }
    Data::new(model, table).map_err(refuted)
}

fn distinct(
    claimed: &Count,
    table: &Table,
    work: &Cell<u64>,
    report: &mut Report,
) -> Result<(), Stop> {
    let model = problem(claimed.problem.as_ref())?;
    let n_features = model.features.len();
    let fits = claimed.features == n_features
        && claimed.by_size.len() == n_features + 1
        && claimed
            .by_size
            .iter()
            .try_fold(0u64, |sum, &n| sum.checked_add(n))
            == Some(claimed.distinct)
        && claimed.built >= claimed.distinct
        && match claimed.ratio {
            None => claimed.distinct == 0,
            Some(ratio) => few_ulps(
                ratio,
                &Ratio::new(claimed.built.into(), claimed.distinct.max(1).into()),
            ),
        };
    report.result(
        "structure",
        fits.then_some(())
            .ok_or("figures that do not fit each other".into()),
    );
    let data = rows(&model, table)?;
    let mut builder = Builder::new(&data, &model, work).map_err(not_checked)?;
    let mut trees = BTreeSet::new();
    let mut by_size = vec![0u64; n_features + 1];
    for features in 0..1u32 << n_features {
        let tree = builder.tree(features).map_err(not_checked)?;
        // Questions and children tell a tree.
        let splits = tree.nodes.iter().map(|node| (&node.split, &node.children));
        if trees.insert(format!("{:?}", splits.collect::<Vec<_>>())) {
            by_size[tree.used.count_ones() as usize] += 1;
        }
    }
    let holds = if claimed.complete {
        claimed.by_size == by_size
    } else {
        claimed
            .by_size
            .iter()
            .zip(&by_size)
            .all(|(claimed, found)| claimed <= found)
    };
    let found = format!("by_size is {:?}, found {by_size:?}", claimed.by_size);
    report.result("distinct trees", holds.then_some(()).ok_or(found));
    Ok(())
}

fn selection(
    claimed: &Selection,
    table: &Table,
    work: &Cell<u64>,
    report: &mut Report,
) -> Result<(), Stop> {
    let model = problem(claimed.problem.as_ref())?;
    let names: Vec<&String> = model.features.iter().map(|feature| &feature.name).collect();
    let place = |name: &String| names.iter().position(|known| *known == name);
    let mask = |names: &[String]| {
        let mut bits = 0_u32;
        for name in names {
            let bit = place(name).map(|place| 1_u32 << place);
            let bit = bit.ok_or_else(|| refuted("a feature that the table does not have"))?;
            if bits & bit != 0 {
                return Err(refuted("a feature is named twice"));
            }
            bits |= bit;
        }
        Ok(bits)
    };
    if names.len() > MOST_FEATURES {
        return Err(not_checked("too large: more than 12 features"));
    }
    let (selected, unused, removed) = (
        mask(&claimed.selected)?,
        mask(&claimed.unused)?,
        mask(&claimed.removed)?,
    );
    let all = (1u32 << names.len()) - 1;
    let is_parted =
        claimed.selected.len() + claimed.unused.len() + claimed.removed.len() == names.len();
    let fits = is_parted && selected | unused | removed == all;
    report.result(
        "structure",
        fits.then_some(())
            .ok_or("not every feature is there once".into()),
    );
    if claimed.method != "complete" {
        return Err(not_checked(format!("the method {:?}", claimed.method)));
    }
    let data = rows(&model, table)?;
    let by = claimed.judged_by.as_ref();
    let by = by.ok_or_else(|| not_checked("the document does not say which rows judge"))?;
    if !by.others.is_empty() {
        return Err(not_checked(
            "rows that judge other than a part of the table",
        ));
    }
    let (Some(share), Some(seed)) = (by.holdout.as_ref().and_then(of_json), by.seed) else {
        return Err(not_checked(
            "rows that judge other than a part of the table",
        ));
    };
    let (building, judging) = held_out(&data, nearest(&share), seed);
    let (building, judging) = (data.part(&building), data.part(&judging));
    let mut builder = Builder::new(&building, &model, work).map_err(not_checked)?;
    let mut errors = Vec::new();
    for features in 0..=all {
        let tree = builder.tree(features).map_err(not_checked)?;
        let [least, most] = Figures::new(&tree.nodes, &judging).of_answers();
        if least.1 != most.1 {
            return Err(not_checked("near tie of two answers"));
        }
        errors.push((least.1 / judging.total(), tree.used));
    }
    claimed.compare(&errors, selected, selected | unused, report);
    Ok(())
}

impl Selection {
    /// Compares what is claimed with the error of each subset, and what its tree asks.
    fn compare(&self, errors: &[(Ratio, u32)], selected: u32, kept: u32, report: &mut Report) {
        let is = |claimed: f64, found: &Ratio| few_ulps(claimed, found) || about(claimed, found);
        let mut same = |name: &str, claimed: Option<f64>, (found, _): &(Ratio, u32)| {
            let Some(claimed) = claimed else {
                let why = "no tree was judged before a limit";
                return report.add(name, Verdict::NotChecked(why.into()));
            };
            let what = format!("it is {claimed}, found {}", nearest(found));
            report.result(name, is(claimed, found).then_some(()).ok_or(what));
        };
        let own = &errors[kept as usize];
        same("search_error", self.search_error, own);
        same(
            "all_features_error",
            self.all_features_error,
            &errors[errors.len() - 1],
        );
        let what = "its tree does not split on just these".to_owned();
        report.result("selected", (own.1 == selected).then_some(()).ok_or(what));
        // The least error, then the fewest features, then those that come first.
        let subsets = errors.iter().zip(0u32..);
        let rank = |((error, _), subset): (&(Ratio, u32), u32)| {
            (
                error.clone(),
                subset.count_ones(),
                Reverse(subset.reverse_bits()),
            )
        };
        let Some((least, _, Reverse(best))) = subsets.map(rank).min() else {
            return;
        };
        let (Some(bound), Some(optimal)) = (self.lower_bound, self.optimal) else {
            return report.add("optimal", Verdict::Refuted("no bound".into()));
        };
        let what = format!("an error of {}, below lower_bound {bound}", nearest(&least));
        let holds = binary(bound) <= least || is(bound, &least);
        report.result("lower bound", holds.then_some(()).ok_or(what));
        if optimal {
            let is_best = selected == best.reverse_bits() && is(bound, &own.0) && !self.stopped;
            let what = format!("another subset is better, with {}", nearest(&least));
            report.result("optimal", is_best.then_some(()).ok_or(what));
        }
        let besides = (errors.len() as u64).saturating_sub(self.trees_built);
        let what = format!("trees_skipped is {}, found {besides}", self.trees_skipped);
        let is_rest = self.trees_skipped == besides;
        report.result("trees", is_rest.then_some(()).ok_or(what));
        if self.stability.is_some() {
            report.add(
                "stability",
                Verdict::NotChecked("samples of the rows".into()),
            );
        }
    }
}

/// The rows that build trees and those that judge them, as docs/formats.md says: rows in random order, sorted by class; the
/// last of each of as many stretches as rows are held out.
fn held_out(data: &Data, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let n_rows = data.n_rows();
    let mut order: Vec<usize> = (0..n_rows).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut order);
    order.sort_by_key(|&row| data.classes[row]);
    let n_judging = ((share * n_rows as f64).round() as usize).clamp(1, n_rows.max(2) - 1);
    let end =
        |stretch: usize| ((stretch + 1) as u128 * n_rows as u128 / n_judging as u128) as usize;
    let judging: BTreeSet<usize> = (0..n_judging)
        .map(|stretch| order[end(stretch) - 1])
        .collect();
    let building = (0..n_rows).filter(|row| !judging.contains(row)).collect();
    (building, judging.into_iter().collect())
}

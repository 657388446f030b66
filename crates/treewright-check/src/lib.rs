//! An independent checker for the certificates of treewright.
//!
//! It takes a model or family file and the table it was learned from, and confirms or refutes what the file claims. It
//! shares no line with the library that makes these claims: it has its own readers, adds whole numbers or ratios, uses one
//! thread, and prefers the obvious way. docs/checker.md proves why each check is right.
//!
//! | part | idea |
//! |---|---|
//! | `read` | the files, and the rows as a model sees them |
//! | `numbers`, `values` | exact numbers; what a tree is worth as one whole number |
//! | `figures` | structure, counts, answers, costs, objective |
//! | `bounded` | optimal trees of bounded depth, and their proof files |
//! | `families` | the best of many trees for all prices of leaves; prunings |
//! | `dyadic` | dyadic trees and paths |
//! | `greedy` | all trees over subsets of the features |

mod bounded;
mod dyadic;
mod families;
mod figures;
mod greedy;
mod numbers;
mod read;
mod report;
mod values;

use std::cell::Cell;
use std::panic::AssertUnwindSafe;

use self::bounded::class::keeps_rules;
use self::dyadic::Dyadic;
use self::families::prune;
use self::figures::Figures;
use self::read::data::Data;
use self::read::model::Model;
pub use self::read::table::Table;
pub use self::report::{Check, Report, Verdict};

/// The work that is done unless another limit is given: additions of a loss, about.
pub const WORK: u64 = 200_000_000_000;

/// Checks the claims of a model or family file, given as text, against the rows of a table. `proof` is the text of a proof
/// file. What would take more than `work_limit` steps is said not to be checked.
///
/// A number that does not fit, or another fault of the checker, confirms nothing: then all is said not to be checked.
pub fn check(model: &str, table: &Table, proof: Option<&str>, work_limit: u64) -> Report {
    let checked = || check_all(model, table, proof, work_limit);
    std::panic::catch_unwind(AssertUnwindSafe(checked)).unwrap_or_else(|_| {
        let mut report = Report::default();
        let why = "a number is too large, or the checker has a fault";
        report.add("all claims", Verdict::NotChecked(why.into()));
        report
    })
}

fn check_all(model: &str, table: &Table, proof: Option<&str>, work_limit: u64) -> Report {
    let work = Cell::new(work_limit);
    if let Some(report) = greedy::check(model, table, &work) {
        return report;
    }
    let mut report = Report::default();
    let model = match Model::read(model) {
        Ok(model) => model,
        Err(fault) => {
            report.add("structure", Verdict::Refuted(fault));
            return report;
        }
    };
    report.add("structure", Verdict::Confirmed);
    if model.task != "classification" {
        report.add("figures", Verdict::NotChecked("trees of numbers".into()));
        return report;
    }
    if model.features.is_empty() {
        report.add("columns", Verdict::Refuted("there are no features".into()));
        return report;
    }
    if model.target.classes.len() > 2000 {
        report.add("figures", Verdict::NotChecked("too many classes".into()));
        return report;
    }
    let data = match Data::new(&model, table) {
        Ok(data) => data,
        Err(fault) => {
            report.add("columns", Verdict::Refuted(fault));
            return report;
        }
    };
    if model.is_family() {
        family(&model, &data, proof, &work, &mut report);
    } else {
        tree(&model, &data, proof, &work, &mut report);
    }
    report
}

fn tree(model: &Model, data: &Data, proof: Option<&str>, work: &Cell<u64>, report: &mut Report) {
    let Some(nodes) = &model.nodes else { return };
    let figures = Figures::new(nodes, data);
    report.result("counts", figures.counts());
    report.result("values", figures.values());
    let is_pruned = model.learner.params.contains_key("pruned");
    report.add("training", figures.training(&model.training, is_pruned));
    if let Some(rules) = keeps_rules(model, &figures) {
        report.result("rules", rules);
    }
    match (&*model.learner.name, &model.certificate) {
        ("greedy", None) => {}
        ("optimal", _) if !is_pruned => bounded::check(model, data, &figures, proof, work, report),
        ("greedy", Some(_)) if !is_pruned => {
            let what = "a greedy tree that was not pruned has none: nothing is proven";
            report.add("certificate", Verdict::Refuted(what.into()));
        }
        ("dyadic", _) if !is_pruned => match Dyadic::new(model, data, work) {
            Ok(mut dyadic) => dyadic.tree(model, &figures, report),
            Err(fault) => report.add("parameters", Verdict::Refuted(fault)),
        },
        (_, Some(claimed)) if is_pruned => {
            prune::tree(model, data, &figures, claimed, (proof, work), report);
        }
        (_, None) if is_pruned => {}
        (name, _) => report.add(
            "certificate",
            Verdict::NotChecked(format!("trees of the learner {name:?}")),
        ),
    }
}

fn family(model: &Model, data: &Data, proof: Option<&str>, work: &Cell<u64>, report: &mut Report) {
    if model.costs_from.is_some() {
        return report.add("members", Verdict::NotChecked("costs of other rows".into()));
    }
    let members = model.members.iter().flatten();
    let trees = members.filter_map(|member| member.nodes.as_ref());
    for nodes in model.nodes.iter().chain(trees) {
        if let Some(Err(fault)) = keeps_rules(model, &Figures::new(nodes, data)) {
            report.add("rules", Verdict::Refuted(fault));
        }
    }
    match &*model.learner.name {
        "dyadic" if model.nodes.is_none() => match Dyadic::new(model, data, work) {
            Ok(mut dyadic) => dyadic.path(model, report),
            Err(fault) => report.add("parameters", Verdict::Refuted(fault)),
        },
        // Prunings have a cost among their parameters.
        "optimal" if model.nodes.is_none() && !model.learner.params.contains_key("cost") => {
            bounded::family::check(model, data, work, report);
        }
        "greedy" | "optimal" | "dyadic" => prune::family(model, data, proof, work, report),
        name => {
            let why = format!("families of the learner {name:?}");
            report.add("members", Verdict::NotChecked(why));
        }
    }
}

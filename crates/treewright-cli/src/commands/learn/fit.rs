//! `fit`: learn one tree.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Map, Value};
use treewright::Fit;
use treewright::data::{Dataset, ReadOptions};
use treewright::export::proof;
use treewright::learn::Learner;
use treewright::tree::Certificate;

use super::learner;
use crate::args::{FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, FitOptimalArgs};
use crate::commands::problem::{loss, need_classes, say};
use crate::commands::{about, count, in_file, model, start_budget};
use crate::input::Table;
use crate::output::{self, Console, Destination, rounded};

pub(crate) fn run(args: &FitArgs, console: &Console) -> Result<ExitCode> {
    match &args.learner {
        FitLearner::Greedy(args) => greedy(args, console),
        FitLearner::Dyadic(args) => dyadic(args, console),
        FitLearner::Optimal(args) => optimal(args, console),
    }
}

fn greedy(args: &FitGreedyArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let proof_file = args.proof.destination()?;
    let options = args.table.options();
    let plan = learner::greedy(args)?;
    let choice = learner::choice(args)?;
    let is_pruned = choice.is_some();
    let data = console.timed("reading", || {
        Table::open(args.table.path())?.to_learn(&options)
    })?;
    let loss = loss(&args.table.reading, &data)?;
    let budget = start_budget(&args.limits, &data);
    let complaint = |error| about(args.table.path(), &args.pruning.penalty, error);
    let fit = if let (Some(proof_file), Some(choice)) = (proof_file, choice) {
        let penalty = args.pruning.penalty.read()?;
        let learner = learner::pruned(args, loss, choice, penalty)?;
        let learn = || learner.fit_with_grown(&data, &budget);
        let (fit, grown) = console.with_progress(&budget, learn).map_err(complaint)?;
        write_grown(grown, &options, &proof_file)?;
        fit
    } else {
        let learner = plan(loss)?;
        let learn = || learner.fit(&data, &budget);
        console.with_progress(&budget, learn).map_err(complaint)?
    };
    let notes = [growth_stopped(&fit, is_pruned), chosen(&fit)];
    finish(fit, &data, &options, &notes, file.as_ref(), console)
}

fn dyadic(args: &FitDyadicArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let proof_file = args.proof.destination()?;
    let options = args.table.options();
    let plan = learner::dyadic(args)?;
    let data = console.timed("reading", || {
        Table::open(args.table.path())?.to_learn(&options)
    })?;
    need_classes(
        args.table.path(),
        &data,
        &options,
        "dyadic trees need classes",
    )?;
    let learner = plan(loss(&args.table.reading, &data)?)?;
    let budget = start_budget(&args.limits, &data);
    let fit = console
        .with_progress(&budget, || learner.fit(&data, &budget))
        .map_err(|error| about(args.table.path(), &args.dyadic.penalty, error))?;
    if let Some(proof_file) = proof_file {
        proof_file.write(|out| proof::write_needless("dyadic", out))?;
    }
    let capped = capped(&fit.learner.params);
    let notes = [capped, search_stopped(&fit), chosen(&fit)];
    finish(fit, &data, &options, &notes, file.as_ref(), console)
}

fn optimal(args: &FitOptimalArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let proof_file = args.proof.destination()?;
    let options = args.table.options();
    let data = console.timed("reading", || {
        Table::open(args.table.path())?.to_learn(&options)
    })?;
    need_classes(
        args.table.path(),
        &data,
        &options,
        "optimal trees need classes",
    )?;
    let loss = loss(&args.table.reading, &data)?;
    let learner = args.optimal.learner(loss, args.limits.memory_limit())?;
    let budget = start_budget(&args.limits, &data);
    let complaint = |error| in_file(args.table.path(), error);
    let mut unproven = None;
    let fit = if let Some(proof_file) = proof_file {
        let learn = || learner.fit_with_proof(&data, &budget);
        let (fit, proof) = console.with_progress(&budget, learn).map_err(complaint)?;
        proof_file.write(|out| proof::write_optimal(&proof, out))?;
        unproven = proof.claims.is_none().then(|| {
            "the proof has no claims: there was no time for them, or losses are rounded".to_owned()
        });
        fit
    } else {
        let learn = || learner.fit(&data, &budget);
        console.with_progress(&budget, learn).map_err(complaint)?
    };
    let notes = [search_stopped(&fit), unproven];
    finish(fit, &data, &options, &notes, file.as_ref(), console)
}

/// Writes a tree before it was pruned.
pub(super) fn write_grown(mut grown: Fit, options: &ReadOptions, file: &Destination) -> Result<()> {
    options.class_weight.add_to(&mut grown.learner.params);
    file.write(|out| proof::write_grown(&grown, out))
}

/// Writes or shows the tree, after all that is to be said about it.
fn finish(
    mut fit: Fit,
    data: &Dataset,
    options: &ReadOptions,
    notes: &[Option<String>],
    file: Option<&Destination>,
    console: &Console,
) -> Result<ExitCode> {
    options.class_weight.add_to(&mut fit.learner.params);
    let is_written = model::write(&fit, file, console)?;
    // Messages wait until here, because an error is one line.
    say(data, options, notes, console);
    if is_written {
        console.note(&model::figures(&fit.training, "learned"));
    } else {
        output::print(&model::summary(&fit, "learned"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Was the work on a greedy tree stopped?
fn growth_stopped(fit: &Fit, is_pruned: bool) -> Option<String> {
    let params = &fit.learner.params;
    params.get("stopped")?;
    let what = if params.contains_key("stopped_in") {
        "the tree is complete, but nothing is cross-validated, so it is not pruned"
    } else if is_pruned && !params.contains_key("pruned") {
        "the tree is as far as it was grown, not pruned"
    } else {
        "the tree is smaller than it would have become"
    };
    Some(format!("stopped early: {what}"))
}

/// Were there rows that no grid could tell apart?
pub(super) fn capped(params: &Map<String, Value>) -> Option<String> {
    params.get("capped")?;
    let what = "some rows of different classes lie closer together than the finest halving: their \
                errors cannot be avoided";
    Some(what.to_owned())
}

/// Was the search for a tree stopped?
fn search_stopped(fit: &Fit) -> Option<String> {
    let is_optimal = fit.certificate.as_ref().is_none_or(Certificate::is_optimal);
    let is_unvalidated = fit.learner.params.contains_key("stopped");
    let what = match (is_unvalidated, is_optimal) {
        (false, true) => return None,
        (false, false) => "this is the best tree so far, perhaps not the best of all",
        (true, true) => "nothing is cross-validated; this is the tree for the default weight",
        (true, false) => {
            "nothing is cross-validated; for the default weight this is the best tree so far, \
             perhaps not the best of all"
        }
    };
    Some(format!("stopped early: {what}"))
}

/// Which tree was chosen by rows left out, if one was.
fn chosen(fit: &Fit) -> Option<String> {
    let params = &fit.learner.params;
    let pruned = params.get("pruned").and_then(Value::as_object);
    let choice = pruned.unwrap_or(params);
    let rule = choice.get("select")?.as_str()?;
    let before = choice.get("from_leaves");
    let figure = |name: &str| choice.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    Some(format!(
        "chosen by {rule}: {}{}, lambda {}, cv error {} with a standard error of {}",
        count(fit.training.leaves, "leaf", "leaves"),
        before.map_or(String::new(), |leaves| format!(" of {leaves}")),
        choice["lambda"],
        rounded(figure("cv_error")),
        rounded(figure("cv_se"))
    ))
}

//! `fit`: learn one tree.

use std::process::ExitCode;

use anyhow::Result;
use treewright::Fit;
use treewright::cost::Penalty;
use treewright::data::{Dataset, ReadOptions};
use treewright::export::proof;
use treewright::tree::{Certificate, LearnerKind, Params, StoppedIn};

use super::learner;
use crate::args::{FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, FitOptimalArgs};
use crate::commands::problem::{read, say};
use crate::commands::{about, count, model, start_budget};
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
    let (data, loss) = read(&args.table, &options, None, console)?;
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
    let (data, loss) = read(&args.table, &options, Some(LearnerKind::Dyadic), console)?;
    let learner = plan(loss)?;
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
    let plan = learner::optimal(args)?;
    let (data, loss) = read(&args.table, &options, Some(LearnerKind::Optimal), console)?;
    let budget = start_budget(&args.limits, &data);
    let complaint = |error| about(args.table.path(), &args.penalty, error);
    let alone = args.learner(loss.clone(), None, Penalty::Linear)?;
    alone.check_leaf_size(&data).map_err(complaint)?;
    let mut unproven = None;
    let fit = if let Some(proof_file) = proof_file {
        let learner = args.learner(loss, args.limits.memory_limit(), Penalty::Linear)?;
        let learn = || learner.fit_with_proof(&data, &budget);
        let (fit, proof) = console.with_progress(&budget, learn).map_err(complaint)?;
        proof_file.write(|out| proof::write_optimal(&proof, out))?;
        unproven = proof.claims.is_none().then(|| {
            "the proof has no claims: there was no time for them, or losses are rounded".to_owned()
        });
        fit
    } else {
        let learner = plan(loss)?;
        let learn = || learner.fit(&data, &budget);
        console.with_progress(&budget, learn).map_err(complaint)?
    };
    let notes = [search_stopped(&fit), chosen(&fit), unproven];
    finish(fit, &data, &options, &notes, file.as_ref(), console)
}

/// Writes a tree before it was pruned.
pub(super) fn write_grown(mut grown: Fit, options: &ReadOptions, file: &Destination) -> Result<()> {
    let params = &mut grown.learner.params;
    params.set_class_weight(&options.class_weight);
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
    let params = &mut fit.learner.params;
    params.set_class_weight(&options.class_weight);
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
    let what = match params.stopped()? {
        StoppedIn::Validation => {
            "the tree is complete, but nothing is cross-validated, so it is not pruned"
        }
        StoppedIn::Learning if is_pruned && !params.has_pruned() => {
            "the tree is as far as it was grown, not pruned"
        }
        StoppedIn::Learning => "the tree is smaller than it would have become",
    };
    Some(format!("stopped early: {what}"))
}

/// Were there rows that no grid could tell apart?
pub(super) fn capped(params: &Params) -> Option<String> {
    let what = "some rows of different classes lie closer together than the finest halving: their \
                errors cannot be avoided";
    params.is_capped().then(|| what.to_owned())
}

/// Was the search for a tree stopped?
fn search_stopped(fit: &Fit) -> Option<String> {
    let is_optimal = fit.certificate.as_ref().is_none_or(Certificate::is_optimal);
    let is_unvalidated = fit.learner.params.stopped().is_some();
    let is_sized = fit.learner.kind == LearnerKind::Optimal;
    let what = match (is_unvalidated, is_optimal) {
        (false, true) => return None,
        (false, false) => "this is the best tree so far, perhaps not the best of all",
        (true, true) if is_sized => "nothing is cross-validated; this is the tree of least cost",
        (true, false) if is_sized => {
            "nothing is cross-validated; this is the tree of least cost so far, perhaps not the best of all"
        }
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
    let choice = fit.learner.params.choice()?;
    let before = choice.from_leaves;
    Some(format!(
        "chosen by {}: {}{}{}, cv error {} with a standard error of {}",
        choice.rule,
        count(fit.training.leaves, "leaf", "leaves"),
        before.map_or(String::new(), |leaves| format!(" of {leaves}")),
        choice
            .lambda
            .map_or(String::new(), |lambda| format!(", lambda {lambda}")),
        rounded(choice.error),
        rounded(choice.se)
    ))
}

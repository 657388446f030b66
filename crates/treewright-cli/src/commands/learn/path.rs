//! `path`: learn a whole family.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use treewright::cost::Penalty;
use treewright::data::{Dataset, ReadOptions};
use treewright::export::proof;
use treewright::learn::dyadic::{Dyadic, Method};
use treewright::learn::optimal::Optimal;
use treewright::select::{Pruned, Searched};
use treewright::tree::{FamilyFit, LearnerKind, StoppedIn};

use super::fit;
use crate::args::{
    PathArgs, PathDyadicArgs, PathGreedyArgs, PathLearner, PathMethodArg, PathOptimalArgs,
};
use crate::commands::problem::{read, say};
use crate::commands::{about, family, most_bytes, start_budget};
use crate::output::{self, Console, Destination};

pub(crate) fn run(args: &PathArgs, console: &Console) -> Result<ExitCode> {
    match &args.learner {
        PathLearner::Greedy(args) => greedy(args, console),
        PathLearner::Dyadic(args) => dyadic(args, console),
        PathLearner::Optimal(args) => optimal(args, console),
    }
}

fn greedy(args: &PathGreedyArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let proof_file = args.proof.destination()?;
    let options = args.table.options();
    let resampling = args.select.resampling()?;
    let penalty = args.pruning.penalty.read()?;
    let (data, loss) = read(&args.table, &options, None, console)?;
    let learner = args.greedy.learner(loss)?;
    let pruned = Pruned {
        penalty,
        cost: args.pruning.cost(),
        method: args.pruning.method(),
        most_bytes: most_bytes(&args.limits),
        ..Pruned::new(learner)
    };
    let budget = start_budget(&args.limits, &data);
    let complaint = |error| about(args.table.path(), &args.pruning.penalty, error);
    let found = if let Some(proof_file) = proof_file {
        let learn = || pruned.fit_family_with_grown(&data, &budget, resampling);
        let (found, grown) = console.with_progress(&budget, learn).map_err(complaint)?;
        fit::write_grown(grown, &options, &proof_file)?;
        found
    } else {
        let learn = || pruned.fit_family(&data, &budget, resampling);
        console.with_progress(&budget, learn).map_err(complaint)?
    };
    let notes = [growth_stopped(&found, resampling.is_some())];
    finish(found, &data, &options, &notes, file.as_ref(), console)
}

fn dyadic(args: &PathDyadicArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let proof_file = args.proof.destination()?;
    let options = args.table.options();
    let resampling = args.select.resampling()?;
    let penalty = args.dyadic.penalty.read()?;
    let method = method(args, &penalty)?;
    let (data, loss) = read(&args.table, &options, Some(LearnerKind::Dyadic), console)?;
    let learner = Dyadic {
        penalty,
        method,
        collinear: args.collinear,
        ..args.dyadic.learner(loss, most_bytes(&args.limits))?
    };
    let searched = Searched::new(learner);
    let budget = start_budget(&args.limits, &data);
    let found = console
        .with_progress(&budget, || searched.fit_family(&data, &budget, resampling))
        .map_err(|error| about(args.table.path(), &args.dyadic.penalty, error))?;
    if let Some(proof_file) = proof_file {
        proof_file.write(|out| proof::write_needless("dyadic", out))?;
    }
    let notes = [
        fit::capped(&found.learner.params),
        missed(&found).or_else(|| search_stopped(&found)),
    ];
    finish(found, &data, &options, &notes, file.as_ref(), console)
}

fn optimal(args: &PathOptimalArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.table.options();
    let resampling = args.select.resampling()?;
    let penalty = args.penalty.read()?;
    let (data, loss) = read(&args.table, &options, Some(LearnerKind::Optimal), console)?;
    let learner = Optimal {
        penalty,
        ..args.bounded.learner(loss, args.limits.memory_limit())?
    };
    let complaint = |error| about(args.table.path(), &args.penalty, error);
    learner.check_leaf_size(&data).map_err(complaint)?;
    let searched = Searched::new(learner);
    let budget = start_budget(&args.limits, &data);
    let found = console
        .with_progress(&budget, || searched.fit_family(&data, &budget, resampling))
        .map_err(complaint)?;
    let notes = [sizes_stopped(&found).or_else(|| search_stopped(&found))];
    finish(found, &data, &options, &notes, file.as_ref(), console)
}

/// Was a search for the best trees of every size stopped?
fn sizes_stopped(found: &FamilyFit) -> Option<String> {
    found.lower_bounds.as_ref()?;
    let too = if found.learner.params.stopped().is_some() {
        "; nothing is cross-validated"
    } else {
        ""
    };
    Some(format!(
        "stopped early: each tree is the best so far with as many leaves, and the file has lower bounds{too}"
    ))
}

/// How the family is found.
fn method(args: &PathDyadicArgs, penalty: &Penalty) -> Result<Method> {
    let method = args.method.map(PathMethodArg::method).unwrap_or_default();
    let name = method.name();
    let is_free = method == Method::Hull;
    ensure!(
        is_free || *penalty == Penalty::Linear,
        "--method {name} is for the linear penalty: leave --method or --penalty out"
    );
    ensure!(
        is_free || !args.collinear,
        "--method {name} does not find trees that are only tied: leave --method or --collinear out"
    );
    Ok(method)
}

/// Writes or shows the family, after all that is to be said about it.
fn finish(
    mut found: FamilyFit,
    data: &Dataset,
    options: &ReadOptions,
    notes: &[Option<String>],
    file: Option<&Destination>,
    console: &Console,
) -> Result<ExitCode> {
    let params = &mut found.learner.params;
    params.set_class_weight(&options.class_weight);
    let is_written = family::write(&found, file, console)?;
    // Messages wait until here, because an error is one line.
    say(data, options, notes, console);
    if is_written {
        console.note(&family::figures(&found));
    } else {
        output::print(&family::table(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What of the work on a tree and its prunings a limit or Ctrl-C has ended, if one did.
fn growth_stopped(found: &FamilyFit, is_validated: bool) -> Option<String> {
    let what = match found.learner.params.stopped()? {
        StoppedIn::Validation => {
            "nothing is cross-validated; the tree and its prunings are complete"
        }
        StoppedIn::Learning if is_validated => {
            "the tree is smaller than it would have become, and nothing is cross-validated"
        }
        StoppedIn::Learning => "the tree is smaller than it would have become",
    };
    Some(format!("stopped early: {what}"))
}

/// Does the method promise nothing?
fn missed(found: &FamilyFit) -> Option<String> {
    let is_heuristic = found.learner.params.is_heuristic();
    is_heuristic
        .then(|| "the heuristic may have missed trees; --method hull finds all of them".to_owned())
}

/// The same of a search for all best trees.
fn search_stopped(found: &FamilyFit) -> Option<String> {
    let is_unvalidated = found.learner.params.stopped().is_some();
    let from = found.exact_down_to;
    if from > 0.0 {
        let too = if is_unvalidated {
            "; nothing is cross-validated"
        } else {
            ""
        };
        return Some(if from.is_finite() {
            format!(
                "stopped early: the family is complete for lambda from {from} on; below that, larger \
                 trees may be better{too}"
            )
        } else {
            format!("stopped early: for any lambda, larger trees may be better{too}")
        });
    }
    is_unvalidated
        .then(|| "stopped early: nothing is cross-validated; the family is complete".to_owned())
}

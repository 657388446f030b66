//! `path`: learn a whole family.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Map, Value};
use treewright::data::Task;
use treewright::select::Pruned;

use super::{about, about_table, family, fit, most_bytes, start_budget};
use crate::args::{PathArgs, PathDyadicArgs, PathGreedyArgs, PathLearner};
use crate::input::Table;
use crate::output::{self, Console};

pub(crate) fn run(args: &PathArgs, console: &Console) -> Result<ExitCode> {
    match &args.learner {
        PathLearner::Greedy(args) => greedy(args, console),
        PathLearner::Dyadic(args) => dyadic(args, console),
    }
}

fn greedy(args: &PathGreedyArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.reading.options();
    let resampling = args.select.resampling()?;
    let penalty = args.pruning.penalty()?;
    let data = console.timed("reading", || Table::open(&args.data)?.to_learn(&options))?;
    let learner = args.greedy.learner(fit::loss(&args.reading, &data)?)?;
    let pruned = Pruned {
        penalty,
        cost: args.pruning.cost(),
        method: args.pruning.method(),
        most_bytes: most_bytes(&args.limits),
        ..Pruned::new(learner)
    };
    let budget = start_budget(&args.limits)?;
    let mut found = console
        .with_progress(&budget, || pruned.fit_family(&data, &budget, resampling))
        .map_err(|error| about(&args.data, &args.pruning, error))?;
    fit::remember(&mut found.learner.params, &options.class_weight);

    let is_written = family::write(&found, file.as_ref(), console)?;
    // Messages wait until here, because an error is one line.
    if options.task == Task::Auto {
        console.note(&fit::decided(&data));
    }
    if let Some(note) = stopped(&found.learner.params, resampling.is_some()) {
        console.note(note);
    }
    if is_written {
        console.note(&family::figures(&found));
    } else {
        output::print(&family::table(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn dyadic(args: &PathDyadicArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.reading.options();
    let data = console.timed("reading", || Table::open(&args.data)?.to_learn(&options))?;
    fit::need_classes(&args.data, &data, &options, "dyadic trees")?;
    let loss = fit::loss(&args.reading, &data)?;
    let learner = args.dyadic.learner(loss, most_bytes(&args.limits))?;
    let budget = start_budget(&args.limits)?;
    let mut found = console
        .with_progress(&budget, || learner.fit_family(&data, &budget))
        .map_err(|error| about_table(&args.data, error))?;
    fit::remember(&mut found.learner.params, &options.class_weight);

    let is_written = family::write(&found, file.as_ref(), console)?;
    // Messages wait until here, because an error is one line.
    if options.task == Task::Auto {
        console.note(&fit::decided(&data));
    }
    if found.exact_down_to > 0.0 {
        console.note(&format!(
            "stopped early: the family is complete for lambda from {} on; below that, larger trees \
             may be better",
            found.exact_down_to
        ));
    }
    if is_written {
        console.note(&family::figures(&found));
    } else {
        output::print(&family::table(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a limit or Ctrl-C has ended, if one did.
fn stopped(params: &Map<String, Value>, is_validated: bool) -> Option<&'static str> {
    params.get("stopped")?;
    Some(if params.contains_key("stopped_in") {
        "stopped early: nothing is cross-validated; the tree and its prunings are complete"
    } else if is_validated {
        "stopped early: the tree is smaller than it would have become, and nothing is cross-validated"
    } else {
        "stopped early: the tree is smaller than it would have become"
    })
}

//! `fit`: learn one tree.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use serde_json::{Map, Value};
use treewright::cost::Loss;
use treewright::data::{ClassWeight, Dataset, Task};
use treewright::error::quoted;
use treewright::export::json;
use treewright::export::text::{Line, Style, lines};
use treewright::learn::Learner;
use treewright::tree::Training;
use treewright::{ErrorKind, Fit};

use super::{show, start_budget};
use crate::args::{FitArgs, FitGreedyArgs, FitLearner, ReadingArgs};
use crate::input::{self, Table};
use crate::output::{self, Console, Destination, duration, rounded, weight};

/// A tree with more leaves is not printed as a whole.
const MOST_LEAVES_SHOWN: usize = 40;
/// Of a larger tree, at most this many levels and lines are printed.
const LEVELS_SHOWN: usize = 4;
const MOST_LINES_SHOWN: usize = 60;

pub(crate) fn run(args: &FitArgs, console: &Console) -> Result<ExitCode> {
    match &args.learner {
        FitLearner::Greedy(args) => greedy(args, console),
    }
}

fn greedy(args: &FitGreedyArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.reading.options();
    let data = console.timed("reading", || Table::open(&args.data)?.to_learn(&options))?;
    let learner = args.greedy.learner(loss(&args.reading, &data)?)?;
    let budget = start_budget(&args.limits)?;
    let mut fit = console
        .with_progress(&budget, || learner.fit(&data, &budget))
        .map_err(|error| about(&args.data, error))?;
    remember(&mut fit.learner.params, &options.class_weight);

    let is_written = write(&fit, file.as_ref(), console)?;
    // Messages wait until here, because an error is one line.
    if options.task == Task::Auto {
        console.note(&decided(&data));
    }
    if args.limits.memory_limit.is_some() {
        console.note("the memory limit is not used: a greedy tree needs little beyond the table");
    }
    if fit.learner.params.contains_key("stopped") {
        console.note("stopped early: the tree is smaller than it would have become");
    }
    if is_written {
        console.note(&figures(&fit.training));
    } else {
        output::print(&summary(&fit))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What wrong predictions cost.
fn loss(reading: &ReadingArgs, data: &Dataset) -> Result<Loss> {
    let schema = data.schema();
    match &reading.costs {
        None if schema.is_classification() => Ok(Loss::ZeroOne),
        None => Ok(Loss::Squared),
        Some(path) => {
            ensure!(
                schema.is_classification(),
                "--costs needs classes, but the target {} holds numbers",
                quoted(&schema.target.name)
            );
            input::costs(path, schema.classes()).map(Loss::Matrix)
        }
    }
}

/// An error of learning: about the table, unless it is about a parameter.
fn about(data: &Path, error: treewright::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Parameter { .. } => error.into(),
        _ => anyhow::Error::from(error).context(input::name_of(data)),
    }
}

/// What `--task auto` found.
fn decided(data: &Dataset) -> String {
    let schema = data.schema();
    let target = quoted(&schema.target.name);
    let target = if schema.is_classification() {
        let classes = count(schema.classes().len(), "class", "classes");
        format!("classification: target {target} with {classes}")
    } else {
        format!("regression: target {target}")
    };
    let features = count(schema.features.len(), "feature", "features");
    let rows = count(data.n_rows(), "row", "rows");
    format!("{target}, {features}, {rows}")
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Adds what else is needed to repeat the fit to the learner's own parameters.
fn remember(params: &mut Map<String, Value>, class_weight: &ClassWeight) {
    let weights = match class_weight {
        ClassWeight::Equal => return,
        ClassWeight::Balanced => "balanced".into(),
        ClassWeight::Given(weights) => weights
            .iter()
            .map(|(label, weight)| (label.clone(), Value::from(*weight)))
            .collect::<Map<_, _>>()
            .into(),
    };
    params.insert("class_weight".into(), weights);
}

/// Writes the model where it was asked for; says whether it was asked for at all.
fn write(fit: &Fit, file: Option<&Destination>, console: &Console) -> Result<bool> {
    let stdout = console.json.then_some(&Destination::Stdout);
    let destinations: Vec<&Destination> = file.into_iter().chain(stdout).collect();
    if destinations.is_empty() {
        return Ok(false);
    }
    let model = json::write_model(fit);
    for destination in destinations {
        destination.write(|out| writeln!(out, "{model}"))?;
    }
    Ok(true)
}

/// The tree, or the top of a large one, and its figures.
fn summary(fit: &Fit) -> String {
    let lines = lines(&fit.model);
    let shown = if fit.training.leaves <= MOST_LEAVES_SHOWN {
        lines.clone()
    } else {
        let top = lines.iter().filter(|line| level(line) <= LEVELS_SHOWN);
        top.take(MOST_LINES_SHOWN).cloned().collect()
    };
    let mut text = show::coloured(&shown);
    if shown.len() < lines.len() {
        let (shown, all) = (shown.len(), lines.len());
        let note = format!("({shown} of {all} lines; -o FILE and then `show FILE` give all)\n");
        text.push_str(&note);
    }
    format!("{text}\n{}\n", figures(&fit.training))
}

/// How deep in the tree a line stands.
fn level(line: &Line) -> usize {
    const GUIDE_WIDTH: usize = 3;
    match line.segments.first() {
        Some((Style::Guide, guide)) => guide.chars().count() / GUIDE_WIDTH,
        _ => 0,
    }
}

fn figures(training: &Training) -> String {
    let leaves = count(training.leaves, "leaf", "leaves");
    let errors = training.errors.map_or(String::new(), |errors| {
        let (errors, all) = (weight(errors), weight(training.weight));
        format!("training errors {errors} of {all}, ")
    });
    format!(
        "{leaves}, depth {}, {errors}training cost {}, learned in {}",
        training.depth,
        rounded(training.cost),
        duration(training.seconds)
    )
}

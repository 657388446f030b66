//! `fit`: learn one tree.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use serde_json::{Map, Value};
use treewright::Fit;
use treewright::cost::Loss;
use treewright::data::{ClassWeight, Dataset, ReadOptions, Task};
use treewright::error::quoted;
use treewright::learn::Learner;
use treewright::learn::dyadic::Weight;
use treewright::prune::Aim;
use treewright::select::{Choice, Pruned};

use super::{about, about_table, count, model, most_bytes, start_budget};
use crate::args::{FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, ReadingArgs};
use crate::input::{self, Table};
use crate::output::{self, Console, rounded};

pub(crate) fn run(args: &FitArgs, console: &Console) -> Result<ExitCode> {
    match &args.learner {
        FitLearner::Greedy(args) => greedy(args, console),
        FitLearner::Dyadic(args) => dyadic(args, console),
    }
}

fn greedy(args: &FitGreedyArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.reading.options();
    let choice = choice(args)?;
    let penalty = args.pruning.penalty()?;
    let data = console.timed("reading", || Table::open(&args.data)?.to_learn(&options))?;
    let learner = args.greedy.learner(loss(&args.reading, &data)?)?;
    let is_pruned = choice.is_some();
    let learner: Box<dyn Learner> = match choice {
        None => Box::new(learner),
        Some(choice) => Box::new(Pruned {
            learner,
            cost: args.pruning.cost(),
            penalty,
            method: args.pruning.method(),
            choice,
            most_bytes: most_bytes(&args.limits),
        }),
    };
    let budget = start_budget(&args.limits)?;
    let mut fit = console
        .with_progress(&budget, || learner.fit(&data, &budget))
        .map_err(|error| about(&args.data, &args.pruning, error))?;
    remember(&mut fit.learner.params, &options.class_weight);

    let is_written = model::write(&fit, file.as_ref(), console)?;
    // Messages wait until here, because an error is one line.
    if options.task == Task::Auto {
        console.note(&decided(&data));
    }
    if args.limits.memory_limit.is_some() && !is_pruned {
        console.note("the memory limit is not used: a greedy tree needs little beyond the table");
    }
    say_how_it_went(&fit, is_pruned, console);
    if is_written {
        console.note(&model::figures(&fit.training, "learned"));
    } else {
        output::print(&model::summary(&fit, "learned"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn dyadic(args: &FitDyadicArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.reading.options();
    let weight = match (&args.lambda, &args.kappa) {
        (Some(lambda), _) => Weight::Lambda(lambda.value("lambda")?),
        (_, Some(kappa)) => Weight::Kappa(kappa.value("kappa")?),
        _ => Weight::default(),
    };
    let data = console.timed("reading", || Table::open(&args.data)?.to_learn(&options))?;
    need_classes(&args.data, &data, &options, "dyadic trees")?;
    let loss = loss(&args.reading, &data)?;
    let mut learner = args.dyadic.learner(loss, most_bytes(&args.limits))?;
    learner.weight = weight;
    let budget = start_budget(&args.limits)?;
    let mut fit = console
        .with_progress(&budget, || learner.fit(&data, &budget))
        .map_err(|error| about_table(&args.data, error))?;
    remember(&mut fit.learner.params, &options.class_weight);

    let is_written = model::write(&fit, file.as_ref(), console)?;
    // Messages wait until here, because an error is one line.
    if options.task == Task::Auto {
        console.note(&decided(&data));
    }
    if fit.certificate.as_ref().is_some_and(|it| !it.is_optimal()) {
        console.note("stopped early: this is the best tree so far, perhaps not the best of all");
    }
    if is_written {
        console.note(&model::figures(&fit.training, "learned"));
    } else {
        output::print(&model::summary(&fit, "learned"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a table whose target holds numbers.
pub(super) fn need_classes(
    file: &Path,
    data: &Dataset,
    options: &ReadOptions,
    what: &str,
) -> Result<()> {
    let schema = data.schema();
    let advice = match options.task {
        Task::Auto => "; --task classification makes each of them a class",
        _ => "",
    };
    ensure!(
        schema.is_classification(),
        "{}: {what} need classes, but the target {} holds numbers{advice}",
        input::name_of(file),
        quoted(&schema.target.name)
    );
    Ok(())
}

/// How a pruning is chosen, if the tree is pruned at all.
fn choice(args: &FitGreedyArgs) -> Result<Option<Choice>> {
    if let Some(lambda) = &args.lambda {
        let aim = Aim::Weight(lambda.value("lambda")?);
        return Ok(Some(Choice::Aim(aim)));
    }
    if let Some(leaves) = &args.leaves {
        let aim = Aim::Leaves(leaves.count("leaves", 1)?);
        return Ok(Some(Choice::Aim(aim)));
    }
    let resampling = args.select.resampling()?;
    Ok(args
        .select
        .select
        .zip(resampling)
        .map(|(select, resampling)| {
            let rule = select.rule();
            Choice::Select { rule, resampling }
        }))
}

/// Was the work stopped, and which pruning was chosen?
fn say_how_it_went(fit: &Fit, is_pruned: bool, console: &Console) {
    let params = &fit.learner.params;
    if params.contains_key("stopped") {
        console.note(if params.contains_key("stopped_in") {
            "stopped early: the tree is complete, but nothing is cross-validated, so it is not pruned"
        } else if is_pruned && !params.contains_key("pruned") {
            "stopped early: the tree is as far as it was grown, not pruned"
        } else {
            "stopped early: the tree is smaller than it would have become"
        });
    }
    let Some(pruned) = params
        .get("pruned")
        .filter(|pruned| pruned.get("select").is_some())
    else {
        return;
    };
    let figure = |name: &str| pruned.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    console.note(&format!(
        "chosen by {}: {} of {}, lambda {}, cv error {} with a standard error of {}",
        pruned["select"].as_str().unwrap_or_default(),
        count(fit.training.leaves, "leaf", "leaves"),
        pruned["from_leaves"],
        pruned["lambda"],
        rounded(figure("cv_error")),
        rounded(figure("cv_se"))
    ));
}

/// What wrong predictions cost.
pub(super) fn loss(reading: &ReadingArgs, data: &Dataset) -> Result<Loss> {
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

/// What `--task auto` found.
pub(super) fn decided(data: &Dataset) -> String {
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

/// Adds what else is needed to repeat the fit to the learner's own parameters.
pub(super) fn remember(params: &mut Map<String, Value>, class_weight: &ClassWeight) {
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

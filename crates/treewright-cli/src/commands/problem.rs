//! What is learned: the target, what wrong predictions cost, and what somebody needs to repeat it.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::Value;
use treewright::cost::Loss;
use treewright::data::{ClassWeight, Dataset, ReadOptions, Task};
use treewright::error::quoted;
use treewright::export::json;
use treewright::learn::Greedy;
use treewright::tree::LearnerKind;

use super::count;
use crate::args::{ReadingArgs, TableArgs};
use crate::input::{self, Table};
use crate::output::Console;

/// What was learned from, if that was not given, and the notes that there are.
pub(super) fn say(
    data: &Dataset,
    options: &ReadOptions,
    notes: &[Option<String>],
    console: &Console,
) {
    if options.task == Task::Auto {
        console.note(&decided(data));
    }
    notes.iter().flatten().for_each(|note| console.note(note));
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

/// Refuses a table whose target holds numbers; `what` needs classes is said in full.
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
        "{}: {what}, but the target {} holds numbers{advice}",
        input::name_of(file),
        quoted(&schema.target.name)
    );
    Ok(())
}

/// Reads a table to learn from, and what wrong predictions cost. A `learner` that is named needs classes.
pub(super) fn read(
    table: &TableArgs,
    options: &ReadOptions,
    learner: Option<LearnerKind>,
    console: &Console,
) -> Result<(Dataset, Loss)> {
    let data = console.timed("reading", || Table::open(table.path())?.to_learn(options))?;
    if let Some(learner) = learner {
        need_classes(
            table.path(),
            &data,
            options,
            &format!("{learner} trees need classes"),
        )?;
    }
    let loss = loss(&table.reading, &data)?;
    Ok((data, loss))
}

/// What wrong predictions cost.
pub(super) fn loss(reading: &ReadingArgs, data: &Dataset) -> Result<Loss> {
    let schema = data.schema();
    match &reading.costs {
        None => Ok(Loss::usual(schema)),
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

/// What a search over subsets of the features was about: the table as it was read, and the learner, as fields of a
/// model file.
pub(super) fn of(greedy: &Greedy, data: &Dataset, weights: &ClassWeight) -> Value {
    let mut learner = greedy.info(data);
    learner.params.set_class_weight(weights);
    json::problem(data.schema(), &greedy.loss, &learner)
}

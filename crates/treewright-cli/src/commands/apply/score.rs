//! `score`: how a model does on rows whose target is known.

use std::iter;
use std::process::ExitCode;

use anyhow::Result;
use treewright::data::{Purpose, Schema};
use treewright::eval::{self, ClassFigures, Figures, Score};

use crate::args::ScoreArgs;
use crate::input;
use crate::output::{self, Console, rounded, weight};

/// A confusion matrix with more classes does not fit on a screen; `--json` has all of it.
const MOST_CLASSES_SHOWN: usize = 20;

pub(crate) fn run(args: &ScoreArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let (fit, data) = console.timed("reading", || {
        let (fit, table) = input::model_and_table(args.on.model(), args.on.data())?;
        let data = table.for_model(fit.model.schema(), Purpose::Score)?;
        Ok((fit, data))
    })?;
    let score = eval::score(&fit.model, &data)?;
    output::document(&score, file.as_ref(), console, || {
        words(&score, fit.model.schema())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn words(score: &Score, schema: &Schema) -> String {
    let mut rows = vec![
        line("rows", score.rows.to_string()),
        line("weight", weight(score.weight)),
    ];
    match &score.figures {
        Figures::Classes { error, errors, .. } => rows.extend([
            line("errors", weight(*errors)),
            line("error", rounded(*error)),
            line("cost", rounded(score.cost)),
        ]),
        Figures::Numbers { mse, mae, r2 } => rows.extend([
            line("mean squared error", rounded(*mse)),
            line("mean absolute error", rounded(*mae)),
            line("variance explained", maybe(*r2)),
        ]),
    }
    rows.extend([
        line("leaves", score.leaves.to_string()),
        line("depth", score.depth.to_string()),
        line("features queried", rounded(score.features_queried)),
    ]);
    let mut text = output::figures(Vec::new(), rows);
    if let Figures::Classes {
        confusion, classes, ..
    } = &score.figures
    {
        text.push_str(&per_class(classes));
        text.push_str(&matrix(confusion, schema.classes()));
    }
    text
}

fn line(name: &str, figure: String) -> Vec<String> {
    vec![name.to_owned(), figure]
}

fn per_class(classes: &[ClassFigures]) -> String {
    let header = ["class", "weight", "precision", "recall", "f1"].map(str::to_owned);
    let row = |figures: &ClassFigures| {
        vec![
            output::cell(&figures.class),
            weight(figures.support),
            maybe(figures.precision),
            maybe(figures.recall),
            maybe(figures.f1),
        ]
    };
    format!(
        "\n{}",
        output::figures(header.to_vec(), classes.iter().map(row))
    )
}

fn matrix(confusion: &[Vec<f64>], classes: &[String]) -> String {
    if classes.len() > MOST_CLASSES_SHOWN {
        return "\nthe confusion matrix is large: see --json\n".into();
    }
    let names = || classes.iter().map(|class| output::cell(class));
    let header = iter::once("true \\ predicted".to_owned()).chain(names());
    let rows = names().zip(confusion).map(|(class, row)| {
        let weights = row.iter().copied().map(weight);
        iter::once(class).chain(weights).collect()
    });
    format!("\n{}", output::figures(header.collect(), rows))
}

/// A figure that is a dash where it would be 0 / 0.
fn maybe(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".into(), rounded)
}

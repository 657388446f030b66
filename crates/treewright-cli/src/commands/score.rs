//! `score`: how a model does on rows whose target is known.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use treewright::data::Schema;
use treewright::eval::{self, ClassFigures, Figures, Score};

use crate::args::ScoreArgs;
use crate::input;
use crate::output::{self, Console};

/// A confusion matrix with more classes does not fit on a screen; `--json` has all of it.
const MOST_CLASSES_SHOWN: usize = 20;

pub(crate) fn run(args: &ScoreArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination()?;
    let (fit, table) = input::model_and_table(&args.on.model.model, &args.on.data)?;
    let data = table.for_model(fit.model.schema(), true)?;
    let score = eval::score(&fit.model, &data)?;
    output::document(&score, file.as_ref(), console, || {
        words(&score, fit.model.schema())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn words(score: &Score, schema: &Schema) -> String {
    let mut list = output::figures(["", ""]);
    let mut add = |name: &str, figure: String| {
        list.add_row([name.to_owned(), figure]);
    };
    add("rows", score.rows.to_string());
    add("weight", score.weight.to_string());
    match &score.figures {
        Figures::Classes { error, errors, .. } => {
            add("errors", errors.to_string());
            add("error", rounded(*error));
            add("cost", rounded(score.cost));
        }
        Figures::Numbers { mse, mae, r2 } => {
            add("mean squared error", rounded(*mse));
            add("mean absolute error", rounded(*mae));
            add("variance explained", maybe(*r2));
        }
    }
    add("leaves", score.leaves.to_string());
    add("depth", score.depth.to_string());
    add("features queried", rounded(score.features_queried));
    let mut text = format!("{}\n", list.trim_fmt().trim_start());
    if let Figures::Classes {
        confusion, classes, ..
    } = &score.figures
    {
        text.push_str(&per_class(classes));
        text.push_str(&matrix(confusion, schema.classes()));
    }
    text
}

fn per_class(classes: &[ClassFigures]) -> String {
    let mut table = output::figures(["class", "weight", "precision", "recall", "f1"]);
    for figures in classes {
        table.add_row([
            output::cell(&figures.class),
            figures.support.to_string(),
            maybe(figures.precision),
            maybe(figures.recall),
            maybe(figures.f1),
        ]);
    }
    format!("\n{}\n", table.trim_fmt())
}

fn matrix(confusion: &[Vec<f64>], classes: &[String]) -> String {
    if classes.len() > MOST_CLASSES_SHOWN {
        return "\nthe confusion matrix is large: see --json\n".into();
    }
    let names = || classes.iter().map(|class| output::cell(class));
    let mut table = output::figures(["true \\ predicted".to_owned()].into_iter().chain(names()));
    for (class, row) in names().zip(confusion) {
        table.add_row([class].into_iter().chain(row.iter().map(f64::to_string)));
    }
    let mut text = String::new();
    let _ = writeln!(text, "\n{}", table.trim_fmt());
    text
}

fn rounded(figure: f64) -> String {
    format!("{figure:.6}")
}

/// A figure that is a dash where it would be 0 / 0.
fn maybe(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".into(), rounded)
}

//! `score`: how a model does on rows whose target is known.

use std::iter;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use treewright::Fit;
use treewright::data::{ClassWeight, Purpose, Schema};
use treewright::error::{quoted, quoted_list};
use treewright::eval::{
    self, ClassFigures, ClassQuality, NumberQuality, QUANTILES, Quality, Ranking, Score,
};
use treewright::export::json;
use treewright::tree::Params;

use crate::args::ScoreArgs;
use crate::input;
use crate::output::{self, Console, rounded, weight};

/// A confusion matrix with more classes does not fit on a screen; `--json` has all of it.
const MOST_CLASSES_SHOWN: usize = 20;

pub(crate) fn run(args: &ScoreArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let (fit, data, weights) = console.timed("reading", || {
        let (fit, table) = input::model_and_table(args.on.model(), args.on.data())?;
        let mut data = table.for_model(fit.model.schema(), Purpose::Score)?;
        let weights = weights_of(args, &fit)?;
        data.weigh_classes(&weights)?;
        Ok((fit, data, weights))
    })?;
    let positive = match &args.positive {
        Some(label) => Some(class(label, fit.model.schema())?),
        None => eval::positive_class(&fit.model),
    };
    let score = eval::score_with(&fit.model, &data, positive)?;
    let mut document = json::score(&score);
    let mut params = Params::default();
    params.set_class_weight(&weights);
    if let Some(document) = document.as_object_mut() {
        document.extend(params.as_json().clone());
    }
    output::document(&document, file.as_ref(), console, || {
        words(&score, fit.model.schema(), &weights)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The weights of the classes: as given, else those of learning.
fn weights_of(args: &ScoreArgs, fit: &Fit) -> Result<ClassWeight> {
    if let Some(weights) = &args.class_weight {
        return Ok(weights.clone());
    }
    let of_learning = fit.learner.params.class_weight();
    of_learning.with_context(|| input::name_of(args.on.model()))
}

/// Weights of classes, for people.
fn in_words(weights: &ClassWeight) -> Option<String> {
    match weights {
        ClassWeight::Equal => None,
        ClassWeight::Balanced => Some("balanced".into()),
        ClassWeight::Given(weights) => {
            let pair =
                |(label, weight): &(String, f64)| format!("{}={weight}", output::cell(label));
            Some(weights.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The index of a class that was named.
fn class(label: &str, schema: &Schema) -> Result<usize> {
    let target = quoted(&schema.target.name);
    let classes = schema.classes();
    ensure!(
        !classes.is_empty(),
        "--positive: the target {target} is a number and has no classes"
    );
    let place = classes.iter().position(|class| class == label);
    place.with_context(|| {
        let classes = quoted_list(classes.iter().map(String::as_str));
        format!(
            "--positive: {} is not a class of {target}, expected one of {classes}",
            quoted(label)
        )
    })
}

fn words(score: &Score, schema: &Schema, weights: &ClassWeight) -> String {
    let mut rows = vec![
        line("rows", score.rows.to_string()),
        line("weight", weight(score.weight)),
    ];
    rows.extend(in_words(weights).map(|weights| line("class weights", weights)));
    match &score.quality {
        Quality::Classes(quality) => {
            rows.extend(of_classes(quality));
            rows.push(line("cost", rounded(score.cost)));
        }
        Quality::Numbers(quality) => rows.extend(of_numbers(quality)),
    }
    rows.extend([
        line("leaves", score.leaves.to_string()),
        line("depth", score.depth.to_string()),
        line("features queried", rounded(score.features_queried)),
    ]);
    let mut text = output::figures(Vec::new(), rows);
    match &score.quality {
        Quality::Classes(quality) => {
            text.push_str(&per_class(&quality.classes));
            text.push_str(&matrix(&quality.confusion, schema.classes()));
            if let Some(ranking) = &quality.ranking {
                text.push_str(&ranked(ranking, schema.classes()));
            }
        }
        Quality::Numbers(quality) => text.push_str(&residuals(quality)),
    }
    text
}

fn line(name: &str, figure: String) -> Vec<String> {
    vec![name.to_owned(), figure]
}

fn of_classes(quality: &ClassQuality) -> Vec<Vec<String>> {
    let baseline = &quality.baseline;
    let always = output::cell(&quality.classes[baseline.class].class);
    let log_loss = quality.log_loss;
    vec![
        line("errors", weight(quality.errors)),
        line("error", rounded(quality.error)),
        line("95 % interval", interval(quality.error_interval)),
        line(
            &format!("error if always {always}"),
            rounded(baseline.error),
        ),
        line(
            "log loss",
            if log_loss.is_finite() {
                rounded(log_loss)
            } else {
                "infinite".into()
            },
        ),
        line("Brier score", rounded(quality.brier)),
    ]
}

fn of_numbers(quality: &NumberQuality) -> Vec<Vec<String>> {
    vec![
        line("mean squared error", rounded(quality.mse)),
        line("root of that", rounded(quality.rmse)),
        line("mean absolute error", rounded(quality.mae)),
        line("variance explained", maybe(quality.r2)),
        line("bias", rounded(quality.bias)),
        line("root if always the mean", rounded(quality.baseline_rmse)),
        line("absolute if always the mean", rounded(quality.baseline_mae)),
    ]
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

/// How well the positive class is ranked, and whether its predicted shares are right.
fn ranked(ranking: &Ranking, classes: &[String]) -> String {
    let positive = output::cell(&classes[ranking.positive]);
    let rows = [
        line("AUC", rounded(ranking.auc)),
        line("Gini", rounded(ranking.gini)),
        line("KS", rounded(ranking.ks)),
        line("average precision", rounded(ranking.average_precision)),
        line("lift in the top 10 %", rounded(ranking.lift_of_tenth)),
        line("calibration error", rounded(ranking.calibration_error)),
    ];
    let figures = output::figures(vec![format!("ranking {positive}"), String::new()], rows);
    let header = ["predicted share", "actual", "95 % interval", "weight"].map(str::to_owned);
    let bins = ranking.calibration.iter().rev().map(|bin| {
        vec![
            rounded(bin.predicted),
            rounded(bin.actual),
            interval(bin.interval),
            weight(bin.weight),
        ]
    });
    format!("\n{figures}\n{}", output::figures(header.to_vec(), bins))
}

/// How far off the predictions are, in parts of the rows.
fn residuals(quality: &NumberQuality) -> String {
    let name = |share: f64| match share {
        0.0 => "least".into(),
        0.5 => "median".into(),
        1.0 => "largest".into(),
        share => format!("{} %", 100.0 * share),
    };
    let header = iter::once("actual minus predicted".to_owned());
    let header = header.chain(QUANTILES.map(name)).collect();
    let row = iter::once(String::new()).chain(quality.residuals.map(rounded));
    format!("\n{}", output::figures(header, [row.collect()]))
}

/// An interval; a dash where rows with different weights cannot be counted.
fn interval(interval: Option<(f64, f64)>) -> String {
    interval.map_or_else(
        || "-".into(),
        |(low, high)| format!("{} to {}", rounded(low), rounded(high)),
    )
}

/// A figure that is a dash where it would be 0 / 0.
fn maybe(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".into(), rounded)
}

//! `select`: the features whose trees do best on rows that they have not seen.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use treewright::data::{ClassWeight, Dataset, Purpose, ReadOptions};
use treewright::eval::percent;
use treewright::learn::Greedy;
use treewright::select::{
    Backward, Complete, Estimate, FeatureSearch, FeatureSelection, Resampling, Stability,
    shared_bytes,
};

use crate::args::{BackwardArgs, CompleteArgs, SelectingArgs, SelectionArgs, SelectionMethod};
use crate::commands::problem::{self, loss, need_classes, say};
use crate::commands::{count, in_file, model, start_budget};
use crate::input::{self, Table};
use crate::output::{self, Console, Destination, cell, duration, rounded};

pub(crate) fn run(args: &SelectionArgs, console: &Console) -> Result<ExitCode> {
    match &args.method {
        SelectionMethod::Backward(args) => backward(args, console),
        SelectionMethod::Complete(args) => complete(args, console),
    }
}

fn backward(args: &BackwardArgs, console: &Console) -> Result<ExitCode> {
    select(&args.selecting, console, |greedy, estimate| {
        let usual = Backward::new(greedy);
        FeatureSearch::Backward(Backward {
            estimate,
            plain: args.plain,
            most_bytes: shared_bytes(args.selecting.limits.memory_limit(), usual.most_bytes),
            ..usual
        })
    })
}

fn complete(args: &CompleteArgs, console: &Console) -> Result<ExitCode> {
    select(&args.selecting, console, |greedy, estimate| {
        let usual = Complete::new(greedy);
        FeatureSearch::Complete(Complete {
            estimate,
            within: args.within,
            most_bytes: shared_bytes(args.selecting.limits.memory_limit(), usual.most_bytes),
            ..usual
        })
    })
}

fn select(
    args: &SelectingArgs,
    console: &Console,
    method: impl FnOnce(Greedy, Estimate) -> FeatureSearch,
) -> Result<ExitCode> {
    let file = destination(args, console)?;
    let is_standard = |path: Option<&Path>| path == Some(Path::new("-"));
    ensure!(
        !(is_standard(Some(args.table.path())) && is_standard(args.judging.search.as_deref())),
        "DATA and --search cannot both be standard input"
    );
    let options = args.table.options();
    let resampling = args.judging.resampling()?;
    let stability = stability(args)?;
    let (data, search) = console.timed("reading", || read(args, &options))?;
    let greedy = args.greedy.learner(loss(&args.table.reading, &data)?)?;
    let judged = judged(args, &resampling, search.as_ref());
    let judged_by = judged_by(&resampling, search.as_ref());
    let estimate = search.map_or(Estimate::Resampled(resampling), Estimate::Rows);
    let search = method(greedy, estimate);
    let budget = start_budget(&args.limits, &data);
    let found = console.with_progress(&budget, || -> treewright::Result<_> {
        if file.is_none() {
            return Ok((search.select(&data, &budget, stability)?, None));
        }
        let (selected, fit) = search.fit(&data, &budget, stability)?;
        Ok((selected, Some(fit)))
    });
    let (selected, fit) = found.map_err(|error| in_file(args.table.path(), error))?;
    let problem = problem::of(search.greedy(), &data, &options.class_weight);
    let document = Document::new(search.name(), &selected, &data, (problem, judged_by));
    if console.json {
        Destination::Stdout.write(|out| output::json_line(out, &document))?;
    }
    let mut figures = None;
    if let (Some(file), Some(mut fit)) = (&file, fit) {
        let params = &mut fit.learner.params;
        params.set_class_weight(&options.class_weight);
        file.write(|out| writeln!(out, "{}", treewright::export::json::write_model(&fit)))?;
        figures = Some(model::figures(&fit.training, "learned"));
    }
    let notes = [
        document.stopped_note(),
        document.nothing_note(),
        file.is_some().then(|| document.in_short()),
        figures,
    ];
    say(&data, &options, &notes, console);
    if file.is_none() && !console.json {
        output::print(&document.in_words(&judged))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The table, and the rows that judge if they are in another one.
fn read(args: &SelectingArgs, options: &ReadOptions) -> Result<(Dataset, Option<Dataset>)> {
    let path = args.table.path();
    let data = Table::open(path)?.to_learn(options)?;
    need_classes(path, &data, options, "select needs a classification target")?;
    let search = args.judging.search.as_deref();
    let search = search.map(|path| rows_that_judge(path, &data, &options.class_weight));
    Ok((data, search.transpose()?))
}

/// Where the model goes.
fn destination(args: &SelectingArgs, console: &Console) -> Result<Option<Destination>> {
    let is_standard = args.output.path() == Some(Path::new("-"));
    ensure!(
        !(console.json && is_standard),
        "-o - and --json cannot share standard output: write the model to a file"
    );
    args.output.destination(console)
}

/// How the selection is repeated, if it is.
fn stability(args: &SelectingArgs) -> Result<Option<Stability>> {
    let seed = args.judging.seed()?;
    let resamples = args.judging.resamples()?;
    Ok(resamples.map(|resamples| Stability {
        resamples,
        seed,
        ..Stability::default()
    }))
}

/// Reads the rows that judge as those of the table were read.
fn rows_that_judge(path: &Path, data: &Dataset, weights: &ClassWeight) -> Result<Dataset> {
    let context = || input::name_of(path);
    let mut rows = Table::open(path)?.for_model(data.schema(), Purpose::Score)?;
    rows.weigh_classes(weights).with_context(context)?;
    ensure!(
        rows.n_rows() > 0,
        "{}: the table has no rows, expected at least one",
        context()
    );
    Ok(rows)
}

/// Which rows judge, in words.
fn judged(args: &SelectingArgs, resampling: &Resampling, search: Option<&Dataset>) -> String {
    match (&args.judging.search, search, *resampling) {
        (Some(path), Some(rows), _) => {
            let rows = count(rows.n_rows(), "row", "rows");
            format!("the {rows} of {}", cell(&input::name_of(path)))
        }
        (.., Resampling::Holdout { share, .. }) => {
            format!("{} % of the rows, held out", short(share * 100.0))
        }
        (.., Resampling::Folds { folds, repeats, .. }) => {
            let repeats = match repeats {
                1 => String::new(),
                _ => format!(", {repeats} times"),
            };
            format!("cross-validation with {folds} folds{repeats}")
        }
    }
}

/// Which rows judge, for the document.
fn judged_by(resampling: &Resampling, search: Option<&Dataset>) -> Value {
    match (search, resampling) {
        (Some(rows), _) => json!({"rows_of_search": rows.n_rows()}),
        (None, Resampling::Holdout { share, seed }) => json!({"holdout": share, "seed": seed}),
        (
            None,
            Resampling::Folds {
                folds,
                repeats,
                seed,
            },
        ) => json!({"folds": folds, "repeats": repeats, "seed": seed}),
    }
}

/// A percentage without digits that mean nothing.
fn short(percent: f64) -> String {
    let text = format!("{percent:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// All that is said about a selection.
#[derive(Debug, Serialize)]
struct Document<'a> {
    method: &'static str,
    selected: Vec<&'a str>,
    unused: Vec<&'a str>,
    removed: Vec<&'a str>,
    search_error: f64,
    all_features_error: f64,
    trees_built: u64,
    trees_skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    optimal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<f64>,
    seconds: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<StabilityDocument<'a>>,
    /// What was learned from what.
    problem: Value,
    judged_by: Value,
}

#[derive(Debug, Serialize)]
struct StabilityDocument<'a> {
    resamples: usize,
    stability: Option<f64>,
    /// In the order of the table.
    #[serde(serialize_with = "as_object")]
    frequency: Vec<(&'a str, f64)>,
}

fn as_object<S: Serializer>(
    pairs: &[(&str, f64)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

impl<'a> Document<'a> {
    fn new(
        method: &'static str,
        selected: &FeatureSelection,
        data: &'a Dataset,
        (problem, judged_by): (Value, Value),
    ) -> Self {
        let features = &data.schema().features;
        let name = |feature: usize| &*features[feature].name;
        let names = |of: &[usize]| of.iter().map(|&feature| name(feature)).collect();
        let selection = &selected.selection;
        let stability = selected.stability.as_ref().map(|report| {
            // Shares of no samples would look like features that are never selected.
            let of_none = report.selections.is_empty();
            let pairs = report.frequency.iter().enumerate().filter(|_| !of_none);
            StabilityDocument {
                resamples: report.selections.len(),
                stability: report.stability,
                frequency: pairs.map(|(f, &share)| (name(f), share)).collect(),
            }
        });
        Self {
            method,
            selected: names(&selection.selected),
            unused: names(&selection.unused),
            removed: names(&selection.removed),
            search_error: selection.search_error,
            all_features_error: selection.all_features_error,
            trees_built: selection.trees_built,
            trees_skipped: selection.trees_skipped,
            optimal: selection.proof.map(|proof| proof.optimal),
            lower_bound: selection.proof.map(|proof| proof.lower_bound),
            seconds: selection.time.as_secs_f64(),
            stopped: selected.is_stopped(),
            stability,
            problem,
            judged_by,
        }
    }

    fn n_features(&self) -> usize {
        self.selected.len() + self.unused.len() + self.removed.len()
    }

    /// Was the search stopped?
    fn stopped_note(&self) -> Option<String> {
        let what = match (&self.stability, self.optimal) {
            (Some(_), _) => "not all samples of the rows were searched, perhaps not even all rows",
            (None, Some(_)) => "this is the best subset so far, perhaps not the best of all",
            (None, None) => "more features might have been taken away",
        };
        self.stopped.then(|| format!("stopped early: {what}"))
    }

    /// Was nothing selected?
    fn nothing_note(&self) -> Option<String> {
        let what =
            "no feature is selected: without any the error is as low, and the tree is one leaf";
        self.selected.is_empty().then(|| what.to_owned())
    }

    fn in_short(&self) -> String {
        format!(
            "selected {} of {}, search error {}, with all features {}",
            self.selected.len(),
            count(self.n_features(), "feature", "features"),
            error(self.search_error),
            error(self.all_features_error)
        )
    }

    fn in_words(&self, judged: &str) -> String {
        let line = |name: &str, what: String| vec![name.to_owned(), what];
        let mut lines = vec![
            line("selected", listed(&self.selected)),
            line("unused", listed(&self.unused)),
            line("removed", listed(&self.removed)),
            line("search error", error(self.search_error)),
            line("with all features", error(self.all_features_error)),
        ];
        if let Some(bound) = self.lower_bound {
            let is_proven = self.optimal == Some(true);
            let proof = if is_proven {
                "no subset has a smaller error".into()
            } else {
                format!("no subset has an error below {}", rounded(bound))
            };
            lines.push(line("proven", proof));
        }
        lines.extend([
            line("trees built", self.trees_built.to_string()),
            line("trees skipped", self.trees_skipped.to_string()),
            line("time", duration(self.seconds)),
        ]);
        let title = format!(
            "{} selection among {}, judged by {judged}:\n",
            self.method,
            count(self.n_features(), "feature", "features")
        );
        let stability = self.stability.as_ref().map(StabilityDocument::in_words);
        let parts = [Some(title), Some(output::words(lines)), stability];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

impl StabilityDocument<'_> {
    fn in_words(&self) -> String {
        let header = ["feature", "selected in"].map(str::to_owned).to_vec();
        let rows = self.frequency.iter();
        let rows = rows.map(|(name, share)| vec![cell(name), percent(*share)]);
        let stability = self.stability.map_or_else(|| "-".into(), rounded);
        let samples = count(self.resamples, "sample", "samples");
        if self.frequency.is_empty() {
            return "stability: no sample of the rows was searched to the end\n".into();
        }
        format!(
            "stability {stability} over {samples} of the rows:\n\n{}",
            output::figures(header, rows)
        )
    }
}

/// How many, and which.
fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| cell(name)).collect();
    match names.len() {
        0 => "none".into(),
        n => format!("{n}: {}", names.join(", ")),
    }
}

/// An error for people; none is known of a search that was stopped at once.
fn error(rate: f64) -> String {
    if rate.is_nan() {
        "unknown".into()
    } else {
        rounded(rate)
    }
}

//! `distinct`: all distinct trees over subsets of the features.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::Value;
use treewright::data::Dataset;
use treewright::export::json;
use treewright::select::{Count, Distinct, shared_bytes};
use treewright::{Budget, Error};

use crate::args::DistinctArgs;
use crate::commands::problem::{self, loss, need_classes, say};
use crate::commands::{count, in_file, start_budget};
use crate::disk::{Space, Watch};
use crate::input::Table;
use crate::output::{self, Console, Destination, Writing, duration};
use crate::signals;

/// Trees on their way to a reader wait no longer than this.
const PATIENCE: Duration = Duration::from_millis(200);

/// All that is said about the trees.
#[derive(Debug, Serialize)]
struct Document<'a> {
    features: usize,
    distinct: u64,
    built: u64,
    /// Not a number if there are no trees.
    ratio: f64,
    by_size: &'a [u64],
    complete: bool,
    seconds: f64,
    /// What was learned from what.
    problem: Value,
}

pub(crate) fn run(args: &DistinctArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let trees = args.trees.as_deref().map(Destination::new).transpose()?;
    one_standard_output(trees.as_ref(), file.as_ref(), console)?;
    let limit = args.limit()?;
    let options = args.table.options();
    let data = console.timed("reading", || {
        Table::open(args.table.path())?.to_learn(&options)
    })?;
    need_classes(
        args.table.path(),
        &data,
        &options,
        "distinct needs a classification target",
    )?;
    let usual = Distinct::new(args.greedy.learner(loss(&args.table.reading, &data)?)?);
    let distinct = Distinct {
        order: args.order(),
        most_bytes: shared_bytes(args.limits.memory_limit(), usual.most_bytes),
        ..usual
    };
    let budget = start_budget(&args.limits, &data);
    let found = console.with_progress(&budget, || match (&trees, limit) {
        (None, None) => Ok((distinct.count(&data, &budget)?, None)),
        (None, limit) => {
            let found = distinct.stream(&data, limit, &budget, |_| (), |()| Ok(()))?;
            Ok((found, None))
        }
        (Some(trees), limit) => write(&distinct, &data, limit, &budget, trees),
    });
    let (found, full) = found.map_err(|error| match error.downcast::<Error>() {
        Ok(error) => in_file(args.table.path(), error),
        Err(error) => error,
    })?;
    let problem = problem::of(&distinct.greedy, &data, &options.class_weight);
    let document = Document::new(&found, problem);
    let notes = [full.map(nearly_full).or_else(|| incomplete(&found, limit))];
    say(&data, &options, &notes, console);
    if matches!(trees, Some(Destination::Stdout)) {
        console.note(&document.in_short());
        if let Some(file) = &file {
            file.write(|out| output::json_line(out, &document))?;
        }
    } else {
        output::document(&document, file.as_ref(), console, || document.in_words())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses to mix trees and figures.
fn one_standard_output(
    trees: Option<&Destination>,
    file: Option<&Destination>,
    console: &Console,
) -> Result<()> {
    if let Some(Destination::Stdout) = trees {
        ensure!(
            !console.json,
            "--trees - and --json cannot share standard output: write the trees to a file"
        );
        ensure!(
            !matches!(file, Some(Destination::Stdout)),
            "--trees - and -o - cannot share standard output: write one of them to a file"
        );
    }
    Ok(())
}

/// Writes the trees, one a line, as they are found. If the disk becomes full the search is stopped, and what is
/// left of the disk is told.
fn write(
    distinct: &Distinct,
    data: &Dataset,
    limit: Option<u64>,
    budget: &Budget,
    trees: &Destination,
) -> Result<(Count, Option<Space>)> {
    let mut lines = Lines {
        writing: trees.open()?,
        flushed: Instant::now(),
        folder: trees.folder(),
        watch: Watch::default(),
        full: None,
    };
    let mut failure = None;
    let found = distinct.stream(
        data,
        limit,
        budget,
        |met| json::write_bare_tree(&met.tree()),
        |line| {
            lines.add(&line).map_err(|error| {
                let stop = Error::io(error.to_string());
                failure = Some(error);
                stop
            })
        },
    );
    if let Some(error) = failure {
        return Err(trees.failed(error));
    }
    let found = found?;
    lines.writing.finish()?;
    Ok((found, lines.full))
}

/// Lines for a reader who may be waiting for them.
struct Lines<'a> {
    writing: Writing<'a>,
    flushed: Instant,
    /// Whose disk is watched.
    folder: Option<&'a Path>,
    watch: Watch,
    full: Option<Space>,
}

impl Lines<'_> {
    fn add(&mut self, line: &str) -> io::Result<()> {
        let out = &mut self.writing.out;
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
        if self.flushed.elapsed() > PATIENCE {
            out.flush()?;
            self.flushed = Instant::now();
        }
        if let Some(folder) = self.folder
            && let Some(left) = self.watch.written(line.len() + 1, || Space::of(folder))
        {
            self.full = Some(left);
            // The trees that are on their way still come.
            signals::interrupt().store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The search was stopped because of the disk.
fn nearly_full(left: Space) -> String {
    format!(
        "stopped early: the disk is nearly full ({} MB are left); these are the trees so far",
        left.free / 1_000_000
    )
}

/// Are there more trees?
fn incomplete(found: &Count, limit: Option<u64>) -> Option<String> {
    if found.complete {
        return None;
    }
    Some(if limit == Some(found.distinct) {
        "stopped at the limit: there are more trees".into()
    } else {
        "stopped early: these are the trees so far, perhaps not all".into()
    })
}

impl<'a> Document<'a> {
    fn new(found: &'a Count, problem: Value) -> Self {
        Self {
            features: found.n_features,
            distinct: found.distinct,
            built: found.built,
            ratio: found.built as f64 / found.distinct as f64,
            by_size: &found.by_size,
            complete: found.complete,
            seconds: found.time.as_secs_f64(),
            problem,
        }
    }

    fn in_short(&self) -> String {
        let built = match self.ratio {
            ratio if ratio.is_nan() => "none built".into(),
            ratio => format!("{} built ({ratio:.3} for each)", self.built),
        };
        format!(
            "{} distinct trees over subsets of {}, {built}, in {}",
            self.distinct,
            count(self.features, "feature", "features"),
            duration(self.seconds)
        )
    }

    /// The figures, and the trees of each size up to the largest that there is.
    fn in_words(&self) -> String {
        let figure = |name: &str, figure: String| vec![name.to_owned(), figure];
        let ratio = match self.ratio {
            ratio if ratio.is_nan() => "-".into(),
            ratio => format!("{ratio:.3}"),
        };
        let complete = if self.complete { "yes" } else { "no" };
        let figures = [
            figure("features", self.features.to_string()),
            figure("distinct trees", self.distinct.to_string()),
            figure("trees built", self.built.to_string()),
            figure("built / distinct", ratio),
            figure("complete", complete.into()),
            figure("time", duration(self.seconds)),
        ];
        let figures = output::figures(Vec::new(), figures);
        let largest = self.by_size.iter().rposition(|&trees| trees > 0);
        let Some(largest) = largest else {
            return figures;
        };
        let header = ["features used", "trees"].map(str::to_owned).to_vec();
        let sizes = self.by_size[..=largest].iter().enumerate();
        let sizes = sizes.map(|(size, trees)| vec![size.to_string(), trees.to_string()]);
        format!("{figures}\n{}", output::figures(header, sizes))
    }
}

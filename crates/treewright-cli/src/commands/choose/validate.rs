//! `validate`: learners on the same folds, compared row by row.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use treewright::data::Dataset;
use treewright::learn::Learner;
use treewright::select::{FoldFigures, LearnerFigures, PairedDifference, TreeFigures, Validation};

use crate::args::{Dealing, NamedLearner, ValidateArgs};
use crate::commands::learn::learner;
use crate::commands::problem::{loss, say};
use crate::commands::{count, in_file, start_budget};
use crate::csv::{csv_cell, write_number};
use crate::input::Table;
use crate::output::{self, Console, Destination, duration, rounded};

/// All that is said about the learners. A figure that is not a number is `null`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    rows: usize,
    weight: f64,
    folds: usize,
    repeats: usize,
    seed: u64,
    planned: usize,
    complete: usize,
    learners: Vec<OneLearner<'a>>,
    best: Option<&'a str>,
    differences: Vec<Compared<'a>>,
    outcomes: Vec<Outcome>,
    stopped: bool,
}

#[derive(Debug, Serialize)]
struct OneLearner<'a> {
    learner: &'a str,
    error: f64,
    se: f64,
    leaves: f64,
    leaves_sd: f64,
    depth: f64,
    depth_sd: f64,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Compared<'a> {
    learner: &'a str,
    against: &'a str,
    difference: f64,
    se: f64,
    z: f64,
    won: usize,
    tied: usize,
    lost: usize,
}

/// One fold, with a tree for each learner.
#[derive(Debug, Serialize)]
struct Outcome {
    repeat: usize,
    fold: usize,
    rows: usize,
    weight: f64,
    trees: Vec<OneTree>,
}

#[derive(Debug, Serialize)]
struct OneTree {
    error: f64,
    leaves: usize,
    depth: usize,
    seconds: f64,
}

pub(crate) fn run(args: &ValidateArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.table.options();
    let named = args.learners()?;
    let plans = learner::all(&named)?;
    let dealing = args.dealing()?;
    let data = console.timed("reading", || {
        Table::open(args.table.path())?.to_learn(&options)
    })?;
    let loss = loss(&args.table.reading, &data)?;
    let learners = learner::all_for(&named, &plans, &loss, (args.table.path(), &data, &options))?;
    let budget = start_budget(&args.limits, &data);
    let validation = console.with_progress(&budget, || {
        let all: Vec<&(dyn Learner + Sync)> = learners.iter().map(|one| &**one).collect();
        dealing.plan().run(&all, &data, &budget)
    });
    let validation = validation.map_err(|error| in_file(args.table.path(), error))?;
    let document = Document::new(dealing, &named, &validation, &data);
    if let Some(file) = &file {
        if args.output.is_json() {
            file.write(|out| output::json_line(out, &document))?;
        } else {
            file.write(|out| document.write_csv(out))?;
        }
    }
    if console.json {
        Destination::Stdout.write(|out| output::json_line(out, &document))?;
    }
    say(&data, &options, &[document.stopped_note()], console);
    if file.is_none() && !console.json {
        output::print(&document.in_words())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl<'a> Document<'a> {
    fn new(
        dealing: Dealing,
        named: &'a [NamedLearner],
        validation: &Validation,
        data: &Dataset,
    ) -> Self {
        let name = |place: usize| &*named[place].name;
        let learners = validation.learners.iter().enumerate();
        let differences = validation.differences.iter();
        Self {
            rows: data.n_rows(),
            weight: data.total_weight(),
            folds: dealing.folds,
            repeats: dealing.repeats,
            seed: dealing.seed,
            planned: validation.planned,
            complete: validation.folds.len(),
            learners: learners
                .map(|(place, figures)| OneLearner::new(name(place), figures))
                .collect(),
            best: validation.best().map(name),
            differences: differences
                .map(|pair| Compared::new(name(pair.learner), name(pair.against), pair))
                .collect(),
            outcomes: validation.folds.iter().map(Outcome::new).collect(),
            stopped: !validation.is_complete(),
        }
    }

    fn stopped_note(&self) -> Option<String> {
        self.stopped.then(|| {
            format!(
                "stopped early: the figures are of {} of {}",
                self.complete,
                count(self.planned, "fold", "folds")
            )
        })
    }

    /// One line for each learner, repeat and fold.
    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "learner,repeat,fold,rows,weight,error,leaves,depth,seconds"
        )?;
        for (place, learner) in self.learners.iter().enumerate() {
            let name = csv_cell(learner.learner);
            for outcome in &self.outcomes {
                let tree = &outcome.trees[place];
                let (repeat, fold, rows) = (outcome.repeat, outcome.fold, outcome.rows);
                write!(out, "{name},{repeat},{fold},{rows},")?;
                write_number(out, outcome.weight)?;
                out.write_all(b",")?;
                write_number(out, tree.error)?;
                write!(out, ",{},{},", tree.leaves, tree.depth)?;
                write_number(out, tree.seconds)?;
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }

    fn in_words(&self) -> String {
        let repeats = match self.repeats {
            1 => String::new(),
            repeats => format!(", {repeats} repeats"),
        };
        let so_far = if self.stopped {
            format!(", {} of {} complete", self.complete, self.planned)
        } else {
            String::new()
        };
        let what = format!(
            "error on rows left out, {} folds{repeats}{so_far}:\n",
            self.folds
        );
        let header = [
            "learner", "error", "se", "leaves", "sd", "depth", "sd", "time", "",
        ];
        let rows = self.learners.iter().map(|one| one.row(self.best));
        let header = header.map(str::to_owned).into();
        let mut parts = vec![what, output::figures_and_words(header, rows)];
        if let [first, _, ..] = &*self.learners {
            let first = output::cell(first.learner);
            parts.push(format!("compared with {first}, row by row:\n"));
            parts.push(self.compared());
        }
        parts.join("\n")
    }

    /// All learners but the first, against that.
    fn compared(&self) -> String {
        let header = ["learner", "difference", "se", "z", "won", "tied", "lost"];
        let first = self.learners[0].learner;
        let with_first = self.differences.iter().filter(|pair| pair.against == first);
        output::figures(
            header.map(str::to_owned).into(),
            with_first.map(Compared::row),
        )
    }
}

/// A figure as text, or a dash if there is none.
fn known(figure: f64, text: impl Fn(f64) -> String) -> String {
    if figure.is_nan() {
        "-".into()
    } else {
        text(figure)
    }
}

fn tenths(figure: f64) -> String {
    format!("{figure:.1}")
}

impl<'a> OneLearner<'a> {
    fn new(learner: &'a str, figures: &LearnerFigures) -> Self {
        Self {
            learner,
            error: figures.error,
            se: figures.se,
            leaves: figures.leaves.mean,
            leaves_sd: figures.leaves.sd,
            depth: figures.depth.mean,
            depth_sd: figures.depth.sd,
            seconds: figures.seconds,
        }
    }

    fn row(&self, best: Option<&str>) -> Vec<String> {
        let mark = if best == Some(self.learner) {
            "best"
        } else {
            ""
        };
        vec![
            output::cell(self.learner),
            known(self.error, rounded),
            known(self.se, rounded),
            known(self.leaves, tenths),
            known(self.leaves_sd, tenths),
            known(self.depth, tenths),
            known(self.depth_sd, tenths),
            known(self.seconds, duration),
            mark.to_owned(),
        ]
    }
}

impl<'a> Compared<'a> {
    fn new(learner: &'a str, against: &'a str, pair: &PairedDifference) -> Self {
        Self {
            learner,
            against,
            difference: pair.mean,
            se: pair.se,
            z: pair.z,
            won: pair.won,
            tied: pair.tied,
            lost: pair.lost,
        }
    }

    fn row(&self) -> Vec<String> {
        vec![
            output::cell(self.learner),
            known(self.difference, rounded),
            known(self.se, rounded),
            known(self.z, |z| format!("{z:.2}")),
            self.won.to_string(),
            self.tied.to_string(),
            self.lost.to_string(),
        ]
    }
}

impl Outcome {
    fn new(fold: &FoldFigures) -> Self {
        Self {
            repeat: fold.repeat,
            fold: fold.fold,
            rows: fold.rows,
            weight: fold.weight,
            trees: fold.trees.iter().map(OneTree::new).collect(),
        }
    }
}

impl OneTree {
    fn new(tree: &TreeFigures) -> Self {
        Self {
            error: tree.error,
            leaves: tree.leaves,
            depth: tree.depth,
            seconds: tree.seconds,
        }
    }
}

//! `curve`: error on rows held out, against the number of rows learned from.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use treewright::cost::Loss;
use treewright::data::Dataset;
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;
use treewright::select::{Curve, LearningCurve, Point};

use super::plot;
use super::rates::{self, RatesDocument};
use crate::args::{CurveArgs, LearnerArgs, NamedLearner};
use crate::commands::learn::learner;
use crate::commands::problem::{loss, say};
use crate::commands::{count, in_file, start_budget};
use crate::csv::{csv_cell, write_number};
use crate::input::Table;
use crate::output::{self, Console, Destination, duration, rounded};

/// All that is said about the curves.
#[derive(Debug, Serialize)]
struct Document<'a> {
    rows: usize,
    held_out: usize,
    holdout: f64,
    repeats: usize,
    seed: u64,
    sizes: &'a [usize],
    learners: Vec<OneCurve<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rates: Option<RatesDocument>,
    stopped: bool,
}

#[derive(Debug, Serialize)]
struct OneCurve<'a> {
    learner: &'a str,
    points: Vec<PointDocument>,
}

/// A figure that is not a number is `null`.
#[derive(Debug, Serialize)]
struct PointDocument {
    rows: usize,
    repeats: usize,
    error: f64,
    se: f64,
    leaves: f64,
    depth: f64,
    seconds: f64,
}

pub(crate) fn run(args: &CurveArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.table.options();
    let named = args.learners()?;
    let plans = learner::all(&named)?;
    let plan = args.plan()?;
    let data = console.timed("reading", || {
        Table::open(args.table.path())?.to_learn(&options)
    })?;
    let loss = loss(&args.table.reading, &data)?;
    let learners = learner::all_for(&named, &plans, &loss, (args.table.path(), &data, &options))?;
    let pair = depths_one_and_two(&named, &loss)?;
    let budget = start_budget(&args.limits, &data);
    let drawn = console.with_progress(&budget, || -> treewright::Result<_> {
        let all: Vec<&(dyn Learner + Sync)> = learners.iter().map(|one| &**one).collect();
        let curve = plan.draw(&all, &data, &budget)?;
        let rates = pair.map(|pair| rates::compare(pair, &curve, &data, &budget));
        Ok((curve, rates.transpose()?))
    });
    let (curve, rates) = drawn.map_err(|error| in_file(args.table.path(), error))?;
    let document = Document::new(&plan, &named, &curve, &data, rates);
    document.write(file.as_ref(), args.output.is_json(), console)?;
    say(&data, &options, &[stopped(&curve, &plan)], console);
    if file.is_none() && !console.json {
        output::print(&document.in_words(&curve))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The first two learners of the list that are optimal for depth 1 and depth 2 and else the same, with
/// their places.
fn depths_one_and_two(
    named: &[NamedLearner],
    loss: &Loss,
) -> Result<Option<[(usize, Optimal); 2]>> {
    let mut all: Vec<(usize, Optimal)> = Vec::new();
    for (place, named) in named.iter().enumerate() {
        if let LearnerArgs::Optimal(args) = &named.args {
            all.push((
                place,
                args.optimal
                    .learner(loss.clone(), args.limits.memory_limit())?,
            ));
        }
    }
    for one in all.iter().filter(|(_, learner)| learner.depth == 1) {
        let same = Optimal {
            depth: 2,
            ..one.1.clone()
        };
        if let Some(two) = all.iter().find(|(_, learner)| *learner == same) {
            return Ok(Some([one.clone(), two.clone()]));
        }
    }
    Ok(None)
}

/// Was the work stopped?
fn stopped(curve: &Curve, plan: &LearningCurve) -> Option<String> {
    let repeats = || curve.points.iter().flatten().map(|point| point.repeats);
    let (least, most) = (repeats().min()?, repeats().max()?);
    let complete = if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    };
    curve.stopped.then(|| {
        format!(
            "stopped early: the points are means of {complete} of {}",
            count(plan.repeats, "repeat", "repeats")
        )
    })
}

impl<'a> Document<'a> {
    fn new(
        plan: &LearningCurve,
        named: &'a [NamedLearner],
        curve: &'a Curve,
        data: &Dataset,
        rates: Option<RatesDocument>,
    ) -> Self {
        let curves = named.iter().zip(&curve.points);
        let learners = curves.map(|(named, points)| OneCurve {
            learner: &named.name,
            points: points.iter().map(PointDocument::new).collect(),
        });
        Self {
            rows: data.n_rows(),
            held_out: curve.held_out,
            holdout: plan.holdout,
            repeats: plan.repeats,
            seed: plan.seed,
            sizes: &curve.sizes,
            learners: learners.collect(),
            rates,
            stopped: curve.stopped,
        }
    }

    /// Writes where something else than words is wanted: a file is CSV unless its name ends in `.json`.
    fn write(&self, file: Option<&Destination>, is_json: bool, console: &Console) -> Result<()> {
        if let Some(file) = file {
            if is_json {
                file.write(|out| output::json_line(out, self))?;
            } else {
                file.write(|out| self.write_csv(out))?;
            }
        }
        if console.json {
            Destination::Stdout.write(|out| output::json_line(out, self))?;
        }
        Ok(())
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "learner,rows,repeats,error,se,leaves,depth,seconds")?;
        for curve in &self.learners {
            for point in &curve.points {
                let learner = csv_cell(curve.learner);
                write!(out, "{learner},{},{}", point.rows, point.repeats)?;
                let figures = [
                    point.error,
                    point.se,
                    point.leaves,
                    point.depth,
                    point.seconds,
                ];
                for figure in figures {
                    out.write_all(b",")?;
                    if !figure.is_nan() {
                        write_number(out, figure)?;
                    }
                }
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }

    fn in_words(&self, curve: &Curve) -> String {
        let header = ["learner", "rows", "error", "se", "leaves", "depth", "time"];
        let mut header: Vec<String> = header.map(str::to_owned).into();
        if self.stopped {
            header.push("repeats".into());
        }
        let rows = self.learners.iter().flat_map(|one| {
            let row = |point: &PointDocument| point.row(one.learner, self.stopped);
            one.points.iter().map(row)
        });
        let names: Vec<&str> = self.learners.iter().map(|one| one.learner).collect();
        let what = format!(
            "error on {}, mean of {}{}:\n",
            count(self.held_out, "row held out", "rows held out"),
            if self.stopped { "up to " } else { "" },
            count(self.repeats, "repeat", "repeats")
        );
        let parts = [
            Some(what),
            Some(output::figures(header, rows)),
            plot::curves(&names, curve),
            self.rates.as_ref().map(RatesDocument::in_words),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

impl PointDocument {
    fn new(point: &Point) -> Self {
        Self {
            rows: point.rows,
            repeats: point.repeats,
            error: point.error,
            se: point.se,
            leaves: point.leaves,
            depth: point.depth,
            seconds: point.seconds,
        }
    }

    fn row(&self, learner: &str, with_repeats: bool) -> Vec<String> {
        let known = |figure: f64, text: String| if figure.is_nan() { "-".into() } else { text };
        let mut row = vec![
            output::cell(learner),
            self.rows.to_string(),
            known(self.error, rounded(self.error)),
            known(self.se, rounded(self.se)),
            known(self.leaves, format!("{:.1}", self.leaves)),
            known(self.depth, format!("{:.1}", self.depth)),
            known(self.seconds, duration(self.seconds)),
        ];
        if with_repeats {
            row.push(self.repeats.to_string());
        }
        row
    }
}

//! `summary`: how well trees of depth 0, 1, 2, 3 can describe a table.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use treewright::Fit;
use treewright::data::Dataset;
use treewright::eval::percent;
use treewright::learn::optimal::Optimal;
use treewright::select::{ByDepth, by_depth, sizes_by_depth};
use treewright::tree::{FamilyFit, LearnerKind, Member, NodeId};

use crate::args::SummaryArgs;
use crate::commands::family::evenly;
use crate::commands::problem::{read, say};
use crate::commands::{count, in_file, start_budget};
use crate::output::{self, Console, cell, duration, rounded, weight};

/// Of more sizes than this some are left out.
const MOST_SIZES: usize = 20;
/// But the smallest are all shown.
const SMALL_SIZES: usize = 12;
/// A table names at most this many features of a tree.
const MOST_NAMES: usize = 6;

/// All that is said about a table.
#[derive(Debug, Serialize)]
struct Summary {
    rows: usize,
    weight: f64,
    features: usize,
    classes: usize,
    intervals: usize,
    depths: Vec<BestOfDepth>,
    by_leaves: Vec<SizesOfDepth>,
    stopped: bool,
}

/// The best trees of a depth for every number of leaves.
#[derive(Debug, Serialize)]
struct SizesOfDepth {
    depth: usize,
    /// Did the search come to its end?
    complete: bool,
    members: Vec<BestOfSize>,
}

/// The best tree with at most a number of leaves.
#[derive(Debug, Clone, Serialize)]
struct BestOfSize {
    leaves: usize,
    errors: f64,
    cost: f64,
    lower_bound: f64,
    optimal: bool,
}

/// The best tree of a depth.
#[derive(Debug, Serialize)]
struct BestOfDepth {
    depth: usize,
    errors: f64,
    error: f64,
    accuracy: f64,
    cost: f64,
    leaves: usize,
    objective: f64,
    lower_bound: f64,
    gap: f64,
    optimal: bool,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<f64>,
    features: Vec<String>,
    seconds: f64,
}

pub(crate) fn run(args: &SummaryArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.table.options();
    let (data, loss) = read(&args.table, &options, Some(LearnerKind::Optimal), console)?;
    let has_costs = args.table.reading.costs.is_some();
    let learner = args.optimal.learner(loss, args.limits.memory_limit())?;
    let budget = start_budget(&args.limits, &data);
    let (found, sizes) = console
        .with_progress(&budget, || {
            let found = by_depth(&learner, &data, &budget)?;
            let deepest = Optimal {
                depth: found.fits.len() - 1,
                ..learner.clone()
            };
            let sizes = sizes_by_depth(&deepest, &data, &budget)?;
            Ok((found, sizes))
        })
        .map_err(|error| in_file(args.table.path(), error))?;
    let notes = [stopped(&found, &sizes), ended(&found, &learner)];
    let summary = Summary::new(&found, &sizes, &learner, &data);
    output::document(&summary, file.as_ref(), console, || {
        // Before the table, where there is one.
        say(&data, &options, &notes, console);
        summary.table(has_costs)
    })?;
    if file.is_some() || console.json {
        say(&data, &options, &notes, console);
    }
    Ok(ExitCode::SUCCESS)
}

/// Was the search stopped?
fn stopped(found: &ByDepth, sizes: &[FamilyFit]) -> Option<String> {
    let what = if found.stopped {
        "a tree that is not proven is the best so far, perhaps not the best of its depth"
    } else if sizes.iter().all(FamilyFit::is_complete) {
        return None;
    } else {
        "the best tree of each depth is proven, but not that of each number of leaves"
    };
    Some(format!("stopped early: {what}"))
}

/// Were some depths not worth a search?
fn ended(found: &ByDepth, learner: &Optimal) -> Option<String> {
    let deepest = found.fits.len() - 1;
    (deepest < learner.depth).then(|| format!("deeper trees than {deepest} cannot cost less"))
}

impl Summary {
    fn new(found: &ByDepth, sizes: &[FamilyFit], learner: &Optimal, data: &Dataset) -> Self {
        let classes = data.schema().classes().len();
        Self {
            rows: data.n_rows(),
            weight: data.total_weight(),
            features: data.columns().len(),
            classes,
            intervals: learner.intervals.unwrap_or(classes + 1),
            depths: found
                .fits
                .iter()
                .enumerate()
                .map(BestOfDepth::new)
                .collect(),
            by_leaves: sizes.iter().zip(1..).map(SizesOfDepth::new).collect(),
            stopped: found.stopped,
        }
    }

    /// The table for people.
    fn table(&self, has_costs: bool) -> String {
        let mut header = vec!["depth", "errors", "error", "accuracy"];
        if has_costs {
            header.push("cost");
        }
        header.extend(["leaves", "proof", "time", "features"]);
        let header = header.into_iter().map(str::to_owned).collect();
        let row = |depth: &BestOfDepth| {
            let mut row = vec![
                depth.depth.to_string(),
                weight(depth.errors),
                rounded(depth.error),
                rounded(depth.accuracy),
            ];
            if has_costs {
                row.push(rounded(depth.cost));
            }
            let rest = [
                depth.leaves.to_string(),
                depth.proof(),
                duration(depth.seconds),
                depth.names(),
            ];
            row.extend(rest);
            row
        };
        let what = format!(
            "best trees on {}, up to {} at the last level:\n\n",
            count(self.rows, "row", "rows"),
            count(self.intervals, "interval", "intervals")
        );
        let depths = output::figures_and_words(header, self.depths.iter().map(row));
        what + &depths + &self.by_leaves(has_costs)
    }

    /// The least errors, or costs, for each number of leaves: a column for each depth.
    fn by_leaves(&self, has_costs: bool) -> String {
        let members = self.by_leaves.iter().flat_map(|depth| &depth.members);
        let mut leaves: Vec<usize> = members.map(|member| member.leaves).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let (small, large) = leaves.split_at(leaves.len().min(SMALL_SIZES));
        let shown = [small, &evenly(large, MOST_SIZES - SMALL_SIZES)].concat();
        if self.by_leaves.is_empty() {
            return String::new();
        }
        let names = self.by_leaves.iter();
        let names = names.map(|sizes| format!("depth {}", sizes.depth));
        let header = std::iter::once("leaves".to_owned()).chain(names).collect();
        let row = |&leaves: &usize| {
            let cells = self.by_leaves.iter().map(|it| it.cell(leaves, has_costs));
            std::iter::once(leaves.to_string()).chain(cells).collect()
        };
        let what = if has_costs { "cost" } else { "errors" };
        let mut text = format!("\nleast {what} by number of leaves:\n\n");
        text += &output::figures(header, shown.iter().map(row));
        if shown.len() < leaves.len() {
            let (n_shown, n_sizes) = (shown.len(), leaves.len());
            let _ = writeln!(
                text,
                "({n_shown} of {n_sizes} sizes; --json and `path optimal` give all)"
            );
        }
        let mut members = self.by_leaves.iter().flat_map(|depth| &depth.members);
        if !members.all(|member| member.optimal) {
            text += "?: the best so far, not proven\n";
        }
        text
    }
}

impl SizesOfDepth {
    fn new((found, depth): (&FamilyFit, usize)) -> Self {
        let member = |(place, member): (usize, Member)| {
            let bounds = found.lower_bounds.as_ref();
            let lower_bound = bounds.map_or(member.cost, |bounds| bounds[place]);
            BestOfSize {
                leaves: member.leaves,
                errors: member.errors.unwrap_or(0.0),
                cost: member.cost,
                lower_bound,
                optimal: lower_bound == member.cost,
            }
        };
        let members = found.family.members().into_iter().enumerate();
        Self {
            depth,
            complete: found.is_complete(),
            members: members.map(member).collect(),
        }
    }

    /// The best with at most this many leaves; nothing where more leaves are of no use.
    fn cell(&self, leaves: usize, has_costs: bool) -> String {
        let place = self.members.partition_point(|it| it.leaves <= leaves);
        let (before, after) = self.members.split_at(place);
        match before.last() {
            Some(member) if !after.is_empty() || member.leaves == leaves => {
                let figure = if has_costs {
                    rounded(member.cost)
                } else {
                    weight(member.errors)
                };
                let mark = if member.optimal { "" } else { "?" };
                figure + mark
            }
            _ => "-".into(),
        }
    }
}

impl BestOfDepth {
    fn new((depth, fit): (usize, &Fit)) -> Self {
        let training = &fit.training;
        let errors = training.errors.unwrap_or(0.0);
        let error = errors / training.weight;
        let proof = fit.certificate.as_ref();
        let proof = proof.expect("an optimal tree has a certificate");
        Self {
            depth,
            errors,
            error,
            accuracy: (training.weight - errors) / training.weight,
            cost: training.cost,
            leaves: training.leaves,
            objective: proof.objective,
            lower_bound: proof.lower_bound,
            gap: proof.gap(),
            optimal: proof.is_optimal(),
            exact: proof.exact,
            tolerance: proof.tolerance,
            features: features(fit),
            seconds: training.seconds,
        }
    }

    /// What is proven, in a few words.
    fn proof(&self) -> String {
        match (self.optimal, self.exact) {
            (true, true) => "proven".into(),
            (true, false) => "proven to rounding".into(),
            (false, _) => format!(
                "at least {}, gap {}",
                rounded(self.lower_bound),
                percent(self.gap)
            ),
        }
    }

    fn names(&self) -> String {
        let named = self.features.iter().take(MOST_NAMES);
        let mut text: Vec<String> = named.map(|name| cell(name)).collect();
        if self.features.len() > MOST_NAMES {
            text.push(format!("{} more", self.features.len() - MOST_NAMES));
        }
        text.join(", ")
    }
}

/// The features that a tree asks, in the order of the table.
fn features(fit: &Fit) -> Vec<String> {
    let tree = &fit.model;
    let split = |id: NodeId| tree.branch(id).map(|branch| branch.split.feature());
    let mut asked: Vec<usize> = tree.ids().filter_map(split).collect();
    asked.sort_unstable();
    asked.dedup();
    let features = &tree.schema().features;
    let name = |feature: usize| features[feature].name.clone();
    asked.into_iter().map(name).collect()
}

//! `explore`: every tree worth having.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use treewright::eval::GoodEnough;
use treewright::select::Resampling;

use crate::args::groups::{
    FoldsArg, LimitArgs, MemoryArg, OutputArgs, RepeatsArg, SeedArg, TableArgs, Time,
};
use crate::args::values::{Names, parse_share};
use crate::output::Destination;

const FOLDS_HELP: &str =
    "Number of folds of the cross-validation [default: 10, or the number of rows if that is less]";

/// Find every tree worth having, and say which one is good enough.
///
/// The main job: greedy trees with all their best prunings (in each way of treating categories and missing values that
/// differs on the table), the best dyadic trees, and the best trees of up to three levels for every number of leaves,
/// cross-validated on the same folds. The answer is the smallest tree whose error on rows left out is within one
/// standard error of the least, or within --tolerance of it; with --model it is written as a model file.
///
/// First the table is checked, as by `treewright check`: columns of ids and rows without a target are left out, dates
/// become numbers, and each of these is said.
///
/// With -o a page for the browser is written: one file that loads nothing, with the whole trade-off between error and
/// size, every tree on it, its proof, its decisions for any row, and the tree as rules, SQL and Python. Cheap families
/// come first; while a proof is open, the whole time is used. Ctrl-C ends the work with what is known so far.
#[derive(Debug, Args)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "data" => arg.help("The table to explore: a file or `-`"),
    "folds" => arg.help(FOLDS_HELP),
    "repeats" => arg.default_value("1"),
    "seed" => arg.default_value("0"),
    "memory_limit" => arg.help("Memory for each search: 512MB, 4GB"),
    _ => arg,
}))]
#[command(after_help = "\
Examples:
  treewright explore iris.csv -o report.html
  treewright explore titanic.csv --target survived --budget 2m -o report.html
  treewright explore titanic.csv --model best.json
  treewright explore big.csv --tolerance 1% --holdout 0.2 --model best.json
  treewright explore clients.csv --no-rows -o report.html
  treewright explore big.parquet --folds 5 --budget 10m -o report.html
  treewright explore iris.csv --json | jq -r .answer")]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Columns to read as they are, although the check would leave them out or make numbers of them
    #[arg(long, value_name = "A,B,...", help_heading = "Reading", value_parser = Names::parse)]
    keep: Option<Names>,
    #[command(flatten, next_help_heading = "Cross-validation")]
    folds: FoldsArg,
    #[command(flatten)]
    repeats: RepeatsArg,
    #[command(flatten)]
    seed: SeedArg,
    /// Accept a tree whose error is at most this much above the least, instead of one standard error: 1% or 0.01; in
    /// regression a share of the squared error of the mean
    #[arg(
        long,
        value_name = "POINTS",
        allow_hyphen_values = true,
        help_heading = "Choice",
        value_parser = parse_share
    )]
    tolerance: Option<f64>,
    /// Keep this share of the rows aside, to judge the chosen tree on rows that nothing has seen: 0.2 or 20%
    #[arg(
        long,
        value_name = "SHARE",
        allow_hyphen_values = true,
        help_heading = "Choice",
        value_parser = parse_share
    )]
    pub(crate) holdout: Option<f64>,
    /// Time for all of it, without reading the table: 30, 30s, 5m, 1h
    #[arg(
        long,
        value_name = "TIME",
        default_value = "60s",
        allow_hyphen_values = true,
        help_heading = "Limits",
        value_parser = Time::parse
    )]
    budget: Time,
    #[command(flatten, next_help_heading = "Limits")]
    memory: MemoryArg,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Leave the rows of the table out of the report: it then has no list of rows, points and histograms
    #[arg(long, help_heading = "Output")]
    pub(crate) no_rows: bool,
    /// Write the chosen tree to this file, as a model for `predict`, `score`, `verify` and `export`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    model: Option<PathBuf>,
}

impl ExploreArgs {
    /// Which rows are held out, of a table with this number of rows.
    pub(crate) fn resampling(&self, n_rows: usize) -> Result<Resampling> {
        Ok(Resampling::Folds {
            folds: self.folds.count()?.unwrap_or(n_rows.clamp(2, 10)),
            repeats: self.repeats.count()?,
            seed: self.seed.number()?,
        })
    }

    /// Columns that are read whatever the check finds.
    pub(crate) fn keep(&self) -> &[String] {
        self.keep.as_ref().map_or(&[], |names| &names.0)
    }

    /// When a tree is good enough.
    pub(crate) fn good_enough(&self) -> GoodEnough {
        self.tolerance
            .map_or(GoodEnough::OneSe, GoodEnough::Tolerance)
    }

    /// The model file as it was named, and where to write it: always a file.
    pub(crate) fn model(&self) -> Result<Option<(&Path, Destination)>> {
        let Some(path) = self.model.as_deref() else {
            return Ok(None);
        };
        ensure!(path.as_os_str() != "-", "model: got -, expected a file");
        Ok(Some((path, Destination::new(path)?)))
    }

    /// Time for all of it; nothing can be done in none.
    pub(crate) fn budget(&self) -> Result<Duration> {
        let expected = "more than 0, such as 30s";
        let budget = self.budget.duration("budget", expected)?;
        ensure!(
            !budget.is_zero(),
            "budget: got 0 seconds, expected {expected}"
        );
        Ok(budget)
    }

    /// Time and memory.
    pub(crate) fn limits(&self) -> LimitArgs {
        LimitArgs {
            time_limit: Some(self.budget),
            memory: self.memory,
        }
    }
}

//! `explore`: every tree worth having.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use treewright::select::Resampling;

use crate::args::groups::{
    FoldsArg, LimitArgs, MemoryArg, OutputArgs, RepeatsArg, SeedArg, TableArgs, parse_time,
};
use crate::args::values::Names;

const FOLDS_HELP: &str =
    "Number of folds of the cross-validation [default: 10, or the number of rows if that is less]";

/// Find every tree worth having, and say which one is good enough.
///
/// The main job: greedy trees with all their best prunings (for two penalties), the best dyadic trees for all
/// weights, and the best trees of up to three levels for every number of leaves, cross-validated on the same folds. The
/// answer is the smallest tree whose error on rows left out is within one standard error of the least, and what is
/// proven about it.
///
/// First the table is checked, as by `treewright check`: columns of ids and rows without a target are left out, dates
/// become numbers, and each of these is said.
///
/// With -o a page for the browser is written: one file that loads nothing, with the whole trade-off between error and
/// size, every tree on it, its proof, its decisions for any row, and the tree as rules, SQL and Python. The time is
/// spread over all parts; a proof that is not finished in time is shown with its gap.
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
    /// Time for all of it, without reading the table: 30s, 5m, 1h
    #[arg(
        long,
        value_name = "TIME",
        default_value = "60s",
        help_heading = "Limits",
        value_parser = parse_time
    )]
    budget: Duration,
    #[command(flatten, next_help_heading = "Limits")]
    memory: MemoryArg,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
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

    /// Time and memory.
    pub(crate) fn limits(&self) -> LimitArgs {
        LimitArgs {
            time_limit: Some(self.budget),
            memory: self.memory,
        }
    }
}

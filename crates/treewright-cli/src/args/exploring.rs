//! Commands that make a report: `explore`, `report`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use treewright::select::Resampling;

use super::limits::{parse_memory, parse_time};
use super::{LimitArgs, OutputArgs, ReadingArgs, WholeNumber};

/// Find every tree worth having, and say which one is good enough.
///
/// The main job: greedy trees with all their best prunings (for two penalties), the best dyadic trees for all
/// weights, and the best trees of depth 1, 2 and 3, cross-validated on the same folds. The answer is the smallest tree
/// whose error on rows left out is within one standard error of the least, and what is proven about it.
///
/// With -o a page for the browser is written: one file that loads nothing, with the whole trade-off between error and
/// size, every tree on it, its proof, its decisions for any row, and the tree as rules, SQL and Python. The time is
/// spread over all parts; a proof that is not finished in time is shown with its gap.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright explore iris.csv -o report.html
  treewright explore titanic.csv --target survived --budget 2m -o report.html
  treewright explore big.parquet --folds 5 --budget 10m -o report.html
  treewright explore iris.csv --json | jq -r .answer")]
pub(crate) struct ExploreArgs {
    /// The table to explore: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Number of folds of the cross-validation [default: 10, or the number of rows if that is less]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Cross-validation",
        allow_negative_numbers = true
    )]
    folds: Option<WholeNumber>,
    /// How often the rows are dealt into folds anew
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        help_heading = "Cross-validation",
        allow_negative_numbers = true
    )]
    repeats: WholeNumber,
    /// Decides which rows are left out when
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        help_heading = "Cross-validation",
        allow_negative_numbers = true
    )]
    seed: WholeNumber,
    /// Time for all of it, without reading the table: 30s, 5m, 1h
    #[arg(
        long,
        value_name = "TIME",
        default_value = "60s",
        help_heading = "Limits",
        value_parser = parse_time
    )]
    budget: Duration,
    /// Memory for each search: 512MB, 4GB
    #[arg(long, value_name = "SIZE", help_heading = "Limits", value_parser = parse_memory)]
    memory_limit: Option<u64>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl ExploreArgs {
    /// Which of so many rows are left out.
    pub(crate) fn resampling(&self, n_rows: usize) -> Result<Resampling> {
        let folds = self.folds.map(|folds| folds.count("folds", 2));
        Ok(Resampling::Folds {
            folds: folds.unwrap_or(Ok(n_rows.clamp(2, 10)))?,
            repeats: self.repeats.count("repeats", 1)?,
            seed: self.seed.count("seed", 0)? as u64,
        })
    }

    /// Time and memory.
    pub(crate) fn limits(&self) -> LimitArgs {
        LimitArgs {
            time_limit: Some(self.budget),
            memory_limit: self.memory_limit,
        }
    }
}

/// Look at one result in a browser.
///
/// The page of `explore`, for a single model or family. DATA is a table with the columns of the model and its target:
/// usually the one that it was learned from. Its rows fill histograms, partitions, the confusion matrix and the list of
/// rows.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright report model.json train.csv -o report.html
  treewright report family.json train.csv -o report.html")]
pub(crate) struct ReportArgs {
    /// A model file, as written by `fit -o`, or a family file, as written by `path -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// A table with the columns of the model and its target: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

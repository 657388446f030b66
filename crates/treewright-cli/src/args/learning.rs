//! Commands that learn.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{GreedyArgs, LimitArgs, OutputArgs, ReadingArgs};

/// Learn one tree from a table.
///
/// Choose a learner: `greedy` grows a tree from the root down, as CART and C4.5 do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv
  treewright fit greedy iris.csv --max-depth 3 -o model.json")]
pub(crate) struct FitArgs {
    #[command(subcommand)]
    pub(crate) learner: FitLearner,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FitLearner {
    Greedy(FitGreedyArgs),
}

/// Grow a tree from the root down, taking the best split at every node.
///
/// Handles classes and numbers as target, numeric and categorical features, and missing values. The
/// choice of a split is exact: with whole-number weights no rounding decides between two splits.
/// Prints the tree with its figures; with -o writes a model file for the other commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv
  treewright fit greedy titanic.csv --target survived --drop name,ticket --max-depth 4 -o model.json
  treewright fit greedy houses.csv.gz --target price --criterion mae --predict median --min-leaf 20")]
pub(crate) struct FitGreedyArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) greedy: GreedyArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

//! `distinct`: the distinct greedy trees over subsets of the features.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use treewright::select::Order;

use crate::args::groups::{LimitArgs, OutputArgs, TableArgs};
use crate::args::learners::ClassTreeArgs;
use crate::args::values::WholeNumber;

/// What a memory limit means where no search ends by it.
pub(super) const MEMORY_HELP: &str =
    "Memory to use, about: with less the search is slower, and finds the same [512MB, 4GB]";

/// All distinct trees that the greedy learner grows over subsets of the features.
///
/// Leave out a feature, and another tree grows, or the same. Of all subsets of the features this finds every
/// tree that is different, each once, without going through all subsets: how many there are, and how many of
/// them use 0, 1, 2, ... features. --trees writes the trees themselves, a JSON object a line, while they are
/// found. The target must hold classes.
///
/// The number may double with every feature. --limit ends the search after this many trees, --time-limit after
/// some time; what has been found by then is kept. Larger --min-split and smaller --max-depth give fewer
/// trees.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory_limit", |arg| arg.help(MEMORY_HELP)),
    mut_arg("file", |arg| arg.help("Write the figures to this file, as JSON")),
    after_help = "\
Examples:
  treewright distinct iris.csv
  treewright distinct titanic.csv --target survived --min-split 20 --json
  treewright distinct iris.csv --trees trees.jsonl
  treewright distinct big.csv --trees - --limit 100 | jq -c .features
  treewright distinct big.csv --max-depth 5 --time-limit 60s"
)]
pub(crate) struct DistinctArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// In which order features are taken away; all find the same trees, with more or less work
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "frontier",
        help_heading = "Search"
    )]
    order: OrderArg,
    /// Write every distinct tree to this file, a JSON object a line; `-` is standard output
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Search")]
    pub(crate) trees: Option<PathBuf>,
    /// Stop after this many distinct trees
    #[arg(
        long,
        value_name = "N",
        help_heading = "Search",
        allow_negative_numbers = true
    )]
    limit: Option<WholeNumber>,
    #[command(flatten)]
    pub(crate) greedy: ClassTreeArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OrderArg {
    /// First those whose splits few rows reach
    Frontier,
    /// First those whose splits many rows reach
    Reverse,
    /// As in the table
    Index,
}

impl DistinctArgs {
    pub(crate) fn order(&self) -> Order {
        match self.order {
            OrderArg::Frontier => Order::Frontier,
            OrderArg::Reverse => Order::Reverse,
            OrderArg::Index => Order::Index,
        }
    }

    /// The most trees.
    pub(crate) fn limit(&self) -> Result<Option<u64>> {
        let limit = self.limit.map(|limit| limit.count("limit", 1));
        Ok(limit.transpose()?.map(|limit| limit as u64))
    }
}

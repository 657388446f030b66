//! Commands that try subsets of the features: all their trees, or the best subset.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use treewright::select::{Order, Resampling};

use super::{ClassTreeArgs, LimitArgs, OutputArgs, ReadingArgs, WholeNumber};

/// What a memory limit means where no search ends by it.
const MEMORY_HELP: &str =
    "Memory to use, about: with less the search is slower, and finds the same [512MB, 4GB]";

/// All distinct trees that the greedy learner grows over subsets of the features.
///
/// Leave out a feature, and another tree grows, or the same. Of all subsets of the features this finds every
/// tree that is different, each once, without going through all subsets: how many there are, and how many of
/// them use 0, 1, 2, ... features. --trees writes the trees themselves, a JSON object a line, while they are
/// found. The target must hold classes.
///
/// The number may double with every feature. --limit ends the search after so many trees, --time-limit after
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
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
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
    /// Stop after so many distinct trees
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

/// Choose features: the subset whose trees do best on rows that they have not seen.
///
/// Choose a method: `backward` takes features away one at a time while the error falls; `complete` finds the
/// best of all subsets, and proves it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright select backward iris.csv
  treewright select complete iris.csv -o model.json
  treewright select backward train.csv --search validation.csv --resamples 50")]
pub(crate) struct SelectionArgs {
    #[command(subcommand)]
    pub(crate) method: SelectionMethod,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SelectionMethod {
    Backward(Box<BackwardArgs>),
    Complete(Box<CompleteArgs>),
}

/// Take features away one at a time, while the error on other rows falls.
///
/// A greedy tree is grown on a part of the rows and judged on the rest. In every step the feature whose
/// absence lowers the error most is taken away, of equal ones the first of the table; when none lowers it,
/// the search ends. Selected are the features that the last tree splits on. Features that a tree does not
/// split on need not be tried, and of the other trees only the parts below their splits grow anew.
///
/// Without --search, 30 % of the rows judge; --folds judges by cross-validation. The error of the selection
/// is that of the best of many trees, and a little too good to be true: score the model on fresh rows.
/// --resamples repeats the selection on samples of the rows, and tells how often each feature is selected.
/// -o writes a model of the selected features, learned from all rows of DATA. The target must hold classes.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory_limit", |arg| arg.help(MEMORY_HELP)),
    mut_arg("file", |arg| arg.help(MODEL_HELP)),
    after_help = "\
Examples:
  treewright select backward iris.csv
  treewright select backward titanic.csv --target survived --folds 10 --repeats 3
  treewright select backward train.csv --search validation.csv -o model.json
  treewright select backward iris.csv --resamples 50 --seed 1
  treewright select backward iris.csv --json | jq -r '.selected[]'"
)]
pub(crate) struct BackwardArgs {
    #[command(flatten)]
    pub(crate) selecting: SelectingArgs,
    /// Try every feature and grow every tree from its root: the same selection, slowly
    #[arg(long, help_heading = "Selection")]
    pub(crate) plain: bool,
}

/// Find the subset of the features with the least error on other rows, and prove it.
///
/// A greedy tree is grown on a part of the rows and judged on the rest. Of all subsets of the features the
/// one with the least error is found; of equal ones that with the fewest features, then the one whose
/// features come first. The search goes through the distinct trees, and leaves out what cannot be better
/// than the best found. If a limit ends it, the best subset so far comes with an error that no subset is
/// below. --within 0.01 is content with an error at most 0.01 above the least, and is faster.
///
/// Without --search, 30 % of the rows judge; --folds judges by cross-validation. The error of the selection
/// is that of the best of very many trees, and too good to be true: score the model on fresh rows.
/// --resamples repeats the selection on samples of the rows, and tells how often each feature is selected.
/// -o writes a model of the selected features, learned from all rows of DATA. The target must hold classes.
#[derive(Debug, Args)]
#[command(
    mut_arg("memory_limit", |arg| arg.help(MEMORY_HELP)),
    mut_arg("file", |arg| arg.help(MODEL_HELP)),
    after_help = "\
Examples:
  treewright select complete iris.csv
  treewright select complete titanic.csv --target survived --min-split 20 -o model.json
  treewright select complete train.csv --search validation.csv --within 0.005
  treewright select complete big.csv --max-depth 6 --time-limit 60s --json | jq .lower_bound"
)]
pub(crate) struct CompleteArgs {
    #[command(flatten)]
    pub(crate) selecting: SelectingArgs,
    /// Accept a subset whose error rate is at most this much above the least
    #[arg(
        long,
        value_name = "D",
        default_value = "0",
        help_heading = "Selection",
        allow_negative_numbers = true
    )]
    pub(crate) within: f64,
}

const MODEL_HELP: &str =
    "Write a model of the selected features to this file, learned from all rows";

/// What both methods need.
#[derive(Debug, Args)]
pub(crate) struct SelectingArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    #[command(flatten)]
    pub(crate) greedy: ClassTreeArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which rows judge.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct JudgingArgs {
    /// Rows that judge, with the columns of DATA: a file or `-`; the trees then grow on all rows of DATA
    #[arg(
        long,
        value_name = "DATA2",
        conflicts_with_all = ["holdout", "folds", "repeats"]
    )]
    pub(crate) search: Option<PathBuf>,
    /// Share of the rows that judge, held out of every class [default: 0.3]
    #[arg(
        long,
        value_name = "SHARE",
        conflicts_with = "folds",
        allow_negative_numbers = true
    )]
    holdout: Option<f64>,
    /// Judge by cross-validation with so many folds; a feature counts as used if any of the trees uses it
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    folds: Option<WholeNumber>,
    /// How often the rows are dealt into folds anew [default: 1]
    #[arg(
        long,
        value_name = "N",
        requires = "folds",
        allow_negative_numbers = true
    )]
    repeats: Option<WholeNumber>,
    /// Decides which rows judge, and which are in the samples of `--resamples`
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    seed: WholeNumber,
    /// Also select on so many samples of 80 % of the rows: how stable is the selection?
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    resamples: Option<WholeNumber>,
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

impl JudgingArgs {
    pub(crate) fn seed(&self) -> Result<u64> {
        Ok(self.seed.count("seed", 0)? as u64)
    }

    /// Which rows of the table judge, if there are no others.
    pub(crate) fn resampling(&self) -> Result<Resampling> {
        let seed = self.seed()?;
        let Some(folds) = self.folds else {
            let share = self.holdout.unwrap_or(0.3);
            return Ok(Resampling::Holdout { share, seed });
        };
        let repeats = self.repeats.map(|repeats| repeats.count("repeats", 1));
        Ok(Resampling::Folds {
            folds: folds.count("folds", 2)?,
            repeats: repeats.transpose()?.unwrap_or(1),
            seed,
        })
    }

    /// On how many samples the selection is repeated.
    pub(crate) fn resamples(&self) -> Result<Option<usize>> {
        let resamples = self
            .resamples
            .map(|resamples| resamples.count("resamples", 2));
        resamples.transpose()
    }
}

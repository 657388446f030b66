//! `select`: the features whose trees do best on rows that they have not seen.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use treewright::select::Resampling;

use super::distinct::MEMORY_HELP;
use crate::args::groups::{
    FoldsArg, HoldoutArg, LimitArgs, OutputArgs, RepeatsArg, SeedArg, TableArgs,
};
use crate::args::learners::ClassTreeArgs;
use crate::args::values::WholeNumber;

const FOLDS_HELP: &str = "Judge by cross-validation with this many folds; a feature counts as used if any of the trees uses it";

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
    #[command(flatten)]
    pub(crate) table: TableArgs,
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
#[command(
    next_help_heading = "Selection",
    mut_arg("holdout", |arg| {
        let help = "Share of the rows that judge, held out of every class [default: 0.3]";
        arg.help(help).conflicts_with("folds")
    }),
    mut_arg("folds", |arg| arg.help(FOLDS_HELP).value_name("K")),
    mut_arg("repeats", |arg| {
        let help = "How often the rows are dealt into folds anew [default: 1]";
        arg.help(help).requires("folds")
    }),
    mut_arg("seed", |arg| {
        let help = "Decides which rows judge, and which are in the samples of `--resamples`";
        arg.help(help).default_value("0")
    }),
)]
pub(crate) struct JudgingArgs {
    /// Rows that judge, with the columns of DATA: a file or `-`; the trees then grow on all rows of DATA
    #[arg(
        long,
        value_name = "DATA2",
        conflicts_with_all = ["holdout", "folds", "repeats"]
    )]
    pub(crate) search: Option<PathBuf>,
    #[command(flatten)]
    holdout: HoldoutArg,
    #[command(flatten)]
    folds: FoldsArg,
    #[command(flatten)]
    repeats: RepeatsArg,
    #[command(flatten)]
    seed: SeedArg,
    /// Also select on this many samples of 80 % of the rows: how stable is the selection?
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    resamples: Option<WholeNumber>,
}

impl JudgingArgs {
    pub(crate) fn seed(&self) -> Result<u64> {
        self.seed.number()
    }

    /// Which rows of the table judge, if there are no others.
    pub(crate) fn resampling(&self) -> Result<Resampling> {
        let seed = self.seed()?;
        let Some(folds) = self.folds.count()? else {
            let share = self.holdout.share();
            return Ok(Resampling::Holdout { share, seed });
        };
        Ok(Resampling::Folds {
            folds,
            repeats: self.repeats.count()?,
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

//! Commands that learn.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use super::{
    ExactNumber, GreedyArgs, LimitArgs, OutputArgs, PruningArgs, ReadingArgs, SelectArgs,
    WholeNumber,
};

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
///
/// The tree is grown as far as it goes. --select prunes it to the size that does best on rows left out
/// of learning; --lambda and --leaves prune it to a size that you choose. Of all prunings the best is
/// found, and the certificate says so.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("choice").args(["select", "lambda", "leaves"])),
    mut_arg("folds", |arg| arg.requires("select")),
    mut_arg("penalty", |arg| arg.requires("choice")),
    mut_arg("cost", |arg| arg.requires("choice")),
    mut_arg("method", |arg| arg.requires("choice")),
)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv
  treewright fit greedy titanic.csv --target survived --drop name,ticket --max-depth 4 -o model.json
  treewright fit greedy houses.csv.gz --target price --criterion mae --predict median --min-leaf 20
  treewright fit greedy iris.csv --select 1se --folds 10 -o model.json
  treewright fit greedy iris.csv --lambda 0.01 --penalty sqrt")]
pub(crate) struct FitGreedyArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) greedy: GreedyArgs,
    #[command(flatten)]
    pub(crate) pruning: PruningArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// The pruning with the least cost + X * penalty(leaves); X is a decimal or p/q
    #[arg(
        long,
        value_name = "X",
        help_heading = "Choosing a pruning",
        allow_hyphen_values = true
    )]
    pub(crate) lambda: Option<ExactNumber>,
    /// The pruning with the least cost and at most K leaves
    #[arg(
        long,
        value_name = "K",
        help_heading = "Choosing a pruning",
        allow_negative_numbers = true
    )]
    pub(crate) leaves: Option<WholeNumber>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Learn the whole family: the best tree for every weight of the penalty.
///
/// Choose a learner: `greedy` grows one tree and prunes it in every way that is best for some weight.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright path greedy iris.csv
  treewright path greedy iris.csv --folds 10 -o family.json")]
pub(crate) struct PathArgs {
    #[command(subcommand)]
    pub(crate) learner: PathLearner,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PathLearner {
    Greedy(PathGreedyArgs),
}

/// Grow a tree and find all of its prunings that are best for some weight of the penalty.
///
/// Each member of the family has the least cost + lambda * penalty(leaves) for the weights in its
/// interval; of equally good ones it is the smallest. Prints a table, like rpart's printcp; with -o
/// writes a family file, from which `prune FAMILY` takes trees. --folds adds the error of each member
/// on rows left out of learning, --select marks the member that a rule would choose.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright path greedy iris.csv
  treewright path greedy iris.csv --folds 10 --repeats 5 -o family.json
  treewright prune family.json --select 1se -o model.json
  treewright path greedy iris.csv --penalty log --cost impurity --select holdout")]
pub(crate) struct PathGreedyArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) greedy: GreedyArgs,
    #[command(flatten)]
    pub(crate) pruning: PruningArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

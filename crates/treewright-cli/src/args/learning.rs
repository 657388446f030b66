//! Commands that learn.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use super::{
    DyadicArgs, ExactNumber, GreedyArgs, LimitArgs, OptimalArgs, OutputArgs, PathMethodArg,
    ProofArgs, PruningArgs, ReadingArgs, SelectArgs, SolverArg, WholeNumber,
};

/// Learn one tree from a table.
///
/// Choose a learner: `greedy` grows a tree from the root down, as CART and C4.5 do; `dyadic` finds the
/// best of all trees whose splits halve the ranges of features, and proves it; `optimal` finds the best
/// of all trees of a depth, with cuts anywhere, and proves it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright fit greedy iris.csv
  treewright fit greedy iris.csv --max-depth 3 -o model.json
  treewright fit dyadic iris.csv --select 1se -o model.json
  treewright fit optimal iris.csv --depth 2 -o model.json")]
pub(crate) struct FitArgs {
    #[command(subcommand)]
    pub(crate) learner: FitLearner,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FitLearner {
    Greedy(Box<FitGreedyArgs>),
    Dyadic(Box<FitDyadicArgs>),
    Optimal(Box<FitOptimalArgs>),
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
    mut_arg("proof", |arg| arg.requires("choice")),
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
        help_heading = "Choosing a tree",
        allow_hyphen_values = true
    )]
    pub(crate) lambda: Option<ExactNumber>,
    /// The pruning with the least cost and at most K leaves
    #[arg(
        long,
        value_name = "K",
        help_heading = "Choosing a tree",
        allow_negative_numbers = true
    )]
    pub(crate) leaves: Option<WholeNumber>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

/// Find the best of all dyadic trees for a price of a leaf or a size, and prove it.
///
/// The range of a feature, from its least to its largest value, can be halved, and each half again: a
/// cut lies at a half, a quarter, an eighth, ... of the range. Among all trees of such splits, however
/// they are combined, the one with the least cost + lambda * penalty(leaves) is found, or with --leaves
/// the one with the least cost that is not larger. The certificate says so, or how far from it the tree
/// may be if a limit ended the search. The target must hold classes.
///
/// A large lambda gives a small tree, and is found faster. --lambda 0.01 means that a leaf must save 1 %
/// of the rows to be worth it. --kappa 2 says the same in rows: a leaf must save 2 of them. --select finds
/// the best trees for all weights, and takes the one that does best on rows left out of learning. With
/// --penalty sqrt or log the first leaves are dear and further ones cheap; with power:2 it is the other
/// way round.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("choice").args(["select", "lambda", "kappa", "leaves"])),
    mut_arg("folds", |arg| arg.requires("select")),
    mut_arg("penalty", |arg| arg.conflicts_with("leaves")),
    mut_arg("ties", |arg| arg.conflicts_with("leaves")),
)]
#[command(after_help = "\
Examples:
  treewright fit dyadic iris.csv
  treewright fit dyadic iris.csv --lambda 1/150 -o model.json
  treewright fit dyadic iris.csv --leaves 5 -o model.json
  treewright fit dyadic iris.csv --lambda 0.02 --penalty sqrt
  treewright fit dyadic iris.csv --select 1se --folds 10 -o model.json
  treewright fit dyadic titanic.csv --target survived --kappa 5 --coding one-vs-rest
  treewright fit dyadic titanic.csv --model boxed --solver mrp --ties larger
  treewright fit dyadic big.csv --k 3 --time-limit 60s -o model.json
  treewright verify model.json iris.csv")]
pub(crate) struct FitDyadicArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// What a leaf costs, on the scale of the error rate: a decimal or p/q, read exactly
    #[arg(
        long,
        value_name = "X",
        help_heading = "Dyadic tree",
        allow_hyphen_values = true
    )]
    pub(crate) lambda: Option<ExactNumber>,
    /// What a leaf costs, in rows: lambda = X / total weight [default: 2]
    #[arg(
        long,
        value_name = "X",
        help_heading = "Dyadic tree",
        allow_hyphen_values = true
    )]
    pub(crate) kappa: Option<ExactNumber>,
    /// The least cost with at most K leaves, instead of a price of leaves
    #[arg(
        long,
        value_name = "K",
        help_heading = "Dyadic tree",
        allow_negative_numbers = true
    )]
    pub(crate) leaves: Option<WholeNumber>,
    #[command(flatten)]
    pub(crate) dyadic: DyadicArgs,
    /// How the tree is found, for the linear penalty; all of them prove the same objective [default:
    /// auto]
    #[arg(
        long,
        value_name = "SOLVER",
        help_heading = "Dyadic tree",
        conflicts_with_all = ["select", "leaves"]
    )]
    pub(crate) solver: Option<SolverArg>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

/// Find the best of all trees of a depth, and prove it.
///
/// Among all trees of depth D, the one with the least cost on the rows is found; with --leaf-cost X the
/// one with the least cost + X * leaves. A numeric feature is cut in two, anywhere, and at the last level
/// into up to K intervals. A categorical feature has a branch for each category of the node's rows.
/// Missing values have a branch of their own, which counts as a leaf like any other. The certificate says
/// that no tree is better, or how far from it the tree may be if a limit ended the search. The target
/// must hold classes.
///
/// --depth 1 finds the best rule on one feature. --depth 2 is often as good as a large tree, and can be
/// read at a glance. Each further level takes far longer: try --time-limit with --depth 3. Trees of few
/// rows learn noise; --min-leaf 5 or --leaf-cost 0.01 keep small leaves out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright fit optimal iris.csv
  treewright fit optimal iris.csv --depth 1 --intervals 3 -o model.json
  treewright fit optimal titanic.csv --target survived --depth 2 --min-leaf 10
  treewright fit optimal iris.csv --leaf-cost 1/150 -o model.json
  treewright fit optimal big.csv --depth 3 --intervals 2 --time-limit 60s -o model.json
  treewright fit optimal iris.csv --depth 3 -o model.json --proof proof.jsonl
  treewright verify model.json iris.csv")]
pub(crate) struct FitOptimalArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) optimal: OptimalArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

/// Learn the whole family: the best tree for every weight of the penalty.
///
/// Choose a learner: `greedy` grows one tree and prunes it in every way that is best for some weight;
/// `dyadic` finds the best of all dyadic trees for every weight.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright path greedy iris.csv
  treewright path greedy iris.csv --folds 10 -o family.json
  treewright path dyadic iris.csv --folds 10 -o family.json")]
pub(crate) struct PathArgs {
    #[command(subcommand)]
    pub(crate) learner: PathLearner,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PathLearner {
    Greedy(Box<PathGreedyArgs>),
    Dyadic(Box<PathDyadicArgs>),
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
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

/// Find the best of all dyadic trees for every weight of the penalty.
///
/// Each member of the family has the least cost + lambda * penalty(leaves), among all trees that halve
/// ranges of features, for the weights in its interval; of equally good ones it is one with the fewest
/// leaves. --collinear adds sizes that are as good as their neighbours at one weight, and never better.
/// Prints a table; with -o writes a family file, from which `prune FAMILY` takes trees. --folds adds the
/// error of each member on rows left out of learning, --select marks the member that a rule would choose.
/// The target must hold classes.
///
/// Weights near 0 take the longest. If a limit ends the search, the family is complete from some weight
/// on, which is said.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright path dyadic iris.csv
  treewright path dyadic iris.csv --folds 10 -o family.json
  treewright prune family.json --select 1se -o model.json
  treewright prune family.json --lambda 0.01 -o model.json
  treewright path dyadic iris.csv --penalty log
  treewright path dyadic titanic.csv --target survived --model boxed --time-limit 60s
  treewright path dyadic titanic.csv --model boxed --method adaptive --json | jq .search.solves")]
pub(crate) struct PathDyadicArgs {
    /// The table to learn from: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) dyadic: DyadicArgs,
    /// Also list trees that are only tied with their neighbours, at one weight
    #[arg(long, help_heading = "Dyadic tree")]
    pub(crate) collinear: bool,
    /// How the family is found; those of the paper are for the linear penalty [default: hull]
    #[arg(long, value_name = "METHOD", help_heading = "Dyadic tree")]
    pub(crate) method: Option<PathMethodArg>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

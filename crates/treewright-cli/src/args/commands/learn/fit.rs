//! `fit`: learn one tree.

use anyhow::Result;
use clap::{ArgGroup, Args, Subcommand};
use treewright::cost::{Loss, Penalty};
use treewright::learn::optimal::Optimal;

use crate::args::groups::{
    LambdaArg, LeavesArg, LimitArgs, OutputArgs, PenaltyArgs, ProofArgs, PruningArgs, SelectArgs,
    TableArgs,
};
use crate::args::learners::{DyadicArgs, GreedyArgs, OptimalArgs, SolverArg};
use crate::args::values::ExactNumber;

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
    mut_arg("lambda", |arg| {
        arg.help("The pruning with the least cost + X * penalty(leaves); X is a decimal or p/q")
    }),
    mut_arg("leaves", |arg| arg.help("The pruning with the least cost and at most K leaves")),
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
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) greedy: GreedyArgs,
    #[command(flatten)]
    pub(crate) pruning: PruningArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten, next_help_heading = "Choosing a tree")]
    pub(crate) lambda: LambdaArg,
    #[command(flatten)]
    pub(crate) leaves: LeavesArg,
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
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten, next_help_heading = "Dyadic tree")]
    pub(crate) lambda: LambdaArg,
    /// What a leaf costs, in rows: lambda = X / total weight [default: 2]
    #[arg(
        long,
        value_name = "X",
        help_heading = "Dyadic tree",
        allow_hyphen_values = true
    )]
    pub(crate) kappa: Option<ExactNumber>,
    #[command(flatten)]
    pub(crate) leaves: LeavesArg,
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
/// Among all trees of depth D, the one with the least cost on the rows is found; with --leaf-cost X (or
/// --lambda X) the one with the least cost + X * penalty(leaves), with --leaves K the one with the least cost
/// that has at most K leaves. --select finds the best trees for every number of leaves, and takes the one
/// that does best on rows left out of learning. A numeric feature is cut in two, anywhere, and at the last level
/// into up to K intervals. Of a categorical feature one category is split from the others, and at the last
/// level the categories are grouped in two; with --categorical-splits multiway each has a branch.
/// Missing values have a branch of their own, which counts as a leaf like any other. The certificate says
/// that no tree is better, or how far from it the tree may be if a limit ended the search. The target
/// must hold classes.
///
/// --depth 1 finds the best rule on one feature. --depth 2 is often as good as a large tree, and can be
/// read at a glance. Each further level takes far longer: try --time-limit with --depth 3. Trees of few
/// rows learn noise; --min-leaf 5 or --leaf-cost 0.01 keep small leaves out. Depth and leaves together make
/// a tree that can be read: --depth 3 --leaves 6.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("choice").args(["select", "leaf_cost", "leaves"])),
    mut_arg("folds", |arg| arg.requires("select")),
    mut_arg("penalty", |arg| arg.requires("leaf_cost").conflicts_with_all(["select", "leaves"])),
    mut_arg("proof", |arg| arg.conflicts_with_all(["select", "leaves", "penalty"])),
)]
#[command(after_help = "\
Examples:
  treewright fit optimal iris.csv
  treewright fit optimal iris.csv --depth 3 --leaves 5 -o model.json
  treewright fit optimal iris.csv --depth 3 --select 1se -o model.json
  treewright fit optimal iris.csv --depth 3 --lambda 0.02 --penalty sqrt
  treewright fit optimal iris.csv --depth 1 --intervals 3 -o model.json
  treewright fit optimal titanic.csv --target survived --depth 2 --min-leaf 10
  treewright fit optimal iris.csv --leaf-cost 1/150 -o model.json
  treewright fit optimal big.csv --depth 3 --intervals 2 --time-limit 60s -o model.json
  treewright fit optimal iris.csv --depth 3 -o model.json --proof proof.jsonl
  treewright verify model.json iris.csv")]
pub(crate) struct FitOptimalArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) optimal: OptimalArgs,
    #[command(flatten, next_help_heading = "Optimal tree")]
    pub(crate) penalty: PenaltyArgs,
    #[command(flatten)]
    pub(crate) leaves: LeavesArg,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

impl FitOptimalArgs {
    /// The learner with these parameters. The penalty is read before.
    pub(crate) fn learner(
        &self,
        loss: Loss,
        most_bytes: Option<u64>,
        penalty: Penalty,
    ) -> Result<Optimal> {
        Ok(Optimal {
            leaves: self.leaves.count()?,
            penalty,
            ..self.optimal.learner(loss, most_bytes)?
        })
    }
}

//! `path`: learn a whole family.

use clap::{Args, Subcommand};

use crate::args::groups::{
    LimitArgs, OutputArgs, PenaltyArgs, ProofArgs, PruningArgs, SelectArgs, TableArgs,
};
use crate::args::learners::{BoundedArgs, DyadicArgs, GreedyArgs, PathMethodArg};

/// Learn the whole family: the best tree for every weight of the penalty.
///
/// Choose a learner: `greedy` grows one tree and prunes it in every way that is best for some weight;
/// `dyadic` finds the best of all dyadic trees for every weight; `optimal` finds the best of all trees of
/// a depth for every number of leaves, and so for every weight.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright path greedy iris.csv
  treewright path greedy iris.csv --folds 10 -o family.json
  treewright path dyadic iris.csv --folds 10 -o family.json
  treewright path optimal iris.csv --depth 3 -o family.json")]
pub(crate) struct PathArgs {
    #[command(subcommand)]
    pub(crate) learner: PathLearner,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PathLearner {
    Greedy(Box<PathGreedyArgs>),
    Dyadic(Box<PathDyadicArgs>),
    Optimal(Box<PathOptimalArgs>),
}

/// Find the best of all trees of a depth for every number of leaves, and prove it.
///
/// For each number of leaves, the tree of depth D with the least cost on the rows and at most as many
/// leaves is found, all of them by one search. The family has one member for every number of leaves that
/// costs less than fewer leaves; those that are the best for some weight of the penalty have their
/// weights, the others `-`. A numeric feature is cut in two, anywhere, and at the last level into up to K
/// intervals; of a categorical feature one category is split from the others, and at the last level the
/// categories are grouped in two; missing values have a branch of their own. Prints a table; with -o writes a family file, from which `prune FAMILY --leaves K` and
/// `prune FAMILY --lambda X` take trees. --folds adds the error of each member on rows left out of
/// learning, --select marks the member that a rule would choose. The target must hold classes.
///
/// If a limit ends the search, each member has a lower bound: no tree with as many leaves costs less.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright path optimal iris.csv
  treewright path optimal iris.csv --depth 3 --intervals 2 --folds 10 -o family.json
  treewright prune family.json --leaves 5 -o model.json
  treewright prune family.json --select 1se -o model.json
  treewright path optimal big.csv --depth 3 --intervals 2 --time-limit 60s")]
pub(crate) struct PathOptimalArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) bounded: BoundedArgs,
    #[command(flatten, next_help_heading = "Optimal tree")]
    pub(crate) penalty: PenaltyArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
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
    #[command(flatten)]
    pub(crate) table: TableArgs,
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
    #[command(flatten)]
    pub(crate) table: TableArgs,
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

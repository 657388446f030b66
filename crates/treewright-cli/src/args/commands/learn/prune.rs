//! `prune`: the best pruning of a model, all of them, or a member of a family.

use clap::{ArgGroup, Args};

use crate::args::groups::{
    DataArg, LambdaArg, LeavesArg, LimitArgs, ModelArg, OutputArgs, ProofArgs, PruningArgs, RuleArg,
};
use crate::args::values::ExactNumber;

const PRUNABLE: &str = "\
A model file, as written by `fit -o`, a family file, as written by `path -o`, or a tree of costs";

/// Prune a learned tree exactly, or take a tree out of a family.
///
/// Of all prunings of the tree in MODEL the best is found, for any penalty on the number of leaves, and
/// the certificate of the new model says so. Costs are those of the training; with DATA they come from
/// these rows instead, which is pruning on a validation set. Say what the pruning shall be best at:
/// --lambda, --leaves, --max-cost, or --family for all of them. --all-sizes lists the least cost for
/// every number of leaves.
///
/// MODEL may be a family file, too: then --lambda, --leaves or --select takes a member out.
///
/// It may also be anybody's tree, from any program: a file with the children of every node and what it
/// costs as a leaf. Node 0 is the root; nodes may have any number of children. Then the numbers of the
/// kept nodes are printed, and weights and costs are on the scale of the file. See the end of this help.
#[derive(Debug, Args)]
#[command(
    group(
        ArgGroup::new("aim")
            .required(true)
            .args(["lambda", "leaves", "max_cost", "family", "all_sizes", "select"]),
    ),
    mut_arg("model", |arg| arg.help(PRUNABLE)),
    mut_arg("data", |arg| {
        let help = "Take the costs from the rows of this table: a file or `-`";
        arg.help(help).required(false)
    }),
    mut_arg("lambda", |arg| {
        let help = "The least cost + X * penalty(leaves); X is a decimal or p/q, read exactly";
        arg.help(help)
    }),
    mut_arg("leaves", |arg| {
        let help = "The least cost with at most K leaves; of a family the largest member with at most K leaves";
        arg.help(help)
    }),
    mut_arg("select", |arg| {
        arg.help("The member of a family that its cross-validation favours")
    }),
)]
#[command(after_help = r#"Examples:
  treewright prune model.json --leaves 5
  treewright prune model.json --lambda 0.01 -o small.json
  treewright prune model.json valid.csv --penalty sqrt --lambda 1/300
  treewright prune model.json --family -o family.json
  treewright prune family.json --select 1se -o model.json
  treewright prune model.json --all-sizes
  treewright prune tree.json --lambda 0.5 --json

A tree of costs, such as tree.json: nodes 1 and 2 are the children of node 0, which costs 10 as a leaf.
  {"format": "treewright.costs", "version": 1,
   "children": [[1, 2], [3, 4], [], [], []], "cost": [10, 4, 3, 1, 1.5]}"#)]
pub(crate) struct PruneArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,
    #[command(flatten)]
    pub(crate) data: Option<DataArg>,
    #[command(flatten, next_help_heading = "Aim")]
    pub(crate) lambda: LambdaArg,
    #[command(flatten)]
    pub(crate) leaves: LeavesArg,
    /// The fewest leaves with a cost of at most E (as `training.cost`: divided by the total weight)
    #[arg(
        long,
        value_name = "E",
        help_heading = "Aim",
        allow_hyphen_values = true
    )]
    pub(crate) max_cost: Option<ExactNumber>,
    /// All prunings that are best for some weight, as a family
    #[arg(long, help_heading = "Aim")]
    pub(crate) family: bool,
    /// The least cost for every number of leaves, without the prunings
    #[arg(long, help_heading = "Aim")]
    pub(crate) all_sizes: bool,
    #[command(flatten)]
    pub(crate) select: RuleArg,
    #[command(flatten)]
    pub(crate) pruning: PruningArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

//! `summary`: the best trees of depth 0, 1, 2, 3 on a whole table.

use clap::Args;

use crate::args::groups::{LimitArgs, OutputArgs, TableArgs};
use crate::args::learners::OptimalArgs;

/// How well trees of depth 0, 1, 2, 3 can describe a whole table.
///
/// For each depth the tree with the least cost on all rows is found, and proven to be the best: its errors,
/// its leaves and the features that it asks. Then comes the least number of errors for each number of leaves,
/// of depth 1 to 3. If two levels do almost as well as three, the table is simple;
/// a single feature often explains most of it. These are figures on the rows themselves, not on new ones:
/// `curve` shows those. The target must hold classes.
///
/// Each level takes far longer than the one before. A time limit spans all of them; a depth that is not
/// proven by then shows its best tree so far, and a bound that no tree can be below.
#[derive(Debug, Args)]
#[command(
    mut_arg("data", |arg| arg.help("The table to describe: a file or `-`")),
    mut_arg("depth", |arg| arg.default_value("3").help("The largest depth")),
    after_help = "\
Examples:
  treewright summary iris.csv
  treewright summary titanic.csv --target survived --depth 2
  treewright summary big.csv --intervals 2 --min-leaf 10 --time-limit 60s
  treewright summary iris.csv --json | jq '.depths[].errors'"
)]
pub(crate) struct SummaryArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) optimal: OptimalArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

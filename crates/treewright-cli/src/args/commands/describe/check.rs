//! `check`: what in a table would spoil a tree.

use clap::Args;

use crate::args::groups::{OutputArgs, TableArgs};

/// Look at a table before learning from it.
///
/// Finds what spoils trees: ids, dates and numbers that are read as categories, columns that are constant, empty or
/// there twice, columns that give the target away, rows without a target, rare classes. Each finding comes with the
/// option that helps. Nothing is learned, and the exit code is 0 whatever is found.
///
/// `explore` begins with the same check. It leaves out ids and rows without a target, reads dates as numbers, and says
/// so.
#[derive(Debug, Args)]
#[command(
    mut_arg("data", |arg| arg.help("The table to check: a file or `-`")),
    mut_args(|arg| match arg.get_id().as_str() {
        "costs" | "class_weight" => arg.hide(true),
        _ => arg,
    }),
    after_help = "\
Examples:
  treewright check customers.csv
  treewright check customers.csv --target churned
  treewright check customers.csv --json | jq '.columns[] | select(.findings != []) | .name'"
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

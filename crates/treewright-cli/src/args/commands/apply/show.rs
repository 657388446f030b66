//! `show`: a tree as text.

use clap::Args;

use crate::args::groups::ModelArg;

/// Print a tree as text.
///
/// One line for each branch, with the rows that reach it and what it answers; in colour on a
/// terminal. With --json the checked model itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright show model.json
  treewright show model.json --no-color > tree.txt")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,
}

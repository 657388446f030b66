//! `verify`: do the claims of a model file hold?

use std::path::PathBuf;

use clap::Args;

use crate::args::groups::{ModelOnData, OutputArgs};

/// Check every claim of a model file from the rows alone.
///
/// DATA must be the table that the model was learned from. Structure, counts, values, errors, cost
/// and the arithmetic of the certificate are computed anew and compared. Exit code 1 and a line for
/// each claim that does not hold.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright verify model.json train.csv
  treewright verify model.json train.csv --json
  treewright verify model.json train.csv --optimality --proof proof.jsonl")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    /// Also prove anew that nothing is better, with the independent checker; MODEL may be a family then
    #[arg(long, help_heading = "Checks")]
    pub(crate) optimality: bool,
    /// The proof file that was written while learning
    #[arg(
        long,
        value_name = "FILE",
        requires = "optimality",
        help_heading = "Checks"
    )]
    pub(crate) proof: Option<PathBuf>,
    /// Say "not checked" after this many steps
    #[arg(
        long,
        value_name = "N",
        requires = "optimality",
        default_value_t = treewright_check::WORK,
        help_heading = "Checks"
    )]
    pub(crate) work: u64,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

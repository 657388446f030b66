//! `score`: how well a model does on rows.

use clap::Args;

use crate::args::groups::{ModelOnData, OutputArgs};

/// Measure how well a model does on rows whose target is known.
///
/// Error, cost, confusion matrix and figures for every class; in regression the usual errors. Also
/// how large the tree is, and how many features it asks for on average. Row weights are used if the
/// model was learned with a weight column, which must then be there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright score model.json test.csv
  treewright score model.json test.csv --json | jq .error")]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

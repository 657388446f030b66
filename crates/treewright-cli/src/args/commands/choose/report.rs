//! `report`: the page of `explore` for one result.

use clap::Args;

use crate::args::groups::{MODEL_OR_FAMILY, ModelOnData, OutputArgs};

/// Look at one result in a browser.
///
/// The page of `explore`, for a single model or family. DATA is a table with the columns of the model and its target:
/// usually the one that it was learned from. Its rows fill histograms, partitions, the confusion matrix and the list of
/// rows.
#[derive(Debug, Args)]
#[command(
    mut_arg("model", |arg| arg.help(MODEL_OR_FAMILY)),
    mut_arg("data", |arg| {
        arg.help("A table with the columns of the model and its target: a file or `-`")
    }),
)]
#[command(after_help = "\
Examples:
  treewright report model.json train.csv -o report.html
  treewright report family.json train.csv -o report.html")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Leave the rows of the table out of the report: it then has no list of rows, points and histograms
    #[arg(long, help_heading = "Output")]
    pub(crate) no_rows: bool,
}

//! `predict`: the answers of a model for the rows of a table.

use clap::Args;

use crate::args::groups::{ModelOnData, OutputArgs};

/// Predict the target of every row of a table.
///
/// Writes a CSV in row order with the column `prediction`: the class label, or a number. With --proba
/// there is one more column for each class, named by the class, or for each bin of a number (`binned-gini`), named by
/// its ends. The columns are found by name and read
/// with the kinds and missing tokens of the model; the target column need not be there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright predict model.json new.csv > predictions.csv
  treewright predict model.json new.parquet --proba -o predictions.csv
  zcat new.csv.gz | treewright predict model.json - --json")]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    /// Also the probability of every class, or of every bin of a number
    #[arg(long, help_heading = "Output")]
    pub(crate) proba: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

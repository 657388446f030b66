//! `score`: how well a model does on rows.

use clap::Args;
use treewright::data::ClassWeight;

use crate::args::groups::{ModelOnData, OutputArgs, parse_class_weight};

/// Measure how well a model does on rows whose target is known.
///
/// Error with an exact interval, beside that of always the same answer; cost, confusion matrix, figures for every
/// class, log loss and Brier score. For two classes also how well the positive one is ranked: AUC, Gini, KS, average
/// precision, lift, calibration. In regression the usual errors in units of the target. Also how large the tree is, and
/// how many features it asks for on average. Row weights are used if the model was learned with a weight column, which
/// must then be there, and class weights if it was learned with these.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright score model.json test.csv
  treewright score model.json test.csv --positive yes
  treewright score model.json test.csv --json | jq .error")]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) on: ModelOnData,
    /// The class to rank before the others [default: of two classes the rarer one in training, of equal ones the later]
    #[arg(long, value_name = "CLASS")]
    pub(crate) positive: Option<String>,
    /// Weights of the classes, which multiply the row weights: `balanced`, LABEL=W,... or `none` [default: those that
    /// the model was learned with]
    #[arg(long, value_name = "WEIGHTS", value_parser = parse_weights)]
    pub(crate) class_weight: Option<ClassWeight>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

fn parse_weights(text: &str) -> Result<ClassWeight, String> {
    match text {
        "none" => Ok(ClassWeight::Equal),
        _ => parse_class_weight(text),
    }
}

//! Commands that use a model.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::{ExactNumber, LimitArgs, OutputArgs, ProofArgs, PruningArgs, SelectArg, WholeNumber};

/// Predict the target of every row of a table.
///
/// Writes a CSV in row order with the column `prediction`: the class label, or a number. With --proba
/// there is one more column for each class, named by the class. The columns are found by name and read
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
    /// Also the probability of every class
    #[arg(long, help_heading = "Output")]
    pub(crate) proba: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

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

/// Prune a learned tree exactly, or take a tree out of a family.
///
/// Of all prunings of the tree in MODEL the best is found, for any penalty on the number of leaves, and
/// the certificate of the new model says so. Costs are those of the training; with DATA they come from
/// these rows instead, which is pruning on a validation set. Say what the pruning shall be best at:
/// --lambda, --leaves, --max-cost, or --family for all of them.
///
/// MODEL may be a family file, too: then --lambda, --leaves or --select takes a member out.
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("aim")
        .required(true)
        .args(["lambda", "leaves", "max_cost", "family", "select"]),
))]
#[command(after_help = "\
Examples:
  treewright prune model.json --leaves 5
  treewright prune model.json --lambda 0.01 -o small.json
  treewright prune model.json valid.csv --penalty sqrt --lambda 1/300
  treewright prune model.json --family -o family.json
  treewright prune family.json --select 1se -o model.json")]
pub(crate) struct PruneArgs {
    /// A model file, as written by `fit -o`, or a family file, as written by `path -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Take the costs from the rows of this table: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
    /// The least cost + X * penalty(leaves); X is a decimal or p/q, read exactly
    #[arg(
        long,
        value_name = "X",
        help_heading = "Aim",
        allow_hyphen_values = true
    )]
    pub(crate) lambda: Option<ExactNumber>,
    /// The least cost with at most K leaves; of a family the largest member with at most K leaves
    #[arg(
        long,
        value_name = "K",
        help_heading = "Aim",
        allow_negative_numbers = true
    )]
    pub(crate) leaves: Option<WholeNumber>,
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
    /// The member of a family that its cross-validation favours
    #[arg(long, value_name = "RULE", help_heading = "Aim")]
    pub(crate) select: Option<SelectArg>,
    #[command(flatten)]
    pub(crate) pruning: PruningArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

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
    /// Say "not checked" after so many steps
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

/// Write a tree in a form for elsewhere.
///
/// `dot` is a drawing for Graphviz; `rules` are plain sentences, one for each leaf.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treewright export model.json --to rules
  treewright export model.json --to svg -o tree.svg
  treewright export model.json --to dot | dot -Tpdf > tree.pdf
  treewright export model.json --to sql -o tree.sql
  treewright export model.json --to python -o tree.py")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) model: ModelArg,
    /// The form
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    pub(crate) to: ExportForm,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportForm {
    /// Graphviz
    Dot,
    /// A drawing, for browsers and documents
    Svg,
    /// One sentence for each leaf
    Rules,
    /// An SQL expression
    Sql,
    /// A C file with a function
    C,
    /// A Python module with a function
    Python,
    /// A Rust file with a function
    Rust,
    /// PMML 4.4
    Pmml,
    /// ONNX, a binary file
    Onnx,
}

/// A model file.
#[derive(Debug, Args)]
pub(crate) struct ModelArg {
    /// A model file, as written by `fit -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}

/// A model and the table to apply it to.
#[derive(Debug, Args)]
pub(crate) struct ModelOnData {
    #[command(flatten)]
    pub(crate) model: ModelArg,
    /// A table with the columns of the model: a file or `-`
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
}

//! `export`: a tree in a form for elsewhere.

use clap::{Args, ValueEnum};

use crate::args::groups::{ModelArg, OutputArgs};

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

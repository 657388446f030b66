//! The doors through which files come into the program, for tests that push any bytes through them.

use std::path::Path;

use anyhow::Result;
use treewright::cost::{CostMatrix, Penalty};
use treewright::data::{Dataset, ReadOptions};
use treewright::export::json::Document;

use crate::input::{self, Table};

/// Reads a table of any format to learn from it.
pub fn table(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    Table::open(path)?.to_learn(options)
}

/// Reads a model or a family.
pub fn document(path: &Path) -> Result<Document> {
    input::document(path)
}

/// Reads the penalties of 1, 2, ... leaves.
pub fn penalties(path: &Path) -> Result<Penalty> {
    input::penalty_table(path)
}

/// Reads what wrong predictions cost.
pub fn costs(path: &Path, classes: &[String]) -> Result<CostMatrix> {
    input::costs(path, classes)
}

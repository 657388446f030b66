//! A model or family file, and a table to apply it to.

use std::path::{Path, PathBuf};

use clap::Args;

use super::DataArg;

/// Help of a model where it may also be a family.
pub(crate) const MODEL_OR_FAMILY: &str =
    "A model file, as written by `fit -o`, or a family file, as written by `path -o`";

/// A model file.
#[derive(Debug, Args)]
pub(crate) struct ModelArg {
    /// A model file, as written by `fit -o`
    #[arg(value_name = "MODEL")]
    model: PathBuf,
}

impl ModelArg {
    /// The file, or `-`.
    pub(crate) fn path(&self) -> &Path {
        &self.model
    }
}

/// A model and the table to apply it to.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help("A table with the columns of the model: a file or `-`")))]
pub(crate) struct ModelOnData {
    #[command(flatten)]
    model: ModelArg,
    #[command(flatten)]
    data: DataArg,
}

impl ModelOnData {
    /// The file of the model, or `-`.
    pub(crate) fn model(&self) -> &Path {
        self.model.path()
    }

    /// The file of the table, or `-`.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }
}

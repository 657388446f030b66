//! Where the result goes.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::{Console, Destination};

/// Where the result goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the result to this file; it appears only when it is complete
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl OutputArgs {
    /// The file as it was given.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Does the name of the file ask for JSON where something else is usual?
    pub(crate) fn is_json(&self) -> bool {
        let extension = self.file.as_deref().and_then(Path::extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }

    /// Where to write to, if that was said; refused where there is no place for it. With `--json`
    /// standard output is taken.
    pub(crate) fn destination(&self, console: &Console) -> anyhow::Result<Option<Destination>> {
        let destination = self.file.as_deref().map(Destination::new).transpose()?;
        Ok(destination.filter(|to| !(console.json && matches!(to, Destination::Stdout))))
    }
}

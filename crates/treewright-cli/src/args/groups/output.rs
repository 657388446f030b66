//! Where the result goes.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;

use crate::output::{Console, Destination};

/// What is written beside the result, for `treewright-check`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ProofArgs {
    /// Write to this file what is needed to check the certificate, for `treewright-check`
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
}

impl ProofArgs {
    /// Where to write the proof to, if it is wanted: always a file.
    pub(crate) fn destination(&self) -> anyhow::Result<Option<Destination>> {
        let destination = self.proof.as_deref().map(Destination::new).transpose()?;
        let is_file = !matches!(destination, Some(Destination::Stdout));
        ensure!(is_file, "proof: got -, expected a file");
        Ok(destination)
    }
}

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

//! Options of every command.

use clap::Args;

use super::WholeNumber;

/// Options of every command; they stand before or after it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
#[expect(clippy::struct_excessive_bools, reason = "switches are what they are")]
pub(crate) struct GlobalArgs {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub(crate) threads: Option<WholeNumber>,
    /// No messages, only results and errors
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Exactly one JSON document on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No colours (`NO_COLOR` in the environment does the same)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

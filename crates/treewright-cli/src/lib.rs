//! The command line of treewright: parse, run, exit code.
//!
//! A library only so that tests can push any bytes through the [`doors`] of the program.

mod args;
mod claims;
mod commands;
mod csv;
mod destination;
mod disk;
pub mod doors;
mod input;
mod loading;
mod output;
mod signals;
mod startup;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::output::Console;

/// The whole program.
pub fn main() -> ExitCode {
    output::report_panics_in_one_line();
    let cli = Cli::parse();
    let console = Console::new(&cli.global);
    match run(&cli, &console) {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli, console: &Console) -> anyhow::Result<ExitCode> {
    // Before there are threads.
    signals::listen()?;
    cli.command.check()?;
    let limits = cli.command.limits();
    loading::set_memory_limit(limits.and_then(|limits| limits.memory_limit()));
    commands::use_threads(cli.global.threads)?;
    match &cli.command {
        Command::Explore(args) => commands::choose::explore::run(args, console),
        Command::Check(args) => commands::describe::check::run(args, console),
        Command::Report(args) => commands::choose::report::run(args, console),
        Command::Fit(args) => commands::learn::fit::run(args, console),
        Command::Path(args) => commands::learn::path::run(args, console),
        Command::Summary(args) => commands::describe::summary::run(args, console),
        Command::Validate(args) => commands::choose::validate::run(args, console),
        Command::Curve(args) => commands::describe::curve::run(args, console),
        Command::Distinct(args) => commands::choose::distinct::run(args, console),
        Command::Select(args) => commands::choose::select::run(args, console),
        Command::Prune(args) => commands::learn::prune::run(args, console),
        Command::Predict(args) => commands::apply::predict::run(args, console),
        Command::Score(args) => commands::apply::score::run(args, console),
        Command::Show(args) => commands::apply::show::run(args, console),
        Command::Verify(args) => commands::verify::run(args, console),
        Command::Export(args) => commands::apply::export::run(args, console),
    }
}

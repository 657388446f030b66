//! Every command and every flag, defined once.
//!
//! Flags that several commands share are groups (`TableArgs`, `GreedyArgs`, ...) which a
//! command takes in with `flatten`. A text that is no value of its flag at all ends here, with exit
//! code 2; a value that is out of range is passed on and refused by whoever knows the range.
//!
//! | folder or file | flags |
//! |---|---|
//! | `global` | of every command |
//! | `commands` | of one command |
//! | `groups` | of several commands |
//! | `learners` | of the learners, and learners in a list, each with its settings |
//! | `values` | texts that stand for lists and numbers |

use clap::{Parser, Subcommand};

mod commands;
mod global;
mod groups;
mod learners;
mod values;

pub(crate) use commands::{
    BackwardArgs, CheckArgs, CompleteArgs, CurveArgs, Dealing, DistinctArgs, ExploreArgs,
    ExportArgs, ExportForm, FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, FitOptimalArgs,
    PathArgs, PathDyadicArgs, PathGreedyArgs, PathLearner, PathOptimalArgs, PredictArgs, PruneArgs,
    ReportArgs, ScoreArgs, SelectingArgs, SelectionArgs, SelectionMethod, ShowArgs, SummaryArgs,
    ValidateArgs, VerifyArgs,
};
pub(crate) use global::GlobalArgs;
pub(crate) use groups::{LimitArgs, PenaltyArgs, ReadingArgs, SelectArg, TableArgs};
pub(crate) use learners::{LearnerArgs, NamedLearner, PathMethodArg, SolverArg};
pub(crate) use values::WholeNumber;

/// Decision trees done exactly.
///
/// treewright turns a table into decision trees that you can read, check and use elsewhere. A table
/// is a CSV or TSV file (also with .gz), a Parquet, Arrow or Feather file, or `-` for standard input.
#[derive(Debug, Parser)]
#[command(
    name = "treewright",
    bin_name = "treewright",
    version,
    max_term_width = 100
)]
#[command(after_help = "\
Examples:
  treewright check iris.csv
  treewright explore iris.csv -o report.html
  treewright fit greedy iris.csv -o model.json
  treewright fit dyadic iris.csv --lambda 0.01 -o best.json
  treewright fit optimal iris.csv --depth 2 -o small.json
  treewright summary iris.csv
  treewright validate greedy,optimal:depth=2 iris.csv
  treewright curve greedy,optimal:depth=2 iris.csv
  treewright distinct iris.csv
  treewright select backward iris.csv
  treewright show model.json
  treewright prune model.json --leaves 5 -o small.json
  treewright predict model.json new.csv > predictions.csv

Exit code: 0 done, 1 bad input or failure, 2 the command line cannot be parsed,
3 `verify --optimality` left something unchecked.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Explore(Box<ExploreArgs>),
    Report(ReportArgs),
    Check(CheckArgs),
    Fit(Box<FitArgs>),
    Path(Box<PathArgs>),
    Summary(Box<SummaryArgs>),
    Validate(Box<ValidateArgs>),
    Curve(Box<CurveArgs>),
    Distinct(Box<DistinctArgs>),
    Select(Box<SelectionArgs>),
    Prune(Box<PruneArgs>),
    Predict(PredictArgs),
    Score(ScoreArgs),
    Show(ShowArgs),
    Verify(VerifyArgs),
    Export(ExportArgs),
}

impl Command {
    /// Refuses a time that cannot be.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match self {
            Self::Explore(args) => args.budget().map(drop),
            _ => self.limits().map_or(Ok(()), |limits| limits.check()),
        }
    }

    /// The limits of time and memory, if the command takes them.
    pub(crate) fn limits(&self) -> Option<LimitArgs> {
        let limits = match self {
            Self::Explore(args) => args.limits(),
            Self::Fit(args) => match &args.learner {
                FitLearner::Greedy(args) => args.limits,
                FitLearner::Dyadic(args) => args.limits,
                FitLearner::Optimal(args) => args.limits,
            },
            Self::Path(args) => match &args.learner {
                PathLearner::Greedy(args) => args.limits,
                PathLearner::Dyadic(args) => args.limits,
                PathLearner::Optimal(args) => args.limits,
            },
            Self::Summary(args) => args.limits,
            Self::Validate(args) => args.limits,
            Self::Curve(args) => args.limits,
            Self::Distinct(args) => args.limits,
            Self::Select(args) => match &args.method {
                SelectionMethod::Backward(args) => args.selecting.limits,
                SelectionMethod::Complete(args) => args.selecting.limits,
            },
            Self::Prune(args) => args.limits,
            Self::Report(_)
            | Self::Check(_)
            | Self::Predict(_)
            | Self::Score(_)
            | Self::Show(_)
            | Self::Verify(_)
            | Self::Export(_) => return None,
        };
        Some(limits)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// The names of all flags of a command and of its subcommands.
    fn flags(command: &clap::Command, names: &mut BTreeSet<String>) {
        let longs = command.get_arguments().filter_map(clap::Arg::get_long);
        names.extend(longs.map(str::to_owned));
        for command in command.get_subcommands() {
            flags(command, names);
        }
    }

    #[test]
    fn the_guide_lists_no_unknown_flags() {
        let mut known = BTreeSet::new();
        flags(&Cli::command(), &mut known);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide.md");
        let guide = std::fs::read_to_string(path).unwrap();
        let rows = guide.lines().filter_map(|line| line.strip_prefix("| `--"));
        let mut n_rows = 0;
        for row in rows {
            let name = row.split(['`', ' ']).next().unwrap_or_default();
            assert!(known.contains(name), "--{name}");
            n_rows += 1;
        }
        assert!(n_rows > 40, "{n_rows}");
    }
}

//! Every command and every flag, defined once.
//!
//! Flags that several commands share are groups ([`ReadingArgs`], [`GreedyArgs`], ...) which a
//! command takes in with `flatten`. A text that is no value of its flag at all ends here, with exit
//! code 2; a value that is out of range is passed on and refused by whoever knows the range.
//!
//! | file | flags |
//! |---|---|
//! | `global` | of every command |
//! | `learning` | commands that learn: `fit`, `path` |
//! | `describing` | commands that describe a table: `summary`, `curve` |
//! | `exploring` | commands that make a report: `explore`, `report` |
//! | `validating` | commands that compare learners: `validate` |
//! | `features` | commands that try subsets of the features: `distinct`, `select` |
//! | `learners` | learners in a list, each with its settings |
//! | `using` | commands that use a model: `prune`, `predict`, `score`, `show`, `verify`, `export` |
//! | `reading` | which columns of a table to use, and how |
//! | `greedy` | the greedy learner |
//! | `dyadic` | the learner of optimal dyadic trees |
//! | `optimal` | the learner of optimal trees of bounded depth |
//! | `penalty` | what a number of leaves costs |
//! | `pruning` | pruning, and choosing among prunings |
//! | `limits` | time and memory |
//! | `output` | where the result goes |
//! | `values` | texts that stand for lists and numbers |

use clap::{Parser, Subcommand};

mod describing;
mod dyadic;
mod exploring;
mod features;
mod global;
mod greedy;
mod learners;
mod learning;
mod limits;
mod optimal;
mod output;
mod penalty;
mod pruning;
mod reading;
mod using;
mod validating;
mod values;

pub(crate) use describing::{CurveArgs, SummaryArgs};
pub(crate) use dyadic::{DyadicArgs, PathMethodArg, SolverArg};
pub(crate) use exploring::{ExploreArgs, ReportArgs};
pub(crate) use features::{
    BackwardArgs, CompleteArgs, DistinctArgs, SelectingArgs, SelectionArgs, SelectionMethod,
};
pub(crate) use global::GlobalArgs;
pub(crate) use greedy::{ClassTreeArgs, GreedyArgs};
pub(crate) use learners::{LearnerArgs, NamedLearner};
pub(crate) use learning::{
    FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, FitOptimalArgs, PathArgs, PathDyadicArgs,
    PathGreedyArgs, PathLearner,
};
pub(crate) use limits::LimitArgs;
pub(crate) use optimal::OptimalArgs;
pub(crate) use output::{OutputArgs, ProofArgs};
pub(crate) use penalty::PenaltyArgs;
pub(crate) use pruning::{ExactNumber, PruningArgs, SelectArg, SelectArgs};
pub(crate) use reading::ReadingArgs;
pub(crate) use using::{
    ExportArgs, ExportForm, PredictArgs, PruneArgs, ScoreArgs, ShowArgs, VerifyArgs,
};
pub(crate) use validating::{Dealing, ValidateArgs};
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

Exit code: 0 done, 1 bad input or failure, 2 the command line cannot be parsed.")]
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
    /// The memory limit, if one was given.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
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
            | Self::Predict(_)
            | Self::Score(_)
            | Self::Show(_)
            | Self::Verify(_)
            | Self::Export(_) => return None,
        };
        limits.memory_limit
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}

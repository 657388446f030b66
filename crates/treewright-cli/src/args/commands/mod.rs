//! The flags of each command, in the folders of `crate::commands`.

mod apply;
mod choose;
mod describe;
mod learn;
mod verify;

pub(crate) use apply::{ExportArgs, ExportForm, PredictArgs, ScoreArgs, ShowArgs};
pub(crate) use choose::{
    BackwardArgs, CompleteArgs, Dealing, DistinctArgs, ExploreArgs, ReportArgs, SelectingArgs,
    SelectionArgs, SelectionMethod, ValidateArgs,
};
pub(crate) use describe::{CheckArgs, CurveArgs, SummaryArgs};
pub(crate) use learn::{
    FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, FitOptimalArgs, PathArgs, PathDyadicArgs,
    PathGreedyArgs, PathLearner, PathOptimalArgs, PruneArgs,
};
pub(crate) use verify::VerifyArgs;

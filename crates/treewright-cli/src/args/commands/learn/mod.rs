//! Commands that learn or prune a tree or a family.

mod fit;
mod path;
mod prune;

pub(crate) use fit::{FitArgs, FitDyadicArgs, FitGreedyArgs, FitLearner, FitOptimalArgs};
pub(crate) use path::{PathArgs, PathDyadicArgs, PathGreedyArgs, PathLearner, PathOptimalArgs};
pub(crate) use prune::PruneArgs;

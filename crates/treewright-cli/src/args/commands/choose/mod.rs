//! Commands that choose: among trees, among learners, among features.

mod distinct;
mod explore;
mod report;
mod select;
mod validate;

pub(crate) use distinct::DistinctArgs;
pub(crate) use explore::ExploreArgs;
pub(crate) use report::ReportArgs;
pub(crate) use select::{
    BackwardArgs, CompleteArgs, SelectingArgs, SelectionArgs, SelectionMethod,
};
pub(crate) use validate::{Dealing, ValidateArgs};

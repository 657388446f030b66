//! Commands that describe a table: how well it can be learned.

mod check;
mod curve;
mod summary;

pub(crate) use check::CheckArgs;
pub(crate) use curve::CurveArgs;
pub(crate) use summary::SummaryArgs;

//! Commands that describe a table: how well it can be learned.

mod curve;
mod summary;

pub(crate) use curve::CurveArgs;
pub(crate) use summary::SummaryArgs;

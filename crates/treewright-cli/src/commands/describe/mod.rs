//! Commands that describe a table: how well it can be learned.

pub(crate) mod check;
pub(crate) mod curve;
mod plot;
mod rates;
pub(crate) mod summary;

//! The working form of a table: rows in the order of every feature, with labels and weights.

pub(crate) mod coarse;
pub(crate) mod frame;
pub(crate) mod lists;

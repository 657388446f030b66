//! Depth one: the best split into leaves.

pub(crate) mod any_intervals;
pub(crate) mod groups;
pub(crate) mod intervals;
pub(crate) mod limited_groups;
pub(crate) mod lowest_cut;
pub(crate) mod pure_intervals;
pub(crate) mod sized_intervals;
pub(crate) mod split;

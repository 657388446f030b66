//! Trees of depth three and more.

pub(crate) mod best_first;
pub(crate) mod equivalent_points;
pub(crate) mod helper;
pub(crate) mod local_search;
pub(crate) mod moves;
pub(crate) mod notes;
pub(crate) mod region_bounds;
pub(crate) mod rising_bound;

//! Trees of depth one.

pub(crate) mod intervals;
pub(crate) mod split;

//! Optimal dyadic trees.

mod boxes;
pub(crate) mod claims;
mod exact;
mod files;
pub(crate) mod members;
mod narrow;
pub(crate) mod penalties;
pub(crate) mod sizes;
mod switches;

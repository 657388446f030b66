//! Greedy trees.

mod bins;
pub(crate) mod differential;
mod groups;
mod laws;
mod mirrored;
mod switches;

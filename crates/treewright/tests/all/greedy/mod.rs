//! Greedy trees.

pub(crate) mod differential;
mod laws;
mod switches;

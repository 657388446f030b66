//! Slow and obvious: what the fast algorithms are compared with.

pub(crate) mod bounded;
pub(crate) mod build;
mod fraction;
pub(crate) mod greedy;
mod mutants;
pub(crate) mod predict;
pub(crate) mod proofs;
pub(crate) mod prunings;
pub(crate) mod rules;
pub(crate) mod splits;
pub(crate) mod subsets;
pub(crate) mod two_levels;

//! Optimal trees of bounded depth.

mod alike;
pub(crate) mod large;
mod leaf_sizes;
mod odd;
mod of_size;
mod proofs;
pub(crate) mod rules;
mod shares;
mod sizes;
pub(crate) mod small;
mod stopped;
mod switches;

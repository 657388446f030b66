//! Optimal trees of bounded depth.

mod alike;
pub(crate) mod large;
mod odd;
mod of_size;
mod proofs;
mod sizes;
pub(crate) mod small;
mod stopped;
mod switches;

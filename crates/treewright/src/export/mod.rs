//! Ways to write a tree down.
//!
//! [`json`] is the model file and the only format that is read back. The others are for people and for
//! other programs; they say nothing that the tree does not know.

mod condition;
pub mod dot;
pub mod json;
pub mod rules;
#[cfg(test)]
mod samples;
pub mod text;

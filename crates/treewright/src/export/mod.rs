//! Ways to write a tree down.
//!
//! [`json`] is the model file and the only format that is read back. The others are for people and for
//! other programs; they say nothing that the tree does not know.

pub mod c;
mod condition;
pub mod dot;
mod identifiers;
pub mod json;
mod nested;
mod plan;
pub mod python;
pub mod rules;
pub mod rust;
#[cfg(test)]
mod samples;
pub mod sql;
pub mod text;

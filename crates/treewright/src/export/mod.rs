//! Ways to write a tree down.

pub mod json;

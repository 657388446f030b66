//! Prunings of finished trees.

mod any_tree;
mod laws;
mod pruned;
mod prunings;
mod shares;

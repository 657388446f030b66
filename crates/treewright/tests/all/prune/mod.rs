//! Prunings of finished trees.

mod laws;
mod pruned;
mod prunings;
mod shares;

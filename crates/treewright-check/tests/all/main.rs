//! The checker against plain references, and against certificates that were falsified on purpose.

mod all_trees;
mod bounded;
mod brute;
mod falsified;
mod forged;
mod prunings;
mod sizes;
mod subsets;
mod tables;

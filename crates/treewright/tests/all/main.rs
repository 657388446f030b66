//! All integration tests, in one binary.

mod by_depth;
mod choosing;
mod curve;
mod differential;
mod distinct;
mod dyadic;
mod dyadic_files;
mod dyadic_members;
mod dyadic_penalties;
mod dyadic_sizes;
mod laws;
mod optimal;
mod optimal_large;
mod optimal_odd;
mod optimal_stopped;
mod predictions;
mod pruned;
mod pruning_laws;
mod prunings;
mod reference;
mod rooms;
mod searched;
mod selection;
mod switches;
mod tables;
mod trees;

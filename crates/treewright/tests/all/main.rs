//! All integration tests, in one binary. `tables` and `trees` draw random ones for the others.

mod dyadic;
mod greedy;
mod learners;
mod optimal;
mod predictions;
mod project;
mod prune;
mod reference;
mod select;
mod tables;
mod trees;

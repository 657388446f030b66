//! All integration tests, in one binary.

mod choosing;
mod differential;
mod laws;
mod predictions;
mod pruned;
mod reference;
mod rooms;
mod switches;
mod tables;

//! All integration tests, in one binary.

mod differential;
mod laws;
mod reference;
mod rooms;
mod switches;
mod tables;

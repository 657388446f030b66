//! Inputs that are broken, or made to do harm.

mod bad_input;
mod families;
mod models;
mod tables;
mod texts;

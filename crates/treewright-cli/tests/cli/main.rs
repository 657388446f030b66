//! The real program on real files, with the expected text beside the command.

mod files;
mod hostile;
mod learn;
mod models;
mod project;
mod select;
mod support;
mod usage;

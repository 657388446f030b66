//! Commands that choose trees or features, or compare learners.

mod check;
mod curve;
pub(crate) mod distinct;
mod explore;
mod explore_choice;
mod explore_figures;
mod explore_tables;
mod features;
mod quality;
mod summary;
mod validate;

//! The real program on real files, with the expected text beside the command.

mod bad_input;
mod curve;
mod distinct;
mod dyadic;
mod dyadic_aims;
mod dyadic_choice;
mod dyadic_searches;
mod ending;
mod explore;
mod fit;
mod hostile_families;
mod hostile_models;
mod hostile_tables;
mod hostile_texts;
mod inputs_kept;
mod optimal;
mod path;
mod predict;
mod prune;
mod reading;
mod results;
mod select;
mod summary;
mod support;
mod usage;
mod validate;

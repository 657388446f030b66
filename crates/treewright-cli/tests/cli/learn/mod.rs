//! Commands that learn trees.

mod cases;
pub(crate) mod dyadic;
pub(crate) mod dyadic_aims;
mod dyadic_choice;
mod dyadic_searches;
mod fit;
mod optimal;
mod optimal_aims;
mod path;
mod rules;
mod shares;
mod stopped_families;

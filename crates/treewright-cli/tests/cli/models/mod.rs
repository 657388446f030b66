//! Commands that use, change or check a model.

mod optimality;
mod predict;
mod proof;
mod prune;
mod prune_inputs;
mod results;

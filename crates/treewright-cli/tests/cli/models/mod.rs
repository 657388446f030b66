//! Commands that use, change or check a model.

mod any_tree;
mod optimality;
mod predict;
mod proof;
mod prune;
mod prune_inputs;
mod results;

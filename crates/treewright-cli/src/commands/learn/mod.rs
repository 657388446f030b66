//! Commands that learn or prune a tree or a family.

mod all_sizes;
mod any_tree;
pub(crate) mod fit;
pub(super) mod learner;
pub(crate) mod path;
pub(crate) mod prune;

//! From a solved problem to a tree.

pub(crate) mod build_tree;

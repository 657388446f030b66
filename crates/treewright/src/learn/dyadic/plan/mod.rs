//! Trees of halvings, and the trees that are built from them.

pub(crate) mod build_tree;

//! The best split of a node: what candidates there are, what each is worth, and what the chosen one means.

pub(crate) mod candidates;
pub(crate) mod categories;
pub(crate) mod chosen;
mod judges;
pub(crate) mod measure;
pub(crate) mod scan;
pub(crate) mod search;

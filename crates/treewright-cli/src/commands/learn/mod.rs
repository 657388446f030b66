//! Commands that learn or prune a tree or a family.

pub(crate) mod fit;
pub(super) mod learner;
pub(crate) mod path;
pub(crate) mod prune;

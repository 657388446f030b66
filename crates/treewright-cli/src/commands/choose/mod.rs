//! Commands that choose: among trees, among learners, among features.

pub(crate) mod distinct;
pub(crate) mod explore;
pub(crate) mod report;
pub(crate) mod select;
pub(crate) mod validate;

//! Commands that apply a model, or hand it on.

pub(crate) mod export;
pub(crate) mod predict;
pub(crate) mod score;
pub(crate) mod show;

//! Trees for people: text, rules, drawings. `condition` says in words what a branch asks.

pub(super) mod condition;
pub mod dot;
pub mod rules;
pub mod svg;
pub mod text;

//! Ways to write a tree down.
//!
//! [`json`] is the model file and the only format that is read back. The others are for people and for
//! other programs; they say nothing that the tree does not know.
//!
//! | for people | for other programs |
//! |---|---|
//! | [`text`], [`rules`], [`svg`], [`dot`], [`html`] | [`sql`], [`c`], [`python`], [`rust`], [`pmml`], [`onnx`] |

mod code;
mod exchange;
pub mod html;
pub mod json;
pub mod proof;
#[cfg(test)]
mod samples;
mod show;
pub mod words;

pub use code::{c, python, rust, sql};
pub use exchange::{onnx, pmml};
pub use show::{dot, rules, svg, text};

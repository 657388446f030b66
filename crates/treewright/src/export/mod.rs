//! Ways to write a tree down.
//!
//! [`json`] is the model file and the only format that is read back. The others are for people and for
//! other programs; they say nothing that the tree does not know.
//!
//! | for people | for other programs |
//! |---|---|
//! | [`text`], [`rules`], [`svg`], [`dot`], [`html`] | [`sql`], [`c`], [`python`], [`rust`], [`pmml`], [`onnx`] |

pub mod c;
mod condition;
pub mod dot;
pub mod html;
mod identifiers;
pub mod json;
mod nested;
pub mod onnx;
mod plan;
pub mod pmml;
pub mod proof;
mod protobuf;
pub mod python;
pub mod rules;
pub mod rust;
#[cfg(test)]
mod samples;
pub mod sql;
pub mod svg;
pub mod text;
pub mod words;
mod xml;

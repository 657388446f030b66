//! Trees as programs: functions in C, Python and Rust, queries in SQL.
//!
//! `plan` says where every row goes, `nested` writes what the languages of nested conditions share, and `identifiers`
//! makes names of columns that a language accepts.

pub mod c;
mod identifiers;
mod nested;
pub(super) mod plan;
pub mod python;
pub mod rust;
pub mod sql;

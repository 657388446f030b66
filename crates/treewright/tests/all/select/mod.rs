//! Choosing trees and features, and comparing learners, by held-out rows.

mod by_depth;
pub(crate) mod choosing;
pub(crate) mod curve;
pub(crate) mod distinct;
mod features;
mod limits;
mod searched;
mod validate;

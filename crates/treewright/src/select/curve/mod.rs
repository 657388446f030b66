//! Learning curves: error against the number of rows learned from (`learning_curve`), and what two of them say about
//! the rows that a depth needs (`rates`).

mod learning_curve;
mod rates;

pub use learning_curve::{Curve, LearningCurve, Point};
pub use rates::{DepthRates, RatePoint, Rates, SameError};

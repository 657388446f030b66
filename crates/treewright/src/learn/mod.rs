//! The learners. Each is its parameter struct; adding one means a folder here and a line below.

use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::tree::{Fit, Tree};

pub mod dyadic;
pub mod greedy;

pub use greedy::Greedy;

/// Something that learns a tree from rows.
pub trait Learner {
    /// Checks the parameters against the data, then learns.
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>>;
}

//! The learners. Each is its parameter struct; adding one means a folder here and a line below.

use crate::budget::Budget;
use crate::cost::Lambda;
use crate::data::Dataset;
use crate::error::Result;
use crate::tree::{FamilyFit, Fit, Tree};

pub mod dyadic;
mod exact;
pub mod greedy;
pub mod optimal;
pub mod parameters;

pub use greedy::Greedy;

/// Something that learns a tree from rows.
pub trait Learner {
    /// Checks the parameters against the data, then learns.
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>>;
}

/// Something that learns the best trees for all weights of a penalty.
pub trait FamilyLearner: Learner {
    /// Checks the parameters against the data, then learns.
    fn fit_family(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit>;

    /// Learns the best trees for a part of the rows. They may even be larger than those for all rows, and a table
    /// of penalties too short for them: then trees for which it has no line are left out.
    fn fit_fold(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        self.fit_family(data, budget)
    }

    /// The weight that the tree of [`Learner::fit`] is best for, on the scale of files.
    fn weight(&self, data: &Dataset) -> Result<Lambda>;
}

//! Trees over subsets of the features: all distinct ones, and the subset that is best.
//!
//! | file | idea |
//! |---|---|
//! | `lattice` | greedy trees for many feature sets, put together from shared parts |
//! | `enumerate` | the order in which sets are gone through, so that every distinct tree is met once |
//! | `distinct` | all distinct trees: counted, listed, one after the other |
//! | `pieces` | parts of the enumeration, for several threads |
//! | `estimate` | which rows build the trees and which judge them |
//! | `backward` | taking features away while the error falls |
//! | `plain` | the same with the learner as a black box, for comparison |
//! | `complete` | the best subset, proven |
//! | `feature_search` | any of the two selections, with the tree over the features and the stability |
//! | `stability` | how much a selection depends on the rows |
//! | `meter` | how far a search is, for whoever watches |
//!
//! `docs/algorithms/distinct.md` has the method with its proofs.

use std::sync::Arc;
use std::time::Duration;

use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::{Greedy, Learner};
use crate::tree::{Fit, NodeId, Outcome, TreeBuilder};

mod backward;
mod complete;
mod distinct;
mod enumerate;
mod estimate;
mod feature_search;
mod lattice;
mod meter;
mod pieces;
mod plain;

mod stability;

pub use backward::Backward;
pub use complete::Complete;
pub use distinct::{Count, Distinct, DistinctTree, DistinctTrees, Met};
pub use enumerate::Order;
pub use estimate::Estimate;
pub use feature_search::{FeatureSearch, FeatureSelection, shared_bytes};
pub use stability::{Stability, StabilityReport};

/// A chosen subset of the features.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The features that the trees of the subset split on, rising.
    pub selected: Vec<usize>,
    /// Features of the subset that the trees do not split on, rising.
    pub unused: Vec<usize>,
    /// Features that were taken away, in order.
    pub removed: Vec<usize>,
    /// The error on the rows that judge, divided by their weight. Not a number if the budget was spent before any
    /// tree was judged; then all features are selected.
    pub search_error: f64,
    /// The same for the trees over all features.
    pub all_features_error: f64,
    /// Trees that were built; by a complete search without those of the backward elimination before it.
    pub trees_built: u64,
    /// Trees that a search which knows nothing of trees would have built besides.
    pub trees_skipped: u64,
    /// What is proven of the choice; nothing for backward elimination.
    pub proof: Option<Proof>,
    /// Was the budget spent before the end?
    pub stopped: bool,
    /// Time of the search.
    pub time: Duration,
}

/// What is proven of a chosen subset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proof {
    /// No subset has a smaller error, none with the same error has fewer features, and of those with as
    /// many none comes first. So it is if the search came to its end.
    pub optimal: bool,
    /// No subset has an error below this.
    pub lower_bound: f64,
}

impl Selection {
    /// Of a search that was stopped before it knew anything: all features, with errors that are not numbers.
    fn of_nothing(n_features: usize, proof: Option<Proof>) -> Self {
        Self {
            selected: (0..n_features).collect(),
            unused: Vec::new(),
            removed: Vec::new(),
            search_error: f64::NAN,
            all_features_error: f64::NAN,
            trees_built: 0,
            trees_skipped: 0,
            proof,
            stopped: true,
            time: Duration::ZERO,
        }
    }

    /// The tree over the selected features, from all rows of the table. If none is selected, it is a leaf
    /// that needs no columns at all.
    pub fn fit(&self, greedy: &Greedy, data: &Dataset, budget: &Budget) -> Result<Fit> {
        let selected = data.features(&self.selected);
        if !self.selected.is_empty() {
            return greedy.fit(&selected, budget);
        }
        // The learner wants at least one feature.
        let leaf = Greedy {
            max_depth: Some(0),
            ..greedy.clone()
        };
        let mut fit = leaf.fit(data, budget)?;
        let tree = &fit.model;
        let counts = Outcome::Counts(tree.counts(NodeId::ROOT).to_vec());
        let (schema, value) = (selected.schema(), tree.value(NodeId::ROOT));
        fit.model =
            TreeBuilder::new(Arc::clone(schema), greedy.loss.clone(), counts, value)?.finish();
        Ok(fit)
    }
}

/// Memory for shared parts of trees, unless something else is said: enough for the working set of most
/// searches, little enough for any machine. Selections, which come back to the same nodes more often, take
/// twice as much.
const USUAL_BYTES: usize = 192 << 20;

//! Choosing a tree by rows that were left out of learning.
//!
//! This is the only room that runs others repeatedly: it learns on parts of the rows, prunes what was
//! learned where that is asked for, and looks at the rest.
//!
//! | file | idea |
//! |---|---|
//! | `by_depth` | the best trees of depth 0, 1, 2, ... on a whole table |
//! | `choose` | cross-validation of a family, and the choice of a member by it |
//! | `curve` | learning curves: error against the number of rows learned from |
//! | `explore` | all families of a table within a budget of time, and which tree is good enough |
//! | `family_choice` | which member of a family: by a weight, by its leaves or by held-out rows |
//! | `features` | the distinct trees over subsets of the features, and the choice of a subset |
//! | `held_out` | the cost of all members of a family on rows that were left out, in one pass |
//! | `mixture` | the same for rows that a missing value distributes over several leaves |
//! | `pruned` | a learner followed by pruning, with a member chosen by hand or by cross-validation |
//! | `rates` | rows against 1/eps for two depths, beside their VC dimensions |
//! | `resampling` | which rows are left out |
//! | `searched` | a learner of whole families, with a member chosen by cross-validation |
//! | `validate` | several learners on the same folds, compared row by row |
//!
//! ```
//! use treewright::Budget;
//! use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
//! use treewright::learn::{Greedy, Learner};
//! use treewright::select::{Choice, Pruned, Resampling, Rule};
//!
//! let mut table = String::from("x,class\n");
//! for x in 0..40 {
//!     let class = if (x < 20) == (x % 7 > 0) { "low" } else { "high" };
//!     table += &format!("{x},{class}\n");
//! }
//! let source = CsvSource::new(table.into(), b',')?;
//! let data = Dataset::read(&source, &ReadOptions::default())?;
//! let learner = Pruned {
//!     choice: Choice::Select {
//!         rule: Rule::OneSe,
//!         resampling: Resampling::default(),
//!     },
//!     ..Pruned::new(Greedy::default())
//! };
//! let fit = learner.fit(&data, &Budget::unlimited())?;
//! assert_eq!(fit.model.n_leaves(), 2);
//! assert!(fit.certificate.is_some());
//! # Ok::<(), treewright::Error>(())
//! ```

mod by_depth;
mod choose;
mod curve;
mod explore;
mod family_choice;
mod features;
mod held_out;
mod mixture;
mod pruned;
mod rates;
mod resampling;
mod searched;
mod validate;

pub use by_depth::{ByDepth, by_depth};
pub use choose::{Rule, cross_validate};
pub use curve::{Curve, LearningCurve, Point};
pub use explore::Explore;
pub use family_choice::FamilyChoice;
pub use features::{
    Backward, Complete, Count, Distinct, DistinctTree, DistinctTrees, Estimate, FeatureSearch,
    FeatureSelection, Met, Order, Proof, Selection, Stability, StabilityReport, shared_bytes,
};
pub use pruned::{Choice, Pruned, PrunedFamily};
pub use rates::{DepthRates, RatePoint, Rates, SameError};
pub use resampling::Resampling;
pub use searched::Searched;
pub use validate::{
    FoldFigures, LearnerFigures, PairedDifference, Spread, TreeFigures, Validate, Validation,
};

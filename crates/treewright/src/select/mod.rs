//! Choosing a tree by rows that were left out of learning.
//!
//! This is the only room that runs others repeatedly: it learns on parts of the rows, prunes what was
//! learned where that is asked for, and looks at the rest.
//!
//! | file | idea |
//! |---|---|
//! | `curve` | learning curves: error against the number of rows learned from |
//! | `explore` | all families of a table within a budget of time, and which tree is good enough |
//! | `family` | families of trees, and the choice of a member by hand or by held-out rows |
//! | `features` | the distinct trees over subsets of the features, and the choice of a subset |
//! | `held_out` | the cost of all members of a family on held-out rows, in one pass |
//! | `resampling` | which rows are held out |
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

mod curve;
mod explore;
mod family;
mod features;
mod held_out;
mod resampling;
mod validate;

pub use curve::{Curve, DepthRates, LearningCurve, Point, RatePoint, Rates, SameError};
pub use explore::{Exploration, Explore};
pub use family::{
    ByDepth, Choice, FamilyChoice, Pruned, PrunedFamily, Rule, Searched, by_depth, cross_validate,
    sizes_by_depth,
};
pub use features::{
    Backward, Complete, Count, Distinct, DistinctTree, DistinctTrees, Estimate, FeatureSearch,
    FeatureSelection, Met, Order, Proof, Selection, Stability, StabilityReport, shared_bytes,
};
pub use resampling::Resampling;
pub use validate::{
    FoldFigures, LearnerFigures, PairedDifference, Spread, TreeFigures, Validate, Validation,
};

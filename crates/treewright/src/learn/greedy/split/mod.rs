//! The best split of a node: what candidates there are, what each is worth, and what the chosen one means.

mod candidate_split;
mod categories;
mod category_candidates;
mod chosen;
mod coarse_counts;
mod feature_candidates;
mod judges;
mod measure;
mod node_search;
mod node_view;
mod scan;
mod search;

pub(crate) use self::candidate_split::{CandidateSplit, FeatureResult, Shape};
pub(crate) use self::categories::{CategoryCounts, CategoryTables, counting_pays};
pub(crate) use self::chosen::Chosen;
pub(crate) use self::coarse_counts::Present;
pub(crate) use self::measure::{Logs, Measure, Score, Weighed, median};
pub(crate) use self::node_search::{NodeSearch, Scratch};
pub(crate) use self::node_view::NodeView;
pub(crate) use self::scan::Totals;
pub(crate) use self::search::{Judge, SplitSearch};

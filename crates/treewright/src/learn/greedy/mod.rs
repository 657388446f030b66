//! Greedy trees in the manner of CART and C4.5: at every node the split that gains most there.
//!
//! `docs/algorithms/greedy.md` says exactly which splits there are, what they gain, and which one is taken.
//! The way through this folder:
//!
//! | folder or file | what it does |
//! |---|---|
//! | `parameters` | the parameters of the learner |
//! | `switches` | a switch for every speed-up |
//! | `deadline` | time and memory while a node is split |
//! | `problem` | the rows, sorted once by every feature, with labels and weights |
//! | `split` | the best split of a node: candidates, what they are worth, the chosen one |
//! | `setup` | from the parameters and a table to sorted rows, labels and the criterion |
//! | `check` | refuses parameters that make no sense |
//! | `grow` | the stack of nodes, threads, and the finished tree |
//! | `splitter` | single nodes, for searches over sets of features |
//!
//! Work: one sort a feature, then for every level of the tree one scan and one parting of each list.

mod check;
mod deadline;
mod grow;
mod parameters;
mod problem;
mod setup;
mod split;
mod splitter;
mod switches;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::json;

pub(super) use self::check::check_min_leaf_weight;
pub use self::parameters::{CategoricalSplits, Criterion, Greedy, MissingPolicy, Summary};
pub(super) use self::problem::{Packing, is_tie, sorted_list_in_time};
pub(crate) use self::split::{CandidateSplit, FeatureResult};
pub(crate) use self::splitter::{Lists, NodeRows, Splitter, Workspace};

use self::deadline::SplitDeadline;
use self::setup::{bin_edges, most_nodes};
use crate::budget::Budget;
use crate::data::{Column, Dataset, Target};
use crate::error::{Error, Result};
use crate::learn::Learner;
use crate::learn::greedy::grow::{Grower, Summaries};
use crate::learn::greedy::problem::Frame;
use crate::tree::{Fit, LearnerInfo, LearnerKind, Params, Training, Tree};

#[doc(hidden)]
pub use self::switches::GreedySwitches;

impl Learner for Greedy {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        self.fit_by(data, budget, GreedySwitches::ALL)
    }
}

impl Greedy {
    /// Learns with some of the speed-ups only.
    #[doc(hidden)]
    pub fn fit_by(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: GreedySwitches,
    ) -> Result<Fit<Tree>> {
        self.check(data)?;
        let start = Instant::now();
        let has_missing: Arc<[bool]> = data.columns().iter().map(Column::has_missing).collect();
        let (tree, stopped) = self.grow(data, &has_missing, budget, switches)?;
        let tree = match &self.min_class_share {
            Some(share) => tree.cut_to_share(share),
            None => tree,
        };
        let seconds = start.elapsed();
        let mut learner = self.info(data);
        if stopped {
            learner.params.stop_learning();
        }
        let training = if has_missing.contains(&true) {
            Training::of(&tree, data)
        } else {
            Training::of_leaves(&tree, data)
        };
        let training = training.taking(seconds);
        if !training.cost.is_finite() {
            return Err(Error::schema(
                "the costs are too large: their sum over the rows is not a finite number",
            ));
        }
        Ok(Fit {
            model: tree,
            learner,
            training,
            certificate: None,
        })
    }

    /// The tree, and whether the budget ended its growth.
    fn grow(
        &self,
        data: &Dataset,
        has_missing: &Arc<[bool]>,
        budget: &Budget,
        switches: GreedySwitches,
    ) -> Result<(Tree, bool)> {
        let criterion = self.criterion(data);
        let n_nodes = 2 * data.n_rows();
        let frame = self.frame(data, has_missing, switches, budget)?;
        let summaries = match data.target() {
            Target::Numbers(_) => Summaries::Numbers {
                answer: self.predict.of(criterion),
                bins: criterion == Criterion::BinnedGini,
            },
            Target::Classes(_) | Target::Absent => Summaries::Classes(&self.loss),
        };
        let n_classes = frame.as_ref().map_or(0, Frame::n_classes);
        let grower = Grower {
            schema: data.schema(),
            search: self.search(data, switches, SplitDeadline::new(budget)),
            summaries,
            max_depth: self.max_depth.unwrap_or(usize::MAX),
            min_split: self.min_split,
            never_below: self.rules.never_below(data.schema())?,
            budget,
            stopped: AtomicBool::new(false),
            n_nodes: AtomicUsize::new(1),
            n_classes,
            most_nodes: most_nodes(n_classes, n_nodes, budget),
        };
        let Some(frame) = frame else {
            let bare = self.bare_frame(data)?;
            return Ok((grower.only_leaf(&bare)?, true));
        };
        let tree = grower.grow(frame)?;
        Ok((tree, grower.stopped.load(Ordering::Relaxed)))
    }

    /// The name and the parameters as they go into a model file: those that have a say for these rows.
    pub fn info(&self, data: &Dataset) -> LearnerInfo {
        let criterion = self.criterion(data);
        let mut params = Params::default();
        params.insert("criterion", criterion.name());
        if criterion == Criterion::BinnedGini {
            params.insert("bins", self.bins);
            if let Target::Numbers(numbers) = data.target() {
                params.insert("bin_edges", bin_edges(numbers, self.bins));
            }
        }
        if !criterion.is_for_classes() {
            params.insert("predict", self.predict.of(criterion).name());
        }
        params.insert("max_depth", json!(self.max_depth));
        params.insert("min_split", self.min_split);
        params.insert("min_leaf", self.min_leaf);
        if self.min_leaf_weight > 0.0 {
            params.insert("min_leaf_weight", self.min_leaf_weight);
        }
        params.insert("min_gain", self.min_gain);
        params.insert("missing", self.missing.name());
        params.insert("categorical_splits", self.categorical_splits.name());
        params.insert("zero_gain", self.zero_gain);
        params.set_rules(&self.rules);
        params.set_min_class_share(self.min_class_share.as_ref());
        LearnerInfo {
            kind: LearnerKind::Greedy,
            params,
        }
    }
}

//! The best split of a node: every feature's best, then the best of these.
//!
//! A feature's best depends on the node's rows and on that feature alone, never on what other
//! features have, so features may be tried in any order and on any thread.

use std::ops::Range;

use rayon::prelude::*;

use super::candidate_split::{CandidateSplit, FeatureResult};
use super::coarse_counts::Present;
use super::measure::{Logs, Measure, Score};
use super::node_search::{NodeSearch, Scratch};
use super::node_view::NodeView;
use super::scan::ScanRequest;
use crate::learn::greedy::deadline::SplitDeadline;
use crate::learn::greedy::parameters::{CategoricalSplits, MissingPolicy};
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::switches::GreedySwitches;

/// The criterion at work, and which splits may be taken.
#[derive(Debug)]
pub(crate) struct SplitSearch {
    pub(crate) judge: Judge,
    pub(crate) missing: MissingPolicy,
    pub(crate) categorical: CategoricalSplits,
    pub(crate) min_leaf: usize,
    pub(crate) min_weight: f64,
    pub(crate) min_gain: f64,
    pub(crate) zero_gain: bool,
    pub(crate) switches: GreedySwitches,
    pub(crate) deadline: SplitDeadline,
}

/// What a good split looks like.
#[derive(Debug)]
pub(crate) enum Judge {
    Classes(Measure),
    Squared,
    Absolute,
}

/// The best split so far, and the features that are not constant.
#[derive(Debug)]
struct BestOfNode {
    best: Option<CandidateSplit>,
    alive: Vec<u32>,
    tolerance: f64,
}

impl BestOfNode {
    fn new(n_features: usize, node_weight: f64) -> Self {
        let alive = Vec::with_capacity(n_features);
        Self {
            best: None,
            alive,
            tolerance: Score::tolerance(node_weight),
        }
    }

    /// Features may come in any order: of equally good splits the one on the lowest feature stays.
    fn consider(&mut self, feature: u32, found: FeatureResult) {
        if !matches!(found, FeatureResult::Constant) {
            self.alive.push(feature);
        }
        let FeatureResult::Split(candidate) = found else {
            return;
        };
        let better = self.best.as_ref().is_none_or(|best| {
            let order = candidate.score.compare(&best.score, self.tolerance);
            order.is_gt() || order.is_eq() && candidate.feature < best.feature
        });
        if better {
            self.best = Some(candidate);
        }
    }
}

impl SplitSearch {
    /// The best split of a node among these features, and which of them are alive: not constant.
    pub(crate) fn best(
        &self,
        frame: &Frame<'_>,
        node: &NodeView<'_>,
        features: &[u32],
        in_parallel: bool,
    ) -> (Option<CandidateSplit>, Vec<u32>) {
        let is_coarse = |feature: u32| node.is_coarse && frame.is_coarse(feature as usize);
        let (coarse, fine): (Vec<u32>, Vec<u32>) =
            features.iter().partition(|&&feature| is_coarse(feature));
        let node_search = NodeSearch::new(self, frame, node);
        let counting = frame.coarse().filter(|_| !coarse.is_empty());
        let rows = counting.map_or(&[][..], |_| frame.list(frame.row_list(), &node.range));
        let classes: &[u32] = counting.map_or(&[], |_| &node.totals.counts);
        let present = Present::of(classes, self.logs());
        let groups = counting.map_or(Vec::new(), |c| c.groups(&coarse, present.n_classes()));
        let mut best = BestOfNode::new(features.len(), node.weight);
        if in_parallel {
            let of_group = |scratch: &mut Scratch, group: Range<usize>| {
                node_search.look_at_coarse(&coarse[group], rows, &present, scratch)
            };
            let of_coarse = groups.into_par_iter().map_init(Scratch::default, of_group);
            let of_coarse: Vec<Vec<(u32, FeatureResult)>> = of_coarse.collect();
            let of_one = |scratch: &mut Scratch, &feature: &u32| {
                let list = frame.list(feature as usize, &node.range);
                (
                    feature,
                    node_search.look_at(feature as usize, list, scratch),
                )
            };
            let of_fine = fine.par_iter().map_init(Scratch::default, of_one);
            let of_fine: Vec<(u32, FeatureResult)> = of_fine.collect();
            for (feature, found) in of_coarse.into_iter().flatten().chain(of_fine) {
                best.consider(feature, found);
            }
        } else {
            let mut scratch = Scratch::default();
            for group in groups {
                let found =
                    node_search.look_at_coarse(&coarse[group], rows, &present, &mut scratch);
                for (feature, found) in found {
                    best.consider(feature, found);
                }
            }
            for &feature in &fine {
                let list = frame.list(feature as usize, &node.range);
                let found = node_search.look_at(feature as usize, list, &mut scratch);
                best.consider(feature, found);
            }
        }
        best.alive.sort_unstable();
        (best.best, best.alive)
    }

    /// What a scan of this many rows is to find, where every row counts as one.
    pub(crate) fn request(&self, n_rows: usize, floor: f64) -> ScanRequest {
        let least = self.min_count();
        ScanRequest {
            allowed: least..(n_rows + 1).saturating_sub(least),
            zero_gain: self.zero_gain,
            floor,
            skipping: self.switches.skipping,
        }
    }

    /// Are splits ranked by their drop, so that drops of different features compare?
    pub(super) fn ranks_by_drop(&self) -> bool {
        !matches!(self.judge, Judge::Classes(Measure::GainRatio(_)))
    }

    /// The table of logarithms, if the criterion is entropy.
    pub(crate) fn logs(&self) -> Option<&Logs> {
        match &self.judge {
            Judge::Classes(Measure::Entropy(logs)) => Some(logs),
            _ => None,
        }
    }

    /// A gain of zero may come out negative by rounding.
    pub(crate) fn gains_enough(&self, score: &Score, node: &NodeView<'_>) -> bool {
        (score.drop / node.weight).max(0.0) >= self.min_gain
    }

    /// May this many rows of this weight be a leaf?
    pub(crate) fn enough(&self, rows: f64, weight: f64) -> bool {
        rows >= self.min_leaf as f64 && weight >= self.min_weight
    }

    /// May these entries be a leaf?
    pub(crate) fn is_enough(&self, frame: &Frame<'_>, entries: &[u32]) -> bool {
        let weight = || frame.total_weight(entries);
        self.enough(
            frame.count_rows(entries),
            if self.min_weight > 0.0 { weight() } else { 0.0 },
        )
    }

    /// How many rows a leaf has at least, where every row counts as one.
    pub(crate) fn min_count(&self) -> usize {
        self.min_leaf.max(self.min_weight.ceil() as usize)
    }
}

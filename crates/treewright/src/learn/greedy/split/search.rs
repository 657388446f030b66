//! The best split of a node: every feature's best, then the best of these.
//!
//! A feature's best depends on the node's rows and on that feature alone, never on what other
//! features have, so features may be tried in any order and on any thread.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::learn::greedy::deadline::SplitDeadline;
use crate::learn::greedy::problem::coarse::{CoarseCut, Present};
use crate::learn::greedy::problem::frame::Frame;
use crate::learn::greedy::problem::lists::is_tie;
use crate::learn::greedy::split::candidates::{BestShape, FeatureCandidates};
use crate::learn::greedy::split::measure::{Logs, Measure, Score};
use crate::learn::greedy::split::scan::{ScanRequest, Totals};
use crate::learn::greedy::{CategoricalSplits, GreedySwitches, MissingPolicy};

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

/// What a search needs to know of a node.
#[derive(Debug)]
pub(crate) struct NodeView<'a> {
    pub(crate) range: Range<usize>,
    /// Weighted class counts; empty for numbers.
    pub(crate) counts: &'a [f64],
    /// The same for the fast scans; empty unless rows count as one each.
    pub(crate) totals: Totals,
    pub(crate) weight: f64,
    /// Mean of the numbers.
    pub(crate) mean: f64,
    /// Squared error of the numbers.
    pub(crate) sse: f64,
    /// Are the coarse features to be counted, because they have no lists here?
    pub(crate) is_coarse: bool,
}

/// The clock is looked at before each feature of a node with so many rows.
const MANY_ROWS: usize = 1 << 13;

/// A floor that every split reaches.
pub(crate) const NOTHING_YET: f64 = -1.0;

/// The largest drop that any feature has come up with, known to all threads: a scan may give up what
/// cannot reach it. What is given up could not have won, so the outcome does not depend on who comes
/// first.
#[derive(Debug)]
struct Floor(AtomicU64);

impl Default for Floor {
    fn default() -> Self {
        Self(AtomicU64::new(NOTHING_YET.to_bits()))
    }
}

impl Floor {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn raise(&self, drop: f64) {
        let higher = |old: u64| (f64::from_bits(old) < drop).then_some(drop.to_bits());
        // An error means that the floor is as high already.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, higher);
    }
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

/// Memory that is used again from feature to feature.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) low: Vec<u32>,
    tables: Vec<u32>,
}

/// The best split of one feature.
#[derive(Debug)]
pub(crate) struct CandidateSplit {
    pub(crate) feature: usize,
    pub(crate) shape: Shape,
    pub(crate) score: Score,
}

impl CandidateSplit {
    pub(crate) fn feature(&self) -> usize {
        self.feature
    }
}

/// How a split parts the known rows of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Not at all: only missing rows are set apart.
    MissingOnly,
    /// Below and from this position in the feature's order.
    Cut(usize),
    /// A child for each category.
    Multiway,
    /// Between two codes of a coarse feature.
    Coarse {
        /// The last code below the cut that occurs.
        below: u8,
        /// The first code above it that occurs.
        above: u8,
        /// Number of rows below it.
        n_below: usize,
    },
    /// The category that stands at this range of positions, against the others.
    OneVsRest(usize, usize),
}

/// What came of looking at a feature.
#[derive(Debug)]
pub(crate) enum FeatureResult {
    /// It is constant here and so in all nodes below.
    Constant,
    /// It has no admissible split.
    NoSplit,
    Split(CandidateSplit),
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

    /// What a scan of so many rows is to find, where every row counts as one.
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
    fn ranks_by_drop(&self) -> bool {
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

    /// May so many rows of this weight be a leaf?
    pub(crate) fn enough(&self, rows: f64, weight: f64) -> bool {
        rows >= self.min_leaf as f64 && weight >= self.min_weight
    }

    /// How many rows a leaf has at least, where every row counts as one.
    pub(crate) fn min_count(&self) -> usize {
        self.min_leaf.max(self.min_weight.ceil() as usize)
    }
}

/// The search for the best split of one node.
pub(crate) struct NodeSearch<'a> {
    search: &'a SplitSearch,
    frame: &'a Frame<'a>,
    node: &'a NodeView<'a>,
    floor: Floor,
}

impl<'a> NodeSearch<'a> {
    pub(crate) fn new(
        search: &'a SplitSearch,
        frame: &'a Frame<'a>,
        node: &'a NodeView<'a>,
    ) -> Self {
        Self {
            search,
            frame,
            node,
            floor: Floor::default(),
        }
    }

    /// The best split of a feature, given the node's rows in its order.
    pub(crate) fn look_at(
        &self,
        feature: usize,
        list: &[u32],
        scratch: &mut Scratch,
    ) -> FeatureResult {
        let (frame, search) = (self.frame, self.search);
        if list.len() >= MANY_ROWS && search.deadline.is_late() {
            return FeatureResult::NoSplit;
        }
        let (known, missing) = frame.part_missing(feature, list);
        let own_branch = search.missing == MissingPolicy::Branch && !missing.is_empty();
        // Mostly the second or the last entry tells; values are far away in memory.
        let constant = known.len() < 2
            || is_tie(known[1])
                && is_tie(known[known.len() - 1])
                && frame.value(feature, known[0]) == frame.value(feature, known[known.len() - 1]);
        if known.is_empty() || constant && !own_branch {
            return FeatureResult::Constant;
        }
        if own_branch && !frame.is_enough(missing, search) {
            return FeatureResult::NoSplit;
        }
        let candidates = FeatureCandidates {
            search,
            frame,
            node: self.node,
            feature,
            known,
            missing,
            own_branch,
            floor: if search.ranks_by_drop() {
                self.floor.get()
            } else {
                NOTHING_YET
            },
            work: Cell::new(0),
        };
        let best = match &search.judge {
            Judge::Classes(measure) => candidates.classes(measure, constant, scratch),
            Judge::Squared => candidates.squared(),
            Judge::Absolute => candidates.absolute(),
        };
        self.found(feature, best)
    }

    /// The best splits of some coarse features; `entries` are the node's rows by rising number.
    pub(crate) fn look_at_coarse(
        &self,
        features: &[u32],
        entries: &[u32],
        present: &Present,
        scratch: &mut Scratch,
    ) -> Vec<(u32, FeatureResult)> {
        let (Some(coarse), Judge::Classes(measure)) = (self.frame.coarse(), &self.search.judge)
        else {
            return Vec::new();
        };
        if entries.len() >= MANY_ROWS && self.search.deadline.is_late() {
            return Vec::new();
        }
        let Scratch { low, tables } = scratch;
        let tables = coarse.count(features, entries, self.frame.packing(), present, tables);
        let mut look_at = |at: usize| {
            let request = self.search.request(entries.len(), self.floor.get());
            match tables.best_cut(at, measure, &request, low) {
                None => FeatureResult::Constant,
                Some(best) => {
                    let best = best.map(|CoarseCut { cut, below, above }| {
                        (
                            Shape::Coarse {
                                below,
                                above,
                                n_below: cut.position,
                            },
                            cut.score,
                        )
                    });
                    self.found(features[at] as usize, best)
                }
            }
        };
        (0..features.len())
            .map(|at| (features[at], look_at(at)))
            .collect()
    }

    /// A feature's best split, if it gains enough.
    pub(crate) fn found(&self, feature: usize, best: BestShape) -> FeatureResult {
        match best {
            Some((shape, score)) if self.search.gains_enough(&score, self.node) => {
                if self.search.switches.floor {
                    self.floor.raise(score.drop);
                }
                FeatureResult::Split(CandidateSplit {
                    feature,
                    shape,
                    score,
                })
            }
            _ => FeatureResult::NoSplit,
        }
    }
}

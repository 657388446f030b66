//! The search for the best split of one node, feature by feature.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::candidate_split::{BestShape, CandidateSplit, FeatureResult, Scored, Shape};
use super::coarse_counts::CoarseCounts;
use super::coarse_counts::{CoarseCut, Present};
use super::feature_candidates::{FeatureCandidates, MissingRows};
use super::node_view::NodeView;
use super::search::{Judge, SplitSearch};
use crate::learn::greedy::parameters::MissingPolicy;
use crate::learn::greedy::problem::{Frame, is_tie};

/// The deadline is checked before each feature of a node with at least this many rows.
pub(super) const MANY_ROWS: usize = 1 << 13;

/// The largest drop that any feature has come up with, known to all threads: a scan may give up what
/// cannot reach it. What is given up could not have won, so the outcome does not depend on who comes
/// first.
#[derive(Debug)]
pub(super) struct Floor(AtomicU64);

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

/// Memory that is used again from feature to feature.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) low: Vec<u32>,
    pub(super) entries: Vec<u32>,
    tables: Vec<u32>,
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
        let missing_rows = match search.missing {
            MissingPolicy::Branch if !missing.is_empty() => MissingRows::OneMoreChild,
            MissingPolicy::Learned if !missing.is_empty() => MissingRows::InEachChild,
            _ => MissingRows::Apart,
        };
        // Mostly the second or the last entry tells; values are far away in memory.
        let constant = known.len() < 2
            || is_tie(known[1])
                && is_tie(known[known.len() - 1])
                && frame.value(feature, known[0]) == frame.value(feature, known[known.len() - 1]);
        if known.is_empty() || constant && missing_rows == MissingRows::Apart {
            return FeatureResult::Constant;
        }
        if missing_rows == MissingRows::OneMoreChild && !search.is_enough(frame, missing) {
            return FeatureResult::NoSplit;
        }
        let candidates = FeatureCandidates {
            search,
            frame,
            node: self.node,
            feature,
            known,
            missing,
            missing_rows,
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
        let Scratch { low, tables, .. } = scratch;
        let packing = self.frame.packing();
        let tables = CoarseCounts::new(coarse, features, entries, packing, present, tables);
        let mut look_at = |at: usize| {
            let request = self.search.request(entries.len(), self.floor.get());
            match tables.best_cut(at, measure, &request, low) {
                None => FeatureResult::Constant,
                Some(best) => {
                    let best = best.map(|CoarseCut { cut, below, above }| Scored {
                        shape: Shape::Coarse {
                            below,
                            above,
                            n_below: cut.position,
                        },
                        missing: None,
                        score: cut.score,
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
            Some(best) if self.search.gains_enough(&best.score, self.node) => {
                if self.search.switches.floor {
                    self.floor.raise(best.score.drop);
                }
                FeatureResult::Split(CandidateSplit {
                    feature,
                    shape: best.shape,
                    missing: best.missing,
                    score: best.score,
                })
            }
            _ => FeatureResult::NoSplit,
        }
    }
}

/// A floor that every split reaches.
pub(crate) const NOTHING_YET: f64 = -1.0;

//! The rows of one node.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::learn::greedy::grow::NodeSummary;
use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::{CandidateSplit, Score};
use crate::tree::{MissingRoute, Split};

/// The rows of one node.
#[derive(Debug, Clone)]
pub(crate) struct NodeRows<'a> {
    pub(super) frame: Arc<Frame<'a>>,
    /// The rows by rising number, with their classes; none if the node is a leaf whatever features
    /// there are.
    pub(super) entries: Box<[u32]>,
    pub(super) summary: NodeSummary,
    /// 0 where depths are not limited.
    pub(super) depth: usize,
}

/// A node that was split.
#[derive(Debug)]
pub(crate) struct Division<'a> {
    pub(crate) split: Split,
    pub(crate) missing: MissingRoute,
    pub(crate) children: Vec<NodeRows<'a>>,
}

impl NodeRows<'_> {
    /// May the node be split, given the right features?
    pub(crate) fn is_open(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Weighted class counts.
    pub(crate) fn counts(&self) -> &[f64] {
        &self.summary.counts
    }

    /// The class that the node answers as a leaf.
    pub(crate) fn value(&self) -> usize {
        self.summary.value as usize
    }

    pub(crate) fn weight(&self) -> f64 {
        self.summary.weight
    }

    /// Which of two candidate splits of the node the learner prefers.
    pub(crate) fn compare(&self, a: &CandidateSplit, b: &CandidateSplit) -> Ordering {
        let tolerance = Score::tolerance(self.summary.weight);
        a.score
            .compare(&b.score, tolerance)
            .then(b.feature.cmp(&a.feature))
    }

    /// What stands for the rows in a hash.
    pub(crate) fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Will the same subtrees grow from both? Only asked of nodes that may be split. Rounded sums
    /// depend on how a node came about, so such nodes are never the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.frame, &other.frame)
            && self.frame.whole
            && self.depth == other.depth
            && self.entries == other.entries
    }

    /// Do lists of the one serve the other?
    pub(crate) fn shares_frame(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.frame, &other.frame)
    }

    /// Memory that the node takes, roughly.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + 4 * self.entries.len() + 8 * self.summary.counts.len()
    }
}

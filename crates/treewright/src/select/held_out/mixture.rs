//! What the members of a nested family answer for a row that a missing value distributes.
//!
//! From one member to the next, some leaves open into their children. For the row only those matter that
//! it reaches: they wait in a heap, by the member that opens them. The mixture of the leaves reached is
//! kept up to date, so a member at which nothing opens costs nothing, and one at which a node opens costs
//! what its children do.
//!
//! A mixture that is kept by adding and subtracting is off by some roundings. Where they could decide
//! between two classes, the member's mixture is made anew, as [`Tree::predict`] would make it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use crate::cost::Loss;
use crate::data::Value;
use crate::tree::{Nested, NodeId, Tree};

/// The mixture of the leaves that a row reaches, from member to member.
pub(super) struct Mixture<'a> {
    tree: &'a Tree,
    nested: &'a Nested,
    n_members: usize,
    /// Class distributions of all nodes.
    distributions: OnceLock<Vec<f64>>,
    /// Differences of expected costs below this may be rounding.
    doubt: f64,
    /// The leaf, while there is only one.
    only: NodeId,
    n_leaves: usize,
    /// What several leaves mix to: class probabilities, or one number.
    mixed: Vec<f64>,
    /// Leaves that will open: the last member before that, the node, and the bits of the row's share.
    waiting: BinaryHeap<Reverse<(u32, u32, u64)>>,
}

impl<'a> Mixture<'a> {
    pub(super) fn new(nested: &'a Nested, n_members: usize) -> Self {
        let tree = &*nested.tree;
        let largest = match tree.loss() {
            Loss::Matrix(matrix) => matrix.rows().flatten().copied().fold(0.0, f64::max),
            Loss::ZeroOne | Loss::Squared => 1.0,
        };
        Self {
            tree,
            nested,
            n_members,
            distributions: OnceLock::new(),
            doubt: 1e-9 * largest,
            only: NodeId::ROOT,
            n_leaves: 0,
            mixed: vec![0.0; tree.schema().classes().len().max(1)],
            waiting: BinaryHeap::new(),
        }
    }

    /// What a row gets that is distributed at a node, once this is open: calls `found` with every
    /// member from which on there may be another answer, and with that answer.
    pub(super) fn answers(
        &mut self,
        at: NodeId,
        value: impl Fn(usize) -> Value,
        mut found: impl FnMut(usize, f64),
    ) {
        self.waiting.clear();
        (self.only, self.n_leaves) = (at, 1);
        self.wait(at, 1.0);
        let mut start = self.nested.last_as_leaf[at.index()] as usize + 1;
        while let Some(Reverse((last, node, share))) = self.waiting.pop() {
            let opens = last as usize + 1;
            if opens > start {
                found(start, self.answer(start, &value));
                start = opens;
            }
            self.open(NodeId(node), f64::from_bits(share), &value);
        }
        found(start, self.answer(start, &value));
    }

    /// Puts a leaf into the heap, if it is one of some members and not of others.
    fn wait(&mut self, id: NodeId, share: f64) {
        let last = self.nested.last_as_leaf[id.index()];
        if !self.tree.is_leaf(id) && (last as usize) + 1 < self.n_members {
            self.waiting.push(Reverse((last, id.0, share.to_bits())));
        }
    }

    /// Puts the children of a leaf in its place.
    fn open(&mut self, id: NodeId, share: f64, value: &impl Fn(usize) -> Value) {
        let branch = self.tree.branch(id).expect("only inner nodes wait");
        if let Some(child) = branch.next(value) {
            self.replace(id, share, &[(child, share)]);
            return;
        }
        let parts = branch.children().zip(self.tree.shares(branch));
        let parts: Vec<(NodeId, f64)> = parts
            .filter(|&(_, part)| part > 0.0)
            .map(|(child, part)| (child, share * part))
            .collect();
        self.replace(id, share, &parts);
    }

    fn replace(&mut self, id: NodeId, share: f64, parts: &[(NodeId, f64)]) {
        let was_only = self.n_leaves == 1;
        self.n_leaves += parts.len() - 1;
        if self.n_leaves == 1 {
            self.only = parts[0].0;
        } else {
            if was_only {
                self.mixed.fill(0.0);
            } else {
                self.mix(id, -share);
            }
            for &(child, share) in parts {
                self.mix(child, share);
            }
        }
        for &(child, share) in parts {
            self.wait(child, share);
        }
    }

    /// Adds a share of a node's answer.
    fn mix(&mut self, id: NodeId, share: f64) {
        let n_classes = self.tree.schema().classes().len();
        if n_classes == 0 {
            self.mixed[0] += share * self.tree.value(id);
            return;
        }
        let all = self.distributions.get_or_init(|| self.tree.distributions());
        let own = &all[id.index() * n_classes..][..n_classes];
        for (sum, p) in self.mixed.iter_mut().zip(own) {
            *sum += share * p;
        }
    }

    /// What a member answers, given that the mixture is that of the member.
    fn answer(&self, member: usize, value: &impl Fn(usize) -> Value) -> f64 {
        if self.n_leaves == 1 {
            return self.tree.value(self.only);
        }
        if !self.tree.schema().is_classification() {
            return self.mixed[0];
        }
        self.clear_class().unwrap_or_else(|| {
            let is_cut = |id: NodeId| self.nested.is_leaf_in(id, member);
            let reached = self.tree.reach_in(is_cut, value);
            self.tree.answer(&reached, &self.distributions)
        })
    }

    /// The class of least expected cost, unless another one is about as good.
    fn clear_class(&self) -> Option<f64> {
        let loss = self.tree.loss();
        let cost = |class: usize| match loss {
            Loss::Matrix(_) => loss.of_counts(&self.mixed, class),
            Loss::ZeroOne | Loss::Squared => -self.mixed[class],
        };
        let (mut best, mut least, mut second) = (0, f64::INFINITY, f64::INFINITY);
        for class in 0..self.mixed.len() {
            let cost = cost(class);
            if cost < least {
                (best, least, second) = (class, cost, least);
            } else {
                second = second.min(cost);
            }
        }
        (second - least > self.doubt).then_some(best as f64)
    }
}

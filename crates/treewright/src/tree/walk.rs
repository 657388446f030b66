//! The way of a row through a tree.

use super::{Branch, MissingRoute, NodeId, Tree};
use crate::data::{Dataset, Value};

/// Where a row ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Reached {
    /// In one leaf.
    One(NodeId),
    /// In several leaves with shares that sum to 1, because a missing value was distributed.
    Many(Vec<(NodeId, f64)>),
}

impl Tree {
    /// The leaf or leaves that a row reaches. `value` gives the row's value of a feature.
    pub fn reach(&self, value: impl Fn(usize) -> Value) -> Reached {
        match self.descend(&value) {
            Some(leaf) => Reached::One(leaf),
            None => self.reach_in(|_| false, value),
        }
    }

    /// What a row reaches in the pruning whose leaves are the topmost nodes that `is_cut` names, and
    /// the leaves below no such node.
    pub fn reach_in(
        &self,
        is_cut: impl Fn(NodeId) -> bool,
        value: impl Fn(usize) -> Value,
    ) -> Reached {
        let mut leaves = Vec::new();
        self.visit_in(&is_cut, value, |id, share| {
            if self.is_leaf(id) || is_cut(id) {
                leaves.push((id, share));
            }
        });
        match leaves[..] {
            [(leaf, _)] => Reached::One(leaf),
            _ => Reached::Many(leaves),
        }
    }

    /// Every node that a row passes, parents first, children in order, with the row's share in it.
    pub fn visit(&self, value: impl Fn(usize) -> Value, visitor: impl FnMut(NodeId, f64)) {
        self.visit_in(&|_| false, value, visitor);
    }

    fn visit_in(
        &self,
        is_cut: &impl Fn(NodeId) -> bool,
        value: impl Fn(usize) -> Value,
        mut visitor: impl FnMut(NodeId, f64),
    ) {
        let mut stack = vec![(NodeId::ROOT, 1.0)];
        while let Some((id, share)) = stack.pop() {
            visitor(id, share);
            let Some(branch) = self.branch(id).filter(|_| !is_cut(id)) else {
                continue;
            };
            if let Some(child) = branch.next(&value) {
                stack.push((child, share));
                continue;
            }
            let parts = branch.children().zip(self.shares(branch)).rev();
            let parts = parts.filter(|&(_, part)| part > 0.0);
            stack.extend(parts.map(|(child, part)| (child, share * part)));
        }
    }

    /// The nodes that a row of a dataset passes, from the root, parents first.
    pub fn decision_path(&self, data: &Dataset, row: usize) -> Vec<NodeId> {
        let mut path = Vec::new();
        self.visit(
            |feature| data.columns()[feature].value(row),
            |id, _| path.push(id),
        );
        path
    }

    /// For every row the leaf in which it ends, or the one with its largest share (the first of
    /// equal ones).
    pub fn apply(&self, data: &Dataset) -> Vec<NodeId> {
        (0..data.n_rows())
            .map(
                |row| match self.reach(|feature| data.columns()[feature].value(row)) {
                    Reached::One(leaf) => leaf,
                    Reached::Many(leaves) => {
                        let mut best = leaves[0];
                        for &leaf in &leaves[1..] {
                            if leaf.1 > best.1 {
                                best = leaf;
                            }
                        }
                        best.0
                    }
                },
            )
            .collect()
    }

    /// The share of each child when a row is distributed: by weight, equal if all are empty.
    pub fn shares(&self, branch: &Branch) -> Vec<f64> {
        let weights: Vec<f64> = branch.children().map(|child| self.weight(child)).collect();
        let total: f64 = weights.iter().sum();
        if total > 0.0 {
            weights.iter().map(|weight| weight / total).collect()
        } else {
            vec![1.0 / weights.len() as f64; weights.len()]
        }
    }

    /// Goes down to a leaf; `None` if a branch on the way distributes the row.
    fn descend(&self, value: &impl Fn(usize) -> Value) -> Option<NodeId> {
        let mut id = NodeId::ROOT;
        while let Some(branch) = self.branch(id) {
            id = branch.next(value)?;
        }
        Some(id)
    }
}

impl Branch {
    /// The child that a row goes to; `None` if it is distributed.
    pub fn next(&self, value: &impl Fn(usize) -> Value) -> Option<NodeId> {
        let position = self.split.child_of(value(self.split.feature()));
        match (position, self.missing) {
            (Some(position), _) => Some(self.child(position)),
            (None, MissingRoute::Child(position)) => Some(self.child(position as usize)),
            (None, MissingRoute::Distribute) => None,
        }
    }
}

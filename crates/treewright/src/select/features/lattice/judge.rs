//! What trees cost on the rows held out.

use super::Lattice;
use super::nodes::{NodeId, Parts};
use super::subtrees::Handle;
use crate::data::Dataset;
use crate::tree::MissingRoute;

impl Lattice<'_> {
    /// What rows held out cost below a split.
    pub(super) fn error_of(&self, node: NodeId, parts: u32, children: &[Handle]) -> i128 {
        let of_children = children
            .iter()
            .map(|&child| self.subtrees.error(&self.nodes, child));
        let error: i128 = of_children.sum();
        let row_node = self.nodes.all[node as usize].open();
        let spread = &row_node.parts[parts as usize].spread;
        if spread.is_empty() {
            return error;
        }
        let ground = &self.grounds[row_node.ground as usize];
        let held = ground.held.as_ref().expect("rows held out are spread");
        let of_row = |&row: &u32| {
            let answer = self.mixture(row as usize, node, parts, children, held.data);
            held.cost(row as usize, answer)
        };
        error + spread.iter().map(of_row).sum::<i128>()
    }

    /// The answer for a row that goes to several children of a split.
    fn mixture(
        &self,
        row: usize,
        node: NodeId,
        parts: u32,
        children: &[Handle],
        data: &Dataset,
    ) -> usize {
        let ground = &self.grounds[self.nodes.all[node as usize].open().ground as usize];
        let mut proba = vec![0.0; data.schema().classes().len()];
        let mut stack: Vec<(Handle, f64)> = Vec::new();
        self.push_shares(self.parts(node, parts), children, 1.0, &mut stack);
        while let Some((handle, share)) = stack.pop() {
            if let Some(leaf) = handle.as_leaf() {
                let weight = self.nodes.all[leaf as usize].weight;
                for (sum, count) in proba.iter_mut().zip(self.nodes.counts(leaf)) {
                    *sum += share * (count / weight);
                }
                continue;
            }
            let stem = self.subtrees.stem(handle.0);
            let parts = self.parts(stem.node, stem.parts);
            let value = data.columns()[parts.split.feature()].value(row);
            match (parts.split.child_of(value), parts.missing) {
                (Some(child), _) => stack.push((self.subtrees.child(handle.0, child), share)),
                (None, MissingRoute::Child(child)) => {
                    stack.push((self.subtrees.child(handle.0, child as usize), share));
                }
                (None, MissingRoute::Distribute) => {
                    self.push_shares(parts, self.subtrees.children(handle.0), share, &mut stack);
                }
            }
        }
        ground.loss.best_class(&proba)
    }

    /// Puts the children on a stack with the parts of a row that go there, the first child on top.
    fn push_shares(
        &self,
        parts: &Parts,
        children: &[Handle],
        share: f64,
        stack: &mut Vec<(Handle, f64)>,
    ) {
        let weight = |&child: &NodeId| self.nodes.all[child as usize].weight;
        let total: f64 = parts.children.iter().map(weight).sum();
        for (&child, node) in children.iter().zip(&parts.children).rev() {
            stack.push((child, share * (weight(node) / total)));
        }
    }
}

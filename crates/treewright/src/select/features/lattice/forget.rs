//! Forgetting everything that no tree in use needs.

use super::nodes::{NodeId, RowNode};
use super::subtrees::{Handle, moved};
use super::{Lattice, Top};

impl Lattice<'_> {
    /// Forgets everything that these trees do not need.
    pub(super) fn forget_all_but<'t>(&mut self, trees: impl Iterator<Item = &'t mut Vec<Top>>) {
        let mut trees: Vec<&mut Vec<Top>> = trees.collect();
        let mut subtrees = vec![false; self.subtrees.len()];
        let mut nodes = vec![false; self.nodes.all.len()];
        nodes[..self.grounds.len()].fill(true);
        let mut stack: Vec<Handle> = Vec::new();
        for (root, top) in trees.iter().flat_map(|tops| tops.iter().enumerate()) {
            stack.extend(&top.children);
            let split = top.split.iter();
            for &child in split.flat_map(|split| &self.parts(root as NodeId, split.parts).children)
            {
                nodes[child as usize] = true;
            }
        }
        while let Some(handle) = stack.pop() {
            if handle.as_leaf().is_some() || subtrees[handle.0 as usize] {
                continue;
            }
            subtrees[handle.0 as usize] = true;
            let stem = self.subtrees.stem(handle.0);
            for &child in &self.parts(stem.node, stem.parts).children {
                nodes[child as usize] = true;
            }
            stack.extend(self.subtrees.children(handle.0));
        }
        let mut n_kept = 0;
        let places = nodes.iter().map(|&is_kept| {
            is_kept.then(|| {
                n_kept += 1;
                n_kept - 1
            })
        });
        let places: Vec<Option<NodeId>> = places.collect();
        let parts = self.nodes.keep(&places);
        let numbers = self.subtrees.keep(&subtrees, &places, &parts);
        let open = self.nodes.all.iter_mut().filter(|node| node.is_open());
        for node in open.map(RowNode::open_mut) {
            let known = node
                .known
                .iter()
                .filter_map(|&subtree| numbers[subtree as usize]);
            node.known = known.collect();
        }
        for (root, top) in trees
            .iter_mut()
            .flat_map(|tops| tops.iter_mut().enumerate())
        {
            if let Some(split) = &mut top.split {
                split.parts = parts[root][split.parts as usize].expect("its children are kept");
            }
            for child in &mut top.children {
                *child = moved(*child, &numbers, &places);
            }
        }
    }
}

//! Growing subtrees, from what is there already.
//!
//! Trees may be as deep as a table has rows, so what is growing stands on a stack of its own.

use super::nodes::NodeId;
use super::subtrees::Handle;
use super::{Lattice, bits};
use crate::budget::Budget;
use crate::learn::greedy::Lists;

/// A split whose children grow one after the other.
#[derive(Debug)]
pub(super) struct Growing {
    node: NodeId,
    parts: u32,
    feature: usize,
    /// The subtree to be changed, if there is one; its children are the old ones.
    old: Option<u32>,
    next: u32,
    n_children: u32,
    /// Where the finished children begin.
    first_done: usize,
    lists: Option<Lists>,
}

/// What is to be done about one node.
enum Step {
    Done(Handle),
    Split {
        parts: u32,
        feature: usize,
        old: Option<u32>,
        lists: Option<Lists>,
    },
}

impl Lattice<'_> {
    /// The subtree at a node for a set.
    pub(super) fn grow_at(
        &mut self,
        node: NodeId,
        set: &[u64],
        above: Option<(NodeId, &Lists)>,
    ) -> Handle {
        let step = self.enter(node, set, above);
        self.run(step, node, set, None)
    }

    /// A subtree without a feature.
    pub(super) fn change(&mut self, old: Handle, set: &[u64], feature: usize) -> Handle {
        if !self.subtrees.uses(old, feature) {
            return old;
        }
        let node = self.subtrees.stem(old.0).node;
        let step = self.enter_old(old.0, set, feature);
        self.run(step, node, set, Some(feature))
    }

    /// Grows what is on the stack until it is empty.
    fn run(&mut self, step: Step, node: NodeId, set: &[u64], removed: Option<usize>) -> Handle {
        let bottom = self.growing.len();
        let (mut step, mut node) = (step, node);
        loop {
            match step {
                Step::Done(handle) if self.growing.len() == bottom => return handle,
                Step::Done(handle) => self.done.push(handle),
                Step::Split {
                    parts,
                    feature,
                    old,
                    lists,
                } => self.growing.push(Growing {
                    node,
                    parts,
                    feature,
                    old,
                    next: 0,
                    n_children: self.parts(node, parts).children.len() as u32,
                    first_done: self.done.len(),
                    lists,
                }),
            }
            let top = self.growing.last_mut().expect("something is growing");
            if top.next == top.n_children {
                node = top.node;
                step = Step::Done(self.finish());
                continue;
            }
            let at = top.next as usize;
            top.next += 1;
            if let Some(old) = top.old {
                let child = self.subtrees.child(old, at);
                let removed = removed.expect("old subtrees are changed by a removal");
                if self.subtrees.uses(child, removed) {
                    node = self.subtrees.stem(child.0).node;
                    step = self.enter_old(child.0, set, removed);
                } else {
                    step = Step::Done(child);
                }
            } else {
                let above = top.node;
                let above_node = self.nodes.all[above as usize].open();
                node = above_node.parts[top.parts as usize].children[at];
                let lists = top.lists.take();
                step = self.enter(node, set, lists.as_ref().map(|lists| (above, lists)));
                let top = self.growing.last_mut().expect("nothing has been taken off");
                top.lists = lists;
            }
        }
    }

    /// What is to be done to grow a node.
    fn enter(&mut self, node: NodeId, set: &[u64], above: Option<(NodeId, &Lists)>) -> Step {
        let row_node = &self.nodes.all[node as usize];
        if !row_node.is_open() {
            return Step::Done(Handle::leaf(node));
        }
        let row_node = row_node.open();
        if let Some(subtree) = self.subtrees.find(&row_node.known, set) {
            return Step::Done(Handle(subtree));
        }
        if self.must_stop(node) {
            return Step::Done(Handle::leaf(node));
        }
        let lists = self.look(node, set, above);
        self.choose(node, set, lists)
    }

    /// Looks at the features of a node, unless it is time to stop.
    pub(super) fn look(
        &mut self,
        node: NodeId,
        set: &[u64],
        above: Option<(NodeId, &Lists)>,
    ) -> Option<Lists> {
        if self.is_stopped {
            return None;
        }
        let budget = self.budget.as_ref();
        let is_late = || budget.is_some_and(Budget::is_spent);
        let (lists, is_done) = self.nodes.look(&self.grounds, node, set, above, &is_late);
        self.is_stopped |= !is_done;
        lists
    }

    /// Is the time up? Asked before a node is looked at.
    pub(super) fn must_stop(&mut self, node: NodeId) -> bool {
        /// Rows that are looked at between two looks at the clock.
        const STRIDE: usize = 1 << 14;
        self.unwatched += self.nodes.all[node as usize].open().n_rows();
        if self.unwatched >= STRIDE && !self.is_stopped {
            self.unwatched = 0;
            self.is_stopped = self.budget.as_ref().is_some_and(Budget::is_spent);
        }
        self.is_stopped
    }

    /// What is to be done to change a subtree that uses a feature which is gone.
    fn enter_old(&mut self, old: u32, set: &[u64], removed: usize) -> Step {
        let stem = self.subtrees.stem(old);
        let node = self.nodes.all[stem.node as usize].open();
        if let Some(subtree) = self.subtrees.find(&node.known, set) {
            return Step::Done(Handle(subtree));
        }
        let node = stem.node;
        if self.must_stop(node) {
            return Step::Done(Handle::leaf(node));
        }
        if stem.feature as usize == removed {
            let lists = self.look(node, set, None);
            return self.choose(node, set, lists);
        }
        Step::Split {
            parts: stem.parts,
            feature: stem.feature as usize,
            old: Some(old),
            lists: None,
        }
    }

    fn choose(&mut self, node: NodeId, set: &[u64], lists: Option<Lists>) -> Step {
        if self.is_stopped {
            return Step::Done(Handle::leaf(node));
        }
        let row_node = self.nodes.all[node as usize].open();
        let Some(offer) = row_node.first_in(set) else {
            if let Some(lists) = lists {
                self.nodes.recycle(lists);
            }
            return Step::Done(Handle::leaf(node));
        };
        let feature = row_node.feature(offer);
        let parts = self.nodes.parts_of(&self.grounds, node, offer);
        Step::Split {
            parts,
            feature,
            old: None,
            lists,
        }
    }

    /// Puts the children of the topmost split together.
    fn finish(&mut self) -> Handle {
        let Growing {
            node,
            parts,
            feature,
            first_done,
            lists,
            ..
        } = self.growing.pop().expect("something is growing");
        if let Some(lists) = lists {
            self.nodes.recycle(lists);
        }
        if self.is_stopped {
            // Not all of it has grown, so nobody may find it.
            self.done.truncate(first_done);
            return Handle::leaf(node);
        }
        let mut buffer = [0_u64; 16];
        let mut heap = Vec::new();
        let words = if 2 * self.n_words <= buffer.len() {
            &mut buffer[..2 * self.n_words]
        } else {
            heap.resize(2 * self.n_words, 0);
            &mut heap
        };
        let (used, avail) = words.split_at_mut(self.n_words);
        bits::add(used, feature);
        self.nodes.all[node as usize]
            .open()
            .not_before(feature, avail);
        let children = &self.done[first_done..];
        for &child in children {
            if child.as_leaf().is_none() {
                bits::add_all(used, self.subtrees.used(child.0));
            }
            self.subtrees.narrow(&self.nodes, child, avail);
        }
        let error = self.error_of(node, parts, children);
        let stem = (node, parts, feature);
        let handle = self
            .subtrees
            .intern(&mut self.nodes, stem, children, used, avail, error);
        self.done.truncate(first_done);
        handle
    }
}

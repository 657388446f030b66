//! Subtrees that are shared by the trees of many feature sets.
//!
//! A subtree that grew at a node for the set `F` also grows there for every `F'` with `used ⊆ F' ⊆ avail`:
//! `used` are the features that it splits on, and `avail` those that may be there without changing
//! anything, because at every split of the subtree they have been looked at and stand behind the one that
//! was taken, and at its leaves they offer nothing. At one node there is only one subtree for each `used`:
//! it is the subtree that grows for the set `used` itself. So subtrees are found again by `used`.

use super::bits;
use super::nodes::{NodeId, Nodes};

/// A subtree, or a node that is a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handle(pub(super) u32);

const LEAF: u32 = 1 << 31;

impl Handle {
    pub(super) fn leaf(node: NodeId) -> Self {
        Self(node | LEAF)
    }

    /// The node, if it is a leaf.
    pub(super) fn as_leaf(self) -> Option<NodeId> {
        (self.0 & LEAF != 0).then_some(self.0 & !LEAF)
    }
}

/// The split at the top of a subtree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stem {
    pub(super) node: NodeId,
    /// Position among the node's parts.
    pub(super) parts: u32,
    pub(super) feature: u32,
    first_child: u32,
    n_children: u32,
}

/// All subtrees of a search.
#[derive(Debug, Default)]
pub(super) struct Subtrees {
    n_words: usize,
    stems: Vec<Stem>,
    children: Vec<Handle>,
    used: Vec<u64>,
    avail: Vec<u64>,
    errors: Vec<i128>,
}

/// Subtrees that a node remembers at most; beyond, the older half is forgotten.
const MOST_KNOWN: usize = 64;

impl Subtrees {
    pub(super) fn new(n_words: usize) -> Self {
        Self {
            n_words,
            ..Self::default()
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let a_stem = size_of::<Stem>() + 16 * self.n_words + size_of::<i128>();
        self.stems.len() * a_stem + self.children.len() * size_of::<Handle>()
    }

    pub(super) fn stem(&self, subtree: u32) -> Stem {
        self.stems[subtree as usize]
    }

    pub(super) fn children(&self, subtree: u32) -> &[Handle] {
        let stem = &self.stems[subtree as usize];
        &self.children[stem.first_child as usize..][..stem.n_children as usize]
    }

    pub(super) fn child(&self, subtree: u32, at: usize) -> Handle {
        self.children[self.stems[subtree as usize].first_child as usize + at]
    }

    pub(super) fn used(&self, subtree: u32) -> &[u64] {
        &self.used[subtree as usize * self.n_words..][..self.n_words]
    }

    fn avail(&self, subtree: u32) -> &[u64] {
        &self.avail[subtree as usize * self.n_words..][..self.n_words]
    }

    pub(super) fn uses(&self, handle: Handle, feature: usize) -> bool {
        handle.as_leaf().is_none() && bits::has(self.used(handle.0), feature)
    }

    pub(super) fn error(&self, nodes: &Nodes<'_>, handle: Handle) -> i128 {
        match handle.as_leaf() {
            Some(node) => nodes.all[node as usize].error,
            None => self.errors[handle.0 as usize],
        }
    }

    /// A subtree that is known to grow at a node for a set.
    pub(super) fn find(&self, known: &[u32], set: &[u64]) -> Option<u32> {
        let fits = |&&subtree: &&u32| {
            bits::is_subset(self.used(subtree), set) && bits::is_subset(set, self.avail(subtree))
        };
        known.iter().rev().find(fits).copied()
    }

    /// The features that may be added without changing a subtree.
    pub(super) fn narrow(&self, nodes: &Nodes<'_>, handle: Handle, avail: &mut [u64]) {
        match handle.as_leaf() {
            None => bits::keep_common(avail, self.avail(handle.0)),
            Some(node) => {
                let node = &nodes.all[node as usize];
                if node.is_open() {
                    let node = node.open();
                    // Features that have an offer, or that nobody has looked at, may change it.
                    bits::keep_common(avail, &node.looked);
                    for feature in node.preferred() {
                        bits::remove(avail, feature);
                    }
                }
            }
        }
    }

    /// Adds a subtree to those known at its node, unless it is among them.
    pub(super) fn intern(
        &mut self,
        nodes: &mut Nodes<'_>,
        (node, parts, feature): (NodeId, u32, usize),
        children: &[Handle],
        used: &[u64],
        avail: &[u64],
        error: i128,
    ) -> Handle {
        let known = &mut nodes.all[node as usize].open_mut().known;
        let n_words = self.n_words;
        let is_same = |&&subtree: &&u32| self.used(subtree) == used;
        if let Some(&subtree) = known.iter().rev().find(is_same) {
            let own = &mut self.avail[subtree as usize * n_words..][..n_words];
            bits::add_all(own, avail);
            return Handle(subtree);
        }
        let subtree = self.stems.len() as u32;
        if known.len() >= MOST_KNOWN {
            known.drain(..MOST_KNOWN / 2);
        }
        known.push(subtree);
        self.stems.push(Stem {
            node,
            parts,
            feature: feature as u32,
            first_child: self.children.len() as u32,
            n_children: children.len() as u32,
        });
        self.children.extend_from_slice(children);
        self.used.extend_from_slice(used);
        self.avail.extend_from_slice(avail);
        self.errors.push(error);
        Handle(subtree)
    }

    /// Keeps the subtrees that are marked, in their order; `places` are the new numbers of nodes and
    /// `parts` the new positions of the parts of every kept node. Returns the new numbers of subtrees.
    pub(super) fn keep(
        &mut self,
        marked: &[bool],
        places: &[Option<NodeId>],
        parts: &[Vec<Option<u32>>],
    ) -> Vec<Option<u32>> {
        let mut kept = Self::new(self.n_words);
        let mut numbers: Vec<Option<u32>> = vec![None; self.stems.len()];
        for old in 0..self.stems.len() as u32 {
            if !marked[old as usize] {
                continue;
            }
            let stem = self.stem(old);
            let node = places[stem.node as usize].expect("the node of a kept subtree is kept");
            // Children are older than their parents, so they have been moved.
            let first_child = kept.children.len() as u32;
            for &child in self.children(old) {
                kept.children.push(moved(child, &numbers, places));
            }
            numbers[old as usize] = Some(kept.stems.len() as u32);
            kept.stems.push(Stem {
                node,
                parts: parts[node as usize][stem.parts as usize]
                    .expect("the children of a kept subtree are kept"),
                first_child,
                ..stem
            });
            kept.used.extend_from_slice(self.used(old));
            kept.avail.extend_from_slice(self.avail(old));
            kept.errors.push(self.errors[old as usize]);
        }
        *self = kept;
        numbers
    }

    pub(super) fn len(&self) -> usize {
        self.stems.len()
    }
}

/// A handle after numbering anew.
pub(super) fn moved(handle: Handle, subtrees: &[Option<u32>], nodes: &[Option<NodeId>]) -> Handle {
    const KEPT: &str = "what is in use is kept";
    match handle.as_leaf() {
        Some(node) => Handle::leaf(nodes[node as usize].expect(KEPT)),
        None => Handle(subtrees[handle.0 as usize].expect(KEPT)),
    }
}

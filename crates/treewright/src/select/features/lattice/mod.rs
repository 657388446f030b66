//! Greedy trees over many sets of features, grown from shared parts.
//!
//! Taking a feature away changes a tree only below the splits on that feature, and what changes there has
//! often been grown before. [`Lattice`] keeps nodes as sets of rows with what every feature offers there,
//! and the subtrees that have grown at them; a tree is then put together from parts, and only the parts
//! that are new cost time. Everything that no tree in use needs can be forgotten at any time: it would
//! grow again.
//!
//! | file | idea |
//! |---|---|
//! | `bits` | sets of features |
//! | `ground` | the rows that trees grow on, and those that judge them |
//! | `nodes` | sets of rows, with what every feature offers there |
//! | `subtrees` | what has grown at the nodes, and for which sets it is right |
//! | `grow` | growing what is new |
//! | `judge` | what a subtree costs on the rows that judge |
//! | `bound` | the least that any tree between two sets can cost |
//! | `forget` | keeping memory bounded |

use std::sync::Arc;

use self::grow::Growing;
use self::nodes::{NodeId, Nodes, Parts};
use self::subtrees::{Handle, Subtrees};
use crate::budget::Budget;
use crate::learn::greedy::Lists;
use crate::tree::{NodeId as TreeNode, Outcome, Tree, TreeBuilder};

pub(super) mod bits;
mod bound;
mod forget;
mod ground;
mod grow;
mod judge;
mod nodes;
mod subtrees;

pub(super) use self::ground::{Ground, Held, Sample};

/// The tree of one ground for some set of features.
#[derive(Debug, Clone, Default)]
pub(super) struct Top {
    /// `None` if the tree is a single leaf.
    split: Option<TopSplit>,
    children: Vec<Handle>,
    used: Vec<u64>,
    error: i128,
}

#[derive(Debug, Clone, Copy)]
struct TopSplit {
    parts: u32,
    feature: usize,
}

impl Top {
    /// The features that the tree splits on.
    pub(super) fn used(&self) -> &[u64] {
        &self.used
    }

    /// What the tree costs on the rows held out.
    pub(super) fn error(&self) -> i128 {
        self.error
    }
}

/// All that is known of trees over feature subsets of some grounds.
#[derive(Debug)]
pub(super) struct Lattice<'a> {
    grounds: Arc<[Ground<'a>]>,
    n_words: usize,
    nodes: Nodes<'a>,
    subtrees: Subtrees,
    /// The way down to what is growing now.
    growing: Vec<Growing>,
    done: Vec<Handle>,
    frontier: Vec<f64>,
    /// Memory that may be taken.
    most_bytes: usize,
    /// Memory at which something is forgotten.
    full_at: usize,
    budget: Option<Budget>,
    is_stopped: bool,
    /// Rows that have been looked at since the last look at the clock.
    unwatched: usize,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(grounds: Arc<[Ground<'a>]>, n_features: usize, most_bytes: usize) -> Self {
        let n_words = bits::words_for(n_features);
        Self {
            nodes: Nodes::new(&grounds, n_words),
            grounds,
            n_words,
            subtrees: Subtrees::new(n_words),
            growing: Vec::new(),
            done: Vec::new(),
            frontier: vec![0.0; n_features],
            full_at: most_bytes,
            most_bytes,
            budget: None,
            is_stopped: false,
            unwatched: 0,
        }
    }

    /// From now on trees stop growing when this budget is spent. A tree that was stopped is worth nothing:
    /// see [`Self::is_stopped`].
    pub(super) fn watch(&mut self, budget: Option<&Budget>) {
        self.budget = budget.cloned();
        self.is_stopped = false;
    }

    /// Was the budget spent while the last trees were growing, or the last error was bounded?
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Forgets what these trees do not need if memory is full.
    pub(super) fn forget_if_full<'t>(&mut self, trees: impl Iterator<Item = &'t mut Vec<Top>>) {
        if self.bytes() > self.full_at {
            self.forget_all_but(trees);
            // If there is hardly room for what is in use, forgetting all the time would not help.
            self.full_at = self.most_bytes.max(2 * self.bytes());
        }
    }

    /// Memory in use, roughly.
    fn bytes(&self) -> usize {
        self.nodes.bytes + self.subtrees.bytes()
    }

    /// The trees for a set of features, one for each ground.
    pub(super) fn grow(&mut self, set: &[u64], tops: &mut Vec<Top>) {
        tops.resize_with(self.grounds.len(), Top::default);
        for (root, top) in tops.iter_mut().enumerate() {
            let is_open = self.nodes.all[root].is_open();
            let lists = is_open
                .then(|| self.look(root as NodeId, set, None))
                .flatten();
            self.grow_top(root as NodeId, set, None, lists, top);
        }
    }

    /// The trees for a set, given those for the same set with one more feature.
    pub(super) fn without(
        &mut self,
        feature: usize,
        set: &[u64],
        before: &[Top],
        tops: &mut Vec<Top>,
    ) {
        tops.resize_with(self.grounds.len(), Top::default);
        for (root, (before, top)) in before.iter().zip(tops).enumerate() {
            if bits::has(&before.used, feature) {
                let before = before
                    .split
                    .filter(|split| split.feature != feature)
                    .map(|_| before);
                self.grow_top(
                    root as NodeId,
                    set,
                    before.map(|top| (top, feature)),
                    None,
                    top,
                );
            } else {
                top.clone_from(before);
            }
        }
    }

    /// Grows the tree of one ground. With `before`, only children that use its feature grow anew.
    fn grow_top(
        &mut self,
        root: NodeId,
        set: &[u64],
        before: Option<(&Top, usize)>,
        lists: Option<Lists>,
        top: &mut Top,
    ) {
        top.children.clear();
        top.used.clear();
        top.used.resize(self.n_words, 0);
        let split = if let Some((before, _)) = before {
            before.split
        } else if !self.nodes.all[root as usize].is_open() {
            None
        } else {
            let node = self.nodes.all[root as usize].open();
            let offer = node.first_in(set);
            let offer = offer.map(|offer| (offer, node.feature(offer)));
            offer.map(|(offer, feature)| TopSplit {
                parts: self.nodes.parts_of(&self.grounds, root, offer),
                feature,
            })
        };
        top.split = split;
        let Some(split) = split else {
            top.error = self.nodes.all[root as usize].error;
            return;
        };
        bits::add(&mut top.used, split.feature);
        let n_children = self.parts(root, split.parts).children.len();
        let above = lists.as_ref().map(|lists| (root, lists));
        for at in 0..n_children {
            let child = if let Some((before, feature)) = before {
                self.change(before.children[at], set, feature)
            } else {
                let child = self.parts(root, split.parts).children[at];
                self.grow_at(child, set, above)
            };
            if child.as_leaf().is_none() {
                bits::add_all(&mut top.used, self.subtrees.used(child.0));
            }
            top.children.push(child);
        }
        top.error = self.error_of(root, split.parts, &top.children);
        if let Some(lists) = lists {
            self.nodes.recycle(lists);
        }
    }

    fn parts(&self, node: NodeId, parts: u32) -> &Parts {
        &self.nodes.all[node as usize].open().parts[parts as usize]
    }

    /// For every feature the weight of the rows that reach a split on it.
    pub(super) fn frontier(&mut self, tops: &[Top]) -> &[f64] {
        let mut frontier = std::mem::take(&mut self.frontier);
        frontier.fill(0.0);
        let mut stack: Vec<(Handle, usize)> = Vec::new();
        let mut path: Vec<usize> = Vec::new();
        for (root, top) in tops.iter().enumerate() {
            let Some(split) = top.split else { continue };
            frontier[split.feature] += self.nodes.all[root].weight;
            path.clear();
            path.push(split.feature);
            stack.extend(top.children.iter().map(|&child| (child, 1)));
            while let Some((handle, depth)) = stack.pop() {
                if handle.as_leaf().is_some() {
                    continue;
                }
                let stem = self.subtrees.stem(handle.0);
                let feature = stem.feature as usize;
                path.truncate(depth);
                if !path.contains(&feature) {
                    frontier[feature] += self.nodes.all[stem.node as usize].weight;
                }
                path.push(feature);
                let children = self.subtrees.children(handle.0);
                stack.extend(children.iter().map(|&child| (child, depth + 1)));
            }
        }
        self.frontier = frontier;
        &self.frontier
    }

    /// The tree of a ground as a tree of its own.
    pub(super) fn tree(&self, root: usize, top: &Top) -> Tree {
        const SOUND: &str = "a tree that has grown is sound";
        let ground = &self.grounds[root];
        let outcome = |node: NodeId| {
            let counts = self.nodes.counts(node).to_vec();
            let value = self.nodes.all[node as usize].value;
            (Outcome::Counts(counts), f64::from(value))
        };
        let schema = ground.data.schema();
        let (counts, value) = outcome(root as NodeId);
        let mut builder =
            TreeBuilder::new(schema.clone(), ground.loss.clone(), counts, value).expect(SOUND);
        let mut stack: Vec<(TreeNode, NodeId, u32, &[Handle])> = Vec::new();
        if let Some(split) = top.split {
            stack.push((TreeNode::ROOT, root as NodeId, split.parts, &top.children));
        }
        while let Some((id, node, parts, children)) = stack.pop() {
            let parts = self.parts(node, parts);
            let outcomes = parts.children.iter().map(|&child| outcome(child));
            let first = builder
                .split(id, parts.split.clone(), parts.missing, outcomes)
                .expect(SOUND);
            for (at, &child) in children.iter().enumerate().rev() {
                if child.as_leaf().is_none() {
                    let stem = self.subtrees.stem(child.0);
                    let children = self.subtrees.children(child.0);
                    let id = TreeNode(first.0 + at as u32);
                    stack.push((id, stem.node, stem.parts, children));
                }
            }
        }
        builder.finish()
    }
}

//! Greedy trees over many sets of features, grown from shared parts.
//!
//! Taking a feature away changes a tree only below the splits on that feature, and what changes there has
//! often been grown before. [`Lattice`] keeps nodes as sets of rows with what every feature offers there
//! (`nodes`), and the subtrees that have grown at them (`subtrees`); a tree is then put together from
//! parts, and only the parts that are new cost time. Everything that no tree in use needs can be
//! forgotten at any time: it would grow again.

use std::sync::Arc;

use self::nodes::{NodeId, Nodes, Parts, RowNode};
use self::subtrees::{Handle, Subtrees, moved};
use crate::data::Dataset;
use crate::learn::greedy::Lists;
use crate::tree::{MissingRoute, NodeId as TreeNode, Outcome, Tree, TreeBuilder};

pub(super) mod bits;
mod bound;
mod ground;
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
}

/// A split whose children grow one after the other.
#[derive(Debug)]
struct Growing {
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

impl<'a> Lattice<'a> {
    pub(super) fn new(grounds: Arc<[Ground<'a>]>, n_features: usize) -> Self {
        let n_words = bits::words_for(n_features);
        Self {
            nodes: Nodes::new(&grounds, n_words),
            grounds,
            n_words,
            subtrees: Subtrees::new(n_words),
            growing: Vec::new(),
            done: Vec::new(),
            frontier: vec![0.0; n_features],
        }
    }

    /// Memory in use, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes + self.subtrees.bytes()
    }

    /// The trees for a set of features, one for each ground.
    pub(super) fn grow(&mut self, set: &[u64], tops: &mut Vec<Top>) {
        tops.resize_with(self.grounds.len(), Top::default);
        for (root, top) in tops.iter_mut().enumerate() {
            let is_open = self.nodes.all[root].is_open();
            let lists = is_open
                .then(|| self.nodes.look(&self.grounds, root as NodeId, set, None))
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

    /// The subtree at a node for a set.
    fn grow_at(&mut self, node: NodeId, set: &[u64], above: Option<(NodeId, &Lists)>) -> Handle {
        let step = self.enter(node, set, above);
        self.run(step, node, set, None)
    }

    /// A subtree without a feature.
    fn change(&mut self, old: Handle, set: &[u64], feature: usize) -> Handle {
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
        let lists = self.nodes.look(&self.grounds, node, set, above);
        self.choose(node, set, lists)
    }

    /// What is to be done to change a subtree that uses a feature which is gone.
    fn enter_old(&mut self, old: u32, set: &[u64], removed: usize) -> Step {
        let stem = self.subtrees.stem(old);
        let node = self.nodes.all[stem.node as usize].open();
        if let Some(subtree) = self.subtrees.find(&node.known, set) {
            return Step::Done(Handle(subtree));
        }
        if stem.feature as usize == removed {
            let lists = self.nodes.look(&self.grounds, stem.node, set, None);
            return self.choose(stem.node, set, lists);
        }
        Step::Split {
            parts: stem.parts,
            feature: stem.feature as usize,
            old: Some(old),
            lists: None,
        }
    }

    fn choose(&mut self, node: NodeId, set: &[u64], lists: Option<Lists>) -> Step {
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

    /// What rows held out cost below a split.
    fn error_of(&self, node: NodeId, parts: u32, children: &[Handle]) -> i128 {
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

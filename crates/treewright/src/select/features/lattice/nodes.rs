//! Nodes as sets of rows: what every feature offers there, asked once and remembered.
//!
//! The best split of a feature at a node does not depend on which other features there are. So a node
//! keeps the features that have been looked at in the order in which the learner prefers them; with
//! the set `F` of features it splits on the first of that order that is in `F`, and is a leaf if none is.
//! Different orders of the same cuts lead to the same rows: such nodes are one node.

use std::collections::HashMap;

use super::bits;
use super::ground::Ground;
use crate::data::Value;
use crate::learn::greedy::{CandidateSplit, FeatureResult, Lists, NodeRows, Workspace};
use crate::tree::{MissingRoute, Split};

pub(super) type NodeId = u32;

/// A set of rows. Most are leaves whatever features there are, so they are kept small.
#[derive(Debug)]
pub(super) struct RowNode<'a> {
    /// What the rows held out cost if the node is a leaf.
    pub(super) error: i128,
    pub(super) weight: f64,
    /// The class that it answers as a leaf.
    pub(super) value: u32,
    /// Where its counts begin among those of all nodes.
    counts: usize,
    open: Option<Box<OpenNode<'a>>>,
}

/// What a node needs that may be split.
#[derive(Debug)]
pub(super) struct OpenNode<'a> {
    pub(super) ground: u32,
    rows: NodeRows<'a>,
    /// The rows held out that reach the node, rising.
    pub(super) held: Box<[u32]>,
    /// Features that have been looked at, or need not be.
    pub(super) looked: Box<[u64]>,
    /// Features that are constant here.
    dead: Box<[u64]>,
    offers: Vec<Offer>,
    /// The offers, best first.
    order: Vec<u32>,
    pub(super) parts: Vec<Parts>,
    /// Subtrees that have grown here, the latest last.
    pub(super) known: Vec<u32>,
}

/// The best split of one feature.
#[derive(Debug)]
struct Offer {
    candidate: CandidateSplit,
    feature: u32,
    /// Position in [`RowNode::parts`], once the node has been split so.
    parts: Option<u32>,
}

/// A node split on one feature.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) split: Split,
    pub(super) missing: MissingRoute,
    pub(super) children: Box<[NodeId]>,
    /// Rows held out that go to several children.
    pub(super) spread: Box<[u32]>,
}

impl<'a> RowNode<'a> {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What there is of a node that may be split.
    pub(super) fn open(&self) -> &OpenNode<'a> {
        self.open
            .as_deref()
            .expect("only asked of nodes that may be split")
    }

    pub(super) fn open_mut(&mut self) -> &mut OpenNode<'a> {
        self.open
            .as_deref_mut()
            .expect("only asked of nodes that may be split")
    }
}

impl OpenNode<'_> {
    /// The features that offer a split, best first.
    pub(super) fn preferred(&self) -> impl Iterator<Item = usize> {
        let offer = |&at: &u32| self.offers[at as usize].feature as usize;
        self.order.iter().map(offer)
    }

    /// The offer that is taken with a set of features.
    pub(super) fn first_in(&self, set: &[u64]) -> Option<u32> {
        let is_in = |&&at: &&u32| bits::has(set, self.offers[at as usize].feature as usize);
        self.order.iter().find(is_in).copied()
    }

    /// The feature of an offer.
    pub(super) fn feature(&self, offer: u32) -> usize {
        self.offers[offer as usize].feature as usize
    }

    pub(super) fn n_rows(&self) -> usize {
        self.rows.entries().len()
    }

    /// The offers, best first.
    pub(super) fn offers(&self) -> &[u32] {
        &self.order
    }

    /// The features that have been looked at and stand behind `feature`, or offer nothing at all, and
    /// `feature` itself: adding any of them to the set does not change the split.
    pub(super) fn not_before(&self, feature: usize, set: &mut [u64]) {
        set.copy_from_slice(&self.looked);
        for better in self.preferred().take_while(|&better| better != feature) {
            bits::remove(set, better);
        }
    }

    /// Takes offers into its order.
    fn take(&mut self, candidates: &mut Vec<CandidateSplit>) {
        let Self {
            rows,
            offers,
            order,
            ..
        } = self;
        // No more memory than needed: there are many nodes.
        offers.reserve_exact(candidates.len());
        order.reserve_exact(candidates.len());
        for candidate in candidates.drain(..) {
            let is_before = |&at: &u32| {
                rows.compare(&offers[at as usize].candidate, &candidate)
                    .is_gt()
            };
            let place = order.partition_point(is_before);
            order.insert(place, offers.len() as u32);
            offers.push(Offer {
                feature: candidate.feature() as u32,
                candidate,
                parts: None,
            });
        }
    }

    /// Forgets splits with a forgotten child; returns the new positions of the others.
    fn keep(&mut self, places: &[Option<NodeId>]) -> Vec<Option<u32>> {
        let mut positions = Vec::with_capacity(self.parts.len());
        let mut n_parts = 0;
        for parts in &mut self.parts {
            let places = parts.children.iter().map(|&child| places[child as usize]);
            let children: Option<Vec<NodeId>> = places.collect();
            positions.push(children.as_ref().map(|_| n_parts));
            if let Some(children) = children {
                n_parts += 1;
                parts.children = children.into();
            }
        }
        let mut position = positions.iter();
        self.parts
            .retain(|_| position.next().is_some_and(Option::is_some));
        for offer in &mut self.offers {
            offer.parts = offer.parts.and_then(|parts| positions[parts as usize]);
        }
        positions
    }

    fn bytes(&self) -> usize {
        /// What a piece of memory takes beside its content.
        const A_BOX: usize = 20;
        self.rows.bytes()
            + 4 * self.held.len()
            + 16 * self.looked.len()
            + self.offers.capacity() * (size_of::<Offer>() + 4)
            + size_of::<Self>()
            + 9 * A_BOX
    }
}

/// All nodes of a search.
#[derive(Debug, Default)]
pub(super) struct Nodes<'a> {
    pub(super) all: Vec<RowNode<'a>>,
    /// Weighted class counts, node by node.
    counts: Vec<f64>,
    /// The latest node with this hash of its rows.
    by_rows: HashMap<u64, NodeId, std::hash::BuildHasherDefault<Identity>>,
    workspace: Workspace,
    wanted: Vec<u32>,
    candidates: Vec<CandidateSplit>,
    /// Memory that all nodes take, roughly.
    pub(super) bytes: usize,
}

impl<'a> Nodes<'a> {
    /// Starts with the nodes of all rows, one for each ground.
    pub(super) fn new(grounds: &[Ground<'a>], n_words: usize) -> Self {
        let mut nodes = Self::default();
        for (at, ground) in grounds.iter().enumerate() {
            let held = ground.held.as_ref().map_or(0, |held| held.data.n_rows());
            let held: Vec<u32> = (0..held as u32).collect();
            let rows = ground.splitter.root();
            nodes.push(ground, at as u32, rows, held, vec![0; n_words].into());
        }
        nodes
    }

    fn push(
        &mut self,
        ground: &Ground<'a>,
        at: u32,
        rows: NodeRows<'a>,
        held: Vec<u32>,
        dead: Box<[u64]>,
    ) -> NodeId {
        let value = rows.value();
        let error = ground.held.as_ref().map_or(0, |judge| {
            let costs = held.iter().map(|&row| judge.cost(row as usize, value));
            costs.sum()
        });
        let id = self.all.len() as NodeId;
        if rows.is_open() {
            let hash = hash(at, rows.entries(), &held);
            if let Some(&same) = self.by_rows.get(&hash)
                && let node = self.all[same as usize].open()
                && node.ground == at
                && node.rows.is_same(&rows)
                && *node.held == *held
            {
                return same;
            }
            self.by_rows.insert(hash, id);
        }
        let counts = self.counts.len();
        self.counts.extend_from_slice(rows.counts());
        self.bytes += size_of::<RowNode<'_>>() + 8 * rows.counts().len();
        let weight = rows.weight();
        let open = rows.is_open().then(|| {
            Box::new(OpenNode {
                ground: at,
                held: held.into(),
                rows,
                looked: dead.clone(),
                dead,
                offers: Vec::new(),
                order: Vec::new(),
                parts: Vec::new(),
                known: Vec::new(),
            })
        });
        self.bytes += open.as_ref().map_or(0, |open| open.bytes());
        self.all.push(RowNode {
            error,
            weight,
            value: value as u32,
            counts,
            open,
        });
        id
    }

    /// The weighted class counts of a node.
    pub(super) fn counts(&self, id: NodeId) -> &[f64] {
        let start = self.all[id as usize].counts;
        let end = self
            .all
            .get(id as usize + 1)
            .map_or(self.counts.len(), |next| next.counts);
        &self.counts[start..end]
    }

    /// Looks at those features of a set that have not been looked at. Returns the lists that were made, if any
    /// were, and whether it is done: if it is late, nothing is known of the node that was not known before.
    pub(super) fn look(
        &mut self,
        grounds: &[Ground<'a>],
        id: NodeId,
        set: &[u64],
        above: Option<(NodeId, &Lists)>,
        is_late: &dyn Fn() -> bool,
    ) -> (Option<Lists>, bool) {
        let wanted = &mut self.wanted;
        wanted.clear();
        let node = self.all[id as usize].open();
        for (at, (set, looked)) in set.iter().zip(&node.looked).enumerate() {
            let mut rest = set & !looked;
            while rest != 0 {
                wanted.push(64 * at as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        if wanted.is_empty() {
            return (None, true);
        }
        let above = above.filter(|&(above, _)| {
            self.all[above as usize]
                .open()
                .rows
                .shares_frame(&node.rows)
        });
        let splitter = &grounds[node.ground as usize].splitter;
        let node = self.all[id as usize].open_mut();
        self.bytes -= node.bytes();
        let (dead, candidates) = (&mut node.dead, &mut self.candidates);
        let take = |feature: usize, result: FeatureResult| match result {
            FeatureResult::Constant => bits::add(dead, feature),
            FeatureResult::NoSplit => {}
            FeatureResult::Split(candidate) => candidates.push(candidate),
        };
        let above = above.map(|above| above.1);
        let lists = splitter.look(
            &node.rows,
            wanted,
            above,
            &mut self.workspace,
            is_late,
            take,
        );
        if lists.is_some() {
            for &feature in &*wanted {
                bits::add(&mut node.looked, feature as usize);
            }
            node.take(candidates);
        } else {
            candidates.clear();
        }
        self.bytes += node.bytes();
        let is_done = lists.is_some();
        (lists, is_done)
    }

    /// Takes lists back.
    pub(super) fn recycle(&mut self, lists: Lists) {
        self.workspace.recycle(lists);
    }

    /// The position of an offer's split among the node's parts; splits the node if that is new.
    pub(super) fn parts_of(&mut self, grounds: &[Ground<'a>], id: NodeId, offer: u32) -> u32 {
        let node = self.all[id as usize].open();
        let (feature, offer) = (node.feature(offer), offer as usize);
        if let Some(parts) = node.offers[offer].parts {
            return parts;
        }
        let at = node.ground;
        let ground = &grounds[at as usize];
        let division = ground.splitter.split(
            &node.rows,
            &node.offers[offer].candidate,
            &mut self.workspace,
        );
        let mut held = vec![Vec::new(); division.children.len()];
        let mut spread = Vec::new();
        if let Some(judge) = &ground.held {
            let column = &judge.data.columns()[feature];
            for &row in &node.held {
                let value: Value = column.value(row as usize);
                match (division.split.child_of(value), division.missing) {
                    (Some(child), _) => held[child].push(row),
                    (None, MissingRoute::Child(child)) => held[child as usize].push(row),
                    (None, MissingRoute::Distribute) => spread.push(row),
                }
            }
        }
        let dead = node.dead.clone();
        let children = division.children.into_iter().zip(held);
        let children: Vec<NodeId> = children
            .map(|(rows, held)| self.push(ground, at, rows, held, dead.clone()))
            .collect();
        let node = self.all[id as usize].open_mut();
        let parts = node.parts.len() as u32;
        node.offers[offer].parts = Some(parts);
        self.bytes += size_of::<Parts>() + 4 * (children.len() + spread.len()) + 64;
        self.bytes += match &division.split {
            Split::Categories { branches, .. } => 8 * branches.len(),
            Split::Intervals { cuts, .. } => 8 * cuts.len(),
        };
        node.parts.push(Parts {
            split: division.split,
            missing: division.missing,
            children: children.into(),
            spread: spread.into(),
        });
        parts
    }

    /// Forgets all nodes but those that are marked, and numbers them anew: `places` has the new number
    /// of every marked one. Splits with a forgotten child are forgotten too. Returns for every kept
    /// node the new positions of its parts.
    pub(super) fn keep(&mut self, places: &[Option<NodeId>]) -> Vec<Vec<Option<u32>>> {
        let mut kept: Vec<RowNode<'a>> = Vec::new();
        let mut counts = Vec::new();
        let mut moved = Vec::new();
        self.by_rows.clear();
        self.bytes = 0;
        let old = std::mem::take(&mut self.all);
        let ends = old.iter().skip(1).map(|node| node.counts);
        let ends: Vec<usize> = ends.chain([self.counts.len()]).collect();
        for (at, mut node) in old.into_iter().enumerate() {
            if places[at].is_none() {
                continue;
            }
            let own_counts = node.counts..ends[at];
            node.counts = counts.len();
            self.bytes += size_of::<RowNode<'_>>() + 8 * own_counts.len();
            counts.extend_from_slice(&self.counts[own_counts]);
            let mut positions = Vec::new();
            if let Some(open) = &mut node.open {
                positions = open.keep(places);
                let hash = hash(open.ground, open.rows.entries(), &open.held);
                self.by_rows.insert(hash, kept.len() as NodeId);
                self.bytes += open.bytes();
            }
            moved.push(positions);
            kept.push(node);
        }
        self.counts = counts;
        self.all = kept;
        moved
    }
}

/// A hash of the rows of a node. Equal hashes are followed by a comparison of the rows.
fn hash(ground: u32, entries: &[u32], held: &[u32]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let step = |hash: u64, &word: &u32| (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(ODD);
    let hash = entries.iter().fold(u64::from(ground), step);
    held.iter().fold(hash.rotate_left(17), step)
}

/// The keys are hashes already.
#[derive(Debug, Default)]
struct Identity(u64);

impl std::hash::Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are single numbers")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

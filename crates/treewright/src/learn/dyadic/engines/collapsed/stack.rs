//! The way of one thread down to the set that it is solving.

use super::halving::Halving;
use super::loss_sums::LossSums;
use crate::learn::dyadic::frontier::Vertex;

/// The way of one thread down to the set that it is solving.
#[derive(Debug)]
pub(crate) struct SearchStack<S: LossSums> {
    /// Points of the sets on the way, each on top of the one it is part of.
    pub(crate) members: Vec<u32>,
    pub(super) frames: Vec<SearchFrame<S>>,
    /// Points looked at, coordinate by coordinate, since the deadline was checked.
    pub(crate) work: u64,
}

/// Working memory of one level of the recursion.
#[derive(Debug)]
pub(super) struct SearchFrame<S: LossSums> {
    pub(super) halvings: Vec<Halving<S>>,
    pub(super) best: Vec<Vertex>,
    pub(super) candidate: Vec<Vertex>,
    pub(super) merged: Vec<Vertex>,
    pub(super) left: Vec<Vertex>,
    pub(super) right: Vec<Vertex>,
}

impl<S: LossSums> Default for SearchFrame<S> {
    fn default() -> Self {
        Self {
            halvings: Vec::new(),
            best: Vec::new(),
            candidate: Vec::new(),
            merged: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
        }
    }
}

impl<S: LossSums> SearchStack<S> {
    /// A way that begins with some points.
    pub(crate) fn new(members: Vec<u32>) -> Self {
        Self {
            members,
            frames: Vec::new(),
            work: 0,
        }
    }
}

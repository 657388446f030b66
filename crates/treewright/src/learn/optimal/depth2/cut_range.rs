//! Neighbouring cuts of a root feature, with lower bounds.
//!
//! **Problem.** A root feature has many cuts, and few of them can be the root of a better tree.
//!
//! **Lemma.** Let `L(t)` and `R(t)` be the least values of the rows below and above a cut `t`. A subset of rows never
//! has a larger value, so `L(a) + R(b)` is a lower bound of `L(t) + R(t)` for all `t` between `a` and `b`.
//!
//! **Source.** Quant-BnB and ConTree branch and bound over ranges of thresholds. Here the ends of a range need not be
//! solved: any lower bounds of their sides will do.

use std::cmp::Ordering;

use crate::learn::optimal::problem::{RootSplit, TreeIncumbent};

/// Neighbouring cuts of a root feature. An engine keeps with them what it needs, the payload.
///
/// Ranges are ordered by lower bound, then by feature and first cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutRange<P> {
    feature: u32,
    first: u32,
    last: u32,
    /// The value of the branch for missing cells.
    missing: u64,
    /// Lower bounds of the rows below the first and above the last cut.
    sides: [u64; 2],
    payload: P,
}

impl<P> CutRange<P> {
    #[inline]
    pub(crate) fn new(
        feature: usize,
        [first, last]: [u32; 2],
        sides: [u64; 2],
        missing: u64,
        payload: P,
    ) -> Self {
        Self {
            feature: feature as u32,
            first,
            last,
            missing,
            sides,
            payload,
        }
    }

    #[inline]
    pub(crate) fn feature(&self) -> usize {
        self.feature as usize
    }

    /// The first and the last cut.
    #[inline]
    pub(crate) fn cuts(&self) -> [u32; 2] {
        [self.first, self.last]
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first > self.last
    }

    /// Lower bounds of the rows below the first and above the last cut.
    #[inline]
    pub(crate) fn sides(&self) -> [u64; 2] {
        self.sides
    }

    /// No tree with a root in this range has a smaller value.
    #[inline]
    pub(crate) fn lower(&self) -> u64 {
        self.sides[0] + self.sides[1] + self.missing
    }

    /// The first root split of the range.
    #[inline]
    pub(crate) fn first_split(&self) -> RootSplit {
        RootSplit::at(self.feature as usize, self.first)
    }

    /// Can a root of this range be better than the incumbent?
    #[inline]
    pub(crate) fn is_open(&self, incumbent: &TreeIncumbent) -> bool {
        self.lower() < incumbent.upper_for(self.first_split())
    }

    #[inline]
    pub(crate) fn payload(&self) -> &P {
        &self.payload
    }

    #[inline]
    pub(crate) fn payload_mut(&mut self) -> &mut P {
        &mut self.payload
    }

    /// Some of the cuts, with other lower bounds and payload.
    #[inline]
    pub(crate) fn part<Q>(&self, cuts: [u32; 2], sides: [u64; 2], payload: Q) -> CutRange<Q> {
        CutRange::new(self.feature(), cuts, sides, self.missing, payload)
    }

    /// The cuts from `first` on, with another lower bound of the rows below.
    #[inline]
    pub(crate) fn begin_at(&mut self, first: u32, low: u64) {
        self.first = first;
        self.sides[0] = low;
    }

    fn key(&self) -> (u64, u32, u32) {
        (self.lower(), self.feature, self.first)
    }
}

impl<P> Ord for CutRange<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<P> PartialOrd for CutRange<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for CutRange<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<P> Eq for CutRange<P> {}

/// A range with lower bounds of its two sides by each child; `u64::MAX` if that is ruled out.
pub(crate) type ChildRange = CutRange<Vec<[u64; 2]>>;

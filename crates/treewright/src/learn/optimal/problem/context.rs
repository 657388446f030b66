//! What all parts of a search have in common.

use super::table::RankTable;
use super::value_encoding::ValueEncoding;
use crate::learn::optimal::switches::Switches;

/// What a search is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(in crate::learn::optimal) table: &'a RankTable<'a>,
    pub(in crate::learn::optimal) encoding: ValueEncoding,
    pub(in crate::learn::optimal) rule: IntervalRule,
    pub(in crate::learn::optimal) arch: pulp::Arch,
    pub(in crate::learn::optimal) switches: Switches,
}

/// How a line may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntervalRule {
    /// The largest number of intervals.
    most: usize,
    /// The least size of each.
    min_leaf: usize,
}

impl IntervalRule {
    pub(crate) fn new(most: usize, min_leaf: usize) -> Self {
        Self { most, min_leaf }
    }

    #[inline]
    pub(crate) fn most(self) -> usize {
        self.most
    }

    #[inline]
    pub(crate) fn min_leaf(self) -> usize {
        self.min_leaf
    }
}

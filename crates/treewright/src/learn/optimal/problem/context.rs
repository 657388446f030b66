//! What all parts of a search have in common.

use super::interval_rule::IntervalRule;
use super::table::RankTable;
use super::value_encoding::ValueEncoding;
use crate::learn::optimal::switches::Sizes;

/// What a search is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(in crate::learn::optimal) table: &'a RankTable<'a>,
    pub(in crate::learn::optimal) encoding: ValueEncoding,
    pub(in crate::learn::optimal) rule: IntervalRule,
    pub(in crate::learn::optimal) arch: pulp::Arch,
    pub(in crate::learn::optimal) sizes: Sizes,
}

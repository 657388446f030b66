//! What all parts of a search have in common.

use super::interval_rule::Rule;
use super::table::Table;
use super::value_encoding::Price;
use crate::learn::optimal::switches::Sizes;

/// What a search is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(in crate::learn::optimal) table: &'a Table<'a>,
    pub(in crate::learn::optimal) price: Price,
    pub(in crate::learn::optimal) rule: Rule,
    pub(in crate::learn::optimal) arch: pulp::Arch,
    pub(in crate::learn::optimal) sizes: Sizes,
}

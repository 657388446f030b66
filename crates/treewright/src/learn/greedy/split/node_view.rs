//! What a search for splits needs to know of a node.

use std::ops::Range;

use super::scan::Totals;

/// What a search needs to know of a node.
#[derive(Debug)]
pub(crate) struct NodeView<'a> {
    pub(crate) range: Range<usize>,
    /// Weighted class counts; empty for numbers.
    pub(crate) counts: &'a [f64],
    /// Class counts as whole numbers, for the fast scans; empty unless rows count as one each.
    pub(crate) totals: Totals,
    pub(crate) weight: f64,
    /// Squared error of the numbers.
    pub(crate) sse: f64,
    /// What the numbers that criteria add up are relative to: near their mean, and whole where they are.
    pub(crate) centre: f64,
    /// The sum of these numbers, relative to the centre.
    pub(crate) sum: f64,
    /// Are the coarse features to be counted, because they have no lists here?
    pub(crate) is_coarse: bool,
}

//! Which intervals the last level of a tree may have.

/// How a line may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntervalRule {
    /// At most so many intervals.
    pub(in crate::learn::optimal) most: usize,
    /// With at least so many rows each.
    pub(in crate::learn::optimal) min_leaf: usize,
}

//! Which intervals the last level of a tree may have.

/// How a line may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntervalRule {
    /// At most so many intervals.
    most: usize,
    /// With at least so many rows each.
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

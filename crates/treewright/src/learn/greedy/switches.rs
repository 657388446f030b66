//! A switch for every speed-up of the learner. Tests turn them off: that must not change the tree.

/// The shortcuts of the learner. Tests switch them off: that must not change the tree.
#[doc(hidden)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GreedySwitches {
    /// Features with few values are counted while nodes are large.
    pub counting: bool,
    /// Rows that count as one each are scanned by a loop made for the criterion.
    pub scanning: bool,
    /// Cuts that cannot win are passed over, most of them in blocks.
    pub skipping: bool,
    /// A feature gives up what cannot reach the best split of the features before it.
    pub floor: bool,
    /// Subtrees grow as tasks with frames of their own.
    pub tasks: bool,
}

impl GreedySwitches {
    /// The way the learner works.
    pub const ALL: Self = Self {
        counting: true,
        scanning: true,
        skipping: true,
        floor: true,
        tasks: true,
    };
    /// The plain way.
    pub const NONE: Self = Self {
        counting: false,
        scanning: false,
        skipping: false,
        floor: false,
        tasks: false,
    };
}

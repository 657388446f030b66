//! A switch for every speed-up of the learner. Tests turn them off: that must not change the tree.

/// What the learner makes use of.
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
    /// The features of a large node are looked at in parallel.
    pub parallel_features: bool,
    /// Columns are sorted by counting or by digits, not by comparisons.
    pub fast_sorting: bool,
    /// Lists are parted in two by a loop without branches.
    pub parting_in_two: bool,
    /// The list of the split's own feature, which has its children in order, is not parted.
    pub own_list_stays: bool,
}

impl GreedySwitches {
    /// The way the learner works.
    pub const ALL: Self = Self {
        counting: true,
        scanning: true,
        skipping: true,
        floor: true,
        tasks: true,
        parallel_features: true,
        fast_sorting: true,
        parting_in_two: true,
        own_list_stays: true,
    };
    /// The plain way.
    pub const NONE: Self = Self {
        counting: false,
        scanning: false,
        skipping: false,
        floor: false,
        tasks: false,
        parallel_features: false,
        fast_sorting: false,
        parting_in_two: false,
        own_list_stays: false,
    };
}

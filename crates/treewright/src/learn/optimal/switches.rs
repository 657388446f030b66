//! How much is done at once. None of this changes a tree.

/// Sizes that the search works with. Tests make them small, so that little tables take all ways.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// From so many rows on it is found out first which features are worth sorting.
    pub screened_rows: usize,
    /// Lanes of a root and bins of its children at the first look, at few rows or many classes.
    pub few: usize,
    /// The same at many rows; 62 and the end fill four vectors.
    pub many: usize,
    /// From so many rows on there are many.
    pub many_rows: usize,
    /// Bins of children at the second look; they have numbers that fit into a byte.
    pub bins: usize,
    /// From so many rows on there is a second look.
    pub second_rows: usize,
    /// With more than three classes in two intervals, from so many rows on for each of them.
    pub second_per_class: usize,
    /// Lanes of a root, and bins of all its children that matter, at a closer look.
    pub refined_lanes: usize,
    pub refined_bins: usize,
    /// From so many rows on, what is looked up often is kept side by side.
    pub gathered_rows: usize,
    /// With more rows than this, scans begin with sums over bins.
    pub scanned_rows: usize,
    /// Cuts that are scanned together, 62 at most.
    pub cuts: usize,
    /// Cuts are close together if the rows between them times this are fewer than all.
    pub close_by: u32,
    /// With more classes times intervals than this there are no sums: cuts are tried one by one.
    pub sums: usize,
    /// First looks are kept as long as they have fewer numbers together.
    pub kept: usize,
}

impl Sizes {
    /// The way the learner works.
    pub const USUAL: Self = Self {
        screened_rows: 50_000,
        few: 30,
        many: 62,
        many_rows: 6000,
        bins: 254,
        second_rows: 200,
        second_per_class: 1500,
        refined_lanes: 30,
        refined_bins: 62,
        gathered_rows: 50_000,
        scanned_rows: 5_000,
        cuts: 62,
        close_by: 8,
        sums: 200,
        kept: 8 << 20,
    };
    /// So small that a dozen of rows is many.
    pub const TINY: Self = Self {
        screened_rows: 8,
        few: 2,
        many: 3,
        many_rows: 12,
        bins: 5,
        second_rows: 10,
        second_per_class: 3,
        refined_lanes: 2,
        refined_bins: 3,
        gathered_rows: 12,
        scanned_rows: 16,
        cuts: 3,
        close_by: 2,
        sums: 20,
        kept: 1 << 10,
    };
}

//! How much is done at once. None of this changes a tree.

/// Sizes that the search works with. Tests make them small, so that little tables take all ways.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// From so many rows on it is found out first which features are worth sorting.
    pub scouted_rows: usize,
    /// Lanes of a root and pieces of its children at the first look, at few rows or many classes.
    pub few: usize,
    /// The same at many rows; 62 and the end fill four vectors.
    pub many: usize,
    /// From so many rows on there are many.
    pub many_rows: usize,
    /// Pieces of children at the second look; they have numbers that fit into a byte.
    pub pieces: usize,
    /// From so many rows on there is a second look.
    pub second_rows: usize,
    /// With more than three classes in two intervals, from so many rows on for each of them.
    pub second_per_class: usize,
    /// Lanes of a root, and pieces of all its children that matter, at a closer look.
    pub close_lanes: usize,
    pub close_pieces: usize,
    /// From so many rows on, what is looked up often is kept side by side.
    pub strip_rows: usize,
    /// With more rows than this, walks begin with sums over pieces.
    pub walked_rows: usize,
    /// Cuts that are walked together, 62 at most.
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
        scouted_rows: 50_000,
        few: 30,
        many: 62,
        many_rows: 6000,
        pieces: 254,
        second_rows: 200,
        second_per_class: 1500,
        close_lanes: 30,
        close_pieces: 62,
        strip_rows: 50_000,
        walked_rows: 5_000,
        cuts: 62,
        close_by: 8,
        sums: 200,
        kept: 8 << 20,
    };
    /// So small that a dozen of rows is many.
    pub const TINY: Self = Self {
        scouted_rows: 8,
        few: 2,
        many: 3,
        many_rows: 12,
        pieces: 5,
        second_rows: 10,
        second_per_class: 3,
        close_lanes: 2,
        close_pieces: 3,
        strip_rows: 12,
        walked_rows: 16,
        cuts: 3,
        close_by: 2,
        sums: 20,
        kept: 1 << 10,
    };
}

//! A switch for every bound, cache and screening of the learner, and the sizes of its steps.
//!
//! Tests turn them off, one by one and all together: that must not change a tree or a path. Three things look like
//! speed-ups and have no switch. The order of splits is part of the tie rule. Merging rows that fall into one cell
//! defines the points, and with them which halving is the first that separates some. The lookahead of the recursion
//! over rectangles is a parameter, [`Solver`](super::Solver).

/// What the learner makes use of.
#[doc(hidden)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DyadicSwitches {
    /// Doubles tell the cell of a number that lies far from any cut.
    pub estimated_cells: bool,
    /// A sample of the points tells that a resolution is too coarse.
    pub sample_first: bool,
    /// Two classes share a word of the sums of losses, where these are small.
    pub packed_sums: bool,
    /// A split is passed over if lower bounds of its sides add nothing to the best trees.
    pub lower_bounds: bool,
    /// Sets that were solved are not solved again.
    pub memo: bool,
    /// Splits that part the points alike are one.
    pub equal_splits: bool,
    /// Large sides of a split are searched in parallel.
    pub side_by_side: bool,
    /// In the boxed model, the best trees of the collapsed model are lower bounds.
    pub collapsed_bounds: bool,
    /// Branch and bound: the errors of both sides give a lower bound of a split.
    pub split_bounds: bool,
    /// Branch and bound: a set is worth at least as much as any part of it.
    pub part_bounds: bool,
    /// Branch and bound: a set that was refuted is tried again with a larger upper bound than asked for.
    pub wider_retries: bool,
    /// Branch and bound: few points that are left move to bit sets of their own.
    pub packed_universe: bool,
    /// Large alphas, which are easy, come before the one that is asked for.
    pub large_alphas_first: bool,
    /// The search begins with the best greedy tree.
    pub greedy_start: bool,
    /// The trees of a family share what they have in common while they are put together.
    pub shared_plans: bool,
    /// The work between two checks of the deadline.
    pub check_every: u64,
    /// Sides with at least this many points are searched in parallel.
    pub many_points: u32,
    /// This much work on the grid is done even without time.
    pub little_work: usize,
}

impl DyadicSwitches {
    /// The way the learner works. Its own tests take small steps, since they stop small searches.
    pub const ALL: Self = Self {
        estimated_cells: true,
        sample_first: true,
        packed_sums: true,
        lower_bounds: true,
        memo: true,
        equal_splits: true,
        side_by_side: true,
        collapsed_bounds: true,
        split_bounds: true,
        part_bounds: true,
        wider_retries: true,
        packed_universe: true,
        large_alphas_first: true,
        greedy_start: true,
        shared_plans: true,
        check_every: if cfg!(test) { 100 } else { 200_000 },
        many_points: if cfg!(test) { 4 } else { 48 },
        little_work: if cfg!(test) { 100 } else { 2_000_000 },
    };

    /// The plain way.
    pub const NONE: Self = Self {
        estimated_cells: false,
        sample_first: false,
        packed_sums: false,
        lower_bounds: false,
        memo: false,
        equal_splits: false,
        side_by_side: false,
        collapsed_bounds: false,
        split_bounds: false,
        part_bounds: false,
        wider_retries: false,
        packed_universe: false,
        large_alphas_first: false,
        greedy_start: false,
        shared_plans: false,
        ..Self::ALL
    };
}

impl Default for DyadicSwitches {
    fn default() -> Self {
        Self::ALL
    }
}

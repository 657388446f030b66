//! How the search works: a switch for each bound, cache and order, and how much is done at once. None of this changes
//! a tree, only the time that it takes.

/// What the search does to save work. Tests switch it off, part by part.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Switches {
    /// Lower bounds of sets of rows hold for all sets that contain them.
    pub region_bounds: bool,
    /// Lower bounds of root features are handed on to larger sets of rows.
    pub inherited_floors: bool,
    /// Where only values of few leaves are wanted, there are only as many levels as these can have.
    pub levels_of_leaves: bool,
    /// The best tree with a level less, and the same root with a level more below, are the first incumbents.
    pub shallower_incumbent: bool,
    /// Where leaves have a least size, the best tree with leaves of any size is found first.
    pub relaxed_first: bool,
    /// Ranges of cuts have lower bounds by smaller leaves, where leaves have a least size. Without them all cuts are
    /// tried from three levels on.
    pub relaxed_ranges: bool,
    /// These leaves are only as much smaller as the range has rows.
    pub leaf_levels: bool,
    /// Scans count rows, where leaves have a least size.
    pub sized_scans: bool,
    /// Cuts close to one that misses the incumbent by far are left out.
    pub close_cuts: bool,
    /// A side that can only be a leaf is not searched.
    pub leaf_sides: bool,
    /// Rows that no tree can tell apart give a lower bound when a search was stopped.
    pub equivalent_points: bool,
    /// When a search was stopped, a greedy tree may be the incumbent.
    pub greedy_incumbent: bool,
    /// Depth two by histograms. Without them the best-first search solves it, cut by cut.
    pub histograms: bool,
    /// Depth two by scans, for two classes in a few intervals. Without them it is solved by histograms.
    pub scans: bool,
    /// Features of a large table that no good tree needs are found before all features are sorted.
    pub screening: bool,
    /// Root features with a small lower bound come first.
    pub root_order: bool,
    /// Child features that cannot be part of a better tree are left out.
    pub child_bounds: bool,
    /// Histograms with few bins are followed by some with many, before ranges of cuts are refined.
    pub second_histogram: bool,
    /// Only bins in which a cut could be better are refined.
    pub bin_bounds: bool,
    /// Rows that are read often are kept in the order in which they are read.
    pub gathered_rows: bool,
    /// Histograms are kept until their ranges are refined.
    pub kept_histograms: bool,
    /// Scans of a large table begin with lower bounds by histograms.
    pub histograms_before_scans: bool,
    /// Scans for close cuts read run-length lists in place of all rows.
    pub run_lists: bool,
    /// For every number of leaves, the last two levels by scans of many cuts at once.
    pub scans_by_size: bool,
    /// Local search finds good trees before anything is proven: from depth four on, and with a limit of time at depth
    /// three.
    pub local_search: bool,
    /// With a limit of time, local search and a lower bound for the whole depth go on beside the proof.
    pub helper: bool,
    /// How much is done at once.
    pub sizes: Sizes,
}

impl Switches {
    /// The way the learner works.
    pub const USUAL: Self = Self {
        region_bounds: true,
        inherited_floors: true,
        levels_of_leaves: true,
        shallower_incumbent: true,
        relaxed_first: true,
        relaxed_ranges: true,
        leaf_levels: true,
        sized_scans: true,
        close_cuts: true,
        leaf_sides: true,
        equivalent_points: true,
        greedy_incumbent: true,
        histograms: true,
        scans: true,
        screening: true,
        root_order: true,
        child_bounds: true,
        second_histogram: true,
        bin_bounds: true,
        gathered_rows: true,
        kept_histograms: true,
        histograms_before_scans: true,
        run_lists: true,
        scans_by_size: true,
        local_search: true,
        helper: true,
        sizes: Sizes::USUAL,
    };
    /// The way the learner works, with tiny sizes of work.
    pub const TINY: Self = Self {
        sizes: Sizes::TINY,
        ..Self::USUAL
    };
    /// Everything switched off.
    pub const NONE: Self = Self {
        region_bounds: false,
        inherited_floors: false,
        levels_of_leaves: false,
        shallower_incumbent: false,
        relaxed_first: false,
        relaxed_ranges: false,
        leaf_levels: false,
        sized_scans: false,
        close_cuts: false,
        leaf_sides: false,
        equivalent_points: false,
        greedy_incumbent: false,
        histograms: false,
        scans: false,
        screening: false,
        root_order: false,
        child_bounds: false,
        second_histogram: false,
        bin_bounds: false,
        gathered_rows: false,
        kept_histograms: false,
        histograms_before_scans: false,
        run_lists: false,
        scans_by_size: false,
        local_search: false,
        helper: false,
        sizes: Sizes::USUAL,
    };
}

/// Sizes of the parts in which work is done. Tests make them small, so that small tables take all paths of the code.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The fewest rows for screening.
    pub screened_rows: usize,
    /// Lanes of a root and bins of its children in the first histogram, with few rows or many classes.
    pub few: usize,
    /// Lanes of a root and bins of its children in the first histogram, with many rows; 62 and the ends
    /// fill whole vectors.
    pub many: usize,
    /// The fewest rows that are many.
    pub many_rows: usize,
    /// Bins of children in the second histogram; their numbers fit into a byte.
    pub bins: usize,
    /// The fewest rows for a second histogram.
    pub second_rows: usize,
    /// The fewest rows for each class for a second histogram, with more than three classes in two intervals.
    pub second_per_class: usize,
    /// Lanes of a root, and bins of a child, in a refined histogram.
    pub refined_lanes: usize,
    pub refined_bins: usize,
    /// The fewest rows that are gathered.
    pub gathered_rows: usize,
    /// With more rows than this, scans begin with histograms.
    pub scanned_rows: usize,
    /// Cuts that are scanned together, 62 at most.
    pub cuts: usize,
    /// Cuts are close together if the rows between them times this are fewer than all.
    pub close_by: u32,
    /// The most classes times intervals for histograms. With more, cuts are solved one by one.
    pub sums: usize,
    /// The most numbers of histograms that are kept.
    pub kept: usize,
    /// The helper begins after this part of the time, as one of so many.
    pub helped_after: u32,
    /// Of the time since then, each of its two tasks has one part of so many.
    pub helped_part: u32,
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
        close_by: 100,
        sums: 200,
        kept: 8 << 20,
        helped_after: 50,
        helped_part: 4,
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
        helped_after: u32::MAX,
        helped_part: 1,
    };
}

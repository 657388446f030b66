//! Depth two by histograms: weights of classes in bins of each child, for many cuts of the root at once.
//!
//! **Problem.** For all cuts of a root and all child features, find lower bounds and values of the two sides.
//!
//! **Method.** A lane of a vector stands for a cut of the root. A child feature comes as *bins*, in the order of its
//! cells. Its histogram has, for each bin, class and lane, the weight of the rows below the cut of the lane; what is
//! above is the last lane less that. From this follow, for both sides and all lanes,
//!
//! - what intervals gain whose ends are ends of bins: the value of a tree;
//! - what they gain at most if ends may also lie inside *open* bins: an interval that ends within a
//!   bin gets all of its own class there, and so does the next one. This is a lower bound of the value.
//!
//! The first histogram has all rows, from one pass over them for each child. A refined histogram is for the cuts
//! between two lanes. Rows below or above both lanes stay where they are; only those between them move. And only
//! bins in which a cut could be better are divided further.
//!
//! A root that sets one category apart has a lane for each category: below are the rows of the category alone, and
//! above all others, so all of the above holds for it. Only sums over the lanes so far make no sense there.

#[expect(
    clippy::needless_range_loop,
    reason = "numbers of intervals on both sides go together"
)]
pub(crate) mod bin_bounds;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod bins;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod bounds;
pub(crate) mod engine;
#[expect(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "only what is inlined is made for the widest vectors; classes go together"
)]
pub(crate) mod gains;
pub(crate) mod gathered;
pub(crate) mod refine;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod view;

use self::bins::{Bin, Bins};
use self::view::{HistogramView, RootSide};
use crate::learn::optimal::depth2::cut_range::ChildRange;
use crate::learn::optimal::depth2::lane_of_rank::LaneOfRank;
use crate::learn::optimal::depth2::simd::{LANES, Lane};
use crate::learn::optimal::problem::{Context, IntervalRule, Label, RowSet};

/// Some cuts of a root.
#[derive(Debug)]
pub(crate) struct Histogram<T> {
    root: usize,
    /// The ranks at which the upper side begins, rising: a lane for each. Of a root that sets one category apart,
    /// the ranks after each category.
    cuts: Vec<u32>,
    /// Are the rows of a lane those of one category, and not all below a cut?
    is_apart: bool,
    stride: usize,
    n_slots: usize,
    /// `[class][lane]`, as in the tables of the children.
    sums: Vec<T>,
    children: Vec<ChildHistogram<T>>,
    /// For each side and lane, what the rows cost at least as a leaf or by any child.
    lower: [Vec<u64>; 2],
    /// What they cost by a tree that exists.
    real: [Vec<u64>; 2],
    /// A lower bound of what was left out, with the other side.
    floor: u64,
}

/// A feature that the children of the root may split on.
#[derive(Debug)]
pub(crate) struct ChildHistogram<T> {
    feature: usize,
    bins: Vec<Bin>,
    /// `[bin][class][lane]`; missing cells are one more bin, the last. Empty for very many categories.
    table: Vec<T>,
    /// For each side and lane the least cost; nothing on a side where the feature is ruled out.
    lower: [Vec<u64>; 2],
}

impl<T> ChildHistogram<T> {
    /// A lower bound of all rows by this child, in a histogram with all rows above the first cut.
    pub(crate) fn lower_of_all(&self) -> u64 {
        self.lower[1][0]
    }
}

/// The sides in the order of arrays.
pub(crate) const SIDES: [RootSide; 2] = [RootSide::Low, RootSide::High];

/// Tables that are not needed any more, for others.
pub(crate) type Spare<T> = Vec<Vec<T>>;

/// A table of zeros.
pub(crate) fn zeros<T: Lane>(spare: &mut Spare<T>, len: usize) -> Vec<T> {
    let mut table = spare.pop().unwrap_or_default();
    table.clear();
    table.resize(len, T::default());
    table
}

impl<T: Lane> Histogram<T> {
    /// All cuts between bins of the root, which all rows have. The children are features, and the sides
    /// that they can split.
    pub(crate) fn first(
        context: Context<'_>,
        rows: &RowSet,
        bins: &Bins,
        root: usize,
        children: &[(usize, [bool; 2])],
        spare: &mut Spare<T>,
    ) -> Self {
        let of = |feature: usize| bins.of(rows, feature, context.table.kinds()[feature]);
        let cuts = if context.table.is_binary(root) {
            (1..=rows.cells()[root].n_ways_apart()).collect()
        } else {
            of(root).cuts().to_vec()
        };
        let mut histogram = Self::new(context, rows, root, cuts);
        let code =
            |row: usize, lane: usize| (histogram.slot(rows, row) * histogram.stride + lane) as u32;
        let codes: Vec<u32> = if histogram.is_apart {
            let last = histogram.cuts.len();
            let ranks = rows.cells()[root].ranks().iter().enumerate();
            ranks
                .map(|(row, &rank)| code(row, last.min(rank as usize)))
                .collect()
        } else if of(root).are_lanes_bins() {
            let bins = of(root).of_row().iter().enumerate();
            bins.map(|(row, &bin)| code(row, bin as usize + 1))
                .collect()
        } else {
            let lanes = LaneOfRank::new(&histogram.cuts);
            let ranks = rows.cells()[root].ranks().iter().enumerate();
            ranks
                .map(|(row, &rank)| code(row, lanes.of(rank)))
                .collect()
        };
        let is_plain = rows.labels().iter().all(|label| label.weight == 1);
        let amounts: Vec<T> = if is_plain { Vec::new() } else { amounts(rows) };
        for (row, &code) in codes.iter().enumerate() {
            let sum = &mut histogram.sums[code as usize];
            *sum = sum.plus(T::new(rows.labels()[row].amount()));
        }
        let step = histogram.n_slots * histogram.stride;
        histogram.sweep_leaves(context);
        for &(feature, is_live) in children {
            let (bins, of_row) = (of(feature).bins(), of(feature).of_row());
            let mut table = Vec::new();
            if !of_row.is_empty() {
                let n_missing = usize::from(rows.cells()[feature].has_missing());
                table = zeros(spare, (bins.len() + n_missing) * step);
                fill(&mut table, of_row, &codes, &amounts, step);
            }
            let child = ChildHistogram {
                feature,
                bins: bins.to_vec(),
                table,
                lower: [Vec::new(), Vec::new()],
            };
            histogram.sweep(context, rows, child, is_live);
        }
        histogram
    }

    pub(crate) fn new(context: Context<'_>, rows: &RowSet, root: usize, cuts: Vec<u32>) -> Self {
        let stride = (cuts.len() + 1).next_multiple_of(LANES);
        let n_slots = context.table.n_classes() + usize::from(rows.has_idle());
        Self {
            root,
            cuts,
            is_apart: context.table.is_binary(root),
            stride,
            n_slots,
            sums: vec![T::default(); n_slots * stride],
            children: Vec::new(),
            lower: [Vec::new(), Vec::new()],
            real: [Vec::new(), Vec::new()],
            floor: u64::MAX,
        }
    }

    /// The feature of the root.
    pub(crate) fn root(&self) -> usize {
        self.root
    }

    pub(crate) fn children(&self) -> &[ChildHistogram<T>] {
        &self.children
    }

    /// The rank at which the upper side of a lane begins.
    pub(crate) fn cut(&self, lane: usize) -> u32 {
        self.cuts[lane]
    }

    /// The class of a row, or one too many if it has no weight.
    #[inline]
    pub(crate) fn slot(&self, rows: &RowSet, row: usize) -> usize {
        let label = rows.labels()[row];
        if label.weight == 0 {
            self.n_slots - 1
        } else {
            label.class as usize
        }
    }

    /// Leaves its tables to others.
    pub(crate) fn recycle(self, spare: &mut Spare<T>) {
        spare.extend(self.children.into_iter().map(|child| child.table));
    }

    /// The features that could split the sides of cuts of some lanes, for which trees have to cost less than a
    /// limit. The others cost at least as much as is returned besides.
    pub(crate) fn live_children(&self, lanes: &[(usize, u64)]) -> (Vec<(usize, [bool; 2])>, u64) {
        let (mut children, mut floor) = (Vec::new(), u64::MAX);
        for child in &self.children {
            let mut is_live = [false; 2];
            for &(lane, limit) in lanes {
                for (at, cost) in self.costs(child, lane).into_iter().enumerate() {
                    is_live[at] |= cost < limit;
                    if cost >= limit {
                        floor = floor.min(cost);
                    }
                }
            }
            if is_live != [false; 2] {
                children.push((child.feature, is_live));
            }
        }
        (children, floor)
    }

    /// The cuts between lanes as ranges, with lower bounds of all children.
    pub(crate) fn cut_ranges(&self, n_children: usize, missing: u64) -> Vec<ChildRange> {
        let range = |lane: usize| {
            let mut by_child = vec![[u64::MAX; 2]; n_children];
            for child in &self.children {
                by_child[child.feature] = self.sides_by(child, lane);
            }
            ChildRange::new(
                self.root,
                self.cuts_of(lane),
                self.sides(lane),
                missing,
                by_child,
            )
        };
        let ranges = (0..self.n_ranges()).map(range);
        ranges.filter(|range| !range.is_empty()).collect()
    }

    /// Lower bounds by one child for the rows below the cuts of a lane and above; `u64::MAX` if it is
    /// ruled out.
    pub(crate) fn sides_by(&self, child: &ChildHistogram<T>, lane: usize) -> [u64; 2] {
        let lower = |at: usize, lane: usize| child.lower[at].get(lane).copied();
        let sides = [lower(0, lane), lower(1, self.end(lane))];
        sides.map(|lower| lower.unwrap_or(u64::MAX))
    }

    /// Is a rank of the root below the cut of a lane, or its category?
    pub(super) fn is_below(&self, rank: u32, lane: usize) -> bool {
        let cut = self.cuts[lane];
        rank < cut && !(self.is_apart && rank + 1 < cut)
    }

    /// The lanes of the ranks of the root.
    pub(super) fn lanes(&self) -> LaneOfRank {
        if self.is_apart {
            LaneOfRank::apart(self.cuts[0] - 1)
        } else {
            LaneOfRank::new(&self.cuts)
        }
    }

    /// The first and the last cut from a lane on and before the next one.
    pub(crate) fn cuts_of(&self, lane: usize) -> [u32; 2] {
        let last = match self.cuts.get(lane + 1) {
            Some(&next) => next - 1,
            None => self.cuts[lane],
        };
        [self.cuts[lane].max(1), last]
    }

    /// Lower bounds of the rows below the cuts of a lane and above.
    #[inline]
    pub(crate) fn sides(&self, lane: usize) -> [u64; 2] {
        [self.lower[0][lane], self.lower[1][self.end(lane)]]
    }

    /// What trees cost at least that are cut from a lane on and before the next, and split on this child below
    /// or above the cut.
    pub(crate) fn costs(&self, child: &ChildHistogram<T>, lane: usize) -> [u64; 2] {
        let end = self.end(lane);
        let cost = |at: usize, lane: usize, other: u64| {
            let least = child.lower[at].get(lane);
            least.map_or(u64::MAX, |least| least.saturating_add(other))
        };
        [
            cost(0, lane, self.lower[1][end]),
            cost(1, end, self.lower[0][lane]),
        ]
    }

    /// The lane in which the rows above the cut are fewest.
    pub(crate) fn end(&self, lane: usize) -> usize {
        if self.is_single(lane) { lane } else { lane + 1 }
    }

    /// Numbers in all tables.
    pub(crate) fn size(&self) -> usize {
        self.children.iter().map(|child| child.table.len()).sum()
    }

    /// The lanes that can be cuts of the root, all but the last: it ends the range. Categories end none.
    pub(crate) fn n_ranges(&self) -> usize {
        if self.is_apart {
            self.cuts.len()
        } else {
            self.cuts.len().max(2) - 1
        }
    }

    /// What a tree costs that is cut here.
    pub(crate) fn value(&self, lane: usize) -> u64 {
        self.real[0][lane].saturating_add(self.real[1][lane])
    }

    /// No tree of one level costs less, on the first level: all rows are above the first lane.
    pub(crate) fn shallower(&self) -> u64 {
        self.lower[1][0]
    }

    /// Is there but one cut from this lane on and before the next?
    pub(crate) fn is_single(&self, lane: usize) -> bool {
        self.is_apart || lane + 1 == self.cuts.len() || self.cuts[lane + 1] == self.cuts[lane] + 1
    }

    #[inline]
    pub(crate) fn view<'t>(&self, table: &'t [T]) -> HistogramView<'t, T> {
        HistogramView::new(table, self.stride, self.n_slots, self.cuts.len())
    }
}

/// The largest number of intervals that can gain anything.
pub(crate) fn n_intervals(rule: IntervalRule, bins: &[Bin]) -> usize {
    let n_ranks = bins.last().map_or(0, |bin| bin.end() as usize);
    rule.most().min(n_ranks)
}

/// What rows count: their weight, or 1 if they have none and are only counted.
pub(crate) fn amounts<T: Lane>(rows: &RowSet) -> Vec<T> {
    let amount = |label: &Label| T::new(label.amount());
    rows.labels().iter().map(amount).collect()
}

/// Adds rows to the places of their bins and codes; each counts as 1 if there are no amounts.
fn fill<T: Lane>(table: &mut [T], of_row: &[u8], codes: &[u32], amounts: &[T], step: usize) {
    let places = of_row.iter().zip(codes);
    let places = places.map(|(&bin, &code)| bin as usize * step + code as usize);
    if amounts.is_empty() {
        for place in places {
            table[place] = table[place].plus(T::new(1));
        }
    } else {
        for (place, &amount) in places.zip(amounts) {
            table[place] = table[place].plus(amount);
        }
    }
}

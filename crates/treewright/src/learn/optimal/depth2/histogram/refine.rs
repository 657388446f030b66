//! Refinement: a histogram for the cuts between two lanes of another.

use super::bin_bounds::BinGoal;
use super::bins::{Bin, part};
use super::gathered::{GatheredRow, GatheredRows};
use super::{ChildHistogram, Histogram, Spare, zeros};
use crate::learn::optimal::depth2::lane_of_rank::LaneOfRank;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{Context, FeatureCells, FeatureKind, NONE, RowSet};

/// Rows between two lanes of the coarser histogram.
struct Moving<'a> {
    rows: &'a [u32],
    lanes: LaneOfRank,
    ranks: &'a [u32],
    from: usize,
    to: usize,
}

impl Moving<'_> {
    #[inline]
    fn lane(&self, row: u32) -> usize {
        self.lanes.of(self.ranks[row as usize])
    }
}

/// Where the old bins of a child go.
struct Parting {
    bins: Vec<Bin>,
    /// For each old bin, with that of missing cells, the first new one.
    first: Vec<usize>,
    /// Is it parted? The others are only sums.
    is_parted: Vec<bool>,
}

impl<T: Lane> Histogram<T> {
    /// The cuts from a lane on and before the next, with all that could still cost less than `upper`.
    pub(crate) fn refined(
        &self,
        context: Context<'_>,
        rows: &RowSet,
        lane: usize,
        upper: u64,
        gathered: &GatheredRows,
        spare: &mut Spare<T>,
    ) -> Self {
        let end = self.end(lane);
        let of_root = &rows.cells()[self.root];
        let mut cuts = vec![self.cuts[lane]];
        if end > lane {
            let parts = part(
                of_root,
                self.cuts[lane],
                self.cuts[end],
                context.switches.sizes.refined_lanes,
            );
            cuts.extend(parts.map(Bin::end));
        }
        let mut histogram = Self::new(context, rows, self.root, cuts);
        let moving = Moving {
            rows: of_root.rows(self.cuts[lane], self.cuts[end]),
            lanes: histogram.lanes(),
            ranks: of_root.ranks(),
            from: lane,
            to: end,
        };
        let mut sums = std::mem::take(&mut histogram.sums);
        histogram.keep(&mut sums, 0, self, &self.sums, 0, &moving);
        for &row in moving.rows {
            histogram.add(&mut sums, 0, rows, row, moving.lane(row));
        }
        histogram.sums = sums;
        histogram.sweep_leaves(context);
        for child in &self.children {
            let live = self.live_sides(context, child, lane, upper, &mut histogram.floor);
            if live == [false; 2] {
                continue;
            }
            let goal = BinGoal {
                live,
                others: [self.lower[1][end], self.lower[0][lane]],
                lanes: [lane, end],
                upper,
            };
            let refined = self.refine_child(
                context,
                rows,
                child,
                &mut histogram,
                &moving,
                goal,
                gathered,
                spare,
            );
            histogram.sweep(context, rows, refined, live);
        }
        histogram
    }

    /// The sides on which a child could be part of a better tree. With the others no lower bound is above
    /// `floor`.
    fn live_sides(
        &self,
        context: Context<'_>,
        child: &ChildHistogram<T>,
        lane: usize,
        upper: u64,
        floor: &mut u64,
    ) -> [bool; 2] {
        if !context.switches.child_bounds {
            return [true; 2];
        }
        let costs = self.costs(child, lane);
        for cost in costs.into_iter().filter(|&cost| cost >= upper) {
            *floor = (*floor).min(cost);
        }
        costs.map(|cost| cost < upper)
    }

    /// Adds a row to a bin of a table.
    #[inline]
    fn add(&self, table: &mut [T], bin: usize, rows: &RowSet, row: u32, lane: usize) {
        let slot = self.slot(rows, row as usize);
        let sum = &mut table[(bin * self.n_slots + slot) * self.stride + lane];
        *sum = sum.plus(T::new(rows.labels()[row as usize].amount()));
    }

    /// Adds rows that lie side by side.
    #[inline(never)]
    fn add_gathered(&self, table: &mut [T], bin: usize, rows: &[GatheredRow], lanes: &LaneOfRank) {
        for row in rows {
            let slot = bin * self.n_slots + row.slot();
            let sum = &mut table[slot * self.stride + lanes.of(row.rank())];
            *sum = sum.plus(T::new(row.amount()));
        }
    }

    /// Adds those rows of an old bin that are below or above all lanes to a new one.
    fn keep(
        &self,
        table: &mut [T],
        new: usize,
        coarse: &Self,
        from: &[T],
        old: usize,
        moving: &Moving<'_>,
    ) {
        let last = self.cuts.len();
        for slot in 0..self.n_slots {
            let old = &from[(old * self.n_slots + slot) * coarse.stride..][..coarse.stride];
            let new = &mut table[(new * self.n_slots + slot) * self.stride..][..self.stride];
            new[0] = new[0].plus(old[moving.from]);
            new[last] = new[last].plus(old[coarse.cuts.len()].minus(old[moving.to]));
        }
    }

    /// Which bins of a child are parted. What is left out costs at least the floor.
    fn parting(
        &self,
        context: Context<'_>,
        cells: &FeatureCells,
        child: &ChildHistogram<T>,
        goal: BinGoal,
        floor: &mut u64,
    ) -> Parting {
        let n_old = child.table.len() / (self.n_slots * self.stride);
        if context.table.kinds()[child.feature] == FeatureKind::Categorical {
            return Parting::none(&child.bins, n_old);
        }
        let lowers = self.bin_lowers(context, child, goal);
        for (bin, &lower) in child.bins.iter().zip(&lowers) {
            if lower >= goal.upper && (bin.is_open() || bin.is_cut_after()) {
                *floor = (*floor).min(lower);
            }
        }
        let is_parted = lowers.into_iter().map(|lower| lower < goal.upper).collect();
        let n_bins = context.switches.sizes.refined_bins;
        Parting::new(cells, &child.bins, is_parted, n_old, n_bins)
    }

    #[allow(clippy::too_many_arguments)]
    fn refine_child(
        &self,
        context: Context<'_>,
        rows: &RowSet,
        child: &ChildHistogram<T>,
        histogram: &mut Self,
        moving: &Moving<'_>,
        goal: BinGoal,
        gathered: &GatheredRows,
        spare: &mut Spare<T>,
    ) -> ChildHistogram<T> {
        let mut refined = ChildHistogram {
            feature: child.feature,
            bins: child.bins.clone(),
            table: Vec::new(),
            lower: [Vec::new(), Vec::new()],
        };
        if child.table.is_empty() {
            return refined;
        }
        let n_old = child.table.len() / (self.n_slots * self.stride);
        let cells = &rows.cells()[child.feature];
        let parting = self.parting(context, cells, child, goal, &mut histogram.floor);
        let n_new = parting.bins.len() + n_old - child.bins.len();
        let mut table = zeros(spare, n_new * histogram.n_slots * histogram.stride);
        for old in (0..n_old).filter(|&old| !parting.is_parted[old]) {
            histogram.keep(
                &mut table,
                parting.first[old],
                self,
                &child.table,
                old,
                moving,
            );
        }
        // Rows that move, in bins that are only sums.
        for &row in moving.rows {
            let rank = cells.ranks()[row as usize];
            let old = if rank == NONE {
                n_old - 1
            } else {
                child.bins.partition_point(|bin| bin.end() <= rank)
            };
            if !parting.is_parted[old] {
                histogram.add(&mut table, parting.first[old], rows, row, moving.lane(row));
            }
        }
        // All rows of the others.
        let is_parted = |old: &usize| parting.is_parted[*old];
        let n_rows = |old: usize| {
            let bin = child.bins[old];
            cells.rows(bin.start(), bin.end()).len()
        };
        let n_looks = || (0..child.bins.len()).filter(is_parted).map(n_rows).sum();
        let in_order = gathered.of(rows, self.root, child.feature, n_looks);
        for old in (0..child.bins.len()).filter(is_parted) {
            for new in parting.new_bins(old) {
                let bin = parting.bins[new];
                if let Some(in_order) = in_order {
                    let [from, to] =
                        [bin.start(), bin.end()].map(|rank| cells.starts()[rank as usize] as usize);
                    histogram.add_gathered(&mut table, new, &in_order[from..to], &moving.lanes);
                } else {
                    for &row in cells.rows(bin.start(), bin.end()) {
                        histogram.add(&mut table, new, rows, row, moving.lane(row));
                    }
                }
            }
        }
        refined.bins = parting.bins;
        refined.table = table;
        refined
    }
}

impl Parting {
    /// Bins in which a cut could be better are parted further, neighbours of the others are one.
    fn new(
        cells: &FeatureCells,
        old: &[Bin],
        mut is_parted: Vec<bool>,
        n_old: usize,
        n_bins: usize,
    ) -> Self {
        let n_parted = is_parted.iter().filter(|&&is_parted| is_parted).count();
        let each = (n_bins / n_parted.max(1)).max(2);
        let (mut bins, mut first): (Vec<Bin>, Vec<usize>) = (Vec::new(), Vec::new());
        for (at, bin) in old.iter().enumerate() {
            if is_parted[at] {
                first.push(bins.len());
                bins.extend(part(cells, bin.start(), bin.end(), each));
                if let Some(last) = bins.last_mut() {
                    *last = last.cut_as(*bin);
                }
                continue;
            }
            match bins.last_mut() {
                Some(last) if at > 0 && !is_parted[at - 1] => *last = last.up_to(*bin),
                _ => bins.push(bin.closed()),
            }
            first.push(bins.len() - 1);
        }
        // Missing cells.
        is_parted.resize(n_old, false);
        first.resize(n_old, bins.len());
        Self {
            bins,
            first,
            is_parted,
        }
    }

    /// The new bins of an old one.
    fn new_bins(&self, old: usize) -> std::ops::Range<usize> {
        let after = self.first.get(old + 1).copied();
        self.first[old]..after.unwrap_or(self.bins.len())
    }

    /// All bins stay as they are.
    fn none(old: &[Bin], n_old: usize) -> Self {
        Self {
            bins: old.to_vec(),
            first: (0..n_old).collect(),
            is_parted: vec![false; n_old],
        }
    }
}

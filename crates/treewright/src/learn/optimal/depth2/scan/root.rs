//! A root feature that is solved by scans: ranges of cuts, and new cuts for those that can be better.
//!
//! **Lemma.** Between two solved cuts lies a range. The value of the rows below its first cut and of those above its
//! last cut are a lower bound for all of its cuts; by each child, too. So ranges that cannot be better are dropped,
//! and in the others children that are too expensive at both ends.
//!
//! **Method.** The best range, and others that need no more children, get new cuts in proportion to their rows, up
//! to 62 at a time, until no range is left.

use std::borrow::Cow;

use rayon::prelude::*;

use super::batch::Batch;
use super::close_cuts::{CloseCuts, evenly, next_cuts};
use super::sized_root::SizedBounds;
use crate::learn::optimal::depth2::cut_range::{ChildRange, CutRange};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{Context, FeatureKind, RootSplit, RowSet, TreeIncumbent};

/// A numeric root.
#[derive(Debug)]
pub(crate) struct ScanRoot<'a> {
    pub(super) feature: usize,
    /// The rows that have a cell.
    pub(super) rows: Cow<'a, RowSet>,
    /// The value of the branch for missing cells, or 0.
    pub(super) missing: u64,
    /// No tree with this root that was passed over has a smaller value.
    pub(super) floor: u64,
    /// Cuts that may be better.
    pub(super) ranges: Vec<ChildRange>,
    /// A lower bound of the value at depth - 1, if that is known.
    pub(super) shallower: Option<u64>,
    scans: CloseCuts,
}

impl<'a> ScanRoot<'a> {
    /// All cuts of a feature that all rows have.
    pub(crate) fn new(feature: usize, rows: Cow<'a, RowSet>, missing: u64, per_leaf: u64) -> Self {
        let cells = &rows.cells()[feature];
        let n_ranks = cells.n_ranks() as u32;
        let by_child = vec![[per_leaf; 2]; rows.cells().len()];
        let whole =
            |by_child| ChildRange::new(feature, [1, n_ranks - 1], [per_leaf; 2], missing, by_child);
        Self {
            feature,
            ranges: (n_ranks > 1).then(|| whole(by_child)).into_iter().collect(),
            rows,
            missing,
            floor: u64::MAX,
            shallower: None,
            scans: CloseCuts::default(),
        }
    }

    /// What leaves and children cost on both sides of a cut.
    pub(crate) fn at<T: Lane>(&self, context: Context<'_>, cut: u32) -> ([u64; 2], Vec<[u64; 2]>) {
        let encoding = context.encoding;
        let batch = Batch::<T>::new(&self.rows, self.feature, &[cut], &[], true);
        let kinds = context.table.kinds().iter().copied().enumerate();
        let child = |child: (usize, FeatureKind)| {
            if context.table.is_binary(child.0) {
                return batch.groups_of(context, &self.rows, child.0)[0];
            }
            batch.child(
                context.arch,
                &self.rows,
                child,
                None,
                (encoding, context.rule.most()),
            )[0]
        };
        (batch.leaves(encoding)[0], kinds.map(child).collect())
    }

    /// A root without cuts.
    pub(crate) fn none(feature: usize, floor: u64) -> Self {
        Self {
            feature,
            rows: Cow::Owned(RowSet::none()),
            missing: 0,
            floor,
            ranges: Vec::new(),
            shallower: None,
            scans: CloseCuts::default(),
        }
    }

    /// Solves the first cuts, evenly over all rows; and no cut at all, which is a tree of one level.
    pub(crate) fn begin<T: Lane>(&mut self, context: Context<'_>, incumbent: &TreeIncumbent) {
        let lanes = if self.rows.len() < 6000 { 32 } else { 62 };
        self.drop_small(context.rule.min_leaf());
        let ranges = std::mem::take(&mut self.ranges);
        let Some(range) = ranges.first() else {
            return;
        };
        let starts = self.rows.cells()[self.feature].starts();
        let n_cuts = context.switches.sizes.cuts.min(lanes) - 1;
        let mut cuts = vec![0];
        cuts.extend(evenly(starts, range.cuts(), n_cuts));
        self.solve::<T>(context, ranges, &[cuts], incumbent, false);
    }

    /// The least lower bound of all ranges.
    pub(crate) fn least_lower(&self) -> u64 {
        let lowers = self.ranges.iter().map(ChildRange::lower);
        lowers.min().unwrap_or(u64::MAX)
    }

    /// Leaves out ranges in which nothing better can be, and in the others children that are too expensive.
    pub(crate) fn drop_far(&mut self, context: Context<'_>, incumbent: &TreeIncumbent) {
        for mut range in std::mem::take(&mut self.ranges) {
            let upper = incumbent.upper_for(range.first_split());
            if range.lower() >= upper {
                self.floor = self.floor.min(range.lower());
                continue;
            }
            let [low, high] = range.sides();
            let children = range.payload_mut().iter_mut();
            for by_child in children.filter(|_| context.switches.child_bounds) {
                let others = [high, low];
                for (lower, other) in by_child.iter_mut().zip(others) {
                    let cost = lower.saturating_add(other + self.missing);
                    if cost >= upper {
                        self.floor = self.floor.min(cost);
                        *lower = u64::MAX;
                    }
                }
            }
            self.ranges.push(range);
        }
    }

    /// Leaves out cuts that are in none of these ranges: nothing better was there before.
    pub(crate) fn keep_within(&mut self, ranges: &[ChildRange]) {
        self.ranges.retain(|new| {
            let [first, last] = new.cuts();
            let meets = |old: &ChildRange| old.cuts()[0] <= last && first <= old.cuts()[1];
            ranges.iter().any(meets)
        });
    }

    /// Solves cuts until nothing better is left. Was there time for all?
    pub(crate) fn solve_all<T: Lane>(
        &mut self,
        context: Context<'_>,
        incumbent: &TreeIncumbent,
        is_over: impl Fn() -> bool,
        is_parallel: bool,
    ) -> bool {
        self.drop_small(context.rule.min_leaf());
        loop {
            self.drop_far(context, incumbent);
            if self.ranges.is_empty() {
                return true;
            }
            if is_over() {
                self.floor = self.floor.min(self.least_lower());
                return false;
            }
            let (ranges, cuts) = self.next_cuts(context.switches.sizes.cuts);
            self.solve::<T>(context, ranges, &cuts, incumbent, is_parallel);
        }
    }

    /// Ranges to solve next, and new cuts in each of them: the best one, and others for which no other child
    /// matters.
    fn next_cuts(&mut self, n_cuts: usize) -> (Vec<ChildRange>, Vec<Vec<u32>>) {
        self.ranges
            .sort_by_key(|range| (range.lower(), range.cuts()));
        let is_live = |range: &ChildRange, child: usize| range.payload()[child] != [u64::MAX; 2];
        let ranges = std::mem::take(&mut self.ranges);
        let next = next_cuts(
            &self.rows,
            self.feature,
            ranges,
            n_cuts,
            ChildRange::cuts,
            is_live,
        );
        self.ranges = next.others;
        (next.ranges, next.cuts)
    }

    /// Solves some cuts of ranges; what remains of them are smaller ranges.
    pub(crate) fn solve<T: Lane>(
        &mut self,
        context: Context<'_>,
        ranges: Vec<ChildRange>,
        cuts: &[Vec<u32>],
        incumbent: &TreeIncumbent,
        is_parallel: bool,
    ) {
        let encoding = context.encoding;
        let all: Vec<u32> = cuts.concat();
        if all.is_empty() {
            return;
        }
        let is_live = |&child: &usize| {
            ranges
                .iter()
                .any(|range| range.payload()[child] != [u64::MAX; 2])
        };
        let children: Vec<usize> = (0..self.rows.cells().len()).filter(is_live).collect();
        let sizes = self.sizes(context, &ranges, cuts);
        let is_sized = sizes.is_some();
        let root = (&*self.rows, self.feature);
        let batch: Batch<T> = if is_sized {
            self.scans.batch_of_all_rows(root, &all)
        } else {
            self.scans.batch(context, root, &all, &children)
        };
        let batch = batch.with_sizes(sizes);
        let value = |&child: &usize| {
            if context.table.is_binary(child) {
                return batch.groups_of(context, &self.rows, child);
            }
            let run_list = self.scans.of_child(child);
            let kind = context.table.kinds()[child];
            let goal = (encoding, context.rule.most());
            batch.child(context.arch, &self.rows, (child, kind), run_list, goal)
        };
        let values: Vec<Vec<[u64; 2]>> = if is_parallel {
            children.par_iter().map(value).collect()
        } else {
            children.iter().map(value).collect()
        };
        let lower = least_of_all(batch.leaves(encoding), &values);
        for (&cut, lower) in all.iter().zip(&lower) {
            if cut == 0 {
                self.shallower = Some(lower[1]);
                continue;
            }
            let value = lower[0] + lower[1] + self.missing;
            if value <= incumbent.value() && !is_sized {
                let root = RootSplit::at(self.feature, cut);
                incumbent.offer(value, root.alone());
            }
            self.floor = self.floor.min(value);
        }
        if let Some(sizes) = batch.sizes() {
            let bounds = SizedBounds {
                cuts: &all,
                least: &sizes.least,
                children: &children,
                values: &values,
                lower: &lower,
                sums: &batch.sums,
            };
            self.offer_sized::<T>(context, &bounds, incumbent, is_parallel);
        }
        let solved = SolvedCuts {
            children: &children,
            values: &values,
            lower: &lower,
            is_sized,
        };
        self.keep_between(ranges, cuts, &solved, incumbent);
    }

    /// Keeps what remains of ranges between cuts that are solved.
    fn keep_between(
        &mut self,
        ranges: Vec<ChildRange>,
        cuts: &[Vec<u32>],
        solved: &SolvedCuts<'_>,
        incumbent: &TreeIncumbent,
    ) {
        let mut lane = 0;
        for (mut range, cuts) in ranges.into_iter().zip(cuts) {
            for &cut in cuts {
                if cut == 0 && solved.is_sized {
                    // No rows are below it, which are too few.
                    lane += 1;
                    continue;
                }
                let [low, high] = solved.lower[lane];
                let first = range.cuts()[0];
                if first < cut {
                    let rest = range.part([first, cut - 1], [range.sides()[0], high], ());
                    if self.is_open(&rest, incumbent) {
                        let by_child = range.payload().clone();
                        let mut below = rest.part(rest.cuts(), rest.sides(), by_child);
                        solved.set(&mut below, 1, lane);
                        self.ranges.push(below);
                    }
                }
                range.begin_at(cut + 1, low);
                solved.set(&mut range, 0, lane);
                lane += 1;
            }
            if !range.is_empty() && self.is_open(&range, incumbent) {
                self.ranges.push(range);
            }
        }
    }

    /// Can a cut of a range be better? Most ranges have none, and their payload is never made.
    fn is_open<P>(&mut self, range: &CutRange<P>, incumbent: &TreeIncumbent) -> bool {
        let is_open = range.is_open(incumbent);
        if !is_open {
            self.floor = self.floor.min(range.lower());
        }
        is_open
    }
}

/// The least of leaves and all children, for both sides of each cut.
pub(super) fn least_of_all(mut lower: Vec<[u64; 2]>, values: &[Vec<[u64; 2]>]) -> Vec<[u64; 2]> {
    for values in values {
        for (lower, value) in lower.iter_mut().zip(values) {
            *lower = [lower[0].min(value[0]), lower[1].min(value[1])];
        }
    }
    lower
}

/// What children cost on both sides of some cuts.
struct SolvedCuts<'a> {
    children: &'a [usize],
    /// For each child and cut.
    values: &'a [Vec<[u64; 2]>],
    /// For each cut the least of them and of leaves.
    lower: &'a [[u64; 2]],
    /// Do leaves have a least size?
    is_sized: bool,
}

impl SolvedCuts<'_> {
    /// Sets what children cost at one end of a range, where they are not ruled out.
    fn set(&self, range: &mut ChildRange, side: usize, lane: usize) {
        let by_child = range.payload_mut();
        for (&child, values) in self.children.iter().zip(self.values) {
            let known = &mut by_child[child][side];
            if *known != u64::MAX {
                *known = values[lane][side];
            }
        }
    }
}

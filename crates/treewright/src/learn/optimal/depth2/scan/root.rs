//! A root feature that is solved by scans: ranges of cuts, and new cuts for those that can be better.
//!
//! **Lemma.** Between two solved cuts lies a range. The value of the rows below its first cut and of those above its
//! last cut are a lower bound for all of its cuts; by each child, too. So ranges that cannot be better are dropped,
//! and in the others children that are too expensive at both ends.
//!
//! **Method.** The best range, and others that need no more children, get new cuts in proportion to their rows, up
//! to 62 at a time, until no range is left.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::batch::Batch;
use super::runs::{MOST_INTERVALS, RunList};
use crate::budget::Budget;
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
    /// For each rank the weights of both classes below it, when they are needed.
    below: OnceLock<Vec<[i64; 2]>>,
    /// Each for a range within that of the one before.
    run_lists: Vec<RunLists>,
}

/// The run-length lists of children for cuts in a range.
#[derive(Debug)]
struct RunLists {
    range: [u32; 2],
    of_child: Vec<Option<RunList>>,
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
            below: OnceLock::new(),
            run_lists: Vec::new(),
        }
    }

    /// For each rank the weights of both classes below it.
    fn below(&self) -> &[[i64; 2]] {
        self.below.get_or_init(|| {
            let cells = &self.rows.cells()[self.feature];
            let mut below = Vec::with_capacity(cells.n_ranks() + 1);
            let mut sums = [0; 2];
            below.push(sums);
            for group in cells.starts().windows(2) {
                for &row in &cells.order()[group[0] as usize..group[1] as usize] {
                    let label = self.rows.labels()[row as usize];
                    sums[label.class as usize] += i64::from(label.weight);
                }
                below.push(sums);
            }
            below
        })
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
            below: OnceLock::new(),
            run_lists: Vec::new(),
        }
    }

    /// Solves the first cuts, evenly over all rows; and no cut at all, which is a tree of one level.
    pub(crate) fn begin<T: Lane>(&mut self, context: Context<'_>, incumbent: &TreeIncumbent) {
        let lanes = if self.rows.len() < 6000 { 32 } else { 62 };
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
        budget: &Budget,
        is_parallel: bool,
    ) -> bool {
        loop {
            self.drop_far(context, incumbent);
            if self.ranges.is_empty() {
                return true;
            }
            if budget.is_spent() {
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
        let starts = self.rows.cells()[self.feature].starts();
        let n_rows = |[from, to]: [u32; 2]| starts[to as usize + 1] - starts[from as usize - 1];
        self.ranges
            .sort_by_key(|range| (range.lower(), range.cuts()));
        let is_live = |range: &ChildRange, child: usize| range.payload()[child] != [u64::MAX; 2];
        let n_children = self.rows.cells().len();
        let best = &self.ranges[0];
        let live: Vec<bool> = (0..n_children).map(|child| is_live(best, child)).collect();
        let mut n_left = n_cuts;
        let (mut ranges, others): (Vec<ChildRange>, Vec<ChildRange>) =
            std::mem::take(&mut self.ranges)
                .into_iter()
                .partition(|range| {
                    let is_like =
                        (0..n_children).all(|child| live[child] || !is_live(range, child));
                    let is_chosen = is_like && n_left > 0;
                    n_left -= usize::from(is_chosen);
                    is_chosen
                });
        self.ranges = others;
        ranges.sort_by_key(ChildRange::cuts);
        let sizes = ranges.iter().map(|range| u64::from(n_rows(range.cuts())));
        let sizes: Vec<u64> = sizes.collect();
        let (mut lanes, mut left) = (n_cuts as u64, sizes.iter().sum::<u64>().max(1));
        let mut cuts = Vec::new();
        for (at, (range, &size)) in ranges.iter().zip(&sizes).enumerate() {
            let others = (ranges.len() - at - 1) as u64;
            let share = (lanes * size / left).clamp(1, lanes - others);
            let chosen = evenly(starts, range.cuts(), share as usize);
            lanes -= chosen.len() as u64;
            left = left.saturating_sub(size).max(1);
            cuts.push(chosen);
        }
        (ranges, cuts)
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
        let (Some(&first), Some(&last)) = (all.first(), all.last()) else {
            return;
        };
        let is_live = |&child: &usize| {
            ranges
                .iter()
                .any(|range| range.payload()[child] != [u64::MAX; 2])
        };
        let children: Vec<usize> = (0..self.rows.cells().len()).filter(is_live).collect();
        let is_narrow = self.prepare_run_lists(context, &children, [first, last]);
        let is_category = |child: &usize| context.table.kinds()[*child] == FeatureKind::Categorical;
        let is_whole = !is_narrow || children.iter().any(is_category);
        // A pass over all rows tells the sums at some cuts; those at all cuts take longer.
        let below = if is_whole { &[] } else { self.below() };
        let batch = Batch::<T>::new(&self.rows, self.feature, &all, below, is_whole);
        let value = |&child: &usize| {
            if context.table.is_binary(child) {
                return batch.groups_of(context, &self.rows, child);
            }
            let run_lists = self.run_lists.last().filter(|_| is_narrow);
            let run_list = run_lists.and_then(|run_lists| run_lists.of_child[child].as_ref());
            let kind = context.table.kinds()[child];
            let goal = (encoding, context.rule.most());
            batch.child(context.arch, &self.rows, (child, kind), run_list, goal)
        };
        let values: Vec<Vec<[u64; 2]>> = if is_parallel {
            children.par_iter().map(value).collect()
        } else {
            children.iter().map(value).collect()
        };
        let mut lower = batch.leaves(encoding);
        for values in &values {
            for (lower, value) in lower.iter_mut().zip(values) {
                *lower = [lower[0].min(value[0]), lower[1].min(value[1])];
            }
        }
        for (&cut, lower) in all.iter().zip(&lower) {
            if cut == 0 {
                self.shallower = Some(lower[1]);
                continue;
            }
            let value = lower[0] + lower[1] + self.missing;
            if value <= incumbent.value() {
                let root = RootSplit::at(self.feature, cut);
                incumbent.offer(value, root.alone());
            }
            self.floor = self.floor.min(value);
        }
        let solved = SolvedCuts {
            children: &children,
            values: &values,
            lower: &lower,
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

    /// Are cuts in a range so close together that run-length lists pay? Then there are some of all children.
    fn prepare_run_lists(
        &mut self,
        context: Context<'_>,
        children: &[usize],
        cuts: [u32; 2],
    ) -> bool {
        if !context.switches.run_lists {
            return false;
        }
        let is_within =
            |run_lists: &RunLists| run_lists.range[0] <= cuts[0] && cuts[1] <= run_lists.range[1];
        while self
            .run_lists
            .last()
            .is_some_and(|run_lists| !is_within(run_lists))
        {
            self.run_lists.pop();
        }
        let starts = self.rows.cells()[self.feature].starts();
        let n_rows = |range: [u32; 2]| starts[range[1] as usize] - starts[range[0] as usize];
        let is_much_less = match self.run_lists.last() {
            Some(run_lists) => n_rows(run_lists.range) > 4 * n_rows(cuts) + 64,
            None => context.switches.sizes.close_by * n_rows(cuts) < self.rows.len() as u32,
        };
        if is_much_less {
            self.run_lists.push(RunLists {
                range: cuts,
                of_child: self.rows.cells().iter().map(|_| None).collect(),
            });
        }
        let Some((run_lists, wider)) = self.run_lists.split_last_mut() else {
            return false;
        };
        let is_numeric = |child: &usize| context.table.kinds()[*child] == FeatureKind::Numeric;
        for &child in children.iter().filter(|child| is_numeric(child)) {
            let run_list = &mut run_lists.of_child[child];
            if run_list.is_none() {
                let mut wider = wider.iter().rev();
                let from = wider.find_map(|run_lists| run_lists.of_child[child].as_ref());
                let [first, last] = run_lists.range;
                let make = match context.rule.most() {
                    2 => Self::run_list::<2>,
                    3 => Self::run_list::<3>,
                    _ => Self::run_list::<MOST_INTERVALS>,
                };
                *run_list = Some(make(&self.rows, self.feature, child, from, first..last));
            }
        }
        true
    }

    /// The run-length list of a child, from that of a wider range if there is one.
    fn run_list<const K: usize>(
        rows: &RowSet,
        root: usize,
        child: usize,
        from: Option<&RunList>,
        cuts: Range<u32>,
    ) -> RunList {
        match from {
            Some(run_list) => run_list.narrowed::<K>(&cuts),
            None => RunList::new::<K>(rows, root, &cuts, &rows.cells()[child]),
        }
    }
}

/// What children cost on both sides of some cuts.
struct SolvedCuts<'a> {
    children: &'a [usize],
    /// For each child and cut.
    values: &'a [Vec<[u64; 2]>],
    /// For each cut the least of them and of leaves.
    lower: &'a [[u64; 2]],
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

/// About `n_cuts` cuts of a range with the same number of rows between them.
fn evenly(starts: &[u32], [first, last]: [u32; 2], n_cuts: usize) -> Vec<u32> {
    if (last - first) < n_cuts as u32 {
        return (first..=last).collect();
    }
    let (from, to) = (starts[first as usize - 1], starts[last as usize + 1]);
    let n_rows = u64::from(to - from);
    let mut cuts: Vec<u32> = (1..=n_cuts as u64)
        .map(|at| {
            let place = from + (n_rows * at / (n_cuts as u64 + 1)) as u32;
            let cuts = &starts[first as usize..=last as usize];
            let cut = first + cuts.partition_point(|&start| start < place) as u32;
            cut.min(last)
        })
        .collect();
    cuts.dedup();
    cuts
}

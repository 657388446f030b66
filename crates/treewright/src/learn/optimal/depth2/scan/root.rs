//! Trees of two levels with two classes and a few intervals: exact values for 62 cuts of a root at a time.
//!
//! Between two cuts whose values are known lies a zone of others. What the rows below cost at its lower end, and
//! those above at its upper end, is a bound for all of them. Zones that can hold a better tree get cuts of their
//! own, as many as they have rows, until none is left. A child that is too expensive at the ends of all
//! zones is not asked any more.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::batch::Batch;
use super::runs::{MOST_INTERVALS, RunList};
use crate::budget::Budget;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::incumbent::Incumbent;
use crate::learn::optimal::problem::{Context, FeatureKind, RootSplit, RowSet};

/// A numeric root.
#[derive(Debug)]
pub(crate) struct ScanRoot<'a> {
    pub(in crate::learn::optimal) feature: usize,
    /// The rows that have a cell.
    pub(in crate::learn::optimal) rows: Cow<'a, RowSet>,
    /// The value of the branch for missing cells, in case.
    pub(in crate::learn::optimal) missing: u64,
    /// No tree with this root that was passed over has a smaller value.
    pub(in crate::learn::optimal) floor: u64,
    /// Cuts that may be better.
    pub(in crate::learn::optimal) zones: Vec<Zone>,
    /// No tree of one level has a smaller value, if that is known.
    pub(in crate::learn::optimal) shallower: Option<u64>,
    /// For each rank the weights of both classes below it, when they are needed.
    below: OnceLock<Vec<[i64; 2]>>,
    /// Each for a range within that of the one before.
    run_lists: Vec<RunLists>,
}

/// Cuts next to each other of which nothing is known but by their neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Zone {
    /// The first and the last cut.
    pub(in crate::learn::optimal) cuts: [u32; 2],
    /// What the rows below the first and above the last cut cost at least.
    pub(in crate::learn::optimal) least: [u64; 2],
    /// The same by each child; `u64::MAX` if that is out of question.
    pub(in crate::learn::optimal) by_child: Vec<[u64; 2]>,
}

/// The run_lists of children for cuts in a range.
#[derive(Debug)]
struct RunLists {
    range: [u32; 2],
    of_child: Vec<Option<RunList>>,
}

impl<'a> ScanRoot<'a> {
    /// All cuts of a feature that all rows have.
    pub(crate) fn new(feature: usize, rows: Cow<'a, RowSet>, missing: u64, per_leaf: u64) -> Self {
        let cells = &rows.cells[feature];
        let whole = Zone {
            cuts: [1, cells.n_ranks() as u32 - 1],
            least: [per_leaf; 2],
            by_child: vec![[per_leaf; 2]; rows.cells.len()],
        };
        Self {
            feature,
            zones: if cells.n_ranks() > 1 {
                vec![whole]
            } else {
                Vec::new()
            },
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
            let cells = &self.rows.cells[self.feature];
            let mut below = Vec::with_capacity(cells.n_ranks() + 1);
            let mut sums = [0; 2];
            below.push(sums);
            for group in cells.starts.windows(2) {
                for &row in &cells.order[group[0] as usize..group[1] as usize] {
                    let label = self.rows.labels[row as usize];
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
        let kinds = context.table.kinds.iter().copied().enumerate();
        let child = |child| {
            batch.child(
                context.arch,
                &self.rows,
                child,
                None,
                (encoding, context.rule.most),
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
            zones: Vec::new(),
            shallower: None,
            below: OnceLock::new(),
            run_lists: Vec::new(),
        }
    }

    /// Solves the first cuts, evenly over all rows; and no cut at all, which is a tree of one level.
    pub(crate) fn begin<T: Lane>(&mut self, context: Context<'_>, best: &Incumbent) {
        let lanes = if self.rows.len() < 6000 { 32 } else { 62 };
        let zones = std::mem::take(&mut self.zones);
        let Some(zone) = zones.first() else {
            return;
        };
        let starts = &self.rows.cells[self.feature].starts;
        let n_cuts = context.sizes.cuts.min(lanes) - 1;
        let mut cuts = vec![0];
        cuts.extend(evenly(starts, zone.cuts, n_cuts));
        self.solve::<T>(context, zones, &[cuts], best, false);
    }

    /// No tree in a zone has a smaller value.
    pub(crate) fn lower(&self, zone: &Zone) -> u64 {
        zone.least[0] + zone.least[1] + self.missing
    }

    /// The first question that a tree of a zone can have.
    fn first(&self, zone: &Zone) -> RootSplit {
        RootSplit {
            feature: self.feature,
            cut: Some(zone.cuts[0]),
        }
    }

    /// The least bound of all zones.
    pub(crate) fn least_lower(&self) -> u64 {
        let lowers = self.zones.iter().map(|zone| self.lower(zone));
        lowers.min().unwrap_or(u64::MAX)
    }

    /// Leaves out zones in which nothing better can be, and in the others children that are too expensive.
    pub(crate) fn drop_far(&mut self, best: &Incumbent) {
        for mut zone in std::mem::take(&mut self.zones) {
            let limit = best.limit(self.first(&zone));
            let lower = self.lower(&zone);
            if lower >= limit {
                self.floor = self.floor.min(lower);
                continue;
            }
            for by_child in &mut zone.by_child {
                let others = [zone.least[1], zone.least[0]];
                for (least, other) in by_child.iter_mut().zip(others) {
                    let cost = least.saturating_add(other + self.missing);
                    if cost >= limit {
                        self.floor = self.floor.min(cost);
                        *least = u64::MAX;
                    }
                }
            }
            self.zones.push(zone);
        }
    }

    /// Leaves out cuts that are in none of these zones: nothing better was there before.
    pub(crate) fn keep_within(&mut self, zones: &[Zone]) {
        self.zones.retain(|new| {
            let meets = |old: &Zone| old.cuts[0] <= new.cuts[1] && new.cuts[0] <= old.cuts[1];
            zones.iter().any(meets)
        });
    }

    /// Solves cuts until nothing better is left. Was there time for all?
    pub(crate) fn solve_all<T: Lane>(
        &mut self,
        context: Context<'_>,
        best: &Incumbent,
        budget: &Budget,
        is_parallel: bool,
    ) -> bool {
        loop {
            self.drop_far(best);
            if self.zones.is_empty() {
                return true;
            }
            if budget.is_spent() {
                self.floor = self.floor.min(self.least_lower());
                return false;
            }
            let (zones, cuts) = self.next_cuts(context.sizes.cuts);
            self.solve::<T>(context, zones, &cuts, best, is_parallel);
        }
    }

    /// Zones to look into, and new cuts in each of them: the best one, and others for which no other child
    /// matters.
    fn next_cuts(&mut self, n_cuts: usize) -> (Vec<Zone>, Vec<Vec<u32>>) {
        let starts = &self.rows.cells[self.feature].starts;
        let n_rows = |from: u32, to: u32| starts[to as usize + 1] - starts[from as usize - 1];
        self.zones
            .sort_by_key(|zone| (zone.least[0] + zone.least[1], zone.cuts));
        let is_live = |zone: &Zone, child: usize| zone.by_child[child] != [u64::MAX; 2];
        let n_children = self.rows.cells.len();
        let best = &self.zones[0];
        let live: Vec<bool> = (0..n_children).map(|child| is_live(best, child)).collect();
        let mut n_left = n_cuts;
        let (mut zones, others): (Vec<Zone>, Vec<Zone>) = std::mem::take(&mut self.zones)
            .into_iter()
            .partition(|zone| {
                let is_like = (0..n_children).all(|child| live[child] || !is_live(zone, child));
                let is_chosen = is_like && n_left > 0;
                n_left -= usize::from(is_chosen);
                is_chosen
            });
        self.zones = others;
        zones.sort_by_key(|zone| zone.cuts);
        let sizes = zones
            .iter()
            .map(|zone| u64::from(n_rows(zone.cuts[0], zone.cuts[1])));
        let sizes: Vec<u64> = sizes.collect();
        let (mut lanes, mut left) = (n_cuts as u64, sizes.iter().sum::<u64>().max(1));
        let mut cuts = Vec::new();
        for (at, (zone, &size)) in zones.iter().zip(&sizes).enumerate() {
            let others = (zones.len() - at - 1) as u64;
            let share = (lanes * size / left).clamp(1, lanes - others);
            let chosen = evenly(starts, zone.cuts, share as usize);
            lanes -= chosen.len() as u64;
            left = left.saturating_sub(size).max(1);
            cuts.push(chosen);
        }
        (zones, cuts)
    }

    /// Solves some cuts of zones; what remains of them are smaller zones.
    pub(crate) fn solve<T: Lane>(
        &mut self,
        context: Context<'_>,
        zones: Vec<Zone>,
        cuts: &[Vec<u32>],
        best: &Incumbent,
        is_parallel: bool,
    ) {
        let encoding = context.encoding;
        let all: Vec<u32> = cuts.concat();
        let (Some(&first), Some(&last)) = (all.first(), all.last()) else {
            return;
        };
        let is_live = |&child: &usize| {
            zones
                .iter()
                .any(|zone| zone.by_child[child] != [u64::MAX; 2])
        };
        let children: Vec<usize> = (0..self.rows.cells.len()).filter(is_live).collect();
        let is_narrow = self.prepare_run_lists(context, &children, [first, last]);
        let is_category = |child: &usize| context.table.kinds[*child] == FeatureKind::Categorical;
        let is_whole = !is_narrow || children.iter().any(is_category);
        // A pass over all rows tells the sums at some cuts; those at all cuts take longer.
        let below = if is_whole { &[] } else { self.below() };
        let batch = Batch::<T>::new(&self.rows, self.feature, &all, below, is_whole);
        let value = |&child: &usize| {
            let run_lists = self.run_lists.last().filter(|_| is_narrow);
            let run_list = run_lists.and_then(|run_lists| run_lists.of_child[child].as_ref());
            let kind = context.table.kinds[child];
            let goal = (encoding, context.rule.most);
            batch.child(context.arch, &self.rows, (child, kind), run_list, goal)
        };
        let values: Vec<Vec<[u64; 2]>> = if is_parallel {
            children.par_iter().map(value).collect()
        } else {
            children.iter().map(value).collect()
        };
        let mut least = batch.leaves(encoding);
        for values in &values {
            for (least, value) in least.iter_mut().zip(values) {
                *least = [least[0].min(value[0]), least[1].min(value[1])];
            }
        }
        for (&cut, least) in all.iter().zip(&least) {
            if cut == 0 {
                self.shallower = Some(least[1]);
                continue;
            }
            let value = least[0] + least[1] + self.missing;
            if value <= best.value() {
                let root = RootSplit {
                    feature: self.feature,
                    cut: Some(cut),
                };
                best.offer(value, root.alone());
            }
            self.floor = self.floor.min(value);
        }
        let mut lane = 0;
        for (mut zone, cuts) in zones.into_iter().zip(cuts) {
            for &cut in cuts {
                if zone.cuts[0] < cut {
                    let ends = [zone.cuts[0], cut - 1];
                    let least = [zone.least[0], least[lane][1]];
                    if self.is_near(ends[0], least, best) {
                        let mut below = Zone {
                            cuts: ends,
                            least,
                            by_child: zone.by_child.clone(),
                        };
                        below.set(1, lane, &children, &values);
                        self.zones.push(below);
                    }
                }
                zone.cuts[0] = cut + 1;
                zone.least[0] = least[lane][0];
                zone.set(0, lane, &children, &values);
                lane += 1;
            }
            if zone.cuts[0] <= zone.cuts[1] && self.is_near(zone.cuts[0], zone.least, best) {
                self.zones.push(zone);
            }
        }
    }

    /// Can cuts from the first one on be better, with what the two sides cost at least? Most zones cannot, and
    /// are never made.
    fn is_near(&mut self, first: u32, least: [u64; 2], best: &Incumbent) -> bool {
        let lower = least[0] + least[1] + self.missing;
        let root = RootSplit {
            feature: self.feature,
            cut: Some(first),
        };
        let is_near = lower < best.limit(root);
        if !is_near {
            self.floor = self.floor.min(lower);
        }
        is_near
    }

    /// Are cuts in a range so solve_all together that run_lists pay? Then there are some of all children.
    fn prepare_run_lists(
        &mut self,
        context: Context<'_>,
        children: &[usize],
        cuts: [u32; 2],
    ) -> bool {
        let is_within =
            |run_lists: &RunLists| run_lists.range[0] <= cuts[0] && cuts[1] <= run_lists.range[1];
        while self
            .run_lists
            .last()
            .is_some_and(|run_lists| !is_within(run_lists))
        {
            self.run_lists.pop();
        }
        let starts = &self.rows.cells[self.feature].starts;
        let n_rows = |range: [u32; 2]| starts[range[1] as usize] - starts[range[0] as usize];
        let is_much_less = match self.run_lists.last() {
            Some(run_lists) => n_rows(run_lists.range) > 4 * n_rows(cuts) + 64,
            None => context.sizes.close_by * n_rows(cuts) < self.rows.len() as u32,
        };
        if is_much_less {
            self.run_lists.push(RunLists {
                range: cuts,
                of_child: self.rows.cells.iter().map(|_| None).collect(),
            });
        }
        let Some((run_lists, wider)) = self.run_lists.split_last_mut() else {
            return false;
        };
        let is_numeric = |child: &usize| context.table.kinds[*child] == FeatureKind::Numeric;
        for &child in children.iter().filter(|child| is_numeric(child)) {
            let run_list = &mut run_lists.of_child[child];
            if run_list.is_none() {
                let mut wider = wider.iter().rev();
                let from = wider.find_map(|run_lists| run_lists.of_child[child].as_ref());
                let [first, last] = run_lists.range;
                let make = match context.rule.most {
                    2 => Self::run_list::<2>,
                    3 => Self::run_list::<3>,
                    _ => Self::run_list::<MOST_INTERVALS>,
                };
                *run_list = Some(make(&self.rows, self.feature, child, from, first..last));
            }
        }
        true
    }

    /// The path of a child, from a wider one if there is any.
    fn run_list<const K: usize>(
        rows: &RowSet,
        root: usize,
        child: usize,
        from: Option<&RunList>,
        cuts: Range<u32>,
    ) -> RunList {
        match from {
            Some(run_list) => run_list.narrowed::<K>(&cuts),
            None => RunList::new::<K>(rows, root, &cuts, &rows.cells[child]),
        }
    }
}

impl Zone {
    /// What children cost at one end, where they are not out of question.
    fn set(&mut self, side: usize, lane: usize, children: &[usize], values: &[Vec<[u64; 2]>]) {
        for (&child, values) in children.iter().zip(values) {
            let known = &mut self.by_child[child][side];
            if *known != u64::MAX {
                *known = values[lane][side];
            }
        }
    }
}

/// About so many cuts of a zone with the same number of rows between them.
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

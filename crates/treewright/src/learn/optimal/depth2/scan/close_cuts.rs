//! Batches of cuts of one root, with run-length lists of its children where the cuts are close together.

use std::ops::Range;
use std::sync::OnceLock;

use super::batch::Batch;
use super::runs::{MOST_INTERVALS, RunList};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{Context, FeatureKind, RowSet};

/// What batches of a root share.
#[derive(Debug, Default)]
pub(crate) struct CloseCuts {
    /// For each rank the weights of both classes below it, when they are needed.
    below: OnceLock<Vec<[i64; 2]>>,
    /// Each for a range within that of the one before.
    run_lists: Vec<RunLists>,
    /// Is the latest batch in the range of the last of them?
    is_narrow: bool,
}

/// The run-length lists of children for cuts in a range.
#[derive(Debug)]
struct RunLists {
    range: [u32; 2],
    of_child: Vec<Option<RunList>>,
}

impl CloseCuts {
    /// Some cuts of a root, for which some children will be tried.
    pub(crate) fn batch<T: Lane>(
        &mut self,
        context: Context<'_>,
        (rows, root): (&RowSet, usize),
        cuts: &[u32],
        children: &[usize],
    ) -> Batch<T> {
        let range = [cuts[0], cuts[cuts.len() - 1]];
        self.is_narrow = self.prepare(context, (rows, root), children, range);
        let is_category = |child: &usize| context.table.kinds()[*child] == FeatureKind::Categorical;
        let is_whole = !self.is_narrow || children.iter().any(is_category);
        // A pass over all rows tells the sums at some cuts; those at all cuts take longer.
        let below = if is_whole {
            &[]
        } else {
            self.below(rows, root)
        };
        Batch::new(rows, root, cuts, below, is_whole)
    }

    /// Some cuts of a root, for scans of all rows.
    pub(crate) fn batch_of_all_rows<T: Lane>(
        &mut self,
        (rows, root): (&RowSet, usize),
        cuts: &[u32],
    ) -> Batch<T> {
        self.is_narrow = false;
        Batch::new(rows, root, cuts, &[], true)
    }

    /// The run-length list of a child, if the cuts of the latest batch are close together.
    pub(crate) fn of_child(&self, child: usize) -> Option<&RunList> {
        let run_lists = self.run_lists.last().filter(|_| self.is_narrow)?;
        run_lists.of_child[child].as_ref()
    }

    /// For each rank the weights of both classes below it.
    pub(crate) fn below(&self, rows: &RowSet, root: usize) -> &[[i64; 2]] {
        self.below.get_or_init(|| {
            let cells = &rows.cells()[root];
            let mut below = Vec::with_capacity(cells.n_ranks() + 1);
            let mut sums = [0; 2];
            below.push(sums);
            for group in cells.starts().windows(2) {
                for &row in &cells.order()[group[0] as usize..group[1] as usize] {
                    let label = rows.labels()[row as usize];
                    sums[label.class as usize] += i64::from(label.weight);
                }
                below.push(sums);
            }
            below
        })
    }

    /// Are cuts in a range so close together that run-length lists pay? Then there are some of all children.
    fn prepare(
        &mut self,
        context: Context<'_>,
        (rows, root): (&RowSet, usize),
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
        let starts = rows.cells()[root].starts();
        let n_rows = |range: [u32; 2]| starts[range[1] as usize] - starts[range[0] as usize];
        let is_much_less = if let Some(run_lists) = self.run_lists.last() {
            n_rows(run_lists.range) > 4 * n_rows(cuts) + 64
        } else {
            let close_by = u64::from(context.switches.sizes.close_by);
            close_by * u64::from(n_rows(cuts)) < rows.len() as u64
        };
        if is_much_less {
            self.run_lists.push(RunLists {
                range: cuts,
                of_child: rows.cells().iter().map(|_| None).collect(),
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
                    2 => make_run_list::<2>,
                    3 => make_run_list::<3>,
                    _ => make_run_list::<MOST_INTERVALS>,
                };
                *run_list = Some(make(rows, root, child, from, first..last));
            }
        }
        true
    }
}

/// The run-length list of a child, from that of a wider range if there is one.
fn make_run_list<const K: usize>(
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

/// Ranges of cuts that are solved next, and new cuts in each of them.
pub(crate) struct NextCuts<R> {
    pub(crate) ranges: Vec<R>,
    pub(crate) cuts: Vec<Vec<u32>>,
    pub(crate) others: Vec<R>,
}

/// Of ranges, the best one first, that one and others for which no other child matters, with about `n_cuts` cuts.
pub(crate) fn next_cuts<R>(
    rows: &RowSet,
    root: usize,
    ranges: Vec<R>,
    n_cuts: usize,
    cuts_of: impl Fn(&R) -> [u32; 2],
    is_live: impl Fn(&R, usize) -> bool,
) -> NextCuts<R> {
    let starts = rows.cells()[root].starts();
    let n_rows = |[from, to]: [u32; 2]| starts[to as usize + 1] - starts[from as usize - 1];
    let n_children = rows.cells().len();
    let best = &ranges[0];
    let live: Vec<bool> = (0..n_children).map(|child| is_live(best, child)).collect();
    let mut n_left = n_cuts;
    let (mut ranges, others): (Vec<R>, Vec<R>) = ranges.into_iter().partition(|range| {
        let is_like = (0..n_children).all(|child| live[child] || !is_live(range, child));
        let is_chosen = is_like && n_left > 0;
        n_left -= usize::from(is_chosen);
        is_chosen
    });
    ranges.sort_by_key(&cuts_of);
    let sizes = ranges.iter().map(|range| u64::from(n_rows(cuts_of(range))));
    let sizes: Vec<u64> = sizes.collect();
    let (mut lanes, mut left) = (n_cuts as u64, sizes.iter().sum::<u64>().max(1));
    let mut cuts = Vec::new();
    for (at, (range, &size)) in ranges.iter().zip(&sizes).enumerate() {
        let others = (ranges.len() - at - 1) as u64;
        let share = (lanes * size / left).clamp(1, lanes - others);
        let chosen = evenly(starts, cuts_of(range), share as usize);
        lanes -= chosen.len() as u64;
        left = left.saturating_sub(size).max(1);
        cuts.push(chosen);
    }
    NextCuts {
        ranges,
        cuts,
        others,
    }
}

/// About `n_cuts` cuts of a range with the same number of rows between them.
pub(crate) fn evenly(starts: &[u32], [first, last]: [u32; 2], n_cuts: usize) -> Vec<u32> {
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

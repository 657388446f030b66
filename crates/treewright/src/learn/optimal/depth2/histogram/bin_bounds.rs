//! Bin bounds: which bins of a child can hold the cut of a better tree.
//!
//! **Lemma.** A tree with a cut in a bin gains at most what intervals before the bin and after it gain, both with
//! the bin. If that is not enough, the bin need not be divided.

use super::bins::Bin;
use super::{ChildHistogram, Histogram, SIDES, n_intervals};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::Context;

/// What is wanted of a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BinGoal {
    /// The sides that it can split.
    pub(super) live: [bool; 2],
    /// What the other side costs at least.
    pub(super) others: [u64; 2],
    /// The lanes in which the sides are smallest.
    pub(super) lanes: [usize; 2],
    /// Together they have to cost less than this.
    pub(super) upper: u64,
}

impl<T: Lane> Histogram<T> {
    /// For each bin of a numeric child: no tree costs less in which an interval ends inside of it, or where
    /// it ends.
    pub(crate) fn bin_lowers(
        &self,
        context: Context<'_>,
        child: &ChildHistogram<T>,
        goal: BinGoal,
    ) -> Vec<u64> {
        let n_bins = child.bins.len();
        let n_intervals = n_intervals(context.rule, &child.bins);
        let is_explored = (1..=MOST_EXPLORED).contains(&n_intervals);
        if !is_explored || !context.switches.bin_bounds {
            let is_cut = |bin: &Bin| bin.is_open() || bin.is_cut_after();
            let lower = |bin| if is_cut(bin) { 0 } else { u64::MAX };
            return child.bins.iter().map(lower).collect();
        }
        let mut lowers = vec![u64::MAX; n_bins];
        for at in (0..2).filter(|&at| goal.live[at]) {
            self.bin_lowers_of_side(context, child, goal, at, &mut lowers);
        }
        lowers
    }

    /// Replaces the lower bounds of bins by those of one side, where these are smaller.
    fn bin_lowers_of_side(
        &self,
        context: Context<'_>,
        child: &ChildHistogram<T>,
        goal: BinGoal,
        at: usize,
        lowers: &mut [u64],
    ) {
        let (n_bins, n_classes) = (child.bins.len(), context.table.n_classes());
        let n_intervals = n_intervals(context.rule, &child.bins);
        let (side, view) = (SIDES[at], self.view(&child.table));
        let lane = goal.lanes[at];
        let here = |bin: usize, class: usize| view.at(bin, class, lane, side);
        let sums = self.view(&self.sums);
        let mut weight: i64 = (0..n_classes)
            .map(|class| sums.at(0, class, lane, side))
            .sum();
        let mut more = 0;
        if child.table.len() > n_bins * self.n_slots * self.stride {
            weight -= (0..n_classes)
                .map(|class| here(n_bins, class))
                .max()
                .unwrap_or(0);
            more = u64::from((0..self.n_slots).any(|slot| here(n_bins, slot) > 0));
        }
        let before = frontiers(
            0..n_bins,
            &child.bins,
            n_classes,
            n_intervals - 1,
            here,
            false,
        );
        let after = frontiers(
            (0..n_bins).rev(),
            &child.bins,
            n_classes,
            n_intervals - 1,
            here,
            true,
        );
        for (bin, lower) in lowers.iter_mut().enumerate() {
            let (is_open, is_cut_after) =
                (child.bins[bin].is_open(), child.bins[bin].is_cut_after());
            let next = n_bins - 1 - bin;
            for left in 0..n_intervals - 1 {
                for right in 0..n_intervals - 1 - left {
                    let mut gain = i64::MIN;
                    if is_open {
                        let both = before[bin + 1][left] + after[next + 1][right];
                        gain = both;
                        if left + right == 0 {
                            let mut two = [0; 2];
                            for class in 0..n_classes {
                                let here = here(bin, class);
                                two = [two[0].max(here), two[1].max(two[0].min(here))];
                            }
                            let outside = before[bin][left] + after[next][right];
                            gain = gain.min(outside + two[0] + two[1]);
                        }
                    }
                    if is_cut_after && bin + 1 < n_bins {
                        gain = gain.max(before[bin + 1][left] + after[next][right]);
                    }
                    if gain == i64::MIN {
                        continue;
                    }
                    let leaves = (left + right + 2) as u64 + more;
                    let value = context.encoding.loss((weight - gain).max(0) as u64)
                        + leaves * context.encoding.per_leaf();
                    *lower = (*lower).min(value.saturating_add(goal.others[at]));
                }
            }
        }
    }
}

/// With more intervals than this, all bins are refined.
const MOST_EXPLORED: usize = 12;

/// What intervals gain at most, before each bin and after the last one: a number for each count of them.
fn frontiers(
    order: impl Iterator<Item = usize>,
    bins: &[Bin],
    n_classes: usize,
    n_intervals: usize,
    here: impl Fn(usize, usize) -> i64,
    is_turned: bool,
) -> Vec<Vec<i64>> {
    let mut sums = vec![vec![0; n_classes]; n_intervals];
    let largest = |sums: &[i64]| sums.iter().copied().max().unwrap_or(0);
    let mut all = vec![vec![0; n_intervals]];
    let mut last: Option<usize> = None;
    for bin in order {
        let between = if is_turned { Some(bin) } else { last };
        let is_cut_before = last.is_some() && between.is_some_and(|at| bins[at].is_cut_after());
        for k in (1..n_intervals).rev() {
            if is_cut_before {
                let gain = largest(&sums[k - 1]);
                sums[k].iter_mut().for_each(|sum| *sum = gain.max(*sum));
            }
        }
        for k in 0..n_intervals {
            if k > 0 && bins[bin].is_open() {
                for class in 0..n_classes {
                    let others = (0..n_classes).filter(|&other| other != class);
                    let other = others.map(|other| sums[k - 1][other]).max().unwrap_or(0);
                    sums[k][class] = sums[k][class].max(other);
                }
            }
            for (class, sum) in sums[k].iter_mut().enumerate() {
                *sum += here(bin, class);
            }
        }
        all.push(sums.iter().map(|sums| largest(sums)).collect());
        last = Some(bin);
    }
    all
}

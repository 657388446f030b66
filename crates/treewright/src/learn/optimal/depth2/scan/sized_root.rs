//! A root feature that is solved by scans, where leaves have a least size.
//!
//! **Lemma.** Let rows lose some: a leaf with at least `m` rows loses no more than there are in all, `w`. So the least
//! value of the rows below a cut, with leaves of `m - w` rows, is a lower bound for all cuts above it up to `w` rows
//! away, with leaves of `m` rows; and the same from the other side.
//!
//! **Method.** The cuts of a batch lie some rows apart, and their leaves have to be as much smaller as ranges between
//! them need. Where such bounds leave room for a better tree, the cut itself is solved with leaves of the full size.

use rayon::prelude::*;

use super::batch::Batch;
use super::root::{ScanRoot, least_of_all};
use super::sized::{LaneSizes, NEVER};
use super::sized_cut::SizedCut;
use crate::learn::optimal::depth2::cut_range::ChildRange;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{Context, RootSplit, TreeIncumbent};

/// Lower bounds of both sides of some cuts, where leaves have a least size.
#[derive(Clone, Copy)]
pub(super) struct SizedBounds<'a> {
    pub(super) cuts: &'a [u32],
    /// The sizes of leaves for which they hold.
    pub(super) least: &'a [[usize; 2]],
    pub(super) children: &'a [usize],
    /// For each child and cut.
    pub(super) values: &'a [Vec<[u64; 2]>],
    /// For each cut the least of them and of leaves.
    pub(super) lower: &'a [[u64; 2]],
    /// For each cut the weights of both classes below it, and above.
    pub(super) sums: &'a [[[i64; 2]; 2]],
}

impl ScanRoot<'_> {
    /// Leaves out cuts without enough rows on both sides.
    pub(crate) fn drop_small(&mut self, min_leaf: usize) {
        if min_leaf == 1 || self.ranges.is_empty() {
            return;
        }
        let starts = self.rows.cells()[self.feature].starts();
        let n_rows = self.rows.len();
        let first = starts.partition_point(|&start| (start as usize) < min_leaf) as u32;
        let last = starts.partition_point(|&start| start as usize + min_leaf <= n_rows) as u32;
        for range in std::mem::take(&mut self.ranges) {
            let [from, to] = range.cuts();
            let cuts = [from.max(first), to.min(last.max(1) - 1)];
            if cuts[0] <= cuts[1] {
                let by_child = range.payload().clone();
                self.ranges.push(range.part(cuts, range.sides(), by_child));
            }
        }
    }

    /// How large leaves have to be in the lanes of some cuts: as small as they can become up to the neighbours of a
    /// cut. `None` if they may have any size.
    pub(super) fn sizes(
        &self,
        context: Context<'_>,
        ranges: &[ChildRange],
        cuts: &[Vec<u32>],
    ) -> Option<LaneSizes> {
        let min_leaf = context.rule.min_leaf();
        if min_leaf == 1 {
            return None;
        }
        let starts = self.rows.cells()[self.feature].starts();
        let n_below = |cut: u32| starts[cut as usize] as usize;
        let has_levels = context.switches.leaf_levels;
        let without = |lost: usize| match lost {
            0 => min_leaf,
            _ if has_levels => min_leaf.saturating_sub(lost),
            _ => 0,
        };
        let (mut least, mut n_rows) = (Vec::new(), Vec::new());
        for (range, cuts) in ranges.iter().zip(cuts) {
            let [mut before, last] = range.cuts();
            for (at, &cut) in cuts.iter().enumerate() {
                let beyond = cuts.get(at + 1).map_or(last, |&next| next - 1);
                least.push(match cut {
                    0 => [min_leaf; 2],
                    _ => [
                        without(n_below(beyond) - n_below(cut)),
                        without(n_below(cut) - n_below(before.min(cut))),
                    ],
                });
                n_rows.push([n_below(cut), self.rows.len() - n_below(cut)]);
                before = if cut == 0 { before } else { cut + 1 };
            }
        }
        Some(LaneSizes { least, n_rows })
    }

    /// Offers the trees of some cuts with leaves of the least size, as far as lower bounds leave room for a better one.
    pub(super) fn offer_sized<T: Lane>(
        &self,
        context: Context<'_>,
        bounds: &SizedBounds<'_>,
        incumbent: &TreeIncumbent,
        is_parallel: bool,
    ) {
        /// So few cuts are solved one by one.
        const FEW: usize = 2;
        let is_room = |lane: &usize| {
            let (cut, lower) = (bounds.cuts[*lane], bounds.lower[*lane]);
            let root = RootSplit::at(self.feature, cut);
            cut > 0 && lower[0] + lower[1] + self.missing < incumbent.upper_for(root)
        };
        let lanes: Vec<usize> = (0..bounds.cuts.len()).filter(is_room).collect();
        let min_leaf = context.rule.min_leaf();
        let is_level = |&lane: &usize| bounds.least[lane] == [min_leaf; 2];
        if lanes.len() <= FEW || lanes.iter().all(is_level) {
            for lane in lanes {
                self.offer_sized_cut(context, bounds, lane, incumbent);
            }
            return;
        }
        // With leaves of the full size bounds are better.
        let cuts: Vec<u32> = lanes.iter().map(|&lane| bounds.cuts[lane]).collect();
        let starts = self.rows.cells()[self.feature].starts();
        let n_rows = |&cut: &u32| {
            let n_below = starts[cut as usize] as usize;
            [n_below, self.rows.len() - n_below]
        };
        let least = vec![[min_leaf; 2]; cuts.len()];
        let batch = Batch::<T>::new(&self.rows, self.feature, &cuts, &[], true);
        let batch = batch.with_sizes(Some(LaneSizes {
            least: least.clone(),
            n_rows: cuts.iter().map(n_rows).collect(),
        }));
        let value = |&child: &usize| {
            let kind = context.table.kinds()[child];
            let goal = (context.encoding, context.rule.most());
            batch.child(context.arch, &self.rows, (child, kind), None, goal)
        };
        let values: Vec<Vec<[u64; 2]>> = if is_parallel {
            bounds.children.par_iter().map(value).collect()
        } else {
            bounds.children.iter().map(value).collect()
        };
        let bounds = SizedBounds {
            cuts: &cuts,
            least: &least,
            values: &values,
            lower: &least_of_all(batch.leaves(context.encoding), &values),
            sums: &batch.sums,
            ..*bounds
        };
        for lane in 0..cuts.len() {
            self.offer_sized_cut(context, &bounds, lane, incumbent);
        }
    }

    /// Offers the best tree of a cut with leaves of the least size, if it may be better.
    fn offer_sized_cut(
        &self,
        context: Context<'_>,
        bounds: &SizedBounds<'_>,
        lane: usize,
        incumbent: &TreeIncumbent,
    ) {
        let (cut, [low, high]) = (bounds.cuts[lane], bounds.lower[lane]);
        let root = RootSplit::at(self.feature, cut);
        let upper = incumbent.upper_for(root);
        let lower = low + high + self.missing;
        if lower >= upper {
            return;
        }
        // Scans are exact for two intervals.
        let is_exact =
            context.rule.most() == 2 && bounds.least[lane] == [context.rule.min_leaf(); 2];
        let value = if is_exact {
            Some(lower)
        } else {
            self.sized_value(context, bounds, lane, upper)
        };
        if let Some(value) = value {
            incumbent.offer(value, root.alone());
        }
    }

    /// The value of a cut with leaves of the least size, if it is below `upper`.
    fn sized_value(
        &self,
        context: Context<'_>,
        bounds: &SizedBounds<'_>,
        lane: usize,
        upper: u64,
    ) -> Option<u64> {
        let at = SizedCut {
            rows: &self.rows,
            root: self.feature,
            cut: bounds.cuts[lane],
            least: context.rule.min_leaf(),
            encoding: context.encoding,
            most: context.rule.most(),
        };
        let lower = bounds.lower[lane];
        let n_below = self.rows.cells()[self.feature].starts()[at.cut as usize] as usize;
        let n_rows = [n_below, self.rows.len() - n_below];
        let (mut sum, mut other) = (self.missing, lower[1]);
        for side in 0..2 {
            let [a, b] = bounds.sums[lane][side];
            let mut best = if n_rows[side] >= at.least {
                context.encoding.leaf(a.min(b) as u64)
            } else {
                NEVER
            };
            let of_children = bounds.children.iter().zip(bounds.values);
            let mut order: Vec<(u64, usize)> = of_children
                .map(|(&child, values)| (values[lane][side], child))
                .collect();
            order.sort_unstable();
            for (least, child) in order {
                if least >= best || least + other + sum >= upper {
                    break;
                }
                let value = at.child(side, child, context.table.kinds()[child]);
                best = value.unwrap_or(NEVER).min(best);
            }
            if best + other + sum >= upper {
                return None;
            }
            (sum, other) = (sum + best, 0);
        }
        Some(sum)
    }
}

//! The last two levels for every number of leaves, by scans: many cuts of a root at once.
//!
//! **Lemma.** Between two solved cuts lies a range. With `k` leaves its cuts lose at least the least sum of what the
//! rows below its first cut lose with `i` leaves, and those above its last cut with `k - i`; by each child, too. So
//! ranges that cannot be better for any `k` are dropped, and in the others children that lose too much at both ends.
//!
//! **Method.** That of the scans for trees of any size, in `depth2`, with a loss for each number of intervals in place
//! of one value.

use rayon::prelude::*;

use super::SizeSearch;
use super::losses::{LossBySize, NEVER};
use super::node::Node;
use super::range::OpenRange;
use super::solved::Solved;
use crate::learn::exact::Stopped;
use crate::learn::optimal::depth2::scan::batch::Batch;
use crate::learn::optimal::depth2::scan::classes::ClassBatch;
use crate::learn::optimal::depth2::scan::close_cuts::{CloseCuts, evenly, next_cuts};
use crate::learn::optimal::depth2::scan::runs::{Losses, MOST_INTERVALS};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{Context, RootSplit, RowSet};

/// Losses of trees matter if they are below this, for some numbers of leaves.
struct Goals(Vec<(usize, u64)>);

/// Neighbouring cuts of a root.
#[derive(Debug, Clone)]
struct SizedRange {
    cuts: [u32; 2],
    /// Lower bounds of the rows below the first and above the last cut.
    sides: [Losses; 2],
    /// The same by each child; [`NEVER`] if that is ruled out.
    by_child: Vec<[Losses; 2]>,
}

/// A root feature.
struct SizedRoot {
    feature: usize,
    /// Cuts that may be better.
    ranges: Vec<SizedRange>,
    scans: CloseCuts,
}

const RULED_OUT: Losses = [NEVER; MOST_INTERVALS];

/// What trees with at most some leaves lose, by what both sides of a cut lose with at most some intervals.
fn sum_of(low: &Losses, high: &Losses, leaves: usize) -> u64 {
    let at = |side: &Losses, leaves: usize| side[leaves.min(MOST_INTERVALS) - 1];
    let sums = (1..leaves).map(|own| at(low, own) + at(high, leaves - own));
    sums.min().unwrap_or(NEVER)
}

impl Goals {
    /// By how much a tree may be better, at most.
    fn gain(&self, [low, high]: &[Losses; 2]) -> u64 {
        let goals = self.0.iter();
        let gains = goals.map(|&(leaves, below)| below.saturating_sub(sum_of(low, high, leaves)));
        gains.max().unwrap_or(0)
    }

    /// Can a child be part of a better tree, on a side of which the other one loses at least `other`?
    fn is_live(&self, child: &Losses, other: &Losses) -> bool {
        let mut at_least_two = *child;
        at_least_two[0] = NEVER;
        self.gain(&[at_least_two, *other]) > 0
    }
}

impl SizedRange {
    fn is_live(&self, child: usize) -> bool {
        self.by_child[child]
            .iter()
            .any(|losses| *losses != RULED_OUT)
    }
}

impl SizeSearch<'_> {
    /// Can the last two levels of some rows be solved by scans? They are for intervals of any size, few for two
    /// classes and two for more.
    pub(super) fn has_scans(&self, rows: &RowSet) -> bool {
        let context = self.context();
        let most_classes = ClassBatch::<i16>::MOST_CLASSES;
        let is_narrow = rows.weight() <= i32::LARGEST && context.table.n_classes() <= most_classes;
        context.switches.scans_by_size
            && self.is_plain()
            && (context.has_scans(rows) || is_narrow && context.rule.most() == 2)
    }
}

impl Node<'_, '_> {
    /// Solves all cuts of all roots.
    pub(super) fn scan(&self) -> Result<(), Stopped> {
        if self.rows.weight() <= i16::LARGEST {
            self.scan_in::<i16>()
        } else {
            self.scan_in::<i32>()
        }
    }

    fn scan_in<T: Lane>(&self) -> Result<(), Stopped> {
        let n_features = self.rows.cells().len();
        let mut roots: Vec<SizedRoot> = Vec::new();
        for feature in 0..n_features {
            if self.search.is_spent(0) {
                return Err(Stopped);
            }
            let n_ranks = self.rows.cells()[feature].n_ranks() as u32;
            if n_ranks < 2 {
                continue;
            }
            let nothing = [[0; MOST_INTERVALS]; 2];
            let never = self.search.context().table.never_below();
            let is_asked = |child: usize| {
                never.allows(feature, child) && self.rows.cells()[child].n_ranks() > 0
            };
            let at_first = |child: usize| {
                if is_asked(child) {
                    nothing
                } else {
                    [RULED_OUT; 2]
                }
            };
            let mut root = SizedRoot {
                feature,
                ranges: vec![SizedRange {
                    cuts: [1, n_ranks - 1],
                    sides: nothing,
                    by_child: (0..n_features).map(at_first).collect(),
                }],
                scans: CloseCuts::default(),
            };
            self.begin::<T>(&mut root);
            roots.push(root);
        }
        // Good trees early make other roots needless.
        if self.search.context().switches.root_order {
            roots.sort_by_cached_key(|root| {
                let goals = self.goals(RootSplit::uncut(root.feature));
                let gain = |range: &SizedRange| goals.gain(&range.sides);
                std::cmp::Reverse(root.ranges.iter().map(gain).max())
            });
        }
        let mut is_done = true;
        for root in &mut roots {
            is_done = is_done && self.solve_all::<T>(root);
            self.leave(root);
        }
        self.all_entered(is_done);
        Ok(())
    }

    /// Which losses of trees with this root matter.
    fn goals(&self, root: RootSplit) -> Goals {
        let wanted = self.wanted_for(root).into_iter().enumerate();
        let open = wanted.filter(|&(_, below)| below > 0);
        Goals(open.map(|(place, below)| (place + 1, below)).collect())
    }

    /// The first cuts of a root, evenly over all rows.
    fn begin<T: Lane>(&self, root: &mut SizedRoot) {
        let lanes = if self.rows.len() < 6000 { 32 } else { 62 };
        let n_cuts = self.search.context().switches.sizes.cuts.min(lanes);
        let ranges = std::mem::take(&mut root.ranges);
        let starts = self.rows.cells()[root.feature].starts();
        let cuts = evenly(starts, ranges[0].cuts, n_cuts);
        self.solve_cuts::<T>(root, ranges, &[cuts]);
    }

    /// Solves cuts until nothing better is left. Was there time for all?
    fn solve_all<T: Lane>(&self, root: &mut SizedRoot) -> bool {
        let n_cuts = self.search.context().switches.sizes.cuts;
        loop {
            self.drop_far(root);
            if root.ranges.is_empty() {
                return true;
            }
            if self.search.is_spent(0) {
                return false;
            }
            let goals = self.goals(RootSplit::uncut(root.feature));
            let mut ranges = std::mem::take(&mut root.ranges);
            ranges.sort_by_cached_key(|range| {
                (std::cmp::Reverse(goals.gain(&range.sides)), range.cuts)
            });
            let next = next_cuts(
                self.rows,
                root.feature,
                ranges,
                n_cuts,
                |range| range.cuts,
                SizedRange::is_live,
            );
            root.ranges = next.others;
            self.solve_cuts::<T>(root, next.ranges, &next.cuts);
        }
    }

    /// Leaves out ranges in which nothing better can be, and in the others children that lose too much.
    fn drop_far(&self, root: &mut SizedRoot) {
        let has_child_bounds = self.search.context().switches.child_bounds;
        let feature = root.feature;
        root.ranges.retain_mut(|range| {
            let goals = self.goals(RootSplit::at(feature, range.cuts[0]));
            if goals.gain(&range.sides) == 0 {
                return false;
            }
            let [low, high] = range.sides;
            for by_child in range.by_child.iter_mut().filter(|_| has_child_bounds) {
                for (child, other) in by_child.iter_mut().zip([high, low]) {
                    if *child != RULED_OUT && !goals.is_live(child, &other) {
                        *child = RULED_OUT;
                    }
                }
            }
            true
        });
    }

    /// What children lose on both sides of some cuts, and leaves.
    fn losses_at<T: Lane>(
        &self,
        root: &mut SizedRoot,
        cuts: &[u32],
        children: &[usize],
    ) -> (Vec<[u64; 2]>, Vec<Vec<[Losses; 2]>>) {
        let (context, rows) = (self.search.context(), &**self.rows);
        let Context { arch, rule, .. } = context;
        if context.has_scans(rows) {
            let batch: Batch<T> = root
                .scans
                .batch(context, (rows, root.feature), cuts, children);
            let scans = &root.scans;
            let losses = |&child: &usize| {
                let run_list = scans.of_child(child);
                batch.losses(arch, &rows.cells()[child], run_list, rule.most())
            };
            (batch.leaf_losses(), self.for_each(children, losses))
        } else {
            let batch = ClassBatch::<T>::new(rows, root.feature, cuts);
            let losses = |&child: &usize| batch.losses(arch, &rows.cells()[child]);
            (batch.leaf_losses(), self.for_each(children, losses))
        }
    }

    /// By all threads where these are rows of a node of the tree.
    fn for_each<O: Send>(
        &self,
        children: &[usize],
        what: impl Fn(&usize) -> O + Sync + Send,
    ) -> Vec<O> {
        if self.is_parallel() {
            children.par_iter().map(what).collect()
        } else {
            children.iter().map(what).collect()
        }
    }

    /// Solves some cuts of ranges; what remains of them are smaller ranges.
    fn solve_cuts<T: Lane>(
        &self,
        root: &mut SizedRoot,
        ranges: Vec<SizedRange>,
        cuts: &[Vec<u32>],
    ) {
        let all: Vec<u32> = cuts.concat();
        let is_live = |child: &usize| ranges.iter().any(|range| range.is_live(*child));
        let children: Vec<usize> = (0..self.rows.cells().len()).filter(is_live).collect();
        let (leaves, values) = self.losses_at::<T>(root, &all, &children);
        let side = |lane: usize, side: usize| {
            let mut losses = [leaves[lane][side]; MOST_INTERVALS];
            for by_child in values.iter().map(|values| &values[lane][side]) {
                for (known, loss) in losses.iter_mut().zip(by_child) {
                    *known = (*loss).min(*known);
                }
            }
            losses
        };
        let lower: Vec<[Losses; 2]> = (0..all.len())
            .map(|lane| [side(lane, 0), side(lane, 1)])
            .collect();
        for (&cut, sides) in all.iter().zip(&lower) {
            self.offer_cut(RootSplit::at(root.feature, cut), sides);
        }
        let mut lane = 0;
        for (mut range, cuts) in ranges.into_iter().zip(cuts) {
            for &cut in cuts {
                let [low, high] = lower[lane];
                let set = |range: &mut SizedRange, side: usize| {
                    for (&child, values) in children.iter().zip(&values) {
                        let known = &mut range.by_child[child][side];
                        if *known != RULED_OUT {
                            *known = values[lane][side];
                        }
                    }
                };
                if range.cuts[0] < cut {
                    let sides = [range.sides[0], high];
                    let below = [range.cuts[0], cut - 1];
                    if self
                        .goals(RootSplit::at(root.feature, below[0]))
                        .gain(&sides)
                        > 0
                    {
                        let mut below = SizedRange {
                            cuts: below,
                            sides,
                            by_child: range.by_child.clone(),
                        };
                        set(&mut below, 1);
                        root.ranges.push(below);
                    }
                }
                range.cuts[0] = cut + 1;
                range.sides[0] = low;
                set(&mut range, 0);
                lane += 1;
            }
            let [first, last] = range.cuts;
            let is_open = || {
                self.goals(RootSplit::at(root.feature, first))
                    .gain(&range.sides)
                    > 0
            };
            if first <= last && is_open() {
                root.ranges.push(range);
            }
        }
    }

    /// Offers the trees of a cut whose sides are solved.
    fn offer_cut(&self, root: RootSplit, sides: &[Losses; 2]) {
        if self.goals(root).gain(sides) == 0 {
            return;
        }
        let most = self.search.context().rule.most();
        let solved = |losses: &Losses| {
            let losses: LossBySize = losses[..most].iter().copied().collect();
            Solved::exactly(losses)
        };
        let [low, high] = sides.each_ref().map(solved);
        self.offer_all(root, &[&low, &high]);
    }

    /// What a search that was stopped did not come to.
    fn leave(&self, root: &mut SizedRoot) {
        let side = |losses: &Losses| std::sync::Arc::new(losses.iter().copied().collect());
        for range in root.ranges.drain(..) {
            let sides = range.sides.each_ref().map(side);
            let known = [(); 2].map(|()| std::sync::Arc::default());
            let range = OpenRange::new(
                root.feature,
                range.cuts,
                sides,
                known,
                None,
                self.all_sizes(),
            );
            self.put_back(range);
        }
    }
}

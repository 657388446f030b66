//! Depth two by scans, for two classes in a few intervals: exact values for many cuts at once.

use std::borrow::Cow;

use super::root::ScanRoot;
use crate::learn::optimal::depth2::histogram::bins::Bins;
use crate::learn::optimal::depth2::histogram::{Histogram, Spare};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::depth2::{DepthTwo, DepthTwoEngine};
use crate::learn::optimal::problem::{Floors, RootSplit, RowSet, TreeIncumbent};

/// Depth two by scans, for two classes in a few intervals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanEngine<'a> {
    two: DepthTwo<'a>,
}

impl<'a> ScanEngine<'a> {
    pub(crate) fn new(two: DepthTwo<'a>) -> Self {
        Self { two }
    }
}

impl DepthTwoEngine for ScanEngine<'_> {
    fn solve<T: Lane>(
        self,
        rows: &RowSet,
        wanted: &[usize],
        incumbent: &TreeIncumbent,
        floors: &mut Floors<'_>,
    ) -> bool {
        // Few rows are scanned at once, without bins.
        let switches = self.two.context.switches;
        let is_large = switches.histograms_before_scans && rows.len() > switches.sizes.scanned_rows;
        let bins = is_large.then(|| self.two.bins(rows));
        let mut roots = self.two.map(wanted, |spare: &mut Spare<T>, &feature| {
            let few = bins.as_ref().map(|[few, _]| &**few);
            self.root(rows, few, feature, incumbent, spare)
        });
        let shallower = roots.iter().find_map(|(root, _)| root.shallower);
        floors.shallower = shallower.unwrap_or(0).max(floors.shallower);
        if switches.root_order {
            // Good incumbents early make other roots needless.
            roots.sort_by_key(|(root, _)| root.least_lower());
        }
        let (context, is_parallel) = (self.two.context, self.two.is_parallel());
        let is_over = || self.two.is_over();
        self.two
            .map(&mut roots, |spare: &mut Spare<T>, (root, is_done)| {
                if let Some([_, many]) = &bins
                    && root.missing == 0
                    && *is_done
                {
                    self.look(root, many, incumbent, spare);
                }
                // The sums of a scan stay smaller than sums over bins.
                *is_done &= if rows.weight() <= i16::LARGEST {
                    root.solve_all::<i16>(context, incumbent, is_over, is_parallel)
                } else {
                    root.solve_all::<T>(context, incumbent, is_over, is_parallel)
                };
            });
        for (root, _) in &roots {
            floors.own[root.feature] = root.floor;
        }
        roots.iter().all(|&(_, is_done)| is_done)
    }
}

impl ScanEngine<'_> {
    /// The first cuts of a root. Was there time for it?
    fn root<'r, T: Lane>(
        self,
        rows: &'r RowSet,
        bins: Option<&Bins>,
        feature: usize,
        incumbent: &TreeIncumbent,
        spare: &mut Spare<T>,
    ) -> (ScanRoot<'r>, bool) {
        let entered = self.two.enter(rows, feature, incumbent);
        let Some(numbers) = entered.numbers else {
            return (ScanRoot::none(feature, entered.floor), entered.is_done);
        };
        let is_whole = matches!(numbers, Cow::Borrowed(_));
        let per_leaf = self.two.context.encoding.per_leaf();
        let mut root = ScanRoot::new(feature, numbers, entered.missing, per_leaf);
        root.floor = entered.floor;
        if let Some(screened) = self.two.screened {
            let (ranges, shallower) = screened.ranges(self.two.context.table, feature, incumbent);
            (root.ranges, root.shallower) = (ranges, Some(shallower));
            root.drop_far(self.two.context, incumbent);
        } else if let Some(bins) = bins.filter(|_| is_whole) {
            self.look::<T>(&mut root, bins, incumbent, spare);
        } else {
            root.begin::<T>(self.two.context, incumbent);
            if !is_whole {
                root.shallower = None;
            }
        }
        (root, true)
    }

    /// Lower bounds of all cuts of a root by a histogram.
    fn look<T: Lane>(
        self,
        root: &mut ScanRoot<'_>,
        bins: &Bins,
        incumbent: &TreeIncumbent,
        spare: &mut Spare<T>,
    ) {
        root.drop_far(self.two.context, incumbent);
        let n_children = root.rows.cells().len();
        let is_live = |child: usize| {
            let sides = [0, 1].map(|side| {
                root.ranges
                    .iter()
                    .any(|range| range.payload()[child][side] != u64::MAX)
            });
            (child, sides)
        };
        let children: Vec<_> = (0..n_children).map(is_live).collect();
        let children: Vec<_> = children
            .into_iter()
            .filter(|child| child.1 != [false; 2])
            .collect();
        if root.ranges.is_empty() {
            return;
        }
        let feature = root.feature;
        let histogram = Histogram::first(
            self.two.context,
            &root.rows,
            bins,
            feature,
            &children,
            spare,
        );
        for lane in (0..histogram.n_ranges()).filter(|&lane| histogram.cut(lane) > 0) {
            let value = histogram.value(lane) + root.missing;
            if value <= incumbent.value() {
                let cut = histogram.cut(lane);
                incumbent.offer(value, RootSplit::at(feature, cut).alone());
            }
        }
        root.shallower = root.shallower.or(Some(histogram.shallower()));
        let known = std::mem::replace(
            &mut root.ranges,
            histogram.cut_ranges(n_children, root.missing),
        );
        root.keep_within(&known);
        root.drop_far(self.two.context, incumbent);
        histogram.recycle(spare);
    }
}

//! Depth two by histograms: from few bins to many, until no range of cuts can be better.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use super::bins::Bins;
use super::gathered::{GatheredRows, GatheredSpace};
use super::{Histogram, Spare};
use crate::learn::exact::Stopped;
use crate::learn::optimal::depth2::cut_range::CutRange;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::depth2::{DepthTwo, DepthTwoEngine};
use crate::learn::optimal::problem::{Floors, RowSet, TreeIncumbent};

/// A root feature and its histogram.
struct HistogramRoot<'a, T> {
    feature: usize,
    /// The rows that have a cell.
    rows: Cow<'a, RowSet>,
    /// Few bins, and many.
    bins: [Arc<Bins>; 2],
    /// Which of them does the histogram have?
    at: usize,
    /// The value of the branch for missing cells, or 0.
    missing: u64,
    histogram: Option<Histogram<T>>,
    ranges: Vec<LaneRange>,
    /// Features that may be split on next, and on which sides.
    children: Vec<(usize, [bool; 2])>,
    /// No tree with this root has a smaller value.
    floor: u64,
    /// A lower bound of the value at depth - 1, if that is known.
    shallower: Option<u64>,
    /// Was there time for it?
    is_done: bool,
    gathered: GatheredRows,
}

/// The cuts from a lane on and before the next one.
type LaneRange = CutRange<usize>;

/// Depth two by histograms, for any number of classes and intervals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HistogramEngine<'a> {
    two: DepthTwo<'a>,
}

impl<'a> HistogramEngine<'a> {
    pub(crate) fn new(two: DepthTwo<'a>) -> Self {
        Self { two }
    }
}

impl DepthTwoEngine for HistogramEngine<'_> {
    fn solve<T: Lane>(
        self,
        rows: &RowSet,
        wanted: &[usize],
        incumbent: &TreeIncumbent,
        floors: &mut Floors<'_>,
    ) -> bool {
        let bins = self.two.bins(rows);
        let room = Arc::new(GatheredSpace::new(rows));
        let mut roots = self.two.map(wanted, |spare: &mut Spare<T>, &feature| {
            let gathered = GatheredRows::new(rows, self.two.context.switches, &room);
            self.first(rows, &bins, (feature, gathered), incumbent, spare)
        });
        let shallower = roots.iter().find_map(|root| root.shallower).unwrap_or(0);
        floors.shallower = shallower.max(floors.shallower);
        let is_done = self.refine_all(&mut roots, incumbent);
        for root in &roots {
            floors.own[root.feature] = root.floor;
        }
        is_done
    }
}

impl HistogramEngine<'_> {
    /// The first histogram of a root.
    fn first<'r, T: Lane>(
        self,
        rows: &'r RowSet,
        bins: &[Arc<Bins>; 2],
        (feature, gathered): (usize, GatheredRows),
        incumbent: &TreeIncumbent,
        spare: &mut Spare<T>,
    ) -> HistogramRoot<'r, T> {
        let entered = self.two.enter(rows, feature, incumbent);
        let mut root = HistogramRoot {
            feature,
            rows: Cow::Borrowed(rows),
            bins: bins.clone(),
            at: 0,
            missing: entered.missing,
            histogram: None,
            ranges: Vec::new(),
            children: Vec::new(),
            floor: entered.floor,
            shallower: None,
            is_done: entered.is_done,
            gathered,
        };
        let Some(numbers) = entered.numbers else {
            return root;
        };
        let is_whole = matches!(numbers, Cow::Borrowed(_));
        if !is_whole {
            root.bins = self.two.bins(&numbers);
        }
        root.rows = numbers;
        let children: Vec<_> = (0..rows.cells().len())
            .map(|child| (child, [true; 2]))
            .collect();
        let context = self.two.context;
        let histogram = Histogram::first(
            context,
            &root.rows,
            &root.bins[0],
            feature,
            &children,
            spare,
        );
        if is_whole && !context.table.is_binary(feature) {
            root.shallower = Some(histogram.shallower());
        }
        root.ranges = Self::ranges(&root, &histogram);
        self.offer(&root, &histogram, &root.ranges, incumbent);
        if root.ranges.iter().any(|range| range.is_open(incumbent)) {
            root.histogram = Some(histogram);
        } else {
            histogram.recycle(spare);
        }
        root.children = children;
        root
    }

    /// A second histogram of the cuts of a root, with more bins of those children that matter.
    fn second<T: Lane>(
        self,
        root: &mut HistogramRoot<'_, T>,
        incumbent: &TreeIncumbent,
        spare: &mut Spare<T>,
    ) {
        let (context, feature) = (self.two.context, root.feature);
        let Some(histogram) = root.histogram.take() else {
            return;
        };
        let Some(children) = self.near_children(root, &histogram, incumbent) else {
            root.ranges.clear();
            histogram.recycle(spare);
            return;
        };
        // More classes make histograms larger; more intervals make refinements longer.
        let least_rows = match (context.table.n_classes(), context.rule.most()) {
            (n_classes @ 4.., ..=2) => context.switches.sizes.second_per_class * n_classes,
            _ => context.switches.sizes.second_rows,
        };
        if !context.switches.second_histogram || root.rows.len() < least_rows {
            root.histogram = Some(histogram);
            return;
        }
        histogram.recycle(spare);
        root.at = 1;
        let histogram = Histogram::first(
            context,
            &root.rows,
            &root.bins[1],
            feature,
            &children,
            spare,
        );
        root.ranges = Self::ranges(root, &histogram);
        self.offer(root, &histogram, &root.ranges, incumbent);
        root.children = children;
        root.histogram = Some(histogram);
    }

    /// The children of near ranges; `None` if there are none.
    fn near_children<T: Lane>(
        self,
        root: &mut HistogramRoot<'_, T>,
        histogram: &Histogram<T>,
        incumbent: &TreeIncumbent,
    ) -> Option<Vec<(usize, [bool; 2])>> {
        let mut near = Vec::new();
        for range in &root.ranges {
            let limit = incumbent.upper_for(range.first_split());
            if range.lower() < limit {
                near.push((*range.payload(), limit.saturating_sub(root.missing)));
            } else {
                root.floor = root.floor.min(range.lower());
            }
        }
        if near.is_empty() {
            return None;
        }
        if !self.two.context.switches.child_bounds {
            return Some(root.children.clone());
        }
        let (children, floor) = histogram.live_children(&near);
        root.floor = root.floor.min(floor.saturating_add(root.missing));
        Some(children)
    }

    fn ranges<T: Lane>(root: &HistogramRoot<'_, T>, histogram: &Histogram<T>) -> Vec<LaneRange> {
        // No rows below the first rank: that is no cut.
        let is_cut = |&lane: &usize| histogram.cut(lane) > 0 || !histogram.is_single(lane);
        let range = |lane: usize| {
            let cuts = histogram.cuts_of(lane);
            LaneRange::new(
                root.feature,
                cuts,
                histogram.sides(lane),
                root.missing,
                lane,
            )
        };
        (0..histogram.n_ranges())
            .filter(is_cut)
            .map(range)
            .collect()
    }

    /// Trees that were met.
    fn offer<T: Lane>(
        self,
        root: &HistogramRoot<'_, T>,
        histogram: &Histogram<T>,
        ranges: &[LaneRange],
        incumbent: &TreeIncumbent,
    ) {
        let ranges = ranges
            .iter()
            .filter(|range| histogram.cut(*range.payload()) > 0);
        if self.two.context.rule.min_leaf() == 1 {
            for range in ranges {
                let value = histogram.value(*range.payload()) + root.missing;
                if value <= incumbent.value() {
                    incumbent.offer(value, range.first_split().alone());
                }
            }
        } else if let Some(range) = ranges.min()
            && range.lower() < incumbent.value()
            && let Ok(Some(value)) = self.at(root, histogram.cut(*range.payload()))
        {
            incumbent.offer(value, range.first_split().alone());
        }
    }

    /// The value of a cut.
    fn at<T>(self, root: &HistogramRoot<'_, T>, cut: u32) -> Result<Option<u64>, Stopped> {
        let [low, high] = if self.two.context.table.is_binary(root.feature) {
            root.rows.apart(root.feature, cut - 1)
        } else {
            root.rows.parted(root.feature, cut)
        };
        let low = self.two.one(&low)?;
        let high = self.two.one(&high)?;
        let both = low.zip(high);
        Ok(both.map(|(low, high)| low + high + root.missing))
    }

    /// Refines all ranges that can be better. Was there time for all?
    fn refine_all<T: Lane>(
        self,
        roots: &mut [HistogramRoot<'_, T>],
        incumbent: &TreeIncumbent,
    ) -> bool {
        let switches = self.two.context.switches;
        if switches.root_order {
            // Good incumbents early make other roots needless.
            roots.sort_by_key(|root| root.ranges.iter().min().copied());
        }
        self.two.map(&mut *roots, |spare, root| {
            self.second(root, incumbent, spare);
        });
        let (mut n_kept, mut near) = (0, Vec::new());
        for (at, root) in roots.iter_mut().enumerate() {
            for &range in &root.ranges {
                if range.is_open(incumbent) {
                    near.push((range, at));
                } else {
                    root.floor = root.floor.min(range.lower());
                }
            }
            n_kept += root.histogram.as_ref().map_or(0, Histogram::size);
            if !switches.kept_histograms || n_kept > switches.sizes.kept {
                root.histogram = None;
            }
        }
        near.sort_unstable();
        let floors: Vec<Mutex<u64>> = roots.iter().map(|root| Mutex::new(root.floor)).collect();
        let done = self.two.map(&near, |spare, &(range, at)| {
            let root = &roots[at];
            let mut floor = u64::MAX;
            let mut is_done = range.lower() >= incumbent.upper_for(range.first_split());
            if is_done || self.two.is_over() {
                floor = range.lower();
            } else {
                let built = root.histogram.is_none().then(|| {
                    let (context, children) = (self.two.context, &root.children);
                    let bins = &root.bins[root.at];
                    Histogram::first(context, &root.rows, bins, root.feature, children, spare)
                });
                let histogram = root.histogram.as_ref().or(built.as_ref());
                let histogram = histogram.expect("there is one of both");
                is_done = self.refine_range(root, histogram, range, incumbent, &mut floor, spare);
            }
            let mut known = floors[at].lock().unwrap_or_else(PoisonError::into_inner);
            *known = floor.min(*known);
            is_done
        });
        let is_done = !done.contains(&false) && roots.iter().all(|root| root.is_done);
        for (root, floor) in roots.iter_mut().zip(floors) {
            root.floor = floor.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        is_done
    }

    /// Refines the range between two lanes.
    fn refine_range<T: Lane>(
        self,
        root: &HistogramRoot<'_, T>,
        histogram: &Histogram<T>,
        range: LaneRange,
        incumbent: &TreeIncumbent,
        floor: &mut u64,
        spare: &mut Spare<T>,
    ) -> bool {
        if self.two.context.rule.min_leaf() > 1 && histogram.is_single(*range.payload()) {
            // Bounds do not know of the least size of leaves.
            let Ok(value) = self.at(root, histogram.cut(*range.payload())) else {
                *floor = (*floor).min(range.lower());
                return false;
            };
            if let Some(value) = value {
                incumbent.offer(value, range.first_split().alone());
                *floor = (*floor).min(value);
            }
            return true;
        }
        let limit = incumbent
            .upper_for(range.first_split())
            .saturating_sub(root.missing);
        let refined = histogram.refined(
            self.two.context,
            &root.rows,
            *range.payload(),
            limit,
            &root.gathered,
            spare,
        );
        *floor = (*floor).min(refined.floor.saturating_add(root.missing));
        let mut ranges = Self::ranges(root, &refined);
        self.offer(root, &refined, &ranges, incumbent);
        ranges.sort_unstable();
        let mut is_done = true;
        for range in ranges {
            let is_far = range.lower() >= incumbent.upper_for(range.first_split());
            if is_far || self.two.budget.is_spent() {
                *floor = (*floor).min(range.lower());
                is_done &= is_far;
            } else {
                is_done &= self.refine_range(root, &refined, range, incumbent, floor, spare);
            }
        }
        refined.recycle(spare);
        is_done
    }
}

//! From histograms to lower bounds and values: of leaves and by children, for both sides and all lanes.

use super::gains::Gains;
use super::view::{HistogramView, RootSide};
use super::{ChildHistogram, Histogram, SIDES, amounts, n_intervals};
use crate::learn::exact::Deadline;
use crate::learn::optimal::depth1::groups::{CategorySums, GroupRule};
use crate::learn::optimal::depth2::lane_of_rank::LaneOfRank;
use crate::learn::optimal::depth2::simd::{LANES, Lane, add, is_wide, most, narrow, sub};
use crate::learn::optimal::problem::{Context, FeatureKind, NONE, RowSet};

impl<T: Lane> Histogram<T> {
    /// From numbers for each lane to sums, then to costs of leaves.
    pub(crate) fn sweep_leaves(&mut self, context: Context<'_>) {
        let total = self.total_lane();
        add_up(&mut self.sums, self.stride, total);
        self.leaves(context);
    }

    /// From numbers for each lane to sums, then to costs by a child, which is one more then.
    pub(crate) fn sweep(
        &mut self,
        context: Context<'_>,
        rows: &RowSet,
        mut child: ChildHistogram<T>,
        is_live: [bool; 2],
    ) {
        let sweep = Sweep {
            histogram: self,
            context,
            rows,
            child: &mut child,
            is_live,
        };
        // As many lanes as a register of the processor has room for.
        if size_of::<T>() == 2 && context.rule.most() == 2 && is_wide(context.arch) {
            context.arch.dispatch(InLanes::<T, LANES>(sweep));
        } else {
            narrow(context.arch).dispatch(InLanes::<T, { LANES / 2 }>(sweep));
        }
        self.children.push(child);
    }

    /// The lane that gets the sum of all, where it is not that of all lanes so far.
    fn total_lane(&self) -> Option<usize> {
        self.is_apart.then_some(self.cuts.len())
    }

    /// The costs of leaves.
    fn leaves(&mut self, context: Context<'_>) {
        let n_classes = context.table.n_classes();
        for (at, side) in SIDES.into_iter().enumerate() {
            let view = self.view(&self.sums);
            let leaf = |lane: usize| {
                let sums = (0..n_classes).map(|class| view.at(0, class, lane, side));
                let (all, most) = sums.fold((0, 0), |(all, most), sum| (all + sum, sum.max(most)));
                context.encoding.leaf((all - most) as u64)
            };
            self.lower[at] = (0..self.cuts.len()).map(leaf).collect();
            self.real[at] = match context.rule.min_leaf() {
                1 => self.lower[at].clone(),
                _ => vec![u64::MAX; self.cuts.len()],
            };
        }
    }

    /// The costs by a child feature.
    #[inline(always)]
    fn sweep_child<const W: usize>(
        &mut self,
        context: Context<'_>,
        rows: &RowSet,
        child: &mut ChildHistogram<T>,
        is_live: [bool; 2],
    ) {
        let is_numeric = context.table.kinds()[child.feature] == FeatureKind::Numeric;
        let is_binary = context.table.is_binary(child.feature);
        let mut gains = Gains::<T, W>::default();
        for (at, side) in SIDES.into_iter().enumerate().filter(|&(at, _)| is_live[at]) {
            let mut lower = vec![u64::MAX; self.stride];
            let mut real = vec![u64::MAX; self.stride];
            if !is_numeric && child.table.is_empty() {
                match side {
                    RootSide::Low if is_binary => {
                        self.many_in_groups::<false>(context, rows, child.feature, &mut lower);
                    }
                    RootSide::High if is_binary => {
                        self.many_in_groups::<true>(context, rows, child.feature, &mut lower);
                    }
                    RootSide::Low => {
                        self.many_categories::<false>(context, rows, child.feature, &mut lower);
                    }
                    RootSide::High => {
                        self.many_categories::<true>(context, rows, child.feature, &mut lower);
                    }
                }
                real.clone_from(&lower);
            } else {
                for from in (0..self.cuts.len()).step_by(W) {
                    let values = (&mut lower[from..][..W], &mut real[from..][..W]);
                    match (is_numeric, side) {
                        (true, RootSide::Low) => {
                            self.intervals::<W, false>(context, child, &mut gains, from, values);
                        }
                        (true, RootSide::High) => {
                            self.intervals::<W, true>(context, child, &mut gains, from, values);
                        }
                        (false, RootSide::Low) if is_binary => {
                            self.groups::<W, false>(context, child, from, values);
                        }
                        (false, RootSide::High) if is_binary => {
                            self.groups::<W, true>(context, child, from, values);
                        }
                        (false, RootSide::Low) => {
                            self.categories::<W, false>(context, child, from, values);
                        }
                        (false, RootSide::High) => {
                            self.categories::<W, true>(context, child, from, values);
                        }
                    }
                }
            }
            for lane in 0..self.cuts.len() {
                self.lower[at][lane] = self.lower[at][lane].min(lower[lane]);
                if context.rule.min_leaf() == 1 {
                    self.real[at][lane] = self.real[at][lane].min(real[lane]);
                }
            }
            lower.truncate(self.cuts.len());
            child.lower[at] = lower;
        }
    }

    /// The gain of a bin that is a leaf, and whether it has rows at all.
    #[inline(always)]
    fn leaf<const W: usize, const HIGH: bool>(
        &self,
        n_classes: usize,
        view: HistogramView<'_, T>,
        bin: usize,
        from: usize,
    ) -> ([T; W], [T; W]) {
        let mut gain = view.load::<W, HIGH>(bin, 0, from);
        for class in 1..n_classes {
            gain = most(gain, view.load::<W, HIGH>(bin, class, from));
        }
        let mut any = gain;
        if self.n_slots > n_classes {
            any = most(any, view.load::<W, HIGH>(bin, n_classes, from));
        }
        (gain, any.map(|any| T::new(u32::from(any > T::ZERO))))
    }

    #[inline(always)]
    fn intervals<const W: usize, const HIGH: bool>(
        &self,
        context: Context<'_>,
        child: &ChildHistogram<T>,
        gains: &mut Gains<T, W>,
        from: usize,
        (lower, real): (&mut [u64], &mut [u64]),
    ) {
        let n_classes = context.table.n_classes();
        let encoding = context.encoding;
        let view = self.view(&child.table);
        let n_intervals = n_intervals(context.rule, &child.bins);
        if n_intervals == 0 {
            return;
        }
        let n_bins = child.bins.len();
        let has_missing = child.table.len() > n_bins * self.n_slots * self.stride;
        let (mut weights, mut leaves) = ([0_i64; W], [0_u64; W]);
        let all = self.view(&self.sums);
        let mut totals: Vec<[T; W]> = Vec::with_capacity(n_classes);
        for class in 0..n_classes {
            let mut total = all.load::<W, HIGH>(0, class, from);
            if has_missing {
                total = sub(total, view.load::<W, HIGH>(n_bins, class, from));
            }
            for lane in 0..W {
                weights[lane] += total[lane].wide();
            }
            totals.push(total);
        }
        if has_missing {
            for class in 0..n_classes {
                let missing = view.load::<W, HIGH>(n_bins, class, from);
                for lane in 0..W {
                    weights[lane] += missing[lane].wide();
                }
            }
            let (gain, any) = self.leaf::<W, HIGH>(n_classes, view, n_bins, from);
            for lane in 0..W {
                weights[lane] -= gain[lane].wide();
                leaves[lane] = any[lane].wide() as u64;
            }
        }
        gains.find::<HIGH>(view, &child.bins, &totals, n_intervals, from);
        // One interval is a leaf, unless there are missing cells.
        for k in usize::from(!has_missing)..n_intervals {
            let per_leaf = (k as u64 + 1) * encoding.per_leaf();
            for lane in 0..W {
                let value = |gain: T| {
                    encoding.loss((weights[lane] - gain.wide()).max(0) as u64)
                        + leaves[lane] * encoding.per_leaf()
                        + per_leaf
                };
                lower[lane] = lower[lane].min(value(gains.most(k)[lane]));
                real[lane] = real[lane].min(value(gains.real(k)[lane]));
            }
        }
    }

    #[inline(always)]
    fn categories<const W: usize, const HIGH: bool>(
        &self,
        context: Context<'_>,
        child: &ChildHistogram<T>,
        from: usize,
        (lower, real): (&mut [u64], &mut [u64]),
    ) {
        let n_classes = context.table.n_classes();
        let view = self.view(&child.table);
        let weights = self.weights::<W, HIGH>(n_classes, from);
        let (mut gains, mut leaves) = ([T::ZERO; W], [T::ZERO; W]);
        for bin in 0..child.table.len() / (self.n_slots * self.stride) {
            let (gain, any) = self.leaf::<W, HIGH>(n_classes, view, bin, from);
            gains = add(gains, gain);
            leaves = add(leaves, any);
        }
        for lane in 0..W {
            let loss = context
                .encoding
                .loss((weights[lane] - gains[lane].wide()) as u64);
            lower[lane] = loss + leaves[lane].wide() as u64 * context.encoding.per_leaf();
        }
        real.copy_from_slice(lower);
    }

    /// Groups of categories, each of which is a leaf.
    #[inline(always)]
    fn groups<const W: usize, const HIGH: bool>(
        &self,
        context: Context<'_>,
        child: &ChildHistogram<T>,
        from: usize,
        (lower, real): (&mut [u64], &mut [u64]),
    ) {
        let n_classes = context.table.n_classes();
        let (view, n_bins) = (self.view(&child.table), child.bins.len());
        let has_missing = child.table.len() > n_bins * self.n_slots * self.stride;
        let all = self.view(&self.sums);
        let total = |class: usize| {
            let total = all.load::<W, HIGH>(0, class, from);
            if has_missing {
                sub(total, view.load::<W, HIGH>(n_bins, class, from))
            } else {
                total
            }
        };
        let totals: Vec<[T; W]> = (0..n_classes).map(total).collect();
        let rule = context.group_rule();
        let gains: Vec<[T; W]> = match rule {
            GroupRule::Apart => {
                let mut best = [T::ZERO; W];
                for bin in 0..n_bins {
                    let (gain, rest) = apart::<T, W, HIGH>(&totals, view, bin, from);
                    best = most(best, add(gain, rest));
                }
                vec![best]
            }
            GroupRule::UpTo(_) if n_classes == 2 => {
                let mut sum = [T::ZERO; W];
                for bin in 0..n_bins {
                    sum = add(sum, self.leaf::<W, HIGH>(n_classes, view, bin, from).0);
                }
                vec![sum]
            }
            GroupRule::UpTo(_) => {
                let load = |at: usize| view.load::<W, HIGH>(at / n_classes, at % n_classes, from);
                let sums: Vec<[T; W]> = (0..n_bins * n_classes).map(load).collect();
                let n_lanes = W.min(self.cuts.len() - from);
                gains_by_lane(&sums, n_classes, rule, n_lanes)
            }
        };
        let weights = self.weights::<W, HIGH>(n_classes, from);
        let (missing, leaves) = if has_missing {
            self.leaf::<W, HIGH>(n_classes, view, n_bins, from)
        } else {
            ([T::ZERO; W], [T::ZERO; W])
        };
        // One group is a leaf, unless there are missing cells.
        let one = totals.into_iter().reduce(most);
        let one = one
            .filter(|_| has_missing)
            .into_iter()
            .map(|gain| (1, gain));
        for (groups, gain) in one.chain((2..).zip(gains)) {
            for lane in 0..W {
                let loss = weights[lane] - gain[lane].wide() - missing[lane].wide();
                let leaves = groups + leaves[lane].wide() as u64;
                let value = context.encoding.loss(loss.max(0) as u64)
                    + leaves * context.encoding.per_leaf();
                lower[lane] = lower[lane].min(value);
            }
        }
        real.copy_from_slice(lower);
    }

    /// Groups of categories when a table of all would be too large: sums for one lane after the other.
    fn many_in_groups<const HIGH: bool>(
        &self,
        context: Context<'_>,
        rows: &RowSet,
        feature: usize,
        lower: &mut [u64],
    ) {
        let n_classes = context.table.n_classes();
        let cells = &rows.cells()[feature];
        let of_root = rows.cells()[self.root].ranks();
        let n_sums = cells.n_ranks() * n_classes;
        let rule = context.group_rule();
        for (lane, lower) in lower.iter_mut().enumerate().take(self.cuts.len()) {
            let mut sums = vec![0_u64; n_sums + n_classes];
            let mut has_missing = false;
            let is_in = |row: &usize| self.is_below(of_root[*row], lane) != HIGH;
            for row in (0..rows.len()).filter(is_in) {
                let (label, rank) = (rows.labels()[row], cells.ranks()[row]);
                let at = if rank == NONE {
                    n_sums
                } else {
                    rank as usize * n_classes
                };
                has_missing |= rank == NONE;
                sums[at + label.class as usize] += u64::from(label.weight);
            }
            let missing = sums.split_off(n_sums);
            let least = CategorySums::new(sums, n_classes).least(
                rule,
                context.encoding,
                &mut Deadline::new(&|| false),
            );
            let mut value = least.unwrap_or(u64::MAX);
            if has_missing {
                let most = missing.iter().copied().max().unwrap_or(0);
                value += context.encoding.leaf(missing.iter().sum::<u64>() - most);
            }
            *lower = value;
        }
    }

    /// The weight of all rows in some lanes.
    #[inline(always)]
    fn weights<const W: usize, const HIGH: bool>(&self, n_classes: usize, from: usize) -> [i64; W] {
        let view = self.view(&self.sums);
        let mut weights = [0; W];
        for class in 0..n_classes {
            let sums = view.load::<W, HIGH>(0, class, from);
            for lane in 0..W {
                weights[lane] += sums[lane].wide();
            }
        }
        weights
    }

    /// Categories one after the other, when a table of all would be too large.
    fn many_categories<const HIGH: bool>(
        &self,
        context: Context<'_>,
        rows: &RowSet,
        feature: usize,
        lower: &mut [u64],
    ) {
        let n_classes = context.table.n_classes();
        let lanes = LaneOfRank::new(&self.cuts);
        let of_root = rows.cells()[self.root].ranks();
        let amounts: Vec<T> = amounts(rows);
        let cells = &rows.cells()[feature];
        let missing = (0..rows.len() as u32).filter(|&row| cells.ranks()[row as usize] == NONE);
        let missing: Vec<u32> = missing.collect();
        let groups = (0..cells.n_ranks() as u32).map(|rank| cells.rows(rank, rank + 1));
        let mut gains = vec![0_i64; self.stride];
        let mut leaves = vec![0_u64; self.stride];
        let mut table = vec![T::default(); self.n_slots * self.stride];
        for group in groups.chain(std::iter::once(&missing[..])) {
            table.fill(T::default());
            for &row in group {
                let row = row as usize;
                let lane = lanes.of(of_root[row]);
                let sum = &mut table[self.slot(rows, row) * self.stride + lane];
                *sum = sum.plus(amounts[row]);
            }
            add_up(&mut table, self.stride, self.total_lane());
            for from in (0..self.cuts.len()).step_by(LANES) {
                let (gain, any) = self.leaf::<LANES, HIGH>(n_classes, self.view(&table), 0, from);
                for lane in 0..LANES {
                    gains[from + lane] += gain[lane].wide();
                    leaves[from + lane] += any[lane].wide() as u64;
                }
            }
        }
        for from in (0..self.cuts.len()).step_by(LANES) {
            let weights = self.weights::<LANES, HIGH>(n_classes, from);
            for lane in 0..LANES {
                let loss = (weights[lane] - gains[from + lane]) as u64;
                let leaves = leaves[from + lane] * context.encoding.per_leaf();
                lower[from + lane] = context.encoding.loss(loss) + leaves;
            }
        }
    }
}

/// A sweep over the table of a child, for which the processor's widest vectors are used.
struct Sweep<'a, T> {
    histogram: &'a mut Histogram<T>,
    context: Context<'a>,
    rows: &'a RowSet,
    child: &'a mut ChildHistogram<T>,
    is_live: [bool; 2],
}

/// A sweep over the table of a child, in `W` lanes at once.
struct InLanes<'a, T, const W: usize>(Sweep<'a, T>);

impl<T: Lane, const W: usize> pulp::NullaryFnOnce for InLanes<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Sweep {
            histogram,
            context,
            rows,
            child,
            is_live,
        } = self.0;
        add_up(&mut child.table, histogram.stride, histogram.total_lane());
        histogram.sweep_child::<W>(context, rows, child, is_live);
    }
}

/// From numbers for each lane to sums over the lanes so far, or to the sum of all in one lane.
#[inline(always)]
fn add_up<T: Lane>(table: &mut [T], stride: usize, total: Option<usize>) {
    let lanes = table.chunks_exact_mut(stride);
    match total {
        None => lanes.for_each(T::add_up),
        Some(last) => lanes.for_each(|lanes| {
            lanes[last] = lanes[..=last]
                .iter()
                .fold(T::ZERO, |sum, &lane| sum.plus(lane));
        }),
    }
}

/// What 2, 3, ... groups of categories gain in each lane, from the sums of all categories and classes.
fn gains_by_lane<T: Lane, const W: usize>(
    sums: &[[T; W]],
    n_classes: usize,
    rule: GroupRule,
    n_lanes: usize,
) -> Vec<[T; W]> {
    let mut gains: Vec<[T; W]> = Vec::new();
    for lane in 0..n_lanes {
        let of_lane: Vec<u64> = sums.iter().map(|sums| sums[lane].wide() as u64).collect();
        let total: u64 = of_lane.iter().sum();
        let of_lane = CategorySums::new(of_lane, n_classes);
        let losses = of_lane.losses(rule, &mut Deadline::new(&|| false));
        let losses = losses.unwrap_or_default();
        gains.resize(gains.len().max(losses.len() - 1), [T::ZERO; W]);
        for (gains, loss) in gains.iter_mut().zip(&losses[1..]) {
            gains[lane] = T::from_wide((total - loss) as i64);
        }
    }
    gains
}

/// What a category that is set apart gains, and what the rest does.
#[inline(always)]
fn apart<T: Lane, const W: usize, const HIGH: bool>(
    totals: &[[T; W]],
    view: HistogramView<'_, T>,
    bin: usize,
    from: usize,
) -> ([T; W], [T; W]) {
    let (mut gain, mut rest) = ([T::ZERO; W], [T::ZERO; W]);
    for (class, &total) in totals.iter().enumerate() {
        let own = view.load::<W, HIGH>(bin, class, from);
        gain = most(gain, own);
        rest = most(rest, sub(total, own));
    }
    (gain, rest)
}

//! A scan: for many cuts of the root at once, what a child costs below and above.
//!
//! **Problem.** Two classes in a few intervals: find the exact value of a child on both sides of up to 62 cuts.
//!
//! **Method.** Take the rows in the order of the child, and add 1 for each row of the first class, -1 for the
//! second. The gain of intervals, less the rows of the second class so far, follows this sum while their label is
//! the first class, and stays while it is the second. So a number for each first label and number of cuts is enough;
//! where the child may be cut, it is at least the number with a cut less. With two intervals these are the largest
//! sum, and the last sum less the smallest.
//!
//! The rows below a cut of the root are a part of all, those above are the rest. A lane for each cut adds up the
//! rows below it, another those above.

use std::marker::PhantomData;
use std::sync::OnceLock;

use super::masks::{Aligned, CLASS, LaneSides, MOST_LANES, Masks};
use super::runs::{Losses, MOST_INTERVALS, RunList};
use super::sized::{LaneSizes, SizedChild};
use super::state::{Cuts, OneCut, ScanState, TwoCuts};
use crate::learn::optimal::depth1::groups::GroupRule;
use crate::learn::optimal::depth2::lane_of_rank::LaneOfRank;
use crate::learn::optimal::depth2::simd::{Lane, add, and, is_wide};
use crate::learn::optimal::problem::{
    Context, FeatureCells, FeatureKind, Label, NONE, RowSet, ValueEncoding,
};

/// Heavier rows do not fit into a step.
pub(crate) const MOST_WEIGHT: u32 = 1 << 22;

/// Cuts of a root, for which children are tried.
#[derive(Debug)]
pub(crate) struct Batch<T: 'static> {
    pub(super) root: usize,
    pub(super) n_cuts: usize,
    /// From ranks of the root to lanes, when they are needed.
    lanes: OnceLock<LaneOfRank>,
    cuts: Vec<u32>,
    /// For each row the first lane in which it is below the cut, a bit for its class, and above 8 bits its
    /// step. Empty if only run-length lists are scanned.
    pub(super) codes: Vec<u32>,
    /// Do all rows have the weight 1?
    is_plain: bool,
    pub(super) masks: &'static Masks<T>,
    /// For each cut the weights of both classes below it, and above.
    pub(super) sums: Vec<[[i64; 2]; 2]>,
    /// How large leaves have to be, if not of any size.
    sizes: Option<LaneSizes>,
}

/// For each number of intervals from two on, what they gain on both sides, less all rows of the second class.
type ScanGains<T> = [LaneSides<T>; MOST_INTERVALS - 1];

impl<T: Lane> Batch<T> {
    /// Some cuts of a root, rising. `below` has for each rank the weights of both classes below it; that is
    /// needed if not all rows are scanned.
    pub(crate) fn new(
        rows: &RowSet,
        root: usize,
        cuts: &[u32],
        below: &[[i64; 2]],
        is_whole: bool,
    ) -> Self {
        let (mut codes, mut lows) = (Vec::new(), Vec::with_capacity(cuts.len() + 1));
        if is_whole {
            codes = vec![0; rows.len()];
            let cells = &rows.cells()[root];
            let ends = cuts
                .iter()
                .map(|&cut| cells.starts()[cut as usize] as usize);
            let (mut sums, mut from) = ([0; 2], 0);
            for (lane, to) in (0..).zip(ends.chain([cells.order().len()])) {
                for &row in &cells.order()[from..to] {
                    let Label { class, weight } = rows.labels()[row as usize];
                    let step = if class == 0 {
                        weight
                    } else {
                        weight.wrapping_neg()
                    };
                    codes[row as usize] = (step << 8) | (class * CLASS) | lane;
                    sums[class as usize] += i64::from(weight);
                }
                lows.push(sums);
                from = to;
            }
        } else {
            lows.extend(cuts.iter().map(|&cut| below[cut as usize]));
            lows.push(below[below.len() - 1]);
        }
        let all = lows.pop().unwrap_or([0; 2]);
        let sides = |low: [i64; 2]| [low, [all[0] - low[0], all[1] - low[1]]];
        Self {
            root,
            n_cuts: cuts.len(),
            codes,
            is_plain: is_whole && rows.labels().iter().all(|label| label.weight == 1),
            masks: T::masks(),
            sums: lows.into_iter().map(sides).collect(),
            lanes: OnceLock::new(),
            cuts: cuts.to_vec(),
            sizes: None,
        }
    }

    /// This batch, where leaves have a least number of rows.
    pub(super) fn with_sizes(self, sizes: Option<LaneSizes>) -> Self {
        Self { sizes, ..self }
    }

    pub(super) fn sizes(&self) -> Option<&LaneSizes> {
        self.sizes.as_ref()
    }

    pub(super) fn lanes(&self) -> &LaneOfRank {
        self.lanes.get_or_init(|| LaneOfRank::new(&self.cuts))
    }

    /// What leaves cost, for both sides of each cut.
    pub(crate) fn leaves(&self, encoding: ValueEncoding) -> Vec<[u64; 2]> {
        let leaf = |[a, b]: [i64; 2]| encoding.leaf(a.min(b) as u64);
        let leaves = self.sums.iter().map(|sides| sides.map(leaf)).collect();
        match &self.sizes {
            None => leaves,
            Some(sizes) => sizes.large_enough(leaves),
        }
    }

    /// What both sides of each cut lose as a leaf.
    pub(crate) fn leaf_losses(&self) -> Vec<[u64; 2]> {
        let leaf = |[a, b]: [i64; 2]| a.min(b) as u64;
        self.sums.iter().map(|sides| sides.map(leaf)).collect()
    }

    /// What both sides of each cut lose by a numeric child that all rows have, in at most 1, 2, ... intervals. With a
    /// run-length list, the cuts are in its range.
    pub(crate) fn losses(
        &self,
        arch: pulp::Arch,
        cells: &FeatureCells,
        run_list: Option<&RunList>,
        n_intervals: usize,
    ) -> Vec<[Losses; 2]> {
        let scan = Scan {
            batch: self,
            cells,
            run_list,
        };
        let found = scan.gains(arch, n_intervals);
        let sides = |(lane, sums): (usize, &[[i64; 2]; 2])| {
            [0, 1].map(|side| {
                let [a, b] = sums[side];
                let mut losses = [a.min(b) as u64; MOST_INTERVALS];
                for intervals in 1..MOST_INTERVALS {
                    let before = losses[intervals - 1];
                    losses[intervals] = if intervals < n_intervals {
                        before.min((a - found[intervals - 1][side][lane].wide()) as u64)
                    } else {
                        before
                    };
                }
                losses
            })
        };
        self.sums.iter().enumerate().map(sides).collect()
    }

    /// What a child costs for both sides of each cut. With a run-length list, the cuts are in its range.
    pub(crate) fn child(
        &self,
        arch: pulp::Arch,
        rows: &RowSet,
        (feature, kind): (usize, FeatureKind),
        run_list: Option<&RunList>,
        (encoding, n_intervals): (ValueEncoding, usize),
    ) -> Vec<[u64; 2]> {
        let cells = &rows.cells()[feature];
        let scan = Scan {
            batch: self,
            cells,
            run_list,
        };
        let missing = if cells.has_missing() {
            self.missing(rows, cells)
        } else {
            Vec::new()
        };
        if let Some(sizes) = &self.sizes {
            let child = SizedChild::new(self, sizes, rows, cells);
            return child.values(arch, kind, &missing, (encoding, n_intervals));
        }
        if kind == FeatureKind::Categorical {
            return self.categories(arch, cells, &missing, encoding);
        }
        let found = scan.gains(arch, n_intervals);
        let found = &found[..n_intervals - 1];
        // The gain of the rows of the second class, and of `a` rows of the first.
        let by_intervals = |a: i64, lane: usize, side: usize| {
            let mut least = u64::MAX;
            for (intervals, found) in (2_u64..).zip(found) {
                let gain = found[side][lane].wide();
                least =
                    least.min(encoding.loss((a - gain) as u64) + intervals * encoding.per_leaf());
            }
            least
        };
        let mut values = vec![[0; 2]; self.n_cuts];
        for (lane, (values, sums)) in values.iter_mut().zip(&self.sums).enumerate() {
            for side in 0..2 {
                let [a, b] = sums[side];
                let [missing_a, missing_b] = missing.get(lane).map_or([0; 2], |sides| sides[side]);
                let mut value = by_intervals(a - missing_a, lane, side);
                if missing_a + missing_b > 0 {
                    // One interval, and the missing cells.
                    let whole = (a - missing_a).min(b - missing_b);
                    value = value.min(encoding.leaf(whole as u64));
                    value += encoding.leaf(missing_a.min(missing_b) as u64);
                }
                values[side] = value;
            }
        }
        values
    }

    /// For each cut and side the weights of both classes that have no cell.
    fn missing(&self, rows: &RowSet, cells: &FeatureCells) -> Vec<[[i64; 2]; 2]> {
        let mut sums = vec![[[0; 2]; 2]; self.n_cuts + 1];
        let (of_root, lanes) = (rows.cells()[self.root].ranks(), self.lanes());
        for (row, _) in cells
            .ranks()
            .iter()
            .enumerate()
            .filter(|&(_, &rank)| rank == NONE)
        {
            let label = rows.labels()[row];
            let sum = &mut sums[lanes.of(of_root[row])][0];
            sum[label.class as usize] += i64::from(label.weight);
        }
        for lane in 1..sums.len() {
            for class in 0..2 {
                sums[lane][0][class] += sums[lane - 1][0][class];
            }
        }
        let all = sums[self.n_cuts][0];
        for [low, high] in &mut sums {
            *high = [all[0] - low[0], all[1] - low[1]];
        }
        sums.truncate(self.n_cuts);
        sums
    }

    /// What a categorical child costs, a category after the other.
    fn categories(
        &self,
        arch: pulp::Arch,
        cells: &FeatureCells,
        missing: &[[[i64; 2]; 2]],
        encoding: ValueEncoding,
    ) -> Vec<[u64; 2]> {
        let mut losses = vec![[0; 2]; self.n_cuts];
        let mut leaves = vec![[0; 2]; self.n_cuts];
        let mut add = |lane: usize, side: usize, a: i64, b: i64| {
            losses[lane][side] += a.min(b);
            leaves[lane][side] += u64::from(a + b > 0);
        };
        for rank in 0..cells.n_ranks() as u32 {
            let group = Group {
                batch: self,
                rows: cells.rows(rank, rank + 1),
            };
            let [a, b] = arch.dispatch(group);
            let all = [a[MOST_LANES - 1].wide(), b[MOST_LANES - 1].wide()];
            for lane in 0..self.n_cuts {
                let (low_a, low_b) = (a[lane].wide(), b[lane].wide());
                add(lane, 0, low_a, low_b);
                add(lane, 1, all[0] - low_a, all[1] - low_b);
            }
        }
        for (lane, sides) in missing.iter().enumerate() {
            for (side, &[a, b]) in sides.iter().enumerate() {
                add(lane, side, a, b);
            }
        }
        let value = |(losses, leaves): (&[i64; 2], &[u64; 2])| {
            [0, 1]
                .map(|side| encoding.loss(losses[side] as u64) + leaves[side] * encoding.per_leaf())
        };
        losses.iter().zip(&leaves).map(value).collect()
    }
}

impl<T: Lane> Batch<T> {
    /// What a child with groups of categories costs for both sides of each cut. With two classes it is enough that
    /// each category has its larger one.
    pub(crate) fn groups_of(
        &self,
        context: Context<'_>,
        rows: &RowSet,
        feature: usize,
    ) -> Vec<[u64; 2]> {
        let (rule, encoding) = (context.group_rule(), context.encoding);
        let cells = &rows.cells()[feature];
        let missing = if cells.has_missing() {
            self.missing(rows, cells)
        } else {
            vec![[[0; 2]; 2]; self.n_cuts]
        };
        let of_present = |(all, missing): (&[[i64; 2]; 2], &[[i64; 2]; 2])| {
            [0, 1].map(|side| [0, 1].map(|class| all[side][class] - missing[side][class]))
        };
        let present: Vec<[[i64; 2]; 2]> = self.sums.iter().zip(&missing).map(of_present).collect();
        let mut gains = vec![[0_i64; 2]; self.n_cuts];
        let mut add = |lane: usize, side: usize, [a, b]: [i64; 2]| {
            let gain = &mut gains[lane][side];
            match rule {
                GroupRule::UpTo(_) => *gain += a.max(b),
                GroupRule::Apart => {
                    let [all_a, all_b] = present[lane][side];
                    *gain = (*gain).max(a.max(b) + (all_a - a).max(all_b - b));
                }
            }
        };
        for rank in 0..cells.n_ranks() as u32 {
            let group = Group {
                batch: self,
                rows: cells.rows(rank, rank + 1),
            };
            let [a, b] = context.arch.dispatch(group);
            let all = [a[MOST_LANES - 1].wide(), b[MOST_LANES - 1].wide()];
            for lane in 0..self.n_cuts {
                let low = [a[lane].wide(), b[lane].wide()];
                add(lane, 0, low);
                add(lane, 1, [all[0] - low[0], all[1] - low[1]]);
            }
        }
        let value = |lane: usize, side: usize| {
            let [a, b] = present[lane][side];
            let two = encoding.loss((a + b - gains[lane][side]) as u64) + 2 * encoding.per_leaf();
            let [missing_a, missing_b] = missing[lane][side];
            if missing_a + missing_b == 0 {
                return two;
            }
            // One group, and the missing cells.
            let one = encoding.leaf(a.min(b) as u64);
            one.min(two) + encoding.leaf(missing_a.min(missing_b) as u64)
        };
        (0..self.n_cuts)
            .map(|lane| [0, 1].map(|side| value(lane, side)))
            .collect()
    }
}

/// A scan over the rows of a child.
#[derive(Debug)]
struct Scan<'a, T: 'static> {
    batch: &'a Batch<T>,
    cells: &'a FeatureCells,
    run_list: Option<&'a RunList>,
}

impl<T: 'static> Clone for Scan<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Scan<'_, T> {}

impl<T: Lane> Scan<'_, T> {
    /// What intervals gain, for both sides of all cuts.
    fn gains(self, arch: pulp::Arch, n_intervals: usize) -> ScanGains<T> {
        let mut found = [[[T::default(); MOST_LANES]; 2]; MOST_INTERVALS - 1];
        // As many lanes as the registers of the processor have room for.
        let (is_short, is_wide) = (size_of::<T>() == 2, is_wide(arch));
        let most = match n_intervals {
            2 | 3 if is_short && is_wide => 64,
            2 if is_short => 32,
            2 | 3 if is_wide => 32,
            _ => 16,
        };
        let go = match (n_intervals, self.batch.n_cuts.min(most)) {
            (2, 33..) => Scan::go::<64, OneCut<T, 64>>,
            (2, 17..) => Scan::go::<32, OneCut<T, 32>>,
            (2, _) => Scan::go::<16, OneCut<T, 16>>,
            (3, 33..) => Scan::go::<64, TwoCuts<T, 64>>,
            (3, 17..) => Scan::go::<32, TwoCuts<T, 32>>,
            (3, _) => Scan::go::<16, TwoCuts<T, 16>>,
            _ => Scan::go::<16, Cuts<T, 16, 4>>,
        };
        go(self, arch, &mut found);
        found
    }

    /// In `W` lanes at once.
    fn go<const W: usize, S: ScanState<T, W>>(self, arch: pulp::Arch, found: &mut ScanGains<T>) {
        for from in (0..self.batch.n_cuts).step_by(W) {
            let scan = self;
            arch.dispatch(Chunk::<T, W, S> {
                scan,
                from,
                found,
                side: PhantomData,
            });
        }
    }
}

/// A scan in `W` lanes, from some lane on.
struct Chunk<'a, T: 'static, const W: usize, S> {
    scan: Scan<'a, T>,
    from: usize,
    found: &'a mut ScanGains<T>,
    side: PhantomData<S>,
}

impl<T: Lane, const W: usize, S: ScanState<T, W>> pulp::NullaryFnOnce for Chunk<'_, T, W, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Scan {
            batch,
            cells,
            run_list,
        } = self.scan;
        let has_ties = cells.n_ranks() < cells.order().len();
        let from = self.from;
        let sides: [S; 2] = match (run_list, has_ties, batch.is_plain) {
            (Some(run_list), ..) => along(run_list, batch, from),
            (None, false, true) => all::<T, W, S, false, true>(batch, cells, from),
            (None, false, false) => all::<T, W, S, false, false>(batch, cells, from),
            (None, true, true) => all::<T, W, S, true, true>(batch, cells, from),
            (None, true, false) => all::<T, W, S, true, false>(batch, cells, from),
        };
        for (at, side) in sides.iter().enumerate() {
            side.gains(|cuts, gain| {
                self.found[cuts - 1][at][from..][..W].copy_from_slice(&gain);
            });
        }
    }
}

/// Over the rows that matter.
#[inline(always)]
fn along<T: Lane, const W: usize, S: ScanState<T, W>>(
    run_list: &RunList,
    batch: &Batch<T>,
    from: usize,
) -> [S; 2] {
    // Both sides are variables of their own, so that they stay in registers.
    let (mut low, mut high) = (S::START, S::START);
    let of_rank = batch.lanes();
    let mut runs = run_list.runs.iter();
    for step in &run_list.steps {
        if step.has_run
            && let Some(run) = runs.next()
        {
            low.run(&run.gains[0], run.has_cut);
            high.run(&run.gains[1], run.has_cut);
        }
        let Aligned(masks) = &batch.masks.bits[of_rank.of(step.rank)];
        let by = [T::from_wide(i64::from(step.by)); W];
        low.go(and(lanes(&masks[0], from), by));
        high.go(and(lanes(&masks[1], from), by));
        if step.is_end {
            low.look();
            high.look();
        }
    }
    [low, high]
}

/// Over all rows that have a cell.
#[inline(always)]
fn all<T: Lane, const W: usize, S: ScanState<T, W>, const TIES: bool, const PLAIN: bool>(
    batch: &Batch<T>,
    cells: &FeatureCells,
    from: usize,
) -> [S; 2] {
    let (mut low, mut high) = (S::START, S::START);
    let mut ends = cells.starts()[1..].iter();
    let mut next = ends.next().copied().unwrap_or(0);
    let codes = &batch.codes[..];
    let (masks, plain) = (&batch.masks.bits[..], &batch.masks.steps[..]);
    for (place, &row) in (1..).zip(cells.order()) {
        let code = codes[row as usize];
        if PLAIN {
            let Aligned(steps) = &plain[(code & (2 * CLASS - 1)) as usize];
            low.go(lanes(&steps[0], from));
            high.go(lanes(&steps[1], from));
        } else {
            let by = [T::from_wide(i64::from(code as i32 >> 8)); W];
            let Aligned(masks) = &masks[(code & (CLASS - 1)) as usize];
            low.go(and(lanes(&masks[0], from), by));
            high.go(and(lanes(&masks[1], from), by));
        }
        if !TIES || place == next {
            low.look();
            high.look();
        }
        if TIES && place == next {
            next = ends.next().copied().unwrap_or(next);
        }
    }
    [low, high]
}

/// Some lanes of all.
#[inline(always)]
pub(super) fn lanes<T: Lane, const W: usize>(all: &[T; MOST_LANES], from: usize) -> [T; W] {
    *all[from..].first_chunk().expect("lanes are whole vectors")
}

/// The rows of a category.
struct Group<'a, T: 'static> {
    batch: &'a Batch<T>,
    rows: &'a [u32],
}

impl<T: Lane> pulp::NullaryFnOnce for Group<'_, T> {
    /// For both classes the weights below each cut; the last lane has all.
    type Output = LaneSides<T>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut sums = [[T::default(); MOST_LANES]; 2];
        for &row in self.rows {
            let code = self.batch.codes[row as usize];
            let by = code as i32 >> 8;
            let sums = &mut sums[usize::from(by < 0)];
            let weight = T::from_wide(i64::from(by.abs()));
            let Aligned(mask) = &self.batch.masks.bits[(code & (CLASS - 1)) as usize];
            *sums = add(*sums, and(mask[0], [weight; MOST_LANES]));
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    //! Scans of many cuts at once, compared with a plain scan for each cut.

    use std::ops::Range;

    use fastrand::Rng;

    use super::Batch;
    use crate::cost::{Lambda, Scale};
    use crate::learn::optimal::depth2::scan::runs::RunList;
    use crate::learn::optimal::depth2::simd::Lane;
    use crate::learn::optimal::problem::{
        FeatureCells, FeatureKind, Label, NONE, RowSet, ValueEncoding, ValueSize,
    };

    /// Cells from values; `None` is missing.
    fn cells(values: &[Option<u32>]) -> FeatureCells {
        let mut different: Vec<u32> = values.iter().copied().flatten().collect();
        different.sort_unstable();
        different.dedup();
        let rank = |value: &Option<u32>| match value {
            None => NONE,
            Some(value) => different.partition_point(|other| other < value) as u32,
        };
        let ranks: Vec<u32> = values.iter().map(rank).collect();
        let (mut order, mut starts) = (Vec::new(), vec![0]);
        for rank in 0..different.len() as u32 {
            order.extend((0..ranks.len() as u32).filter(|&row| ranks[row as usize] == rank));
            starts.push(order.len() as u32);
        }
        FeatureCells::new(ranks, order, starts)
    }

    /// The first feature is the root, which all rows have.
    fn random_rows(rng: &mut Rng, heaviest: u32) -> RowSet {
        let n_rows = rng.usize(2..=70);
        let label = |_| Label {
            class: rng.u32(..2),
            weight: heaviest - rng.u32(..heaviest.min(5)),
        };
        let labels = (0..n_rows).map(label).collect();
        let column = |feature: usize| {
            let distinct = [2, 6, 30, 1000][rng.usize(..4)];
            let n_missing = if feature == 0 { 0 } else { rng.u8(..3) };
            let value = |_| (rng.u8(..12) >= n_missing).then(|| rng.u32(..distinct));
            cells(&(0..n_rows).map(value).collect::<Vec<_>>())
        };
        RowSet::new(labels, (0..3).map(column).collect(), 2)
    }

    /// For each rank of the root the weights of both classes below it.
    fn below(rows: &RowSet) -> Vec<[i64; 2]> {
        let (cells, mut sums) = (&rows.cells()[0], [0; 2]);
        let mut below = vec![sums];
        for rank in 0..cells.n_ranks() as u32 {
            for &row in cells.rows(rank, rank + 1) {
                let label = rows.labels()[row as usize];
                sums[label.class as usize] += i64::from(label.weight);
            }
            below.push(sums);
        }
        below
    }

    /// The weight outside the best class.
    fn error(rows: &RowSet, part: impl Iterator<Item = usize>) -> u64 {
        let mut sums = [0_u64; 2];
        for row in part {
            sums[rows.labels()[row].class as usize] += u64::from(rows.labels()[row].weight);
        }
        sums[0].min(sums[1])
    }

    /// The least loss of the ranks from one on, in at most a number of intervals: the first interval ends anywhere.
    fn least_loss(sums: &[[u64; 2]], from: usize, intervals: usize) -> u64 {
        let error = |to: usize| {
            let [a, b] = [0, 1].map(|class| sums[to][class] - sums[from][class]);
            a.min(b)
        };
        let last = sums.len() - 1;
        if intervals == 1 {
            return error(last);
        }
        let cuts = from..=last;
        let losses = cuts.map(|cut| error(cut) + least_loss(sums, cut, intervals - 1));
        losses.min().unwrap()
    }

    /// What some rows cost by a child: all of its cuts, one after the other.
    fn scan(
        rows: &RowSet,
        part: &[usize],
        (child, kind): (usize, FeatureKind),
        encoding: ValueEncoding,
        most: usize,
    ) -> u64 {
        let cells = &rows.cells()[child];
        let within = |ranks: std::ops::Range<u32>| {
            let is_in = move |row: &usize| ranks.contains(&cells.ranks()[*row]);
            part.iter().copied().filter(is_in)
        };
        let n_ranks = cells.n_ranks() as u32;
        let present = match kind {
            FeatureKind::Categorical => {
                let ranks = (0..n_ranks).filter(|&rank| within(rank..rank + 1).next().is_some());
                let leaves = ranks.map(|rank| encoding.leaf(error(rows, within(rank..rank + 1))));
                leaves.sum()
            }
            FeatureKind::Numeric => {
                let mut sums = vec![[0; 2]];
                for rank in 0..n_ranks {
                    let mut next = sums[rank as usize];
                    for row in within(rank..rank + 1) {
                        let label = rows.labels()[row];
                        next[label.class as usize] += u64::from(label.weight);
                    }
                    sums.push(next);
                }
                let value = |intervals: usize| {
                    let loss = least_loss(&sums, 0, intervals);
                    encoding.loss(loss) + intervals as u64 * encoding.per_leaf()
                };
                (2..=most).map(value).min().unwrap()
            }
        };
        let missing = part.iter().copied();
        let missing: Vec<usize> = missing.filter(|&row| cells.ranks()[row] == NONE).collect();
        if missing.is_empty() {
            return present;
        }
        let whole = match kind {
            FeatureKind::Numeric => encoding.leaf(error(rows, within(0..n_ranks))),
            FeatureKind::Categorical => u64::MAX,
        };
        present.min(whole) + encoding.leaf(error(rows, missing.into_iter()))
    }

    /// The run-length list of a child for a range of cuts: from the rows, and from the list for a wider range.
    fn run_lists<const K: usize>(
        rows: &RowSet,
        child: usize,
        range: &Range<u32>,
        wider: &Range<u32>,
    ) -> [RunList; 2] {
        let run_list = |range: &Range<u32>| RunList::new::<K>(rows, 0, range, &rows.cells()[child]);
        [run_list(range), run_list(wider).narrowed::<K>(range)]
    }

    /// With vectors of all lengths that this processor has.
    fn processors() -> Vec<pulp::Arch> {
        let mut all = vec![pulp::Arch::Scalar, pulp::Arch::new()];
        #[cfg(target_arch = "x86_64")]
        all.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
        all
    }

    fn check<T: Lane>(rng: &mut Rng, heaviest: u32, leaf_cost: &str) {
        let rows = random_rows(rng, heaviest);
        let most = rng.usize(2..=if rows.len() < 20 { 4 } else { 3 });
        let n_ranks = rows.cells()[0].n_ranks() as u32;
        let size = ValueSize::new(&rows);
        let scale = Scale {
            unit: 1.0,
            total_weight: rows.weight() as f64,
        };
        let leaf_cost: Lambda = leaf_cost.parse().unwrap();
        let encoding = ValueEncoding::new(&leaf_cost, scale, true, size).unwrap();
        let mut cuts: Vec<u32> = (0..n_ranks).collect();
        let from = rng.usize(..cuts.len());
        cuts.drain(..from);
        cuts.truncate(rng.usize(1..=62));
        let (first, last) = (cuts[0], cuts[cuts.len() - 1]);
        // Run-length lists may be for a wider range.
        let range = rng.u32(..=first)..rng.u32(last..=n_ranks);
        let wider = rng.u32(..=range.start)..rng.u32(range.end..=n_ranks);
        let below = below(&rows);
        // Run-length lists do not need all rows.
        let [whole, narrow] =
            [true, false].map(|is_whole| Batch::<T>::new(&rows, 0, &cuts, &below, is_whole));
        for (child, kind) in [
            (0, FeatureKind::Numeric),
            (1, FeatureKind::Numeric),
            (2, FeatureKind::Numeric),
            (1, FeatureKind::Categorical),
        ] {
            let made = match most {
                2 => run_lists::<2>,
                3 => run_lists::<3>,
                _ => run_lists::<4>,
            };
            let [run_list, narrowed] = made(&rows, child, &range, &wider);
            let run_lists = [None, Some(&run_list), Some(&narrowed)];
            let mut values = Vec::new();
            for run_list in
                run_lists.map(|run_list| run_list.filter(|_| kind == FeatureKind::Numeric))
            {
                let batch = if run_list.is_some() { &narrow } else { &whole };
                let value =
                    |arch| batch.child(arch, &rows, (child, kind), run_list, (encoding, most));
                values.extend(processors().into_iter().map(value));
            }
            for (lane, &cut) in cuts.iter().enumerate() {
                for side in 0..2 {
                    let is_in = |&row: &usize| (rows.cells()[0].ranks()[row] >= cut) == (side == 1);
                    let part: Vec<usize> = (0..rows.len()).filter(is_in).collect();
                    let expected = scan(&rows, &part, (child, kind), encoding, most);
                    for values in &values {
                        let found = values[lane][side];
                        assert_eq!(found, expected, "{child} {kind:?} {cut} {side} {rows:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn batches_equal_a_scan_for_each_cut() {
        for seed in 0..60 {
            let mut rng = Rng::with_seed(seed);
            let leaf_cost = ["0", "1/50", "1/7"][rng.usize(..3)];
            check::<i16>(&mut rng, 1, leaf_cost);
            check::<i16>(&mut rng, 400, leaf_cost);
            check::<i32>(&mut rng, 1, leaf_cost);
            check::<i32>(&mut rng, (1 << 22) - 1, leaf_cost);
            check::<i64>(&mut rng, (1 << 22) - 1, leaf_cost);
        }
    }
}

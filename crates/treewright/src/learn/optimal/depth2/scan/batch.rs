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

use std::sync::OnceLock;

use super::masks::{Aligned, CLASS, LaneSides, MOST_LANES, Masks};
use super::runs::{Losses, MOST_INTERVALS, RunList};
use super::scan_rows::Scan;
use super::sized::{LaneSizes, SizedChild};
use crate::learn::optimal::depth1::groups::GroupRule;
use crate::learn::optimal::depth2::lane_of_rank::LaneOfRank;
use crate::learn::optimal::depth2::simd::{Lane, add, and};
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
    pub(super) is_plain: bool,
    pub(super) masks: &'static Masks<T>,
    /// For each cut the weights of both classes below it, and above.
    pub(super) sums: Vec<[[i64; 2]; 2]>,
    /// How large leaves have to be, if not of any size.
    sizes: Option<LaneSizes>,
}

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
mod tests;

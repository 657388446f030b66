//! A scan, where leaves have a least number of rows.
//!
//! **Problem.** As in `batch`, but every interval has a number of rows at least, another one in each lane and side.
//!
//! **Method.** A lane counts its rows as it adds them up. A cut in two is looked at where enough rows are before it and
//! after it. With three intervals the one in the middle gets too few rows in some lanes: it would need the sums of each
//! lane at a place of its own. Here it has as many rows in *all* lanes together, for which the sums that many rows
//! before are kept. So the values of three intervals are lower bounds; `sized_cut` has exact ones for single cuts.

use super::batch::Batch;
use super::masks::{Aligned, CLASS, LaneSides, MOST_LANES};
use super::scan_rows::lanes;
use crate::learn::optimal::depth2::simd::{Lane, add, and, is_wide, most, sub};
use crate::learn::optimal::problem::{FeatureCells, FeatureKind, NONE, RowSet, ValueEncoding};

/// The most intervals of a scan that counts rows.
pub(crate) const MOST_SIZED_INTERVALS: usize = 3;
/// Sums are kept for at most this many rows.
const MOST_KEPT: usize = 128;
/// There is no such tree. Sums of a few do not overflow.
pub(super) const NEVER: u64 = u64::MAX / 8;

/// For each cut and side the least rows of a leaf, and how many rows there are.
#[derive(Debug)]
pub(super) struct LaneSizes {
    pub(super) least: Vec<[usize; 2]>,
    pub(super) n_rows: Vec<[usize; 2]>,
}

impl LaneSizes {
    /// The values of leaves that are large enough.
    pub(super) fn large_enough(&self, mut leaves: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
        for (lane, leaves) in leaves.iter_mut().enumerate() {
            for side in 0..2 {
                if self.n_rows[lane][side] < self.least[lane][side] {
                    leaves[side] = NEVER;
                }
            }
        }
        leaves
    }
}

/// A child feature, and how many rows it has in each lane.
pub(super) struct SizedChild<'a, T: 'static> {
    batch: &'a Batch<T>,
    sizes: &'a LaneSizes,
    cells: &'a FeatureCells,
    /// For each cut and side the rows without a cell.
    n_missing: Vec<[usize; 2]>,
}

/// What one cut and two cuts gain on both sides, less all rows of the second class.
type SizedGains<T> = [LaneSides<T>; 2];

impl<'a, T: Lane> SizedChild<'a, T> {
    pub(super) fn new(
        batch: &'a Batch<T>,
        sizes: &'a LaneSizes,
        rows: &RowSet,
        cells: &'a FeatureCells,
    ) -> Self {
        let mut n_missing = vec![[0; 2]; batch.n_cuts + 1];
        if cells.has_missing() {
            let (of_root, lanes) = (rows.cells()[batch.root].ranks(), batch.lanes());
            for (row, _) in cells
                .ranks()
                .iter()
                .enumerate()
                .filter(|&(_, &rank)| rank == NONE)
            {
                n_missing[lanes.of(of_root[row])][0] += 1;
            }
            for lane in 1..n_missing.len() {
                n_missing[lane][0] += n_missing[lane - 1][0];
            }
            let all = n_missing[batch.n_cuts][0];
            for [low, high] in &mut n_missing {
                *high = all - *low;
            }
        }
        n_missing.truncate(batch.n_cuts);
        Self {
            batch,
            sizes,
            cells,
            n_missing,
        }
    }

    /// What the child costs for both sides of each cut, at least.
    pub(super) fn values(
        &self,
        arch: pulp::Arch,
        kind: FeatureKind,
        missing: &[[[i64; 2]; 2]],
        (encoding, n_intervals): (ValueEncoding, usize),
    ) -> Vec<[u64; 2]> {
        let mut values = match kind {
            FeatureKind::Categorical => self.categories(encoding),
            FeatureKind::Numeric => self.intervals(arch, missing, (encoding, n_intervals)),
        };
        for (lane, sides) in missing.iter().enumerate() {
            for (side, &[a, b]) in sides.iter().enumerate() {
                let n_missing = self.n_missing[lane][side];
                if n_missing > 0 {
                    let is_large = n_missing >= self.sizes.least[lane][side];
                    let leaf = encoding.leaf(a.min(b) as u64);
                    let value = &mut values[lane][side];
                    *value = if is_large {
                        leaf.saturating_add(*value).min(NEVER)
                    } else {
                        NEVER
                    };
                }
            }
        }
        values
    }

    /// The values of the rows that have a cell, in intervals.
    fn intervals(
        &self,
        arch: pulp::Arch,
        missing: &[[[i64; 2]; 2]],
        (encoding, n_intervals): (ValueEncoding, usize),
    ) -> Vec<[u64; 2]> {
        let found = self.gains(arch, n_intervals);
        let mut values = vec![[NEVER; 2]; self.batch.n_cuts];
        for (lane, sums) in self.batch.sums.iter().enumerate() {
            for side in 0..2 {
                let n_present = self.sizes.n_rows[lane][side] - self.n_missing[lane][side];
                if n_present > 0 && n_present < self.sizes.least[lane][side] {
                    continue;
                }
                let [missing_a, missing_b] = missing.get(lane).map_or([0; 2], |sides| sides[side]);
                let (a, b) = (sums[side][0] - missing_a, sums[side][1] - missing_b);
                let mut value = NEVER;
                if self.n_missing[lane][side] > 0 {
                    // One interval, and the missing cells.
                    value = encoding.leaf(a.min(b) as u64);
                }
                for (intervals, found) in (2..=n_intervals as u64).zip(&found) {
                    let gain = found[side][lane].wide();
                    let loss = encoding.loss((a - gain) as u64);
                    value = value.min(loss + intervals * encoding.per_leaf());
                }
                values[lane][side] = value;
            }
        }
        values
    }

    /// The values of the rows that have a cell, a leaf for each category.
    fn categories(&self, encoding: ValueEncoding) -> Vec<[u64; 2]> {
        let n_cuts = self.batch.n_cuts;
        let mut values = vec![[0; 2]; n_cuts];
        for rank in 0..self.cells.n_ranks() as u32 {
            // For each first lane the rows and the weights of both classes.
            let mut sums = vec![[0_i64; 3]; n_cuts + 1];
            for &row in self.cells.rows(rank, rank + 1) {
                let code = self.batch.codes[row as usize];
                let by = i64::from(code as i32 >> 8);
                let sum = &mut sums[(code & (CLASS - 1)) as usize];
                sum[0] += 1;
                sum[1 + usize::from(by < 0)] += by.abs();
            }
            for lane in 1..=n_cuts {
                for at in 0..3 {
                    sums[lane][at] += sums[lane - 1][at];
                }
            }
            let all = sums[n_cuts];
            for lane in 0..n_cuts {
                let low = sums[lane];
                let high = [0, 1, 2].map(|at| all[at] - low[at]);
                for (side, [n_rows, a, b]) in [low, high].into_iter().enumerate() {
                    let value = &mut values[lane][side];
                    if n_rows > 0 && (n_rows as usize) < self.sizes.least[lane][side] {
                        *value = NEVER;
                    } else if n_rows > 0 {
                        *value = (*value + encoding.leaf(a.min(b) as u64)).min(NEVER);
                    }
                }
            }
        }
        values
    }

    /// What intervals gain, for both sides of all cuts.
    fn gains(&self, arch: pulp::Arch, n_intervals: usize) -> SizedGains<T> {
        let mut found = [[[T::default(); MOST_LANES]; 2]; 2];
        let widest = match (size_of::<T>() == 2, is_wide(arch)) {
            (true, true) => 64,
            (true, false) | (false, true) => 32,
            (false, false) => 16,
        };
        let is_two = n_intervals == 2;
        match self.batch.n_cuts.min(widest) {
            33.. if is_two => self.go::<64, false>(arch, &mut found),
            17.. if is_two => self.go::<32, false>(arch, &mut found),
            _ if is_two => self.go::<16, false>(arch, &mut found),
            33.. => self.go::<64, true>(arch, &mut found),
            17.. => self.go::<32, true>(arch, &mut found),
            _ => self.go::<16, true>(arch, &mut found),
        }
        found
    }

    /// In `W` lanes at once.
    fn go<const W: usize, const THREE: bool>(&self, arch: pulp::Arch, found: &mut SizedGains<T>) {
        let (mut first, mut last) = ([[T::ZERO; MOST_LANES]; 2], [[T::ZERO; MOST_LANES]; 2]);
        let mut fewest = MOST_KEPT;
        for lane in 0..self.batch.n_cuts {
            for side in 0..2 {
                let least = self.sizes.least[lane][side];
                let n_present = self.sizes.n_rows[lane][side] - self.n_missing[lane][side];
                first[side][lane] = T::from_wide(least.min(n_present + 1) as i64);
                last[side][lane] = T::from_wide(n_present as i64 - least.min(n_present + 1) as i64);
                fewest = fewest.min(least);
            }
        }
        for from in (0..self.batch.n_cuts).step_by(W) {
            arch.dispatch(SizedScan::<T, W, THREE> {
                batch: self.batch,
                cells: self.cells,
                window: [&first, &last],
                fewest,
                from,
                found,
            });
        }
    }
}

/// Where the lanes of one side are.
#[derive(Clone, Copy)]
struct SizedState<T, const W: usize> {
    /// The sum, and the number of rows.
    at: [T; W],
    n_rows: [T; W],
    /// The largest and the smallest sum at a cut.
    top: [T; W],
    bottom: [T; W],
    /// What three intervals gain, by the label of the first.
    first: [T; W],
    second: [T; W],
}

impl<T: Lane, const W: usize> SizedState<T, W> {
    const START: Self = Self {
        at: [T::ZERO; W],
        n_rows: [T::ZERO; W],
        top: [T::ZERO; W],
        bottom: [T::ZERO; W],
        first: [T::ZERO; W],
        second: [T::ZERO; W],
    };

    #[inline(always)]
    fn go<const THREE: bool>(&mut self, mask: [T; W], by: [T; W]) {
        let by = and(mask, by);
        self.at = add(self.at, by);
        // A mask is minus one.
        self.n_rows = sub(self.n_rows, mask);
        if THREE {
            self.first = add(self.first, by);
        }
    }

    /// The child may be cut here in two.
    #[inline(always)]
    fn look(&mut self, first: &[T; W], last: &[T; W]) {
        for lane in 0..W {
            let is_open = (self.n_rows[lane] >= first[lane]) & (self.n_rows[lane] <= last[lane]);
            let at = self.at[lane];
            let is_top = is_open & (at > self.top[lane]);
            let is_bottom = is_open & (at < self.bottom[lane]);
            self.top[lane] = if is_top { at } else { self.top[lane] };
            self.bottom[lane] = if is_bottom { at } else { self.bottom[lane] };
        }
    }

    /// The child may be cut here a second time, if the first cut was this many rows before.
    #[inline(always)]
    fn look_again(&mut self, last: &[T; W], [top, bottom]: &[[T; W]; 2]) {
        for lane in 0..W {
            let is_open = self.n_rows[lane] <= last[lane];
            let second = self.at[lane].minus(bottom[lane]);
            let is_first = is_open & (top[lane] > self.first[lane]);
            let is_second = is_open & (second > self.second[lane]);
            self.first[lane] = if is_first {
                top[lane]
            } else {
                self.first[lane]
            };
            self.second[lane] = if is_second { second } else { self.second[lane] };
        }
    }
}

/// A scan in `W` lanes, from some lane on.
struct SizedScan<'a, T: 'static, const W: usize, const THREE: bool> {
    batch: &'a Batch<T>,
    cells: &'a FeatureCells,
    /// The fewest and the most rows before a cut.
    window: [&'a LaneSides<T>; 2],
    /// No leaf has fewer rows.
    fewest: usize,
    from: usize,
    found: &'a mut SizedGains<T>,
}

impl<T: Lane, const W: usize, const THREE: bool> pulp::NullaryFnOnce
    for SizedScan<'_, T, W, THREE>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let from = self.from;
        let [first, last] = self.window;
        let [first_low, first_high] = [lanes(&first[0], from), lanes(&first[1], from)];
        let [last_low, last_high] = [lanes(&last[0], from), lanes(&last[1], from)];
        let (mut low, mut high) = (SizedState::<T, W>::START, SizedState::<T, W>::START);
        let n_kept = if THREE { self.fewest + 1 } else { 1 };
        let mut kept = vec![[[[T::ZERO; W]; 2]; 2]; n_kept];
        let mut at = 0;
        let mut ends = self.cells.starts()[1..].iter();
        let mut next = ends.next().copied().unwrap_or(0);
        let (codes, masks) = (&self.batch.codes[..], &self.batch.masks.bits[..]);
        for (place, &row) in (1..).zip(self.cells.order()) {
            let code = codes[row as usize];
            let by = [T::from_wide(i64::from(code as i32 >> 8)); W];
            let Aligned(masks) = &masks[(code & (CLASS - 1)) as usize];
            low.go::<THREE>(lanes(&masks[0], from), by);
            high.go::<THREE>(lanes(&masks[1], from), by);
            let is_end = place == next;
            if is_end {
                next = ends.next().copied().unwrap_or(next);
                low.look(&first_low, &last_low);
                high.look(&first_high, &last_high);
            }
            if THREE {
                kept[at] = [[low.top, low.bottom], [high.top, high.bottom]];
                at = if at + 1 == n_kept { 0 } else { at + 1 };
                if is_end {
                    let [before_low, before_high] = &kept[at];
                    low.look_again(&last_low, before_low);
                    high.look_again(&last_high, before_high);
                }
            }
        }
        for (side, state) in [low, high].into_iter().enumerate() {
            let one = most(state.top, sub(state.at, state.bottom));
            self.found[0][side][from..][..W].copy_from_slice(&one);
            if THREE {
                let two = most(state.first, state.second);
                self.found[1][side][from..][..W].copy_from_slice(&two);
            }
        }
    }
}

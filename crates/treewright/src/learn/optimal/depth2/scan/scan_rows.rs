//! One pass over the rows of a child: what its intervals gain on both sides of many cuts of the root.

use std::marker::PhantomData;

use super::batch::Batch;
use super::masks::{Aligned, CLASS, LaneSides, MOST_LANES};
use super::runs::{MOST_INTERVALS, RunList};
use super::state::{Cuts, OneCut, ScanState, TwoCuts};
use crate::learn::optimal::depth2::simd::{Lane, and, is_wide};
use crate::learn::optimal::problem::FeatureCells;

/// For each number of intervals from two on, what they gain on both sides, less all rows of the second class.
type ScanGains<T> = [LaneSides<T>; MOST_INTERVALS - 1];

/// A scan over the rows of a child.
#[derive(Debug)]
pub(super) struct Scan<'a, T: 'static> {
    pub(super) batch: &'a Batch<T>,
    pub(super) cells: &'a FeatureCells,
    pub(super) run_list: Option<&'a RunList>,
}

impl<T: 'static> Clone for Scan<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Scan<'_, T> {}

impl<T: Lane> Scan<'_, T> {
    /// What intervals gain, for both sides of all cuts.
    pub(super) fn gains(self, arch: pulp::Arch, n_intervals: usize) -> ScanGains<T> {
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

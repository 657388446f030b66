//! The histogram of a child feature, read in vectors.

use crate::learn::optimal::depth2::simd::{Lane, sub};

/// The table of a child feature: `[bin][class][lane]`, sums over the lanes so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HistogramView<'a, T> {
    table: &'a [T],
    /// Numbers for each bin and class.
    stride: usize,
    /// Classes, and perhaps one more for rows without weight.
    n_slots: usize,
    /// The lane that has all rows.
    last: usize,
}

/// Which rows: those below the cuts of the root, or the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootSide {
    Low,
    High,
}

impl<'a, T: Lane> HistogramView<'a, T> {
    #[inline(always)]
    pub(super) fn new(table: &'a [T], stride: usize, n_slots: usize, last: usize) -> Self {
        Self {
            table,
            stride,
            n_slots,
            last,
        }
    }

    #[inline(always)]
    pub(crate) fn load<const W: usize, const HIGH: bool>(
        self,
        bin: usize,
        slot: usize,
        from: usize,
    ) -> [T; W] {
        let row = &self.table[(bin * self.n_slots + slot) * self.stride..][..self.stride];
        let low: [T; W] = *row[from..]
            .first_chunk()
            .expect("a table has whole vectors");
        if HIGH {
            sub([row[self.last]; W], low)
        } else {
            low
        }
    }

    /// One number.
    #[inline(always)]
    pub(crate) fn at(self, bin: usize, slot: usize, lane: usize, side: RootSide) -> i64 {
        let row = &self.table[(bin * self.n_slots + slot) * self.stride..][..self.stride];
        match side {
            RootSide::Low => row[lane].wide(),
            RootSide::High => row[self.last].wide() - row[lane].wide(),
        }
    }
}

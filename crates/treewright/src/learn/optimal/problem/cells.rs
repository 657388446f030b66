//! The cells of a feature, as ranks and in order.

use super::table::NONE;

/// The cells of a feature: all that matters is which are equal, and which is less.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeatureCells {
    /// For each row its place among the different cells that these rows have, or [`NONE`].
    ranks: Vec<u32>,
    /// The rows that have a cell, by rising rank.
    order: Vec<u32>,
    /// Where each rank begins in the order; one more at the end.
    starts: Vec<u32>,
}

impl FeatureCells {
    /// Ranks and order that are known.
    pub(crate) fn new(ranks: Vec<u32>, order: Vec<u32>, starts: Vec<u32>) -> Self {
        Self {
            ranks,
            order,
            starts,
        }
    }

    /// No cells at all: a feature that may not be asked.
    pub(super) fn hidden(n_rows: usize) -> Self {
        Self {
            ranks: vec![NONE; n_rows],
            order: Vec::new(),
            starts: vec![0],
        }
    }

    /// The rank of each row, or [`NONE`].
    #[inline]
    pub(crate) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The rows that have a cell, by rising rank.
    #[inline]
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Where each rank begins in the order, and the end.
    #[inline]
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// These cells for weighted rows, each of which stands for one of the rows.
    pub(crate) fn spread(&self, real: &[u32]) -> Self {
        let n_ranks = self.n_ranks();
        let ranks: Vec<u32> = real.iter().map(|&row| self.ranks[row as usize]).collect();
        let mut starts = vec![0_u32; n_ranks + 1];
        for &rank in ranks.iter().filter(|&&rank| rank != NONE) {
            starts[rank as usize + 1] += 1;
        }
        for rank in 0..n_ranks {
            starts[rank + 1] += starts[rank];
        }
        let mut places = starts.clone();
        let mut order = vec![0; starts[n_ranks] as usize];
        for (row, &rank) in ranks.iter().enumerate().filter(|&(_, &rank)| rank != NONE) {
            let place = &mut places[rank as usize];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        Self {
            ranks,
            order,
            starts,
        }
    }

    /// How many different cells there are.
    pub(crate) fn n_ranks(&self) -> usize {
        self.starts.len() - 1
    }

    /// In how many ways one category can be set apart: one of two against the other is the same twice.
    pub(crate) fn n_ways_apart(&self) -> u32 {
        match self.n_ranks() as u32 {
            1 => 0,
            2 => 1,
            n_ranks => n_ranks,
        }
    }

    /// The rows of some ranks.
    pub(crate) fn rows(&self, start: u32, end: u32) -> &[u32] {
        &self.order[self.starts[start as usize] as usize..self.starts[end as usize] as usize]
    }

    pub(crate) fn has_missing(&self) -> bool {
        self.order.len() < self.ranks.len()
    }

    /// The cells of a few rows.
    pub(super) fn of(&self, rows: &[u32]) -> Self {
        let old = |row: u32| self.ranks[rows[row as usize] as usize];
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.retain(|&row| old(row) != NONE);
        order.sort_by_key(|&row| old(row));
        let mut ranks = vec![NONE; rows.len()];
        let mut starts = Vec::new();
        for (place, &row) in order.iter().enumerate() {
            if place == 0 || old(order[place - 1]) != old(row) {
                starts.push(place as u32);
            }
            ranks[row as usize] = starts.len() as u32 - 1;
        }
        starts.push(order.len() as u32);
        Self {
            ranks,
            order,
            starts,
        }
    }

    /// The cells of the rows on two sides.
    pub(super) fn parted(&self, new: &[NewRow], [n_low, n_high]: [usize; 2]) -> (Self, Self) {
        let mut low = vec![0; n_low + 1];
        let mut high = vec![0; n_high + 1];
        let (mut at_low, mut at_high) = (0, 0);
        for &row in &self.order {
            let is_high = usize::from(new[row as usize].is_high());
            low[at_low] = row;
            high[at_high] = row;
            at_low += 1 - is_high;
            at_high += is_high;
        }
        low.truncate(at_low);
        high.truncate(at_high);
        let number = |row: u32| new[row as usize].number();
        (
            self.renumbered(low, n_low, number),
            self.renumbered(high, n_high, number),
        )
    }

    /// The cells of some rows in the order of this feature, which get new numbers.
    fn renumbered(&self, mut order: Vec<u32>, n_new: usize, new: impl Fn(u32) -> u32) -> Self {
        let mut ranks = vec![NONE; n_new];
        let mut starts = vec![0; self.n_ranks().min(order.len()) + 1];
        let (mut n_ranks, mut last) = (0, NONE);
        for (end, row) in (1..).zip(&mut order) {
            let rank = self.ranks[*row as usize];
            *row = new(*row);
            n_ranks += u32::from(rank != last);
            last = rank;
            ranks[*row as usize] = n_ranks - 1;
            starts[n_ranks as usize] = end;
        }
        starts.truncate(n_ranks as usize + 1);
        Self {
            ranks,
            order,
            starts,
        }
    }

    /// The cells of some rows. `new` has the new number of each row; that of those that are left out is one
    /// too large. Nothing branches on whether a row is one of them, which would be a coin toss.
    pub(super) fn only(&self, new: &[u32], n_new: usize) -> Self {
        let mut order = vec![0; n_new + 1];
        let mut n_in = 0;
        for &row in &self.order {
            order[n_in] = row;
            n_in += usize::from((new[row as usize] as usize) < n_new);
        }
        order.truncate(n_in);
        self.renumbered(order, n_new, |row| new[row as usize])
    }
}

/// The new number of a row on one of two sides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NewRow(u32);

impl NewRow {
    #[inline]
    pub(super) fn of(number: usize, is_high: bool) -> Self {
        Self((number as u32) << 1 | u32::from(is_high))
    }

    #[inline]
    fn is_high(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    fn number(self) -> u32 {
        self.0 >> 1
    }
}

//! Sets of rows, each feature with its ranks among them and its order.

use crate::learn::optimal::deeper::region_bounds::Region;
use crate::learn::optimal::problem::table::NONE;

/// Some weighted rows of a table.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Their numbers in the whole table, rising.
    pub(in crate::learn::optimal) ids: Vec<u32>,
    pub(in crate::learn::optimal) labels: Vec<Label>,
    /// For each feature.
    pub(in crate::learn::optimal) cells: Vec<Cells>,
    /// The weight of each class.
    pub(in crate::learn::optimal) sums: Vec<u64>,
    /// Does any row have no weight?
    pub(in crate::learn::optimal) has_idle: bool,
    /// The cuts of numbers that leave just these rows, if there are such.
    pub(in crate::learn::optimal) region: Option<Region>,
}

/// The class of a row, and what it gains if that is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    pub(in crate::learn::optimal) class: u32,
    pub(in crate::learn::optimal) weight: u32,
}

impl Label {
    /// What a row counts: its weight, or 1 if it has none and is only counted.
    #[inline]
    pub(crate) fn amount(self) -> u32 {
        self.weight.max(1)
    }
}

/// The cells of a feature: all that matters is which are equal, and which is less.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells {
    /// For each row its place among the different cells that these rows have, or [`NONE`].
    pub(in crate::learn::optimal) ranks: Vec<u32>,
    /// The rows that have a cell, by rising rank.
    pub(in crate::learn::optimal) order: Vec<u32>,
    /// Where each rank begins in the order; one more at the end.
    pub(in crate::learn::optimal) starts: Vec<u32>,
}

impl Cells {
    /// The same cells for weighted rows, each of which stands for one of the rows.
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

    /// The rows of some ranks.
    pub(crate) fn rows(&self, start: u32, end: u32) -> &[u32] {
        &self.order[self.starts[start as usize] as usize..self.starts[end as usize] as usize]
    }

    pub(crate) fn has_missing(&self) -> bool {
        self.order.len() < self.ranks.len()
    }

    /// The cells of a few rows.
    fn of(&self, rows: &[u32]) -> Self {
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
    fn parted(&self, new: &[New], [n_low, n_high]: [usize; 2]) -> (Self, Self) {
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
    fn only(&self, new: &[u32], n_new: usize) -> Self {
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
struct New(u32);

impl New {
    #[inline]
    fn of(number: usize, is_high: bool) -> Self {
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

impl Rows {
    /// All rows of a table.
    pub(crate) fn new(labels: Vec<Label>, cells: Vec<Cells>, n_classes: usize) -> Self {
        let mut rows = Self {
            ids: (0..labels.len() as u32).collect(),
            labels,
            cells,
            sums: vec![0; n_classes],
            has_idle: false,
            region: None,
        };
        rows.add_up();
        rows
    }

    /// No rows at all.
    pub(crate) fn none() -> Self {
        Self::new(Vec::new(), Vec::new(), 0)
    }

    fn add_up(&mut self) {
        for label in &self.labels {
            self.sums[label.class as usize] += u64::from(label.weight);
            self.has_idle |= label.weight == 0;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The weight of all rows.
    pub(crate) fn weight(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// The weight outside the best class.
    pub(crate) fn error(&self) -> u64 {
        self.weight() - self.sums.iter().max().copied().unwrap_or(0)
    }

    /// Those of the rows that have a rank in a range: only there, at a cut or category.
    pub(crate) fn within(&self, feature: usize, ranks: std::ops::Range<u32>) -> Self {
        let of = &self.cells[feature].ranks;
        self.only(|row| ranks.contains(&of[row]))
    }

    /// The rows below a cut of a feature that all have, and the others.
    pub(crate) fn parted(&self, feature: usize, cut: u32) -> [Self; 2] {
        let of = &self.cells[feature].ranks;
        let n_low = self.cells[feature].starts[cut as usize] as usize;
        let sizes = [n_low, self.len() - n_low];
        let mut new = vec![New::default(); self.len()];
        let nothing = Label {
            class: 0,
            weight: 0,
        };
        let mut ids = sizes.map(|size| vec![0; size + 1]);
        let mut labels = sizes.map(|size| vec![nothing; size + 1]);
        let mut n_in = [0; 2];
        for (row, new) in new.iter_mut().enumerate() {
            let is_high = of[row] >= cut;
            // Both sides are written to, and one of them counts: to branch would be a coin toss.
            for side in 0..2 {
                ids[side][n_in[side]] = self.ids[row];
                labels[side][n_in[side]] = self.labels[row];
            }
            *new = New::of(n_in[usize::from(is_high)], is_high);
            n_in[0] += usize::from(!is_high);
            n_in[1] += usize::from(is_high);
        }
        let cells = self.cells.iter().map(|cells| cells.parted(&new, sizes));
        let (low, high): (Vec<Cells>, Vec<Cells>) = cells.collect();
        let [low_ids, high_ids] = ids;
        let [low_labels, high_labels] = labels;
        let rows = |mut ids: Vec<u32>, mut labels: Vec<Label>, cells: Vec<Cells>| {
            ids.pop();
            labels.pop();
            let mut rows = Self {
                ids,
                labels,
                cells,
                sums: vec![0; self.sums.len()],
                has_idle: false,
                region: None,
            };
            rows.add_up();
            rows
        };
        [
            rows(low_ids, low_labels, low),
            rows(high_ids, high_labels, high),
        ]
    }

    /// Those of the rows that have no cell.
    pub(crate) fn missing(&self, feature: usize) -> Self {
        let of = &self.cells[feature].ranks;
        self.only(|row| of[row] == NONE)
    }

    /// The rows of a rank of a feature, in the time that they take and not all rows.
    pub(crate) fn group(&self, feature: usize, rank: u32) -> Self {
        let group = self.cells[feature].rows(rank, rank + 1);
        if group.len() * 16 > self.len() {
            return self.within(feature, rank..rank + 1);
        }
        let labels = group.iter().map(|&row| self.labels[row as usize]).collect();
        let cells = self.cells.iter().map(|cells| cells.of(group)).collect();
        let ids = group.iter().map(|&row| self.ids[row as usize]).collect();
        Self {
            ids,
            ..Self::new(labels, cells, self.sums.len())
        }
    }

    /// Some of these rows.
    pub(crate) fn only(&self, is_in: impl Fn(usize) -> bool) -> Self {
        self.narrow(is_in, |_| true)
    }

    /// Some of these rows with some of the features; the others have no cells.
    pub(crate) fn narrow(
        &self,
        is_in: impl Fn(usize) -> bool,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let n_new = (0..self.len()).filter(|&row| is_in(row)).count();
        let mut new = vec![0_u32; self.len()];
        let mut ids = vec![0; n_new + 1];
        let mut labels = vec![
            Label {
                class: 0,
                weight: 0
            };
            n_new + 1
        ];
        let mut n_in = 0;
        for (row, new) in new.iter_mut().enumerate() {
            let is_in = is_in(row);
            *new = if is_in { n_in as u32 } else { n_new as u32 };
            ids[n_in] = self.ids[row];
            labels[n_in] = self.labels[row];
            n_in += usize::from(is_in);
        }
        ids.truncate(n_new);
        labels.truncate(n_new);
        let cells = self.cells.iter().enumerate().map(|(feature, cells)| {
            if is_wanted(feature) {
                cells.only(&new, n_new)
            } else {
                Cells::default()
            }
        });
        let mut rows = Self {
            ids,
            labels,
            cells: cells.collect(),
            sums: vec![0; self.sums.len()],
            has_idle: false,
            region: None,
        };
        rows.add_up();
        rows
    }
}

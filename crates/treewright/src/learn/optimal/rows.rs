//! Sets of rows, each feature with its ranks among them and its order.

use super::table::NONE;

/// Some weighted rows of a table.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Their numbers in the whole table, rising.
    pub(super) ids: Vec<u32>,
    pub(super) classes: Vec<u32>,
    pub(super) weights: Vec<u32>,
    /// For each feature.
    pub(super) cells: Vec<Cells>,
    /// The weight of each class.
    pub(super) sums: Vec<u64>,
    /// Does any row have no weight?
    pub(super) has_idle: bool,
}

/// The cells of a feature: all that matters is which are equal, and which is less.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// For each row its place among the different cells that these rows have, or [`NONE`].
    pub(super) ranks: Vec<u32>,
    /// The rows that have a cell, by rising rank.
    pub(super) order: Vec<u32>,
    /// Where each rank begins in the order; one more at the end.
    pub(super) starts: Vec<u32>,
}

impl Cells {
    /// The same cells for weighted rows, each of which stands for one of the rows.
    pub(super) fn spread(&self, real: &[u32]) -> Self {
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
    pub(super) fn n_ranks(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of some ranks.
    pub(super) fn rows(&self, start: u32, end: u32) -> &[u32] {
        &self.order[self.starts[start as usize] as usize..self.starts[end as usize] as usize]
    }

    pub(super) fn has_missing(&self) -> bool {
        self.order.len() < self.ranks.len()
    }

    /// The cells of some rows. `new` has the new number of each row, or that of none.
    fn only(&self, new: &[u32], n_new: usize) -> Self {
        // Rows that are left out are written to one place too many.
        let mut ranks = vec![NONE; n_new + 1];
        let mut order = vec![0; self.order.len() + 1];
        let mut starts = Vec::with_capacity(self.starts.len().min(n_new + 1));
        let (mut n_in, mut n_before) = (0_usize, 0_usize);
        starts.push(0);
        for group in self.starts.windows(2) {
            let rank = starts.len() as u32 - 1;
            for &row in &self.order[group[0] as usize..group[1] as usize] {
                let row = new[row as usize];
                ranks[row as usize] = rank;
                order[n_in] = row;
                n_in += usize::from((row as usize) < n_new);
            }
            if n_in > n_before {
                starts.push(n_in as u32);
                n_before = n_in;
            }
        }
        ranks.truncate(n_new);
        order.truncate(n_in);
        Self {
            ranks,
            order,
            starts,
        }
    }
}

impl Rows {
    /// All rows of a table.
    pub(super) fn new(
        classes: Vec<u32>,
        weights: Vec<u32>,
        cells: Vec<Cells>,
        n_classes: usize,
    ) -> Self {
        let mut rows = Self {
            ids: (0..classes.len() as u32).collect(),
            classes,
            weights,
            cells,
            sums: vec![0; n_classes],
            has_idle: false,
        };
        rows.add_up();
        rows
    }

    fn add_up(&mut self) {
        self.sums.fill(0);
        self.has_idle = false;
        for (&class, &weight) in self.classes.iter().zip(&self.weights) {
            self.sums[class as usize] += u64::from(weight);
            self.has_idle |= weight == 0;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The weight of all rows.
    pub(super) fn weight(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// The weight outside the best class.
    pub(super) fn error(&self) -> u64 {
        self.weight() - self.sums.iter().max().copied().unwrap_or(0)
    }

    /// Those of the rows that have a rank in a range: only there, at a cut or category.
    pub(super) fn within(&self, feature: usize, ranks: std::ops::Range<u32>) -> Self {
        let of = &self.cells[feature].ranks;
        self.only(|row| ranks.contains(&of[row]))
    }

    /// Those of the rows that have no cell.
    pub(super) fn missing(&self, feature: usize) -> Self {
        let of = &self.cells[feature].ranks;
        self.only(|row| of[row] == NONE)
    }

    /// Some of these rows.
    pub(super) fn only(&self, is_in: impl Fn(usize) -> bool) -> Self {
        let mut new = vec![0_u32; self.len()];
        let (mut ids, mut classes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (row, new) in new.iter_mut().enumerate() {
            *new = u32::MAX;
            if is_in(row) {
                *new = ids.len() as u32;
                ids.push(self.ids[row]);
                classes.push(self.classes[row]);
                weights.push(self.weights[row]);
            }
        }
        let n_new = ids.len();
        for new in &mut new {
            *new = (*new).min(n_new as u32);
        }
        let mut rows = Self {
            ids,
            classes,
            weights,
            cells: self
                .cells
                .iter()
                .map(|cells| cells.only(&new, n_new))
                .collect(),
            sums: vec![0; self.sums.len()],
            has_idle: false,
        };
        rows.add_up();
        rows
    }
}

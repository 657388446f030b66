//! The best tree of two levels for some hundred rows: every cut of the root, each side with the best
//! question by a plain scan.
//!
//! A worth is one whole number: losses in tenths and prices of leaves, scaled so that `p/q` is whole, then
//! times a number above that of leaves, and one more for each leaf.

use treewright::data::{Column, Dataset, MISSING_CODE, Target};
use treewright::learn::optimal::Optimal;

/// More than there are leaves.
const MANY: u64 = 1 << 14;
const NEVER: u64 = u64::MAX / 4;

/// A table for which the best tree of two levels is wanted. Leaves may have any number of rows.
pub(crate) struct TwoLevels<'a> {
    data: &'a Dataset,
    intervals: usize,
    n_classes: usize,
    /// For each row and label what it is worth.
    losses: Vec<u64>,
    per_leaf: u64,
    /// For each feature the rows that have a cell, in its order.
    orders: Vec<Vec<usize>>,
    /// What a unit of the objective is worth.
    unit: f64,
}

impl<'a> TwoLevels<'a> {
    /// A leaf costs `p / q`; weights are whole numbers of tenths, and costs are whole.
    pub(crate) fn new(data: &'a Dataset, learner: &Optimal, (p, q): (u64, u64)) -> Self {
        assert_eq!(learner.min_leaf, 1, "leaves of any size");
        let Target::Classes(classes) = data.target() else {
            panic!("no classes");
        };
        let n_classes = data.schema().classes().len();
        let tenths = |row: usize| (data.weight(row) * 10.0).round() as u64;
        let total: u64 = (0..data.n_rows()).map(tenths).sum();
        let losses = (0..data.n_rows()).flat_map(|row| {
            let of = move |class| learner.loss.of_class(classes[row] as usize, class) as u64;
            (0..n_classes).map(move |class| tenths(row) * of(class) * q * MANY)
        });
        let order = |column: &Column| {
            let mut rows: Vec<usize> = (0..data.n_rows()).collect();
            rows.retain(|&row| !cell(column, row).is_nan());
            rows.sort_by(|&a, &b| cell(column, a).total_cmp(&cell(column, b)));
            rows
        };
        Self {
            data,
            intervals: learner.intervals.unwrap_or(n_classes + 1),
            n_classes,
            losses: losses.collect(),
            per_leaf: p * total * MANY + 1,
            orders: data.columns().iter().map(order).collect(),
            unit: (total * q * MANY) as f64,
        }
    }

    /// Objective and leaves of the best tree.
    pub(crate) fn best(&self) -> (f64, usize) {
        let mut is_in = vec![true; self.data.n_rows()];
        let mut best = self.one(&is_in);
        for (feature, column) in self.data.columns().iter().enumerate() {
            let order = &self.orders[feature];
            let is_missing = |row: usize| cell(column, row).is_nan();
            let missing: Vec<bool> = (0..is_in.len()).map(is_missing).collect();
            let has_missing = missing.contains(&true);
            let of_missing = if has_missing { self.one(&missing) } else { 0 };
            let present: Vec<bool> = missing.iter().map(|missing| !missing).collect();
            let is_numeric = matches!(column, Column::Numeric(_));
            if is_numeric && has_missing && !order.is_empty() {
                best = best.min(of_missing + self.one(&present));
            }
            let places = 1..order.len().max(1);
            let is_cut = |&at: &usize| cell(column, order[at - 1]) != cell(column, order[at]);
            let cuts: Vec<usize> = places.filter(is_cut).collect();
            if !is_numeric {
                let starts = std::iter::once(0).chain(cuts.iter().copied());
                let ends = cuts.iter().copied().chain(std::iter::once(order.len()));
                let parts = starts.zip(ends).map(|(start, end)| {
                    is_in.fill(false);
                    order[start..end].iter().for_each(|&row| is_in[row] = true);
                    self.one(&is_in)
                });
                let sum: u64 = parts.sum();
                if !order.is_empty() {
                    best = best.min(of_missing + sum);
                }
                continue;
            }
            for cut in cuts {
                is_in.fill(false);
                order[..cut].iter().for_each(|&row| is_in[row] = true);
                let below = self.one(&is_in);
                is_in.fill(false);
                order[cut..].iter().for_each(|&row| is_in[row] = true);
                best = best.min(of_missing + below + self.one(&is_in));
            }
        }
        (
            (best / MANY) as f64 / (self.unit / MANY as f64),
            (best % MANY) as usize,
        )
    }

    /// The best leaf or question for some rows.
    fn one(&self, is_in: &[bool]) -> u64 {
        let all = (0..is_in.len()).filter(|&row| is_in[row]);
        let mut best = self.leaf(all);
        for (feature, column) in self.data.columns().iter().enumerate() {
            let missing = (0..is_in.len()).filter(|&row| is_in[row] && cell(column, row).is_nan());
            let of_missing = if missing.clone().next().is_some() {
                self.leaf(missing)
            } else {
                0
            };
            let rows = self.orders[feature]
                .iter()
                .copied()
                .filter(|&row| is_in[row]);
            let rows: Vec<usize> = rows.collect();
            if rows.is_empty() {
                continue;
            }
            let same = |&a: &usize, &b: &usize| cell(column, a) == cell(column, b);
            let present = match column {
                Column::Categorical(_) => {
                    let groups = rows.chunk_by(same);
                    groups.map(|group| self.leaf(group.iter().copied())).sum()
                }
                Column::Numeric(_) => self.in_intervals(rows.chunk_by(same)),
            };
            best = best.min(of_missing + present);
        }
        best
    }

    fn leaf(&self, rows: impl Iterator<Item = usize>) -> u64 {
        let mut sums = vec![0; self.n_classes];
        for row in rows {
            for (sum, loss) in sums.iter_mut().zip(&self.losses[row * self.n_classes..]) {
                *sum += loss;
            }
        }
        sums.into_iter().min().unwrap() + self.per_leaf
    }

    /// Groups of rows one after the other: the last interval has one of the labels, and goes on or ends.
    fn in_intervals<'r>(&self, groups: impl Iterator<Item = &'r [usize]>) -> u64 {
        let p = self.n_classes;
        let mut worths = vec![NEVER; self.intervals * p];
        for (at, group) in groups.enumerate() {
            if at == 0 {
                worths[..p].fill(self.per_leaf);
            } else {
                for k in (1..self.intervals).rev() {
                    let before = *worths[(k - 1) * p..k * p].iter().min().unwrap();
                    for worth in &mut worths[k * p..(k + 1) * p] {
                        *worth = (*worth).min(before + self.per_leaf);
                    }
                }
            }
            for &row in group {
                let losses = &self.losses[row * p..(row + 1) * p];
                for worths in worths.chunks_exact_mut(p) {
                    for (worth, loss) in worths.iter_mut().zip(losses) {
                        *worth += loss;
                    }
                }
            }
        }
        worths.into_iter().min().unwrap()
    }
}

/// A cell as a number; missing ones are not.
fn cell(column: &Column, row: usize) -> f64 {
    match column {
        // Minus zero is zero.
        Column::Numeric(numbers) => numbers[row] + 0.0,
        Column::Categorical(codes) if codes[row] == MISSING_CODE => f64::NAN,
        Column::Categorical(codes) => f64::from(codes[row]),
    }
}

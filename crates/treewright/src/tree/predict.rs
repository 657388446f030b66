//! Predictions for whole tables, in blocks of rows and on all threads.
//!
//! Most trees ask "is x above the cut" in every node and most blocks of rows have nothing missing.
//! Then several rows go down side by side without a branch in the machine code: a leaf answers every
//! question with itself, so a row that has arrived may step on until the next look. Then another row
//! takes its place. Every other block takes the plain way of [`Tree::reach`].

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{Closed, NodeId, Outcomes, Reached, Split, Tree};
use crate::data::{Column, Dataset};

/// Rows that share one decision about the way to take; small enough for their cells to stay in cache.
const BLOCK: usize = 1024;
/// Rows that go down side by side.
const LANES: usize = 16;
/// Steps between two looks at which rows have arrived.
const STRIDE: usize = 4;

impl Tree {
    /// A class index or a number for every row.
    pub fn predict(&self, data: &Dataset) -> Vec<f64> {
        let steps = Steps::of(self);
        let distributions = OnceLock::new();
        let mut values = vec![0.0; data.n_rows()];
        values
            .par_chunks_mut(BLOCK)
            .enumerate()
            .for_each(|(block, values)| {
                let start = block * BLOCK;
                match steps
                    .as_ref()
                    .and_then(|steps| steps.columns(data, start, values.len()))
                {
                    Some(columns) => {
                        let steps = steps.as_ref().expect("columns come from steps");
                        steps.run(&columns, values.len(), |row, leaf| {
                            values[row] = self.nodes[leaf].value;
                        });
                    }
                    None => {
                        for (offset, value) in values.iter_mut().enumerate() {
                            *value =
                                self.answer(&self.reach_row(data, start + offset), &distributions);
                        }
                    }
                }
            });
        values
    }

    /// Class probabilities, row by row: `n_rows * n_classes` numbers. Empty for regression.
    pub fn predict_proba(&self, data: &Dataset) -> Vec<f64> {
        self.predict_shares(data, self.schema.classes().len(), &self.distributions())
    }

    /// Shares of the bins of a numeric target, row by row. Empty unless the criterion had bins.
    pub fn predict_bins(&self, data: &Dataset) -> Vec<f64> {
        let n_bins = self.bins(NodeId::ROOT).len();
        self.predict_shares(data, n_bins, &self.shares_of(n_bins, Self::bins))
    }

    /// For each row its part of the shares of all nodes, `n` numbers for each.
    fn predict_shares(&self, data: &Dataset, n: usize, of_nodes: &[f64]) -> Vec<f64> {
        if n == 0 {
            return Vec::new();
        }
        let mut shares = vec![0.0; data.n_rows() * n];
        let rows = shares.par_chunks_mut(n).enumerate();
        rows.for_each(|(row, own)| match self.reach_row(data, row) {
            Reached::One(leaf) => own.copy_from_slice(&of_nodes[leaf.index() * n..][..n]),
            Reached::Many(leaves) => mix(&leaves, of_nodes, own),
        });
        shares
    }

    /// The answer for one row, given what it reached. The distributions are made when first needed.
    pub(crate) fn answer(&self, reached: &Reached, distributions: &OnceLock<Vec<f64>>) -> f64 {
        match reached {
            Reached::One(leaf) => self.value(*leaf),
            Reached::Many(leaves) => match &self.outcomes {
                Outcomes::Numbers { .. } => leaves
                    .iter()
                    .map(|&(leaf, share)| share * self.value(leaf))
                    .sum(),
                Outcomes::Counts { n_classes, .. } => {
                    let mut proba = vec![0.0; *n_classes];
                    mix(
                        leaves,
                        distributions.get_or_init(|| self.distributions()),
                        &mut proba,
                    );
                    self.loss.best_class(&proba) as f64
                }
            },
        }
    }

    fn reach_row(&self, data: &Dataset, row: usize) -> Reached {
        self.reach(|feature| data.columns()[feature].value(row))
    }

    /// The class distribution of every node, that of the nearest occupied ancestor where it is empty.
    pub(crate) fn distributions(&self) -> Vec<f64> {
        self.shares_of(self.schema.classes().len(), Self::counts)
    }

    /// The parts of `n` counts of every node, those of the nearest occupied ancestor where it is empty.
    fn shares_of(&self, n: usize, counts: fn(&Self, NodeId) -> &[f64]) -> Vec<f64> {
        let mut distributions = vec![1.0 / n as f64; self.n_nodes() * n];
        for id in self.ids() {
            let total = self.weight(id);
            if total > 0.0 {
                let own = &mut distributions[id.index() * n..][..n];
                for (proba, count) in own.iter_mut().zip(counts(self, id)) {
                    *proba = count / total;
                }
            }
            let from = id.index() * n;
            for child in self
                .branch(id)
                .into_iter()
                .flat_map(super::Branch::children)
            {
                distributions.copy_within(from..from + n, child.index() * n);
            }
        }
        distributions
    }
}

/// The mixture of the distributions of several leaves.
fn mix(leaves: &[(NodeId, f64)], distributions: &[f64], proba: &mut [f64]) {
    let n_classes = proba.len();
    for &(leaf, share) in leaves {
        let leaf = &distributions[leaf.index() * n_classes..][..n_classes];
        for (sum, p) in proba.iter_mut().zip(leaf) {
            *sum += share * p;
        }
    }
}

/// A tree in which every node asks for one cut, packed for speed.
struct Steps {
    steps: Vec<Step>,
    used: Vec<usize>,
}

/// One node: go to `first`, or to the one after it if the value is above `cut`.
#[derive(Clone, Copy)]
struct Step {
    cut: f64,
    feature: u32,
    first: u32,
}

impl Steps {
    fn of(tree: &Tree) -> Option<Self> {
        let mut steps = Vec::with_capacity(tree.n_nodes());
        let mut used = vec![false; tree.schema.features.len()];
        for (id, node) in tree.nodes.iter().enumerate() {
            steps.push(match &node.branch {
                None => Step {
                    cut: f64::INFINITY,
                    feature: 0,
                    first: id as u32,
                },
                Some(branch) => match &branch.split {
                    Split::Intervals {
                        feature,
                        cuts,
                        closed,
                    } if cuts.len() == 1 => {
                        used[*feature] = true;
                        // "not below cut" is "above the number just below cut".
                        let cut = match closed {
                            Closed::Right => cuts[0],
                            Closed::Left => cuts[0].next_down(),
                        };
                        Step {
                            cut,
                            feature: *feature as u32,
                            first: branch.first_child.0,
                        }
                    }
                    _ => return None,
                },
            });
        }
        let used: Vec<usize> = (0..used.len()).filter(|&feature| used[feature]).collect();
        let position = |feature: u32| used.binary_search(&(feature as usize)).unwrap_or(0) as u32;
        for step in &mut steps {
            step.feature = position(step.feature);
        }
        Some(Self { steps, used })
    }

    /// The cells of a block, column by column, if none of them is missing.
    fn columns<'a>(&self, data: &'a Dataset, start: usize, len: usize) -> Option<Vec<&'a [f64]>> {
        if self.used.is_empty() {
            return None;
        }
        self.used
            .iter()
            .map(|&feature| match &data.columns()[feature] {
                Column::Numeric(numbers) => {
                    let cells = &numbers[start..start + len];
                    // NaN times zero is NaN, and so is the sum; what is finite adds nothing.
                    let sum: f64 = cells.iter().fold(0.0, |sum, cell| sum + cell * 0.0);
                    (!sum.is_nan()).then_some(cells)
                }
                Column::Categorical(_) => None,
            })
            .collect()
    }

    /// Calls `found` with every row of the block and the leaf it reaches.
    fn run(&self, columns: &[&[f64]], len: usize, mut found: impl FnMut(usize, usize)) {
        let mut rows = [0; LANES];
        let mut at = [0_u32; LANES];
        let mut n_lanes = LANES.min(len);
        for (lane, row) in rows.iter_mut().enumerate() {
            *row = lane;
        }
        let mut next_row = n_lanes;
        while n_lanes > 0 {
            for _ in 0..STRIDE {
                for (at, &row) in at[..n_lanes].iter_mut().zip(&rows) {
                    let step = self.steps[*at as usize];
                    let x = columns[step.feature as usize][row];
                    *at = step.first + u32::from(x > step.cut);
                }
            }
            let mut lane = 0;
            while lane < n_lanes {
                let leaf = at[lane];
                if self.steps[leaf as usize].first != leaf {
                    lane += 1;
                    continue;
                }
                found(rows[lane], leaf as usize);
                if next_row < len {
                    (rows[lane], at[lane]) = (next_row, 0);
                    next_row += 1;
                    lane += 1;
                } else {
                    n_lanes -= 1;
                    (rows[lane], at[lane]) = (rows[n_lanes], at[n_lanes]);
                }
            }
        }
    }
}

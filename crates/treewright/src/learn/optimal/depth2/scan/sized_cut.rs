//! The exact value of a child on one side of a single cut of the root, where leaves have a least number of rows.
//!
//! The dynamic programme of `depth1::sized_intervals`, for two classes: labels take turns, as two neighbours with the
//! same label may as well be one leaf.

use crate::learn::optimal::problem::{FeatureKind, NONE, RowSet, ValueEncoding};

/// A cut of a root, which all rows have.
#[derive(Debug, Clone, Copy)]
pub(super) struct SizedCut<'a> {
    pub(super) rows: &'a RowSet,
    pub(super) root: usize,
    pub(super) cut: u32,
    /// The least rows of a leaf.
    pub(super) least: usize,
    pub(super) encoding: ValueEncoding,
    /// The most intervals.
    pub(super) most: usize,
}

/// Some rows: how many, and the weights of both classes.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    n_rows: usize,
    weights: [u64; 2],
}

impl Part {
    fn add(&mut self, rows: &RowSet, row: u32) {
        let label = rows.labels()[row as usize];
        self.n_rows += 1;
        self.weights[label.class as usize] += u64::from(label.weight);
    }

    fn until(self, after: Self) -> Self {
        Self {
            n_rows: after.n_rows - self.n_rows,
            weights: [0, 1].map(|class| after.weights[class] - self.weights[class]),
        }
    }
}

impl SizedCut<'_> {
    fn leaf(&self, part: Part) -> Option<u64> {
        let [a, b] = part.weights;
        (part.n_rows >= self.least).then(|| self.encoding.leaf(a.min(b)))
    }

    /// The least value of a side by splitting on a child; `None` where leaves would be too small.
    pub(super) fn child(&self, side: usize, child: usize, kind: FeatureKind) -> Option<u64> {
        let cells = &self.rows.cells()[child];
        let ranks = self.rows.cells()[self.root].ranks();
        let is_in = |row: u32| (ranks[row as usize] >= self.cut) == (side == 1);
        let mut of_missing = Some(0);
        if cells.has_missing() {
            let mut missing = Part::default();
            let rows = 0..self.rows.len() as u32;
            for row in rows.filter(|&row| cells.ranks()[row as usize] == NONE && is_in(row)) {
                missing.add(self.rows, row);
            }
            if missing.n_rows > 0 {
                of_missing = self.leaf(missing);
            }
        }
        // The rows up to each place where the child may be cut.
        let (mut line, mut sum) = (vec![Part::default()], Part::default());
        for group in cells.starts().windows(2) {
            let before = sum.n_rows;
            for &row in &cells.order()[group[0] as usize..group[1] as usize] {
                if is_in(row) {
                    sum.add(self.rows, row);
                }
            }
            if before < sum.n_rows {
                line.push(sum);
            }
        }
        let of_present = match kind {
            _ if line.len() == 1 => None,
            FeatureKind::Categorical => {
                let leaves = line
                    .windows(2)
                    .map(|ends| self.leaf(ends[0].until(ends[1])));
                leaves.sum()
            }
            FeatureKind::Numeric => self.intervals(&line),
        };
        Some(of_missing? + of_present?)
    }

    /// The least value of a line in up to `most` intervals.
    fn intervals(&self, line: &[Part]) -> Option<u64> {
        let all = line[line.len() - 1];
        let height = |at: usize| line[at].weights[0] as i64 - line[at].weights[1] as i64;
        let total = height(line.len() - 1);
        let mut best = self.leaf(all);
        // What the intervals before each place gain if the last one has the first class, or the second.
        let mut before: Vec<[i64; 2]> = (0..line.len()).map(|at| [height(at), 0]).collect();
        let mut first = line.partition_point(|part| part.n_rows < self.least);
        for intervals in 2..=self.most {
            let (mut gains, mut next) = ([i64::MIN / 4; 2], first);
            let mut after = vec![[i64::MIN / 4; 2]; line.len()];
            let mut first_after = line.len();
            for at in first..line.len() {
                while next < at && line[at].n_rows - line[next].n_rows >= self.least {
                    // The next interval begins here, with the other label.
                    gains[0] = gains[0].max(before[next][1] - height(next));
                    gains[1] = gains[1].max(before[next][0]);
                    next += 1;
                }
                if next > first {
                    after[at] = [gains[0] + height(at), gains[1]];
                    first_after = first_after.min(at);
                }
            }
            if first_after == line.len() {
                break;
            }
            let gain = after[line.len() - 1];
            let loss = all.weights[0] as i64 - gain[0].max(gain[1]);
            debug_assert!(total.abs() <= i64::MAX / 4 && loss >= 0);
            let value =
                self.encoding.loss(loss as u64) + intervals as u64 * self.encoding.per_leaf();
            best = best.into_iter().chain([value]).min();
            (before, first) = (after, first_after);
        }
        best
    }
}

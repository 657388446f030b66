//! The exact value of a child on both sides of a single cut of the root, where leaves have a least number of rows.
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
    fn side(&self, row: u32) -> usize {
        let ranks = self.rows.cells()[self.root].ranks();
        usize::from(ranks[row as usize] >= self.cut)
    }

    fn leaf(&self, part: Part) -> Option<u64> {
        let [a, b] = part.weights;
        (part.n_rows >= self.least).then(|| self.encoding.leaf(a.min(b)))
    }

    /// The values of both sides as leaves, where they are large enough.
    pub(super) fn leaves(&self) -> [Option<u64>; 2] {
        let mut sides = [Part::default(); 2];
        for row in 0..self.rows.len() as u32 {
            sides[self.side(row)].add(self.rows, row);
        }
        sides.map(|side| self.leaf(side))
    }

    /// The least values of both sides by splitting on a child; `None` where leaves would be too small.
    pub(super) fn child(&self, child: usize, kind: FeatureKind) -> [Option<u64>; 2] {
        let cells = &self.rows.cells()[child];
        let mut missing = [Part::default(); 2];
        if cells.has_missing() {
            for row in
                (0..self.rows.len() as u32).filter(|&row| cells.ranks()[row as usize] == NONE)
            {
                missing[self.side(row)].add(self.rows, row);
            }
        }
        // For each side the rows up to each place where the child may be cut.
        let mut lines = [(); 2].map(|()| vec![Part::default()]);
        let mut sums = [Part::default(); 2];
        for group in cells.starts().windows(2) {
            for &row in &cells.order()[group[0] as usize..group[1] as usize] {
                sums[self.side(row)].add(self.rows, row);
            }
            for (line, sum) in lines.iter_mut().zip(sums) {
                if line.last().is_some_and(|last| last.n_rows < sum.n_rows) {
                    line.push(sum);
                }
            }
        }
        [0, 1].map(|side| {
            let of_missing = match missing[side].n_rows {
                0 => Some(0),
                _ => self.leaf(missing[side]),
            };
            let line = &lines[side];
            let of_present = match kind {
                _ if line.len() == 1 => None,
                FeatureKind::Categorical => {
                    let leaves = line
                        .windows(2)
                        .map(|ends| self.leaf(ends[0].until(ends[1])));
                    leaves.sum()
                }
                FeatureKind::Numeric => self.intervals(line),
            };
            Some(of_missing? + of_present?)
        })
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

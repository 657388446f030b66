//! Rows between close cuts of a root, and all others as runs.
//!
//! If the cuts are close together, most rows are below all of them, or above. Such rows between two others are
//! one *run*: what it gains for each label before it and number of cuts inside is all that matters.

use std::ops::Range;

use super::rows::{Cells, Rows};

/// Up to so many intervals are walked.
pub(super) const MOST_INTERVALS: usize = 4;

/// Rows of a child feature in its order, as far as they matter for cuts of the root in a range.
#[derive(Debug, Default)]
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
    pub(super) runs: Vec<Run>,
}

/// A row, after a run of others that are below or above all cuts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Step {
    /// The rank of the root.
    pub(super) rank: u32,
    /// Up or down.
    pub(super) by: i32,
    /// May the child be cut after the row?
    pub(super) is_end: bool,
    /// Is there a run before it, the next one?
    pub(super) has_run: bool,
}

/// Rows that are below or above all cuts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Run {
    /// For both sides what is gained, by the number of cuts inside and the label before.
    pub(super) gains: [[[i32; 2]; MOST_INTERVALS]; 2],
    /// May the child be cut inside, or at the end? Else nothing is known with cuts.
    pub(super) has_cut: bool,
}

impl Run {
    fn step(&mut self, side: usize, by: i32, n_intervals: usize) {
        for (cuts, gains) in self.gains[side][..n_intervals].iter_mut().enumerate() {
            // The label is the first class after an even number of cuts if it was before.
            gains[cuts % 2] += by;
        }
    }

    /// The child may be cut here.
    fn cut(&mut self, n_intervals: usize) {
        for gains in &mut self.gains {
            for cuts in 1..n_intervals {
                let before = gains[cuts - 1];
                for (gain, before) in gains[cuts].iter_mut().zip(before) {
                    *gain = if self.has_cut {
                        before.max(*gain)
                    } else {
                        before
                    };
                }
            }
        }
        self.has_cut = true;
    }
}

/// Up for the first class, down for the second.
#[inline]
pub(super) fn step(rows: &Rows, row: usize) -> i32 {
    let label = rows.labels[row];
    let weight = label.weight as i32;
    if label.class == 0 { weight } else { -weight }
}

impl Path {
    /// The path of a child for cuts of the root at ranks in a range.
    pub(super) fn new(
        rows: &Rows,
        root: usize,
        cuts: Range<u32>,
        child: &Cells,
        n_intervals: usize,
    ) -> Self {
        let of_root = &rows.cells[root].ranks;
        let mut path = Self::default();
        let mut run = Run::default();
        let mut is_empty = true;
        let mut ends = child.starts[1..].iter();
        let mut next = ends.next().copied().unwrap_or(0);
        for (place, &row) in (1..).zip(&child.order) {
            let row = row as usize;
            let (rank, by) = (of_root[row], step(rows, row));
            let is_end = place == next;
            if is_end {
                next = ends.next().copied().unwrap_or(next);
            }
            if rank >= cuts.start && rank < cuts.end {
                path.push(rank, by, is_end, (!is_empty).then_some(run));
                run = Run::default();
                is_empty = true;
                continue;
            }
            is_empty = false;
            run.step(usize::from(rank >= cuts.end), by, n_intervals);
            if is_end {
                run.cut(n_intervals);
            }
        }
        if !is_empty {
            path.push(cuts.start, 0, false, Some(run));
        }
        path
    }

    fn push(&mut self, rank: u32, by: i32, is_end: bool, run: Option<Run>) {
        self.steps.push(Step {
            rank,
            by,
            is_end,
            has_run: run.is_some(),
        });
        self.runs.extend(run);
    }
}

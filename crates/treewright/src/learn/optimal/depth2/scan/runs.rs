//! Run-length lists: rows between close cuts of a root, and all others as runs.
//!
//! **Lemma.** If the cuts are close together, most rows are below all of them, or above. Such rows between two
//! others are one *run*: its gains by the label before it and the number of cuts inside are all that matters.

use std::ops::Range;

use crate::learn::optimal::problem::{FeatureCells, RowSet};

/// The most intervals of a scan.
pub(crate) const MOST_INTERVALS: usize = 4;

/// What some rows lose in at most 1, 2, ... intervals.
pub(crate) type Losses = [u64; MOST_INTERVALS];

/// Rows of a child feature in its order, as far as they matter for cuts of the root in a range.
#[derive(Debug, Default)]
pub(crate) struct RunList {
    pub(super) steps: Vec<Step>,
    pub(super) runs: Vec<Run>,
}

/// A row, after a run of others that are below or above all cuts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Step {
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
pub(crate) struct Run {
    /// For both sides what is gained, by the number of cuts inside and the label before.
    pub(super) gains: [[[i32; 2]; MOST_INTERVALS]; 2],
    /// May the child be cut inside, or at the end? Else nothing is known with cuts.
    pub(super) has_cut: bool,
}

impl Run {
    #[inline]
    fn step<const K: usize>(&mut self, side: usize, by: i32) {
        for (cuts, gains) in self.gains[side][..K].iter_mut().enumerate() {
            // The label is the first class after an even number of cuts if it was before.
            gains[cuts % 2] += by;
        }
    }

    /// The child may be cut here.
    #[inline]
    fn cut<const K: usize>(&mut self) {
        for gains in &mut self.gains {
            for cuts in 1..K {
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

    /// Another run comes next.
    fn join<const K: usize>(&mut self, next: &Self) {
        for (gains, next_gains) in self.gains.iter_mut().zip(&next.gains) {
            let before = *gains;
            for (cuts, gains) in gains[..K].iter_mut().enumerate() {
                for (label, gain) in gains.iter_mut().enumerate() {
                    // Some of the cuts are in the first run, the others in the next.
                    let first = if self.has_cut { 0..=cuts } else { 0..=0 };
                    let both = first
                        .filter(|&first| next.has_cut || first == cuts)
                        .map(|first| {
                            let label_between = (label + first) % 2;
                            before[first][label] + next_gains[cuts - first][label_between]
                        });
                    *gain = both.max().unwrap_or(0);
                }
            }
        }
        self.has_cut |= next.has_cut;
    }
}

/// Up for the first class, down for the second.
#[inline]
pub(crate) fn step(rows: &RowSet, row: usize) -> i32 {
    let label = rows.labels()[row];
    let weight = label.weight as i32;
    if label.class == 0 { weight } else { -weight }
}

impl RunList {
    /// The run-length list of a child for cuts of the root at ranks in a range, with up to `K` intervals.
    pub(crate) fn new<const K: usize>(
        rows: &RowSet,
        root: usize,
        cuts: &Range<u32>,
        child: &FeatureCells,
    ) -> Self {
        let of_root = rows.cells()[root].ranks();
        let mut maker = RunListBuilder::<K>::new(cuts.clone());
        let mut ends = child.starts()[1..].iter();
        let mut next = ends.next().copied().unwrap_or(0);
        for (place, &row) in (1..).zip(child.order()) {
            let row = row as usize;
            let is_end = place == next;
            if is_end {
                next = ends.next().copied().unwrap_or(next);
            }
            maker.add(of_root[row], step(rows, row), is_end);
        }
        maker.finish()
    }

    /// The run-length list for a range within that of this one, in the time that its steps take.
    pub(crate) fn narrowed<const K: usize>(&self, cuts: &Range<u32>) -> Self {
        let mut maker = RunListBuilder::<K>::new(cuts.clone());
        let mut runs = self.runs.iter();
        for step in &self.steps {
            if step.has_run
                && let Some(run) = runs.next()
            {
                maker.join(run);
            }
            // A last run has a step that goes nowhere.
            if step.by != 0 {
                maker.add(step.rank, step.by, step.is_end);
            }
        }
        maker.finish()
    }
}

/// A run-length list that grows.
struct RunListBuilder<const K: usize> {
    cuts: Range<u32>,
    run_list: RunList,
    run: Run,
    is_empty: bool,
}

impl<const K: usize> RunListBuilder<K> {
    fn new(cuts: Range<u32>) -> Self {
        Self {
            cuts,
            run_list: RunList::default(),
            run: Run::default(),
            is_empty: true,
        }
    }

    #[inline(always)]
    fn add(&mut self, rank: u32, by: i32, is_end: bool) {
        if self.cuts.contains(&rank) {
            self.push(rank, by, is_end);
            return;
        }
        self.is_empty = false;
        self.run.step::<K>(usize::from(rank >= self.cuts.end), by);
        if is_end {
            self.run.cut::<K>();
        }
    }

    fn join(&mut self, next: &Run) {
        if self.is_empty {
            self.run = *next;
        } else {
            self.run.join::<K>(next);
        }
        self.is_empty = false;
    }

    /// A row, after all that is in the run.
    fn push(&mut self, rank: u32, by: i32, is_end: bool) {
        let has_run = !self.is_empty;
        self.run_list.steps.push(Step {
            rank,
            by,
            is_end,
            has_run,
        });
        if has_run {
            self.run_list.runs.push(self.run);
            self.run = Run::default();
            self.is_empty = true;
        }
    }

    fn finish(mut self) -> RunList {
        if !self.is_empty {
            self.push(self.cuts.start, 0, false);
        }
        self.run_list
    }
}

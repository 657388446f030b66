//! A scan for any number of classes in two intervals: for many cuts of the root at once, what a child loses.
//!
//! **Problem.** Find the least loss of a child in two intervals, on both sides of up to 62 cuts of the root.
//!
//! **Method.** The first interval gains the rows of its largest class. Class weights only grow as rows are added, so
//! the largest one so far is kept by one comparison for each row, whatever the number of classes. One pass over the
//! rows in the order of the child notes it for every place, a pass back does the same for the second interval, and the
//! best place has the largest sum of both. A lane for each cut adds up the rows below it, another those above.

use super::masks::{Aligned, MOST_LANES, Masks};
use super::runs::{Losses, MOST_INTERVALS};
use crate::learn::optimal::depth2::simd::{Lane, add, and, most};
use crate::learn::optimal::problem::{FeatureCells, RowSet};

/// Lanes that are scanned together: two vectors of 32 bytes if numbers are short.
const WIDTH: usize = 32;

/// Cuts of a root, for which children are tried.
#[derive(Debug)]
pub(crate) struct ClassBatch<T: 'static> {
    n_classes: usize,
    n_cuts: usize,
    codes: Vec<Code>,
    masks: &'static Masks<T>,
    /// For each cut the weights of all rows below it and above, and what these lose as a leaf.
    weights: Vec<[u64; 2]>,
    leaves: Vec<[u64; 2]>,
}

/// What a scan needs to know of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Code {
    /// The first lane in which it is below the cut.
    lane: u16,
    class: u16,
    weight: u32,
}

impl<T: Lane> ClassBatch<T> {
    /// The most classes.
    pub(crate) const MOST_CLASSES: usize = 64;

    /// Some cuts of a root that all rows have, rising.
    pub(crate) fn new(rows: &RowSet, root: usize, cuts: &[u32]) -> Self {
        let cells = &rows.cells()[root];
        let mut codes = vec![Code::default(); rows.len()];
        let (mut sums, mut from) = (vec![0_u64; rows.sums().len()], 0);
        let (mut weights, mut leaves) = (Vec::new(), Vec::new());
        let ends = cuts.iter().map(|&cut| cells.starts()[cut as usize]);
        for (lane, to) in (0..).zip(ends.chain([cells.order().len() as u32])) {
            for &row in &cells.order()[from..to as usize] {
                let label = rows.labels()[row as usize];
                codes[row as usize] = Code {
                    lane,
                    class: label.class as u16,
                    weight: label.weight,
                };
                sums[label.class as usize] += u64::from(label.weight);
            }
            from = to as usize;
            if usize::from(lane) < cuts.len() {
                let high = rows.sums().iter().zip(&sums).map(|(all, low)| all - low);
                let low_weight = sums.iter().sum::<u64>();
                let weight = [low_weight, rows.weight() - low_weight];
                let largest = [sums.iter().copied().max(), high.max()];
                weights.push(weight);
                leaves.push([0, 1].map(|side| weight[side] - largest[side].unwrap_or(0)));
            }
        }
        Self {
            n_classes: rows.sums().len(),
            n_cuts: cuts.len(),
            codes,
            masks: T::masks(),
            weights,
            leaves,
        }
    }

    /// What both sides of each cut lose as a leaf.
    pub(crate) fn leaf_losses(&self) -> Vec<[u64; 2]> {
        self.leaves.clone()
    }

    /// What both sides of each cut lose by a numeric child that all rows have, in at most 1, 2, ... intervals.
    pub(crate) fn losses(&self, arch: pulp::Arch, cells: &FeatureCells) -> Vec<[Losses; 2]> {
        let mut found = Vec::with_capacity(self.n_cuts);
        let mut spare = Vec::new();
        for from in (0..self.n_cuts).step_by(WIDTH) {
            let gains = arch.dispatch(ClassScan {
                batch: self,
                cells,
                from,
                firsts: &mut spare,
            });
            let sides = self.weights[from..].iter().zip(&self.leaves[from..]);
            for (lane, (weights, leaves)) in sides.take(WIDTH).enumerate() {
                found.push([0, 1].map(|side| {
                    let leaf = leaves[side];
                    let gain = gains[side][lane].wide() as u64;
                    let both = leaf.min(weights[side] - gain);
                    let mut losses = [both; MOST_INTERVALS];
                    losses[0] = leaf;
                    losses
                }));
            }
        }
        found
    }
}

/// A number for each lane and both sides.
type Sides<T> = [[T; WIDTH]; 2];

/// A scan over the rows of a child, from some lane on.
struct ClassScan<'a, T: 'static> {
    batch: &'a ClassBatch<T>,
    cells: &'a FeatureCells,
    from: usize,
    /// For each rank what the first interval gains that ends with it.
    firsts: &'a mut Vec<Aligned<Sides<T>>>,
}

impl<T: Lane> ClassScan<'_, T> {
    /// Adds a row to the sums of its class; the largest sums are at least those.
    #[inline(always)]
    fn add_row(&self, row: u32, sums: &mut [Aligned<Sides<T>>], largest: &mut Sides<T>) {
        let code = self.batch.codes[row as usize];
        let by = [T::from_wide(i64::from(code.weight)); WIDTH];
        let Aligned(masks) = &self.batch.masks.bits[usize::from(code.lane)];
        let Aligned(sums) = &mut sums[usize::from(code.class)];
        for side in 0..2 {
            let mask = masks[side][self.from..].first_chunk();
            let mask = *mask.expect("lanes are whole vectors");
            sums[side] = add(sums[side], and(mask, by));
            largest[side] = most(largest[side], sums[side]);
        }
    }
}

impl<T: Lane> pulp::NullaryFnOnce for ClassScan<'_, T> {
    /// The most that two intervals gain.
    type Output = Sides<T>;

    #[inline(always)]
    fn call(self) -> Sides<T> {
        let nothing = [[T::ZERO; WIDTH]; 2];
        let zero = || Aligned(nothing);
        let mut sums: Vec<_> = (0..self.batch.n_classes).map(|_| zero()).collect();
        let mut firsts = std::mem::take(self.firsts);
        firsts.clear();
        let mut largest = nothing;
        let starts = self.cells.starts();
        for rank in starts.windows(2) {
            for &row in &self.cells.order()[rank[0] as usize..rank[1] as usize] {
                self.add_row(row, &mut sums, &mut largest);
            }
            firsts.push(Aligned(largest));
        }
        for sums in &mut sums {
            *sums = zero();
        }
        let mut gains = nothing;
        largest = nothing;
        for (rank, first) in starts.windows(2).zip(&firsts).rev() {
            for side in 0..2 {
                gains[side] = most(gains[side], add(first.0[side], largest[side]));
            }
            for &row in &self.cells.order()[rank[0] as usize..rank[1] as usize] {
                self.add_row(row, &mut sums, &mut largest);
            }
        }
        *self.firsts = firsts;
        gains
    }
}

const _: () = assert!(MOST_LANES.is_multiple_of(WIDTH));

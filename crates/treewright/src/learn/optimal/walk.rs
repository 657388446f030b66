//! Two classes in two intervals, exactly: for many cuts of the root at once, what a child costs below and above.
//!
//! Take the rows in the order of a child feature, a step up for each row of the first class and down for each of
//! the second. Where the walk is highest is the best cut for "first class, then second", where it is lowest the
//! best for "second, then first". The rows below a cut of the root are a part of the walk, those above are the
//! rest. A lane for each of up to 62 cuts of the root walks with the rows below it; the rest is the whole walk
//! less that.
//!
//! If the cuts are close together, most rows are below all of them, or above. Such rows between two others are
//! one *run*: their sum, and the highest and the lowest place in it, are all that matters.

use std::ops::Range;

use super::lanes::{LANES, Lane, Vector, add, least, most};
use super::level::Lanes;
use super::price::Price;
use super::rows::{Cells, Rows};
use super::table::{Kind, NONE};

/// Heavier rows do not fit into a step.
pub(super) const MOST_WEIGHT: u32 = 1 << 22;

/// Cuts of a root, for which children are tried.
#[derive(Debug)]
pub(super) struct Batch<T: 'static> {
    root: usize,
    n_cuts: usize,
    lanes: Lanes,
    /// For each row the first lane in which it is below the cut, a bit for its class, and above 8 bits its
    /// step. Empty if only paths are walked.
    codes: Vec<u32>,
    /// Do all rows have the weight 1?
    is_plain: bool,
    masks: &'static Masks<T>,
    /// For each cut the weights of both classes below it, and above.
    sums: Vec<[[i64; 2]; 2]>,
}

/// Rows of a child feature in its order, as far as they matter for cuts of the root in a range.
#[derive(Debug, Default)]
pub(super) struct Path {
    steps: Vec<Step>,
    runs: Vec<Run>,
}

/// A row, after a run of others that are below or above all cuts.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    /// The rank of the root.
    rank: u32,
    /// Up or down.
    by: i32,
    /// May the child be cut after the row?
    is_end: bool,
    /// Is there a run before it, the next one?
    has_run: bool,
}

/// Rows that are below or above all cuts.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    /// For both sides all steps together, and the highest and lowest place where the child may be cut.
    sums: [i32; 2],
    tops: [i32; 2],
    bottoms: [i32; 2],
    has_cut: bool,
}

/// A number for each lane and both sides.
type Sides<T> = [[Vector<T>; 4]; 2];

/// Where the class of a row is in its code.
const CLASS: u32 = 64;

/// Which lanes a row is in, by the first one in which it is below the cut.
#[derive(Debug)]
pub(super) struct Masks<T> {
    /// The lanes from it on, and the others: all bits or none.
    bits: Vec<Sides<T>>,
    /// A step up in these lanes, then for all first lanes a step down.
    steps: Vec<Sides<T>>,
}

impl<T: Lane> Masks<T> {
    pub(super) fn new() -> Self {
        let sides = |first: u32, by: i64| {
            let mut sides = [[[T::default(); LANES]; 4]; 2];
            for lane in 0..4 * LANES {
                let side = usize::from(lane < first as usize);
                sides[side][lane / LANES][lane % LANES] = T::from_wide(by);
            }
            sides
        };
        let steps = (0..2 * CLASS).map(|code| match code {
            ..CLASS => sides(code, 1),
            _ => sides(code - CLASS, -1),
        });
        Self {
            bits: (0..CLASS).map(|first| sides(first, -1)).collect(),
            steps: steps.collect(),
        }
    }
}

/// The highest and lowest places of both sides.
#[derive(Debug, Clone, Copy)]
struct Extremes<T> {
    tops: [[Vector<T>; 4]; 2],
    bottoms: [[Vector<T>; 4]; 2],
}

/// Up for the first class, down for the second.
#[inline]
fn step(rows: &Rows, row: usize) -> i32 {
    let label = rows.labels[row];
    let weight = label.weight as i32;
    if label.class == 0 { weight } else { -weight }
}

impl Path {
    /// The path of a child for cuts of the root at ranks in a range.
    pub(super) fn new(rows: &Rows, root: usize, cuts: Range<u32>, child: &Cells) -> Self {
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
            run.sums[usize::from(rank >= cuts.end)] += by;
            if is_end {
                for side in 0..2 {
                    let height = run.sums[side];
                    let is_first = !run.has_cut;
                    run.tops[side] = if is_first {
                        height
                    } else {
                        run.tops[side].max(height)
                    };
                    run.bottoms[side] = if is_first {
                        height
                    } else {
                        run.bottoms[side].min(height)
                    };
                }
                run.has_cut = true;
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

impl<T: Lane> Batch<T> {
    /// Some cuts of a root, rising. `below` has for each rank the weights of both classes below it.
    pub(super) fn new(
        rows: &Rows,
        root: usize,
        cuts: &[u32],
        below: &[[i64; 2]],
        is_whole: bool,
    ) -> Self {
        let lanes = Lanes::new(cuts);
        let mut codes = Vec::new();
        if is_whole {
            let ranks = rows.cells[root].ranks.iter().enumerate();
            let code = |(row, &rank): (usize, &u32)| {
                let step = step(rows, row);
                let class = if step < 0 { CLASS } else { 0 };
                lanes.of(rank) as u32 | class | (step << 8) as u32
            };
            codes = ranks.map(code).collect();
        }
        let all = below[below.len() - 1];
        let sums = cuts.iter().map(|&cut| {
            let low = below[cut as usize];
            [low, [all[0] - low[0], all[1] - low[1]]]
        });
        Self {
            root,
            n_cuts: cuts.len(),
            codes,
            is_plain: is_whole && rows.labels.iter().all(|label| label.weight == 1),
            masks: T::masks(),
            sums: sums.collect(),
            lanes,
        }
    }

    /// What leaves cost, for both sides of each cut.
    pub(super) fn leaves(&self, price: Price) -> Vec<[u64; 2]> {
        let leaf = |[a, b]: [i64; 2]| price.leaf(a.min(b) as u64);
        self.sums.iter().map(|sides| sides.map(leaf)).collect()
    }

    /// What a child costs for both sides of each cut. With a path, the cuts are in its range.
    pub(super) fn child(
        &self,
        arch: pulp::Arch,
        rows: &Rows,
        (feature, kind): (usize, Kind),
        path: Option<&Path>,
        price: Price,
    ) -> Vec<[u64; 2]> {
        let cells = &rows.cells[feature];
        let walk = Walk {
            batch: self,
            cells,
            path,
        };
        let missing = self.missing(rows, cells);
        if kind == Kind::Categorical {
            return self.categories(arch, cells, &missing, price);
        }
        let mut found = Extremes {
            tops: [[[T::default(); LANES]; 4]; 2],
            bottoms: [[[T::default(); LANES]; 4]; 2],
        };
        // As many lanes as the registers of the processor have room for.
        let at_once = if size_of::<T>() == 2 && self.n_cuts > LANES {
            2
        } else {
            1
        };
        for from in (0..self.n_cuts.div_ceil(LANES)).step_by(at_once) {
            if at_once == 2 {
                arch.dispatch(Chunks::<T, 2>(walk, from, &mut found));
            } else {
                arch.dispatch(Chunks::<T, 1>(walk, from, &mut found));
            }
        }
        let value = |lane: usize| {
            let at = |vectors: &[Vector<T>; 4]| vectors[lane / LANES][lane % LANES].wide();
            [0, 1].map(|side| {
                let (sums, missing) = (self.sums[lane][side], missing[lane][side]);
                let [a, b] = [sums[0] - missing[0], sums[1] - missing[1]];
                let gain = (b + at(&found.tops[side])).max(a - at(&found.bottoms[side]));
                let mut value = price.loss((a + b - gain) as u64) + 2 * price.per_leaf;
                if missing != [0; 2] {
                    value = value.min(price.leaf(a.min(b) as u64));
                    value += price.leaf(missing[0].min(missing[1]) as u64);
                }
                value
            })
        };
        (0..self.n_cuts).map(value).collect()
    }

    /// For each cut and side the weights of both classes that have no cell.
    fn missing(&self, rows: &Rows, cells: &Cells) -> Vec<[[i64; 2]; 2]> {
        let mut sums = vec![[[0; 2]; 2]; self.n_cuts + 1];
        if cells.has_missing() {
            let of_root = &rows.cells[self.root].ranks;
            for (row, _) in cells
                .ranks
                .iter()
                .enumerate()
                .filter(|&(_, &rank)| rank == NONE)
            {
                let label = rows.labels[row];
                let sum = &mut sums[self.lanes.of(of_root[row])][0];
                sum[label.class as usize] += i64::from(label.weight);
            }
            for lane in 1..sums.len() {
                for class in 0..2 {
                    sums[lane][0][class] += sums[lane - 1][0][class];
                }
            }
            let all = sums[self.n_cuts][0];
            for [low, high] in &mut sums {
                *high = [all[0] - low[0], all[1] - low[1]];
            }
        }
        sums.truncate(self.n_cuts);
        sums
    }

    /// What a categorical child costs, a category after the other.
    fn categories(
        &self,
        arch: pulp::Arch,
        cells: &Cells,
        missing: &[[[i64; 2]; 2]],
        price: Price,
    ) -> Vec<[u64; 2]> {
        let mut losses = vec![[0; 2]; self.n_cuts];
        let mut leaves = vec![[0; 2]; self.n_cuts];
        let mut add = |lane: usize, side: usize, a: i64, b: i64| {
            losses[lane][side] += a.min(b);
            leaves[lane][side] += u64::from(a + b > 0);
        };
        for rank in 0..cells.n_ranks() as u32 {
            let group = Group {
                batch: self,
                rows: cells.rows(rank, rank + 1),
            };
            let [a, b] = arch.dispatch(group);
            let at =
                |vectors: &[Vector<T>; 4], lane: usize| vectors[lane / LANES][lane % LANES].wide();
            let all = [at(&a, 4 * LANES - 1), at(&b, 4 * LANES - 1)];
            for lane in 0..self.n_cuts {
                let (low_a, low_b) = (at(&a, lane), at(&b, lane));
                add(lane, 0, low_a, low_b);
                add(lane, 1, all[0] - low_a, all[1] - low_b);
            }
        }
        for (lane, sides) in missing.iter().enumerate() {
            for (side, &[a, b]) in sides.iter().enumerate() {
                add(lane, side, a, b);
            }
        }
        let value = |(losses, leaves): (&[i64; 2], &[u64; 2])| {
            [0, 1].map(|side| price.loss(losses[side] as u64) + leaves[side] * price.per_leaf)
        };
        losses.iter().zip(&leaves).map(value).collect()
    }
}

/// A walk over the rows of a child.
#[derive(Debug)]
struct Walk<'a, T: 'static> {
    batch: &'a Batch<T>,
    cells: &'a Cells,
    path: Option<&'a Path>,
}

impl<T: 'static> Clone for Walk<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Walk<'_, T> {}

/// A walk in `C` times sixteen lanes, from some vector on.
struct Chunks<'a, T: 'static, const C: usize>(Walk<'a, T>, usize, &'a mut Extremes<T>);

impl<T: Lane, const C: usize> pulp::NullaryFnOnce for Chunks<'_, T, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(Walk { batch, cells, path }, from, found) = self;
        let mut lanes = Walking::<T, C>::new();
        let has_ties = cells.n_ranks() < cells.order.len();
        match (path, has_ties, batch.is_plain) {
            (Some(path), ..) => lanes.along(path, batch, from),
            (None, false, true) => lanes.all::<false, true>(batch, cells, from),
            (None, false, false) => lanes.all::<false, false>(batch, cells, from),
            (None, true, true) => lanes.all::<true, true>(batch, cells, from),
            (None, true, false) => lanes.all::<true, false>(batch, cells, from),
        }
        for side in 0..2 {
            found.tops[side][from..from + C].copy_from_slice(&lanes.tops[side]);
            found.bottoms[side][from..from + C].copy_from_slice(&lanes.bottoms[side]);
        }
    }
}

/// Where the lanes are.
struct Walking<T, const C: usize> {
    at: [[Vector<T>; C]; 2],
    tops: [[Vector<T>; C]; 2],
    bottoms: [[Vector<T>; C]; 2],
}

impl<T: Lane, const C: usize> Walking<T, C> {
    #[inline(always)]
    fn new() -> Self {
        let zero = [[[T::default(); LANES]; C]; 2];
        Self {
            at: zero,
            tops: zero,
            bottoms: zero,
        }
    }

    /// Over the rows that matter.
    #[inline(always)]
    fn along(&mut self, path: &Path, batch: &Batch<T>, from: usize) {
        let mut runs = path.runs.iter();
        for step in &path.steps {
            if step.has_run
                && let Some(run) = runs.next()
            {
                self.run(run);
            }
            let first = batch.lanes.of(step.rank);
            let by = T::from_wide(i64::from(step.by));
            self.step(&batch.masks.bits[first], from, by);
            if step.is_end {
                self.look();
            }
        }
    }

    /// Over all rows that have a cell.
    #[inline(always)]
    fn all<const TIES: bool, const PLAIN: bool>(
        &mut self,
        batch: &Batch<T>,
        cells: &Cells,
        from: usize,
    ) {
        let mut ends = cells.starts[1..].iter();
        let mut next = ends.next().copied().unwrap_or(0);
        let codes = &batch.codes[..];
        let (masks, plain) = (&batch.masks.bits[..], &batch.masks.steps[..]);
        for (place, &row) in (1..).zip(&cells.order) {
            let code = codes[row as usize];
            if PLAIN {
                self.plain_step(&plain[(code & (2 * CLASS - 1)) as usize], from);
            } else {
                let by = T::from_wide(i64::from(code as i32 >> 8));
                self.step(&masks[(code & (CLASS - 1)) as usize], from, by);
            }
            if !TIES {
                self.look();
            } else if place == next {
                self.look();
                next = ends.next().copied().unwrap_or(next);
            }
        }
    }

    #[inline(always)]
    fn plain_step(&mut self, steps: &Sides<T>, from: usize) {
        for side in 0..2 {
            let steps = &steps[side][from..][..C];
            for c in 0..C {
                self.at[side][c] = add(self.at[side][c], steps[c]);
            }
        }
    }

    #[inline(always)]
    fn step(&mut self, masks: &Sides<T>, from: usize, by: T) {
        for side in 0..2 {
            let masks = &masks[side][from..][..C];
            for c in 0..C {
                let step = masks[c].map(|mask| mask.and(by));
                self.at[side][c] = add(self.at[side][c], step);
            }
        }
    }

    /// The child may be cut here.
    #[inline(always)]
    fn look(&mut self) {
        for side in 0..2 {
            for c in 0..C {
                let at = self.at[side][c];
                self.tops[side][c] = most(self.tops[side][c], at);
                self.bottoms[side][c] = least(self.bottoms[side][c], at);
            }
        }
    }

    #[inline(always)]
    fn run(&mut self, run: &Run) {
        let wide = |number: i32| [T::from_wide(i64::from(number)); LANES];
        for side in 0..2 {
            for c in 0..C {
                let at = self.at[side][c];
                if run.has_cut {
                    let (top, bottom) = (wide(run.tops[side]), wide(run.bottoms[side]));
                    self.tops[side][c] = most(self.tops[side][c], add(at, top));
                    self.bottoms[side][c] = least(self.bottoms[side][c], add(at, bottom));
                }
                self.at[side][c] = add(at, wide(run.sums[side]));
            }
        }
    }
}

/// The rows of a category.
struct Group<'a, T: 'static> {
    batch: &'a Batch<T>,
    rows: &'a [u32],
}

impl<T: Lane> pulp::NullaryFnOnce for Group<'_, T> {
    /// For both classes the weights below each cut; the last lane has all.
    type Output = [[Vector<T>; 4]; 2];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut sums = [[[T::default(); LANES]; 4]; 2];
        for &row in self.rows {
            let code = self.batch.codes[row as usize];
            let by = code as i32 >> 8;
            let sums = &mut sums[usize::from(by < 0)];
            let weight = T::from_wide(i64::from(by.abs()));
            let mask = &self.batch.masks.bits[(code & (CLASS - 1)) as usize][0];
            for c in 0..4 {
                for lane in 0..LANES {
                    sums[c][lane] = sums[c][lane].plus(mask[c][lane].and(weight));
                }
            }
        }
        sums
    }
}

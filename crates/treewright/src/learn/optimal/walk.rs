//! Two classes in a few intervals, exactly: for many cuts of the root at once, what a child costs below and above.
//!
//! Take the rows in the order of a child feature, a step up for each row of the first class and down for each of
//! the second. What intervals gain, less the rows of the second class so far, follows the walk while their label
//! is the first class, and stays while it is the second. So a number for each first label and number of cuts is
//! enough; where the child may be cut, it is at least the number with a cut less. With two intervals these
//! are the highest place of the walk, and its last place above the lowest one.
//!
//! The rows below a cut of the root are a part of the walk, those above are the rest. A lane for each of up to
//! 62 cuts of the root walks with the rows below it, another with those above.

use super::lanes::{LANES, Lane, Vector, add, least, most, sub};
use super::level::Lanes;
use super::path::{MOST_INTERVALS, Path, Run, step};
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

/// For each number of intervals from two on, what they gain on both sides, less all rows of the second class.
type Found<T> = [Sides<T>; MOST_INTERVALS - 1];

impl<T: Lane> Batch<T> {
    /// Some cuts of a root, rising. `below` has for each rank the weights of both classes below it; that is
    /// needed if not all rows are walked.
    pub(super) fn new(
        rows: &Rows,
        root: usize,
        cuts: &[u32],
        below: Option<&[[i64; 2]]>,
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
        let (lows, all) = match below {
            Some(below) => {
                let lows: Vec<_> = cuts.iter().map(|&cut| below[cut as usize]).collect();
                (lows, below[below.len() - 1])
            }
            None => sums_below(&codes, cuts.len()),
        };
        let sides = |low: [i64; 2]| [low, [all[0] - low[0], all[1] - low[1]]];
        Self {
            root,
            n_cuts: cuts.len(),
            codes,
            is_plain: is_whole && rows.labels.iter().all(|label| label.weight == 1),
            masks: T::masks(),
            sums: lows.into_iter().map(sides).collect(),
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
        (price, n_intervals): (Price, usize),
    ) -> Vec<[u64; 2]> {
        let cells = &rows.cells[feature];
        let walk = Walk {
            batch: self,
            cells,
            path,
        };
        let missing = if cells.has_missing() {
            self.missing(rows, cells)
        } else {
            Vec::new()
        };
        if kind == Kind::Categorical {
            return self.categories(arch, cells, &missing, price);
        }
        let mut found = [[[[T::default(); LANES]; 4]; 2]; MOST_INTERVALS - 1];
        let n_vectors = self.n_cuts.div_ceil(LANES);
        // As many lanes as the registers of the processor have room for.
        let is_narrow = size_of::<T>() == 2 && n_vectors > 1;
        match n_intervals {
            2 if is_narrow => walk.go::<2, 2>(arch, n_vectors, &mut found),
            2 => walk.go::<1, 2>(arch, n_vectors, &mut found),
            3 => walk.go::<1, 3>(arch, n_vectors, &mut found),
            _ => walk.go::<1, 4>(arch, n_vectors, &mut found),
        }
        let found = &found[..n_intervals - 1];
        // Of `a` rows of the first class in these lanes, and all of the second, so many are gained.
        let by_intervals = |a: i64, lane: usize, side: usize| {
            let mut least = u64::MAX;
            for (intervals, found) in (2_u64..).zip(found) {
                let gain = found[side][lane / LANES][lane % LANES].wide();
                least = least.min(price.loss((a - gain) as u64) + intervals * price.per_leaf);
            }
            least
        };
        let mut values = vec![[0; 2]; self.n_cuts];
        for (lane, (values, sums)) in values.iter_mut().zip(&self.sums).enumerate() {
            for side in 0..2 {
                let [a, b] = sums[side];
                let [missing_a, missing_b] = missing.get(lane).map_or([0; 2], |sides| sides[side]);
                let mut value = by_intervals(a - missing_a, lane, side);
                if missing_a + missing_b > 0 {
                    // One interval, and the missing cells.
                    let whole = (a - missing_a).min(b - missing_b);
                    value = value.min(price.leaf(whole as u64));
                    value += price.leaf(missing_a.min(missing_b) as u64);
                }
                values[side] = value;
            }
        }
        values
    }

    /// For each cut and side the weights of both classes that have no cell.
    fn missing(&self, rows: &Rows, cells: &Cells) -> Vec<[[i64; 2]; 2]> {
        let mut sums = vec![[[0; 2]; 2]; self.n_cuts + 1];
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

/// The weights of both classes below each cut, and of all rows.
fn sums_below(codes: &[u32], n_cuts: usize) -> (Vec<[i64; 2]>, [i64; 2]) {
    // By the first lane in which a row is below the cut, the second class after the first.
    let mut sums = [0_i64; 2 * CLASS as usize];
    for &code in codes {
        sums[(code & (2 * CLASS - 1)) as usize] += i64::from((code as i32 >> 8).abs());
    }
    let (first, second) = sums.split_at(CLASS as usize);
    let mut below = [0; 2];
    let mut lows = Vec::with_capacity(n_cuts + 1);
    for lane in 0..=n_cuts {
        below = [below[0] + first[lane], below[1] + second[lane]];
        lows.push(below);
    }
    lows.pop();
    (lows, below)
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

impl<T: Lane> Walk<'_, T> {
    /// In `C` times sixteen lanes at once, with `K` intervals.
    fn go<const C: usize, const K: usize>(
        self,
        arch: pulp::Arch,
        n_vectors: usize,
        found: &mut Found<T>,
    ) {
        for from in (0..n_vectors).step_by(C) {
            arch.dispatch(Chunks::<T, C, K>(self, from, found));
        }
    }
}

/// A walk in `C` times sixteen lanes, from some vector on, with `K` intervals.
struct Chunks<'a, T: 'static, const C: usize, const K: usize>(Walk<'a, T>, usize, &'a mut Found<T>);

impl<T: Lane, const C: usize, const K: usize> pulp::NullaryFnOnce for Chunks<'_, T, C, K> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(Walk { batch, cells, path }, from, found) = self;
        let mut lanes = Walking::<T, C, K>::new();
        let has_ties = cells.n_ranks() < cells.order.len();
        match (path, has_ties, batch.is_plain) {
            (Some(path), ..) => lanes.along(path, batch, from),
            (None, false, true) => lanes.all::<false, true>(batch, cells, from),
            (None, false, false) => lanes.all::<false, false>(batch, cells, from),
            (None, true, true) => lanes.all::<true, true>(batch, cells, from),
            (None, true, false) => lanes.all::<true, false>(batch, cells, from),
        }
        for cuts in 1..K {
            for side in 0..2 {
                for c in 0..C {
                    found[cuts - 1][side][from + c] = lanes.gain(cuts, side, c);
                }
            }
        }
    }
}

/// Where the lanes are.
struct Walking<T, const C: usize, const K: usize> {
    at: [[Vector<T>; C]; 2],
    /// By the number of cuts, what is gained if the first label is the first class.
    first: [[[Vector<T>; C]; 2]; K],
    /// The same for the second class; with two intervals, the lowest place so far.
    second: [[[Vector<T>; C]; 2]; K],
}

impl<T: Lane, const C: usize, const K: usize> Walking<T, C, K> {
    #[inline(always)]
    fn new() -> Self {
        let zero = [[[T::default(); LANES]; C]; 2];
        Self {
            at: zero,
            first: [zero; K],
            second: [zero; K],
        }
    }

    /// What is gained with some cuts, whatever the first label.
    #[inline(always)]
    fn gain(&self, cuts: usize, side: usize, c: usize) -> Vector<T> {
        let second = if K == 2 {
            sub(self.at[side][c], self.second[1][side][c])
        } else {
            self.second[cuts][side][c]
        };
        most(self.first[cuts][side][c], second)
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
                self.go(side, c, steps[c]);
            }
        }
    }

    #[inline(always)]
    fn step(&mut self, masks: &Sides<T>, from: usize, by: T) {
        for side in 0..2 {
            let masks = &masks[side][from..][..C];
            for c in 0..C {
                self.go(side, c, masks[c].map(|mask| mask.and(by)));
            }
        }
    }

    #[inline(always)]
    fn go(&mut self, side: usize, c: usize, by: Vector<T>) {
        self.at[side][c] = add(self.at[side][c], by);
        if K == 2 {
            return;
        }
        for cuts in 1..K {
            // The label that is the first class.
            let of = if cuts % 2 == 0 {
                &mut self.first
            } else {
                &mut self.second
            };
            of[cuts][side][c] = add(of[cuts][side][c], by);
        }
    }

    /// The child may be cut here.
    #[inline(always)]
    fn look(&mut self) {
        let zero = [T::default(); LANES];
        for side in 0..2 {
            for c in 0..C {
                let at = self.at[side][c];
                let (first, second) = (&mut self.first, &mut self.second);
                first[1][side][c] = most(first[1][side][c], at);
                if K == 2 {
                    second[1][side][c] = least(second[1][side][c], at);
                    continue;
                }
                second[1][side][c] = most(second[1][side][c], zero);
                for cuts in 2..K {
                    first[cuts][side][c] = most(first[cuts][side][c], first[cuts - 1][side][c]);
                    second[cuts][side][c] = most(second[cuts][side][c], second[cuts - 1][side][c]);
                }
            }
        }
    }

    #[inline(always)]
    fn run(&mut self, run: &Run) {
        let wide = |number: i32| [T::from_wide(i64::from(number)); LANES];
        for side in 0..2 {
            let gains = &run.gains[side];
            let sum = gains[0][0];
            for c in 0..C {
                let at = self.at[side][c];
                self.at[side][c] = add(at, wide(sum));
                if K == 2 && run.has_cut {
                    let [top, bottom] = [wide(gains[1][0]), wide(sum - gains[1][1])];
                    let (first, second) = (&mut self.first[1], &mut self.second[1]);
                    first[side][c] = most(first[side][c], add(at, top));
                    second[side][c] = least(second[side][c], add(at, bottom));
                }
                if K == 2 {
                    continue;
                }
                for cuts in (1..K).rev() {
                    let label = cuts % 2;
                    let mut first = add(self.first[cuts][side][c], wide(gains[0][label]));
                    let mut second = add(self.second[cuts][side][c], wide(gains[0][1 - label]));
                    for inside in (1..=cuts).take_while(|_| run.has_cut) {
                        let before = cuts - inside;
                        let label = before % 2;
                        let (from_first, from_second) = match before {
                            0 => (at, [T::default(); LANES]),
                            _ => (self.first[before][side][c], self.second[before][side][c]),
                        };
                        first = most(first, add(from_first, wide(gains[inside][label])));
                        second = most(second, add(from_second, wide(gains[inside][1 - label])));
                    }
                    self.first[cuts][side][c] = first;
                    self.second[cuts][side][c] = second;
                }
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

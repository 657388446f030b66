//! From the tables of a level to costs: of leaves and by children, for both sides and all lanes.

use super::lanes::{Gains, LANES, Lane, Side, View, add, most};
use super::level::{Child, Lanes, Level, SIDES, Setting, amounts, n_intervals};
use super::rows::Rows;
use super::table::{Kind, NONE};

impl<T: Lane> Level<T> {
    /// From numbers for each lane to sums, then to costs of leaves.
    pub(super) fn sweep_leaves(&mut self, setting: Setting<'_>) {
        add_up(&mut self.sums, self.stride);
        self.leaves(setting);
    }

    /// From numbers for each lane to sums, then to costs by a child, which is one more then.
    pub(super) fn sweep(
        &mut self,
        setting: Setting<'_>,
        rows: &Rows,
        mut child: Child<T>,
        is_live: [bool; 2],
    ) {
        setting.arch.dispatch(Sweep {
            level: self,
            setting,
            rows,
            child: &mut child,
            is_live,
        });
        self.children.push(child);
    }

    /// The costs of leaves.
    fn leaves(&mut self, setting: Setting<'_>) {
        let n_classes = setting.table.n_classes;
        for (at, side) in SIDES.into_iter().enumerate() {
            let view = self.view(&self.sums);
            let leaf = |lane: usize| {
                let sums = (0..n_classes).map(|class| view.at(0, class, lane, side));
                let (all, most) = sums.fold((0, 0), |(all, most), sum| (all + sum, sum.max(most)));
                setting.price.leaf((all - most) as u64)
            };
            self.least[at] = (0..self.cuts.len()).map(leaf).collect();
            self.real[at] = match setting.rule.min_leaf {
                1 => self.least[at].clone(),
                _ => vec![u64::MAX; self.cuts.len()],
            };
        }
    }

    /// The costs by a child feature.
    #[inline(always)]
    fn sweep_child(
        &mut self,
        setting: Setting<'_>,
        rows: &Rows,
        child: &mut Child<T>,
        is_live: [bool; 2],
    ) {
        let is_numeric = setting.table.kinds[child.feature] == Kind::Numeric;
        let mut gains = Gains::default();
        for (at, side) in SIDES.into_iter().enumerate().filter(|&(at, _)| is_live[at]) {
            let mut least = vec![u64::MAX; self.stride];
            let mut real = vec![u64::MAX; self.stride];
            if !is_numeric && child.table.is_empty() {
                self.many_categories(setting, rows, child.feature, side, &mut least);
                real.clone_from(&least);
            } else {
                for from in (0..self.cuts.len()).step_by(LANES) {
                    let (least, real) = (&mut least[from..][..LANES], &mut real[from..][..LANES]);
                    if is_numeric {
                        self.intervals(setting, child, &mut gains, (from, side), (least, real));
                    } else {
                        self.categories(setting, child, (from, side), least);
                        real.copy_from_slice(least);
                    }
                }
            }
            for lane in 0..self.cuts.len() {
                self.least[at][lane] = self.least[at][lane].min(least[lane]);
                if setting.rule.min_leaf == 1 {
                    self.real[at][lane] = self.real[at][lane].min(real[lane]);
                }
            }
            least.truncate(self.cuts.len());
            child.least[at] = least;
        }
    }

    /// The weight of all rows in sixteen lanes.
    #[inline(always)]
    fn weights(&self, n_classes: usize, from: usize, side: Side) -> [i64; LANES] {
        let view = self.view(&self.sums);
        let mut weights = [0; LANES];
        for class in 0..n_classes {
            let sums = view.load(0, class, from, side);
            for lane in 0..LANES {
                weights[lane] += sums[lane].wide();
            }
        }
        weights
    }

    /// The gain of a piece that is a leaf, and whether it has rows at all.
    #[inline(always)]
    fn leaf(
        &self,
        n_classes: usize,
        view: View<'_, T>,
        piece: usize,
        from: usize,
        side: Side,
    ) -> ([T; LANES], [T; LANES]) {
        let mut gain = view.load(piece, 0, from, side);
        for class in 1..n_classes {
            gain = most(gain, view.load(piece, class, from, side));
        }
        let mut any = gain;
        if self.n_slots > n_classes {
            any = most(any, view.load(piece, n_classes, from, side));
        }
        (gain, any.map(|any| T::new(u32::from(any > T::default()))))
    }

    #[inline(always)]
    fn intervals(
        &self,
        setting: Setting<'_>,
        child: &Child<T>,
        gains: &mut Gains<T>,
        (from, side): (usize, Side),
        (least, real): (&mut [u64], &mut [u64]),
    ) {
        let n_classes = setting.table.n_classes;
        let price = setting.price;
        let view = self.view(&child.table);
        let n_intervals = n_intervals(setting.rule, &child.pieces);
        if n_intervals == 0 {
            return;
        }
        gains.find(view, &child.pieces, n_classes, n_intervals, from, side);
        let mut weights = self.weights(n_classes, from, side);
        let mut leaves = [0_u64; LANES];
        let has_missing = child.table.len() > child.pieces.len() * self.n_slots * self.stride;
        if has_missing {
            let (gain, any) = self.leaf(n_classes, view, child.pieces.len(), from, side);
            for lane in 0..LANES {
                weights[lane] -= gain[lane].wide();
                leaves[lane] = any[lane].wide() as u64;
            }
        }
        // One interval is a leaf, unless there are missing cells.
        for k in usize::from(!has_missing)..n_intervals {
            let per_leaf = (k as u64 + 1) * price.per_leaf;
            for lane in 0..LANES {
                let value = |gain: T| {
                    price.loss((weights[lane] - gain.wide()).max(0) as u64)
                        + leaves[lane] * price.per_leaf
                        + per_leaf
                };
                least[lane] = least[lane].min(value(gains.most[k][lane]));
                real[lane] = real[lane].min(value(gains.real[k][lane]));
            }
        }
    }

    #[inline(always)]
    fn categories(
        &self,
        setting: Setting<'_>,
        child: &Child<T>,
        (from, side): (usize, Side),
        least: &mut [u64],
    ) {
        let n_classes = setting.table.n_classes;
        let view = self.view(&child.table);
        let weights = self.weights(n_classes, from, side);
        let mut gains = [T::default(); LANES];
        let mut leaves = [T::default(); LANES];
        for piece in 0..child.table.len() / (self.n_slots * self.stride) {
            let (gain, any) = self.leaf(n_classes, view, piece, from, side);
            gains = add(gains, gain);
            leaves = add(leaves, any);
        }
        for lane in 0..LANES {
            let loss = setting
                .price
                .loss((weights[lane] - gains[lane].wide()) as u64);
            least[lane] = loss + leaves[lane].wide() as u64 * setting.price.per_leaf;
        }
    }

    /// Categories one after the other, when a table of all would be too large.
    fn many_categories(
        &self,
        setting: Setting<'_>,
        rows: &Rows,
        feature: usize,
        side: Side,
        least: &mut [u64],
    ) {
        let n_classes = setting.table.n_classes;
        let lanes = Lanes::new(&self.cuts);
        let of_root = &rows.cells[self.root].ranks;
        let amounts: Vec<T> = amounts(rows);
        let cells = &rows.cells[feature];
        let missing = (0..rows.len() as u32).filter(|&row| cells.ranks[row as usize] == NONE);
        let missing: Vec<u32> = missing.collect();
        let groups = (0..cells.n_ranks() as u32).map(|rank| cells.rows(rank, rank + 1));
        let mut gains = vec![0_i64; self.stride];
        let mut leaves = vec![0_u64; self.stride];
        let mut table = vec![T::default(); self.n_slots * self.stride];
        for group in groups.chain(std::iter::once(&missing[..])) {
            table.fill(T::default());
            for &row in group {
                let row = row as usize;
                let lane = lanes.of(of_root[row]);
                let sum = &mut table[self.slot(rows, row) * self.stride + lane];
                *sum = sum.plus(amounts[row]);
            }
            add_up(&mut table, self.stride);
            for from in (0..self.cuts.len()).step_by(LANES) {
                let (gain, any) = self.leaf(n_classes, self.view(&table), 0, from, side);
                for lane in 0..LANES {
                    gains[from + lane] += gain[lane].wide();
                    leaves[from + lane] += any[lane].wide() as u64;
                }
            }
        }
        for from in (0..self.cuts.len()).step_by(LANES) {
            let weights = self.weights(n_classes, from, side);
            for lane in 0..LANES {
                let loss = (weights[lane] - gains[from + lane]) as u64;
                let leaves = leaves[from + lane] * setting.price.per_leaf;
                least[from + lane] = setting.price.loss(loss) + leaves;
            }
        }
    }
}

/// A sweep over the table of a child, for which the processor's widest vectors are used.
struct Sweep<'a, T> {
    level: &'a mut Level<T>,
    setting: Setting<'a>,
    rows: &'a Rows,
    child: &'a mut Child<T>,
    is_live: [bool; 2],
}

impl<T: Lane> pulp::NullaryFnOnce for Sweep<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        add_up(&mut self.child.table, self.level.stride);
        self.level
            .sweep_child(self.setting, self.rows, self.child, self.is_live);
    }
}

/// From numbers for each lane to sums over the lanes so far.
#[inline(always)]
fn add_up<T: Lane>(table: &mut [T], stride: usize) {
    table.chunks_exact_mut(stride).for_each(T::add_up);
}

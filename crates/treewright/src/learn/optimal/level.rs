//! Cuts of one root feature, with tables of all child features: what the sides cost at least, and at most.
//!
//! The first level has all rows. Its lanes are the ends of the root's pieces, and a table for each child feature
//! follows from one pass over the rows. A finer level is for the cuts between two lanes. Rows on this side or that
//! of both lanes stay where they are, only those between them move. And of a child feature only the pieces
//! matter in which a cut could still be better than the best tree known: they are parted further; all others
//! are only sums.

use super::lanes::{Gains, LANES, Lane, Piece, Side, View, Walk, add, most};
use super::line::Rule;
use super::pieces::{MOST_CATEGORIES, Pieces, part};
use super::price::Price;
use super::rows::Rows;
use super::table::{Kind, NONE, Table};

/// What a search is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) price: Price,
    pub(super) rule: Rule,
    pub(super) arch: pulp::Arch,
}

/// Some cuts of a root.
#[derive(Debug)]
pub(super) struct Level<T> {
    root: usize,
    /// The ranks at which the upper side begins, rising: a lane for each.
    pub(super) cuts: Vec<u32>,
    stride: usize,
    n_slots: usize,
    /// `[class][lane]`, as in the tables of the children.
    sums: Vec<T>,
    children: Vec<Child<T>>,
    /// For each side and lane, what the rows cost at least as a leaf or by any child.
    least: [Vec<u64>; 2],
    /// What they cost by a tree that exists.
    real: [Vec<u64>; 2],
    /// What was left out costs at least so much, with the other side.
    pub(super) floor: u64,
}

/// A feature that the children of the root may ask.
#[derive(Debug)]
struct Child<T> {
    feature: usize,
    pieces: Vec<Piece>,
    /// `[piece][class][lane]`; missing cells are one more piece, the last. Empty for very many categories.
    table: Vec<T>,
    /// For each piece and side the rows that do not move, where that helps.
    walks: Vec<[Walk; 2]>,
    /// For each side and lane the least cost; nothing on a side where the feature is out of question.
    least: [Vec<u64>; 2],
}

/// The sides in the order of arrays.
const SIDES: [Side; 2] = [Side::Low, Side::High];
/// A finer level has up to so many lanes, and a child so many pieces.
const FINE_LANES: usize = 31;
const FINE_PIECES: usize = 62;

impl<T: Lane> Level<T> {
    /// All cuts between pieces of the root, which all rows have.
    pub(super) fn first(setting: Setting<'_>, rows: &Rows, pieces: &Pieces, root: usize) -> Self {
        let of_root = &pieces.of_feature[root];
        let mut cuts: Vec<u32> = of_root.iter().map(|piece| piece.start).collect();
        cuts.push(rows.cells[root].n_ranks() as u32);
        let mut level = Self::new(setting, rows, root, cuts);
        let lane = |row: usize| u32::from(pieces.of_row[root][row]) + 1;
        let codes: Vec<u32> = (0..rows.len())
            .map(|row| level.slot(rows, row) as u32 * level.stride as u32 + lane(row))
            .collect();
        let amounts: Vec<T> = amounts(rows);
        for (row, &code) in codes.iter().enumerate() {
            let sum = &mut level.sums[code as usize];
            *sum = sum.plus(amounts[row]);
        }
        let step = level.n_slots * level.stride;
        level.sweep_leaves(setting);
        for (feature, of_row) in pieces.of_row.iter().enumerate() {
            let n_pieces = pieces.of_feature[feature].len();
            let mut table = Vec::new();
            if !of_row.is_empty() {
                let n_missing = usize::from(rows.cells[feature].has_missing());
                table.resize((n_pieces + n_missing) * step, T::default());
                fill(&mut table, of_row, &codes, &amounts, step);
            }
            let child = Child {
                feature,
                pieces: pieces.of_feature[feature].clone(),
                table,
                walks: Vec::new(),
                least: [Vec::new(), Vec::new()],
            };
            level.sweep(setting, rows, child, [true; 2]);
        }
        level
    }

    fn new(setting: Setting<'_>, rows: &Rows, root: usize, cuts: Vec<u32>) -> Self {
        let stride = (cuts.len() + 1).next_multiple_of(LANES);
        let n_slots = setting.table.n_classes + usize::from(rows.has_idle);
        Self {
            root,
            cuts,
            stride,
            n_slots,
            sums: vec![T::default(); n_slots * stride],
            children: Vec::new(),
            least: [Vec::new(), Vec::new()],
            real: [Vec::new(), Vec::new()],
            floor: u64::MAX,
        }
    }

    /// The class of a row, or one too many if it has no weight.
    fn slot(&self, rows: &Rows, row: usize) -> usize {
        if rows.weights[row] == 0 {
            self.n_slots - 1
        } else {
            rows.classes[row] as usize
        }
    }

    /// Numbers in all tables.
    pub(super) fn size(&self) -> usize {
        self.children.iter().map(|child| child.table.len()).sum()
    }

    /// The lanes that can be cuts of the root, all but the last: it ends the range.
    pub(super) fn n_zones(&self) -> usize {
        self.cuts.len().max(2) - 1
    }

    /// Are there cuts after this lane and before the next?
    fn is_point(&self, lane: usize) -> bool {
        lane + 1 == self.cuts.len() || self.cuts[lane + 1] == self.cuts[lane] + 1
    }

    /// No tree with a cut from this lane on and before the next one costs less.
    pub(super) fn bound(&self, lane: usize) -> u64 {
        let end = if self.is_point(lane) { lane } else { lane + 1 };
        self.least[0][lane] + self.least[1][end]
    }

    /// What a tree costs that is cut here.
    pub(super) fn value(&self, lane: usize) -> u64 {
        self.real[0][lane].saturating_add(self.real[1][lane])
    }

    /// No tree of one level costs less, on the first level: all rows are above the first lane.
    pub(super) fn flat(&self) -> u64 {
        self.least[1][0]
    }

    /// Is there but one cut?
    pub(super) fn is_single(&self, lane: usize) -> bool {
        self.is_point(lane)
    }

    fn view<'t>(&self, table: &'t [T], walks: &'t [[Walk; 2]]) -> View<'t, T> {
        View {
            table,
            stride: self.stride,
            n_slots: self.n_slots,
            last: self.cuts.len(),
            walks,
        }
    }

    /// From numbers for each lane to sums, then to costs of leaves.
    fn sweep_leaves(&mut self, setting: Setting<'_>) {
        add_up(&mut self.sums, self.stride);
        self.leaves(setting);
    }

    /// From numbers for each lane to sums, then to costs by a child, which is one more then.
    fn sweep(
        &mut self,
        setting: Setting<'_>,
        rows: &Rows,
        mut child: Child<T>,
        is_live: [bool; 2],
    ) {
        setting.arch.dispatch(
            #[inline(always)]
            || {
                add_up(&mut child.table, self.stride);
                self.sweep_child(setting, rows, &mut child, is_live);
            },
        );
        self.children.push(child);
    }

    /// The costs of leaves.
    fn leaves(&mut self, setting: Setting<'_>) {
        let n_classes = setting.table.n_classes;
        for (at, side) in SIDES.into_iter().enumerate() {
            let view = self.view(&self.sums, &[]);
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
        let view = self.view(&self.sums, &[]);
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
        let view = self.view(&child.table, &child.walks);
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
        let view = self.view(&child.table, &child.walks);
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
                let (gain, any) = self.leaf(n_classes, self.view(&table, &[]), 0, from, side);
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

    /// The cuts from a lane on and before the next, with all that could still cost less than `best`.
    pub(super) fn finer(&self, setting: Setting<'_>, rows: &Rows, lane: usize, best: u64) -> Self {
        let end = if self.is_point(lane) { lane } else { lane + 1 };
        let of_root = &rows.cells[self.root];
        let mut cuts = vec![self.cuts[lane]];
        if end > lane {
            let zones = part(of_root, self.cuts[lane], self.cuts[end], FINE_LANES - 1);
            cuts.extend(zones.map(|zone| zone.end));
        }
        let mut level = Self::new(setting, rows, self.root, cuts);
        let moving = Moving {
            rows: of_root.rows(self.cuts[lane], self.cuts[end]),
            lanes: Lanes::new(&level.cuts),
            ranks: &of_root.ranks,
            weights: &rows.weights,
            from: lane,
            to: end,
        };
        // What the other side costs at least.
        let others = [self.least[1][end], self.least[0][lane]];
        level.keep(&self.sums, self, (0, 0), &moving);
        level.add_moving(rows, &moving);
        level.sweep_leaves(setting);
        for child in &self.children {
            let costs = [(0, lane), (1, end)].map(|(at, lane)| {
                let least = child.least[at].get(lane);
                least.map_or(u64::MAX, |least| least.saturating_add(others[at]))
            });
            let live = costs.map(|cost| cost < best);
            for cost in costs.into_iter().filter(|&cost| cost >= best) {
                level.floor = level.floor.min(cost);
            }
            if live == [false; 2] {
                continue;
            }
            let goal = Goal {
                live,
                others,
                lanes: [lane, end],
                best,
            };
            let finer = self.finer_child(setting, rows, child, &mut level, &moving, goal);
            level.sweep(setting, rows, finer, live);
        }
        level
    }

    /// Adds what does not move of a piece of a coarser table to a piece of this one's.
    fn keep(&mut self, from: &[T], coarse: &Self, (old, new): (usize, usize), moving: &Moving<'_>) {
        let last = self.cuts.len();
        let mut sums = std::mem::take(&mut self.sums);
        keep(
            &mut sums,
            self.stride,
            last,
            from,
            coarse,
            (old, new),
            moving,
        );
        self.sums = sums;
    }

    fn add_moving(&mut self, rows: &Rows, moving: &Moving<'_>) {
        for &row in moving.rows {
            let row = row as usize;
            let at = self.slot(rows, row) * self.stride + moving.lane(row);
            self.sums[at] = self.sums[at].plus(moving.amount(row));
        }
    }

    fn finer_child(
        &self,
        setting: Setting<'_>,
        rows: &Rows,
        child: &Child<T>,
        level: &mut Self,
        moving: &Moving<'_>,
        goal: Goal,
    ) -> Child<T> {
        let is_numeric = setting.table.kinds[child.feature] == Kind::Numeric;
        let mut finer = Child {
            feature: child.feature,
            pieces: Vec::new(),
            table: Vec::new(),
            walks: Vec::new(),
            least: [Vec::new(), Vec::new()],
        };
        if child.table.is_empty() {
            finer.pieces.clone_from(&child.pieces);
            return finer;
        }
        let step = self.n_slots * self.stride;
        let n_old = child.table.len() / step;
        let cells = &rows.cells[child.feature];
        let mut open = vec![false; n_old];
        if is_numeric {
            let bounds = self.piece_bounds(setting, child, goal);
            for (at, &bound) in bounds.iter().enumerate() {
                open[at] = bound < goal.best;
                if !open[at] && (child.pieces[at].is_open || child.pieces[at].is_cut_after) {
                    level.floor = level.floor.min(bound);
                }
            }
        }
        // The first new piece of each old one.
        let mut new = Vec::with_capacity(n_old);
        if is_numeric {
            let n_open = open.iter().filter(|&&open| open).count().max(1);
            let each = (FINE_PIECES / n_open).max(2);
            for (at, piece) in child.pieces.iter().enumerate() {
                let is_run = at > 0 && !open[at] && !open[at - 1];
                if let (true, Some(last)) = (is_run, finer.pieces.last_mut()) {
                    last.end = piece.end;
                    new.push(finer.pieces.len() - 1);
                    continue;
                }
                new.push(finer.pieces.len());
                if !open[at] {
                    finer.pieces.push(Piece {
                        is_open: false,
                        is_cut_after: false,
                        ..*piece
                    });
                    continue;
                }
                finer
                    .pieces
                    .extend(part(cells, piece.start, piece.end, each));
                if let Some(last) = finer.pieces.last_mut() {
                    last.is_cut_after = piece.is_cut_after;
                }
            }
        } else {
            finer.pieces.clone_from(&child.pieces);
            new.extend(0..finer.pieces.len());
        }
        if n_old > child.pieces.len() {
            new.push(finer.pieces.len());
        }
        let n_new = finer.pieces.len() + n_old - child.pieces.len();
        let step = level.n_slots * level.stride;
        finer.table.resize(n_new * step, T::default());
        let last = level.cuts.len();
        for old in (0..n_old).filter(|&old| !open[old]) {
            keep(
                &mut finer.table,
                level.stride,
                last,
                &child.table,
                self,
                (old, new[old]),
                moving,
            );
        }
        let add = |table: &mut [T], piece: usize, row: usize, lane: usize| {
            let sum = &mut table[piece * step + level.slot(rows, row) * level.stride + lane];
            *sum = sum.plus(moving.amount(row));
        };
        // Rows that move, in pieces that are only sums.
        for &row in moving.rows {
            let row = row as usize;
            let rank = cells.ranks[row];
            let old = if rank == NONE {
                n_old - 1
            } else {
                child.pieces.partition_point(|piece| piece.end <= rank)
            };
            if !open[old] {
                add(&mut finer.table, new[old], row, moving.lane(row));
            }
        }
        // All rows of the others.
        let has_walks = is_numeric && setting.table.n_classes == 2 && setting.rule.most == 2;
        if has_walks {
            finer.walks.resize(finer.pieces.len(), [Walk::default(); 2]);
        }
        for (old, piece) in child
            .pieces
            .iter()
            .enumerate()
            .filter(|&(old, _)| open[old])
        {
            let mut at = new[old];
            let mut steps = Steps::default();
            for &row in cells.rows(piece.start, piece.end) {
                let row = row as usize;
                let (rank, lane) = (cells.ranks[row], moving.lane(row));
                if has_walks {
                    if rank != steps.rank {
                        steps.rest();
                        steps.rank = rank;
                    }
                    if rank >= finer.pieces[at].end {
                        finer.walks[at] = std::mem::take(&mut steps).walks;
                        steps.rank = rank;
                    }
                    if lane == 0 || lane == last {
                        let side = usize::from(lane == last);
                        steps.go(side, rows.classes[row] == 0, rows.weights[row]);
                    }
                }
                at += usize::from(rank >= finer.pieces[at].end);
                add(&mut finer.table, at, row, lane);
            }
            if has_walks {
                steps.rest();
                finer.walks[at] = steps.walks;
            }
        }
        finer
    }

    /// For each piece of a numeric child: no tree costs less in which an interval ends inside of it, or where
    /// it ends.
    fn piece_bounds(&self, setting: Setting<'_>, child: &Child<T>, goal: Goal) -> Vec<u64> {
        let n_pieces = child.pieces.len();
        let n_intervals = n_intervals(setting.rule, &child.pieces);
        if n_intervals > MOST_EXPLORED {
            let is_cut = |piece: &Piece| piece.is_open || piece.is_cut_after;
            let bound = |piece| if is_cut(piece) { 0 } else { u64::MAX };
            return child.pieces.iter().map(bound).collect();
        }
        let n_classes = setting.table.n_classes;
        let view = self.view(&child.table, &child.walks);
        let mut bounds = vec![u64::MAX; n_pieces];
        for (at, side) in SIDES
            .into_iter()
            .enumerate()
            .filter(|&(at, _)| goal.live[at])
        {
            let lane = goal.lanes[at];
            let here = |piece: usize, class: usize| view.at(piece, class, lane, side);
            let sums = self.view(&self.sums, &[]);
            let mut weight: i64 = (0..n_classes)
                .map(|class| sums.at(0, class, lane, side))
                .sum();
            let mut more = 0;
            if child.table.len() > n_pieces * self.n_slots * self.stride {
                weight -= (0..n_classes)
                    .map(|class| here(n_pieces, class))
                    .max()
                    .unwrap_or(0);
                more = u64::from((0..self.n_slots).any(|slot| here(n_pieces, slot) > 0));
            }
            if n_classes == 2 && n_intervals == 2 {
                let gains = walk_gains(&child.pieces, here, |piece| view.walk(piece, side));
                for (bound, gain) in bounds.iter_mut().zip(gains) {
                    let Some(gain) = gain else { continue };
                    let value = setting.price.loss((weight - gain).max(0) as u64)
                        + (2 + more) * setting.price.per_leaf;
                    *bound = (*bound).min(value.saturating_add(goal.others[at]));
                }
                continue;
            }
            let before = frontiers(
                0..n_pieces,
                &child.pieces,
                n_classes,
                n_intervals - 1,
                here,
                false,
            );
            let after = frontiers(
                (0..n_pieces).rev(),
                &child.pieces,
                n_classes,
                n_intervals - 1,
                here,
                true,
            );
            for (piece, bound) in bounds.iter_mut().enumerate() {
                let Piece {
                    is_open,
                    is_cut_after,
                    ..
                } = child.pieces[piece];
                let next = n_pieces - 1 - piece;
                for left in 0..n_intervals - 1 {
                    for right in 0..n_intervals - 1 - left {
                        let mut gain = i64::MIN;
                        if is_open {
                            let both = before[piece + 1][left] + after[next + 1][right];
                            gain = both;
                            if left + right == 0 {
                                let mut two = [0; 2];
                                for class in 0..n_classes {
                                    let here = here(piece, class);
                                    two = [two[0].max(here), two[1].max(two[0].min(here))];
                                }
                                let outside = before[piece][left] + after[next][right];
                                gain = gain.min(outside + two[0] + two[1]);
                            }
                        }
                        if is_cut_after && piece + 1 < n_pieces {
                            gain = gain.max(before[piece + 1][left] + after[next][right]);
                        }
                        if gain == i64::MIN {
                            continue;
                        }
                        let leaves = (left + right + 2) as u64 + more;
                        let value = setting.price.loss((weight - gain).max(0) as u64)
                            + leaves * setting.price.per_leaf;
                        *bound = (*bound).min(value.saturating_add(goal.others[at]));
                    }
                }
            }
        }
        bounds
    }
}

/// What two intervals of two classes gain at most if they are cut inside or at the end of each piece.
fn walk_gains(
    pieces: &[Piece],
    here: impl Fn(usize, usize) -> i64,
    walk: impl Fn(usize) -> Walk,
) -> Vec<Option<i64>> {
    let all = [0, 1].map(|class| {
        (0..pieces.len())
            .map(|piece| here(piece, class))
            .sum::<i64>()
    });
    let mut height = 0;
    let gain = |(at, piece): (usize, &Piece)| {
        let (up, down, walk) = (here(at, 0), here(at, 1), walk(at));
        let mut gain = None;
        if piece.is_open {
            let top = height + walk.top - walk.ups + up;
            let bottom = height + walk.bottom + walk.downs - down;
            gain = gain.max(Some((all[1] + top).max(all[0] - bottom)));
        }
        height += up - down;
        if piece.is_cut_after && at + 1 < pieces.len() {
            gain = gain.max(Some((all[1] + height).max(all[0] - height)));
        }
        gain
    };
    pieces.iter().enumerate().map(gain).collect()
}

/// With more intervals than this, all pieces are looked into.
const MOST_EXPLORED: usize = 12;

/// What intervals gain at most, before each piece and after the last one: a number for each count of them.
fn frontiers(
    order: impl Iterator<Item = usize>,
    pieces: &[Piece],
    n_classes: usize,
    n_intervals: usize,
    here: impl Fn(usize, usize) -> i64,
    is_turned: bool,
) -> Vec<Vec<i64>> {
    let mut sums = vec![vec![0; n_classes]; n_intervals];
    let largest = |sums: &[i64]| sums.iter().copied().max().unwrap_or(0);
    let mut all = vec![vec![0; n_intervals]];
    let mut last: Option<usize> = None;
    for piece in order {
        let between = if is_turned { Some(piece) } else { last };
        let is_cut_before = last.is_some() && between.is_some_and(|at| pieces[at].is_cut_after);
        for k in (1..n_intervals).rev() {
            if is_cut_before {
                let gain = largest(&sums[k - 1]);
                sums[k].iter_mut().for_each(|sum| *sum = gain.max(*sum));
            }
        }
        for k in 0..n_intervals {
            if k > 0 && pieces[piece].is_open {
                for class in 0..n_classes {
                    let others = (0..n_classes).filter(|&other| other != class);
                    let other = others.map(|other| sums[k - 1][other]).max().unwrap_or(0);
                    sums[k][class] = sums[k][class].max(other);
                }
            }
            for (class, sum) in sums[k].iter_mut().enumerate() {
                *sum += here(piece, class);
            }
        }
        all.push(sums.iter().map(|sums| largest(sums)).collect());
        last = Some(piece);
    }
    all
}

/// Up to so many intervals are worth trying.
fn n_intervals(rule: Rule, pieces: &[Piece]) -> usize {
    let n_ranks = pieces.last().map_or(0, |piece| piece.end as usize);
    rule.most.min(n_ranks)
}

/// A walk over the rows of a piece that do not move, on both sides.
#[derive(Debug, Default)]
struct Steps {
    rank: u32,
    height: [i64; 2],
    walks: [Walk; 2],
}

impl Steps {
    fn go(&mut self, side: usize, is_up: bool, weight: u32) {
        let weight = i64::from(weight);
        let walk = &mut self.walks[side];
        if is_up {
            self.height[side] += weight;
            walk.ups += weight;
        } else {
            self.height[side] -= weight;
            walk.downs += weight;
        }
    }

    /// After all rows of a rank.
    fn rest(&mut self) {
        for (walk, &height) in self.walks.iter_mut().zip(&self.height) {
            walk.top = walk.top.max(height);
            walk.bottom = walk.bottom.min(height);
        }
    }
}

/// What is wanted of a child.
#[derive(Debug, Clone, Copy)]
struct Goal {
    live: [bool; 2],
    others: [u64; 2],
    lanes: [usize; 2],
    best: u64,
}

/// Rows between two lanes of a coarser level.
struct Moving<'a> {
    rows: &'a [u32],
    lanes: Lanes,
    ranks: &'a [u32],
    weights: &'a [u32],
    from: usize,
    to: usize,
}

impl Moving<'_> {
    #[inline]
    fn lane(&self, row: usize) -> usize {
        self.lanes.of(self.ranks[row])
    }

    /// What a row counts.
    #[inline]
    fn amount<T: Lane>(&self, row: usize) -> T {
        T::new(self.weights[row].max(1))
    }
}

/// From ranks of the root to the first lane in which the row is below the cut.
struct Lanes {
    first: u32,
    of_rank: Vec<u8>,
    last: usize,
}

impl Lanes {
    fn new(cuts: &[u32]) -> Self {
        let mut of_rank = Vec::new();
        for (lane, cut) in cuts.windows(2).enumerate() {
            of_rank.resize((cut[1] - cuts[0]) as usize, lane as u8 + 1);
        }
        Self {
            first: cuts[0],
            of_rank,
            last: cuts.len(),
        }
    }

    #[inline]
    fn of(&self, rank: u32) -> usize {
        if rank < self.first {
            return 0;
        }
        let of_rank = self.of_rank.get((rank - self.first) as usize);
        of_rank.map_or(self.last, |&lane| lane as usize)
    }
}

/// What rows count: their weight, or 1 if they have none and are only counted.
fn amounts<T: Lane>(rows: &Rows) -> Vec<T> {
    rows.weights
        .iter()
        .map(|&weight| T::new(weight.max(1)))
        .collect()
}

fn fill<T: Lane>(table: &mut [T], of_row: &[u8], codes: &[u32], amounts: &[T], step: usize) {
    for ((&piece, &code), &amount) in of_row.iter().zip(codes).zip(amounts) {
        let sum = &mut table[piece as usize * step + code as usize];
        *sum = sum.plus(amount);
    }
}

/// Adds the rows of a piece that are below or above all lanes.
fn keep<T: Lane>(
    table: &mut [T],
    stride: usize,
    last: usize,
    from: &[T],
    coarse: &Level<T>,
    (old, new): (usize, usize),
    moving: &Moving<'_>,
) {
    for slot in 0..coarse.n_slots {
        let old = &from[(old * coarse.n_slots + slot) * coarse.stride..][..coarse.stride];
        let new = &mut table[(new * coarse.n_slots + slot) * stride..][..stride];
        new[0] = new[0].plus(old[moving.from]);
        new[last] = new[last].plus(old[coarse.cuts.len()].minus(old[moving.to]));
    }
}

/// From numbers for each lane to sums over the lanes so far.
#[inline(always)]
fn add_up<T: Lane>(table: &mut [T], stride: usize) {
    for row in table.chunks_exact_mut(stride) {
        let mut before = T::default();
        for vector in row.as_chunks_mut::<LANES>().0 {
            let mut sums = *vector;
            for step in [1, 2, 4, 8] {
                let mut moved = [T::default(); LANES];
                moved[step..].copy_from_slice(&sums[..LANES - step]);
                sums = add(sums, moved);
            }
            sums = add(sums, [before; LANES]);
            before = sums[LANES - 1];
            *vector = sums;
        }
    }
}

const _: () = assert!(MOST_CATEGORIES <= u8::MAX as usize);

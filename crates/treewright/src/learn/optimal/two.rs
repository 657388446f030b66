//! Trees of two levels: the search that all deeper ones consist of.
//!
//! All cuts of all root features are bounded at once, coarsely; where a better tree is still possible, a finer
//! level looks closer, until nothing is left.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::best::{Best, Floors, Root, Sketch, Solved};
use super::lanes::Lane;
use super::level::{Level, Setting};
use super::pieces::Pieces;
use super::rows::Rows;
use super::table::Kind;
use crate::budget::Budget;

/// A search with two levels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Two<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) budget: &'a Budget,
    /// Use all threads?
    pub(super) is_parallel: bool,
}

/// A numeric root and its coarsest level.
struct Coarse<'a, T> {
    feature: usize,
    rows: Cow<'a, Rows>,
    pieces: Arc<Pieces>,
    /// The value of the branch for missing cells, in case.
    missing: u64,
    level: Option<Level<T>>,
    /// Lanes with their bounds, without the branch for missing cells.
    lanes: Vec<(u64, usize)>,
    floor: u64,
    /// No tree of one level has a smaller value, if that is known.
    flat: Option<u64>,
    /// Was there time for it?
    is_done: bool,
}

/// Coarse levels are kept as long as they have fewer numbers together.
const MOST_KEPT: usize = 8 << 20;

impl Two<'_> {
    /// The least value of some rows, if it is below `bound`. For features with a floor of at least `bound`
    /// nothing better is expected.
    pub(super) fn solve(self, rows: &Rows, bound: u64, floors: &[u64]) -> Solved {
        let most = rows.weight().max(rows.len() as u64) * self.setting.rule.most.max(2) as u64;
        if most <= i16::LARGEST {
            self.solve_in::<i16>(rows, bound, floors)
        } else if most <= i32::LARGEST {
            self.solve_in::<i32>(rows, bound, floors)
        } else {
            self.solve_in::<i64>(rows, bound, floors)
        }
    }

    fn solve_in<T: Lane>(self, rows: &Rows, bound: u64, before: &[u64]) -> Solved {
        let best = Best::below(bound);
        if let Some(leaf) = self.setting.leaf(rows) {
            best.offer(leaf, Sketch::Leaf);
        }
        let n_features = self.setting.table.kinds.len();
        let mut floors: Vec<u64> = (0..n_features)
            .map(|feature| before.get(feature).copied().unwrap_or(0))
            .collect();
        let (mut is_done, mut flat) = (true, 0);
        if best.value() > 2 * self.setting.price.per_leaf {
            let kinds = &self.setting.table.kinds;
            let pieces = Arc::new(Pieces::new(rows, kinds, self.n_pieces(rows)));
            let wanted: Vec<usize> = (0..n_features)
                .filter(|&feature| floors[feature] < bound)
                .collect();
            let first = |&feature: &usize| self.first::<T>(rows, &pieces, feature, &best);
            let mut roots: Vec<_> = if self.is_parallel {
                wanted.par_iter().map(first).collect()
            } else {
                wanted.iter().map(first).collect()
            };
            flat = roots.iter().find_map(|root| root.flat).unwrap_or(0);
            is_done = self.zoom_all(&mut roots, &best);
            for (root, feature) in roots.iter().zip(wanted) {
                floors[feature] = root.floor;
            }
        }
        let floors = Floors {
            own: floors,
            flat,
            before,
        };
        Solved::new(&best, bound, self.setting.leaf(rows), floors, is_done)
    }

    /// How many pieces features have at first.
    fn n_pieces(self, rows: &Rows) -> usize {
        let n_classes = self.setting.table.n_classes;
        if rows.len() < 6000 || n_classes > 12 {
            30
        } else {
            62
        }
    }

    /// The first look at a root.
    fn first<'r, T: Lane>(
        self,
        rows: &'r Rows,
        pieces: &Arc<Pieces>,
        feature: usize,
        best: &Best,
    ) -> Coarse<'r, T> {
        let cells = &rows.cells[feature];
        let mut coarse = Coarse {
            feature,
            rows: Cow::Borrowed(rows),
            pieces: Arc::clone(pieces),
            missing: 0,
            level: None,
            lanes: Vec::new(),
            floor: u64::MAX,
            flat: None,
            is_done: true,
        };
        if self.budget.is_spent() {
            coarse.floor = 0;
            coarse.is_done = false;
            return coarse;
        }
        let is_numeric = self.setting.table.kinds[feature] == Kind::Numeric;
        if cells.n_ranks() == 0 || cells.n_ranks() == 1 && !cells.has_missing() {
            return coarse;
        }
        if cells.has_missing() {
            let Some(missing) = self.setting.one(&rows.missing(feature)) else {
                return coarse;
            };
            coarse.missing = missing;
            if is_numeric {
                let present = rows.only(|row| cells.ranks[row] != super::table::NONE);
                if let Some(whole) = self.setting.one(&present) {
                    best.offer(missing + whole, Root { feature, cut: None }.alone());
                    coarse.floor = missing + whole;
                }
                let kinds = &self.setting.table.kinds;
                coarse.pieces = Arc::new(Pieces::new(&present, kinds, self.n_pieces(&present)));
                coarse.rows = Cow::Owned(present);
            }
        }
        if is_numeric {
            self.first_level(&mut coarse, best);
        } else {
            coarse.floor = self.categories(rows, feature, coarse.missing, best.value());
            best.offer(coarse.floor, Root { feature, cut: None }.alone());
        }
        coarse
    }

    fn first_level<T: Lane>(self, coarse: &mut Coarse<'_, T>, best: &Best) {
        let level = Level::first(self.setting, &coarse.rows, &coarse.pieces, coarse.feature);
        self.offer(coarse.feature, coarse.missing, &coarse.rows, &level, best);
        coarse.lanes = self.lanes(&level);
        if matches!(coarse.rows, Cow::Borrowed(_)) {
            coarse.flat = Some(level.flat());
        }
        let least = coarse.lanes.iter().map(|&(bound, _)| bound).min();
        if least.is_some_and(|least| least + coarse.missing < best.value()) {
            coarse.level = Some(level);
        }
    }

    /// The lanes with cuts, and their bounds.
    fn lanes<T: Lane>(self, level: &Level<T>) -> Vec<(u64, usize)> {
        let is_cut = |&lane: &usize| level.cuts[lane] > 0 || !level.is_single(lane);
        let lanes = (0..level.n_zones()).filter(is_cut);
        lanes.map(|lane| (level.bound(lane), lane)).collect()
    }

    /// The sum over categories, or a bound for it that is not below `bound`.
    fn categories(self, rows: &Rows, feature: usize, missing: u64, bound: u64) -> u64 {
        let n_ranks = rows.cells[feature].n_ranks() as u32;
        let mut value = missing;
        for rank in 0..n_ranks {
            let others = u64::from(n_ranks - rank) * self.setting.price.per_leaf;
            if value + others >= bound {
                return value + others;
            }
            let Some(branch) = self.setting.one(&rows.within(feature, rank..rank + 1)) else {
                return u64::MAX;
            };
            value += branch;
        }
        value
    }

    /// Trees that were met.
    fn offer<T: Lane>(
        self,
        feature: usize,
        missing: u64,
        rows: &Rows,
        level: &Level<T>,
        best: &Best,
    ) {
        if self.setting.rule.min_leaf > 1 {
            let lanes = self
                .lanes(level)
                .into_iter()
                .filter(|&(_, lane)| level.cuts[lane] > 0);
            if let Some((bound, lane)) = lanes.min()
                && bound + missing < best.value()
                && let Some(value) = self.at(rows, feature, level.cuts[lane])
            {
                let cut = Some(level.cuts[lane]);
                best.offer(value + missing, Root { feature, cut }.alone());
            }
            return;
        }
        for lane in (0..level.n_zones()).filter(|&lane| level.cuts[lane] > 0) {
            let value = level.value(lane).saturating_add(missing);
            if value < best.value() {
                let cut = Some(level.cuts[lane]);
                best.offer(value, Root { feature, cut }.alone());
            }
        }
    }

    /// The value of a cut.
    fn at(self, rows: &Rows, feature: usize, cut: u32) -> Option<u64> {
        let n_ranks = rows.cells[feature].n_ranks() as u32;
        let low = self.setting.one(&rows.within(feature, 0..cut))?;
        let high = self.setting.one(&rows.within(feature, cut..n_ranks))?;
        Some(low + high)
    }

    /// Looks closer wherever something better is possible. Was there time for all?
    fn zoom_all<T: Lane>(self, roots: &mut [Coarse<'_, T>], best: &Best) -> bool {
        let mut n_kept = 0;
        let mut items: Vec<(u64, usize, usize)> = Vec::new();
        for (at, root) in roots.iter_mut().enumerate() {
            let bounds = root
                .lanes
                .iter()
                .map(|&(bound, lane)| (bound + root.missing, at, lane));
            items.extend(bounds);
            if let Some(level) = &root.level {
                n_kept += level.size();
                if n_kept > MOST_KEPT {
                    root.level = None;
                }
            }
        }
        items.sort_unstable();
        let (near, far): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| item.0 < best.value());
        let rooms: Vec<Mutex<u64>> = roots.iter().map(|root| Mutex::new(root.floor)).collect();
        let sink = |at: usize, floor: u64| {
            let mut room = rooms[at].lock().unwrap_or_else(PoisonError::into_inner);
            *room = floor.min(*room);
        };
        for (bound, at, _) in far {
            sink(at, bound);
        }
        let zoom = |&(bound, at, lane): &(u64, usize, usize)| {
            if bound >= best.value() || self.budget.is_spent() {
                sink(at, bound);
                return bound >= best.value();
            }
            let root = &roots[at];
            let built;
            let level = if let Some(level) = &root.level {
                level
            } else {
                built = Level::first(self.setting, &root.rows, &root.pieces, root.feature);
                &built
            };
            let mut floor = u64::MAX;
            let is_done = self.closer(root, level, lane, best, &mut floor);
            sink(at, floor);
            is_done
        };
        let mut is_done = if self.is_parallel {
            near.par_iter().map(zoom).reduce(|| true, |a, b| a && b)
        } else {
            near.iter().map(zoom).fold(true, |a, b| a && b)
        };
        is_done &= roots.iter().all(|root| root.is_done);
        for (root, room) in roots.iter_mut().zip(rooms) {
            root.floor = room.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        is_done
    }

    /// Looks closer between two lanes.
    fn closer<T: Lane>(
        self,
        root: &Coarse<'_, T>,
        level: &Level<T>,
        lane: usize,
        best: &Best,
        floor: &mut u64,
    ) -> bool {
        if self.setting.rule.min_leaf > 1 && level.is_single(lane) {
            // Bounds do not know of the least size of leaves.
            if let Some(value) = self.at(&root.rows, root.feature, level.cuts[lane]) {
                let cut = Some(level.cuts[lane]);
                let feature = root.feature;
                best.offer(value + root.missing, Root { feature, cut }.alone());
                *floor = (*floor).min(value + root.missing);
            }
            return true;
        }
        let finer = level.finer(self.setting, &root.rows, lane, best.value() - root.missing);
        *floor = (*floor).min(finer.floor.saturating_add(root.missing));
        self.offer(root.feature, root.missing, &root.rows, &finer, best);
        let mut lanes = self.lanes(&finer);
        lanes.sort_unstable();
        let mut is_done = true;
        for (bound, lane) in lanes {
            let bound = bound + root.missing;
            if bound >= best.value() || self.budget.is_spent() {
                *floor = (*floor).min(bound);
                is_done &= bound >= best.value();
                continue;
            }
            is_done &= self.closer(root, &finer, lane, best, floor);
        }
        is_done
    }

    /// The lowest cut of a root with a value, below which there is none.
    pub(super) fn lowest_cut(self, rows: &Rows, feature: usize, value: u64) -> Option<u32> {
        let pieces = Pieces::new(rows, &self.setting.table.kinds, self.n_pieces(rows));
        let most = rows.weight().max(rows.len() as u64) * self.setting.rule.most.max(2) as u64;
        if most <= i16::LARGEST {
            let level = Level::<i16>::first(self.setting, rows, &pieces, feature);
            self.lowest(rows, feature, &level, value)
        } else if most <= i32::LARGEST {
            let level = Level::<i32>::first(self.setting, rows, &pieces, feature);
            self.lowest(rows, feature, &level, value)
        } else {
            let level = Level::<i64>::first(self.setting, rows, &pieces, feature);
            self.lowest(rows, feature, &level, value)
        }
    }

    fn lowest<T: Lane>(
        self,
        rows: &Rows,
        feature: usize,
        level: &Level<T>,
        value: u64,
    ) -> Option<u32> {
        for (bound, lane) in self.lanes(level) {
            let cut = level.cuts[lane];
            if cut > 0 && level.value(lane) == value {
                return Some(cut);
            }
            if bound > value {
                continue;
            }
            if self.setting.rule.min_leaf > 1 && level.is_single(lane) {
                if self.at(rows, feature, cut) == Some(value) {
                    return Some(cut);
                }
                continue;
            }
            let finer = level.finer(self.setting, rows, lane, value + 1);
            let found = self.lowest(rows, feature, &finer, value);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

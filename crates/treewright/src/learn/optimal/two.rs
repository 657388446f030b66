//! Trees of two levels: the search that all deeper ones consist of.
//!
//! All cuts of all root features are bounded at once, coarsely; where a better tree is still possible, a finer
//! level looks closer, until nothing is left.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::best::{Best, Floors, Root, Sketch, Solved};
use super::exact::Front;
use super::lanes::Lane;
use super::level::{Level, Setting, Spare};
use super::pieces::Pieces;
use super::rows::Rows;
use super::table::{Kind, NONE};
use crate::budget::Budget;

/// A search with two levels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Two<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) budget: &'a Budget,
    /// Is it about a node of the tree? Then all threads work, and of equal trees the first is wanted.
    pub(super) is_node: bool,
}

/// A root and its coarsest level.
struct Coarse<'a, T> {
    feature: usize,
    /// The rows that have a cell.
    rows: Cow<'a, Rows>,
    /// Few of them, and many.
    pieces: [Arc<Pieces>; 2],
    /// Which of them does the level have?
    at: usize,
    /// The value of the branch for missing cells, in case.
    missing: u64,
    level: Option<Level<T>>,
    zones: Vec<Zone>,
    /// Features that may be asked next, and on which sides.
    children: Vec<(usize, [bool; 2])>,
    /// No tree with this root has a smaller value.
    floor: u64,
    /// No tree of one level has a smaller value, if that is known.
    flat: Option<u64>,
    /// Was there time for it?
    is_done: bool,
}

/// A root whose branches for missing cells and categories are solved.
struct Entered<'a> {
    /// The rows that have a number, if there are cuts.
    numbers: Option<Cow<'a, Rows>>,
    /// The value of the branch for missing cells, in case.
    missing: u64,
    floor: u64,
    is_done: bool,
}

/// Cuts from a lane on, and before the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Zone {
    /// No tree that is cut here has a smaller value.
    bound: u64,
    /// The first cut.
    first: Root,
    lane: usize,
}

impl Zone {
    fn is_near(&self, best: &Best) -> bool {
        self.bound < best.limit(self.first)
    }
}

impl Two<'_> {
    /// The least value of some rows, if it is below `bound`. For features with a floor of at least `bound`
    /// nothing better is expected.
    pub(super) fn solve(self, rows: &Rows, bound: u64, floors: &[u64]) -> Solved {
        // A walk is never further from its start than there are steps; sums count some rows repeatedly.
        let Setting {
            table, rule, sizes, ..
        } = self.setting;
        let is_walk = table.n_classes == 2 && rule.most == 2
            || rows.len() <= sizes.walked_rows && self.setting.has_walks(rows);
        let most_often = if is_walk { 1 } else { rule.most.max(2) as u64 };
        let most = rows.weight().max(rows.len() as u64) * most_often;
        if most <= i16::LARGEST {
            self.solve_in::<i16>(rows, bound, floors)
        } else if most <= i32::LARGEST {
            self.solve_in::<i32>(rows, bound, floors)
        } else {
            self.solve_in::<i64>(rows, bound, floors)
        }
    }

    fn solve_in<T: Lane>(self, rows: &Rows, bound: u64, before: &[u64]) -> Solved {
        let best = Best::below(bound, self.is_node);
        let leaf = self.setting.leaf(rows);
        if let Some(leaf) = leaf {
            best.offer(leaf, Sketch::Leaf);
        }
        let n_features = self.setting.table.kinds.len();
        let mut floors = Floors {
            own: before.to_vec(),
            flat: 0,
            before,
        };
        floors.own.resize(n_features, 0);
        let mut is_done = true;
        if best.value() > 2 * self.setting.price.per_leaf {
            let is_wanted = |&feature: &usize| floors.own[feature] < bound;
            let wanted: Vec<usize> = (0..n_features).filter(is_wanted).collect();
            is_done = if self.setting.has_walks(rows) {
                self.by_walks::<T>(rows, &wanted, &best, &mut floors)
            } else {
                self.by_levels::<T>(rows, &wanted, &best, &mut floors)
            };
        }
        Solved::new(&best, bound, leaf, floors, is_done)
    }

    /// By sums over pieces, from afar and then closer and closer. Was there time for all?
    fn by_levels<T: Lane>(
        self,
        rows: &Rows,
        wanted: &[usize],
        best: &Best,
        floors: &mut Floors<'_>,
    ) -> bool {
        let pieces = self.pieces(rows);
        let first = |spare: &mut Spare<T>, &feature: &usize| {
            self.first(rows, &pieces, feature, best, spare)
        };
        let mut roots: Vec<_> = if self.is_parallel() {
            wanted.par_iter().map_init(Spare::new, first).collect()
        } else {
            let mut spare = Spare::new();
            wanted
                .iter()
                .map(|feature| first(&mut spare, feature))
                .collect()
        };
        floors.flat = roots.iter().find_map(|root| root.flat).unwrap_or(0);
        let is_done = self.zoom_all(&mut roots, best);
        for root in &roots {
            floors.own[root.feature] = root.floor;
        }
        is_done
    }

    /// By walks: exactly, for many cuts at once. Was there time for all?
    fn by_walks<T: Lane>(
        self,
        rows: &Rows,
        wanted: &[usize],
        best: &Best,
        floors: &mut Floors<'_>,
    ) -> bool {
        let pieces = self.pieces(rows);
        let start = |spare: &mut Spare<T>, &feature: &usize| {
            self.front(rows, &pieces[0], feature, best, spare)
        };
        let mut fronts: Vec<(Front<'_>, bool)> = if self.is_parallel() {
            wanted.par_iter().map_init(Spare::new, start).collect()
        } else {
            let mut spare = Spare::new();
            wanted
                .iter()
                .map(|feature| start(&mut spare, feature))
                .collect()
        };
        floors.flat = fronts.iter().find_map(|(front, _)| front.flat).unwrap_or(0);
        // Good roots first: what they bring makes others needless.
        fronts.sort_by_key(|(front, _)| front.least_bound());
        let (setting, budget, is_parallel) = (self.setting, self.budget, self.is_parallel());
        let is_large = rows.len() > self.setting.sizes.walked_rows;
        let close = |spare: &mut Spare<T>, (front, is_done): &mut (Front<'_>, bool)| {
            if is_large && front.missing == 0 && *is_done {
                self.look(front, &pieces[1], best, spare);
            }
            *is_done &= front.close::<T>(setting, best, budget, is_parallel);
        };
        if self.is_parallel() {
            fronts.par_iter_mut().for_each_init(Spare::new, close);
        } else {
            let mut spare = Spare::new();
            for front in &mut fronts {
                close(&mut spare, front);
            }
        }
        for (front, _) in &fronts {
            floors.own[front.feature] = front.floor;
        }
        fronts.iter().all(|&(_, is_done)| is_done)
    }

    /// A look at all cuts of a root by sums over pieces.
    fn look<T: Lane>(
        self,
        front: &mut Front<'_>,
        pieces: &Pieces,
        best: &Best,
        spare: &mut Spare<T>,
    ) {
        front.drop_far(best);
        let n_children = front.rows.cells.len();
        let is_live = |child: usize| {
            let sides = [0, 1].map(|side| {
                front
                    .zones
                    .iter()
                    .any(|zone| zone.by_child[child][side] != u64::MAX)
            });
            (child, sides)
        };
        let children: Vec<_> = (0..n_children).map(is_live).collect();
        let children: Vec<_> = children
            .into_iter()
            .filter(|child| child.1 != [false; 2])
            .collect();
        if front.zones.is_empty() {
            return;
        }
        let feature = front.feature;
        let level = Level::first(self.setting, &front.rows, pieces, feature, &children, spare);
        for lane in (0..level.n_zones()).filter(|&lane| level.cuts[lane] > 0) {
            let value = level.value(lane) + front.missing;
            if value <= best.value() {
                let cut = Some(level.cuts[lane]);
                best.offer(value, Root { feature, cut }.alone());
            }
        }
        front.flat = front.flat.or(Some(level.flat()));
        let known = std::mem::replace(&mut front.zones, level.as_zones(n_children));
        front.keep_within(&known);
        front.drop_far(best);
        level.recycle(spare);
    }

    /// The first cuts of a root. Was there time for it?
    fn front<'r, T: Lane>(
        self,
        rows: &'r Rows,
        pieces: &Pieces,
        feature: usize,
        best: &Best,
        spare: &mut Spare<T>,
    ) -> (Front<'r>, bool) {
        let entered = self.enter(rows, feature, best);
        let Some(numbers) = entered.numbers else {
            return (Front::none(feature, entered.floor), entered.is_done);
        };
        let is_whole = matches!(numbers, Cow::Borrowed(_));
        let per_leaf = self.setting.price.per_leaf;
        let mut front = Front::new(feature, numbers, entered.missing, per_leaf);
        front.floor = entered.floor;
        if is_whole && rows.len() > self.setting.sizes.walked_rows {
            self.look::<T>(&mut front, pieces, best, spare);
        } else {
            front.begin::<T>(self.setting, best);
            if !is_whole {
                front.flat = None;
            }
        }
        (front, true)
    }

    fn is_parallel(self) -> bool {
        self.is_node && rayon::current_num_threads() > 1
    }

    /// What features look like from afar.
    fn pieces(self, rows: &Rows) -> [Arc<Pieces>; 2] {
        let sizes = self.setting.sizes;
        let n_classes = self.setting.table.n_classes;
        let n_lanes = match n_classes {
            ..=12 if rows.len() >= sizes.many_rows => sizes.many,
            ..=64 => sizes.few,
            _ => sizes.few.min(14),
        };
        let both = [(n_lanes, n_lanes), (sizes.many, sizes.pieces)];
        Pieces::both(rows, both)
    }

    /// A root before its cuts are looked at: branches for missing cells and categories are solved.
    fn enter<'r>(self, rows: &'r Rows, feature: usize, best: &Best) -> Entered<'r> {
        let cells = &rows.cells[feature];
        let nothing = |floor: u64| Entered {
            numbers: None,
            missing: 0,
            floor,
            is_done: true,
        };
        if self.budget.is_spent() {
            return Entered {
                is_done: false,
                ..nothing(0)
            };
        }
        if cells.n_ranks() == 0 || cells.n_ranks() == 1 && !cells.has_missing() {
            return nothing(u64::MAX);
        }
        let mut missing = 0;
        if cells.has_missing() {
            match self.setting.one(&rows.missing(feature)) {
                Some(value) => missing = value,
                None => return nothing(u64::MAX),
            }
        }
        let uncut = Root { feature, cut: None };
        if self.setting.table.kinds[feature] == Kind::Categorical {
            let value = self.categories(rows, feature, missing, best.limit(uncut));
            if self.budget.is_spent() {
                return Entered {
                    is_done: false,
                    ..nothing(value)
                };
            }
            best.offer(value, uncut.alone());
            return nothing(value);
        }
        let (mut floor, mut numbers) = (u64::MAX, Cow::Borrowed(rows));
        if cells.has_missing() {
            let present = rows.only(|row| cells.ranks[row] != NONE);
            if let Some(whole) = self.setting.one(&present) {
                floor = missing + whole;
                best.offer(floor, uncut.alone());
            }
            numbers = Cow::Owned(present);
        }
        Entered {
            numbers: Some(numbers),
            missing,
            floor,
            is_done: true,
        }
    }

    /// The first look at a root.
    fn first<'r, T: Lane>(
        self,
        rows: &'r Rows,
        pieces: &[Arc<Pieces>; 2],
        feature: usize,
        best: &Best,
        spare: &mut Spare<T>,
    ) -> Coarse<'r, T> {
        let entered = self.enter(rows, feature, best);
        let mut coarse = Coarse {
            feature,
            rows: Cow::Borrowed(rows),
            pieces: pieces.clone(),
            at: 0,
            missing: entered.missing,
            level: None,
            zones: Vec::new(),
            children: Vec::new(),
            floor: entered.floor,
            flat: None,
            is_done: entered.is_done,
        };
        let Some(numbers) = entered.numbers else {
            return coarse;
        };
        let is_whole = matches!(numbers, Cow::Borrowed(_));
        if !is_whole {
            coarse.pieces = self.pieces(&numbers);
        }
        coarse.rows = numbers;
        let children: Vec<_> = (0..rows.cells.len())
            .map(|child| (child, [true; 2]))
            .collect();
        let setting = self.setting;
        let level = Level::first(
            setting,
            &coarse.rows,
            &coarse.pieces[0],
            feature,
            &children,
            spare,
        );
        if is_whole {
            coarse.flat = Some(level.flat());
        }
        coarse.zones = Self::zones(&coarse, &level);
        self.offer(&coarse, &level, &coarse.zones, best);
        if coarse.zones.iter().any(|zone| zone.is_near(best)) {
            coarse.level = Some(level);
        } else {
            level.recycle(spare);
        }
        coarse.children = children;
        coarse
    }

    /// The same cuts once more, with more pieces of those children that matter.
    fn second<T: Lane>(self, root: &mut Coarse<'_, T>, best: &Best, spare: &mut Spare<T>) {
        let (setting, feature) = (self.setting, root.feature);
        let Some(level) = root.level.take() else {
            return;
        };
        let Some(children) = Self::near_children(root, &level, best) else {
            root.zones.clear();
            level.recycle(spare);
            return;
        };
        if root.rows.len() < setting.sizes.second_rows || setting.table.n_classes > 3 {
            root.level = Some(level);
            return;
        }
        level.recycle(spare);
        root.at = 1;
        let level = Level::first(
            setting,
            &root.rows,
            &root.pieces[1],
            feature,
            &children,
            spare,
        );
        root.zones = Self::zones(root, &level);
        self.offer(root, &level, &root.zones, best);
        root.children = children;
        root.level = Some(level);
    }

    /// The children of near zones; `None` if there are none.
    fn near_children<T: Lane>(
        root: &mut Coarse<'_, T>,
        level: &Level<T>,
        best: &Best,
    ) -> Option<Vec<(usize, [bool; 2])>> {
        let mut near = Vec::new();
        for zone in &root.zones {
            let limit = best.limit(zone.first);
            if zone.bound < limit {
                near.push((zone.lane, limit.saturating_sub(root.missing)));
            } else {
                root.floor = root.floor.min(zone.bound);
            }
        }
        if near.is_empty() {
            return None;
        }
        let (children, floor) = level.live_children(&near);
        root.floor = root.floor.min(floor.saturating_add(root.missing));
        Some(children)
    }

    fn zones<T: Lane>(root: &Coarse<'_, T>, level: &Level<T>) -> Vec<Zone> {
        // No rows below the first rank: that is no cut.
        let is_cut = |&lane: &usize| level.cuts[lane] > 0 || !level.is_single(lane);
        let zone = |lane: usize| Zone {
            bound: level.bound(lane) + root.missing,
            first: Root {
                feature: root.feature,
                cut: Some(level.cuts[lane].max(1)),
            },
            lane,
        };
        (0..level.n_zones()).filter(is_cut).map(zone).collect()
    }

    /// The sum over categories, or a bound for it that is not below `bound`.
    fn categories(self, rows: &Rows, feature: usize, missing: u64, bound: u64) -> u64 {
        let n_ranks = rows.cells[feature].n_ranks() as u32;
        let mut value = missing;
        for rank in 0..n_ranks {
            let others = u64::from(n_ranks - rank) * self.setting.price.per_leaf;
            if value + others >= bound || self.budget.is_spent() {
                return value + others;
            }
            let Some(branch) = self.setting.one(&rows.group(feature, rank)) else {
                return u64::MAX;
            };
            value += branch;
        }
        value
    }

    /// Trees that were met.
    fn offer<T: Lane>(self, root: &Coarse<'_, T>, level: &Level<T>, zones: &[Zone], best: &Best) {
        let zones = zones.iter().filter(|zone| level.cuts[zone.lane] > 0);
        if self.setting.rule.min_leaf == 1 {
            for zone in zones {
                let value = level.value(zone.lane) + root.missing;
                if value <= best.value() {
                    best.offer(value, zone.first.alone());
                }
            }
        } else if let Some(zone) = zones.min()
            && zone.bound < best.value()
            && let Some(value) = self.at(root, level.cuts[zone.lane])
        {
            best.offer(value, zone.first.alone());
        }
    }

    /// The value of a cut.
    fn at<T>(self, root: &Coarse<'_, T>, cut: u32) -> Option<u64> {
        let n_ranks = root.rows.cells[root.feature].n_ranks() as u32;
        let low = self.setting.one(&root.rows.within(root.feature, 0..cut))?;
        let high = self
            .setting
            .one(&root.rows.within(root.feature, cut..n_ranks))?;
        Some(low + high + root.missing)
    }

    /// Looks closer wherever something better is possible. Was there time for all?
    fn zoom_all<T: Lane>(self, roots: &mut [Coarse<'_, T>], best: &Best) -> bool {
        // Good roots first: what they bring makes others needless.
        roots.sort_by_key(|root| root.zones.iter().min().copied());
        if self.is_parallel() {
            let second = |spare: &mut Spare<T>, root: &mut _| self.second(root, best, spare);
            roots.par_iter_mut().for_each_init(Spare::new, second);
        } else {
            let mut spare = Spare::new();
            for root in &mut *roots {
                self.second(root, best, &mut spare);
            }
        }
        let (mut n_kept, mut near) = (0, Vec::new());
        for (at, root) in roots.iter_mut().enumerate() {
            for &zone in &root.zones {
                if zone.is_near(best) {
                    near.push((zone, at));
                } else {
                    root.floor = root.floor.min(zone.bound);
                }
            }
            n_kept += root.level.as_ref().map_or(0, Level::size);
            if n_kept > self.setting.sizes.kept {
                root.level = None;
            }
        }
        near.sort_unstable();
        let floors: Vec<Mutex<u64>> = roots.iter().map(|root| Mutex::new(root.floor)).collect();
        let zoom = |spare: &mut Spare<T>, &(zone, at): &(Zone, usize)| {
            let root = &roots[at];
            let mut floor = u64::MAX;
            let mut is_done = zone.bound >= best.limit(zone.first);
            if is_done || self.budget.is_spent() {
                floor = zone.bound;
            } else {
                let built = root.level.is_none().then(|| {
                    let (setting, children) = (self.setting, &root.children);
                    let pieces = &root.pieces[root.at];
                    Level::first(setting, &root.rows, pieces, root.feature, children, spare)
                });
                let level = root.level.as_ref().or(built.as_ref());
                let level = level.expect("there is one of both");
                is_done = self.closer(root, level, zone, best, &mut floor, spare);
            }
            let mut known = floors[at].lock().unwrap_or_else(PoisonError::into_inner);
            *known = floor.min(*known);
            is_done
        };
        let mut is_done = if self.is_parallel() {
            let done = near.par_iter().map_init(Spare::new, zoom);
            done.reduce(|| true, std::ops::BitAnd::bitand)
        } else {
            let mut spare = Spare::new();
            let done = near.iter().map(|zone| zoom(&mut spare, zone));
            done.fold(true, std::ops::BitAnd::bitand)
        };
        is_done &= roots.iter().all(|root| root.is_done);
        for (root, floor) in roots.iter_mut().zip(floors) {
            root.floor = floor.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        is_done
    }

    /// Looks closer between two lanes.
    fn closer<T: Lane>(
        self,
        root: &Coarse<'_, T>,
        level: &Level<T>,
        zone: Zone,
        best: &Best,
        floor: &mut u64,
        spare: &mut Spare<T>,
    ) -> bool {
        if self.setting.rule.min_leaf > 1 && level.is_single(zone.lane) {
            // Bounds do not know of the least size of leaves.
            if let Some(value) = self.at(root, level.cuts[zone.lane]) {
                best.offer(value, zone.first.alone());
                *floor = (*floor).min(value);
            }
            return true;
        }
        let limit = best.limit(zone.first).saturating_sub(root.missing);
        let finer = level.finer(self.setting, &root.rows, zone.lane, limit, spare);
        *floor = (*floor).min(finer.floor.saturating_add(root.missing));
        let mut zones = Self::zones(root, &finer);
        self.offer(root, &finer, &zones, best);
        zones.sort_unstable();
        let mut is_done = true;
        for zone in zones {
            let is_far = zone.bound >= best.limit(zone.first);
            if is_far || self.budget.is_spent() {
                *floor = (*floor).min(zone.bound);
                is_done &= is_far;
            } else {
                is_done &= self.closer(root, &finer, zone, best, floor, spare);
            }
        }
        finer.recycle(spare);
        is_done
    }
}

//! Trees of two levels by sums over pieces: from afar, and then closer and closer.

use super::bins::Pieces;
use super::gathered::{Room, Strips};
use super::{Level, Spare};
use crate::learn::optimal::deadline::Stopped;
use crate::learn::optimal::depth2::Two;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::incumbent::Best;
use crate::learn::optimal::problem::{Floors, Root, Rows};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

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
    zones: Vec<LaneZone>,
    /// Features that may be asked next, and on which sides.
    children: Vec<(usize, [bool; 2])>,
    /// No tree with this root has a smaller value.
    floor: u64,
    /// No tree of one level has a smaller value, if that is known.
    flat: Option<u64>,
    /// Was there time for it?
    is_done: bool,
    strips: Strips,
}

/// Cuts from a lane on, and before the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LaneZone {
    /// No tree that is cut here has a smaller value.
    bound: u64,
    /// The first cut.
    first: Root,
    lane: usize,
}

impl LaneZone {
    fn is_near(&self, best: &Best) -> bool {
        self.bound < best.limit(self.first)
    }
}

impl Two<'_> {
    /// By sums over pieces, from afar and then closer and closer. Was there time for all?
    pub(crate) fn by_levels<T: Lane>(
        self,
        rows: &Rows,
        wanted: &[usize],
        best: &Best,
        floors: &mut Floors<'_>,
    ) -> bool {
        let pieces = self.pieces(rows);
        let room = Arc::new(Room::new(rows));
        let mut roots = self.map(wanted, |spare: &mut Spare<T>, &feature| {
            let strips = Strips::new(rows, self.setting.sizes, &room);
            self.first(rows, &pieces, (feature, strips), best, spare)
        });
        floors.flat = roots.iter().find_map(|root| root.flat).unwrap_or(0);
        let is_done = self.zoom_all(&mut roots, best);
        for root in &roots {
            floors.own[root.feature] = root.floor;
        }
        is_done
    }

    /// The first look at a root.
    fn first<'r, T: Lane>(
        self,
        rows: &'r Rows,
        pieces: &[Arc<Pieces>; 2],
        (feature, strips): (usize, Strips),
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
            strips,
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
        // The more classes there are, the larger tables are; the more intervals, the more a closer look takes.
        let least_rows = match (setting.table.n_classes, setting.rule.most) {
            (n_classes @ 4.., ..=2) => setting.sizes.second_per_class * n_classes,
            _ => setting.sizes.second_rows,
        };
        if root.rows.len() < least_rows {
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

    fn zones<T: Lane>(root: &Coarse<'_, T>, level: &Level<T>) -> Vec<LaneZone> {
        // No rows below the first rank: that is no cut.
        let is_cut = |&lane: &usize| level.cuts[lane] > 0 || !level.is_single(lane);
        let zone = |lane: usize| LaneZone {
            bound: level.bound(lane) + root.missing,
            first: Root {
                feature: root.feature,
                cut: Some(level.cuts[lane].max(1)),
            },
            lane,
        };
        (0..level.n_zones()).filter(is_cut).map(zone).collect()
    }

    /// Trees that were met.
    fn offer<T: Lane>(
        self,
        root: &Coarse<'_, T>,
        level: &Level<T>,
        zones: &[LaneZone],
        best: &Best,
    ) {
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
            && let Ok(Some(value)) = self.at(root, level.cuts[zone.lane])
        {
            best.offer(value, zone.first.alone());
        }
    }

    /// The value of a cut.
    fn at<T>(self, root: &Coarse<'_, T>, cut: u32) -> Result<Option<u64>, Stopped> {
        let n_ranks = root.rows.cells[root.feature].n_ranks() as u32;
        let low = self.one(&root.rows.within(root.feature, 0..cut))?;
        let high = self.one(&root.rows.within(root.feature, cut..n_ranks))?;
        let both = low.zip(high);
        Ok(both.map(|(low, high)| low + high + root.missing))
    }

    /// Looks closer wherever something better is possible. Was there time for all?
    fn zoom_all<T: Lane>(self, roots: &mut [Coarse<'_, T>], best: &Best) -> bool {
        // Good roots first: what they bring makes others needless.
        roots.sort_by_key(|root| root.zones.iter().min().copied());
        self.map(&mut *roots, |spare, root| self.second(root, best, spare));
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
        let done = self.map(&near, |spare, &(zone, at)| {
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
        });
        let is_done = !done.contains(&false) && roots.iter().all(|root| root.is_done);
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
        zone: LaneZone,
        best: &Best,
        floor: &mut u64,
        spare: &mut Spare<T>,
    ) -> bool {
        if self.setting.rule.min_leaf > 1 && level.is_single(zone.lane) {
            // Bounds do not know of the least size of leaves.
            let Ok(value) = self.at(root, level.cuts[zone.lane]) else {
                *floor = (*floor).min(zone.bound);
                return false;
            };
            if let Some(value) = value {
                best.offer(value, zone.first.alone());
                *floor = (*floor).min(value);
            }
            return true;
        }
        let limit = best.limit(zone.first).saturating_sub(root.missing);
        let finer = level.finer(
            self.setting,
            &root.rows,
            zone.lane,
            limit,
            &root.strips,
            spare,
        );
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

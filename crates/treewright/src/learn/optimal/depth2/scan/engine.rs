//! Trees of two levels with two classes by walks: exactly, for many cuts at once.

use super::root::Front;
use crate::learn::optimal::depth2::Two;
use crate::learn::optimal::depth2::histogram::bins::Pieces;
use crate::learn::optimal::depth2::histogram::{Level, Spare};
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::incumbent::Best;
use crate::learn::optimal::problem::{Floors, Root, Rows};
use std::borrow::Cow;

impl Two<'_> {
    /// By walks: exactly, for many cuts at once. Was there time for all?
    pub(crate) fn by_walks<T: Lane>(
        self,
        rows: &Rows,
        wanted: &[usize],
        best: &Best,
        floors: &mut Floors<'_>,
    ) -> bool {
        // Few rows are walked at once, without pieces.
        let is_large = rows.len() > self.setting.sizes.walked_rows;
        let pieces = is_large.then(|| self.pieces(rows));
        let mut fronts = self.map(wanted, |spare: &mut Spare<T>, &feature| {
            let few = pieces.as_ref().map(|[few, _]| &**few);
            self.front(rows, few, feature, best, spare)
        });
        floors.flat = fronts.iter().find_map(|(front, _)| front.flat).unwrap_or(0);
        // Good roots first: what they bring makes others needless.
        fronts.sort_by_key(|(front, _)| front.least_bound());
        let (setting, budget, is_parallel) = (self.setting, self.budget, self.is_parallel());
        self.map(&mut fronts, |spare: &mut Spare<T>, (front, is_done)| {
            if let Some([_, many]) = &pieces
                && front.missing == 0
                && *is_done
            {
                self.look(front, many, best, spare);
            }
            // Walks stay closer to their start than sums over pieces.
            *is_done &= if rows.weight() <= i16::LARGEST {
                front.close::<i16>(setting, best, budget, is_parallel)
            } else {
                front.close::<T>(setting, best, budget, is_parallel)
            };
        });
        for (front, _) in &fronts {
            floors.own[front.feature] = front.floor;
        }
        fronts.iter().all(|&(_, is_done)| is_done)
    }

    /// The first cuts of a root. Was there time for it?
    fn front<'r, T: Lane>(
        self,
        rows: &'r Rows,
        pieces: Option<&Pieces>,
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
        if let Some(scouted) = self.scouted {
            let (zones, flat) = scouted.zones(self.setting.table, feature, best);
            (front.zones, front.flat) = (zones, Some(flat));
            front.drop_far(best);
        } else if let Some(pieces) = pieces.filter(|_| is_whole) {
            self.look::<T>(&mut front, pieces, best, spare);
        } else {
            front.begin::<T>(self.setting, best);
            if !is_whole {
                front.flat = None;
            }
        }
        (front, true)
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
}

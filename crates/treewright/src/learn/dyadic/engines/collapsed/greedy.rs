//! Trees to fall back on: the best halving at every node, then the best prunings.
//!
//! From the root down the halving that looks best is taken, until no error is left or time is up. Then, from
//! the leaves up, all prunings that are best at something are found, as in the exact search. A search that
//! was stopped is not worse than these. Two trees are grown: one by the errors of both sides, one by their Gini
//! impurity, which also likes halvings that only prepare others.

use std::cell::Cell;

use crate::learn::dyadic::engines::collapsed::sums::Sums;
use crate::learn::dyadic::engines::collapsed::{Collapsed, Halving, Part};
use crate::learn::dyadic::engines::{Plan, halve, two_that_add_up, zoomed};
use crate::learn::dyadic::frontier::Front;
use crate::learn::dyadic::frontier::hull::{Corner, corner};

/// A node of a greedy tree.
struct Grown {
    /// The best prunings of the tree below.
    best: Vec<Corner>,
    split: Option<Box<Below>>,
}

/// A halving and the trees below it.
struct Below {
    coordinate: u32,
    level: u32,
    prefix: u32,
    /// Halvings with an empty side before it.
    empty: u32,
    sides: [Grown; 2],
}

/// What makes a halving look good.
#[derive(Debug, Clone, Copy)]
enum Look {
    Errors,
    Gini,
}

/// How a tree is grown.
struct Growth {
    front: Front,
    look: Look,
    /// Points looked at, times coordinates.
    work: Cell<usize>,
}

/// So much is done even if there is no time at all: some hundredths of a second.
const LITTLE_WORK: usize = 4_000_000;

impl<S: Sums, const W: usize> Collapsed<S, W> {
    /// The best prunings of greedy trees. Where halvings are paid for, `levels` says how often each
    /// coordinate of the box has been halved already.
    pub(crate) fn greedy(&self, levels: Option<&[u8]>, front: Front) -> Vec<(Corner, Plan)> {
        let (whole, members) = (self.whole(), self.way().members);
        let mut found = Vec::new();
        for look in [Look::Errors, Look::Gini] {
            let growth = Growth {
                front,
                look,
                work: Cell::new(0),
            };
            let grown = self.grow(&whole, &members, levels, &growth);
            found.extend(
                grown
                    .best
                    .iter()
                    .map(|&target| (target, grown.plan(target))),
            );
        }
        found
    }

    fn grow(
        &self,
        part: &Part<S>,
        members: &[u32],
        levels: Option<&[u8]>,
        growth: &Growth,
    ) -> Grown {
        let mut grown = Grown {
            best: vec![corner(1, self.error(part))],
            split: None,
        };
        let mut halvings = Vec::new();
        // Sums of losses come on top of the coordinates.
        let work = growth.work.get() + members.len() * self.fields.len() * (S::N_WORDS + 3) / 4;
        growth.work.set(work);
        let is_late = work > LITTLE_WORK && self.is_late();
        if !growth.front.is_leaf(grown.best[0].error) && !is_late {
            self.halvings(part, members, &mut halvings);
        }
        let rank = |halving: &Halving<S>| self.look(halving, growth.look);
        let best = halvings.iter().min_by(|a, b| rank(a).total_cmp(&rank(b)));
        let Some(halving) = best else {
            return grown;
        };
        let (level, prefix) = self.place(halving, members[0]);
        let coordinate = halving.coordinate as usize;
        let inside = levels.map(|levels| {
            let mut inside = levels.to_vec();
            inside[coordinate] = level as u8 + 1;
            inside
        });
        let sides = [0, 1].map(|side| {
            let members = self.side(halving, side == 1, members);
            self.grow(halving.side(side), &members, inside.as_deref(), growth)
        });
        let below = Below {
            coordinate: halving.coordinate,
            level,
            prefix,
            empty: levels.map_or(0, |levels| level - u32::from(levels[coordinate])),
            sides,
        };
        grown.take(below, growth.front);
        grown
    }

    /// The less the better.
    fn look(&self, halving: &Halving<S>, look: Look) -> f64 {
        match look {
            Look::Errors => (halving.left_error + halving.right_error) as f64,
            Look::Gini => self.impurity(&halving.left) + self.impurity(&halving.right),
        }
    }
}

impl Grown {
    /// Splits the node, and finds the best prunings.
    fn take(&mut self, below: Below, front: Front) {
        let [left, right] = &below.sides;
        let (mut candidate, mut merged) = (Vec::new(), Vec::new());
        front.sum(&left.best, &right.best, below.empty, &mut candidate);
        front.union(&self.best, &candidate, &mut merged);
        self.best = merged;
        self.split = Some(Box::new(below));
    }

    /// The tree of one of the best prunings.
    fn plan(&self, target: Corner) -> Plan {
        let Some(below) = self.split.as_ref().filter(|_| target.leaves > 1) else {
            return Plan::Leaf;
        };
        let hulls = [below.sides[0].best.clone(), below.sides[1].best.clone()];
        let inside = corner(target.leaves - below.empty, target.error);
        let targets = two_that_add_up(&hulls, inside).expect("a pruning is made of two");
        let plans = [0, 1].map(|side| below.sides[side].plan(targets[side]));
        let plan = halve(below.coordinate, below.level, below.prefix, plans);
        zoomed(
            below.coordinate,
            plan,
            below.empty,
            below.level,
            below.prefix,
        )
    }
}

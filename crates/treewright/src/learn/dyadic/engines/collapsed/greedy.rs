//! Trees to fall back on: the best halving at every node, then the best prunings.
//!
//! From the root down the halving that looks best is taken, until no error is left or time is up. Then, from
//! the leaves up, all prunings that are best at something are found, as in the exact search. A search that
//! was stopped is not worse than these. Two trees are grown: one by the errors of both sides, one by their Gini
//! impurity, which also likes halvings that only prepare others.

use std::cell::Cell;

use super::Collapsed;
use super::halving::Halving;
use super::loss_sums::LossSums;
use super::point_set::PointSet;
use crate::learn::dyadic::frontier::{Frontier, Vertex, two_that_add_up, vertex};
use crate::learn::dyadic::plan::{HalvingPlan, halve, zoomed};

/// A node of a greedy tree.
struct GreedyNode {
    /// The best prunings of the tree below.
    best: Vec<Vertex>,
    split: Option<Box<GreedySplit>>,
}

/// A halving and the trees below it.
struct GreedySplit {
    coordinate: u32,
    level: u32,
    prefix: u32,
    /// Halvings with an empty side before it.
    empty: u32,
    sides: [GreedyNode; 2],
}

/// What makes a halving look good.
#[derive(Debug, Clone, Copy)]
enum Ranking {
    Errors,
    Gini,
}

/// How a tree is grown.
struct Growth {
    front: Frontier,
    ranking: Ranking,
    /// Points looked at, times coordinates.
    work: Cell<usize>,
}

/// This much work is done even if there is no time at all: some hundredths of a second.
const LITTLE_WORK: usize = 4_000_000;

impl<S: LossSums, const W: usize> Collapsed<S, W> {
    /// The best prunings of greedy trees. Where halvings are paid for, `levels` says how often each
    /// coordinate of the box has been halved already.
    pub(crate) fn greedy(
        &self,
        levels: Option<&[u8]>,
        front: Frontier,
    ) -> Vec<(Vertex, HalvingPlan)> {
        let (whole, members) = (self.whole(), self.way().members);
        let mut found = Vec::new();
        for ranking in [Ranking::Errors, Ranking::Gini] {
            let growth = Growth {
                front,
                ranking,
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
        part: &PointSet<S>,
        members: &[u32],
        levels: Option<&[u8]>,
        growth: &Growth,
    ) -> GreedyNode {
        let mut grown = GreedyNode {
            best: vec![vertex(1, self.error(part))],
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
        let rank = |halving: &Halving<S>| self.ranking(halving, growth.ranking);
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
        let below = GreedySplit {
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
    fn ranking(&self, halving: &Halving<S>, ranking: Ranking) -> f64 {
        match ranking {
            Ranking::Errors => (halving.left_error + halving.right_error) as f64,
            Ranking::Gini => self.impurity(&halving.left) + self.impurity(&halving.right),
        }
    }
}

impl GreedyNode {
    /// Splits the node, and finds the best prunings.
    fn take(&mut self, below: GreedySplit, front: Frontier) {
        let [left, right] = &below.sides;
        let (mut candidate, mut merged) = (Vec::new(), Vec::new());
        front.sum(&left.best, &right.best, below.empty, &mut candidate);
        front.union(&self.best, &candidate, &mut merged);
        self.best = merged;
        self.split = Some(Box::new(below));
    }

    /// The tree of one of the best prunings.
    fn plan(&self, target: Vertex) -> HalvingPlan {
        let Some(below) = self.split.as_ref().filter(|_| target.leaves > 1) else {
            return HalvingPlan::Leaf;
        };
        let hulls = [below.sides[0].best.clone(), below.sides[1].best.clone()];
        let inside = vertex(target.leaves - below.empty, target.error);
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

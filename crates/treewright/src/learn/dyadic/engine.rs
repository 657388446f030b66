//! The searches of both models behind one face, whatever the width of their points.

use std::fmt::Debug;

use super::Model;
use super::boxed::{Boxed, Levels};
use super::collapsed::{Collapsed, Halving, Limits, Part, Stopped};
use super::hull::{Corner, Price, corner};
use super::points::Points;

/// A tree of halvings, without the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    Leaf,
    Halve {
        /// Which of the coordinates that are halved.
        coordinate: usize,
        /// How often it was halved before, on the way from the whole box.
        level: u32,
        /// The bits of these halvings.
        prefix: u32,
        sides: Box<[Plan; 2]>,
    },
}

/// A search for all best trees above some price of a leaf.
pub(super) trait Engine: Debug {
    /// The best trees, from one leaf on.
    fn hull(&mut self) -> Result<Vec<Corner>, Stopped>;

    /// The tree of a corner of the hull. Of several the one whose splits have the lowest coordinates,
    /// from the root down, among those whose sides the search has looked into.
    fn plan(&mut self, target: Corner) -> Plan;

    /// A good tree for a price, found at once.
    fn greedy(&mut self, price: Price) -> (Corner, Plan);

    /// How many sets of points were solved, in both models together.
    fn states(&self) -> usize;
}

/// The search for a model, made for the number of words and classes of the points.
pub(super) fn engine(
    points: &Points,
    model: Model,
    least: Price,
    limits: Limits,
) -> Option<Box<dyn Engine>> {
    macro_rules! choose {
        ($($words:literal $classes:literal),*) => {
            match (points.n_words, points.n_classes) {
                $((..=$words, ..=$classes) => Some(wide::<$words, { $classes / 2 }>(points, model, least, limits)),)*
                _ => None,
            }
        };
    }
    choose!(1 2, 1 4, 1 32, 4 2, 4 32, 64 32, 64 1024)
}

fn wide<const W: usize, const L: usize>(
    points: &Points,
    model: Model,
    least: Price,
    limits: Limits,
) -> Box<dyn Engine> {
    let collapsed = Collapsed::<W, L>::new(points, least, limits);
    match model {
        Model::Collapsed => Box::new(collapsed),
        Model::Boxed => Box::new(Boxed::new(collapsed)),
    }
}

impl<const W: usize, const L: usize> Engine for Collapsed<W, L> {
    fn hull(&mut self) -> Result<Vec<Corner>, Stopped> {
        let whole = self.whole();
        let mut corners = Vec::new();
        let best = self.solve(&whole, 0, 0)?;
        self.corners(best, &mut corners);
        Ok(corners)
    }

    fn plan(&mut self, target: Corner) -> Plan {
        let whole = self.whole();
        self.plan_of(&whole, 0, target)
    }

    fn greedy(&mut self, price: Price) -> (Corner, Plan) {
        let whole = self.whole();
        self.forget();
        Collapsed::greedy(self, &whole, None, 0, price)
    }

    fn states(&self) -> usize {
        self.table.len()
    }
}

impl<const W: usize, const L: usize> Collapsed<W, L> {
    fn plan_of(&mut self, part: &Part<L>, start: usize, target: Corner) -> Plan {
        if target.leaves == 1 {
            return Plan::Leaf;
        }
        let mut halvings = Vec::new();
        self.halvings(part, start, &mut halvings);
        let end = self.members.len();
        let mut hulls = [Vec::new(), Vec::new()];
        for halving in &halvings {
            // The sides of a split that makes a corner were solved when it did.
            let errors = [halving.left_error, halving.right_error];
            let known = [0, 1].map(|side| self.known(halving.side(side), errors[side]));
            let [Some(left), Some(right)] = known else {
                continue;
            };
            self.corners(left, &mut hulls[0]);
            self.corners(right, &mut hulls[1]);
            let Some(targets) = two_that_add_up(&hulls, target) else {
                continue;
            };
            let mut plans = [Plan::Leaf, Plan::Leaf];
            for (side, plan) in plans.iter_mut().enumerate() {
                self.push_side(halving, side == 1, start, end);
                *plan = self.plan_of(halving.side(side), end, targets[side]);
                self.members.truncate(end);
            }
            let (level, prefix) = self.place(halving, start);
            return halve(halving, level, prefix, plans);
        }
        unreachable!("a corner of the hull has a split that makes it")
    }

    /// How often a split's coordinate was halved before, and the bits that all points have there.
    pub(super) fn place(&self, halving: &Halving<L>, start: usize) -> (u32, u32) {
        let field = self.fields[halving.coordinate as usize];
        let point = &self.points[self.members[start] as usize];
        let bits = (point.code[field.word as usize] & field.mask()) >> field.shift;
        let below = halving.bit - field.shift + 1;
        (field.level(halving.bit), (bits >> below) as u32)
    }
}

impl<const W: usize, const L: usize> Engine for Boxed<W, L> {
    fn hull(&mut self) -> Result<Vec<Corner>, Stopped> {
        let (whole, levels) = (self.collapsed.whole(), self.whole_box());
        let mut corners = Vec::new();
        let best = self.solve(&whole, &levels, 0, 0)?;
        self.corners(best, &mut corners);
        Ok(corners)
    }

    fn plan(&mut self, target: Corner) -> Plan {
        let (whole, levels) = (self.collapsed.whole(), self.whole_box());
        self.plan_of(&whole, &levels, 0, target)
    }

    fn greedy(&mut self, price: Price) -> (Corner, Plan) {
        let (whole, levels) = (self.collapsed.whole(), self.whole_box());
        self.collapsed.forget();
        self.collapsed.greedy(&whole, Some(&levels), 0, price)
    }

    fn states(&self) -> usize {
        self.table.len() + self.collapsed.table.len()
    }
}

impl<const W: usize, const L: usize> Boxed<W, L> {
    fn plan_of(&mut self, part: &Part<L>, levels: &Levels, start: usize, target: Corner) -> Plan {
        if target.leaves == 1 {
            return Plan::Leaf;
        }
        let mut halvings = Vec::new();
        self.collapsed.halvings(part, start, &mut halvings);
        for halving in &halvings {
            let empty = self.empty_leaves(halving, levels);
            // A tree with at least two leaves comes after the empty ones.
            if target.leaves < empty + 2 {
                continue;
            }
            let wanted = corner(target.leaves - empty, target.error);
            let inside = self
                .plan_sides(halving, levels, start, wanted)
                .or_else(|| self.plan_zoom(halving, part, levels, start, wanted));
            if let Some(plan) = inside {
                let (level, prefix) = self.collapsed.place(halving, start);
                return zoomed(halving, plan, empty, level, prefix);
            }
        }
        unreachable!("a corner of the hull has a move that makes it")
    }

    /// A plan that separates the points at once, if one makes the target.
    fn plan_sides(
        &mut self,
        halving: &Halving<L>,
        levels: &Levels,
        start: usize,
        target: Corner,
    ) -> Option<Plan> {
        let mut inside = levels.clone();
        inside[halving.coordinate as usize] = self.level(halving) as u8 + 1;
        let end = self.collapsed.members.len();
        let mut hulls = [Vec::new(), Vec::new()];
        for (side, hull) in hulls.iter_mut().enumerate() {
            self.collapsed.push_side(halving, side == 1, start, end);
            // The sides of a split that makes a corner were solved when it did.
            let best = self.known(halving.side(side), &inside, end);
            self.collapsed.members.truncate(end);
            self.corners(best?, hull);
        }
        let targets = two_that_add_up(&hulls, target)?;
        let mut plans = [Plan::Leaf, Plan::Leaf];
        for (side, plan) in plans.iter_mut().enumerate() {
            self.collapsed.push_side(halving, side == 1, start, end);
            *plan = self.plan_of(halving.side(side), &inside, end, targets[side]);
            self.collapsed.members.truncate(end);
        }
        let (level, prefix) = self.collapsed.place(halving, start);
        Some(halve(halving, level, prefix, plans))
    }

    /// A plan for the same points in the smaller box, if one makes the target.
    fn plan_zoom(
        &mut self,
        halving: &Halving<L>,
        part: &Part<L>,
        levels: &Levels,
        start: usize,
        target: Corner,
    ) -> Option<Plan> {
        if self.empty_leaves(halving, levels) == 0 {
            return None;
        }
        let mut inside = levels.clone();
        inside[halving.coordinate as usize] = self.level(halving) as u8;
        let mut hull = Vec::new();
        let best = self.known(part, &inside, start)?;
        self.corners(best, &mut hull);
        let is_there = hull.contains(&target);
        is_there.then(|| self.plan_of(part, &inside, start, target))
    }
}

pub(super) fn halve<const L: usize>(
    halving: &Halving<L>,
    level: u32,
    prefix: u32,
    sides: [Plan; 2],
) -> Plan {
    Plan::Halve {
        coordinate: halving.coordinate as usize,
        level,
        prefix,
        sides: Box::new(sides),
    }
}

/// Puts `empty` halvings with an empty side each before a plan whose points have the bits `prefix`.
pub(super) fn zoomed<const L: usize>(
    halving: &Halving<L>,
    plan: Plan,
    empty: u32,
    level: u32,
    prefix: u32,
) -> Plan {
    (1..=empty).fold(plan, |plan, up| {
        let (level, prefix, bit) = (level - up, prefix >> up, prefix >> (up - 1) & 1);
        let mut sides = [Plan::Leaf, Plan::Leaf];
        sides[bit as usize] = plan;
        halve(halving, level, prefix, sides)
    })
}

/// Corners of two hulls that add up to a third, the first with the fewest leaves.
fn two_that_add_up(hulls: &[Vec<Corner>; 2], target: Corner) -> Option<[Corner; 2]> {
    hulls[0].iter().find_map(|&left| {
        let leaves = target.leaves.checked_sub(left.leaves)?;
        let right = corner(leaves, target.error.checked_sub(left.error)?);
        hulls[1].contains(&right).then_some([left, right])
    })
}

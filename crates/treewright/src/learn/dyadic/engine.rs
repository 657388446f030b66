//! The searches of both models behind one face, whatever the width of their points.

use std::fmt::Debug;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Model;
use super::boxed::{Boxed, BoxedWay, Levels};
use super::collapsed::{Collapsed, Halving, Limits, Part, Point, Stopped};
use super::front::Front;
use super::hull::{Corner, corner};
use super::points::Points;
use super::sums::{Packed, Sums, Wide};
use super::table::Key;

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
        /// Shared between plans that have them in common.
        sides: Arc<[Plan; 2]>,
    },
}

/// Plans by the key of a set, and the corner of its hull that they are for.
pub(super) type KnownPlans = FxHashMap<(Key, Corner), Plan>;

/// A search for all best trees of some kind.
pub(super) trait Engine: Debug + Send {
    /// The best trees, from one leaf on.
    fn hull(&self) -> Result<Vec<Corner>, Stopped>;

    /// The tree of a corner of the hull. Of several the one whose splits come first in the order of the
    /// search, from the root down: least error of both sides, then lowest coordinate.
    fn plan(&self, target: Corner, known: &mut KnownPlans) -> Plan;

    /// Good trees, found at once: leaves and error rise and fall as in the hull, twice.
    fn greedy(&self) -> Vec<(Corner, Plan)>;

    /// How many sets of points were solved, in both models together.
    fn states(&self) -> usize;

    /// How many places of the table are looked at to find a solved set, on average.
    fn probes(&self) -> f64;

    /// Memory of the solved sets.
    fn bytes(&self) -> usize;

    /// Points looked at, times coordinates.
    fn work(&self) -> u64;
}

/// No search is made for more classes than this.
pub(super) const MOST_CLASSES: usize = 1024;

/// Calls a function with the words and the sums that are wide enough for some points: `None` if none are.
macro_rules! with_width {
    ($points:expr, $call:ident($($argument:expr),*)) => {{
        let (words, classes) = ($points.n_words, $points.n_classes);
        match ($points.is_narrow(), words, classes) {
            (true, ..=1, ..=2) => Some($call::<Packed<1>, 1>($($argument),*)),
            (true, ..=1, ..=4) => Some($call::<Packed<2>, 1>($($argument),*)),
            (true, ..=1, ..=32) => Some($call::<Packed<16>, 1>($($argument),*)),
            (true, ..=4, ..=2) => Some($call::<Packed<1>, 4>($($argument),*)),
            (true, ..=4, ..=32) => Some($call::<Packed<16>, 4>($($argument),*)),
            (true, ..=64, ..=32) => Some($call::<Packed<16>, 64>($($argument),*)),
            (true, ..=64, ..=MOST_CLASSES) => Some($call::<Packed<512>, 64>($($argument),*)),
            (false, ..=4, ..=2) => Some($call::<Wide<2>, 4>($($argument),*)),
            (false, ..=64, ..=32) => Some($call::<Wide<32>, 64>($($argument),*)),
            (false, ..=64, ..=MOST_CLASSES) => Some($call::<Wide<MOST_CLASSES>, 64>($($argument),*)),
            _ => None,
        }
    }};
}

/// What the points take in a search, which has room for the next larger number of words and classes.
pub(super) fn bytes(points: &Points) -> usize {
    let of_point = with_width!(points, bytes_of_point());
    points.len().saturating_mul(of_point.unwrap_or(0))
}

fn bytes_of_point<S: Sums, const W: usize>() -> usize {
    size_of::<Point<S, W>>()
}

/// The search for a model, made for the number of words and classes of the points, and the width of their sums.
pub(super) fn engine(
    points: &Points,
    model: Model,
    front: Front,
    limits: Limits,
) -> Option<Box<dyn Engine>> {
    with_width!(points, search(points, model, front, limits))
}

fn search<S: Sums, const W: usize>(
    points: &Points,
    model: Model,
    front: Front,
    limits: Limits,
) -> Box<dyn Engine> {
    let collapsed = Collapsed::<S, W>::new(points, front, limits);
    match model {
        Model::Collapsed => Box::new(collapsed),
        Model::Boxed => Box::new(Boxed::new(collapsed)),
    }
}

impl<S: Sums, const W: usize> Engine for Collapsed<S, W> {
    fn hull(&self) -> Result<Vec<Corner>, Stopped> {
        let mut corners = Vec::new();
        let best = self.solve(&self.whole(), 0, 0, &mut self.way())?;
        self.corners(best, &mut corners);
        Ok(corners)
    }

    fn plan(&self, target: Corner, known: &mut KnownPlans) -> Plan {
        self.plan_of(&self.whole(), &self.way().members, target, known)
    }

    fn greedy(&self) -> Vec<(Corner, Plan)> {
        Collapsed::greedy(self, None, self.front)
    }

    fn states(&self) -> usize {
        self.table.len()
    }

    fn probes(&self) -> f64 {
        self.table.probes()
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
    }

    fn work(&self) -> u64 {
        self.work()
    }
}

impl<S: Sums, const W: usize> Collapsed<S, W> {
    /// The tree of a corner. The first split that makes it is the first also in a search that has solved
    /// other sets: a split whose sides are not known here was dominated when it was its turn, so it does
    /// not make the corner.
    fn plan_of(
        &self,
        part: &Part<S>,
        members: &[u32],
        target: Corner,
        known: &mut KnownPlans,
    ) -> Plan {
        if target.leaves == 1 {
            return Plan::Leaf;
        }
        if let Some(plan) = known.get(&(part.key, target)) {
            return plan.clone();
        }
        let mut halvings = Vec::new();
        self.splits(part, members, &mut halvings);
        let made = halvings.iter().find_map(|halving| {
            let targets = self.targets(halving, target)?;
            Some((halving, targets))
        });
        let Some((halving, targets)) = made else {
            unreachable!("a corner of the hull has a split that makes it");
        };
        let plans = [0, 1].map(|side| {
            let members = self.side(halving, side == 1, members);
            self.plan_of(halving.side(side), &members, targets[side], known)
        });
        let (level, prefix) = self.place(halving, members[0]);
        let plan = halve(halving.coordinate, level, prefix, plans);
        known.insert((part.key, target), plan.clone());
        plan
    }

    /// The corners of both sides that together make a corner, if there are any.
    fn targets(&self, halving: &Halving<S>, target: Corner) -> Option<[Corner; 2]> {
        let mut hulls = [Vec::new(), Vec::new()];
        let errors = [halving.left_error, halving.right_error];
        for (side, hull) in hulls.iter_mut().enumerate() {
            let best = self.known(halving.side(side), errors[side])?;
            self.corners(best, hull);
        }
        two_that_add_up(&hulls, target)
    }

    /// How often a split's coordinate was halved before, and the bits that all points have there; `member`
    /// is any of them.
    pub(super) fn place(&self, halving: &Halving<S>, member: u32) -> (u32, u32) {
        let field = self.fields[halving.coordinate as usize];
        let point = &self.points[member as usize];
        let bits = (point.code[field.word as usize] & field.mask()) >> field.shift;
        let below = halving.bit - field.shift + 1;
        (field.level(halving.bit), (bits >> below) as u32)
    }
}

impl<S: Sums, const W: usize> Engine for Boxed<S, W> {
    fn hull(&self) -> Result<Vec<Corner>, Stopped> {
        let mut way = BoxedWay::new(self.collapsed.way());
        let mut corners = Vec::new();
        let whole = self.collapsed.whole();
        let best = self.solve(&whole, &self.whole_box(), 0, 0, &mut way)?;
        self.corners(best, &mut corners);
        Ok(corners)
    }

    fn plan(&self, target: Corner, known: &mut KnownPlans) -> Plan {
        let (whole, members) = (self.collapsed.whole(), self.collapsed.way().members);
        self.plan_of(&whole, &self.whole_box(), &members, target, known)
    }

    fn greedy(&self) -> Vec<(Corner, Plan)> {
        let levels = self.whole_box();
        self.collapsed.greedy(Some(&levels), self.collapsed.front)
    }

    fn states(&self) -> usize {
        self.table.len() + self.collapsed.table.len()
    }

    fn probes(&self) -> f64 {
        self.table.probes()
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.collapsed.table.bytes()
    }

    fn work(&self) -> u64 {
        self.collapsed.work()
    }
}

impl<S: Sums, const W: usize> Boxed<S, W> {
    /// The tree of a corner: the first split that makes it, or the first coordinate that is zoomed into.
    fn plan_of(
        &self,
        part: &Part<S>,
        levels: &Levels,
        members: &[u32],
        target: Corner,
        known: &mut KnownPlans,
    ) -> Plan {
        if target.leaves == 1 {
            return Plan::Leaf;
        }
        let key = self.key(part, levels, members);
        if let Some(plan) = known.get(&(key, target)) {
            return plan.clone();
        }
        let mut halvings = Vec::new();
        self.splits(part, members, &mut halvings);
        // A tree with at least two leaves comes after the empty ones.
        halvings.retain(|halving| target.leaves >= self.empty_leaves(halving, levels) + 2);
        let mut found = None;
        for halving in &halvings {
            let plan = self.plan_sides(halving, levels, members, target, known);
            if let Some(plan) = plan {
                found = Some((halving, plan));
                break;
            }
        }
        for halving in &halvings {
            if found.is_some() {
                break;
            }
            let plan = self.plan_zoom(halving, part, levels, members, target, known);
            found = plan.map(|plan| (halving, plan));
        }
        let Some((halving, plan)) = found else {
            unreachable!("a corner of the hull has a move that makes it");
        };
        let empty = self.empty_leaves(halving, levels);
        let (level, prefix) = self.collapsed.place(halving, members[0]);
        let plan = zoomed(halving.coordinate, plan, empty, level, prefix);
        known.insert((key, target), plan.clone());
        plan
    }

    /// A plan that separates the points at once, if one makes the target.
    fn plan_sides(
        &self,
        halving: &Halving<S>,
        levels: &Levels,
        members: &[u32],
        target: Corner,
        known: &mut KnownPlans,
    ) -> Option<Plan> {
        let empty = self.empty_leaves(halving, levels);
        let mut inside = levels.clone();
        inside[halving.coordinate as usize] = self.level(halving) as u8 + 1;
        let sides = [false, true].map(|side| self.collapsed.side(halving, side, members));
        let mut hulls = [Vec::new(), Vec::new()];
        for (side, hull) in hulls.iter_mut().enumerate() {
            // The sides of a split that makes a corner were solved when it did.
            let best = self.known(halving.side(side), &inside, &sides[side])?;
            self.corners(best, hull);
        }
        let targets = two_that_add_up(&hulls, corner(target.leaves - empty, target.error))?;
        let plans = [0, 1].map(|side| {
            let (part, members) = (halving.side(side), &sides[side]);
            self.plan_of(part, &inside, members, targets[side], known)
        });
        let (level, prefix) = self.collapsed.place(halving, members[0]);
        Some(halve(halving.coordinate, level, prefix, plans))
    }

    /// A plan for the same points in the smaller box, if one makes the target.
    fn plan_zoom(
        &self,
        halving: &Halving<S>,
        part: &Part<S>,
        levels: &Levels,
        members: &[u32],
        target: Corner,
        known: &mut KnownPlans,
    ) -> Option<Plan> {
        let empty = self.empty_leaves(halving, levels);
        if empty == 0 {
            return None;
        }
        let mut inside = levels.clone();
        inside[halving.coordinate as usize] = self.level(halving) as u8;
        let mut hull = Vec::new();
        let best = self.known(part, &inside, members)?;
        self.corners(best, &mut hull);
        let target = corner(target.leaves - empty, target.error);
        let is_there = hull.contains(&target);
        is_there.then(|| self.plan_of(part, &inside, members, target, known))
    }
}

pub(super) fn halve(coordinate: u32, level: u32, prefix: u32, sides: [Plan; 2]) -> Plan {
    Plan::Halve {
        coordinate: coordinate as usize,
        level,
        prefix,
        sides: Arc::new(sides),
    }
}

/// Puts `empty` halvings with an empty side each before a plan whose points have the bits `prefix`.
pub(super) fn zoomed(coordinate: u32, plan: Plan, empty: u32, level: u32, prefix: u32) -> Plan {
    (1..=empty).fold(plan, |plan, up| {
        let (level, prefix, bit) = (level - up, prefix >> up, prefix >> (up - 1) & 1);
        let mut sides = [Plan::Leaf, Plan::Leaf];
        sides[bit as usize] = plan;
        halve(coordinate, level, prefix, sides)
    })
}

/// Corners of two hulls that add up to a third, the first with the fewest leaves.
pub(super) fn two_that_add_up(hulls: &[Vec<Corner>; 2], target: Corner) -> Option<[Corner; 2]> {
    hulls[0].iter().find_map(|&left| {
        let leaves = target.leaves.checked_sub(left.leaves)?;
        let right = corner(leaves, target.error.checked_sub(left.error)?);
        hulls[1].contains(&right).then_some([left, right])
    })
}

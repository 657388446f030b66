//! All best trees at once, in the collapsed model.
//!
//! **Problem.** For a set of points, the least error for every alpha, or for every number of leaves. A node may use,
//! for each coordinate, the first halving that separates its points; all halvings before it would leave one side empty
//! and are free.
//!
//! **Lemma.** The best trees of a node depend on its set of points alone, not on its box. So a set is solved once and
//! kept by key. Its answer is a hull of (leaves, error), see `frontier`: the leaf, and for each split the sum of the
//! hulls of both sides. A split is tried only while it can add something. A lower bound for the hulls of both sides (an
//! impure side has at best no error with two leaves, a solved side has its hull) must not be dominated by what is there
//! already. Two coordinates that part the points in the same way are one split.
//!
//! **Source.** The recursion of D. Hush and R. Porter, "Algorithms for optimal dyadic decision trees" (2010).
//! **Difference.** Sets of points in place of rectangles, and all alphas in one pass.
//!
//! The two sides of a split have no points in common, so no set is part of both. Large sides are searched in parallel:
//! neither search sees what the other one finds, and every set that is solved, and the number of them, is the same for
//! any number of threads.

mod greedy;
mod halving;
mod loss_sums;
mod plan;
mod point_set;
mod solved_sets;
mod stack;

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use self::halving::{Halving, by_promise};
pub(crate) use self::loss_sums::{LossSums, Packed, Wide};
pub(crate) use self::point_set::{Point, PointSet};
pub(crate) use self::solved_sets::SolvedSets;
pub(crate) use self::stack::SearchStack;

use self::solved_sets::Stored;
use self::stack::SearchFrame;
use crate::learn::dyadic::deadline::{SearchLimits, Stopped};
use crate::learn::dyadic::engines::keys::Keys;
use crate::learn::dyadic::frontier::{Frontier, Vertex, vertex};
use crate::learn::dyadic::problem::{Field, Points};
use crate::learn::dyadic::switches::DyadicSwitches;

/// Points and solved sets of them, shared by all threads.
///
/// `W` words hold the coordinates of a point, `S` its losses.
#[derive(Debug)]
pub(crate) struct Collapsed<S: LossSums, const W: usize> {
    pub(super) points: Vec<Point<S, W>>,
    pub(super) fields: Vec<Field>,
    n_classes: usize,
    pub(super) front: Frontier,
    pub(super) table: SolvedSets,
    limits: SearchLimits,
    /// Points looked at for all coordinates together, as far as it was told.
    work: AtomicU64,
}

/// The best hull of a set.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SolvedHull {
    /// One leaf is best at all alphas of interest.
    Leaf(u64),
    Stored(Stored),
}

impl<S: LossSums, const W: usize> Collapsed<S, W> {
    pub(crate) fn new(points: &Points, front: Frontier, limits: SearchLimits) -> Self {
        let mut keys = Keys::new(0x7265_6577_7269_6768);
        let point = |place: usize| {
            let mut code = [0; W];
            let words = &points.codes[place * points.n_words..][..points.n_words];
            code[..words.len()].copy_from_slice(words);
            Point {
                key: keys.next(),
                code,
                losses: S::new(points.losses_of(place)),
            }
        };
        Self {
            points: (0..points.len()).map(point).collect(),
            fields: points.fields.clone(),
            n_classes: points.n_classes,
            front,
            table: SolvedSets::default(),
            limits,
            work: AtomicU64::new(0),
        }
    }

    /// The work so far: points looked at, times coordinates.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Is the time up?
    pub(crate) fn is_late(&self) -> bool {
        self.limits.budget.is_spent()
    }

    /// The way that begins with all points.
    pub(crate) fn way(&self) -> SearchStack<S> {
        SearchStack::new((0..self.points.len() as u32).collect())
    }

    /// The set of all points.
    pub(crate) fn whole(&self) -> PointSet<S> {
        let mut whole = PointSet {
            key: 0,
            losses: S::ZERO,
            n_points: self.points.len() as u32,
        };
        for point in &self.points {
            whole.key = whole.key.wrapping_add(point.key);
            whole.losses.add_masked(&point.losses, u64::MAX);
        }
        whole
    }

    /// The least error of a set as a leaf.
    pub(crate) fn error(&self, part: &PointSet<S>) -> u64 {
        part.losses.least(self.n_classes)
    }

    /// The best hull if it is known without a search.
    pub(crate) fn known(&self, part: &PointSet<S>, error: u64) -> Option<SolvedHull> {
        if self.front.is_leaf(error) {
            return Some(SolvedHull::Leaf(error));
        }
        self.table.get(part.key).map(SolvedHull::Stored)
    }

    /// The best hull if it is known without a search; only that of a leaf if the memo is switched off.
    pub(crate) fn solved_before(&self, part: &PointSet<S>, error: u64) -> Option<SolvedHull> {
        let known = self.known(part, error);
        let is_free = |known: &SolvedHull| matches!(known, SolvedHull::Leaf(_));
        known.filter(|known| self.limits.switches.memo || is_free(known))
    }

    /// Which speed-ups are made use of.
    pub(crate) fn switches(&self) -> DyadicSwitches {
        self.limits.switches
    }

    /// Are both sides so large that they are better searched in parallel?
    pub(crate) fn are_both_large(&self, halving: &Halving<S>) -> bool {
        let switches = self.limits.switches;
        let n_points = halving.left.n_points.min(halving.right.n_points);
        switches.side_by_side && n_points >= switches.many_points
    }

    /// The vertices of a hull.
    pub(crate) fn vertices(&self, best: SolvedHull, out: &mut Vec<Vertex>) {
        out.clear();
        match best {
            SolvedHull::Leaf(error) => out.push(vertex(1, error)),
            SolvedHull::Stored(stored) => self.table.read(stored, out),
        }
    }

    /// The best hull of the points `members[start..]`.
    pub(crate) fn solve(
        &self,
        part: &PointSet<S>,
        start: usize,
        depth: usize,
        way: &mut SearchStack<S>,
    ) -> Result<SolvedHull, Stopped> {
        let error = self.error(part);
        if let Some(best) = self.solved_before(part, error) {
            return Ok(best);
        }
        self.check(part, way, None)?;
        if way.frames.len() <= depth {
            way.frames.resize_with(depth + 1, SearchFrame::default);
        }
        let mut frame = std::mem::take(&mut way.frames[depth]);
        let result = self.search(part, error, start, depth, &mut frame, way);
        way.frames[depth] = frame;
        result
    }

    fn search(
        &self,
        part: &PointSet<S>,
        error: u64,
        start: usize,
        depth: usize,
        frame: &mut SearchFrame<S>,
        way: &mut SearchStack<S>,
    ) -> Result<SolvedHull, Stopped> {
        let mut halvings = std::mem::take(&mut frame.halvings);
        self.splits(part, &way.members[start..], &mut halvings);
        frame.best.clear();
        frame.best.push(vertex(1, error));
        for halving in &halvings {
            if self.limits.switches.lower_bounds && self.is_hopeless(halving, frame) {
                continue;
            }
            self.try_halving(halving, start, depth, frame, way)?;
        }
        frame.halvings = halvings;
        Ok(SolvedHull::Stored(self.table.insert(part.key, &frame.best)))
    }

    /// Without looking into the table: an impure side needs two leaves for no error.
    fn is_hopeless(&self, halving: &Halving<S>, frame: &mut SearchFrame<S>) -> bool {
        at_best(halving.left_error, &mut frame.left);
        at_best(halving.right_error, &mut frame.right);
        let front = self.front;
        front.sum(&frame.left, &frame.right, 0, &mut frame.candidate);
        front.is_dominated(&frame.candidate, &frame.best)
    }

    /// Solves the sides as far as it may help, and takes the split in.
    fn try_halving(
        &self,
        halving: &Halving<S>,
        start: usize,
        depth: usize,
        frame: &mut SearchFrame<S>,
        way: &mut SearchStack<S>,
    ) -> Result<(), Stopped> {
        let mut left = self.solved_before(&halving.left, halving.left_error);
        let mut right = self.solved_before(&halving.right, halving.right_error);
        loop {
            match left {
                Some(best) => self.vertices(best, &mut frame.left),
                None => at_best(halving.left_error, &mut frame.left),
            }
            match right {
                Some(best) => self.vertices(best, &mut frame.right),
                None => at_best(halving.right_error, &mut frame.right),
            }
            let front = self.front;
            front.sum(&frame.left, &frame.right, 0, &mut frame.candidate);
            if self.limits.switches.lower_bounds
                && front.is_dominated(&frame.candidate, &frame.best)
            {
                return Ok(());
            }
            // The smaller of the sides that are not solved yet, or both at once.
            let is_left_smaller = halving.left.n_points <= halving.right.n_points;
            match (left, right) {
                (Some(_), Some(_)) => break,
                (None, None) if self.are_both_large(halving) => {
                    let both = self.solve_both(halving, start, depth, way)?;
                    (left, right) = (Some(both.0), Some(both.1));
                }
                (None, _) if right.is_some() || is_left_smaller => {
                    left = Some(self.solve_side(halving, false, start, depth, way)?);
                }
                _ => right = Some(self.solve_side(halving, true, start, depth, way)?),
            }
        }
        self.front
            .union(&frame.best, &frame.candidate, &mut frame.merged);
        std::mem::swap(&mut frame.best, &mut frame.merged);
        Ok(())
    }

    /// Solves one side of a split of the points `members[start..]`.
    fn solve_side(
        &self,
        halving: &Halving<S>,
        is_right: bool,
        start: usize,
        depth: usize,
        way: &mut SearchStack<S>,
    ) -> Result<SolvedHull, Stopped> {
        let end = way.members.len();
        self.push_side(halving, is_right, start, end, way);
        let part = halving.side(usize::from(is_right));
        let result = self.solve(part, end, depth + 1, way);
        way.members.truncate(end);
        result
    }

    /// Solves both sides of a split side by side.
    fn solve_both(
        &self,
        halving: &Halving<S>,
        start: usize,
        depth: usize,
        way: &mut SearchStack<S>,
    ) -> Result<(SolvedHull, SolvedHull), Stopped> {
        let mut other = SearchStack::new(self.side(halving, true, &way.members[start..]));
        let (left, right) = rayon::join(
            || self.solve_side(halving, false, start, depth, way),
            || self.solve(&halving.right, 0, 0, &mut other),
        );
        way.work += other.work;
        Ok((left?, right?))
    }

    /// Checks now and then whether time or memory is spent; there may be another table.
    pub(crate) fn check(
        &self,
        part: &PointSet<S>,
        way: &mut SearchStack<S>,
        other: Option<&SolvedSets>,
    ) -> Result<(), Stopped> {
        // A set takes some work however few its points are.
        way.work += (u64::from(part.n_points) + 8) * self.fields.len() as u64;
        if way.work < self.limits.switches.check_every {
            return Ok(());
        }
        let work = self.work.fetch_add(way.work, Ordering::Relaxed) + way.work;
        way.work = 0;
        let sum = |of: fn(&SolvedSets) -> usize| of(&self.table) + other.map_or(0, of);
        let (states, bytes) = (sum(SolvedSets::len), sum(SolvedSets::bytes));
        if work > self.limits.most_work {
            return Err(Stopped);
        }
        self.limits.check(states, bytes)
    }

    /// The Gini impurity of a set, times its weight. Losses of 0 and 1 are taken for granted: then the
    /// weight of a class is what all others have to lose by it.
    pub(crate) fn impurity(&self, part: &PointSet<S>) -> f64 {
        let losses = (0..self.n_classes).map(|class| part.losses.of(class) as f64);
        let weight = losses.clone().sum::<f64>() / (self.n_classes as f64 - 1.0).max(1.0);
        if weight <= 0.0 {
            return 0.0;
        }
        let squares: f64 = losses.map(|loss| (weight - loss).powi(2)).sum();
        weight - squares / weight
    }
}

/// A lower bound of the hull of a side that is not solved.
pub(crate) fn at_best(error: u64, out: &mut Vec<Vertex>) {
    out.clear();
    out.push(vertex(1, error));
    if error > 0 {
        out.push(vertex(2, 0));
    }
}

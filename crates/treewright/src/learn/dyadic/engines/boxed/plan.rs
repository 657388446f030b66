//! The tree of a vertex in the boxed model.

use super::{Boxed, BoxedStack, Levels};
use crate::learn::dyadic::deadline::Stopped;
use crate::learn::dyadic::engines::collapsed::{Halving, LossSums, PointSet};
use crate::learn::dyadic::engines::{Engine, KnownPlans};
use crate::learn::dyadic::frontier::{Vertex, two_that_add_up, vertex};
use crate::learn::dyadic::plan::{HalvingPlan, halve, zoomed};

impl<S: LossSums, const W: usize> Engine for Boxed<S, W> {
    fn hull(&self) -> Result<Vec<Vertex>, Stopped> {
        let mut way = BoxedStack::new(self.collapsed.way());
        let mut vertices = Vec::new();
        let whole = self.collapsed.whole();
        let best = self.solve(&whole, &self.whole_box(), 0, 0, &mut way)?;
        self.vertices(best, &mut vertices);
        Ok(vertices)
    }

    fn plan(&self, target: Vertex, known: &mut KnownPlans) -> HalvingPlan {
        let (whole, members) = (self.collapsed.whole(), self.collapsed.way().members);
        self.plan_of(&whole, &self.whole_box(), &members, target, known)
    }

    fn greedy(&self) -> Vec<(Vertex, HalvingPlan)> {
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

impl<S: LossSums, const W: usize> Boxed<S, W> {
    /// The tree of a vertex: the first split that makes it, or the first coordinate that is zoomed into.
    fn plan_of(
        &self,
        part: &PointSet<S>,
        levels: &Levels,
        members: &[u32],
        target: Vertex,
        known: &mut KnownPlans,
    ) -> HalvingPlan {
        if target.leaves == 1 {
            return HalvingPlan::Leaf;
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
            unreachable!("a vertex of the hull has a move that makes it");
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
        target: Vertex,
        known: &mut KnownPlans,
    ) -> Option<HalvingPlan> {
        let empty = self.empty_leaves(halving, levels);
        let mut inside = levels.clone();
        inside[halving.coordinate as usize] = self.level(halving) as u8 + 1;
        let sides = [false, true].map(|side| self.collapsed.side(halving, side, members));
        let mut hulls = [Vec::new(), Vec::new()];
        for (side, hull) in hulls.iter_mut().enumerate() {
            // The sides of a split that makes a vertex were solved when it did.
            let best = self.known(halving.side(side), &inside, &sides[side])?;
            self.vertices(best, hull);
        }
        let targets = two_that_add_up(&hulls, vertex(target.leaves - empty, target.error))?;
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
        part: &PointSet<S>,
        levels: &Levels,
        members: &[u32],
        target: Vertex,
        known: &mut KnownPlans,
    ) -> Option<HalvingPlan> {
        let empty = self.empty_leaves(halving, levels);
        if empty == 0 {
            return None;
        }
        let mut inside = levels.clone();
        inside[halving.coordinate as usize] = self.level(halving) as u8;
        let mut hull = Vec::new();
        let best = self.known(part, &inside, members)?;
        self.vertices(best, &mut hull);
        let target = vertex(target.leaves - empty, target.error);
        let is_there = hull.contains(&target);
        is_there.then(|| self.plan_of(part, &inside, members, target, known))
    }
}

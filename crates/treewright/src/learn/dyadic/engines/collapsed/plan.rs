//! The tree of a vertex, found again in the solved sets.

use super::Collapsed;
use super::halving::Halving;
use super::loss_sums::LossSums;
use super::point_set::PointSet;
use crate::learn::dyadic::deadline::Stopped;
use crate::learn::dyadic::engines::{Engine, KnownPlans};
use crate::learn::dyadic::frontier::{Vertex, two_that_add_up};
use crate::learn::dyadic::plan::{HalvingPlan, halve};

impl<S: LossSums, const W: usize> Engine for Collapsed<S, W> {
    fn hull(&self) -> Result<Vec<Vertex>, Stopped> {
        let mut vertices = Vec::new();
        let best = self.solve(&self.whole(), 0, 0, &mut self.way())?;
        self.vertices(best, &mut vertices);
        Ok(vertices)
    }

    fn plan(&self, target: Vertex, known: &mut KnownPlans) -> HalvingPlan {
        self.plan_of(&self.whole(), &self.way().members, target, known)
    }

    fn greedy(&self) -> Vec<(Vertex, HalvingPlan)> {
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

impl<S: LossSums, const W: usize> Collapsed<S, W> {
    /// The tree of a vertex. The first split that makes it is the first also in a search that has solved
    /// other sets: a split whose sides are not known here was dominated when it was its turn, so it does
    /// not make the vertex.
    fn plan_of(
        &self,
        part: &PointSet<S>,
        members: &[u32],
        target: Vertex,
        known: &mut KnownPlans,
    ) -> HalvingPlan {
        if target.leaves == 1 {
            return HalvingPlan::Leaf;
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
            unreachable!("a vertex of the hull has a split that makes it");
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

    /// The vertices of both sides that together make a vertex, if there are any.
    fn targets(&self, halving: &Halving<S>, target: Vertex) -> Option<[Vertex; 2]> {
        let mut hulls = [Vec::new(), Vec::new()];
        let errors = [halving.left_error, halving.right_error];
        for (side, hull) in hulls.iter_mut().enumerate() {
            let best = self.known(halving.side(side), errors[side])?;
            self.vertices(best, hull);
        }
        two_that_add_up(&hulls, target)
    }
}

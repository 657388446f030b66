//! Trees of halvings, and the trees that are built from them.

mod build_tree;

use std::fmt::Debug;
use std::sync::Arc;

pub(crate) use self::build_tree::PlanToTree;

use crate::learn::dyadic::frontier::{Vertex, vertex};
use crate::learn::dyadic::problem::Points;

/// A tree of halvings, without the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HalvingPlan {
    Leaf,
    Halve {
        /// Which of the coordinates that are halved.
        coordinate: usize,
        /// How often it was halved before, on the way from the whole box.
        level: u32,
        /// The bits of these halvings.
        prefix: u32,
        /// Shared between plans that have them in common.
        sides: Arc<[HalvingPlan; 2]>,
    },
}

pub(crate) fn halve(
    coordinate: u32,
    level: u32,
    prefix: u32,
    sides: [HalvingPlan; 2],
) -> HalvingPlan {
    HalvingPlan::Halve {
        coordinate: coordinate as usize,
        level,
        prefix,
        sides: Arc::new(sides),
    }
}

/// Puts `empty` halvings with an empty side each before a plan whose points have the bits `prefix`.
pub(crate) fn zoomed(
    coordinate: u32,
    plan: HalvingPlan,
    empty: u32,
    level: u32,
    prefix: u32,
) -> HalvingPlan {
    (1..=empty).fold(plan, |plan, up| {
        let (level, prefix, bit) = (level - up, prefix >> up, prefix >> (up - 1) & 1);
        let mut sides = [HalvingPlan::Leaf, HalvingPlan::Leaf];
        sides[bit as usize] = plan;
        halve(coordinate, level, prefix, sides)
    })
}

impl HalvingPlan {
    /// Leaves and error of the tree.
    pub(crate) fn figures(&self, points: &Points) -> Vertex {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        self.figures_of(points, &all)
    }

    fn figures_of(&self, points: &Points, members: &[u32]) -> Vertex {
        let Self::Halve {
            coordinate,
            level,
            sides,
            ..
        } = self
        else {
            return vertex(1, points.least_loss_of(members));
        };
        let is_right = |member: &u32| points.is_right(*member as usize, *coordinate, *level);
        let (right, left): (Vec<u32>, Vec<u32>) = members.iter().partition(|it| is_right(it));
        let left = sides[0].figures_of(points, &left);
        let right = sides[1].figures_of(points, &right);
        vertex(left.leaves + right.leaves, left.error + right.error)
    }
}

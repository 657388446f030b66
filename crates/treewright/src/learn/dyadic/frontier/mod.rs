//! What is kept of all trees for a set of points: those that are best at something.
//!
//! Either for an alpha, then it is a hull (see `hull`); or for a number of leaves, then it is a
//! staircase: for each number of leaves that pays off, the least error. A staircase has more vertices, and
//! it answers every question about sizes that a hull cannot: the best tree with `k` leaves, and the best
//! one for a penalty that is not concave.

mod alpha;
mod hull;
mod staircase;
mod vertex;

pub(crate) use self::alpha::{Alpha, LeastAlpha};
pub(crate) use self::vertex::{Vertex, two_that_add_up, vertex};

use self::staircase::{is_above_stairs, sum_of_stairs, union_of_stairs};

/// What a tree must be best at to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frontier {
    /// Some alpha from here on.
    Hull(LeastAlpha),
    /// Some number of leaves up to this.
    Stairs(u32),
}

impl Frontier {
    /// Is one leaf all that is of interest for points with this error?
    pub(crate) fn is_leaf(self, error: u64) -> bool {
        match self {
            Self::Hull(least) => !least.is_worth(error, 1),
            Self::Stairs(most_leaves) => error == 0 || most_leaves <= 1,
        }
    }

    /// The best of all pairs of a tree of `a` and one of `b`, with `extra` more leaves.
    pub(crate) fn sum(self, a: &[Vertex], b: &[Vertex], extra: u32, out: &mut Vec<Vertex>) {
        match self {
            Self::Hull(_) => hull::sum(a, b, extra, out),
            Self::Stairs(most_leaves) => sum_of_stairs(a, b, extra, most_leaves, out),
        }
    }

    /// The best of both.
    pub(crate) fn union(self, a: &[Vertex], b: &[Vertex], out: &mut Vec<Vertex>) {
        match self {
            Self::Hull(least) => hull::union(a, b, least, out),
            Self::Stairs(most_leaves) => union_of_stairs(a, b, most_leaves, out),
        }
    }

    /// Does a candidate add nothing to the best?
    pub(crate) fn is_dominated(self, candidate: &[Vertex], best: &[Vertex]) -> bool {
        match self {
            Self::Hull(least) => hull::is_dominated(candidate, best, least),
            Self::Stairs(most_leaves) => is_above_stairs(candidate, best, most_leaves),
        }
    }
}

//! Leaves and error of a tree: a vertex of a hull, or a step of a staircase.

use std::fmt::Debug;

/// Leaves and error of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Vertex {
    pub(crate) leaves: u32,
    pub(crate) error: u64,
}

/// A vertex.
pub(crate) const fn vertex(leaves: u32, error: u64) -> Vertex {
    Vertex { leaves, error }
}

/// Vertices of two hulls that add up to a third, the first with the fewest leaves.
pub(crate) fn two_that_add_up(hulls: &[Vec<Vertex>; 2], target: Vertex) -> Option<[Vertex; 2]> {
    hulls[0].iter().find_map(|&left| {
        let leaves = target.leaves.checked_sub(left.leaves)?;
        let right = vertex(leaves, target.error.checked_sub(left.error)?);
        hulls[1].contains(&right).then_some([left, right])
    })
}

//! Sets of points by their figures: key, losses and size.

use super::loss_sums::LossSums;
use crate::learn::dyadic::engines::keys::Key;

/// One point, with a random number that is its share in the keys of sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point<S: LossSums, const W: usize> {
    pub(super) key: Key,
    pub(super) code: [u64; W],
    pub(super) losses: S,
}

/// A set of points, without saying where they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointSet<S: LossSums> {
    pub(crate) key: Key,
    pub(super) losses: S,
    pub(crate) n_points: u32,
}

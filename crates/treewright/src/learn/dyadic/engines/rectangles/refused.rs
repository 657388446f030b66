//! The split that came closest to being made, for the heuristic search over alphas.

use crate::learn::dyadic::frontier::{Alpha, Vertex};

/// The split that came closest to being made: of all rectangles that were left a leaf though some tree was
/// tried, the largest saving of error by the best such tree for each leaf that it adds. It is below the
/// alpha.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Refused(Option<Alpha>);

impl Refused {
    /// That saving for each leaf, as an alpha.
    pub(crate) fn alpha(self) -> Option<Alpha> {
        self.0
    }

    /// A tree was tried for a rectangle that is left a leaf at this alpha.
    pub(crate) fn note(&mut self, leaf: Vertex, tree: Vertex, alpha: Alpha) {
        let ratio = Alpha {
            numerator: leaf.error - tree.error,
            denominator: u64::from(tree.leaves - 1),
        };
        let is_largest = self.0.is_none_or(|before| ratio.is_above(before));
        if ratio.numerator > 0 && is_largest && alpha.is_above(ratio) {
            self.0 = Some(ratio);
        }
    }
}

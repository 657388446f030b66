//! What a tree is worth, as one whole number.
//!
//! The objective is `cost + leaf_cost * leaves`, and of equal ones the tree with fewer leaves is better. Both
//! together are one sum over the leaves: a leaf is worth its loss and a price, each times a number that is
//! larger than there can be leaves, and one more. So trees are compared by comparing whole numbers.

use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::cost::{Lambda, Scale};
use crate::error::{Error, Result};

/// What losses and leaves are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Price {
    per_loss: u64,
    pub(super) per_leaf: u64,
    /// More than there can be leaves.
    much: u64,
}

impl Price {
    pub(super) fn new(
        leaf_cost: &Lambda,
        scale: Scale,
        n_rows: usize,
        most_loss: u64,
    ) -> Result<Self> {
        let exact = |number| BigRational::from_float(number).expect("a scale is finite");
        let price = leaf_cost.ratio() * exact(scale.total_weight) / exact(scale.unit);
        let much = (n_rows as u64 + 1).next_power_of_two();
        let price = || {
            let per_loss = price.denom().to_u64()?.checked_mul(much)?;
            let per_leaf = price.numer().to_u64()?.checked_mul(much)?.checked_add(1)?;
            let all = per_loss.checked_mul(most_loss + 1)?;
            let all = all.checked_add(per_leaf.checked_mul(n_rows as u64 + 1)?)?;
            (all < u64::MAX / 4).then_some(Self {
                per_loss,
                per_leaf,
                much,
            })
        };
        price().ok_or_else(|| {
            let expected = "a smaller number, or one with fewer digits";
            Error::parameter("leaf-cost", leaf_cost, expected)
        })
    }

    /// The value of a leaf with this loss.
    pub(super) fn leaf(self, loss: u64) -> u64 {
        self.loss(loss) + self.per_leaf
    }

    /// The value of a loss.
    pub(super) fn loss(self, loss: u64) -> u64 {
        self.per_loss * loss
    }

    /// Loss and leaf prices of a value, in units of loss; the leaves that only break ties are left out.
    pub(super) fn in_losses(self, value: u64) -> f64 {
        (value / self.much) as f64 / (self.per_loss / self.much) as f64
    }
}

//! The value of a tree as one whole number.
//!
//! The objective is `cost + leaf_cost * leaves`, and of equal ones the tree with fewer leaves is better. Both
//! together are one sum over the leaves: a leaf has its loss and the cost of a leaf, each times a number larger than
//! there can be leaves, and one more. So trees are compared by comparing whole numbers.

use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};

use super::rows::RowSet;
use crate::cost::{Lambda, Scale, SolutionValue};
use crate::error::{Error, Result};

/// A total of weights this close to a short number, relative to its size, is that number.
const CLOSE: f64 = 1e-12;
/// The cost of a leaf is rounded to this many bits behind the point, or fewer where they do not fit.
const MOST_BITS: i32 = 40;

/// What losses and leaves are worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueEncoding {
    per_loss: u64,
    per_leaf: u64,
    /// More than there can be leaves.
    much: u64,
    /// How far the cost of a leaf may be off by rounding, in units of loss; 0 where losses are exact.
    off_by: f64,
}

/// How large values can become.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueSize {
    n_rows: usize,
    most_loss: u64,
}

impl ValueSize {
    /// Values of trees for some rows.
    pub(crate) fn new(rows: &RowSet) -> Self {
        Self {
            n_rows: rows.len(),
            most_loss: rows.weight(),
        }
    }
}

impl ValueEncoding {
    #[inline]
    pub(crate) fn per_loss(self) -> u64 {
        self.per_loss
    }

    #[inline]
    pub(crate) fn per_leaf(self) -> u64 {
        self.per_leaf
    }

    #[inline]
    pub(crate) fn off_by(self) -> f64 {
        self.off_by
    }

    /// Encodes the cost of a leaf. It is rounded where losses are not exact either, or where its digits are too many.
    pub(crate) fn new(
        leaf_cost: &Lambda,
        scale: Scale,
        is_whole: bool,
        size: ValueSize,
    ) -> Result<Self> {
        let in_losses = |total| leaf_cost.ratio() * exact(total) / exact(scale.unit);
        let encoding = leaf_cost.ratio() / scale.ratio();
        let near = if is_whole || scale.is_ratio() {
            encoding.clone()
        } else {
            in_losses(short(scale.total_weight))
        };
        let rounded = (0..=MOST_BITS).rev().map(|bits| rounded(&encoding, bits));
        let mut all = std::iter::once(Some(near)).chain(rounded).flatten();
        let found = all.find_map(|near| {
            let off_by = (&near - &encoding).abs().to_f64()?;
            Some(Self {
                off_by,
                ..Self::of(&near, size)?
            })
        });
        found.ok_or_else(|| {
            let expected = "a smaller number, or one with fewer digits";
            Error::parameter("leaf-cost", leaf_cost, expected)
        })
    }

    /// This cost exactly, if no value becomes too large.
    fn of(encoding: &BigRational, size: ValueSize) -> Option<Self> {
        let much = (size.n_rows as u64 + 1).next_power_of_two();
        let per_loss = encoding.denom().to_u64()?.checked_mul(much)?;
        let per_leaf = encoding
            .numer()
            .to_u64()?
            .checked_mul(much)?
            .checked_add(1)?;
        let all = per_loss.checked_mul(size.most_loss + 1)?;
        let all = all.checked_add(per_leaf.checked_mul(size.n_rows as u64 + 1)?)?;
        (all < u64::MAX / 4).then_some(Self {
            per_loss,
            per_leaf,
            much,
            off_by: 0.0,
        })
    }

    /// Is the cost of a leaf exactly this, in units of loss?
    pub(crate) fn is_exactly(self, encoding: &BigRational) -> bool {
        BigRational::new((self.per_leaf - 1).into(), self.per_loss.into()) == *encoding
    }

    /// The value of a leaf with this loss.
    pub(crate) fn leaf(self, loss: u64) -> u64 {
        self.loss(loss) + self.per_leaf
    }

    /// The value of a tree; `constant` is the part of its cost that is the same for all trees.
    pub(crate) fn tree(self, tree: SolutionValue, constant: i64) -> u64 {
        self.loss((tree.cost - constant) as u64) + self.per_leaf * tree.leaves as u64
    }

    /// Is the objective of a tree that of the least value, up to a loss of `slack`? Leaves that only break ties do
    /// not count.
    pub(crate) fn is_as_good(self, value: u64, least: u64, slack: u64) -> bool {
        value / self.much <= least.saturating_add(self.loss(slack)) / self.much
    }

    /// The value of a loss.
    pub(crate) fn loss(self, loss: u64) -> u64 {
        self.per_loss * loss
    }

    /// The loss of a value, where leaves cost nothing: they only break ties.
    pub(crate) fn loss_of(self, value: u64) -> u64 {
        value / self.per_loss
    }

    /// The leaves of a value.
    pub(crate) fn leaves(self, value: u64) -> u64 {
        value % self.much
    }

    /// Loss and leaf costs of a value, in units of loss; the leaves that only break ties are left out. `constant` is
    /// the loss that all trees have. It may be nearly as large as the value and of the other sign, so the sum is exact.
    pub(crate) fn in_losses(self, value: u64, constant: i64) -> f64 {
        let per_loss = self.per_loss / self.much;
        let sum = i128::from(value / self.much) + i128::from(constant) * i128::from(per_loss);
        sum as f64 / per_loss as f64
    }
}

fn exact(number: f64) -> BigRational {
    BigRational::from_float(number).expect("a scale is finite")
}

/// The sum of decimals, without what rounding has added far behind the point.
fn short(total: f64) -> f64 {
    let short = (total * 1024.0).round() / 1024.0;
    if (short - total).abs() <= CLOSE * total {
        short
    } else {
        total
    }
}

fn rounded(encoding: &BigRational, bits: i32) -> Option<BigRational> {
    let factor = 2.0_f64.powi(bits);
    BigRational::from_float((encoding.to_f64()? * factor).round() / factor)
}

//! The weight of a leaf, exactly.
//!
//! The objective of a tree is `error + alpha * leaves`, with the error in whole units of loss. So alpha is lambda in
//! these units: a ratio of two whole numbers.

use std::cmp::Ordering;

/// An alpha as a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alpha {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
}

impl Alpha {
    /// All vertices matter but those that save nothing.
    pub(crate) const ZERO: Self = Self {
        numerator: 0,
        denominator: 1,
    };

    /// A leaf costs as much as the least loss there is: lower alphas are hardly more work.
    pub(crate) const ONE: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    /// The alpha divided by two this many times.
    pub(crate) fn halved(self, times: u32) -> Self {
        match self.denominator.checked_mul(1 << times) {
            Some(denominator) => Self {
                denominator,
                ..self
            },
            None => Self {
                numerator: self.numerator >> times,
                ..self
            },
        }
    }

    /// What this many leaves cost, rounded down.
    pub(crate) fn of(self, leaves: u32) -> u128 {
        u128::from(leaves) * u128::from(self.numerator) / u128::from(self.denominator)
    }

    /// The nearest double.
    pub(crate) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Is this alpha above another?
    pub(crate) fn is_above(self, other: Self) -> bool {
        u128::from(self.numerator) * u128::from(other.denominator)
            > u128::from(other.numerator) * u128::from(self.denominator)
    }

    /// Compares a saving of `error` for `leaves` more leaves with their alpha.
    fn compare(self, error: u64, leaves: u32) -> Ordering {
        let saved = u128::from(error) * u128::from(self.denominator);
        saved.cmp(&(u128::from(leaves) * u128::from(self.numerator)))
    }
}

/// The least alpha of interest: vertices that are best only below it are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeastAlpha {
    alpha: Alpha,
    /// Does a vertex stay that is best at this alpha too, beside a smaller one?
    pub(super) with_ties: bool,
}

impl LeastAlpha {
    /// Only what is better than all smaller trees at some alpha above this one.
    pub(crate) fn above(alpha: Alpha) -> Self {
        Self {
            alpha,
            with_ties: false,
        }
    }

    /// Also what is as good as smaller trees at this very alpha.
    pub(crate) fn with_ties(alpha: Alpha) -> Self {
        Self {
            alpha,
            // Without an alpha everything would be worth its leaves.
            with_ties: alpha.numerator > 0,
        }
    }

    /// The alpha itself.
    pub(crate) fn alpha(self) -> Alpha {
        self.alpha
    }

    /// Is a saving of `error` for `leaves` more leaves worth it?
    pub(crate) fn is_worth(self, error: u64, leaves: u32) -> bool {
        let order = self.alpha.compare(error, leaves);
        order.is_gt() || self.with_ties && order.is_eq()
    }
}

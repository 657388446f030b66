//! Cost plus weighted penalty, and the one comparison with its tie rule.
//!
//! Trees are compared in units of cost: `units + alpha * penalty(leaves)` with the ratio
//! `alpha = lambda * total_weight / unit`. That is the objective times a positive constant, and for
//! linear penalties it takes two products of whole numbers.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::exact::sign::{quick, sign};
use super::{Lambda, Penalty};

/// What an exact search carries and compares: the cost of a tree in [`Units`](super::Units) and its
/// number of leaves, at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolutionValue {
    /// Cost, in units.
    pub cost: i64,
    /// Number of leaves.
    pub leaves: usize,
}

/// What a unit of cost is worth: the cost of the file formats is `units * unit / total_weight`.
///
/// Both numbers must be finite and positive. Exact comparisons take 1 for one that is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Size of a unit: a power of two, or rounded.
    pub unit: f64,
    /// Total weight of the rows that the costs come from; positive.
    pub total_weight: f64,
    /// Two numbers whose ratio is that of the others, where these are rounded.
    exact: Option<[u128; 2]>,
}

impl Scale {
    /// A scale of two numbers that are exact.
    pub const fn new(unit: f64, total_weight: f64) -> Self {
        Self {
            unit,
            total_weight,
            exact: None,
        }
    }

    /// A scale whose unit, divided by the total weight, is a ratio of two whole numbers; `None` if these have more than
    /// 128 bits.
    pub(crate) fn of_ratio(unit: &BigRational, total_weight: &BigRational) -> Option<Self> {
        let ratio = unit / total_weight;
        Some(Self {
            unit: unit.to_f64()?,
            total_weight: total_weight.to_f64()?,
            exact: Some([ratio.numer().to_u128()?, ratio.denom().to_u128()?]),
        })
    }

    /// The cost as files and reports have it: divided by the total weight.
    pub fn cost(&self, units: i64) -> f64 {
        /// Whole numbers up to this are exact as doubles.
        const LARGEST_WHOLE: u128 = 1 << 53;
        let Some([above, below]) = self.exact else {
            return units as f64 * self.unit / self.total_weight;
        };
        let whole = u128::from(units.unsigned_abs()).checked_mul(above);
        match whole.filter(|&whole| whole <= LARGEST_WHOLE && below <= LARGEST_WHOLE) {
            Some(whole) if units >= 0 => whole as f64 / below as f64,
            _ => {
                let cost = self.ratio() * BigInt::from(units);
                cost.to_f64().unwrap_or(f64::INFINITY)
            }
        }
    }

    /// Is a cost in units, divided by the total weight, at most `most`? Exact, but for one kindness: a
    /// cost is also at most the number that is printed for it, even where that was rounded down.
    pub fn is_at_most(&self, units: i64, most: &Lambda) -> bool {
        let cost = self.ratio() * BigRational::from_integer(units.into());
        let printed = || self.cost(units).to_string().parse::<Lambda>();
        cost <= *most.ratio() || printed().is_ok_and(|printed| printed <= *most)
    }

    /// The same scale, with 1 for a number that is not finite and positive.
    pub(super) fn tamed(self) -> Self {
        let tamed = |number: f64| {
            if number.is_finite() && number > 0.0 {
                number
            } else {
                1.0
            }
        };
        Self {
            unit: tamed(self.unit),
            total_weight: tamed(self.total_weight),
            exact: self.exact,
        }
    }

    /// Is it more exact than its two numbers?
    pub(crate) fn is_ratio(self) -> bool {
        self.exact.is_some()
    }

    /// `unit / total_weight`, exactly.
    pub(crate) fn ratio(self) -> BigRational {
        if let Some([above, below]) = self.exact {
            return BigRational::new(above.into(), below.into());
        }
        let Self {
            unit, total_weight, ..
        } = self.tamed();
        let exact = |number| BigRational::from_float(number).expect("a tamed number is finite");
        exact(unit) / exact(total_weight)
    }
}

/// `cost + lambda * penalty(leaves)`, ready to compare trees.
#[derive(Debug, Clone)]
pub struct Objective {
    lambda: Lambda,
    penalty: Penalty,
    scale: Scale,
    /// The nearest double to `lambda`.
    weight: f64,
    alpha: BigRational,
    /// Numerator and denominator of `alpha`, if the penalty is linear and they are short enough.
    linear_alpha: Option<(i128, i128)>,
    /// The nearest double to `alpha`; NaN if that is too large or small to compute with.
    rounded_alpha: f64,
}

impl Objective {
    /// The objective for a weight of the penalty.
    pub fn new(lambda: Lambda, penalty: Penalty, scale: Scale) -> Self {
        let alpha = lambda.ratio() / scale.ratio();
        let rounded = alpha.to_f64().unwrap_or(f64::NAN);
        let is_safe =
            rounded == 0.0 && lambda == Lambda::zero() || (1e-200..1e200).contains(&rounded);
        let ratio = alpha.numer().to_i128().zip(alpha.denom().to_i128());
        Self {
            weight: lambda.to_f64(),
            linear_alpha: ratio.filter(|_| penalty.is_linear()),
            rounded_alpha: if is_safe { rounded } else { f64::NAN },
            lambda,
            penalty,
            scale,
            alpha,
        }
    }

    /// The weight of the penalty.
    pub fn lambda(&self) -> &Lambda {
        &self.lambda
    }

    /// The penalty.
    pub fn penalty(&self) -> &Penalty {
        &self.penalty
    }

    /// What a unit of cost is worth.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Which of two trees is better (`Less`): the smaller objective, then fewer leaves. Exact.
    pub fn compare(&self, a: SolutionValue, b: SolutionValue) -> Ordering {
        let cost = a.cost.cmp(&b.cost);
        let leaves = a.leaves.cmp(&b.leaves);
        if cost != leaves.reverse() || cost == Ordering::Equal {
            // The penalty rises strictly: one tree is at least as good in both respects.
            return cost.then(leaves);
        }
        self.compare_objectives(a, b).then(leaves)
    }

    /// Which of two trees has the smaller objective, whatever their leaves. Exact.
    pub fn compare_values(&self, a: SolutionValue, b: SolutionValue) -> Ordering {
        let cost = a.cost.cmp(&b.cost);
        let leaves = a.leaves.cmp(&b.leaves);
        if self.lambda == Lambda::zero() || leaves == Ordering::Equal {
            return cost;
        }
        if cost == leaves.reverse() {
            return self.compare_objectives(a, b);
        }
        leaves
    }

    /// The sign of the difference of the objectives of two trees of different cost.
    fn compare_objectives(&self, a: SolutionValue, b: SolutionValue) -> Ordering {
        let cost = i128::from(a.cost) - i128::from(b.cost);
        if let Some((numerator, denominator)) = self.linear_alpha
            && let leaves = b.leaves as i128 - a.leaves as i128
            && let Some(cost) = cost.checked_mul(denominator)
            && let Some(penalty) = leaves.checked_mul(numerator)
        {
            return cost.cmp(&penalty);
        }
        let alpha = self.rounded_alpha;
        let penalties = [
            (alpha, self.penalty.at(a.leaves)),
            (-alpha, self.penalty.at(b.leaves)),
        ];
        quick(cost as f64, penalties).unwrap_or_else(|| self.compare_exactly(cost, a, b))
    }

    #[cold]
    fn compare_exactly(&self, cost: i128, a: SolutionValue, b: SolutionValue) -> Ordering {
        let constant = self.alpha.denom() * BigInt::from(cost);
        let numerator = self.alpha.numer();
        let terms = [(numerator.clone(), a.leaves), (-numerator, b.leaves)];
        sign(&self.penalty, &constant, &terms)
    }

    /// The objective of a tree, as a double.
    pub fn value(&self, tree: SolutionValue) -> f64 {
        self.scale.cost(tree.cost) + self.weight * self.penalty.at(tree.leaves)
    }
}

#[cfg(test)]
mod tests;

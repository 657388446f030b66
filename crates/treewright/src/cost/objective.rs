//! Cost plus weighted penalty, and the one comparison with its tie rule.

use std::cmp::Ordering;

use num_rational::BigRational;

use super::{Lambda, Penalty};

/// What an exact search carries and compares: the cost of a tree in [`Units`](super::Units) and its
/// number of leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolutionValue {
    /// Cost, in units.
    pub cost: i64,
    /// Number of leaves.
    pub leaves: usize,
}

/// What a unit of cost is worth: the cost of the file formats is `units * unit / total_weight`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Size of a unit, a power of two.
    pub unit: f64,
    /// Total weight of the rows that the costs come from; positive.
    pub total_weight: f64,
}

impl Scale {
    /// The cost as files and reports have it: divided by the total weight.
    pub fn cost(&self, units: i64) -> f64 {
        units as f64 * self.unit / self.total_weight
    }

    /// Is a cost in units, divided by the total weight, at most `most`? Exact.
    pub fn is_at_most(&self, units: i64, most: &Lambda) -> bool {
        let ratio = |number| BigRational::from_float(number).unwrap_or_default();
        let cost = BigRational::from_integer(units.into()) * ratio(self.unit);
        cost <= most.ratio() * ratio(self.total_weight)
    }
}

/// `cost + lambda * penalty(leaves)`, ready to compare trees.
#[derive(Debug, Clone)]
pub struct Objective {
    lambda: Lambda,
    penalty: Penalty,
    scale: Scale,
}

impl Objective {
    /// The objective for a weight of the penalty.
    pub fn new(lambda: Lambda, penalty: Penalty, scale: Scale) -> Self {
        Self {
            lambda,
            penalty,
            scale,
        }
    }

    /// Which of two trees is better (`Less`): the smaller objective, then fewer leaves. Exact.
    pub fn compare(&self, a: SolutionValue, b: SolutionValue) -> Ordering {
        self.value(a)
            .total_cmp(&self.value(b))
            .then(a.leaves.cmp(&b.leaves))
    }

    /// The objective of a tree, as a double.
    pub fn value(&self, tree: SolutionValue) -> f64 {
        self.scale.cost(tree.cost) + self.lambda.to_f64() * self.penalty.at(tree.leaves)
    }
}

//! What answers cost, in whole numbers.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::numbers::{Ratio, decimal};
use crate::read::model::Model;

/// Costs of answers over one common part: sums of fractions would spend their time on common divisors.
#[derive(Debug, Clone)]
pub(crate) struct WholeCosts {
    /// What sums of weights are multiplied by, for each class, to get parts of 1.
    factors: Vec<BigInt>,
    parts_of_weight: BigInt,
    /// Costs by true class and answer, in parts of 1; `None` if they are 0 for the true class and 1 for all others.
    matrix: Option<Vec<Vec<BigInt>>>,
    parts_of_cost: BigInt,
}

/// Weights by class, in parts of 1.
pub(crate) struct Weights {
    of_class: Vec<BigInt>,
    total: BigInt,
    per_one: BigInt,
}

impl Weights {
    pub(crate) fn of(weights: &[Ratio]) -> Self {
        let (of_class, per_one) = over_common_part(weights);
        Self {
            total: of_class.iter().sum(),
            of_class,
            per_one,
        }
    }
}

impl WholeCosts {
    pub(crate) fn new(model: &Model, factors: &[Ratio], per_one: &BigInt) -> Self {
        let (factors, of_factors) = over_common_part(factors);
        let costs = model.target.costs.iter().flatten().flatten();
        let costs: Vec<Ratio> = costs.map(|&cost| decimal(cost)).collect();
        let (costs, parts_of_cost) = over_common_part(&costs);
        let rows = costs.chunks(factors.len());
        Self {
            parts_of_weight: per_one * of_factors,
            matrix: (!costs.is_empty()).then(|| rows.map(<[BigInt]>::to_vec).collect()),
            parts_of_cost,
            factors,
        }
    }

    pub(crate) fn weights(&self, sums: &[BigInt]) -> Weights {
        let weights = sums.iter().zip(&self.factors);
        let of_class: Vec<BigInt> = weights.map(|(sum, factor)| sum * factor).collect();
        Weights {
            total: of_class.iter().sum(),
            of_class,
            per_one: self.parts_of_weight.clone(),
        }
    }

    /// What an answer costs.
    pub(crate) fn of(&self, weights: &Weights, answer: usize) -> Ratio {
        let cost = match &self.matrix {
            None => &weights.total - &weights.of_class[answer],
            Some(matrix) => {
                let all = weights.of_class.iter().zip(matrix);
                let present = all.filter(|(weight, _)| !weight.is_zero());
                present.map(|(weight, costs)| weight * &costs[answer]).sum()
            }
        };
        Ratio::new(cost, &weights.per_one * &self.parts_of_cost)
    }
}

/// Fractions as whole numbers of a common part of 1, and how many of these make 1.
pub(crate) fn over_common_part(fractions: &[Ratio]) -> (Vec<BigInt>, BigInt) {
    let mut per_one = BigInt::one();
    for fraction in fractions {
        per_one = least_multiple(&per_one, fraction.denom());
    }
    let whole = |fraction: &Ratio| fraction.numer() * (&per_one / fraction.denom());
    (fractions.iter().map(whole).collect(), per_one)
}

/// The least common multiple of two numbers above 0.
pub(crate) fn least_multiple(a: &BigInt, b: &BigInt) -> BigInt {
    let both = Ratio::new(a.clone(), b.clone());
    both.numer() * b
}

//! What a leaf must have.

use num_bigint::BigInt;
use num_traits::Zero;

use super::class::Class;
use crate::numbers::{ceil, small};
use crate::read::costs::least_multiple;
use crate::read::data::Data;
use crate::values::LARGEST;

/// Each row has some amounts; those of the rows of a leaf must add up to at least the amounts of the rule.
///
/// The first amount is the size of a row: 1, or its weight. A least share `p/q` of a class needs
/// `q * weight of the class - p * weight` to be at least 0 in each leaf: that is the amount of the share.
pub(crate) struct LeafRule {
    amounts: Vec<Vec<i128>>,
    least: Vec<i128>,
}

impl LeafRule {
    /// `None` if there are too many digits.
    pub(crate) fn new(class: &Class, data: &Data) -> Option<Self> {
        let mut rule = Self {
            amounts: vec![vec![1]; data.n_rows()],
            least: vec![class.min_leaf.max(1) as i128],
        };
        if class.min_leaf_weight.is_zero() && class.shares.is_empty() {
            return Some(rule);
        }
        // Weights as whole numbers of a common part.
        let mut parts = BigInt::from(1);
        for factor in &data.factors {
            parts = least_multiple(&parts, factor.denom());
        }
        let weight = |row: usize| {
            let class = data.classes[row];
            &data.weights[row] * (&data.factors[class] * &parts).to_integer()
        };
        let weights: Vec<BigInt> = (0..data.n_rows()).map(weight).collect();
        if !class.min_leaf_weight.is_zero() {
            for (amounts, weight) in rule.amounts.iter_mut().zip(&weights) {
                amounts[0] = small(weight)?;
            }
            let least = ceil(&(&class.min_leaf_weight * data.total() * &data.per_one * &parts));
            rule.least[0] = small(&least)?.max(1);
        }
        for (label, share) in &class.shares {
            let rows = rule.amounts.iter_mut().zip(&weights).zip(&data.classes);
            for ((amounts, weight), class) in rows {
                let own = if class == label {
                    share.denom().clone()
                } else {
                    BigInt::zero()
                };
                amounts.push(small(&(weight * (own - share.numer())))?);
            }
            rule.least.push(0);
        }
        // Sums must fit, too.
        for at in 0..rule.least.len() {
            let mut sizes = rule.amounts.iter().map(|amounts| amounts[at].abs());
            let all = sizes.try_fold(0_i128, i128::checked_add)?;
            (all < LARGEST).then_some(())?;
        }
        Some(rule)
    }

    /// Does it demand more than a row?
    pub(crate) fn is_strict(&self) -> bool {
        self.least.len() > 1 || self.least[0] > 1
    }

    /// Is it about sizes alone? Then more rows keep it if fewer do.
    pub(crate) fn is_about_size(&self) -> bool {
        self.least.len() == 1
    }

    /// No rows have this.
    pub(crate) fn nothing(&self) -> Vec<i128> {
        vec![0; self.least.len()]
    }

    pub(crate) fn add(&self, sums: &mut [i128], row: u32) {
        for (sum, amount) in sums.iter_mut().zip(&self.amounts[row as usize]) {
            *sum += amount;
        }
    }

    /// Do rows with these sums make a leaf?
    pub(crate) fn allows(&self, sums: &[i128]) -> bool {
        sums.iter()
            .zip(&self.least)
            .all(|(sum, least)| sum >= least)
    }

    /// Do the rows between two places make a leaf, given the sums up to each place?
    pub(crate) fn allows_between(&self, from: &[i128], to: &[i128]) -> bool {
        let sums = from.iter().zip(to).zip(&self.least);
        sums.into_iter()
            .all(|((from, to), least)| to - from >= *least)
    }

    /// Do these rows make a leaf?
    pub(crate) fn allows_rows(&self, rows: &[u32]) -> bool {
        let mut sums = self.nothing();
        for &row in rows {
            self.add(&mut sums, row);
        }
        self.allows(&sums)
    }
}

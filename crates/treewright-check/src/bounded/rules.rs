//! What a leaf must have.

use num_bigint::BigInt;
use num_traits::Zero;

use super::class::Class;
use crate::numbers::{Ratio, ceil, small};
use crate::read::costs::least_multiple;
use crate::read::data::Data;
use crate::values::LARGEST;

/// Each row has some amounts, which are added up for a leaf.
///
/// The first amount is the size of a row: 1, or its weight. With a least share of classes, the others are the weight of
/// the row for its own class, and 0 for each other class.
pub(crate) struct LeafRule {
    amounts: Vec<Vec<i128>>,
    least: i128,
    share: Option<ShareRule>,
}

/// Of the weight of a leaf, its answer has at least `part / whole`.
struct ShareRule {
    part: i128,
    whole: i128,
    /// What each answer costs each class, in units.
    costs: Vec<Vec<i128>>,
}

impl ShareRule {
    /// `None` if there are too many digits for leaves of this weight.
    fn new(share: &Ratio, data: &Data, weight: i128) -> Option<Self> {
        // Costs have the factors of their classes, and so have weights here.
        let cost = |(cost, factor): (&Ratio, &Ratio)| {
            if factor.is_zero() {
                Ratio::zero()
            } else {
                cost / factor
            }
        };
        let costs: Vec<Vec<Ratio>> = data
            .costs
            .iter()
            .zip(&data.factors)
            .map(|(costs, factor)| costs.iter().map(|it| cost((it, factor))).collect())
            .collect();
        let mut unit = BigInt::from(1);
        for cost in costs.iter().flatten() {
            unit = least_multiple(&unit, cost.denom());
        }
        let in_units = |cost: &Ratio| small(&(cost * &unit).to_integer());
        let of_class = |costs: &Vec<Ratio>| costs.iter().map(in_units).collect();
        let costs: Option<Vec<Vec<i128>>> = costs.iter().map(of_class).collect();
        let rule = Self {
            part: small(share.numer())?,
            whole: small(share.denom())?,
            costs: costs?,
        };
        let factors = rule.costs.iter().flatten().chain([&rule.whole]);
        let all = weight.checked_mul(*factors.max()?)?;
        (all < LARGEST).then_some(rule)
    }

    /// Has the answer of a leaf with these weights of classes its share?
    fn allows(&self, weights: &[i128]) -> bool {
        let cost = |&answer: &usize| {
            let costs = self.costs.iter().map(|costs| costs[answer]);
            costs
                .zip(weights)
                .map(|(cost, weight)| cost * weight)
                .sum::<i128>()
        };
        // The first of equal ones.
        let answer = (0..weights.len()).min_by_key(cost).unwrap_or(0);
        self.whole * weights[answer] >= self.part * weights.iter().sum::<i128>()
    }
}

impl LeafRule {
    /// `None` if there are too many digits.
    pub(crate) fn new(class: &Class, data: &Data) -> Option<Self> {
        let mut rule = Self {
            amounts: vec![vec![1]; data.n_rows()],
            least: class.min_leaf.max(1) as i128,
            share: None,
        };
        if class.min_leaf_weight.is_zero() && class.share.is_none() {
            return Some(rule);
        }
        // Weights as whole numbers of a common part.
        let mut parts = BigInt::from(1);
        for factor in &data.factors {
            parts = least_multiple(&parts, factor.denom());
        }
        let weight = |row: usize| {
            let class = data.classes[row];
            small(&(&data.weights[row] * (&data.factors[class] * &parts).to_integer()))
        };
        let weights: Option<Vec<i128>> = (0..data.n_rows()).map(weight).collect();
        let weights = weights?;
        let all = weights.iter().copied().try_fold(0, i128::checked_add)?;
        // Sums must fit, too.
        (all < LARGEST).then_some(())?;
        if !class.min_leaf_weight.is_zero() {
            for (amounts, &weight) in rule.amounts.iter_mut().zip(&weights) {
                amounts[0] = weight;
            }
            let least = ceil(&(&class.min_leaf_weight * data.total() * &data.per_one * &parts));
            rule.least = small(&least)?.max(1);
        }
        if let Some(share) = &class.share {
            rule.share = Some(ShareRule::new(share, data, all)?);
            let rows = rule.amounts.iter_mut().zip(&weights).zip(&data.classes);
            for ((amounts, &weight), &class) in rows {
                let of = |other: usize| if other == class { weight } else { 0 };
                amounts.extend((0..data.n_classes()).map(of));
            }
        }
        Some(rule)
    }

    /// Does it demand more than a row?
    pub(crate) fn is_strict(&self) -> bool {
        self.share.is_some() || self.least > 1
    }

    /// Is it about sizes alone? Then more rows keep it if fewer do.
    pub(crate) fn is_about_size(&self) -> bool {
        self.share.is_none()
    }

    /// No rows have this.
    pub(crate) fn nothing(&self) -> Vec<i128> {
        vec![0; self.amounts.first().map_or(1, Vec::len)]
    }

    pub(crate) fn add(&self, sums: &mut [i128], row: u32) {
        for (sum, amount) in sums.iter_mut().zip(&self.amounts[row as usize]) {
            *sum += amount;
        }
    }

    /// Do rows with these sums make a leaf?
    pub(crate) fn allows(&self, sums: &[i128]) -> bool {
        let share = self.share.as_ref();
        sums[0] >= self.least && share.is_none_or(|share| share.allows(&sums[1..]))
    }

    /// Do the rows between two places make a leaf, given the sums up to each place?
    pub(crate) fn allows_between(&self, from: &[i128], to: &[i128]) -> bool {
        let sums: Vec<i128> = from.iter().zip(to).map(|(from, to)| to - from).collect();
        self.allows(&sums)
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

//! Losses as products of whole numbers: the weight of a row, and what an answer costs its class.
//!
//! Weights of rows, weights of classes and costs are scaled apart from each other. So a class may weigh a third, and
//! the losses are whole all the same.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::Loss;
use super::exact::decimal;
use crate::data::{Dataset, Target, WholeNumbers};

/// Losses as products of whole numbers.
#[derive(Debug, PartialEq)]
pub(crate) struct Products {
    /// The weight of each row; empty if all weigh the same.
    of_rows: Vec<u64>,
    n_classes: usize,
    /// What each answer costs each true class, whose weight it has: a row for each true class.
    of_classes: Vec<u64>,
    /// What a loss of 1 is as a weight times a cost.
    pub(super) unit: BigRational,
    /// The weight of all rows.
    pub(super) total_weight: BigRational,
    /// The most that one row costs, and that all rows cost.
    pub(super) largest: u64,
    pub(super) sum: u128,
}

impl Products {
    /// `None` if there are too many digits for 64 bits.
    pub(crate) fn of(data: &Dataset, loss: &Loss) -> Option<Self> {
        let Target::Classes(classes) = data.target() else {
            return None;
        };
        let n_classes = data.schema().classes().len();
        let parts = data.weight_parts();
        let weights = parts.map_or(data.weights(), |parts| parts.of_rows.as_deref());
        let (mut of_rows, mut tens) = (Vec::new(), 0);
        if let Some(weights) = weights {
            let whole = WholeNumbers::of(weights)?;
            (of_rows, tens) = (whole.values, whole.tens);
        }
        let common = of_rows.iter().copied().fold(0, common_factor);
        let common = common.max(1);
        for weight in &mut of_rows {
            *weight /= common;
        }
        let of_row = BigRational::new(common.into(), BigInt::from(10).pow(tens));
        let factor = |class: usize| {
            parts.map_or_else(BigRational::one, |parts| parts.of_classes[class].clone())
        };
        let mut costs = Vec::with_capacity(n_classes * n_classes);
        for truth in 0..n_classes {
            for class in 0..n_classes {
                costs.push(factor(truth) * written(loss.of_class(truth, class))?);
            }
        }
        let (of_classes, of_cost) = over_common_part(&costs)?;
        let mut products = Self {
            of_rows,
            n_classes,
            of_classes,
            unit: &of_row * of_cost,
            total_weight: BigRational::zero(),
            largest: 0,
            sum: 0,
        };
        let mut sums = vec![0_u128; n_classes];
        let mut largest = vec![0_u64; n_classes];
        for (row, &class) in classes.iter().enumerate() {
            let weight = products.weight(row);
            sums[class as usize] += u128::from(weight);
            largest[class as usize] = largest[class as usize].max(weight);
        }
        for class in 0..n_classes {
            let weight = &of_row * BigInt::from(sums[class]) * factor(class);
            products.total_weight += weight;
            let most = products.costs_of(class).iter().copied().max().unwrap_or(0);
            products.largest = products.largest.max(largest[class].checked_mul(most)?);
            let sum = sums[class].checked_mul(u128::from(most))?;
            products.sum = products.sum.checked_add(sum)?;
        }
        Some(products)
    }

    fn costs_of(&self, truth: usize) -> &[u64] {
        &self.of_classes[truth * self.n_classes..][..self.n_classes]
    }

    fn weight(&self, row: usize) -> u64 {
        self.of_rows.get(row).copied().unwrap_or(1)
    }

    /// What an answer costs a row.
    pub(super) fn loss(&self, row: usize, truth: u32, class: u32) -> u64 {
        self.weight(row) * self.costs_of(truth as usize)[class as usize]
    }

    /// Adds what each answer costs a row.
    pub(super) fn add_to(&self, row: usize, truth: u32, sums: &mut [u64]) {
        let weight = self.weight(row);
        for (sum, cost) in sums.iter_mut().zip(self.costs_of(truth as usize)) {
            *sum += weight * cost;
        }
    }
}

impl Products {
    /// Adds what a row costs with each prediction, to sums that may have more bits.
    pub(super) fn add_wide(&self, row: usize, truth: u32, sums: &mut [u128]) {
        let weight = u128::from(self.weight(row));
        for (sum, &cost) in sums.iter_mut().zip(self.costs_of(truth as usize)) {
            *sum += weight * u128::from(cost);
        }
    }
}

/// A cost as it is written.
fn written(cost: f64) -> Option<BigRational> {
    decimal::parse(&cost.to_string()).ok()
}

/// Ratios as whole numbers of a common part.
fn over_common_part(ratios: &[BigRational]) -> Option<(Vec<u64>, BigRational)> {
    let below = ratios.iter().fold(BigInt::one(), |below, ratio| {
        // The least number that both divide.
        let both = BigRational::new(below, ratio.denom().clone());
        both.numer() * ratio.denom()
    });
    let whole = |ratio: &BigRational| ratio.numer() * (&below / ratio.denom());
    let whole: Vec<BigInt> = ratios.iter().map(whole).collect();
    let costs = whole.iter().filter(|number| !number.is_zero());
    let above = costs.cloned().reduce(|above, number| {
        // The largest number that divides both.
        let both = BigRational::new(above.clone(), number);
        above / both.numer()
    });
    let above = above.unwrap_or_else(BigInt::one);
    let small = |number: &BigInt| (number / &above).to_u64();
    let small: Option<Vec<u64>> = whole.iter().map(small).collect();
    Some((small?, BigRational::new(above.clone(), below)))
}

/// The largest number that divides both; of zero and a number, the number.
fn common_factor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

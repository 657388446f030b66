//! What each label would cost each row, as whole numbers.
//!
//! Exact searches add and compare whole numbers. Weights and costs that are whole stay as they are; decimals
//! with few digits are multiplied by powers of ten; those with more digits, and weights of classes, are made whole
//! one by one. What has too many digits for 64 bits is rounded to a power of two, and how far that may be off is added
//! up.

use std::sync::Arc;

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::products::Products;
use super::{Loss, Scale};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};

/// What decimals are multiplied by to be whole.
const POWERS_OF_TEN: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
/// The loss of a row stays below this.
const LARGEST_LOSS: f64 = u32::MAX as f64;
/// Sums of whole numbers below this are exact as doubles.
const LARGEST_WHOLE: f64 = (1_u64 << 53) as f64;

/// The losses of all rows, as whole numbers of a unit.
pub(crate) struct RowLosses<'a> {
    n_rows: usize,
    pub(crate) n_classes: usize,
    losses: Losses<'a>,
    pub(crate) scale: Scale,
    /// Were all losses whole numbers, and are they what they were?
    pub(crate) is_whole: bool,
    /// What a loss of 1 is as a weight times a cost; `None` where losses are rounded.
    pub(crate) unit: Option<f64>,
    pub(crate) counting: Counting,
    /// How far sums of losses may be off by rounding, in units.
    pub(crate) slack: u64,
    /// How far sums of losses may be off by rounding, divided by the total weight.
    tolerance: f64,
}

/// What the labels of a row cost.
enum Losses<'a> {
    /// One for each wrong class, from the class of each row. A table would take as many numbers as there are
    /// rows times classes.
    Errors(&'a [u32]),
    /// `n_classes` for each row.
    Table(Vec<u32>),
    /// `n_classes` for each row, of up to 64 bits.
    Wide(Vec<u64>),
    /// From the class and the weight of each row.
    Products(&'a [u32], Arc<Products>),
}

/// How the loss of a row becomes a whole number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Counting {
    /// One for each wrong class.
    Errors,
    /// Weights and costs times these powers of ten.
    Tens { weight: f64, cost: f64 },
    /// Weights, those of classes and costs are made whole apart from each other.
    Products(Arc<Products>),
    /// Rounded, times this power of two.
    Rounded(f64),
}

impl Counting {
    /// The cost of a tree as files have it, from what its rows cost in whole numbers; `None` where that is the sum of
    /// doubles.
    pub(crate) fn exact_cost(&self, scale: Scale, units: impl FnOnce() -> i64) -> Option<f64> {
        matches!(self, Self::Products(_)).then(|| scale.cost(units()))
    }

    /// What a label costs a row.
    pub(crate) fn loss(
        &self,
        data: &Dataset,
        loss: &Loss,
        row: usize,
        truth: u32,
        class: u32,
    ) -> u64 {
        let of_class = || loss.of_class(truth as usize, class as usize);
        match self {
            Self::Errors => u64::from(truth != class),
            Self::Tens { weight, cost } => {
                let weight = (data.weight(row) * weight).round() as u64;
                weight * (of_class() * cost).round() as u64
            }
            Self::Products(products) => products.loss(row, truth, class),
            Self::Rounded(factor) => (data.weight(row) * of_class() * factor).round() as u64,
        }
    }
}

impl<'a> RowLosses<'a> {
    /// Sums of losses below this take 62 bits, and so may the loss of a row.
    pub(crate) const WIDE: f64 = (1_u64 << 62) as f64;
    /// Sums of losses below this fit into 32 bits, with a bit to spare.
    #[cfg(test)]
    pub(crate) const NARROW: f64 = (1_u64 << 31) as f64;

    /// The losses of a table for `what`, such as "dyadic trees", with all sums below `most`.
    pub(crate) fn new(data: &'a Dataset, loss: &Loss, what: &str, most: f64) -> Result<Self> {
        let Target::Classes(classes) = data.target() else {
            return Err(Error::schema(format!(
                "{what} need classes, but the target holds numbers"
            )));
        };
        let n_classes = data.schema().classes().len();
        if *loss == Loss::ZeroOne && data.weights().is_none() {
            return Ok(Self::of_errors(classes, n_classes));
        }
        let most_of_row = |row: usize| {
            let of_class = |class| loss.of_class(classes[row] as usize, class);
            data.weight(row) * (0..n_classes).map(of_class).fold(0.0, f64::max)
        };
        let rows = || (0..data.n_rows()).map(most_of_row);
        let (sum, largest) = (rows().sum::<f64>(), rows().fold(0.0, f64::max));
        if !sum.is_finite() {
            return Err(Error::schema(
                "the costs are too large: what all rows may cost together is not a finite number",
            ));
        }
        let tens = tens(data, loss).filter(|(weight, cost)| {
            let factor = weight * cost;
            sum * factor < most.min(LARGEST_WHOLE) && largest * factor <= LARGEST_LOSS
        });
        if let Some((weight, cost)) = tens {
            let counting = Counting::Tens { weight, cost };
            return Ok(Self::rounded(data, loss, counting, classes, 1.0, sum));
        }
        let is_wide = most >= Self::WIDE;
        if let Some(losses) = Self::of_products(data, loss, classes, most) {
            return Ok(losses);
        }
        let unit = sum / most.min(LARGEST_WHOLE);
        let unit = if is_wide {
            unit
        } else {
            unit.max(largest / LARGEST_LOSS)
        };
        let unit = 2.0_f64.powi((unit.log2().floor() as i32 + 1).max(-1000));
        let counting = Counting::Rounded(unit.recip());
        Ok(Self::rounded(data, loss, counting, classes, unit, sum))
    }

    /// Weights, those of classes and costs made whole apart from each other; `None` if they have too many digits.
    fn of_products(data: &Dataset, loss: &Loss, classes: &'a [u32], most: f64) -> Option<Self> {
        let products = Arc::new(Products::of(data, loss)?);
        let sum = products.sum.to_f64()?;
        let is_wide = most >= Self::WIDE;
        if sum >= most || !is_wide && products.largest > u64::from(u32::MAX) {
            return None;
        }
        let scale = Scale::of_ratio(&products.unit, &products.total_weight)?;
        let n_classes = data.schema().classes().len();
        let losses = if is_wide {
            Losses::Products(classes, Arc::clone(&products))
        } else {
            let of_row = |(row, &truth): (usize, &u32)| {
                let loss = |class| products.loss(row, truth, class) as u32;
                (0..n_classes as u32).map(loss).collect::<Vec<u32>>()
            };
            Losses::Table(classes.iter().enumerate().flat_map(of_row).collect())
        };
        Some(Self {
            n_rows: classes.len(),
            n_classes,
            losses,
            scale,
            // Larger sums are added and compared exactly, but doubles do not hold them.
            is_whole: sum < LARGEST_WHOLE,
            unit: None,
            counting: Counting::Products(products),
            slack: 0,
            tolerance: f64::EPSILON * sum * scale.unit / scale.total_weight,
        })
    }

    /// Doubles times a factor, to whole numbers of a unit.
    fn rounded(
        data: &Dataset,
        loss: &Loss,
        counting: Counting,
        classes: &[u32],
        unit: f64,
        sum: f64,
    ) -> Self {
        let n_classes = data.schema().classes().len();
        let mut losses = Vec::with_capacity(data.n_rows() * n_classes);
        let mut off_by = 0.0;
        for (row, &truth) in classes.iter().enumerate() {
            let units = |class: u32| counting.loss(data, loss, row, truth, class);
            losses.extend((0..n_classes as u32).map(units));
            if let Counting::Rounded(factor) = counting {
                let off = |class: u32| {
                    let exact = data.weight(row) * loss.of_class(truth as usize, class as usize);
                    (exact * factor - units(class) as f64).abs()
                };
                off_by += (0..n_classes as u32).map(off).fold(0.0, f64::max);
            }
        }
        let is_narrow = losses.iter().all(|&loss| u32::try_from(loss).is_ok());
        let losses = if is_narrow {
            Losses::Table(losses.into_iter().map(|loss| loss as u32).collect())
        } else {
            Losses::Wide(losses)
        };
        let in_weight = match counting {
            Counting::Tens { weight, cost } => weight * cost,
            _ => 1.0,
        };
        // Doubles that are added up are off, too. Rounding may make one tree better by what it is off, and another worse.
        let by_sums = data.n_rows() as f64 * f64::EPSILON * sum;
        let by_units = 2.0 * off_by * unit * (1.0 + 1e-6);
        let is_whole = matches!(counting, Counting::Tens { weight, cost } if weight * cost == 1.0)
            && data.has_exact_total();
        let slack = (by_sums + by_units) * in_weight / unit;
        let total_weight = (total_weight(data) * exact(in_weight)).to_f64();
        Self {
            n_rows: classes.len(),
            n_classes,
            losses,
            scale: Scale::new(unit, total_weight.unwrap_or(data.total_weight())),
            is_whole,
            unit: matches!(counting, Counting::Tens { .. }).then(|| in_weight.recip()),
            counting,
            slack: if is_whole { 0 } else { slack as u64 },
            tolerance: (by_sums + by_units) / data.total_weight(),
        }
    }

    /// One for each wrong class.
    fn of_errors(classes: &'a [u32], n_classes: usize) -> Self {
        Self {
            n_rows: classes.len(),
            n_classes,
            losses: Losses::Errors(classes),
            scale: Scale::new(1.0, classes.len() as f64),
            is_whole: true,
            unit: Some(1.0),
            counting: Counting::Errors,
            slack: 0,
            tolerance: 0.0,
        }
    }

    /// The class of each row, if that alone decides: every other one costs 1.
    pub(crate) fn classes(&self) -> Option<&[u32]> {
        match &self.losses {
            Losses::Errors(classes) => Some(classes),
            Losses::Table(_) | Losses::Wide(_) | Losses::Products(..) => None,
        }
    }

    /// What the labels of a row cost, `n_classes` numbers for each row; only where [`Self::classes`] does not
    /// say it all.
    pub(crate) fn table(&self) -> &[u32] {
        match &self.losses {
            Losses::Errors(_) => &[],
            Losses::Table(losses) => losses,
            Losses::Wide(_) | Losses::Products(..) => {
                unreachable!("tables are made where losses take 32 bits")
            }
        }
    }

    /// Adds the losses of a row to the sums of a group.
    pub(crate) fn add_to(&self, row: usize, sums: &mut [u64]) {
        match &self.losses {
            Losses::Errors(classes) => {
                let own = classes[row] as usize;
                for (class, sum) in sums.iter_mut().enumerate() {
                    *sum += u64::from(class != own);
                }
            }
            Losses::Table(losses) => {
                let losses = &losses[row * self.n_classes..][..self.n_classes];
                for (sum, &loss) in sums.iter_mut().zip(losses) {
                    *sum += u64::from(loss);
                }
            }
            Losses::Wide(losses) => {
                let losses = &losses[row * self.n_classes..][..self.n_classes];
                for (sum, &loss) in sums.iter_mut().zip(losses) {
                    *sum += loss;
                }
            }
            Losses::Products(classes, products) => products.add_to(row, classes[row], sums),
        }
    }

    /// What the best label for all rows costs.
    pub(crate) fn least_of_all(&self) -> u64 {
        let mut sums = vec![0_u64; self.n_classes];
        match &self.losses {
            Losses::Errors(classes) => {
                for &class in *classes {
                    sums[class as usize] += 1;
                }
                let most = sums.iter().max().copied().unwrap_or(0);
                classes.len() as u64 - most
            }
            Losses::Table(_) | Losses::Wide(_) | Losses::Products(..) => {
                for row in 0..self.n_rows {
                    self.add_to(row, &mut sums);
                }
                sums.into_iter().min().unwrap_or(0)
            }
        }
    }

    /// Differences of losses up to this may be nothing but rounding.
    pub(crate) fn negligible(&self) -> u64 {
        match self.counting {
            Counting::Rounded(_) => self.slack,
            Counting::Errors | Counting::Tens { .. } | Counting::Products(_) => 0,
        }
    }

    /// How far costs, divided by the total weight, may be off by rounding; `None` where nothing was.
    pub(crate) fn tolerance(&self) -> Option<f64> {
        (!self.is_whole).then_some(self.tolerance)
    }
}

/// The powers of ten that make all weights and all costs whole, if these have few digits.
pub(super) fn tens(data: &Dataset, loss: &Loss) -> Option<(f64, f64)> {
    let is_whole = |number: f64, factor: f64| {
        let times = (number * factor).round();
        times < LARGEST_WHOLE && times / factor == number
    };
    let weights = |&factor: &f64| {
        data.weights()
            .is_none_or(|weights| weights.iter().all(|&weight| is_whole(weight, factor)))
    };
    let costs = |&factor: &f64| match loss {
        Loss::Matrix(matrix) => matrix.rows().flatten().all(|&cost| is_whole(cost, factor)),
        Loss::ZeroOne | Loss::Squared => true,
    };
    let weight = POWERS_OF_TEN.into_iter().find(weights)?;
    Some((weight, POWERS_OF_TEN.into_iter().find(costs)?))
}

/// The total weight of all rows. Weights with few decimals are added as what they are written: three
/// times 0.1 is 0.3.
pub(crate) fn total_weight(data: &Dataset) -> BigRational {
    let weights = || (0..data.n_rows()).map(|row| data.weight(row));
    let parts = || Products::of(data, &Loss::ZeroOne);
    match tens_of_weights(data) {
        Some(factor) => {
            let sum: f64 = weights().map(|weight| (weight * factor).round()).sum();
            exact(sum) / exact(factor)
        }
        None => parts().map_or_else(
            || exact(data.total_weight()),
            |products| products.total_weight.clone(),
        ),
    }
}

/// The least power of ten by which all weights, as they are written, become whole numbers with exact sums.
pub(crate) fn tens_of_weights(data: &Dataset) -> Option<f64> {
    let is_whole_times = |&factor: &f64| {
        let is_whole = |weight: &f64| (weight * factor).round() / factor == *weight;
        data.total_weight() * factor < LARGEST_WHOLE
            && data
                .weights()
                .is_none_or(|weights| weights.iter().all(is_whole))
    };
    POWERS_OF_TEN.into_iter().find(is_whole_times)
}

fn exact(number: f64) -> BigRational {
    BigRational::from_float(number).expect("weights are finite")
}

//! What each label would cost each row, as whole numbers.
//!
//! Exact searches add and compare whole numbers. Weights and costs that are whole stay as they are; decimals
//! with few digits are multiplied by a power of ten; all others are rounded to a power of two, and how far
//! that may be off is remembered.

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{Loss, Scale};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};

/// What decimals are multiplied by to be whole.
const POWERS_OF_TEN: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
/// Sums of losses stay below this.
const LARGEST_TOTAL: f64 = (1_u64 << 31) as f64;

/// The losses of all rows, as whole numbers of a unit.
pub(crate) struct RowLosses<'a> {
    pub(crate) n_classes: usize,
    losses: Losses<'a>,
    pub(crate) scale: Scale,
    pub(crate) is_whole: bool,
    /// What a loss of 1 is as a weight times a cost; `None` where losses are rounded.
    pub(crate) unit: Option<f64>,
    /// How far the loss of a row may be off by rounding, where they are not whole numbers.
    off_by: f64,
}

/// What the labels of a row cost.
enum Losses<'a> {
    /// One for each wrong class, from the class of each row. A table would take as many numbers as there are
    /// rows times classes.
    Errors(&'a [u32]),
    /// `n_classes` for each row.
    Table(Vec<u32>),
}

impl<'a> RowLosses<'a> {
    /// The losses of a table for `what`, such as "dyadic trees".
    pub(crate) fn new(data: &'a Dataset, loss: &Loss, what: &str) -> Result<Self> {
        let Target::Classes(classes) = data.target() else {
            return Err(Error::schema(format!(
                "{what} need classes, but the target holds numbers"
            )));
        };
        let n_classes = data.schema().classes().len();
        if *loss == Loss::ZeroOne && data.weights().is_none() {
            return Ok(Self::of_errors(classes, n_classes));
        }
        let loss_of = |row: usize, class: usize| {
            data.weight(row) * loss.of_class(classes[row] as usize, class)
        };
        let all =
            || (0..data.n_rows()).flat_map(|row| (0..n_classes).map(move |class| (row, class)));
        let largest: f64 = (0..data.n_rows())
            .map(|row| {
                (0..n_classes)
                    .map(|class| loss_of(row, class))
                    .fold(0.0, f64::max)
            })
            .sum();
        // Whole numbers as they are; decimals with few digits times a power of ten; others rounded to
        // a power of two.
        let is_whole_times = |factor: f64| {
            largest * factor < LARGEST_TOTAL
                && all().all(|(row, class)| {
                    let number = loss_of(row, class);
                    (number * factor).round() / factor == number
                })
        };
        let factor = POWERS_OF_TEN
            .into_iter()
            .find(|&factor| is_whole_times(factor));
        if factor.is_none() && data.has_whole_weights() && largest >= LARGEST_TOTAL {
            return Err(Error::schema(format!(
                "the weights of the rows, times their costs, add up to {largest}, \
                 expected less than {LARGEST_TOTAL}"
            )));
        }
        let is_scaled = factor.is_some();
        let unit = if is_scaled {
            1.0
        } else {
            2.0_f64.powi((largest.log2().ceil() as i32 - 30).max(-1000))
        };
        let factor = factor.unwrap_or(unit.recip());
        // Powers of ten go into the weight, where they are exact.
        let in_weight = if is_scaled { factor } else { 1.0 };
        let is_whole = |(row, class)| loss_of(row, class).fract() == 0.0;
        let units = |(row, class)| (loss_of(row, class) * factor).round() as u32;
        Ok(Self {
            n_classes,
            losses: Losses::Table(all().map(units).collect()),
            scale: Scale {
                unit,
                total_weight: (total_weight(data) * exact(in_weight))
                    .to_f64()
                    .unwrap_or(data.total_weight()),
            },
            is_whole: factor == 1.0
                && data.has_whole_weights()
                && has_whole_entries(loss)
                && all().all(is_whole),
            unit: is_scaled.then(|| factor.recip()),
            off_by: if is_scaled {
                f64::EPSILON * largest
            } else {
                unit
            },
        })
    }

    /// One for each wrong class.
    fn of_errors(classes: &'a [u32], n_classes: usize) -> Self {
        Self {
            n_classes,
            losses: Losses::Errors(classes),
            scale: Scale {
                unit: 1.0,
                total_weight: classes.len() as f64,
            },
            is_whole: true,
            unit: Some(1.0),
            off_by: 0.0,
        }
    }

    /// The class of each row, if that alone decides: every other one costs 1.
    pub(crate) fn classes(&self) -> Option<&[u32]> {
        match &self.losses {
            Losses::Errors(classes) => Some(classes),
            Losses::Table(_) => None,
        }
    }

    /// What the labels of a row cost, `n_classes` numbers for each row; only where [`Self::classes`] does not
    /// say it all.
    pub(crate) fn table(&self) -> &[u32] {
        match &self.losses {
            Losses::Errors(_) => &[],
            Losses::Table(losses) => losses,
        }
    }

    /// Adds the losses of a row to the sums of a group.
    pub(crate) fn add_to(&self, row: usize, sums: &mut [u32]) {
        match &self.losses {
            Losses::Errors(classes) => {
                let own = classes[row] as usize;
                for (class, sum) in sums.iter_mut().enumerate() {
                    *sum += u32::from(class != own);
                }
            }
            Losses::Table(losses) => {
                let losses = &losses[row * self.n_classes..][..self.n_classes];
                for (sum, loss) in sums.iter_mut().zip(losses) {
                    *sum += loss;
                }
            }
        }
    }

    /// What the best label for all rows costs.
    pub(crate) fn least_of_all(&self) -> u32 {
        let mut sums = vec![0_u32; self.n_classes];
        match &self.losses {
            Losses::Errors(classes) => {
                for &class in *classes {
                    sums[class as usize] += 1;
                }
                let most = sums.iter().max().copied().unwrap_or(0);
                classes.len() as u32 - most
            }
            Losses::Table(losses) => {
                for losses in losses.chunks_exact(self.n_classes.max(1)) {
                    for (sum, loss) in sums.iter_mut().zip(losses) {
                        *sum += loss;
                    }
                }
                sums.into_iter().min().unwrap_or(0)
            }
        }
    }

    /// How far costs, divided by the total weight, may be off by rounding.
    pub(crate) fn tolerance(&self, data: &Dataset) -> f64 {
        data.n_rows() as f64 * self.off_by / data.total_weight()
    }
}

/// The total weight of all rows. Weights with few decimals are added as what they are written: three
/// times 0.1 is 0.3.
pub(crate) fn total_weight(data: &Dataset) -> BigRational {
    let weights = || (0..data.n_rows()).map(|row| data.weight(row));
    let is_whole_times = |&factor: &f64| {
        data.total_weight() * factor < LARGEST_TOTAL
            && weights().all(|weight| (weight * factor).round() / factor == weight)
    };
    match POWERS_OF_TEN.into_iter().find(is_whole_times) {
        Some(factor) => {
            let sum: f64 = weights().map(|weight| (weight * factor).round()).sum();
            exact(sum) / exact(factor)
        }
        None => exact(data.total_weight()),
    }
}

fn exact(number: f64) -> BigRational {
    BigRational::from_float(number).expect("weights are finite")
}

/// Are all entries of a cost matrix whole numbers, also those that no row needs?
fn has_whole_entries(loss: &Loss) -> bool {
    match loss {
        Loss::Matrix(matrix) => matrix.rows().flatten().all(|cost| cost.fract() == 0.0),
        Loss::ZeroOne | Loss::Squared => true,
    }
}

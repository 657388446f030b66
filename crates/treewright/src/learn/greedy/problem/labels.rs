//! What the rows of a frame are to be told apart by.

use std::borrow::Cow;

use crate::data::Dataset;

/// What the rows of a frame are to be told apart by.
#[derive(Debug, Clone)]
pub(crate) struct Labels<'a> {
    /// Classes, or bins of the numbers; empty where the criterion works on the numbers.
    pub(crate) classes: Cow<'a, [u32]>,
    pub(crate) n_classes: usize,
    /// The numbers of a regression; empty for classification.
    pub(crate) numbers: Cow<'a, [f64]>,
    /// The numbers as whole ones, if these have exact sums.
    pub(crate) whole: Option<WholeTargets<'a>>,
}

/// Whole numbers that have exact sums as doubles.
#[derive(Debug, Clone)]
pub(crate) struct WholeTargets<'a> {
    /// The numbers times a power of ten; `None` if they are whole as they are.
    pub(super) scaled: Option<Cow<'a, [f64]>>,
    /// What one is.
    pub(super) unit: f64,
}

/// Whole numbers below this are exact as doubles, and so are sums and differences of two.
const LARGEST_WHOLE: f64 = (1_u64 << 52) as f64;
/// What decimals are multiplied by to be whole.
const POWERS_OF_TEN: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];

impl WholeTargets<'_> {
    /// `None` if a weight or a number has too many digits.
    pub(crate) fn of(data: &Dataset, numbers: &[f64]) -> Option<Self> {
        let largest = numbers
            .iter()
            .fold(0.0, |most: f64, number| most.max(number.abs()));
        if !data.has_whole_weights() || largest * data.total_weight() >= LARGEST_WHOLE {
            return None;
        }
        let is_whole = |&factor: &f64| {
            let is_whole = |&number: &f64| (number * factor).round() / factor == number;
            numbers.iter().all(is_whole)
        };
        let factor = POWERS_OF_TEN.into_iter().find(is_whole)?;
        if largest * factor * data.total_weight() >= LARGEST_WHOLE {
            return None;
        }
        let scaled = || {
            numbers
                .iter()
                .map(|number| (number * factor).round())
                .collect()
        };
        Some(Self {
            scaled: (factor != 1.0).then(scaled),
            unit: factor.recip(),
        })
    }
}

//! How far off predicted numbers are.

use super::bins::parts;
use crate::data::Dataset;
use crate::eval::sums::{ratio, weighted_sum};

/// Quantiles of the residuals are told for these shares of the rows.
pub const QUANTILES: [f64; 7] = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0];
/// Predicted numbers are compared with actual ones in at most this many parts.
const MOST_BINS: usize = 20;

/// How good predicted numbers are.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberQuality {
    /// Mean squared error.
    pub mse: f64,
    /// Its root, in units of the target.
    pub rmse: f64,
    /// Mean absolute error, in units of the target.
    pub mae: f64,
    /// Share of the variance that is explained; `None` if the target does not vary.
    pub r2: Option<f64>,
    /// Mean of predicted minus actual numbers.
    pub bias: f64,
    /// The mean of the target.
    pub mean: f64,
    /// The root of the mean squared error of always answering the mean.
    pub baseline_rmse: f64,
    /// The mean absolute error of always answering the mean.
    pub baseline_mae: f64,
    /// Actual minus predicted numbers: for each of [`QUANTILES`] the least that this share of the weight does not
    /// exceed.
    pub residuals: [f64; QUANTILES.len()],
    /// Predicted against actual numbers, from the lowest prediction up, in parts of about equal weight.
    pub bins: Vec<NumberBin>,
}

/// Rows with about the same predicted number.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberBin {
    /// Their weight.
    pub weight: f64,
    /// The mean predicted number.
    pub predicted: f64,
    /// The mean actual number.
    pub actual: f64,
    /// [`QUANTILES`] of the actual numbers.
    pub quantiles: [f64; QUANTILES.len()],
}

impl NumberQuality {
    pub(super) fn of(data: &Dataset, truths: &[f64], predicted: &[f64]) -> Self {
        let weight = data.total_weight();
        let mean = weighted_sum(data, |row| truths[row]) / weight;
        let squared = weighted_sum(data, |row| (truths[row] - predicted[row]).powi(2));
        let absolute = weighted_sum(data, |row| (truths[row] - predicted[row]).abs());
        let around_mean = weighted_sum(data, |row| (truths[row] - mean).powi(2));
        let from_mean = weighted_sum(data, |row| (truths[row] - mean).abs());
        // The mean of equal numbers may be off by a rounding, which is not variance.
        let varies = truths.windows(2).any(|pair| pair[0] != pair[1]);
        let residuals = (0..data.n_rows()).map(|row| (truths[row] - predicted[row], row));
        Self {
            mse: squared / weight,
            rmse: (squared / weight).sqrt(),
            mae: absolute / weight,
            r2: ratio(squared, around_mean)
                .filter(|_| varies)
                .map(|share| 1.0 - share),
            bias: weighted_sum(data, |row| predicted[row] - truths[row]) / weight,
            mean,
            baseline_rmse: (around_mean / weight).sqrt(),
            baseline_mae: from_mean / weight,
            residuals: quantiles(data, residuals.collect()),
            bins: bins(data, truths, predicted),
        }
    }
}

/// Quantiles of numbers that belong to rows.
fn quantiles(data: &Dataset, mut numbers: Vec<(f64, usize)>) -> [f64; QUANTILES.len()] {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let total: f64 = numbers.iter().map(|&(_, row)| data.weight(row)).sum();
    let (mut at, mut sum) = (0, data.weight(numbers[0].1));
    QUANTILES.map(|share| {
        while at + 1 < numbers.len() && sum < share * total {
            at += 1;
            sum += data.weight(numbers[at].1);
        }
        numbers[at].0
    })
}

fn bins(data: &Dataset, truths: &[f64], predicted: &[f64]) -> Vec<NumberBin> {
    let mut order: Vec<usize> = (0..truths.len()).collect();
    order.sort_by(|&a, &b| predicted[a].total_cmp(&predicted[b]));
    let groups: Vec<&[usize]> = order
        .chunk_by(|&a, &b| predicted[a] == predicted[b])
        .collect();
    let of = |rows: &[usize]| rows.iter().map(|&row| data.weight(row)).sum();
    let weights: Vec<f64> = groups.iter().map(|rows| of(rows)).collect();
    let bin = |part: std::ops::Range<usize>| {
        let rows: Vec<usize> = groups[part].concat();
        let weight = of(&rows);
        let mean = |numbers: &[f64]| {
            let sum: f64 = rows
                .iter()
                .map(|&row| data.weight(row) * numbers[row])
                .sum();
            sum / weight
        };
        NumberBin {
            weight,
            predicted: mean(predicted),
            actual: mean(truths),
            quantiles: quantiles(data, rows.iter().map(|&row| (truths[row], row)).collect()),
        }
    };
    parts(&weights, MOST_BINS).into_iter().map(bin).collect()
}

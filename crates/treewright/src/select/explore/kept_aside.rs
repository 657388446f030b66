//! Rows that are kept aside: neither a tree nor the choice of it has seen them.

use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::eval::{CONFIDENCE, Folds, KeptAside, exact_interval, weighted_interval};
use crate::tree::Tree;

/// Fewer rows say next to nothing.
const FEWEST_ROWS: usize = 10;

/// The rows of a table in two parts.
pub(super) struct Parts {
    pub(super) to_learn: Dataset,
    pub(super) aside: Dataset,
}

/// Keeps a share of the rows aside. Classes are spread as in all rows.
pub(super) fn split(data: &Dataset, share: f64, seed: u64) -> Result<Parts> {
    // Another deal than that of the first fold.
    let folds = Folds::holdout(data, share, seed ^ 0x5EED_0A51_DE00_0001)?;
    let (aside, to_learn) = (folds.test(0), folds.train(0));
    if aside.len() < FEWEST_ROWS || to_learn.len() < FEWEST_ROWS {
        let allowed = format!(
            "a share that keeps at least {FEWEST_ROWS} of the {} rows aside, and as many to learn from",
            data.n_rows()
        );
        return Err(Error::parameter("holdout", share, allowed));
    }
    Ok(Parts {
        to_learn: data.rows(&to_learn),
        aside: data.rows(&aside),
    })
}

/// What a tree costs on rows that were kept aside.
pub(super) fn judge(tree: &Tree, data: &Dataset) -> KeptAside {
    let predicted = tree.predict(data);
    let loss = |row: usize| match data.target() {
        Target::Classes(truths) => {
            (tree.loss()).of_class(truths[row] as usize, predicted[row] as usize)
        }
        Target::Numbers(truths) => (truths[row] - predicted[row]).powi(2),
        Target::Absent => 0.0,
    };
    let rows = data.n_rows();
    let weight = data.total_weight();
    let mean = |of: &dyn Fn(usize) -> f64| {
        let sum: f64 = (0..rows).map(|row| data.weight(row) * of(row)).sum();
        sum / weight
    };
    let error = mean(&loss);
    let is_counted = data.has_equal_weights();
    // Squares of larger losses are no finite numbers.
    let largest = (0..rows).map(&loss).fold(0.0, f64::max);
    let unit = if largest > 1e150 { largest } else { 1.0 };
    let off = |row: usize| (loss(row) - error) / unit;
    let se = if is_counted {
        let variance = mean(&|row| off(row).powi(2));
        (variance / rows as f64).sqrt()
    } else {
        let share = |row: usize| data.weight(row) / weight;
        let squares = (0..rows).map(|row| (share(row) * off(row)).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let se = unit * se;
    let interval = || {
        if is_counted {
            let wrong = (error * rows as f64).round() as u64;
            exact_interval(wrong, rows as u64, CONFIDENCE)
        } else {
            let row = |row: usize| (data.weight(row), loss(row) > 0.0);
            weighted_interval(&(0..rows).map(row).collect::<Vec<_>>(), CONFIDENCE)
        }
    };
    KeptAside {
        rows,
        error,
        se,
        interval: (*tree.loss() == Loss::ZeroOne).then(interval),
        is_exact: is_counted,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use fastrand::Rng;

    use super::*;
    use crate::budget::Budget;
    use crate::data::csv::CsvSource;
    use crate::data::{ReadOptions, Reading, Task};
    use crate::learn::{Greedy, Learner};

    fn table(rng: &mut Rng, is_number: bool, weights: &[f64]) -> Dataset {
        let mut text = String::from("x,w,y\n");
        for _ in 0..rng.usize(12..60) {
            let (x, weight) = (rng.u8(..9), weights[rng.usize(..weights.len())]);
            let y = if is_number {
                f64::from(x) + rng.f64()
            } else {
                f64::from(u8::from(x > 4) ^ u8::from(rng.u8(..4) == 0))
            };
            writeln!(text, "{x},{weight},{y}").unwrap();
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        let options = ReadOptions {
            reading: Reading {
                weight: Some("w".into()),
                ..Reading::default()
            },
            task: if is_number {
                Task::Regression
            } else {
                Task::Classification
            },
            ..ReadOptions::default()
        };
        Dataset::read(&source, &options).unwrap()
    }

    /// By the definition: the deviations of single rows, each by its own weight.
    #[test]
    fn standard_errors_are_those_of_a_weighted_mean() {
        let mut rng = Rng::with_seed(5);
        for at in 0..200 {
            let is_number = at % 3 == 0;
            let weights: &[f64] = [&[2.0][..], &[1.0, 30.0], &[0.5, 1.25, 7.0]][at % 4 % 3];
            let data = table(&mut rng, is_number, weights);
            let learner = Greedy {
                max_depth: Some(2),
                loss: if is_number {
                    Loss::Squared
                } else {
                    Loss::ZeroOne
                },
                ..Greedy::default()
            };
            let tree = learner.fit(&data, &Budget::unlimited()).unwrap().model;
            let found = judge(&tree, &data);
            let answers = tree.predict(&data);
            let loss = |row: usize| match data.target() {
                Target::Numbers(truths) => (truths[row] - answers[row]).powi(2),
                Target::Classes(truths) => {
                    f64::from(u8::from(f64::from(truths[row]) != answers[row]))
                }
                Target::Absent => unreachable!("the table has a target"),
            };
            let rows = 0..data.n_rows();
            let weight = data.total_weight();
            let mean = rows
                .clone()
                .map(|row| data.weight(row) * loss(row))
                .sum::<f64>()
                / weight;
            let squares = rows.map(|row| (data.weight(row) * (loss(row) - mean)).powi(2));
            let se = squares.sum::<f64>().sqrt() / weight;
            assert!((found.error - mean).abs() < 1e-12 && (found.se - se).abs() < 1e-12);
            assert_eq!(
                found.is_exact,
                weights.len() == 1 || data.has_equal_weights()
            );
            assert_eq!(found.interval.is_some(), !is_number);
            if let Some((low, high)) = found.interval {
                assert!(low <= mean && mean <= high, "{found:?}");
            }
        }
    }
}

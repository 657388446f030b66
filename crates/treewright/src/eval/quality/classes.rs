//! Who is taken for whom, and how well the shares of classes are told.

use super::{Answers, CONFIDENCE, Ranking};
use crate::data::Dataset;
use crate::eval::interval::exact_interval;
use crate::eval::sums::{ratio, weighted_sum};

/// How good predicted classes are.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassQuality {
    /// Share of the weight that is predicted wrongly.
    pub error: f64,
    /// Weight of the rows predicted wrongly.
    pub errors: f64,
    /// The exact interval for the error of new rows, with a confidence of 95 %; `None` if the rows have different
    /// weights, because then they are not counted.
    pub error_interval: Option<(f64, f64)>,
    /// The error of always giving the same answer.
    pub baseline: MostFrequent,
    /// `confusion[true class][predicted class]`: weights of rows.
    pub confusion: Vec<Vec<f64>>,
    /// Figures for each class.
    pub classes: Vec<ClassFigures>,
    /// Mean of -ln of the share that was predicted for the true class; infinite if that was 0 for any row.
    pub log_loss: f64,
    /// Mean squared difference between predicted shares and what is true: of two classes that of one of them, of more
    /// the sum over all.
    pub brier: f64,
    /// How well a positive class is ranked before the others; `None` without one, and if there are no rows of it or no
    /// others.
    pub ranking: Option<Ranking>,
}

/// The answer that is best if it must always be the same: the most frequent class of these rows, the first of
/// several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MostFrequent {
    /// The class.
    pub class: usize,
    /// The share of the weight that is of other classes.
    pub error: f64,
}

/// How well one class is told from the others. A figure is `None` where it would be 0 / 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassFigures {
    /// Label.
    pub class: String,
    /// Weight of the rows of this class.
    pub support: f64,
    /// Share of this class among the rows predicted to be of it.
    pub precision: Option<f64>,
    /// Share of the rows of this class that are predicted to be of it.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall; 0 if nothing was right.
    pub f1: Option<f64>,
}

impl ClassQuality {
    pub(super) fn of(
        data: &Dataset,
        truths: &[u32],
        answers: &Answers,
        positive: Option<usize>,
    ) -> Self {
        let n_classes = data.schema().classes().len();
        let confusion = confusion_of(data, truths, &answers.values);
        let is_wrong = |row: usize| f64::from(truths[row]) != answers.values[row];
        let errors = weighted_sum(data, |row| f64::from(u8::from(is_wrong(row))));
        let shares = |row: usize| &answers.shares[row * n_classes..][..n_classes];
        let weight = data.total_weight();
        let log_loss = weighted_sum(data, |row| -shares(row)[truths[row] as usize].ln());
        let brier = weighted_sum(data, |row| {
            let squares = shares(row).iter().enumerate().map(|(class, share)| {
                let actual = f64::from(u8::from(class == truths[row] as usize));
                (share - actual).powi(2)
            });
            // Of two classes both are off by the same.
            squares
                .take(if n_classes == 2 { 1 } else { n_classes })
                .sum()
        });
        Self {
            error: errors / weight,
            errors,
            error_interval: data.has_equal_weights().then(|| {
                let n_wrong = (0..data.n_rows()).filter(|&row| is_wrong(row)).count();
                exact_interval(n_wrong as u64, data.n_rows() as u64, CONFIDENCE)
            }),
            baseline: baseline(&confusion),
            classes: per_class(data.schema().classes(), &confusion),
            confusion,
            // A share of exactly 1 has the logarithm 0, which must not become -0.
            log_loss: log_loss / weight + 0.0,
            brier: brier / weight,
            ranking: positive.and_then(|class| {
                let scores: Vec<f64> = (0..data.n_rows()).map(|row| shares(row)[class]).collect();
                Ranking::of(data, truths, class, &scores)
            }),
        }
    }
}

/// Who is taken for whom.
pub(in crate::eval) fn confusion_of(
    data: &Dataset,
    truths: &[u32],
    predicted: &[f64],
) -> Vec<Vec<f64>> {
    let n_classes = data.schema().classes().len();
    let mut confusion = vec![vec![0.0; n_classes]; n_classes];
    for (row, (&truth, &class)) in truths.iter().zip(predicted).enumerate() {
        confusion[truth as usize][class as usize] += data.weight(row);
    }
    confusion
}

fn baseline(confusion: &[Vec<f64>]) -> MostFrequent {
    let supports: Vec<f64> = confusion.iter().map(|row| row.iter().sum()).collect();
    let mut class = 0;
    for (other, &support) in supports.iter().enumerate() {
        if support > supports[class] {
            class = other;
        }
    }
    let others = supports.iter().enumerate().filter(|&(it, _)| it != class);
    let wrong: f64 = others.map(|(_, support)| support).sum();
    MostFrequent {
        class,
        error: wrong / supports.iter().sum::<f64>(),
    }
}

fn per_class(labels: &[String], confusion: &[Vec<f64>]) -> Vec<ClassFigures> {
    let figures = |(class, label): (usize, &String)| {
        let right = confusion[class][class];
        let support: f64 = confusion[class].iter().sum();
        let claimed: f64 = confusion.iter().map(|row| row[class]).sum();
        ClassFigures {
            class: label.clone(),
            support,
            precision: ratio(right, claimed),
            recall: ratio(right, support),
            f1: ratio(2.0 * right, support + claimed),
        }
    };
    labels.iter().enumerate().map(figures).collect()
}

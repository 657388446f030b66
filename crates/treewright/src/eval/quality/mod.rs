//! Figures of quality: how good the answers for rows are, given what is true of them.
//!
//! The answers may come from one tree, or each from the tree that has not seen the row. All figures respect the
//! weights of the rows. Those that are quotients of counts are sums divided once.
//!
//! | file | idea |
//! |---|---|
//! | `classes` | who is taken for whom, and how well shares of classes are told |
//! | `ranking` | how well one class is ranked before the others, at every threshold |
//! | `bins` | rows in order, in parts of about equal weight: calibration, predicted against actual |
//! | `numbers` | how far off numbers are |

mod bins;
mod classes;
mod numbers;
mod ranking;

pub(super) use self::classes::confusion_of;
pub use self::classes::{ClassFigures, ClassQuality, MostFrequent};
pub use self::numbers::{NumberBin, NumberQuality, QUANTILES};
pub use self::ranking::{CalibrationBin, Gain, Ranking, Threshold};

use super::comparable;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::tree::{NodeId, Tree};

/// The confidence of intervals.
pub const CONFIDENCE: f64 = 0.95;

/// How good answers are.
#[derive(Debug, Clone, PartialEq)]
pub enum Quality {
    /// Classification.
    Classes(ClassQuality),
    /// Regression.
    Numbers(NumberQuality),
}

/// What trees answer for rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// For each row the predicted class index or number.
    pub values: Vec<f64>,
    /// For each row the predicted share of every class, row by row; empty for regression.
    pub shares: Vec<f64>,
}

impl Answers {
    /// What one tree answers.
    pub fn of(tree: &Tree, data: &Dataset) -> Self {
        Self {
            values: tree.predict(data),
            shares: tree.predict_proba(data),
        }
    }

    /// Adds the answers for more rows.
    pub fn extend(&mut self, more: Self) {
        self.values.extend(more.values);
        self.shares.extend(more.shares);
    }
}

impl Quality {
    /// How good the answers of a tree are. `positive` is the class that matters, see [`positive_class`].
    pub fn of_tree(tree: &Tree, data: &Dataset, positive: Option<usize>) -> Result<Self> {
        comparable(tree, data)?;
        Self::of(data, &Answers::of(tree, data), positive)
    }

    /// How good answers for these rows are. With a positive class also how well it is ranked.
    pub fn of(data: &Dataset, answers: &Answers, positive: Option<usize>) -> Result<Self> {
        if data.total_weight() <= 0.0 {
            return Err(Error::schema("there are no rows to score the tree on"));
        }
        match data.target() {
            Target::Classes(truths) => Ok(Self::Classes(ClassQuality::of(
                data, truths, answers, positive,
            ))),
            Target::Numbers(truths) => Ok(Self::Numbers(NumberQuality::of(
                data,
                truths,
                &answers.values,
            ))),
            Target::Absent => Err(Error::schema("the rows have no target")),
        }
    }
}

/// The positive class of two: the rarer one among the rows of training; if both are equally rare, the later one.
/// `None` unless there are two classes.
pub fn positive_class(tree: &Tree) -> Option<usize> {
    let n_classes = tree.schema().classes().len();
    (n_classes == 2).then(|| {
        let counts = tree.counts(NodeId::ROOT);
        usize::from(counts[1] <= counts[0])
    })
}

#[cfg(test)]
mod tests;

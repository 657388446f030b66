//! The target: missing cells, few or rare classes, rows in its order.

use std::borrow::Cow;

use super::cells::{Cells, Codes};
use super::{ColumnCheck, FEW_ROWS, Finding, texts};
use crate::data::{MISSING_CODE, Task, looks_like_classes};

/// From this share of one class on, classes are called imbalanced.
const IMBALANCED_FROM: f64 = 0.9;
/// Classes with fewer rows cannot be in each of ten folds.
const FEW_OF_CLASS: usize = 10;

/// The values to be predicted.
pub(super) enum Truth<'a> {
    Classes {
        /// [`MISSING_CODE`] is missing.
        codes: Cow<'a, [u32]>,
        /// The label and the rows of each class.
        classes: Vec<(String, usize)>,
    },
    /// NaN is missing.
    Numbers(&'a [f64]),
}

impl<'a> Truth<'a> {
    pub(super) fn of(cells: &Cells<'a>, task: Task) -> Self {
        match *cells {
            Cells::Texts { codes, distinct } => {
                Self::classes(Cow::Borrowed(codes), distinct.to_vec())
            }
            Cells::Numbers(numbers) => {
                let are_classes = match task {
                    Task::Auto => looks_like_classes(numbers, None),
                    Task::Classification => true,
                    Task::Regression => false,
                };
                match Codes::of(cells) {
                    Some(codes) if are_classes => {
                        let mut labels = vec![String::new(); codes.n];
                        for (&code, number) in codes.of_row.iter().zip(numbers) {
                            if let Some(label) = labels.get_mut(code as usize)
                                && label.is_empty()
                            {
                                *label = number.to_string();
                            }
                        }
                        Self::classes(Cow::Owned(codes.of_row), labels)
                    }
                    _ => Self::Numbers(numbers),
                }
            }
        }
    }

    fn classes(codes: Cow<'a, [u32]>, labels: Vec<String>) -> Self {
        let mut classes: Vec<(String, usize)> =
            labels.into_iter().map(|label| (label, 0)).collect();
        for &code in codes.iter() {
            if let Some((_, rows)) = classes.get_mut(code as usize) {
                *rows += 1;
            }
        }
        Self::Classes { codes, classes }
    }

    fn n_rows(&self) -> usize {
        match self {
            Self::Classes { codes, .. } => codes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Classes { codes, .. } => codes[row] == MISSING_CODE,
            Self::Numbers(numbers) => numbers[row].is_nan(),
        }
    }

    pub(super) fn n_missing(&self) -> usize {
        (0..self.n_rows())
            .filter(|&row| self.is_missing(row))
            .count()
    }

    /// Do the rows come in the order of the target? Classes change from row to row far less often than if the rows were
    /// in no order.
    pub(super) fn is_in_order(&self) -> bool {
        const MOST_OF_EXPECTED: f64 = 0.1;
        match self {
            Self::Classes { codes, classes } => {
                let present = || codes.iter().filter(|&&code| code != MISSING_CODE);
                let n = present().count() as f64;
                let changes = present().zip(present().skip(1)).filter(|(a, b)| a != b);
                let share = |rows: usize| rows as f64 / n;
                let same: f64 = classes.iter().map(|(_, rows)| share(*rows).powi(2)).sum();
                let expected = n * (1.0 - same);
                n >= FEW_ROWS as f64
                    && expected * MOST_OF_EXPECTED >= 1.0
                    && changes.count() as f64 <= MOST_OF_EXPECTED * expected
            }
            Self::Numbers(numbers) => {
                let is_rising = |pair: &[f64]| pair[0] <= pair[1];
                let is_falling = |pair: &[f64]| pair[0] >= pair[1];
                numbers.len() >= FEW_ROWS
                    && numbers.first() != numbers.last()
                    && (numbers.windows(2).all(is_rising) || numbers.windows(2).all(is_falling))
            }
        }
    }
}

pub(super) fn findings(truth: &Truth<'_>, check: &ColumnCheck) -> Vec<Finding> {
    let mut found = Vec::new();
    let (n_rows, missing) = (truth.n_rows(), check.missing);
    if missing > 0 {
        let first = (0..n_rows).find(|&row| truth.is_missing(row));
        found.push(Finding::MissingTarget {
            rows: missing,
            first_row: first.map_or(0, |row| row + 1),
            of: n_rows,
        });
    }
    match truth {
        Truth::Classes { codes, classes } => {
            let labels: Vec<String> = classes.iter().map(|class| class.0.clone()).collect();
            let rows: Vec<usize> = classes.iter().map(|class| class.1).collect();
            match texts::of_target(codes, &labels, missing) {
                Some(finding) => found.push(finding),
                None => found.extend(of_classes(classes, n_rows - missing)),
            }
            found.extend(texts::alike::of(&labels, &rows));
        }
        Truth::Numbers(numbers) if check.distinct == 1 => {
            let only = numbers.iter().find(|number| !number.is_nan());
            let class = only.map_or_else(String::new, f64::to_string);
            found.push(Finding::SingleClass { class });
        }
        Truth::Numbers(_) => {}
    }
    found
}

fn of_classes(classes: &[(String, usize)], present: usize) -> Option<Finding> {
    let mut by_rows: Vec<&(String, usize)> = classes.iter().filter(|(_, rows)| *rows > 0).collect();
    by_rows.sort_by_key(|(_, rows)| *rows);
    let (rarest, most) = (*by_rows.first()?, *by_rows.last()?);
    if by_rows.len() == 1 {
        let class = rarest.0.clone();
        return Some(Finding::SingleClass { class });
    }
    if present < FEW_ROWS {
        return None;
    }
    if by_rows.len() > FEW_ROWS && by_rows.len() * 2 > present {
        return Some(Finding::ManyClasses);
    }
    if most.1 as f64 >= IMBALANCED_FROM * present as f64 {
        return Some(Finding::ClassImbalance {
            rarest: rarest.clone(),
            most: most.clone(),
            of: present,
        });
    }
    let rare = by_rows.iter().filter(|(_, rows)| *rows < FEW_OF_CLASS);
    let rare: Vec<String> = rare.map(|(label, _)| label.clone()).collect();
    (!rare.is_empty()).then_some(Finding::RareClasses {
        classes: rare,
        fewest: rarest.1,
    })
}

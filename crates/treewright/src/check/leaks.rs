//! Columns that give the target away.
//!
//! A column that alone tells the target of every row is hardly ever known when the target is not. It is reported only if
//! that cannot be chance: if the rows were labelled at random, in the given numbers, no column of the table should be
//! expected to do so.

use super::Finding;
use super::cells::{Cells, Codes};
use super::target::Truth;
use crate::data::MISSING_CODE;

/// The logarithm of the chance that is taken for none.
const NO_CHANCE: f64 = -20.0;
/// Rows that are looked at before all of them are sorted.
const FIRST_LOOK: usize = 500;

pub(super) fn of(
    cells: &Cells<'_>,
    few: Option<&Codes>,
    truth: &Truth<'_>,
    n_features: usize,
) -> Option<Finding> {
    let most = NO_CHANCE - (n_features.max(1) as f64).ln();
    match truth {
        Truth::Classes { codes, classes } => {
            let rows: Vec<usize> = classes.iter().map(|class| class.1).collect();
            few.and_then(|few| by_values(few, codes, &rows, most))
                .or_else(|| match cells {
                    Cells::Numbers(numbers) => by_intervals(numbers, codes, &rows, most),
                    Cells::Texts { .. } => None,
                })
        }
        Truth::Numbers(target) => match cells {
            Cells::Numbers(numbers) => of_numbers(numbers, target),
            Cells::Texts { .. } => None,
        },
    }
}

/// Do all rows with the same value have the same class?
fn by_values(few: &Codes, classes: &[u32], rows: &[usize], most: f64) -> Option<Finding> {
    let mut class_of = vec![MISSING_CODE; few.n];
    let mut n = 0;
    for (&value, &class) in few.of_row.iter().zip(classes) {
        if class == MISSING_CODE {
            continue;
        }
        let own = class_of.get_mut(value as usize)?;
        if *own != MISSING_CODE && *own != class {
            return None;
        }
        *own = class;
        n += 1;
    }
    let mut told: Vec<u32> = class_of
        .into_iter()
        .filter(|&own| own != MISSING_CODE)
        .collect();
    let n_values = told.len();
    told.sort_unstable();
    told.dedup();
    // Each row but the first of its value had to be of one class: as likely as that two rows have the same.
    let same: f64 = rows
        .iter()
        .map(|&rows| (rows as f64 / n as f64).powi(2))
        .sum();
    if told.len() < 2 || (n - n_values) as f64 * same.ln() > most {
        return None;
    }
    Some(if n_values == told.len() {
        Finding::DuplicateOfTarget
    } else {
        Finding::PredictsTarget
    })
}

/// Does each class have an interval of the numbers to itself?
fn by_intervals(numbers: &[f64], classes: &[u32], rows: &[usize], most: f64) -> Option<Finding> {
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); rows.len()];
    for (&number, &class) in numbers.iter().zip(classes) {
        let Some(range) = ranges.get_mut(class as usize) else {
            continue;
        };
        if number.is_nan() {
            return None;
        }
        *range = (range.0.min(number), range.1.max(number));
    }
    ranges.retain(|range| range.0 <= range.1);
    ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_apart = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
    // Of all ways to label the rows, so many leave the classes in one piece each.
    let ways = |n: usize| (2..=n).map(|k| (k as f64).ln()).sum::<f64>();
    let present: usize = rows.iter().sum();
    let chance = ways(ranges.len()) + rows.iter().map(|&n| ways(n)).sum::<f64>() - ways(present);
    (is_apart && ranges.len() > 1 && chance <= most).then_some(Finding::PredictsTarget)
}

/// Are the numbers those of the target, or in the same order or the reverse?
fn of_numbers(numbers: &[f64], target: &[f64]) -> Option<Finding> {
    let step = (numbers.len() / FIRST_LOOK).max(1);
    let some = numbers.iter().zip(target).step_by(step);
    is_in_order(some)?;
    let is_same = is_in_order(numbers.iter().zip(target))?;
    Some(if is_same {
        Finding::DuplicateOfTarget
    } else {
        Finding::PredictsTarget
    })
}

/// Do the numbers of both rise together, or one rise and the other fall, over many distinct ones? And are they equal?
fn is_in_order<'a>(pairs: impl Iterator<Item = (&'a f64, &'a f64)>) -> Option<bool> {
    let pairs = pairs.filter(|pair| !pair.1.is_nan());
    let mut pairs: Vec<(f64, f64)> = pairs.map(|(&a, &b)| (a, b)).collect();
    if pairs.iter().any(|pair| pair.0.is_nan()) {
        return None;
    }
    let is_same = pairs.iter().all(|(a, b)| a == b);
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    pairs.dedup();
    let is_right = |is_right: fn(f64, f64) -> bool| {
        let mut neighbours = pairs.windows(2);
        neighbours.all(|pair| pair[0].0 < pair[1].0 && is_right(pair[0].1, pair[1].1))
    };
    let is_ordered = is_right(|a, b| a < b) || is_right(|a, b| a > b);
    (is_ordered && pairs.len() >= super::FEW_ROWS).then_some(is_same)
}

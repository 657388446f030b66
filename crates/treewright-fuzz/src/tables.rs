//! Tables of all formats: read, and learned from if they are small.

use std::path::Path;

use treewright::data::{ClassWeight, Dataset, ReadOptions, Reading, Task};
use treewright::learn::dyadic::{Dyadic, Resolution};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::{Budget, Fit};
use treewright_cli::doors;

use crate::dice::Dice;
use crate::documents::{family_round_trip, refused};
use crate::scratch::with_file;
use crate::trees;

/// Larger tables are only read.
const MOST_ROWS: usize = 40;
const MOST_FEATURES: usize = 6;

/// Bytes as a CSV file.
pub(crate) fn csv(bytes: &[u8]) -> bool {
    with_file("csv", bytes, |path| read(path, Dice::of(bytes)))
}

/// Bytes as a TSV file.
pub(crate) fn tsv(bytes: &[u8]) -> bool {
    with_file("tsv", bytes, |path| read(path, Dice::of(bytes)))
}

/// Bytes as a gzipped file of a format that its content tells.
pub(crate) fn gzip(bytes: &[u8]) -> bool {
    with_file("gz", bytes, |path| read(path, Dice::of(bytes)))
}

/// Bytes as a Parquet file.
pub(crate) fn parquet(bytes: &[u8]) -> bool {
    with_file("parquet", bytes, |path| read(path, Dice::of(bytes)))
}

/// Bytes as an Arrow file or stream.
pub(crate) fn arrow(bytes: &[u8]) -> bool {
    with_file("arrow", bytes, |path| read(path, Dice::of(bytes)))
}

fn read(path: &Path, dice: Dice) -> bool {
    let options = &all_options()[dice.throw(8, 4)];
    match doors::table(path, options) {
        Ok(data) => {
            learn(&data, dice);
            true
        }
        Err(error) => refused(&format!("{error:#}")),
    }
}

/// Several ways to read the same columns.
fn all_options() -> [ReadOptions; 4] {
    let usual = ReadOptions::default();
    [
        ReadOptions {
            task: Task::Classification,
            reading: Reading {
                na: Vec::new(),
                weight: None,
                ..Reading::default()
            },
            class_weight: ClassWeight::Balanced,
            ..usual.clone()
        },
        ReadOptions {
            task: Task::Regression,
            ..usual.clone()
        },
        // A name that a mutation of the seeds may well leave alone.
        ReadOptions {
            reading: Reading {
                weight: Some("w".into()),
                ..Reading::default()
            },
            categorical: vec!["x".into()],
            ..usual.clone()
        },
        usual,
    ]
}

fn learn(data: &Dataset, dice: Dice) {
    if data.n_rows() > MOST_ROWS || data.columns().len() > MOST_FEATURES {
        return;
    }
    let budget = Budget::unlimited();
    let has_few_classes = (1..=4).contains(&data.schema().classes().len());
    let greedy = Greedy {
        max_depth: Some(3),
        ..Greedy::default()
    };
    let optimal = Optimal {
        depth: 1,
        ..Optimal::default()
    };
    let dyadic = Dyadic {
        resolution: Resolution::Same(2),
        most_bytes: 1 << 20,
        ..Dyadic::default()
    };
    match dice.throw(9, 8) {
        0 | 1 if has_few_classes => check(optimal.fit(data, &budget), data, dice),
        2 | 3 if has_few_classes => check(dyadic.fit(data, &budget), data, dice),
        4 if has_few_classes => match dyadic.fit_family(data, &budget) {
            Ok(family) => family_round_trip(&family),
            Err(error) => {
                refused(&error.to_string());
            }
        },
        _ => check(greedy.fit(data, &budget), data, dice),
    }
}

/// A tree holds what it claims about the rows that it was learned from.
fn check(fit: treewright::Result<Fit>, data: &Dataset, dice: Dice) {
    let fit = match fit {
        Ok(fit) => fit,
        Err(error) => {
            refused(&error.to_string());
            return;
        }
    };
    let verification = treewright::eval::verify(&fit, data);
    assert!(verification.holds, "{verification:?}");
    trees::use_fully(&fit, data, dice);
}

//! Ties in regression: whole and few-decimal numbers are compared exactly, so the lowest feature wins.

use std::fmt::Write as _;

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions, Task};
use treewright::learn::Learner;
use treewright::learn::greedy::{Criterion, Greedy};
use treewright::tree::NodeId;
use treewright::{Budget, Tree};

/// Whole numbers: two features, each with its mirror image behind it, and a target with some decimals.
struct Case {
    rows: Vec<([i64; 2], i64)>,
    decimals: u32,
}

impl Case {
    fn random(rng: &mut Rng) -> Self {
        let decimals = rng.u32(..4);
        let most = [5, 40, 100_000][rng.usize(..3)];
        let row = |rng: &mut Rng| ([rng.i64(..12), rng.i64(..12)], rng.i64(-most..most));
        Self {
            rows: (0..rng.usize(4..40)).map(|_| row(rng)).collect(),
            decimals,
        }
    }

    fn data(&self) -> Dataset {
        let mut text = String::from("a,b,mirror_a,mirror_b,y\n");
        for ([a, b], y) in &self.rows {
            let tens = 10_i64.pow(self.decimals);
            let sign = if *y < 0 { "-" } else { "" };
            let (whole, part) = (y.abs() / tens, y.abs() % tens);
            let decimals = self.decimals as usize;
            let part = if decimals == 0 {
                String::new()
            } else {
                format!(".{part:0decimals$}")
            };
            writeln!(text, "{a},{b},{},{},{sign}{whole}{part}", -a, -b).unwrap();
        }
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        let options = ReadOptions {
            target: Some("y".into()),
            task: Task::Regression,
            ..ReadOptions::default()
        };
        Dataset::read(&source, &options).unwrap()
    }

    /// By how much a cut lowers the error of the rows, times a constant.
    fn gain(low: &[i64], high: &[i64], criterion: Criterion) -> BigRational {
        let worth = |numbers: &[i64]| -> BigRational {
            let mut sorted = numbers.to_vec();
            sorted.sort_unstable();
            if criterion == Criterion::Mae {
                let median = sorted[sorted.len() / 2];
                let off: i64 = numbers.iter().map(|number| (number - median).abs()).sum();
                return -BigRational::from(BigInt::from(off));
            }
            let sum: i64 = numbers.iter().sum();
            BigRational::new(BigInt::from(sum).pow(2), BigInt::from(numbers.len()))
        };
        worth(low) + worth(high) - worth(&[low, high].concat())
    }

    /// The first of the best cuts: its feature, and the rows below it.
    fn best(&self, criterion: Criterion) -> Option<(usize, usize)> {
        let mut best: Option<(BigRational, (usize, usize))> = None;
        for feature in 0..4 {
            let value = |row: &([i64; 2], i64)| match feature {
                0 | 1 => row.0[feature],
                _ => -row.0[feature - 2],
            };
            let mut cuts: Vec<i64> = self.rows.iter().map(value).collect();
            cuts.sort_unstable();
            cuts.dedup();
            for &cut in &cuts[1..] {
                let (low, high): (Vec<_>, Vec<_>) =
                    self.rows.iter().partition(|row| value(row) < cut);
                let numbers = |rows: &[&([i64; 2], i64)]| -> Vec<i64> {
                    rows.iter().map(|row| row.1).collect()
                };
                let gain = Self::gain(&numbers(&low), &numbers(&high), criterion);
                let zero = BigRational::from(BigInt::from(0));
                if gain > best.as_ref().map_or(zero, |best| best.0.clone()) {
                    best = Some((gain, (feature, low.len())));
                }
            }
        }
        best.map(|best| best.1)
    }
}

fn grown(case: &Case, criterion: Criterion, max_depth: usize) -> Tree {
    let learner = Greedy {
        criterion: Some(criterion),
        max_depth: Some(max_depth),
        min_split: 2,
        ..Greedy::default()
    };
    learner
        .fit(&case.data(), &Budget::unlimited())
        .unwrap()
        .model
}

#[test]
fn a_mirrored_feature_never_wins() {
    for seed in 0..1500 {
        let case = Case::random(&mut Rng::with_seed(seed));
        for criterion in [Criterion::Mse, Criterion::Mae] {
            let tree = grown(&case, criterion, 4);
            for branch in tree.ids().filter_map(|id| tree.branch(id)) {
                let feature = branch.split.feature();
                assert!(
                    feature < 2,
                    "seed {seed}: {criterion:?} splits on {feature}"
                );
            }
        }
    }
}

#[test]
fn the_first_of_the_best_cuts_is_taken() {
    let mut n_splits = 0;
    for seed in 0..1500 {
        let case = Case::random(&mut Rng::with_seed(seed));
        for criterion in [Criterion::Mse, Criterion::Mae] {
            let tree = grown(&case, criterion, 1);
            let root = tree.branch(NodeId::ROOT);
            let found = root.map(|branch| {
                let low = branch.children().next().unwrap();
                (branch.split.feature(), tree.weight(low) as usize)
            });
            assert_eq!(found, case.best(criterion), "seed {seed}: {criterion:?}");
            n_splits += usize::from(found.is_some());
        }
    }
    assert!(n_splits > 2500, "{n_splits} splits");
}

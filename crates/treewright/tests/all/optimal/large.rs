//! Optimal trees of hundreds of rows: the same by all ways of working, by plain scans, on any number of threads.

use fastrand::Rng;
use rayon::ThreadPoolBuilder;
use treewright::Budget;
use treewright::data::{Column, MISSING_CODE, Target, TargetKind};
use treewright::learn::Learner;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::CategoricalSplits;

use super::small::{check_claims, random_loss};
use crate::reference::two_levels::TwoLevels;
use crate::tables::{Table, assemble};

/// How large a table may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    pub(crate) rows: [usize; 2],
    pub(crate) features: usize,
    pub(crate) classes: u32,
}

/// A numeric column with many different values, or few, or one that most rows have.
fn numbers(rng: &mut Rng, n_rows: usize) -> Vec<f64> {
    let distinct = match rng.u8(..6) {
        0 => 5,
        1 => 40,
        2 => 200,
        _ => 1 << 30,
    };
    let is_heavy = rng.u8(..5) == 0;
    let number = |_| {
        if is_heavy && rng.u8(..3) > 0 {
            return 0.0;
        }
        f64::from(rng.u32(..distinct)) / f64::from(distinct) - 0.25
    };
    (0..n_rows).map(number).collect()
}

/// A table whose classes follow a few features, with noise.
pub(crate) fn table(rng: &mut Rng, most: Most) -> Table {
    let n_rows = rng.usize(most.rows[0]..=most.rows[1]);
    let n_features = rng.usize(2..=most.features);
    let n_classes = rng.u32(2..=most.classes);
    let (mut columns, mut scores) = (Vec::new(), vec![0.0; n_rows]);
    for feature in 0..n_features {
        let mut numbers = numbers(rng, n_rows);
        let (place, by) = (rng.f64(), rng.f64() * f64::from(n_classes));
        if feature < 3 {
            for (score, &number) in scores.iter_mut().zip(&numbers) {
                *score += if number + 0.25 < place {
                    0.3 * number
                } else {
                    by
                };
            }
        }
        let n_missing = [0, 0, 0, 1, 4][rng.usize(..5)];
        if rng.u8(..6) == 0 {
            let n_categories = f64::from(rng.u8(2..=9));
            let mut code = |number: f64| {
                if rng.u8(..16) < n_missing {
                    return MISSING_CODE;
                }
                ((number + 0.25) * n_categories) as u32
            };
            let codes = numbers.iter().map(|&number| code(number)).collect();
            columns.push(Column::Categorical(codes));
            continue;
        }
        for number in &mut numbers {
            if rng.u8(..16) < n_missing {
                *number = f64::NAN;
            }
        }
        columns.push(Column::Numeric(numbers.into()));
    }
    let noise = [0, 2, 5, 16][rng.usize(..4)];
    let class = |score: f64| {
        if rng.u8(..16) < noise {
            return rng.u32(..n_classes);
        }
        score.max(0.0) as u32 % n_classes
    };
    let classes: Vec<u32> = scores.into_iter().map(class).collect();
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    let weights = match rng.u8(..5) {
        0 => Some((0..n_rows).map(|_| f64::from(rng.u8(1..=4))).collect()),
        1 => Some(
            (0..n_rows)
                .map(|row| f64::from(rng.u8(u8::from(row == 0)..=3)))
                .collect(),
        ),
        2 => Some(
            (0..n_rows)
                .map(|_| f64::from(rng.u8(1..=30)) / 10.0)
                .collect(),
        ),
        _ => None,
    };
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    assemble(rng, columns, target, weights)
}

/// A learner for leaves of any size, and the price of one.
fn task(rng: &mut Rng, table: &Table, depth: usize) -> (Optimal, (u64, u64)) {
    let (p, q) = [(0, 1), (0, 1), (1, 100), (1, 20), (3, 1000)][rng.usize(..5)];
    let learner = Optimal {
        depth,
        intervals: [Some(2), Some(2), Some(3), None][rng.usize(..4)],
        categorical_splits: CategoricalSplits::Multiway,
        leaf_cost: format!("{p}/{q}").parse().unwrap(),
        loss: random_loss(rng, table.data.schema().classes().len()),
        ..Optimal::default()
    };
    (learner, (p, q))
}

/// The usual sizes and tiny ones lead to the same tree.
fn check_sizes(table: &Table, learner: &Optimal, case: &str) {
    let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
    let tiny = learner.fit_with(&table.data, &Budget::unlimited(), Switches::TINY);
    let tiny = tiny.unwrap();
    assert!(fit.certificate.as_ref().unwrap().is_optimal(), "{case}");
    assert_eq!(tiny.certificate, fit.certificate, "{case}");
    assert_eq!(tiny.model, fit.model, "{case}");
    check_claims(&fit, &table.data, learner, case);
}

#[test]
fn two_levels_equal_a_plain_scan() {
    for seed in 0..90 {
        let mut rng = Rng::with_seed(seed);
        let rows = [[150, 300], [150, 300], [300, 500]][rng.usize(..3)];
        let most = Most {
            rows,
            features: if rows[1] > 300 { 3 } else { 6 },
            classes: 7,
        };
        let table = table(&mut rng, most);
        let (learner, leaf_cost) = task(&mut rng, &table, 2);
        let case = format!("seed {seed}: {learner:?}");
        let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
        let certificate = fit.certificate.as_ref().unwrap();
        let (objective, leaves) = TwoLevels::new(&table.data, &learner, leaf_cost).best();
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        let difference = (objective - certificate.objective).abs();
        assert!(difference <= slack, "{objective} {certificate:?} {case}");
        if certificate.exact {
            assert_eq!(fit.training.leaves, leaves, "{case}");
        }
    }
}

#[test]
fn sizes_do_not_change_two_levels() {
    for seed in 1000..1030 {
        let mut rng = Rng::with_seed(seed);
        let most = Most {
            rows: if seed % 8 == 0 {
                [700, 1500]
            } else {
                [150, 500]
            },
            features: if seed % 8 == 0 { 4 } else { 8 },
            classes: if seed % 8 == 0 { 3 } else { 7 },
        };
        let table = table(&mut rng, most);
        let (mut learner, _) = task(&mut rng, &table, 2);
        learner.min_leaf = [1, 1, 1, 4][rng.usize(..4)];
        let case = format!("seed {seed}: {learner:?}");
        check_sizes(&table, &learner, &case);
    }
}

#[test]
fn sizes_do_not_change_three_levels() {
    for seed in 2000..2014 {
        let mut rng = Rng::with_seed(seed);
        let most = Most {
            rows: [40, 120],
            features: 3,
            classes: 3,
        };
        let table = table(&mut rng, most);
        let (learner, _) = task(&mut rng, &table, 3);
        let case = format!("seed {seed}: {learner:?}");
        check_sizes(&table, &learner, &case);
    }
}

#[test]
fn sizes_do_not_change_four_levels() {
    for seed in 2500..2520 {
        let mut rng = Rng::with_seed(seed);
        let most = Most {
            rows: [20, 50],
            features: 3,
            classes: 2,
        };
        let table = table(&mut rng, most);
        let (learner, _) = task(&mut rng, &table, 4);
        let case = format!("seed {seed}: {learner:?}");
        check_sizes(&table, &learner, &case);
    }
}

#[test]
fn threads_do_not_change_a_tree() {
    let pools = [1, 2, 5].map(|n| ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for seed in 3000..3024 {
        let mut rng = Rng::with_seed(seed);
        let depth = rng.usize(2..=4);
        let most = Most {
            rows: [[300, 700], [60, 120], [20, 50]][depth - 2],
            features: if depth == 2 { 6 } else { 3 },
            classes: 3,
        };
        let table = table(&mut rng, most);
        let (learner, _) = task(&mut rng, &table, depth);
        for sizes in [Switches::USUAL, Switches::TINY] {
            let fit = || learner.fit_with(&table.data, &Budget::unlimited(), sizes);
            let [one, others @ ..] = pools.each_ref().map(|pool| pool.install(fit).unwrap());
            for other in others {
                assert_eq!(other.model, one.model, "seed {seed}: {learner:?}");
                assert_eq!(
                    other.certificate, one.certificate,
                    "seed {seed}: {learner:?}"
                );
            }
        }
    }
}

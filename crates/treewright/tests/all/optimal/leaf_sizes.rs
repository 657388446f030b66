//! Leaves with a least size: the best of all trees, by all ways of working, and the first of equal ones.

use fastrand::Rng;
use rayon::ThreadPoolBuilder;
use treewright::Budget;
use treewright::cost::{CostMatrix, Loss};
use treewright::data::{Column, Target, TargetKind};
use treewright::learn::optimal::{Optimal, Sizes, Switches};

use super::large::{self, Most};
use super::small::{check_claims, random_loss, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::{Table, assemble};

fn factor() -> u64 {
    std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap())
}

/// Two classes that follow a few numbers, mostly without missing cells, categories and weights.
fn plain_table(rng: &mut Rng, most_rows: usize, most_features: usize) -> Table {
    let n_rows = rng.usize(4..=most_rows);
    let n_features = rng.usize(1..=most_features);
    let n_classes = [2, 2, 2, 3][rng.usize(..4)];
    let mut scores = vec![0; n_rows];
    let mut columns = Vec::new();
    for _ in 0..n_features {
        let distinct = [2, 4, 9, 1000][rng.usize(..4)];
        let place = rng.u32(..distinct);
        let numbers: Vec<u32> = (0..n_rows).map(|_| rng.u32(..distinct)).collect();
        for (score, &number) in scores.iter_mut().zip(&numbers) {
            *score += u32::from(number < place);
        }
        let is_missing = rng.u8(..6) == 0;
        let number = |number: u32| {
            if is_missing && rng.u8(..6) == 0 {
                f64::NAN
            } else {
                f64::from(number)
            }
        };
        columns.push(Column::Numeric(numbers.into_iter().map(number).collect()));
    }
    let noise = rng.u8(..4);
    let class = |score: u32| {
        if rng.u8(..8) < noise {
            rng.u32(..n_classes)
        } else {
            score % n_classes
        }
    };
    let classes = scores.into_iter().map(class).collect();
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    let weights =
        (rng.u8(..4) == 0).then(|| (0..n_rows).map(|_| f64::from(rng.u8(1..=4))).collect());
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    assemble(rng, columns, target, weights)
}

/// A learner with a least size of leaves, and the price of a leaf as a fraction.
fn random_task(rng: &mut Rng, table: &Table, depth: usize) -> (Optimal, (u64, u64)) {
    let n_classes = table.data.schema().classes().len();
    let (p, q) = [(0, 1), (0, 1), (0, 1), (1, 100), (1, 7)][rng.usize(..5)];
    // No sum of weights comes to exactly one of these shares.
    let (min_leaf, min_leaf_weight) = match rng.u8(..8) {
        0 => (1, 0.133_7),
        1 => (1, 0.071_3),
        _ => (rng.usize(2..=5), 0.0),
    };
    let learner = Optimal {
        depth,
        intervals: [Some(2), Some(2), Some(3), Some(4), None][rng.usize(..5)],
        min_leaf,
        min_leaf_weight,
        leaf_cost: format!("{p}/{q}").parse().unwrap(),
        loss: if rng.u8(..4) == 0 {
            random_loss(rng, n_classes)
        } else {
            Loss::ZeroOne
        },
        ..Optimal::default()
    };
    (learner, (p, q))
}

/// All combinations of the switches for leaves with a least size.
fn all_switches(sizes: Sizes) -> impl Iterator<Item = Switches> {
    (0..16_u8).map(move |bits| Switches {
        relaxed_first: bits & 1 > 0,
        relaxed_ranges: bits & 2 > 0,
        leaf_levels: bits & 4 > 0,
        sized_scans: bits & 8 > 0,
        sizes,
        ..Switches::USUAL
    })
}

pub(super) fn check_switches(table: &Table, learner: &Optimal, seed: u64) {
    let case = || format!("seed {seed}: {learner:?}\n{table}");
    let budget = Budget::unlimited();
    let expected = learner
        .fit_with(&table.data, &budget, Switches::USUAL)
        .unwrap();
    for sizes in [Sizes::USUAL, Sizes::TINY] {
        for switches in all_switches(sizes) {
            let found = learner.fit_with(&table.data, &budget, switches).unwrap();
            assert_eq!(found.model, expected.model, "{switches:?} {}", case());
            assert_eq!(found.certificate, expected.certificate, "{}", case());
        }
    }
    let threads = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let found = threads.install(|| {
        learner
            .fit_with(&table.data, &budget, Switches::USUAL)
            .unwrap()
    });
    assert_eq!(found.model, expected.model, "two threads, {}", case());
}

fn check(table: &Table, (learner, leaf_cost): &(Optimal, (u64, u64)), seed: u64) {
    let data = &table.data;
    let case = || format!("seed {seed}: {learner:?}\n{table}");
    let fit = learner
        .fit_with(data, &Budget::unlimited(), Switches::USUAL)
        .unwrap();
    let certificate = fit.certificate.as_ref().unwrap();
    assert!(certificate.is_optimal(), "{}", case());
    let all = Bounded::new(data, learner, *leaf_cost);
    let best = all.best(learner.depth);
    let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
    let difference = (certificate.objective - all.objective(best)).abs();
    assert!(difference <= slack, "{best:?} {certificate:?} {}", case());
    if certificate.exact || learner.loss == Loss::ZeroOne {
        assert_eq!(fit.training.leaves, best.1, "{best:?} {}", case());
    }
    check_claims(&fit, data, learner, &case());
}

#[test]
fn leaves_with_a_least_size_are_the_best_of_all() {
    for (depth, n_cases, most) in [(1, 300, [30, 4]), (2, 500, [24, 4]), (3, 200, [16, 3])] {
        for seed in 0..n_cases * factor() {
            let mut rng = Rng::with_seed(90_000 * depth as u64 + seed);
            let table = if seed % 3 == 0 {
                small_table(&mut rng, most[0] - 4, most[1] - 1)
            } else {
                plain_table(&mut rng, most[0], most[1])
            };
            let task = random_task(&mut rng, &table, depth);
            check(&table, &task, seed);
            if seed % 5 == 0 {
                check_switches(&table, &task.0, seed);
            }
        }
    }
}

/// Tables of some hundred rows: two levels by a plain loop, and three by all ways of working.
#[test]
fn larger_tables_have_the_same_trees() {
    for seed in 0..24 * factor() {
        let mut rng = Rng::with_seed(70_000 + seed);
        let depth = 2 + usize::from(seed % 4 == 0);
        let most = Most {
            rows: if depth == 2 { [60, 250] } else { [30, 60] },
            features: 4,
            classes: 2,
        };
        let table = if seed % 3 == 0 {
            large::table(&mut rng, most)
        } else {
            plain_table(&mut rng, most.rows[1], most.features)
        };
        let (learner, _) = random_task(&mut rng, &table, depth);
        let learner = Optimal {
            min_leaf: if learner.min_leaf_weight > 0.0 {
                1
            } else {
                [2, 5, 9, 20][rng.usize(..4)]
            },
            ..learner
        };
        check_switches(&table, &learner, seed);
    }
}

/// Rows without weight between two cuts: both are equally good, and the first one is wanted.
#[test]
fn rows_without_weight_do_not_change_which_cut_is_first() {
    for seed in 0..400 * factor() {
        let mut rng = Rng::with_seed(60_000 + seed);
        let n_rows = rng.usize(6..=14);
        let columns: Vec<Column> = (0..rng.usize(1..=3))
            .map(|_| Column::Numeric((0..n_rows).map(|_| f64::from(rng.u8(..12))).collect()))
            .collect();
        let classes = (0..n_rows).map(|_| rng.u32(..3)).collect();
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let target = (TargetKind::Classes(names), Target::Classes(classes));
        let weights = (rng.u8(..2) == 0).then(|| {
            let mut weights: Vec<f64> = (0..n_rows).map(|_| f64::from(rng.u8(..3))).collect();
            weights[0] = 1.0;
            weights
        });
        let table = assemble(&mut rng, columns, target, weights);
        // Rows of the third class are never wrong.
        let costs = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]].map(|row| row.to_vec());
        let learner = Optimal {
            depth: 3,
            intervals: Some(2),
            min_leaf: [1, 1, 2, 3][rng.usize(..4)],
            loss: Loss::Matrix(CostMatrix::new(&costs).unwrap()),
            ..Optimal::default()
        };
        let plain = Switches {
            close_cuts: false,
            shallower_incumbent: false,
            ..Switches::USUAL
        };
        let budget = Budget::unlimited();
        let expected = learner.fit_with(&table.data, &budget, plain).unwrap();
        let case = || format!("seed {seed}: {learner:?}\n{table}");
        for n_threads in [1, 2] {
            let threads = ThreadPoolBuilder::new().num_threads(n_threads).build();
            let found = threads.unwrap().install(|| {
                learner
                    .fit_with(&table.data, &budget, Switches::USUAL)
                    .unwrap()
            });
            assert_eq!(
                found.model,
                expected.model,
                "{n_threads} threads, {}",
                case()
            );
        }
    }
}

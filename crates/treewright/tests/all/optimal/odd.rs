//! Optimal trees of odd tables: nothing to ask, absurd limits, very many categories, very large weights.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{CostMatrix, Loss};
use treewright::data::{Column, MISSING_CODE, Target, TargetKind};
use treewright::learn::Learner;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::CategoricalSplits;

use super::small::check_claims;
use crate::reference::two_levels::TwoLevels;
use crate::tables::{Table, assemble};

fn of(columns: Vec<Column>, classes: Vec<u32>, weights: Option<Vec<f64>>) -> Table {
    let n_classes = classes.iter().max().unwrap() + 1;
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    assemble(&mut Rng::with_seed(1), columns, target, weights)
}

fn numeric(numbers: impl IntoIterator<Item = f64>) -> Column {
    Column::Numeric(numbers.into_iter().collect())
}

/// The number of leaves and the cost, by all ways of working.
fn solve(table: &Table, learner: &Optimal) -> (usize, f64) {
    let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
    let tiny = learner.fit_with(&table.data, &Budget::unlimited(), Switches::TINY);
    assert_eq!(tiny.unwrap().model, fit.model, "{learner:?}");
    assert!(
        fit.certificate.as_ref().unwrap().is_optimal(),
        "{learner:?}"
    );
    check_claims(&fit, &table.data, learner, &format!("{learner:?}"));
    (fit.training.leaves, fit.training.cost)
}

/// A branch for each category, as in the plain search for two levels.
fn learner(depth: usize, intervals: Option<usize>) -> Optimal {
    Optimal {
        depth,
        intervals,
        categorical_splits: CategoricalSplits::Multiway,
        ..Optimal::default()
    }
}

/// All depths and numbers of intervals that are of interest.
fn learners() -> impl Iterator<Item = Optimal> {
    let depths = [0, 1, 2, 3, 4, 1000].into_iter();
    depths.flat_map(|depth| [Some(1), Some(2), Some(3), Some(100), None].map(|k| learner(depth, k)))
}

#[test]
fn where_nothing_can_be_asked_a_leaf_is_the_best() {
    let nothing = || Column::Categorical(vec![MISSING_CODE; 6]);
    let tables = [
        of(vec![numeric([1.0])], vec![1], None),
        of(
            vec![numeric([1.0, 2.0, 3.0]), nothing_of(3)],
            vec![0; 3],
            None,
        ),
        of(
            vec![numeric([2.5; 6]), Column::Categorical(vec![1; 6])],
            vec![0, 1, 0, 1, 2, 1],
            None,
        ),
        of(
            vec![numeric([f64::NAN; 6]), nothing()],
            vec![0, 1, 0, 1, 2, 1],
            None,
        ),
        of(vec![nothing()], vec![0, 1, 1, 1, 0, 0], Some(vec![1e6; 6])),
    ];
    for table in &tables {
        for learner in learners() {
            assert_eq!(solve(table, &learner).0, 1, "{learner:?}\n{table}");
        }
    }
}

fn nothing_of(n_rows: usize) -> Column {
    Column::Categorical(vec![MISSING_CODE; n_rows])
}

#[test]
fn absurd_depths_and_intervals_do_no_harm() {
    let mut rng = Rng::with_seed(7);
    for n_rows in [2, 3, 7, 9] {
        let columns = (0..2).map(|_| numeric((0..n_rows).map(|_| f64::from(rng.u8(..12)))));
        let columns: Vec<Column> = columns.collect();
        let classes = (0..n_rows).map(|_| rng.u32(..3)).collect();
        let table = of(columns, classes, None);
        let deepest = solve(&table, &learner(1000, Some(2)));
        assert_eq!(solve(&table, &learner(usize::MAX, Some(2))), deepest);
        assert_eq!(solve(&table, &learner(n_rows, Some(2))), deepest);
        let widest = solve(&table, &learner(2, Some(1 << 40)));
        assert_eq!(solve(&table, &learner(2, Some(n_rows))), widest);
    }
}

#[test]
fn more_categories_than_a_byte_has_numbers() {
    for seed in 0..3 {
        let mut rng = Rng::with_seed(seed);
        let n_rows = 900;
        let codes: Vec<u32> = (0..n_rows).map(|row| row % 300).collect();
        let other: Vec<f64> = (0..n_rows).map(|_| rng.f64()).collect();
        let class = |row: usize| u32::from(codes[row].is_multiple_of(7) ^ (other[row] < 0.4));
        let classes = (0..n_rows as usize).map(class).collect();
        let third = numeric((0..n_rows).map(|_| f64::from(rng.u8(..4))));
        let columns = vec![
            Column::Categorical(codes.clone()),
            numeric(other.clone()),
            third,
        ];
        let table = of(columns, classes, None);
        for (intervals, cost) in [(Some(2), (0, 1)), (None, (0, 1)), (None, (1, 500))] {
            let learner = Optimal {
                leaf_cost: format!("{}/{}", cost.0, cost.1).parse().unwrap(),
                ..learner(2, intervals)
            };
            let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
            let (objective, leaves) = TwoLevels::new(&table.data, &learner, cost).best();
            assert!((fit.certificate.unwrap().objective - objective).abs() < 1e-12);
            assert_eq!(fit.training.leaves, leaves);
            solve(&table, &learner);
        }
    }
}

#[test]
fn heavy_rows() {
    // Sums that fit into 16, 32 and 64 bits, and steps of walks that do not.
    for (n_rows, heaviest) in [
        (120, 200_u32),
        (120, 290),
        (60, 1 << 20),
        (60, (1 << 22) - 1),
        (60, 1 << 22),
        (60, 1 << 24),
        (150, 14_000_000),
        (9, 230_000_000),
    ] {
        for seed in 0..2 {
            let mut rng = Rng::with_seed(seed);
            let columns = (0..3).map(|_| numeric((0..n_rows).map(|_| rng.f64())));
            let columns: Vec<Column> = columns.collect();
            let n_classes = 2 + seed as u32 % 2;
            let classes = (0..n_rows).map(|row| row as u32 * 7 / 3 % n_classes);
            let classes: Vec<u32> = classes.collect();
            let weights: Vec<f64> = (0..n_rows)
                .map(|_| f64::from(heaviest - rng.u32(..100)))
                .collect();
            let table = of(columns, classes, Some(weights));
            for intervals in [Some(2), Some(3), None] {
                let learner = learner(2, intervals);
                let (leaves, cost) = solve(&table, &learner);
                let best = TwoLevels::new(&table.data, &learner, (0, 1)).best();
                assert!((cost - best.0).abs() < 1e-12, "{cost} {best:?} {learner:?}");
                assert_eq!(leaves, best.1, "{learner:?}");
            }
            if n_rows <= 100 && seed == 0 {
                solve(&table, &learner(3, Some(2)));
            }
        }
    }
}

#[test]
fn labels_without_any_weight() {
    let mut rng = Rng::with_seed(3);
    for (costs, is_even) in [
        // Every prediction costs the same, whatever is true.
        ([[1.0; 3]; 3], true),
        ([[0.0; 3]; 3], true),
        // Only for rows of one class does the prediction matter.
        ([[2.0; 3], [1.0, 0.0, 3.0], [0.0; 3]], false),
        // Two predictions are as good as each other.
        ([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [4.0, 4.0, 0.0]], false),
    ] {
        let n_rows = 60;
        let columns = vec![
            numeric((0..n_rows).map(|_| f64::from(rng.u8(..40)))),
            numeric((0..n_rows).map(|_| rng.f64())),
            Column::Categorical((0..n_rows).map(|_| rng.u32(..5)).collect()),
        ];
        let classes = (0..n_rows).map(|_| rng.u32(..3)).collect();
        let table = of(columns, classes, None);
        for intervals in [Some(2), Some(3), None] {
            let learner = Optimal {
                loss: Loss::Matrix(CostMatrix::new(&costs.map(Vec::from)).unwrap()),
                ..learner(2, intervals)
            };
            let (leaves, cost) = solve(&table, &learner);
            let best = TwoLevels::new(&table.data, &learner, (0, 1)).best();
            assert!((cost - best.0).abs() < 1e-12, "{cost} {best:?} {learner:?}");
            assert_eq!(leaves, best.1, "{learner:?}");
            assert!(leaves == 1 || !is_even);
            if intervals == Some(2) {
                solve(
                    &table,
                    &Optimal {
                        depth: 3,
                        ..learner
                    },
                );
            }
        }
    }
}

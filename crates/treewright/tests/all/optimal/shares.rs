//! Leaves whose class has a least share: trees have only such leaves, and are the best of those that do.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{ClassShare, CostMatrix, Lambda, Loss};
use treewright::data::{Column, MISSING_CODE, Target, TargetKind};
use treewright::learn::Learner;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::CategoricalSplits;

use super::leaf_sizes::check_switches;
use super::rules::random_rules;
use super::sizes;
use super::small::{Task, check_claims, random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::{Table, assemble};

const SHARES: [&str; 10] = [
    "1", "0.9", "4/5", "0.75", "2/3", "0.5", "1/3", "0.55", "0.6", "7/10",
];

fn factor() -> u64 {
    std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap())
}

/// Rows whose class is sure for some values of a feature, and a matter of chance for others.
fn sure_table(rng: &mut Rng, most_rows: usize, most_features: usize) -> Table {
    let n_rows = rng.usize(6.min(most_rows)..=most_rows);
    let n_classes = [2, 2, 3][rng.usize(..3)];
    let chances: Vec<(u32, u8)> = (0..8)
        .map(|_| (rng.u32(..n_classes), [10, 9, 8, 6][rng.usize(..4)]))
        .collect();
    let mut first = Vec::new();
    let columns: Vec<Column> = (0..rng.usize(1..=most_features))
        .map(|_| {
            let n_values = rng.u32(3..=8);
            let values: Vec<u32> = (0..n_rows).map(|_| rng.u32(..n_values)).collect();
            let is_missing: Vec<bool> = (0..n_rows).map(|_| rng.u8(..12) == 0).collect();
            let cells = values.iter().zip(is_missing);
            let column = if rng.bool() {
                let cell = |(&value, is_missing)| {
                    if is_missing {
                        f64::NAN
                    } else {
                        f64::from(value)
                    }
                };
                Column::Numeric(cells.map(cell).collect())
            } else {
                let cell = |(&value, is_missing)| if is_missing { MISSING_CODE } else { value };
                Column::Categorical(cells.map(cell).collect())
            };
            if first.is_empty() {
                first = values;
            }
            column
        })
        .collect();
    let class = |&value: &u32| {
        let (class, chance) = chances[value as usize];
        if rng.u8(..10) < chance {
            class
        } else {
            rng.u32(..n_classes)
        }
    };
    let classes = first.iter().map(class).collect();
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    let weights = (rng.u8(..3) == 0).then(|| {
        (0..n_rows)
            .map(|_| f64::from(rng.u8(1..=5)) / 2.0)
            .collect()
    });
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    assemble(rng, columns, target, weights)
}

fn random_case(seed: u64, depth: usize, sizes: [usize; 2], most: usize) -> (Table, Task) {
    let mut rng = Rng::with_seed(seed);
    let table = if seed.is_multiple_of(3) {
        small_table(&mut rng, sizes[0], sizes[1])
    } else {
        sure_table(&mut rng, sizes[0], sizes[1])
    };
    let (mut learner, leaf_cost) = random_task(&mut rng, &table.data, depth, most);
    learner.min_class_share = Some(SHARES[rng.usize(..SHARES.len())].parse().unwrap());
    if rng.bool() {
        (learner.min_leaf, learner.min_leaf_weight) = (1, 0.0);
    }
    if rng.u8(..4) == 0 && table.data.columns().len() > 1 {
        learner.rules = random_rules(&mut rng, &table.data);
    }
    let leaf = Optimal {
        depth: 0,
        ..learner.clone()
    };
    if leaf.fit(&table.data, &Budget::unlimited()).is_err() {
        // Its losses would be rounded.
        return random_case(seed + 1_000_000_007, depth, sizes, most);
    }
    (table, (learner, leaf_cost))
}

/// A row of next to no weight loses nothing by any label when losses are rounded, but its class decides about a leaf.
#[test]
fn rounded_losses_are_refused() {
    let mut rng = Rng::with_seed(0);
    let columns = vec![Column::Numeric(vec![f64::NAN, 1.0, 0.0].into())];
    let names = vec!["k0".into(), "k1".into()];
    let target = (TargetKind::Classes(names), Target::Classes(vec![1, 1, 0]));
    for (light, is_refused) in [(6e-7, true), (0.6, false)] {
        let weights = Some(vec![5e7, light, 3e3]);
        let table = assemble(&mut rng, columns.clone(), target.clone(), weights);
        let learner = Optimal {
            depth: 1,
            intervals: Some(2),
            min_class_share: Some("1".parse().unwrap()),
            ..Optimal::default()
        };
        let found = learner.fit(&table.data, &Budget::unlimited());
        match found {
            Ok(fit) => assert!(!is_refused && fit.training.leaves == 3, "{light}"),
            Err(error) => {
                let message = error.to_string();
                assert!(
                    is_refused && message.contains("too many digits"),
                    "{light}: {message}"
                );
            }
        }
    }
}

/// Is the tree of a rule about leaves not that of a learner without it, and has it several leaves?
fn check_tree(table: &Table, (learner, leaf_cost): &Task, case: &str) -> bool {
    let data = &table.data;
    let all = Bounded::new(data, learner, *leaf_cost);
    let best = all.best(learner.depth);
    let mut first = None;
    for switches in [Switches::USUAL, Switches::TINY, Switches::NONE] {
        let fit = learner
            .fit_with(data, &Budget::unlimited(), switches)
            .unwrap();
        let certificate = fit.certificate.clone().unwrap();
        assert!(certificate.is_optimal(), "{case}");
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        let difference = (certificate.objective - all.objective(best)).abs();
        assert!(difference <= slack, "{best:?} {certificate:?} {case}");
        if certificate.exact || learner.loss == Loss::ZeroOne {
            assert_eq!(fit.training.leaves, best.1, "{best:?} {case}");
        }
        check_claims(&fit, data, learner, case);
        let first = first.get_or_insert_with(|| fit.model.clone());
        assert_eq!(*first, fit.model, "{case}");
    }
    let any = Optimal {
        min_class_share: None,
        ..learner.clone()
    };
    let of_any = Bounded::new(data, &any, *leaf_cost).best(learner.depth);
    best != of_any && best.1 > 1
}

/// Random tables of up to this many rows and features, with this many of the choices for intervals. The number of those
/// where the rule matters.
fn check_cases(first: u64, n_cases: u64, depth: usize, sizes: [usize; 2], most: usize) -> u64 {
    let mut n_changed = 0;
    for seed in first..first + n_cases * factor() {
        let (table, task) = random_case(seed, depth, sizes, most);
        let case = format!("seed {seed}: {:?}\n{table}", task.0);
        n_changed += u64::from(check_tree(&table, &task, &case));
    }
    n_changed
}

#[test]
fn the_best_trees_whose_leaves_have_the_share() {
    let n_changed = check_cases(0, 300, 1, [20, 4], 4)
        + check_cases(100_000, 400, 2, [14, 4], 4)
        + check_cases(200_000, 60, 2, [30, 4], 3)
        + check_cases(300_000, 200, 3, [9, 4], 4)
        + check_cases(400_000, 20, 4, [7, 3], 3);
    assert!(n_changed > 8 * factor(), "{n_changed} trees were changed");
}

#[test]
fn every_size_has_the_share() {
    for (depth, n_cases, most) in [(1, 200, [30, 4]), (2, 250, [14, 4]), (3, 120, [9, 4])] {
        for seed in 0..n_cases * factor() {
            let seed = 500_000 * depth as u64 + seed;
            let (table, (learner, _)) = random_case(seed, depth, most, 4);
            let learner = Optimal {
                leaf_cost: Lambda::zero(),
                intervals: learner.intervals.map(|most| most.max(2)),
                ..learner
            };
            let share = learner.min_class_share.as_ref().unwrap();
            for switches in [Switches::USUAL, Switches::TINY, Switches::NONE] {
                let fit = sizes::check(&table, &learner, switches);
                for member in 0..fit.family.len() {
                    let broken = fit.family.tree(member).below_share(share);
                    assert_eq!(broken, None, "seed {seed}: {learner:?}\n{table}");
                }
            }
        }
    }
}

/// Many categories in few groups, each of which needs the share: a knapsack problem.
#[test]
fn groups_of_categories_have_the_share() {
    let mut n_changed = 0;
    for seed in 2_000_000..2_000_000 + 150 * factor() {
        let (table, (learner, leaf_cost)) = random_case(seed, 1, [30, 2], 4);
        let learner = Optimal {
            categorical_splits: CategoricalSplits::Grouped,
            ..learner
        };
        let case = format!("seed {seed}: {learner:?}\n{table}");
        n_changed += u64::from(check_tree(&table, &(learner, leaf_cost), &case));
    }
    assert!(n_changed > 1, "{n_changed} trees were changed");
}

#[test]
fn all_ways_of_working_find_the_same_tree() {
    for seed in 3_000_000..3_000_000 + 60 * factor() {
        let (table, (learner, _)) = random_case(seed, 2 + usize::from(seed % 3 == 0), [30, 3], 3);
        check_switches(&table, &learner, seed);
    }
}

#[test]
fn a_stopped_search_is_honest_and_keeps_the_share() {
    let mut n_stopped = 0;
    for seed in 0..200 * factor() {
        let (table, (learner, _)) = random_case(4_000_000 + seed, 3, [40, 5], 3);
        let data = &table.data;
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let fit = |budget: Budget| learner.fit_with(data, &budget, Switches::USUAL).unwrap();
        let best = fit(Budget::unlimited()).certificate.unwrap();
        let stopped = fit(Budget::unlimited().with_looks(1 + seed % 40));
        let certificate = stopped.certificate.as_ref().unwrap();
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        assert!(certificate.lower_bound <= best.objective + slack, "{case}");
        assert!(best.objective <= certificate.objective + slack, "{case}");
        check_claims(&stopped, data, &learner, &case);
        n_stopped += u64::from(!certificate.is_optimal());
    }
    assert!(n_stopped > 30 * factor(), "{n_stopped} were stopped");
}

/// Costs in tenths, and the same in whole numbers.
fn tenths(rng: &mut Rng, n_classes: usize) -> [Loss; 2] {
    let cost = |truth, class| if truth == class { 0 } else { rng.u32(1..=30) };
    let mut cost = cost;
    let row =
        |truth: usize| -> Vec<u32> { (0..n_classes).map(|class| cost(truth, class)).collect() };
    let costs: Vec<Vec<u32>> = (0..n_classes).map(row).collect();
    [10.0, 1.0].map(|unit| {
        let of_row = |row: &Vec<u32>| row.iter().map(|&cost| f64::from(cost) / unit).collect();
        let costs: Vec<Vec<f64>> = costs.iter().map(of_row).collect();
        Loss::Matrix(CostMatrix::new(&costs).unwrap())
    })
}

/// Three times 1.1 is eleven times 0.3, but not as doubles: which class a leaf predicts must not depend on that.
#[test]
fn classes_of_equal_cost_in_decimals() {
    let numbers = (0..30).map(|row| f64::from(u8::from(row >= 14)));
    let columns = vec![Column::Numeric(numbers.collect())];
    let names = vec!["k0".into(), "k1".into(), "k2".into()];
    let classes = (0..30).map(|row| u32::from(row >= 11) + u32::from(row >= 14));
    let classes = classes.collect();
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    let table = assemble(&mut Rng::with_seed(0), columns, target, None);
    let costs = [[0.0, 0.3, 2.0], [1.1, 0.0, 2.0], [2.0, 2.0, 0.0]].map(Vec::from);
    let learner = Optimal {
        depth: 1,
        min_class_share: Some("0.5".parse().unwrap()),
        loss: Loss::Matrix(CostMatrix::new(&costs).unwrap()),
        ..Optimal::default()
    };
    let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
    let tree = &fit.model;
    assert_eq!(fit.training.leaves, 2);
    // The root and its two leaves.
    let values: Vec<f64> = tree.ids().skip(1).map(|id| tree.value(id)).collect();
    assert_eq!(values, [0.0, 2.0]);
    check_claims(&fit, &table.data, &learner, "decimals");
}

/// Decimals are whole numbers of a smaller unit: both have the same tree.
#[test]
fn decimals_have_the_tree_of_whole_numbers() {
    for seed in 5_000_000..5_000_000 + 400 * factor() {
        let mut rng = Rng::with_seed(seed);
        let table = sure_table(&mut rng, 16, 3);
        let n_classes = table.data.schema().classes().len();
        let (task, _) = random_task(&mut rng, &table.data, 2, 4);
        let share: ClassShare = SHARES[rng.usize(..SHARES.len())].parse().unwrap();
        let trees = tenths(&mut rng, n_classes).map(|loss| {
            let learner = Optimal {
                loss,
                leaf_cost: Lambda::zero(),
                min_class_share: Some(share.clone()),
                ..task.clone()
            };
            let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
            let tree = fit.model;
            assert_eq!(
                tree.below_share(&share),
                None,
                "seed {seed}: {learner:?}\n{table}"
            );
            let values: Vec<f64> = tree.ids().map(|id| tree.value(id)).collect();
            let splits: Vec<_> = tree
                .ids()
                .map(|id| tree.branch(id).map(|branch| branch.split.clone()))
                .collect();
            (splits, values)
        });
        assert_eq!(trees[0], trees[1], "seed {seed}:\n{table}");
    }
}

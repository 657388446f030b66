//! Rows that no tree can tell apart: what is known about trees of any depth without a search.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;
use treewright::Budget;
use treewright::data::{Dataset, Target, Value};
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;

use super::small::{check_claims, random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::{Table, with_rows};

/// A table in which many rows have the same cells, and not always the same class.
fn table_of_copies(rng: &mut Rng, most_rows: usize, n_copies: usize) -> Table {
    let Table { data, .. } = small_table(rng, most_rows, 3);
    let rows: Vec<usize> = (0..data.n_rows() + n_copies)
        .map(|_| rng.usize(..data.n_rows()))
        .collect();
    let Target::Classes(classes) = data.target() else {
        panic!("no classes");
    };
    let n_classes = data.schema().classes().len() as u32;
    let classes = rows.iter().map(|&row| match rng.u8(..3) {
        0 => rng.u32(..n_classes),
        _ => classes[row],
    });
    let target = Target::Classes(classes.collect());
    let weights = data.weights().map(|_| {
        let weights = rows.iter().map(|&row| data.weight(row).max(0.1));
        weights.collect()
    });
    let copies = with_rows(&data, &rows, weights.clone());
    let columns = copies.columns().to_vec();
    Table {
        data: Dataset::new(Arc::clone(data.schema()), columns, target, weights),
    }
}

/// Cells as keys: numbers that are equal have the same.
fn key(data: &Dataset, row: usize) -> Vec<(u8, u64)> {
    let of = |value: Value| match value {
        Value::Missing => (0, 0),
        Value::Number(number) => (1, (number + 0.0).to_bits()),
        Value::Category(code) => (2, u64::from(code)),
    };
    let columns = data.columns().iter();
    columns.map(|column| of(column.value(row))).collect()
}

/// What rows with these classes and weights cost as one leaf.
fn cost_of_leaf(data: &Dataset, learner: &Optimal, rows: &[usize]) -> f64 {
    let Target::Classes(classes) = data.target() else {
        panic!("no classes");
    };
    let cost = |class: usize| {
        let of_row = |&row: &usize| {
            let loss = learner.loss.of_class(classes[row] as usize, class);
            data.weight(row) * loss
        };
        rows.iter().map(of_row).sum::<f64>()
    };
    let costs = (0..data.schema().classes().len()).map(cost);
    costs.fold(f64::INFINITY, f64::min) / data.total_weight()
}

/// What rows that are alike cost, and what all rows cost as one leaf.
fn cost_of_alike(data: &Dataset, learner: &Optimal) -> [f64; 2] {
    let mut groups: BTreeMap<Vec<(u8, u64)>, Vec<usize>> = BTreeMap::new();
    for row in 0..data.n_rows() {
        groups.entry(key(data, row)).or_default().push(row);
    }
    let alike = groups
        .values()
        .map(|rows| cost_of_leaf(data, learner, rows));
    let all: Vec<usize> = (0..data.n_rows()).collect();
    [alike.sum(), cost_of_leaf(data, learner, &all)]
}

/// No way from the root to a leaf is longer.
fn longest_way(data: &Dataset) -> usize {
    let questions = |column: usize| {
        let cells = (0..data.n_rows()).map(|row| key(data, row)[column]);
        let mut cells: Vec<_> = cells.filter(|cell| cell.0 != 0).collect();
        cells.sort_unstable();
        cells.dedup();
        match cells.first() {
            Some((2, _)) => 1,
            _ => cells.len(),
        }
    };
    let all = (0..data.columns().len()).map(questions).sum::<usize>();
    all.min(data.n_rows())
}

#[test]
fn a_stopped_search_knows_what_rows_that_are_alike_cost() {
    let (mut n_exact, mut n_above_zero) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let table = table_of_copies(&mut rng, 12, 12);
        let depth = rng.usize(1..=4);
        let (learner, _) = random_task(&mut rng, &table.data, depth, 4);
        let data = &table.data;
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let [alike, leaf] = cost_of_alike(data, &learner);
        let leaf_cost = learner.leaf_cost.to_f64();
        let least = (alike + 2.0 * leaf_cost).min(leaf + leaf_cost);
        for limit in ["time", "memory"] {
            let is_time = limit == "time";
            let learner = Optimal {
                most_bytes: if is_time { usize::MAX } else { 0 },
                ..learner.clone()
            };
            let flag = Arc::new(AtomicBool::new(is_time));
            let budget = Budget::unlimited().with_interrupt(flag);
            let fit = learner.fit(data, &budget).unwrap();
            let certificate = fit.certificate.as_ref().unwrap();
            let (objective, bound) = (certificate.objective, certificate.lower_bound);
            let slack = certificate.tolerance.unwrap_or(0.0) + 1e-11;
            let case = format!("{limit} {certificate:?} {least} {case}");
            assert!(bound >= least.min(objective) - slack, "{case}");
            check_claims(&fit, data, &learner, &case);
            // A search for the last depth may know more than that.
            let is_last = is_time && depth.min(longest_way(data)) <= 2;
            if !is_last && !certificate.is_optimal() {
                assert!(bound <= least + slack, "{case}");
                n_exact += 1;
                n_above_zero += u32::from(bound > 0.0);
            }
            let whole = Optimal {
                most_bytes: usize::MAX,
                ..learner
            };
            let whole = whole.fit(data, &Budget::unlimited()).unwrap();
            let optimum = whole.certificate.unwrap().objective;
            assert!(bound <= optimum + slack, "{optimum} {case}");
            if certificate.is_optimal() {
                assert!(objective <= optimum + slack, "{optimum} {case}");
            }
        }
    }
    assert!(n_exact > 500, "{n_exact} are known");
    assert!(n_above_zero > 300, "{n_above_zero} are known and not 0");
}

#[test]
fn rows_that_are_alike_bound_all_depths() {
    let mut n_met = 0;
    for seed in 2000..2400 {
        let mut rng = Rng::with_seed(seed);
        let table = table_of_copies(&mut rng, 5, 7);
        let data = &table.data;
        let (learner, leaf_cost) = random_task(&mut rng, data, 9, 4);
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let all = Bounded::new(data, &learner, leaf_cost);
        let [alike, leaf] = cost_of_alike(data, &learner);
        let price = learner.leaf_cost.to_f64();
        let least = (alike + 2.0 * price).min(leaf + price);
        for depth in [1, 2, 4, longest_way(data)] {
            let best = all.objective(all.best(depth));
            assert!(least <= best + 1e-9, "{least} {best} depth {depth} {case}");
            // If trees are free, they tell all other rows apart.
            let is_free = price == 0.0 && learner.min_leaf == 1 && learner.min_leaf_weight == 0.0;
            if is_free && depth >= longest_way(data) && learner.intervals != Some(1) {
                assert!((least - best).abs() < 1e-9, "{least} {best} {case}");
                n_met += 1;
            }
        }
    }
    assert!(n_met > 30, "{n_met} are met");
}

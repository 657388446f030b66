//! Optimal trees of bounded depth: they equal the best of all trees, and what they claim holds.

use std::time::Duration;

use fastrand::Rng;
use treewright::cost::{CostMatrix, Loss};
use treewright::data::{Column, Dataset, Target, TargetKind, Value};
use treewright::eval::verify;
use treewright::learn::Learner;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::{CategoricalSplits, NodeId, Split, Training};
use treewright::{Budget, Fit};

use crate::reference::bounded::Bounded;
use crate::tables::{Table, assemble, random_column};

/// A learner, and the price of a leaf as a fraction.
pub(crate) type Task = (Optimal, (u64, u64));

pub(crate) fn small_table(rng: &mut Rng, most_rows: usize, most_features: usize) -> Table {
    let n_rows = rng.usize(1..=most_rows);
    let n_features = rng.usize(1..=most_features);
    let columns: Vec<Column> = (0..n_features)
        .map(|_| random_column(rng, n_rows, true))
        .collect();
    let n_classes = rng.usize(2..=6);
    let target = Target::Classes(random_classes(rng, &columns, n_rows, n_classes as u32));
    let names = (0..n_classes).map(|class| format!("c{class}")).collect();
    let weights = match rng.u8(..5) {
        0..3 => None,
        3 => Some(whole_weights(rng, n_rows)),
        _ => Some(
            (0..n_rows)
                .map(|_| f64::from(rng.u8(1..=30)) / 10.0)
                .collect(),
        ),
    };
    assemble(rng, columns, (TargetKind::Classes(names), target), weights)
}

/// Some rows have no weight at all, but not the first.
fn whole_weights(rng: &mut Rng, n_rows: usize) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..n_rows).map(|_| f64::from(rng.u8(0..=3))).collect();
    weights[0] = 1.0;
    weights
}

/// Classes that follow two features, with some noise, or nothing at all.
fn random_classes(rng: &mut Rng, columns: &[Column], n_rows: usize, n_classes: u32) -> Vec<u32> {
    let both = [0, 1].map(|_| rng.usize(..columns.len()));
    let noise = rng.u8(..4);
    let part = |column: usize, row: usize| match columns[column].value(row) {
        Value::Missing => 3,
        Value::Number(x) => (x.clamp(-4.0, 30.0) * 0.6 + 4.0) as u32,
        Value::Category(code) => code,
    };
    (0..n_rows)
        .map(|row| {
            if rng.u8(..4) < noise {
                return rng.u32(..n_classes);
            }
            (part(both[0], row) ^ (2 * part(both[1], row))) % n_classes
        })
        .collect()
}

pub(crate) fn random_task(rng: &mut Rng, data: &Dataset, depth: usize, most: usize) -> Task {
    let n_classes = data.schema().classes().len();
    let (p, q) = [(0, 1), (0, 1), (1, 100), (1, 7), (1, 20), (3, 1000)][rng.usize(..6)];
    let intervals = [Some(1), Some(2), Some(3), None][rng.usize(..most)];
    // No sum of weights comes to exactly one of these shares.
    let least = [
        (1, 0.0),
        (1, 0.0),
        (2, 0.0),
        (3, 0.0),
        (1, 0.133_7),
        (1, 0.307_1),
    ];
    let (min_leaf, min_leaf_weight) = least[rng.usize(..6)];
    let categorical_splits = CategoricalSplits::ALL[rng.usize(..3)];
    let learner = Optimal {
        depth,
        intervals,
        categorical_splits,
        min_leaf,
        min_leaf_weight,
        leaf_cost: format!("{p}/{q}").parse().unwrap(),
        loss: random_loss(rng, n_classes),
        ..Optimal::default()
    };
    (learner, (p, q))
}

pub(crate) fn random_loss(rng: &mut Rng, n_classes: usize) -> Loss {
    if rng.u8(..3) != 0 {
        return Loss::ZeroOne;
    }
    let mut row = |truth: usize| -> Vec<f64> {
        let cost = |class| if class == truth { 0 } else { rng.u32(..5) };
        (0..n_classes).map(cost).map(f64::from).collect()
    };
    let costs: Vec<Vec<f64>> = (0..n_classes).map(&mut row).collect();
    Loss::Matrix(CostMatrix::new(&costs).unwrap())
}

/// The tree keeps to the rules, and has the figures that it claims.
pub(crate) fn check_claims(fit: &Fit, data: &Dataset, learner: &Optimal, case: &str) {
    let certificate = fit.certificate.as_ref().unwrap();
    let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
    let training = Training::of(&fit.model, data);
    assert!((training.cost - fit.training.cost).abs() <= slack, "{case}");
    let leaves = learner.leaf_cost.to_f64() * training.leaves as f64;
    let objective = training.cost + leaves;
    assert!((objective - certificate.objective).abs() <= slack, "{case}");
    assert_eq!(training.leaves, fit.training.leaves, "{case}");
    assert!(fit.model.depth() <= learner.depth, "{case}");
    let verification = verify(fit, data);
    assert!(verification.holds, "{verification:?} {case}");
    check_shape(fit, data, learner, case);
}

/// Enough rows in every leaf, and not too many intervals anywhere.
fn check_shape(fit: &Fit, data: &Dataset, learner: &Optimal, case: &str) {
    let tree = &fit.model;
    let (mut n_rows, mut weights) = (vec![0; tree.n_nodes()], vec![0.0; tree.n_nodes()]);
    for (row, leaf) in tree.apply(data).into_iter().enumerate() {
        n_rows[leaf.index()] += 1;
        weights[leaf.index()] += data.weight(row);
    }
    let least = learner.min_leaf_weight * data.total_weight();
    let n_classes = data.schema().classes().len();
    let most = learner.intervals.unwrap_or(n_classes + 1);
    for id in tree.ids() {
        let Some(branch) = tree.branch(id) else {
            let is_large = n_rows[id.index()] >= learner.min_leaf && weights[id.index()] >= least;
            assert!(is_large || id == NodeId::ROOT, "{case}");
            continue;
        };
        if let Split::Intervals { cuts, .. } = &branch.split {
            let is_last = branch.children().all(|child| tree.is_leaf(child));
            let most = if is_last { most.max(2) } else { 2 };
            assert!(cuts.len() < most, "{case}");
        }
    }
}

fn check_case(table: &Table, (learner, leaf_cost): &Task, seed: u64) {
    let data = &table.data;
    let case = format!("seed {seed}: {learner:?}\n{table}");
    let fit = learner.fit(data, &Budget::unlimited()).unwrap();
    let certificate = fit.certificate.as_ref().unwrap();
    assert!(certificate.is_optimal(), "{case}");
    let all = Bounded::new(data, learner, *leaf_cost);
    let best = all.best(learner.depth);
    let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
    let difference = (certificate.objective - all.objective(best)).abs();
    assert!(difference <= slack, "{best:?} {certificate:?} {case}");
    // A decimal times a cost may be rounded, and then ties are none.
    if certificate.exact || learner.loss == Loss::ZeroOne {
        assert_eq!(fit.training.leaves, best.1, "{best:?} {case}");
    }
    check_claims(&fit, data, learner, &case);
    let tiny = learner
        .fit_with(data, &Budget::unlimited(), Switches::TINY)
        .unwrap();
    assert_eq!(tiny.model, fit.model, "{case}");
    assert_eq!(tiny.certificate, fit.certificate, "{case}");
}

/// Random tables of up to this many rows and features, with this many of the choices for intervals.
fn check_cases(seeds: std::ops::Range<u64>, depth: usize, sizes: [usize; 3]) {
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, sizes[0], sizes[1]);
        let task = random_task(&mut rng, &table.data, depth, sizes[2]);
        check_case(&table, &task, seed);
    }
}

#[test]
fn one_level_is_the_best_of_all() {
    check_cases(0..6000, 1, [14, 4, 4]);
    check_cases(6000..10_000, 1, [60, 4, 3]);
}

#[test]
fn two_levels_are_the_best_of_all() {
    check_cases(10_000..16_000, 2, [12, 3, 4]);
    check_cases(16_000..19_000, 2, [40, 3, 3]);
}

#[test]
fn three_levels_are_the_best_of_all() {
    check_cases(20_000..24_000, 3, [8, 3, 4]);
    check_cases(24_000..26_000, 3, [20, 2, 2]);
}

#[test]
fn four_levels_are_the_best_of_all() {
    check_cases(26_000..26_600, 4, [7, 2, 4]);
    check_cases(27_000..27_200, 4, [12, 2, 2]);
}

#[test]
fn a_stopped_search_is_honest() {
    let (mut n_stopped, mut n_split) = (0, 0);
    for seed in 30_000..30_400 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 80, 5);
        let (learner, _) = random_task(&mut rng, &table.data, 3, 3);
        let fit = |limit: Duration| {
            let budget = Budget::unlimited().with_time_limit(limit);
            learner.fit(&table.data, &budget).unwrap()
        };
        let (whole, stopped) = (fit(Duration::from_secs(60)), fit(Duration::ZERO));
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let best = whole.certificate.unwrap();
        assert!(best.is_optimal(), "{case}");
        let certificate = stopped.certificate.as_ref().unwrap();
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        assert!(certificate.lower_bound <= best.objective + slack, "{case}");
        assert!(best.objective <= certificate.objective + slack, "{case}");
        check_claims(&stopped, &table.data, &learner, &case);
        let is_stopped = !certificate.is_optimal();
        n_stopped += u32::from(is_stopped);
        n_split += u32::from(is_stopped && stopped.training.leaves > 1);
    }
    assert!(n_stopped > 100, "{n_stopped} were stopped");
    assert!(n_split > 50, "{n_split} have a split");
}

#[test]
fn more_freedom_never_costs_more() {
    for seed in 40_000..40_300 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 25, 3);
        let (learner, _) = random_task(&mut rng, &table.data, 1, 4);
        let objective = |depth: usize, intervals: usize| {
            let learner = Optimal {
                depth,
                intervals: Some(intervals),
                ..learner.clone()
            };
            let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
            fit.certificate.unwrap().objective
        };
        for (depth, intervals) in [(0, 2), (1, 1), (1, 2), (2, 2), (2, 3)] {
            let least = objective(depth, intervals);
            let case = format!("seed {seed}: {learner:?}\n{table}");
            assert!(objective(depth + 1, intervals) <= least + 1e-12, "{case}");
            assert!(objective(depth, intervals + 1) <= least + 1e-12, "{case}");
        }
    }
}

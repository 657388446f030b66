//! The greedy learner against the judge, on thousands of random tables.

use fastrand::Rng;
use rayon::ThreadPoolBuilder;
use treewright::cost::{CostMatrix, Loss};
use treewright::data::{Column, Dataset, Target};
use treewright::learn::greedy::{
    CategoricalSplits, Criterion, GreedySwitches, MissingPolicy, Summary,
};
use treewright::learn::{Greedy, Learner};
use treewright::tree::{Fit, Split, Tree};
use treewright::{Budget, export};

use crate::optimal::rules::random_rules;
use crate::reference::greedy::judge;
use crate::reference::predict::check_predictions;
use crate::reference::splits::bins_are_clear;
use crate::tables::{Table, Weights, Wishes, large_table, other_rows, random_table, with_rows};

pub(crate) const CRITERIA: [Criterion; 4] = [
    Criterion::Gini,
    Criterion::Entropy,
    Criterion::GainRatio,
    Criterion::Error,
];
pub(crate) const NUMBER_CRITERIA: [Criterion; 3] =
    [Criterion::Mse, Criterion::Mae, Criterion::BinnedGini];

/// Random tables for each criterion, missing policy and kind of categorical split.
const TABLES: usize = 240;

pub(crate) fn all_policies() -> impl Iterator<Item = (MissingPolicy, CategoricalSplits)> {
    MissingPolicy::ALL
        .into_iter()
        .flat_map(|missing| CategoricalSplits::ALL.map(|categorical| (missing, categorical)))
}

/// Stopping rules and the like by chance; more than half of the parameters keep their defaults.
pub(crate) fn random_params(rng: &mut Rng, criterion: Criterion) -> Greedy {
    let mut params = Greedy {
        criterion: Some(criterion),
        ..Greedy::default()
    };
    params.zero_gain = rng.u8(..4) == 0;
    if rng.u8(..3) == 0 {
        params.min_leaf = rng.usize(2..=4);
    }
    if rng.u8(..6) == 0 {
        // No sum of weights comes to exactly this.
        params.min_leaf_weight = [0.013_37, 0.106_13, 0.241_37][rng.usize(..3)];
    }
    if rng.u8(..3) == 0 {
        params.min_split = rng.usize(2..=9);
    }
    if rng.u8(..3) == 0 {
        params.max_depth = Some([0, 1, 2, 2, 3, 3, 4, 4][rng.usize(..8)]);
    }
    if rng.u8(..6) == 0 {
        params.min_gain = [1e-3, 0.01, 0.05, 0.0625, 0.125, 0.25, 0.5][rng.usize(..7)];
    }
    if rng.bool() {
        params.predict = Summary::Median;
    }
    params.bins = [2, 3, 7, 32][rng.usize(..4)];
    params
}

/// Any criterion, any policy, anything else.
pub(crate) fn any_params(rng: &mut Rng, classes: bool) -> Greedy {
    let criteria: &[Criterion] = if classes { &CRITERIA } else { &NUMBER_CRITERIA };
    let criterion = criteria[rng.usize(..criteria.len())];
    let (missing, categorical_splits) = any_policy(rng);
    Greedy {
        missing,
        categorical_splits,
        ..random_params(rng, criterion)
    }
}

pub(crate) fn any_policy(rng: &mut Rng) -> (MissingPolicy, CategoricalSplits) {
    let n_policies = all_policies().count();
    all_policies()
        .nth(rng.usize(..n_policies))
        .expect("one of them")
}

/// A table that fits the parameters: bins without doubt, and sometimes costs.
pub(crate) fn settled_table(rng: &mut Rng, wishes: Wishes, params: &mut Greedy) -> Table {
    let mut table = random_table(rng, wishes);
    if params.criterion == Some(Criterion::BinnedGini) {
        while !matches!(table.data.target(), Target::Numbers(y) if bins_are_clear(y, params.bins)) {
            params.bins = [2, 3, 5, 7, 11, 13, 32][rng.usize(..7)];
            table = random_table(rng, wishes);
        }
    }
    if wishes.classes && rng.u8(..4) == 0 {
        params.loss = random_costs(rng, table.data.schema().classes().len());
    }
    table
}

pub(crate) fn random_costs(rng: &mut Rng, n_classes: usize) -> Loss {
    let mut cost = |truth, predicted| {
        if truth == predicted {
            0.0
        } else {
            [0.5, 1.0, 2.0, 5.0][rng.usize(..4)]
        }
    };
    let rows: Vec<Vec<f64>> = (0..n_classes)
        .map(|truth| {
            (0..n_classes)
                .map(|predicted| cost(truth, predicted))
                .collect()
        })
        .collect();
    Loss::Matrix(CostMatrix::new(&rows).expect("a square matrix"))
}

pub(crate) fn learn(data: &Dataset, params: &Greedy) -> Fit<Tree> {
    params
        .fit(data, &Budget::unlimited())
        .expect("the parameters are valid")
}

/// Learns, judges, predicts; a failure tells all that is needed to repeat it.
fn check(rng: &mut Rng, table: &Table, params: &Greedy) {
    let data = &table.data;
    let fit = learn(data, params);
    let others = other_rows(rng, data, &cuts(&fit.model), 20);
    let result = judge(data, params, &fit.model)
        .and_then(|()| check_predictions(&fit, &others))
        .and_then(|()| check_training(&fit, data, params));
    if let Err(what) = result {
        panic!(
            "{what}\n{params:?}\n{table}{}",
            export::json::write_model(&fit)
        );
    }
}

pub(crate) fn cuts(tree: &Tree) -> Vec<f64> {
    let splits = tree.ids().filter_map(|id| tree.branch(id));
    splits
        .flat_map(|branch| match &branch.split {
            Split::Intervals { cuts, .. } => cuts.clone(),
            Split::Categories { .. } => Vec::new(),
        })
        .collect()
}

/// The figures that the learner states about its own rows.
fn check_training(fit: &Fit<Tree>, data: &Dataset, params: &Greedy) -> Result<(), String> {
    let stated = &fit.training;
    let tree = &fit.model;
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    if (stated.rows, stated.leaves, stated.depth) != (data.n_rows(), tree.n_leaves(), tree.depth())
        || !near(stated.weight, data.total_weight())
    {
        return Err(format!("training states {stated:?}"));
    }
    let divided = params.missing == MissingPolicy::Distribute;
    if divided && data.columns().iter().any(Column::has_missing) {
        return Ok(());
    }
    let predicted = tree.predict(data);
    let (mut errors, mut cost) = (0.0, 0.0);
    for (row, &predicted) in predicted.iter().enumerate() {
        let weight = data.weight(row);
        match data.target() {
            Target::Classes(classes) => {
                let truth = classes[row] as usize;
                errors += weight * f64::from(u8::from(truth != predicted as usize));
                cost += weight * tree.loss().of_class(truth, predicted as usize);
            }
            Target::Numbers(numbers) => cost += weight * (numbers[row] - predicted).powi(2),
            Target::Absent => {}
        }
    }
    cost /= data.total_weight();
    let errors = data.schema().is_classification().then_some(errors);
    let same_errors = match (stated.errors, errors) {
        (Some(a), Some(b)) => near(a, b),
        (a, b) => a == b,
    };
    if !same_errors || !near(stated.cost, cost) {
        return Err(format!(
            "training states {stated:?}, expected {errors:?} and {cost}"
        ));
    }
    Ok(())
}

fn check_criterion(criterion: Criterion, classes: bool) {
    let mut rng = Rng::with_seed(1000 + criterion as u64);
    let wishes = Wishes {
        classes,
        missing: true,
        weights: Weights::Any,
    };
    for (missing, categorical_splits) in all_policies() {
        for _ in 0..TABLES {
            let mut params = random_params(&mut rng, criterion);
            (params.missing, params.categorical_splits) = (missing, categorical_splits);
            let table = settled_table(&mut rng, wishes, &mut params);
            check(&mut rng, &table, &params);
        }
    }
}

#[test]
fn gini_trees_are_what_they_should_be() {
    check_criterion(Criterion::Gini, true);
}

#[test]
fn entropy_trees_are_what_they_should_be() {
    check_criterion(Criterion::Entropy, true);
}

#[test]
fn gain_ratio_trees_are_what_they_should_be() {
    check_criterion(Criterion::GainRatio, true);
}

#[test]
fn error_trees_are_what_they_should_be() {
    check_criterion(Criterion::Error, true);
}

#[test]
fn mse_trees_are_what_they_should_be() {
    check_criterion(Criterion::Mse, false);
}

#[test]
fn mae_trees_are_what_they_should_be() {
    check_criterion(Criterion::Mae, false);
}

#[test]
fn binned_gini_trees_are_what_they_should_be() {
    check_criterion(Criterion::BinnedGini, false);
}

#[test]
fn large_tables_with_few_values_are_no_exception() {
    let mut rng = Rng::with_seed(3);
    let shapes: [(usize, &[usize], usize); 8] = [
        (2000, &[2, 3, 5], 2),
        (5000, &[4, 4, 10, 2], 2),
        (2048, &[7, 7, 7], 5),
        (3000, &[16, 2, 40], 5),
        (1000, &[300, 5], 2),
        (1025, &[256, 300], 5),
        (2049, &[255, 257], 2),
        (3000, &[100, 3, 300], 5),
    ];
    for (n_rows, distinct, n_classes) in shapes {
        let table = large_table(&mut rng, n_rows, distinct, n_classes);
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let params = Greedy {
                criterion: Some(criterion),
                max_depth: Some(6),
                ..Greedy::default()
            };
            let fit = learn(&table.data, &params);
            if let Err(what) = judge(&table.data, &params, &fit.model) {
                panic!("{what}\n{n_rows} rows, {distinct:?}, {n_classes} classes, {params:?}");
            }
        }
    }
}

#[test]
fn small_tables_repeated_many_times_are_no_exception() {
    let mut rng = Rng::with_seed(4);
    for at in 0..60 {
        let missing = rng.bool();
        let classes = at % 3 != 0;
        let wishes = Wishes {
            classes,
            missing,
            weights: Weights::Whole,
        };
        let mut params = any_params(&mut rng, classes);
        params.max_depth = Some(5);
        let small = settled_table(&mut rng, wishes, &mut params).data;
        let n_rows = rng.usize(200..600);
        let rows: Vec<usize> = (0..n_rows).map(|_| rng.usize(..small.n_rows())).collect();
        let weights = small
            .weights()
            .map(|all| rows.iter().map(|&row| all[row]).collect());
        // The range of the numbers decides about bins, so no row may be left out.
        if params.criterion == Some(Criterion::BinnedGini) {
            continue;
        }
        let table = Table {
            data: with_rows(&small, &rows, weights),
        };
        check(&mut rng, &table, &params);
    }
}

fn model_file(data: &Dataset, params: &Greedy) -> String {
    let mut fit = learn(data, params);
    fit.training.seconds = 0.0;
    export::json::write_model(&fit)
}

#[test]
fn the_model_does_not_depend_on_the_number_of_threads() {
    let pools = [1, 2, 3].map(|n| ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let mut rng = Rng::with_seed(5);
    let compare = |data: &Dataset, params: &Greedy| {
        let files = [0, 1, 2].map(|at| pools[at].install(|| model_file(data, params)));
        assert!(files[0] == files[1] && files[1] == files[2], "{params:?}");
    };
    for at in 0..300 {
        let classes = at % 2 == 0;
        let mut params = any_params(&mut rng, classes);
        let wishes = Wishes {
            classes,
            missing: true,
            weights: Weights::Any,
        };
        let small = settled_table(&mut rng, wishes, &mut params).data;
        compare(&small, &params);
        if at % 10 < 2 {
            let rows: Vec<usize> = (0..3000).map(|_| rng.usize(..small.n_rows())).collect();
            let weights = rows.iter().map(|_| 0.1 + rng.f64()).collect();
            let weights = if rng.bool() { Some(weights) } else { None };
            compare(&with_rows(&small, &rows, weights), &params);
        }
    }
    for n_classes in [2, 5] {
        let table = large_table(&mut rng, 5000, &[3, 50, 1000], n_classes);
        for criterion in CRITERIA {
            compare(
                &table.data,
                &Greedy {
                    criterion: Some(criterion),
                    ..Greedy::default()
                },
            );
        }
    }
}

#[test]
fn rules_about_paths_are_kept() {
    let factor: u64 = std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap());
    let mut n_kept = 0;
    for seed in 0..1500 * factor {
        let mut rng = Rng::with_seed(700_000 + seed);
        let wishes = Wishes {
            classes: seed % 3 != 0,
            missing: rng.bool(),
            weights: Weights::Any,
        };
        let mut params = any_params(&mut rng, wishes.classes);
        let table = settled_table(&mut rng, wishes, &mut params);
        let free = learn(&table.data, &params);
        if table.data.columns().len() < 2 {
            continue;
        }
        params.rules = random_rules(&mut rng, &table.data);
        let fit = learn(&table.data, &params);
        if let Err(what) = judge(&table.data, &params, &fit.model) {
            panic!("{what}\nseed {seed}: {params:?}\n{table}");
        }
        let slow = params.fit_by(&table.data, &Budget::unlimited(), GreedySwitches::NONE);
        if wishes.classes {
            assert_eq!(slow.unwrap().model, fit.model, "seed {seed}: {params:?}");
        }
        let verified = treewright::eval::verify(&fit, &table.data);
        let rules = verified.checks.iter().find(|check| check.name == "rules");
        assert!(
            rules.is_some_and(|check| check.ok),
            "{verified:?} seed {seed}"
        );
        n_kept += u64::from(params.rules.broken_by(&free.model).unwrap().is_some());
    }
    assert!(
        n_kept > 100 * factor,
        "{n_kept} of the trees without rules break them"
    );
}

#[test]
fn rules_about_paths_are_kept_in_large_tables() {
    let mut rng = Rng::with_seed(8);
    for at in 0..20 {
        let distinct = [3, 50, 1000, 3, 40][..rng.usize(2..=5)].to_vec();
        let table = large_table(&mut rng, 4000, &distinct, 2 + at % 3);
        let criterion = CRITERIA[at % CRITERIA.len()];
        let params = Greedy {
            criterion: Some(criterion),
            max_depth: Some(5),
            rules: random_rules(&mut rng, &table.data),
            ..Greedy::default()
        };
        let fit = learn(&table.data, &params);
        if let Err(what) = judge(&table.data, &params, &fit.model) {
            panic!("{what}\n{distinct:?}, {params:?}");
        }
    }
}

/// Only where nothing is distributed: a row of weight 2 and share 1/2 is half a row, two rows are one.
#[test]
fn a_whole_weight_is_a_row_repeated() {
    let mut rng = Rng::with_seed(6);
    for at in 0..1200 {
        let criterion = [&CRITERIA[..], &[Criterion::BinnedGini]].concat()[at % 5];
        let classes = criterion != Criterion::BinnedGini;
        let mut params = random_params(&mut rng, criterion);
        (params.min_leaf, params.min_split) = (1, 2);
        let missing = rng.bool();
        params.missing = if missing {
            MissingPolicy::ALL[rng.usize(1..4)]
        } else {
            MissingPolicy::Distribute
        };
        let wishes = Wishes {
            classes,
            missing,
            weights: Weights::Whole,
        };
        let table = settled_table(&mut rng, wishes, &mut params);
        let data = &table.data;
        let rows: Vec<usize> = (0..data.n_rows())
            .flat_map(|row| std::iter::repeat_n(row, data.weight(row) as usize))
            .collect();
        let weighted = learn(data, &params).model;
        let repeated = learn(&with_rows(data, &rows, None), &params).model;
        let same = weighted.n_nodes() == repeated.n_nodes()
            && weighted.ids().all(|id| {
                weighted.branch(id) == repeated.branch(id)
                    && weighted.counts(id) == repeated.counts(id)
                    && weighted.bins(id) == repeated.bins(id)
                    && weighted.weight(id) == repeated.weight(id)
            });
        assert!(same, "{params:?}\n{table}{weighted:?}\n{repeated:?}");
    }
}

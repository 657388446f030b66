//! Switching off a shortcut must not change the tree.

use fastrand::Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use treewright::Budget;
use treewright::data::{Column, Dataset, Target, TargetKind};
use treewright::learn::Greedy;
use treewright::learn::greedy::{Criterion, GreedySwitches, MissingPolicy};
use treewright::tree::{NodeId, Tree};

use super::differential::{CRITERIA, NUMBER_CRITERIA, any_policy};
use crate::tables::{assemble, random_column};

type Switch = (&'static str, fn(&mut GreedySwitches));

/// All switches.
const SWITCHES: [Switch; 9] = [
    ("counting", |on| on.counting = false),
    ("scanning", |on| on.scanning = false),
    ("skipping", |on| on.skipping = false),
    ("floor", |on| on.floor = false),
    ("tasks", |on| on.tasks = false),
    ("parallel features", |on| on.parallel_features = false),
    ("fast sorting", |on| on.fast_sorting = false),
    ("parting in two", |on| on.parting_in_two = false),
    ("own list stays", |on| on.own_list_stays = false),
];

/// A switch that the list lacks would not be tested.
#[test]
fn all_switches_together_are_none() {
    let mut switches = GreedySwitches::ALL;
    for (_, switch) in SWITCHES {
        switch(&mut switches);
    }
    assert_eq!(switches, GreedySwitches::NONE);
}

/// Each switch off alone, then all of them.
fn switched_off() -> impl Iterator<Item = (&'static str, GreedySwitches)> {
    let one = SWITCHES.map(|(name, switch)| {
        let mut switches = GreedySwitches::ALL;
        switch(&mut switches);
        (name, switches)
    });
    one.into_iter()
        .chain([("everything", GreedySwitches::NONE)])
}

fn learn_by(pool: &ThreadPool, data: &Dataset, params: &Greedy, switches: GreedySwitches) -> Tree {
    let fit = pool.install(|| params.fit_by(data, &Budget::unlimited(), switches));
    fit.expect("the parameters are valid").model
}

/// Means depend on the order in which rows are added up, so they are left out.
fn is_same(a: &Tree, b: &Tree) -> bool {
    a.n_nodes() == b.n_nodes()
        && a.ids().all(|id| {
            a.branch(id) == b.branch(id) && a.counts(id) == b.counts(id) && a.bins(id) == b.bins(id)
        })
}

fn check(pool: &ThreadPool, data: &Dataset, params: &Greedy) {
    let tree = learn_by(pool, data, params, GreedySwitches::ALL);
    for (name, switches) in switched_off() {
        let other = learn_by(pool, data, params, switches);
        assert!(
            is_same(&tree, &other),
            "without {name}: {} nodes, with all {}\n{params:?}\n{} rows of {} classes",
            other.n_nodes(),
            tree.n_nodes(),
            data.n_rows(),
            data.schema().classes().len(),
        );
    }
}

fn two_threads() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// What a mixed table is like.
struct Mix {
    n_rows: usize,
    n_classes: u32,
    missing: bool,
    /// Share of the rows whose class has to do with the features.
    signal: f64,
}

/// Numbers with many, few and very few values, some of them telling the same story, so that splits tie:
/// a feature with few values comes after one with many that it is made of, and before another.
fn mixed_columns(rng: &mut Rng, mix: &Mix) -> Vec<Column> {
    let mut columns = Vec::new();
    let numbers =
        |make: &mut dyn FnMut(usize) -> f64| -> Vec<f64> { (0..mix.n_rows).map(make).collect() };
    let fine = numbers(&mut |_| rng.f64() - 0.5);
    let steps = [2.0, 3.0, 17.0][rng.usize(..3)];
    let stepped = |x: &f64| ((x + 0.5) * steps).floor();
    let coarse: Vec<f64> = fine.iter().map(stepped).collect();
    let quarters = numbers(&mut |_| f64::from(rng.u8(..40)) * 0.25);
    let coin = numbers(&mut |_| f64::from(rng.u8(..2)));
    let many = numbers(&mut |_| f64::from(rng.u16(..600)));
    // The same order and the same ties as `coin`, but with a value for nearly every row.
    let spread = numbers(&mut |row| coin[row] + 0.5 * rng.f64());
    for numbers in [fine.clone(), coarse, spread, quarters, coin, many, fine] {
        columns.push(Column::Numeric(numbers.into()));
    }
    for _ in 0..2 {
        columns.push(random_column(rng, mix.n_rows, mix.missing));
    }
    rng.shuffle(&mut columns);
    columns
}

/// A number for each row: partly chance, partly a sum of what the features say.
fn signal(rng: &mut Rng, columns: &[Column], mix: &Mix) -> Vec<u32> {
    let factors: Vec<f64> = columns.iter().map(|_| rng.f64()).collect();
    (0..mix.n_rows)
        .map(|row| {
            if rng.f64() >= mix.signal {
                return rng.u32(..mix.n_classes);
            }
            let says = columns
                .iter()
                .zip(&factors)
                .map(|(column, factor)| match column {
                    Column::Numeric(numbers) if numbers[row].is_nan() => 0.0,
                    Column::Numeric(numbers) => numbers[row].clamp(-1.0, 3.0) * factor,
                    Column::Categorical(codes) => f64::from(codes[row] % 3) * factor,
                });
            (says.sum::<f64>() * 3.0 + 20.0) as u32 % mix.n_classes
        })
        .collect()
}

fn class_table(rng: &mut Rng, mix: &Mix, weights: Option<Vec<f64>>) -> Dataset {
    let columns = mixed_columns(rng, mix);
    let classes = signal(rng, &columns, mix);
    let names = (0..mix.n_classes)
        .map(|class| format!("c{class}"))
        .collect();
    assemble(
        rng,
        columns,
        (TargetKind::Classes(names), Target::Classes(classes)),
        weights,
    )
    .data
}

fn number_table(rng: &mut Rng, mix: &Mix) -> Dataset {
    let columns = mixed_columns(rng, mix);
    let noise = signal(rng, &columns, mix);
    let numbers = noise
        .into_iter()
        .map(|x| f64::from(x) + rng.f64())
        .collect();
    assemble(
        rng,
        columns,
        (TargetKind::Number, Target::Numbers(numbers)),
        None,
    )
    .data
}

/// Any policy and stopping rule. Gains are not rounded alike everywhere, so no bound that they may hit.
fn random_params(rng: &mut Rng, criterion: Criterion) -> Greedy {
    let (missing, categorical_splits) = any_policy(rng);
    Greedy {
        criterion: Some(criterion),
        missing,
        categorical_splits,
        zero_gain: rng.u8(..4) == 0,
        min_leaf: [1, 1, 1, 5, 40][rng.usize(..5)],
        min_leaf_weight: [0.0, 0.0, 0.0, 0.013_37][rng.usize(..4)],
        min_gain: [0.0, 0.0, 0.0, 0.001_234_567][rng.usize(..4)],
        max_depth: [None, None, Some(3)][rng.usize(..3)],
        bins: [2, 5, 32][rng.usize(..3)],
        ..Greedy::default()
    }
}

#[test]
fn trees_of_rows_that_count_as_one() {
    let pool = two_threads();
    let mut rng = Rng::with_seed(21);
    for at in 0..10 {
        let mix = Mix {
            n_rows: rng.usize(1000..3000),
            n_classes: [2, 2, 3, 7, 33][at % 5],
            missing: rng.u8(..3) == 0,
            signal: [0.0, 0.1, 0.8][rng.usize(..3)],
        };
        let data = class_table(&mut rng, &mix, None);
        for criterion in CRITERIA {
            check(&pool, &data, &random_params(&mut rng, criterion));
        }
    }
}

#[test]
fn trees_of_rows_that_are_weighed() {
    let pool = two_threads();
    let mut rng = Rng::with_seed(22);
    for at in 0..9 {
        let mix = Mix {
            n_rows: rng.usize(300..1000),
            n_classes: [2, 3, 31][at % 3],
            missing: rng.u8(..3) == 0,
            signal: [0.1, 0.8][rng.usize(..2)],
        };
        // The total stays below 2^53, up to which sums of whole weights are exact.
        let heaviest = [3, 1_000_000_000, 1 << 40, 1 << 43][rng.usize(..4)];
        let weights = (0..mix.n_rows).map(|_| rng.u64(1..=heaviest) as f64);
        let weights = Some(weights.collect());
        let data = class_table(&mut rng, &mix, weights);
        for criterion in CRITERIA {
            check(&pool, &data, &random_params(&mut rng, criterion));
        }
    }
}

#[test]
fn trees_of_numbers() {
    let pool = two_threads();
    let mut rng = Rng::with_seed(23);
    for _ in 0..4 {
        let mix = Mix {
            n_rows: rng.usize(300..800),
            n_classes: 20,
            missing: rng.u8(..3) == 0,
            signal: 0.6,
        };
        let data = number_table(&mut rng, &mix);
        for criterion in NUMBER_CRITERIA {
            check(&pool, &data, &random_params(&mut rng, criterion));
        }
    }
}

/// Large enough for tasks, and for several threads to look at the features of one node.
#[test]
fn trees_that_grow_in_tasks() {
    let pool = two_threads();
    let mut rng = Rng::with_seed(24);
    for at in 0..2 {
        let mix = Mix {
            n_rows: rng.usize(17_000..24_000),
            n_classes: [2, 5][at % 2],
            missing: at % 2 == 1,
            signal: [0.0, 0.5][rng.usize(..2)],
        };
        let data = class_table(&mut rng, &mix, None);
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let params = Greedy {
                missing: [MissingPolicy::Branch, MissingPolicy::Majority][at % 2],
                max_depth: Some(6),
                ..random_params(&mut rng, criterion)
            };
            check(&pool, &data, &params);
        }
    }
}

/// A table of two classes and one feature for each list of numbers.
fn two_classes(rng: &mut Rng, columns: Vec<Vec<f64>>, classes: Vec<u32>) -> Dataset {
    let columns = columns
        .into_iter()
        .map(|numbers| Column::Numeric(numbers.into()))
        .collect();
    let kind = TargetKind::Classes(vec!["no".into(), "yes".into()]);
    assemble(rng, columns, (kind, Target::Classes(classes)), None).data
}

/// The least gain there is must be seen, however it is looked for.
#[test]
fn hardly_uneven_cuts_gain() {
    let pool = two_threads();
    let mut rng = Rng::with_seed(25);
    for _ in 0..60 {
        let n = rng.usize(2000..9000);
        // As even as can be, so that the gain is far below what is rounded away.
        let (low, ones) = loop {
            let (low, ones) = (rng.usize(n / 3..n / 2), rng.usize(n / 3..n / 2));
            if low * ones % n <= 2 {
                break (low, ones);
            }
        };
        let low_ones = low * ones / n;
        let is_one = |row: usize| row < low_ones || row >= low && row - low < ones - low_ones;
        let classes = (0..n).map(|row| u32::from(is_one(row))).collect();
        let numbers = (0..n).map(|row| f64::from(u8::from(row >= low)));
        let data = two_classes(&mut rng, vec![numbers.collect()], classes);
        for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::GainRatio] {
            let params = Greedy {
                criterion: Some(criterion),
                ..Greedy::default()
            };
            check(&pool, &data, &params);
            let tree = learn_by(&pool, &data, &params, GreedySwitches::ALL);
            let is_even = low_ones * n == low * ones;
            assert_eq!(tree.is_leaf(NodeId::ROOT), is_even, "{criterion:?}");
        }
    }
}

/// Features with few values are looked at first. Where they only tie they must not win.
#[test]
fn of_equal_cuts_the_lower_feature_wins() {
    let pool = two_threads();
    let mut rng = Rng::with_seed(26);
    for _ in 0..60 {
        // Pairs of rows with one of each class, but for two pairs beside the only cut that gains.
        let pairs = rng.usize(1500..3000);
        let cut = rng.usize(pairs / 4..pairs / 2);
        let class = |row: usize| match row / 2 {
            pair if pair + 1 == cut => 1,
            pair if pair == cut => 0,
            _ => row as u32 % 2,
        };
        let classes = (0..2 * pairs).map(class).collect();
        let many = (0..2 * pairs).map(|row| (row / 2) as f64).collect();
        let two = (0..2 * pairs).map(|row| f64::from(u8::from(row / 2 >= cut)));
        let data = two_classes(&mut rng, vec![many, two.collect()], classes);
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let params = Greedy {
                criterion: Some(criterion),
                max_depth: Some(1),
                ..Greedy::default()
            };
            check(&pool, &data, &params);
            let tree = learn_by(&pool, &data, &params, GreedySwitches::ALL);
            let branch = tree.branch(NodeId::ROOT).expect("there is a gain");
            assert_eq!(branch.split.feature(), 0, "{criterion:?}");
        }
    }
}

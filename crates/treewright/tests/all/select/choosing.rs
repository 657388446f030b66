//! Choosing by rows left out: against a slow and obvious reference.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{Lambda, Loss, Penalty};
use treewright::data::{Dataset, Target};
use treewright::eval::{Folds, recost};
use treewright::learn::Greedy;
use treewright::learn::greedy::MissingPolicy;
use treewright::prune::{self, Aim, Impurity, Method, NodeCosts, PruningCost};
use treewright::select::{Resampling, cross_validate};
use treewright::tree::{CrossValidation, Family, Member, Tree};

use crate::greedy::differential::{any_params, learn, settled_table};
use crate::tables::{Table, Weights, Wishes, with_rows};

/// A case of cross-validation.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) params: Greedy,
    pub(crate) cost: PruningCost,
    pub(crate) penalty: Penalty,
    pub(crate) resampling: Resampling,
}

/// Any table of at least two rows, often with missing values that are distributed.
pub(crate) fn any_case(rng: &mut Rng) -> (Case, Table) {
    let classes = rng.u8(..3) > 0;
    let mut params = any_params(rng, classes);
    if rng.bool() {
        params.missing = MissingPolicy::Distribute;
    }
    let wishes = Wishes {
        classes,
        missing: rng.u8(..4) > 0,
        weights: Weights::Any,
    };
    let table = loop {
        params.loss = Loss::ZeroOne;
        let table = settled_table(rng, wishes, &mut params);
        if table.data.n_rows() >= 2 {
            break table;
        }
    };
    let penalties = ["linear", "linear", "sqrt", "log", "power:1.5"];
    let costs = [
        PruningCost::Error,
        PruningCost::Error,
        PruningCost::Impurity([Impurity::Gini, Impurity::Entropy][rng.usize(..2)]),
        if classes {
            PruningCost::Error
        } else {
            PruningCost::Squared
        },
    ];
    let case = Case {
        params,
        cost: costs[rng.usize(..4)],
        penalty: penalties[rng.usize(..5)].parse().unwrap(),
        resampling: any_resampling(rng, table.data.n_rows()),
    };
    (case, table)
}

pub(crate) fn any_resampling(rng: &mut Rng, n_rows: usize) -> Resampling {
    let seed = rng.u64(..);
    match rng.u8(..4) {
        0 => Resampling::Holdout {
            share: 0.1 + 0.8 * rng.f64(),
            seed,
        },
        _ => Resampling::Folds {
            folds: rng.usize(2..=n_rows.min(6)),
            repeats: rng.usize(1..=2),
            seed,
        },
    }
}

fn some_rows(data: &Dataset, rows: &[usize]) -> Dataset {
    let weights = data
        .weights()
        .map(|all| rows.iter().map(|&row| all[row]).collect());
    with_rows(data, rows, weights)
}

fn family_of(tree: &Arc<Tree>, case: &Case) -> Family {
    let costs = NodeCosts::of(tree, case.cost).unwrap();
    prune::family(tree, &costs, &case.penalty, Method::Auto, u64::MAX).unwrap()
}

fn validate(case: &Case, data: &Dataset) -> CrossValidation {
    let tree = Arc::new(learn(data, &case.params).model);
    let family = family_of(&tree, case);
    let budget = Budget::unlimited();
    cross_validate(
        &case.params,
        data,
        &family,
        case.cost,
        case.resampling,
        u64::MAX,
        &budget,
    )
    .unwrap()
    .expect("the budget is unlimited")
}

fn loss(tree: &Tree, data: &Dataset, row: usize, predicted: f64) -> f64 {
    match data.target() {
        Target::Classes(truths) => tree
            .loss()
            .of_class(truths[row] as usize, predicted as usize),
        Target::Numbers(truths) => (truths[row] - predicted).powi(2),
        Target::Absent => panic!("a table with a target"),
    }
}

/// Weights and losses of all rows, one pruning and one prediction at a time.
fn losses(case: &Case, data: &Dataset, member: &Member, repeat: usize) -> Vec<(f64, f64)> {
    losses_of(data, case.resampling, repeat, |train| {
        let tree = Arc::new(learn(train, &case.params).model);
        match member.lambda_high {
            None => tree.cut(|_| true),
            Some(high) => pruned_at(&tree, case, member.lambda_low.unwrap().sqrt() * high.sqrt()),
        }
    })
}

/// Weights and losses of all rows, each under the tree that was made of the other folds.
pub(crate) fn losses_of(
    data: &Dataset,
    resampling: Resampling,
    repeat: usize,
    tree_of: impl Fn(&Dataset) -> Tree,
) -> Vec<(f64, f64)> {
    let folds = resampling.deal(data, repeat).unwrap();
    let mut losses = Vec::new();
    for fold in 0..folds.len() {
        let tree = tree_of(&some_rows(data, &folds.train(fold)));
        let test = some_rows(data, &folds.test(fold));
        for (row, &predicted) in tree.predict(&test).iter().enumerate() {
            losses.push((test.weight(row), loss(&tree, &test, row, predicted)));
        }
    }
    losses
}

/// The mean of losses and its standard error. Where weights are equal, that is the root of the variance over the number
/// of rows.
pub(crate) fn mean_and_se(losses: &[(f64, f64)]) -> (f64, f64) {
    let weight: f64 = losses.iter().map(|(weight, _)| weight).sum();
    let sum =
        |of: &dyn Fn(f64) -> f64| -> f64 { losses.iter().map(|&(w, loss)| w * of(loss)).sum() };
    let mean = sum(&|loss| loss) / weight;
    let squares = losses.iter().map(|&(w, loss)| (w * (loss - mean)).powi(2));
    (mean, squares.sum::<f64>().sqrt() / weight)
}

fn members(case: &Case, data: &Dataset) -> Vec<Member> {
    let full = Arc::new(learn(data, &case.params).model);
    family_of(&full, case).members()
}

/// Errors and standard errors of all members.
fn reference(case: &Case, data: &Dataset) -> (Vec<f64>, Vec<f64>) {
    let members = members(case, data);
    let repeats = case.resampling.repeats().unwrap();
    let mut error = vec![0.0; members.len()];
    let mut se = vec![0.0; members.len()];
    for repeat in 0..repeats {
        for (place, member) in members.iter().enumerate() {
            let (mean, spread) = mean_and_se(&losses(case, data, member, repeat));
            error[place] += mean / repeats as f64;
            se[place] += spread / repeats as f64;
        }
    }
    (error, se)
}

/// The best pruning with no more leaves than the penalty is known for.
fn pruned_at(tree: &Arc<Tree>, case: &Case, weight: f64) -> Tree {
    let costs = NodeCosts::of(tree, case.cost).unwrap();
    let mut aim = Aim::Weight(Lambda::try_from(weight).unwrap());
    let mut penalty = case.penalty.clone();
    if let Penalty::Table(table) = &case.penalty {
        let n_lines = table.values().len();
        if weight == 0.0 {
            aim = Aim::Leaves(n_lines);
        }
        penalty = longer_table(table.values(), tree.n_leaves());
    }
    prune::prune(tree, &costs, &penalty, &aim, Method::Auto, u64::MAX)
        .unwrap()
        .tree
}

/// A table with further lines that no weight above 0 pays for.
fn longer_table(values: &[f64], n_lines: usize) -> Penalty {
    let further = (values.len() + 1..=n_lines).map(|line| line as f64 * 1e200);
    let lines = values.iter().copied().chain(further);
    let lines: Vec<String> = lines.map(|value| value.to_string()).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    Penalty::table(&lines).unwrap()
}

/// A table as long as the tree of all rows needs is enough for the trees of folds, which may be larger.
#[test]
fn a_table_for_the_whole_tree_is_enough() {
    let mut rng = Rng::with_seed(51);
    let mut n_larger = 0;
    for at in 0..600 {
        let (mut case, table) = any_case(&mut rng);
        let data = &table.data;
        let n_leaves = learn(data, &case.params).model.n_leaves();
        let shape = [0.5, 1.0, 1.5][rng.usize(..3)];
        let values: Vec<f64> = (1..=n_leaves).map(|k| (k as f64).powf(shape)).collect();
        case.penalty = longer_table(&values, 0);
        let repeats = case.resampling.repeats().unwrap();
        for repeat in 0..repeats {
            let folds = case.resampling.deal(data, repeat).unwrap();
            n_larger += (0..folds.len())
                .map(|fold| some_rows(data, &folds.train(fold)))
                .filter(|train| learn(train, &case.params).model.n_leaves() > n_leaves)
                .count();
        }
        let found = validate(&case, data);
        let (error, _) = reference(&case, data);
        for member in 0..error.len() {
            let off = (found.error[member] - error[member]).abs();
            assert!(
                off <= 1e-12 * (1.0 + error[member]),
                "case {at}, member {member}: {found:?}\n{error:?}\n{case:?}\n{table}"
            );
        }
    }
    assert!(n_larger > 0);
}

#[test]
fn cross_validation_is_what_the_slow_reference_says() {
    let mut rng = Rng::with_seed(41);
    for at in 0..1500 {
        let (case, table) = any_case(&mut rng);
        let found = validate(&case, &table.data);
        let (error, se) = reference(&case, &table.data);
        assert_eq!(found.error.len(), error.len());
        for member in 0..error.len() {
            let scale = 1.0 + error[member];
            let off = (found.error[member] - error[member]).abs();
            assert!(
                off <= 1e-12 * scale,
                "case {at}, member {member}: {found:?}\n{error:?}\n{case:?}\n{table}"
            );
            let off = (found.se[member] - se[member]).abs();
            assert!(
                off <= 1e-12 * scale,
                "case {at}, member {member}: {found:?}\n{se:?}\n{case:?}\n{table}"
            );
        }
        let least = found.error.iter().copied().fold(f64::INFINITY, f64::min);
        let first = |most: f64| found.error.iter().position(|&error| error <= most);
        assert_eq!(Some(found.min), first(least));
        assert_eq!(Some(found.one_se), first(least + found.se[found.min]));
    }
}

/// With whole weights every sum of losses here is exact. The means of repeats are not, nor are theirs.
#[test]
fn equal_errors_are_equal_over_any_repeats() {
    let mut rng = Rng::with_seed(50);
    let first_least = |errors: &[f64]| {
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        errors.iter().position(|&error| error == least).unwrap()
    };
    let mut n_hidden = 0;
    for at in 0..1500 {
        let (mut case, table) = any_case(&mut rng);
        let data = &table.data;
        if !data.schema().is_classification() || !data.has_whole_weights() {
            continue;
        }
        let repeats = rng.usize(2..=5);
        case.resampling = Resampling::Folds {
            folds: rng.usize(2..=data.n_rows().min(5)),
            repeats,
            seed: rng.u64(..),
        };
        let cost = |member: &Member, repeat: usize| -> f64 {
            let losses = losses(&case, data, member, repeat);
            losses.iter().map(|(weight, loss)| weight * loss).sum()
        };
        let (mut totals, mut means) = (Vec::new(), Vec::new());
        for member in members(&case, data) {
            let costs: Vec<f64> = (0..repeats).map(|repeat| cost(&member, repeat)).collect();
            totals.push(costs.iter().sum::<f64>());
            let mean: f64 = costs.iter().map(|cost| cost / data.total_weight()).sum();
            means.push(mean / repeats as f64);
        }
        let found = validate(&case, data);
        let context = || format!("case {at}: {found:?}\n{totals:?}\n{case:?}\n{table}");
        assert_eq!(found.min, first_least(&totals), "{}", context());
        for (error, total) in found.error.iter().zip(&totals) {
            let expected = total / (data.total_weight() * repeats as f64);
            assert_eq!(*error, expected, "{}", context());
        }
        let is_hidden = |a: usize, b: usize| totals[a] == totals[b] && means[a] != means[b];
        let n_members = totals.len();
        n_hidden += (0..n_members)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .filter(|&(a, b)| is_hidden(a, b))
            .count();
    }
    assert!(n_hidden > 0, "means of rounded means hide some ties");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut rng = Rng::with_seed(42);
    let pool = |n| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(n);
        builder.build().unwrap()
    };
    let (one, four) = (pool(1), pool(4));
    for _ in 0..60 {
        let (case, table) = any_case(&mut rng);
        let found = one.install(|| validate(&case, &table.data));
        assert_eq!(found, four.install(|| validate(&case, &table.data)));
    }
}

#[test]
fn any_number_of_repeats_ends_with_the_budget() {
    let (mut case, table) = any_case(&mut Rng::with_seed(49));
    let tree = Arc::new(learn(&table.data, &case.params).model);
    let family = family_of(&tree, &case);
    case.resampling = Resampling::Folds {
        folds: 2,
        repeats: usize::MAX,
        seed: 0,
    };
    let budget = Budget::unlimited().with_time_limit(Duration::from_millis(50));
    let start = Instant::now();
    let found = cross_validate(
        &case.params,
        &table.data,
        &family,
        case.cost,
        case.resampling,
        u64::MAX,
        &budget,
    );
    assert_eq!(found.unwrap(), None);
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// For every class, or for all rows together, how many rows of each part there are.
fn counts(data: &Dataset, rows: &[usize]) -> Vec<usize> {
    let mut counts = vec![0; data.schema().classes().len() + 1];
    counts[0] = rows.len();
    if let Target::Classes(classes) = data.target() {
        for &row in rows {
            counts[classes[row] as usize + 1] += 1;
        }
    }
    counts
}

#[test]
fn folds_are_balanced_and_take_each_row_once() {
    let mut rng = Rng::with_seed(43);
    for _ in 0..400 {
        let (_, table) = any_case(&mut rng);
        let data = &table.data;
        let n_folds = rng.usize(2..=data.n_rows().min(11));
        let folds = Folds::stratified(data, n_folds, 7).unwrap();
        assert_eq!(folds.len(), n_folds);
        assert_eq!(folds, Folds::stratified(data, n_folds, 7).unwrap());
        let mut times_left_out = vec![0; data.n_rows()];
        let mut by_fold = Vec::new();
        for fold in 0..n_folds {
            let test = folds.test(fold);
            for &row in &test {
                times_left_out[row] += 1;
            }
            let mut all = [folds.train(fold), test.clone()].concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..data.n_rows()));
            assert!(test.is_sorted() && folds.train(fold).is_sorted());
            by_fold.push(counts(data, &test));
        }
        assert!(times_left_out.iter().all(|&times| times == 1));
        for group in 0..by_fold[0].len() {
            let sizes = || by_fold.iter().map(|counts| counts[group]);
            let spread = sizes().max().unwrap() - sizes().min().unwrap();
            assert!(spread <= 1, "{by_fold:?}\n{table}");
        }
    }
}

#[test]
fn rows_held_out_have_their_share_of_every_class() {
    let mut rng = Rng::with_seed(44);
    for _ in 0..400 {
        let (_, table) = any_case(&mut rng);
        let data = &table.data;
        let share = rng.f64().clamp(1e-3, 1.0 - 1e-3);
        let part = Folds::holdout(data, share, 7).unwrap();
        assert_eq!(part, Folds::holdout(data, share, 7).unwrap());
        assert_eq!(part.len(), 1);
        let (train, test) = (part.train(0), part.test(0));
        assert!(!train.is_empty() && !test.is_empty());
        let mut all = [train, test.clone()].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..data.n_rows()));
        let everyone: Vec<usize> = (0..data.n_rows()).collect();
        let share = test.len() as f64 / data.n_rows() as f64;
        for (all, left_out) in counts(data, &everyone).iter().zip(counts(data, &test)) {
            let off = left_out as f64 - share * *all as f64;
            assert!(off.abs() < 1.0 + 1e-9, "{share} of {all} is {left_out}");
        }
    }
}

/// The target in rising order, cut into stretches as long as there are folds: each fold gets one row
/// of each.
#[test]
fn numbers_are_spread_over_the_folds() {
    let mut rng = Rng::with_seed(45);
    let wishes = Wishes {
        classes: false,
        missing: false,
        weights: Weights::Any,
    };
    let mut seen_other = false;
    for _ in 0..100 {
        let table = crate::tables::random_table(&mut rng, wishes);
        let Target::Numbers(numbers) = table.data.target() else {
            panic!("a table with numbers");
        };
        let n_folds = 4;
        if numbers.len() < n_folds {
            continue;
        }
        let folds = Folds::stratified(&table.data, n_folds, 1).unwrap();
        seen_other |= folds != Folds::stratified(&table.data, n_folds, 2).unwrap();
        let mut rising = numbers.clone();
        rising.sort_by(f64::total_cmp);
        for fold in 0..n_folds {
            let mut own: Vec<f64> = folds.test(fold).iter().map(|&row| numbers[row]).collect();
            own.sort_by(f64::total_cmp);
            for (number, stretch) in own.iter().zip(rising.chunks(n_folds)) {
                assert!(*number >= stretch[0] && *number <= stretch[stretch.len() - 1]);
            }
        }
    }
    assert!(seen_other, "another seed gives other folds");
}

#[test]
fn parts_that_cannot_be_are_refused() {
    let mut rng = Rng::with_seed(46);
    let (_, table) = any_case(&mut rng);
    let data = &table.data;
    let n_rows = data.n_rows();
    for n_folds in [0, 1, n_rows + 1] {
        let error = Folds::stratified(data, n_folds, 0).unwrap_err().to_string();
        let expected =
            format!("folds: got {n_folds}, expected between 2 and {n_rows}, the number of rows");
        assert_eq!(error, expected);
    }
    for share in [0.0, 1.0, -0.5, f64::NAN] {
        let error = Folds::holdout(data, share, 0).unwrap_err().to_string();
        assert!(error.starts_with("holdout: got "), "{error}");
    }
    let never = Resampling::Folds {
        folds: 2,
        repeats: 0,
        seed: 0,
    };
    let error = never.repeats().unwrap_err().to_string();
    assert_eq!(error, "repeats: got 0, expected at least 1");
}

#[test]
fn costs_on_other_rows_are_those_of_a_naive_walk() {
    let mut rng = Rng::with_seed(47);
    for _ in 0..300 {
        let (case, table) = any_case(&mut rng);
        let part = Folds::holdout(&table.data, 0.4, rng.u64(..)).unwrap();
        let tree = learn(&some_rows(&table.data, &part.train(0)), &case.params).model;
        let data = some_rows(&table.data, &part.test(0));
        let found = recost(&tree, &data).unwrap();
        assert_eq!(
            (found.rows, found.weight),
            (data.n_rows(), data.total_weight())
        );
        assert_eq!(found.errors.is_some(), tree.schema().is_classification());
        for id in tree.ids() {
            let (mut cost, mut errors, mut square) = (0.0, 0.0, 0.0);
            for row in 0..data.n_rows() {
                let loss = loss(&tree, &data, row, tree.value(id));
                let weight = data.weight(row) * share_in(&tree, &data, row, id);
                cost += weight * loss;
                square += weight * loss.powi(2);
                if let Target::Classes(truths) = data.target() {
                    errors +=
                        weight * f64::from(u8::from(f64::from(truths[row]) != tree.value(id)));
                }
            }
            let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b);
            assert!(is_near(found.costs[id.index()], cost), "{table}");
            assert!(is_near(found.squares[id.index()], square), "{table}");
            let found = found.errors.as_ref().map_or(0.0, |all| all[id.index()]);
            assert!(is_near(found, errors), "{table}");
        }
        let costs = NodeCosts::new(&tree, &found.costs, found.errors.as_deref(), found.weight);
        assert!(costs.is_ok());
    }
}

/// The share of a row that comes to a node, from the node up.
fn share_in(tree: &Tree, data: &Dataset, row: usize, id: treewright::tree::NodeId) -> f64 {
    let parent = tree.ids().find_map(|parent| {
        let branch = tree.branch(parent)?;
        branch
            .children()
            .position(|child| child == id)
            .map(|position| (parent, branch, position))
    });
    let Some((parent, branch, position)) = parent else {
        return 1.0;
    };
    let value = data.columns()[branch.split.feature()].value(row);
    let part = match (branch.split.child_of(value), branch.missing) {
        (Some(child), _) => f64::from(u8::from(child == position)),
        (None, treewright::tree::MissingRoute::Child(child)) => {
            f64::from(u8::from(child as usize == position))
        }
        (None, treewright::tree::MissingRoute::Distribute) => tree.shares(branch)[position],
    };
    part * share_in(tree, data, row, parent)
}

#[test]
fn rows_without_target_have_no_costs() {
    let mut rng = Rng::with_seed(48);
    let (case, table) = any_case(&mut rng);
    let tree = learn(&table.data, &case.params).model;
    let others = crate::tables::other_rows(&mut rng, &table.data, &[], 5);
    let error = recost(&tree, &others).unwrap_err().to_string();
    assert_eq!(error, "the rows have no target \"y\"");
    let error = recost(&tree, &table.data.rows(&[]))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "there are no rows to take costs from");
}

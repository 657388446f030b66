//! Validation of learners: against fits made one by one, and what does not change it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use treewright::cost::{CostMatrix, Loss, Penalty};
use treewright::data::{Dataset, Target, Task};
use treewright::learn::greedy::MissingPolicy;
use treewright::learn::optimal::Optimal;
use treewright::learn::{Greedy, Learner};
use treewright::prune::{self, Method, NodeCosts, PruningCost};
use treewright::select::{
    LearnerFigures, PairedDifference, Resampling, Spread, TreeFigures, Validate, Validation,
    cross_validate,
};
use treewright::{Budget, Error, Fit, Tree};

use super::choosing::any_case;
use super::curve::bundled;

type Learners<'a> = &'a [&'a (dyn Learner + Sync)];

fn run(learners: Learners<'_>, data: &Dataset, resampling: Resampling) -> Validation {
    let plan = Validate { resampling };
    plan.run(learners, data, &Budget::unlimited()).unwrap()
}

fn folds(folds: usize, repeats: usize, seed: u64) -> Resampling {
    Resampling::Folds {
        folds,
        repeats,
        seed,
    }
}

/// The same tree cut off at some depths.
fn of_depths(params: &Greedy, depths: [Option<usize>; 3]) -> [Greedy; 3] {
    depths.map(|max_depth| Greedy {
        max_depth,
        ..params.clone()
    })
}

/// All but the time.
fn timeless(mut validation: Validation) -> String {
    for learner in &mut validation.learners {
        learner.seconds = 0.0;
    }
    for fold in &mut validation.folds {
        fold.trees.iter_mut().for_each(|tree| tree.seconds = 0.0);
    }
    // As text, because figures that are not numbers must be equal, too.
    format!("{validation:?}")
}

/// What one learner makes of one fold: its tree, and the loss on every row left out.
struct Single {
    leaves: usize,
    depth: usize,
    losses: Vec<f64>,
}

fn single(learner: &dyn Learner, train: &Dataset, test: &Dataset) -> Single {
    let fit = learner.fit(train, &Budget::unlimited()).unwrap();
    let answers = fit.model.predict(test);
    let loss = |row: usize| match test.target() {
        Target::Classes(truths) => fit
            .model
            .loss()
            .of_class(truths[row] as usize, answers[row] as usize),
        Target::Numbers(truths) => (truths[row] - answers[row]).powi(2),
        Target::Absent => panic!("a table with a target"),
    };
    Single {
        leaves: fit.model.n_leaves(),
        depth: fit.model.depth(),
        losses: (0..test.n_rows()).map(loss).collect(),
    }
}

/// A fold with what all learners make of it.
struct Slow {
    repeat: usize,
    fold: usize,
    weights: Vec<f64>,
    singles: Vec<Single>,
}

/// All folds, one after the other.
fn slowly(learners: Learners<'_>, data: &Dataset, resampling: Resampling) -> Vec<Slow> {
    let mut all = Vec::new();
    for repeat in 0..resampling.repeats().unwrap() {
        let folds = resampling.deal(data, repeat).unwrap();
        for fold in 0..folds.len() {
            let train = data.rows(&folds.train(fold));
            let test = data.rows(&folds.test(fold));
            let singles = learners.iter().map(|one| single(*one, &train, &test));
            all.push(Slow {
                repeat,
                fold,
                weights: (0..test.n_rows()).map(|row| test.weight(row)).collect(),
                singles: singles.collect(),
            });
        }
    }
    all
}

/// Weights and what is asked of rows, over some folds.
fn of_rows(folds: &[&Slow], figure: &dyn Fn(&Slow, usize) -> f64) -> Vec<(f64, f64)> {
    let rows = folds.iter().flat_map(|fold| {
        let row = |row: usize| (fold.weights[row], figure(fold, row));
        (0..fold.weights.len()).map(row)
    });
    rows.collect()
}

fn mean(rows: &[(f64, f64)]) -> f64 {
    let sum: f64 = rows.iter().map(|(weight, figure)| weight * figure).sum();
    sum / rows.iter().map(|(weight, _)| weight).sum::<f64>()
}

/// By the definition: the deviations of single rows, each by its own weight.
fn se(rows: &[(f64, f64)]) -> f64 {
    let middle = mean(rows);
    let squares = rows
        .iter()
        .map(|&(w, figure)| (w * (figure - middle)).powi(2));
    squares.sum::<f64>().sqrt() / rows.iter().map(|(w, _)| w).sum::<f64>()
}

/// Checks mean and standard error of a figure of rows, exactly where sums are whole numbers.
fn check_rows(
    found: (f64, f64),
    slow: &[Slow],
    is_exact: bool,
    figure: &dyn Fn(&Slow, usize) -> f64,
) {
    let all = of_rows(&slow.iter().collect::<Vec<_>>(), figure);
    let squares: Vec<(f64, f64)> = all.iter().map(|&(w, x)| (w, x * x)).collect();
    let size = mean(&squares).sqrt();
    if is_exact {
        assert_eq!(found.0, mean(&all));
    } else {
        assert!((found.0 - mean(&all)).abs() <= 1e-12 * size, "{found:?}");
    }
    let n_repeats = slow.last().unwrap().repeat + 1;
    let of_repeats = (0..n_repeats).map(|repeat| {
        let folds: Vec<&Slow> = slow.iter().filter(|fold| fold.repeat == repeat).collect();
        se(&of_rows(&folds, figure))
    });
    let expected = of_repeats.sum::<f64>() / n_repeats as f64;
    // A variance is a difference of squares; where it is small beside them, its root is rounded.
    let error = (found.1 - expected).abs();
    assert!(error <= 1e-12 * size || (error <= 1e-6 * size && expected <= 1e-6 * size));
}

fn check_spread(found: Spread, figures: &[f64]) {
    let n = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / n;
    let squares: f64 = figures.iter().map(|x| (x - mean).powi(2)).sum();
    assert_eq!(found.mean, mean);
    if figures.len() > 1 {
        assert!((found.sd - (squares / (n - 1.0)).sqrt()).abs() < 1e-12);
    } else {
        assert!(found.sd.is_nan());
    }
}

fn check(found: &Validation, slow: &[Slow], is_exact: bool) {
    assert_eq!(found.folds.len(), slow.len());
    for (fold, slow) in found.folds.iter().zip(slow) {
        assert_eq!((fold.repeat, fold.fold), (slow.repeat, slow.fold));
        assert_eq!(fold.rows, slow.weights.len());
        assert_eq!(fold.weight, slow.weights.iter().sum::<f64>());
        assert_eq!(fold.trees.len(), slow.singles.len());
        for (place, (tree, single)) in fold.trees.iter().zip(&slow.singles).enumerate() {
            assert_eq!((tree.leaves, tree.depth), (single.leaves, single.depth));
            let expected = mean(&of_rows(&[slow], &|slow, row| {
                slow.singles[place].losses[row]
            }));
            assert!((tree.error - expected).abs() <= 1e-12 * expected);
            assert!(!is_exact || tree.error == expected);
        }
    }
    for (place, learner) in found.learners.iter().enumerate() {
        let loss = |slow: &Slow, row: usize| slow.singles[place].losses[row];
        check_rows((learner.error, learner.se), slow, is_exact, &loss);
        let over_folds = |figure: &dyn Fn(&Single) -> usize| {
            let figures = slow.iter().map(|slow| figure(&slow.singles[place]) as f64);
            figures.collect::<Vec<f64>>()
        };
        check_spread(learner.leaves, &over_folds(&|single| single.leaves));
        check_spread(learner.depth, &over_folds(&|single| single.depth));
    }
    let n = found.learners.len();
    assert_eq!(found.differences.len(), n * (n - 1) / 2);
    for (learner, against) in (0..n).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let pair = found.difference(learner, against).unwrap();
        assert_eq!((pair.learner, pair.against), (learner, against));
        check_pair(pair, slow, is_exact);
    }
}

fn check_pair(pair: &PairedDifference, slow: &[Slow], is_exact: bool) {
    let difference = |slow: &Slow, row: usize| {
        slow.singles[pair.learner].losses[row] - slow.singles[pair.against].losses[row]
    };
    check_rows((pair.mean, pair.se), slow, is_exact, &difference);
    if pair.se > 0.0 {
        assert_eq!(pair.z, pair.mean / pair.se);
    } else {
        assert!(pair.z.is_nan());
    }
    assert_eq!(pair.won + pair.tied + pair.lost, slow.len());
    if is_exact {
        let sum = |slow: &Slow| -> f64 {
            let rows = 0..slow.weights.len();
            rows.map(|row| slow.weights[row] * difference(slow, row))
                .sum()
        };
        let count = |is_counted: &dyn Fn(f64) -> bool| {
            slow.iter().filter(|slow| is_counted(sum(slow))).count()
        };
        assert_eq!(pair.won, count(&|sum| sum < 0.0));
        assert_eq!(pair.lost, count(&|sum| sum > 0.0));
    }
}

/// Are all sums of losses whole numbers?
fn is_whole(data: &Dataset, loss: &Loss) -> bool {
    let whole_weights = (0..data.n_rows()).all(|row| data.weight(row).fract() == 0.0);
    let whole_losses = match loss {
        Loss::ZeroOne => true,
        Loss::Matrix(matrix) => matrix.rows().flatten().all(|cost| cost.fract() == 0.0),
        Loss::Squared => false,
    };
    whole_weights && whole_losses && matches!(data.target(), Target::Classes(_))
}

#[test]
fn figures_are_those_of_single_fits() {
    let mut rng = Rng::with_seed(90);
    let mut n_exact = 0;
    for case_number in 0..150 {
        let (case, table) = any_case(&mut rng);
        let learners = of_depths(&case.params, [None, Some(1), Some(0)]);
        let learners = learners.each_ref().map(|one| one as &(dyn Learner + Sync));
        let found = run(&learners, &table.data, case.resampling);
        assert!(found.is_complete());
        let is_exact = is_whole(&table.data, &case.params.loss);
        n_exact += usize::from(is_exact);
        let slow = slowly(&learners, &table.data, case.resampling);
        println!("case {case_number}: {case:?}\n{table}");
        check(&found, &slow, is_exact);
    }
    assert!(n_exact > 30, "only {n_exact} tables had whole sums");
}

#[test]
fn any_learners_are_compared() {
    let data = bundled("shop.csv", Task::Auto);
    let (greedy, stump) = (
        Greedy::default(),
        Optimal {
            depth: 1,
            ..Optimal::default()
        },
    );
    let learners: Learners<'_> = &[&greedy, &stump];
    let found = run(learners, &data, folds(4, 3, 5));
    check(&found, &slowly(learners, &data, folds(4, 3, 5)), true);
    assert_eq!(found.best(), Some(1));
    assert_eq!((found.planned, found.folds.len()), (12, 12));
    assert!(found.difference(0, 1).is_none() && found.difference(1, 1).is_none());
    assert!(found.difference(2, 0).is_none());
    // The list does not change a learner.
    let alone = run(&[&stump], &data, folds(4, 3, 5));
    assert_eq!(alone.learners[0].error, found.learners[1].error);
    assert!(alone.differences.is_empty());
}

#[test]
fn numbers_are_validated_too() {
    let data = bundled("prices.csv", Task::Regression);
    let learners = of_depths(&Greedy::default(), [Some(4), Some(1), None]);
    let learners = learners.each_ref().map(|one| one as &(dyn Learner + Sync));
    let found = run(&learners, &data, folds(5, 2, 0));
    check(&found, &slowly(&learners, &data, folds(5, 2, 0)), false);
}

#[test]
fn the_figures_agree_with_those_of_a_family() {
    let data = bundled("shop.csv", Task::Auto);
    let whole = Greedy::default();
    let tree = Arc::new(whole.fit(&data, &Budget::unlimited()).unwrap().model);
    let costs = NodeCosts::of(&tree, PruningCost::Error).unwrap();
    let family = prune::family(&tree, &costs, &Penalty::Linear, Method::Auto, u64::MAX).unwrap();
    let budget = Budget::unlimited();
    let of_family = cross_validate(
        &whole,
        &data,
        &family,
        PruningCost::Error,
        folds(10, 3, 1),
        u64::MAX,
        &budget,
    );
    let of_family = of_family.unwrap().unwrap();
    let root = Greedy {
        max_depth: Some(0),
        ..Greedy::default()
    };
    let found = run(&[&root], &data, folds(10, 3, 1)).learners[0];
    assert_eq!(
        (found.error, found.se),
        (of_family.error[0], of_family.se[0])
    );
}

#[test]
fn threads_do_not_change_a_validation() {
    let data = bundled("shop.csv", Task::Auto);
    let (greedy, stump) = (
        Greedy::default(),
        Optimal {
            depth: 1,
            ..Optimal::default()
        },
    );
    let cut = Greedy {
        missing: MissingPolicy::Majority,
        max_depth: Some(3),
        ..Greedy::default()
    };
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let validation = || run(&[&greedy, &stump, &cut], &data, folds(7, 3, 2));
        timeless(pool.build().unwrap().install(validation))
    };
    let one = with_threads(1);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(5));
}

#[test]
fn the_best_has_the_least_error_and_then_the_fewest_leaves() {
    let figures = |error, leaves| LearnerFigures {
        error,
        se: 0.0,
        leaves: Spread {
            mean: leaves,
            sd: 0.0,
        },
        depth: Spread { mean: 1.0, sd: 0.0 },
        seconds: 0.0,
    };
    let best = |learners: &[(f64, f64)]| {
        let validation = Validation {
            learners: learners.iter().map(|&(e, l)| figures(e, l)).collect(),
            differences: Vec::new(),
            folds: Vec::new(),
            planned: 0,
        };
        validation.best()
    };
    assert_eq!(
        best(&[(0.2, 5.0), (0.1, 4.0), (0.1, 3.0), (0.1, 3.0)]),
        Some(2)
    );
    assert_eq!(best(&[(f64::NAN, f64::NAN)]), None);
}

/// Learns as another does and spends the budget in one of its fits.
struct Stopping<'a> {
    learner: &'a (dyn Learner + Sync),
    fits_left: AtomicUsize,
    interrupt: Arc<AtomicBool>,
}

impl Learner for Stopping<'_> {
    fn fit(&self, data: &Dataset, budget: &Budget) -> treewright::Result<Fit<Tree>> {
        if self.fits_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        self.learner.fit(data, budget)
    }
}

#[test]
fn a_spent_budget_leaves_the_folds_that_all_completed() {
    let data = bundled("shop.csv", Task::Auto);
    let (greedy, root) = (
        Greedy::default(),
        Greedy {
            max_depth: Some(0),
            ..Greedy::default()
        },
    );
    let interrupt = Arc::new(AtomicBool::new(false));
    // The seventh fold is the second of the second repeat.
    let stopping = Stopping {
        learner: &root,
        fits_left: AtomicUsize::new(7),
        interrupt: Arc::clone(&interrupt),
    };
    let budget = Budget::unlimited().with_interrupt(interrupt);
    let plan = Validate {
        resampling: folds(5, 4, 0),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let validation = || plan.run(&[&greedy, &stopping], &data, &budget);
    let found = pool.build().unwrap().install(validation).unwrap();
    assert_eq!((found.folds.len(), found.planned), (6, 20));
    assert!(!found.is_complete());
    let slow = slowly(&[&greedy, &root], &data, folds(5, 2, 0));
    let rows = |fold: &&Slow| fold.weights.len() as f64;
    let done: Vec<&Slow> = slow.iter().take(6).collect();
    let loss = |slow: &Slow, row: usize| slow.singles[0].losses[row];
    assert_eq!(found.learners[0].error, mean(&of_rows(&done, &loss)));
    // The one fold of the second repeat counts by its rows.
    let share = rows(&done[5]) / 400.0;
    let (first, second) = (of_rows(&done[..5], &loss), of_rows(&done[5..], &loss));
    let expected = (se(&first) + share * se(&second)) / (1.0 + share);
    assert!((found.learners[0].se - expected).abs() < 1e-12);
    let errors = found.folds.iter().map(|fold| &fold.trees);
    let expected = run(&[&greedy, &root], &data, folds(5, 2, 0));
    let without_time = |tree: &TreeFigures| (tree.error, tree.leaves, tree.depth);
    for (found, expected) in errors.zip(&expected.folds) {
        let pairs = found.iter().zip(&expected.trees);
        pairs.for_each(|(a, b)| assert_eq!(without_time(a), without_time(b)));
    }
    let pair = found.difference(1, 0).unwrap();
    assert_eq!(pair.won + pair.tied + pair.lost, 6);
}

#[test]
fn no_time_and_no_end() {
    let data = bundled("shop.csv", Task::Auto);
    let greedy = Greedy::default();
    let plan = Validate::default();
    let budget = Budget::unlimited().with_time_limit(Duration::ZERO);
    let found = plan.run(&[&greedy, &greedy], &data, &budget).unwrap();
    assert_eq!((found.folds.len(), found.planned), (0, 10));
    assert_eq!(found.best(), None);
    let (learner, pair) = (found.learners[0], found.differences[0]);
    for figure in [
        learner.error,
        learner.se,
        learner.leaves.mean,
        learner.seconds,
    ] {
        assert!(figure.is_nan());
    }
    assert!(pair.mean.is_nan() && pair.z.is_nan());
    assert_eq!((pair.won, pair.tied, pair.lost), (0, 0, 0));
    // More repeats than can ever be done take no memory in advance.
    let plan = Validate {
        resampling: folds(10, usize::MAX, 0),
    };
    let budget = Budget::unlimited().with_time_limit(Duration::from_millis(300));
    let start = Instant::now();
    let found = plan.run(&[&greedy], &data, &budget).unwrap();
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(found.planned, usize::MAX);
    assert!(!found.is_complete());
}

/// Fails with the number of the fit.
struct Failing(AtomicUsize);

impl Learner for Failing {
    fn fit(&self, _: &Dataset, _: &Budget) -> treewright::Result<Fit<Tree>> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        Err(Error::schema(format!("fit {number} failed")))
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let data = bundled("shop.csv", Task::Auto);
    let greedy = Greedy::default();
    let refused = |learners: Learners<'_>, resampling, complaint: &str| {
        let plan = Validate { resampling };
        let error = plan.run(learners, &data, &Budget::unlimited());
        assert_eq!(error.unwrap_err().to_string(), complaint);
    };
    refused(
        &[],
        folds(10, 1, 0),
        "learners: got none, expected at least one",
    );
    refused(
        &[&greedy],
        folds(10, 0, 0),
        "repeats: got 0, expected at least 1",
    );
    let allowed = "expected between 2 and 400, the number of rows";
    refused(
        &[&greedy],
        folds(1, 1, 0),
        &format!("folds: got 1, {allowed}"),
    );
    refused(
        &[&greedy],
        folds(401, 1, 0),
        &format!("folds: got 401, {allowed}"),
    );
    let matrix = CostMatrix::new(&[vec![0.0, 1.0], vec![5.0, 0.0]]).unwrap();
    let other = Greedy {
        loss: Loss::Matrix(matrix),
        ..Greedy::default()
    };
    refused(
        &[&greedy, &other],
        folds(10, 1, 0),
        "the learners cannot be compared: they do not agree on what wrong predictions cost",
    );
    let failing = Failing(AtomicUsize::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build().unwrap().install(|| {
        refused(&[&greedy, &failing], folds(10, 1, 0), "fit 0 failed");
    });
    assert_eq!(failing.0.load(Ordering::Relaxed), 1);
}

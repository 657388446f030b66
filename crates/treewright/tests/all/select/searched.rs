//! Choosing a dyadic tree by rows left out: against a slow and obvious reference, and what is written
//! about the choice.

use std::time::Duration;

use fastrand::Rng;
use treewright::cost::Lambda;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::export::json;
use treewright::learn::dyadic::{Aim, Dyadic, Model};
use treewright::learn::{FamilyLearner, Learner};
use treewright::prune::take_out;
use treewright::select::{Resampling, Rule, Searched};
use treewright::tree::{CrossValidation, Family, FamilyFit, Fit, Kept, Tree};
use treewright::{Budget, Result};

use super::choosing::{any_resampling, losses_of, mean_and_se};
use crate::dyadic::members;
use crate::tables::Table;

/// Never comes to its end.
const ENDLESS: Resampling = Resampling::Folds {
    folds: 2,
    repeats: usize::MAX,
    seed: 0,
};

/// Any table of at least two rows, with any rule and any rows left out.
fn any_case(rng: &mut Rng) -> (Searched, Table) {
    let (learner, table) = loop {
        let case = members::any_case(rng);
        if case.1.data.n_rows() >= 2 {
            break case;
        }
    };
    let searched = Searched {
        learner,
        rule: [Rule::Least, Rule::OneSe][rng.usize(..2)],
        resampling: any_resampling(rng, table.data.n_rows()),
    };
    (searched, table)
}

fn family_of(learner: &Dyadic, data: &Dataset) -> Family {
    let found = learner.fit_family(data, &Budget::unlimited()).unwrap();
    found.family
}

fn validated(case: &Searched, data: &Dataset) -> FamilyFit {
    let budget = Budget::unlimited();
    let found = case.fit_family(data, &budget, Some(case.resampling));
    found.unwrap()
}

/// Error and standard error of each member, one member, fold and prediction at a time.
fn reference(case: &Searched, data: &Dataset) -> Vec<(f64, f64)> {
    let repeats = case.resampling.repeats().unwrap();
    let figures = |weight: Option<f64>| {
        let tree_of = |train: &Dataset| {
            let family = family_of(&case.learner, train);
            let member = weight.map(|weight| family.at(&Lambda::try_from(weight).unwrap()));
            family.tree(member.unwrap_or(0))
        };
        let (mut error, mut se) = (0.0, 0.0);
        for repeat in 0..repeats {
            let losses = losses_of(data, case.resampling, repeat, tree_of);
            let (mean, spread) = mean_and_se(&losses);
            error += mean / repeats as f64;
            se += spread / repeats as f64;
        }
        (error, se)
    };
    let members = family_of(&case.learner, data).members();
    let weights = members.iter().map(|member| {
        let high = member.lambda_high?;
        Some(member.lambda_low.unwrap().sqrt() * high.sqrt())
    });
    weights.map(figures).collect()
}

#[test]
fn cross_validation_is_what_the_slow_reference_says() {
    let mut rng = Rng::with_seed(61);
    for at in 0..400 {
        let (case, table) = any_case(&mut rng);
        let found = validated(&case, &table.data).cross_validation.unwrap();
        let expected = reference(&case, &table.data);
        let context = || format!("case {at}: {found:?}\n{expected:?}\n{case:?}\n{table}");
        assert_eq!(found.error.len(), expected.len());
        for (member, (error, se)) in expected.iter().enumerate() {
            let scale = 1.0 + error;
            let off = (found.error[member] - error).abs();
            assert!(off <= 1e-12 * scale, "member {member}, {}", context());
            let off = (found.se[member] - se).abs();
            assert!(off <= 1e-12 * scale, "member {member}, {}", context());
        }
        let least = found.error.iter().copied().fold(f64::INFINITY, f64::min);
        let first = |most: f64| found.error.iter().position(|&error| error <= most);
        assert_eq!(Some(found.min), first(least), "{}", context());
        assert_eq!(Some(found.one_se), first(least + found.se[found.min]));
    }
}

fn check_resampling(fit: &Fit<Tree>, resampling: Resampling) {
    let params = fit.learner.params.as_json();
    match resampling {
        Resampling::Folds {
            folds,
            repeats,
            seed,
        } => {
            assert_eq!(params["folds"], folds);
            assert_eq!(params["repeats"], repeats);
            assert_eq!(params["seed"], seed);
        }
        Resampling::Holdout { share, seed } => {
            assert_eq!(params["holdout"], share);
            assert_eq!(params["seed"], seed);
        }
    }
}

#[test]
fn the_selected_member_is_the_one_that_cross_validation_says() {
    let mut rng = Rng::with_seed(62);
    for _ in 0..300 {
        let (case, table) = any_case(&mut rng);
        let data = &table.data;
        let fit = case.fit(data, &Budget::unlimited()).unwrap();
        let whole = validated(&case, data);
        let (family, chosen) = case.fit_with_family(data, &Budget::unlimited()).unwrap();
        assert_eq!(family.cross_validation, whole.cross_validation);
        assert_eq!(family.learner, whole.learner);
        assert_eq!(chosen.learner, fit.learner);
        let CrossValidation { error, se, .. } = whole.cross_validation.as_ref().unwrap();
        let member = case.rule.choose(whole.cross_validation.as_ref().unwrap());
        assert_eq!(fit.model, whole.family.tree(member));
        let params = fit.learner.params.as_json();
        assert_eq!(params["cv_error"], error[member]);
        assert_eq!(params["cv_se"], se[member]);
        assert_eq!(params["lambda"], whole.family.lambda_low(member).unwrap());
        assert!(!params.contains_key("kappa") && !params.contains_key("stopped"));
        let rule = case.rule.name(case.resampling);
        assert_eq!(params["select"], rule);
        check_resampling(&fit, case.resampling);
        let checks = verify(&fit, data);
        assert!(checks.holds, "{checks:?}, {case:?}\n{table}");

        // The same as what is taken out of the file of the family, and as what is found for the weight.
        let stored = json::read_family(&json::write_family(&whole)).unwrap();
        // Without the folds, and without members whose weights lie between two doubles.
        let kept = Kept::of(&whole.family);
        let mut figures = kept.validation(whole.cross_validation.as_ref().unwrap());
        figures.folds.clear();
        assert_eq!(stored.cross_validation, Some(figures));
        let taken = take_out(&stored, kept.place(member), None, Some(rule)).unwrap();
        assert_eq!(fit.learner, taken.learner, "{case:?}\n{table}");
        assert_eq!(fit.certificate, taken.certificate, "{case:?}\n{table}");
        let lambda = whole.family.lambda_low(member).unwrap().to_string();
        let single = Dyadic {
            aim: Aim::Lambda(lambda.parse().unwrap()),
            ..case.learner
        };
        let single = single.fit(data, &Budget::unlimited()).unwrap();
        let (ours, its) = (fit.certificate.unwrap(), single.certificate.unwrap());
        let rounding = ours.tolerance.unwrap_or(0.0) * (1.0 + 1e-6);
        assert!(ours.is_optimal() || ours.objective - ours.lower_bound <= rounding);
        assert_eq!(ours.statement, its.statement);
        let off = (ours.objective - its.objective).abs();
        assert!(off <= ours.tolerance.unwrap_or(0.0) + 1e-12 * its.objective);
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut rng = Rng::with_seed(63);
    let pool = |n| {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(n);
        builder.build().unwrap()
    };
    let (one, four) = (pool(1), pool(4));
    for _ in 0..60 {
        let (case, table) = any_case(&mut rng);
        let found = |pool: &rayon::ThreadPool| {
            let found = pool.install(|| validated(&case, &table.data));
            found.cross_validation
        };
        assert_eq!(found(&one), found(&four));
    }
}

/// Not chosen by rows left out, and it says so.
#[track_caller]
fn check_stopped(params: &serde_json::Map<String, serde_json::Value>) {
    assert_eq!(params["stopped"], true);
    assert_eq!(params["stopped_in"], "validation");
    assert!(!params.contains_key("select") && !params.contains_key("cv_error"));
}

#[test]
fn if_the_validation_is_stopped_the_own_weight_counts() {
    let (case, table) = any_case(&mut Rng::with_seed(64));
    let data = &table.data;
    let case = Searched {
        resampling: ENDLESS,
        ..case
    };
    let budget = || Budget::unlimited().with_time_limit(Duration::from_millis(300));
    let fit = case.fit(data, &budget()).unwrap();
    check_stopped(fit.learner.params.as_json());
    let plain = case.learner.fit(data, &Budget::unlimited()).unwrap();
    assert_eq!(fit.training.leaves, plain.training.leaves);
    assert_eq!(fit.certificate, plain.certificate);
    assert!(verify(&fit, data).holds);
    let whole = case.fit_family(data, &budget(), Some(ENDLESS)).unwrap();
    check_stopped(whole.learner.params.as_json());
    assert_eq!(whole.exact_down_to, 0.0);
    assert!(whole.cross_validation.is_none());
}

/// Too many different rows to be searched in no time and memory.
fn noisy_table() -> Dataset {
    let mut rng = Rng::with_seed(65);
    let mut row = |_| {
        let cells: Vec<String> = (0..5).map(|_| rng.u32(..1000).to_string()).collect();
        format!("{},{}\n", cells.join(","), rng.u8(..3))
    };
    let rows: String = (0..600).map(&mut row).collect();
    let text = format!("a,b,c,d,e,class\n{rows}");
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

#[test]
fn nothing_is_validated_if_the_family_is_not_complete() {
    let data = noisy_table();
    for model in [Model::Collapsed, Model::Boxed] {
        let case = Searched::new(Dyadic {
            model,
            most_bytes: 10_000,
            ..Dyadic::default()
        });
        let budget = Budget::unlimited();
        let whole = case.fit_family(&data, &budget, Some(case.resampling));
        let whole = whole.unwrap();
        assert!(whole.exact_down_to > 0.0);
        assert!(whole.cross_validation.is_none());
        check_stopped(whole.learner.params.as_json());
        let fit = case.fit(&data, &budget).unwrap();
        check_stopped(fit.learner.params.as_json());
        let plain = case.learner.fit(&data, &budget).unwrap();
        // How far each of them came depends on the memory that was free: what is known about them need not be the same.
        let (ours, its) = (fit.certificate.as_ref(), plain.certificate.as_ref());
        let (ours, its) = (ours.unwrap(), its.unwrap());
        assert!(!ours.is_optimal() && !its.is_optimal());
        assert_eq!(ours.statement, its.statement);
        assert!(verify(&fit, &data).holds);
    }
}

/// A learner whose search comes to its end only if it has all rows.
struct NeedsAll {
    learner: Dyadic,
    n_rows: usize,
}

impl Learner for NeedsAll {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        self.learner.fit(data, budget)
    }
}

impl FamilyLearner for NeedsAll {
    fn fit_family(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        let mut found = self.learner.fit_family(data, budget)?;
        if data.n_rows() < self.n_rows {
            found.exact_down_to = 0.01;
        }
        Ok(found)
    }

    fn weight(&self, data: &Dataset) -> Result<Lambda> {
        self.learner.weight(data)
    }
}

#[test]
fn nothing_is_validated_if_the_search_of_a_fold_is_stopped() {
    let (case, table) = any_case(&mut Rng::with_seed(67));
    let data = &table.data;
    let case = Searched {
        learner: NeedsAll {
            learner: case.learner,
            n_rows: data.n_rows(),
        },
        rule: case.rule,
        resampling: case.resampling,
    };
    let budget = Budget::unlimited();
    let whole = case.fit_family(data, &budget, Some(case.resampling));
    let whole = whole.unwrap();
    assert!(whole.cross_validation.is_none());
    check_stopped(whole.learner.params.as_json());
    let fit = case.fit(data, &budget).unwrap();
    check_stopped(fit.learner.params.as_json());
    assert!(fit.certificate.is_some_and(|it| it.is_optimal()));
}

#[test]
fn too_many_folds_are_refused() {
    let (mut case, table) = any_case(&mut Rng::with_seed(66));
    let n_rows = table.data.n_rows();
    case.resampling = Resampling::Folds {
        folds: n_rows + 1,
        repeats: 1,
        seed: 0,
    };
    let spent = Budget::unlimited().with_time_limit(Duration::ZERO);
    let error = case.fit(&table.data, &spent).unwrap_err().to_string();
    assert!(error.starts_with("folds: got "), "{error}");
    let error = case.fit_family(&table.data, &spent, Some(case.resampling));
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("folds: got "), "{error}");
}

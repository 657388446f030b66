//! Learning followed by pruning: what comes back, and what is written about it.

use std::time::Duration;

use fastrand::Rng;
use serde_json::Value;
use treewright::Budget;
use treewright::cost::Lambda;
use treewright::data::Dataset;
use treewright::eval::verify;
use treewright::export::words;
use treewright::learn::{Greedy, Learner};
use treewright::prune::{Aim, Method, PruningCost};
use treewright::select::{Choice, FamilyChoice, Pruned, Resampling, Rule};
use treewright::tree::{Fit, StoppedIn, Tree};

use crate::greedy::differential::learn;
use crate::select::choosing::{Case, any_case};

fn pruned(case: &Case, choice: Choice) -> Pruned {
    Pruned {
        learner: case.params.clone(),
        cost: case.cost,
        penalty: case.penalty.clone(),
        method: Method::Auto,
        choice,
        most_bytes: u64::MAX,
    }
}

fn param<'a>(fit: &'a Fit<Tree>, name: &str) -> &'a Value {
    &fit.learner.params.as_json()["pruned"][name]
}

/// Its claims hold on the rows it was learned from, and it is a pruning of what is grown without.
fn check(fit: &Fit<Tree>, case: &Case, data: &Dataset) {
    let grown = learn(data, &case.params);
    assert_eq!(param(fit, "from_leaves"), grown.model.n_leaves());
    assert_eq!(param(fit, "penalty"), case.penalty.to_string().as_str());
    assert_eq!(param(fit, "cost"), case.cost.name());
    assert_eq!(fit.learner.kind.name(), "greedy");
    assert_eq!(fit.training.leaves, fit.model.n_leaves());
    let verification = verify(fit, data);
    assert!(verification.holds, "{:?}", verification.checks);
    if let Some(certificate) = &fit.certificate {
        assert!(certificate.is_optimal());
        assert_eq!(certificate.exact, certificate.tolerance.is_none());
        let ending = match grown.model.n_leaves() {
            1 => " of a greedy tree with 1 leaf".to_owned(),
            leaves => format!(" of a greedy tree with {leaves} leaves"),
        };
        let what = words::statement(&certificate.statement);
        assert!(what.ends_with(&ending), "{what}");
    }
}

#[test]
fn a_pruning_for_a_weight_is_the_best_of_its_family() {
    let mut rng = Rng::with_seed(51);
    for _ in 0..300 {
        let (case, table) = any_case(&mut rng);
        let weight: Lambda = ["0", "0.01", "0.1", "1/30", "2"][rng.usize(..5)]
            .parse()
            .unwrap();
        let learner = pruned(&case, Choice::Aim(Aim::Weight(weight.clone())));
        let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
        check(&fit, &case, &table.data);
        let whole = learner
            .fit_family(&table.data, &Budget::unlimited(), None)
            .unwrap();
        assert!(whole.cross_validation.is_none());
        let objective = fit.certificate.as_ref().unwrap().objective;
        for member in whole.family.members() {
            let other = member.cost + weight.to_f64() * case.penalty.at(member.leaves);
            assert!(
                objective <= other + 1e-12 * (1.0 + other),
                "{case:?}\n{table}"
            );
        }
        let best = whole.family.at(&weight);
        assert_eq!(fit.model, whole.family.tree(best), "{case:?}\n{table}");
        let member = FamilyChoice::Weight(weight);
        let both = learner
            .fit_member(&table.data, &Budget::unlimited(), None, &member)
            .unwrap();
        assert_eq!(both.chosen.model, fit.model);
        let [ours, its] = [&both.chosen, &fit].map(|it| it.certificate.as_ref().unwrap());
        assert_eq!((&ours.statement, ours.exact), (&its.statement, its.exact));
        // The costs of rows with any weights are added up in another order.
        assert!((ours.objective - its.objective).abs() <= 1e-12 * (1.0 + its.objective));
        assert_eq!(both.family.family.members(), whole.family.members());
        assert_eq!(both.grown.model, learn(&table.data, &case.params).model);
    }
}

#[test]
fn the_selected_member_is_the_one_that_cross_validation_says() {
    let mut rng = Rng::with_seed(52);
    for _ in 0..300 {
        let (case, table) = any_case(&mut rng);
        let rule = [Rule::Least, Rule::OneSe][rng.usize(..2)];
        let resampling = case.resampling;
        let learner = pruned(&case, Choice::Select { rule, resampling });
        let fit = learner.fit(&table.data, &Budget::unlimited()).unwrap();
        check(&fit, &case, &table.data);
        let whole = learner
            .fit_family(&table.data, &Budget::unlimited(), Some(resampling))
            .unwrap();
        let member = FamilyChoice::by_rule(rule, resampling);
        let both = learner
            .fit_member(&table.data, &Budget::unlimited(), Some(resampling), &member)
            .unwrap();
        assert_eq!(both.chosen.model, fit.model);
        assert_eq!(both.chosen.learner, fit.learner, "{case:?}\n{table}");
        assert_eq!(both.family.cross_validation, whole.cross_validation);
        let validation = whole.cross_validation.unwrap();
        let member = rule.choose(&validation);
        assert_eq!(fit.model, whole.family.tree(member));
        assert_eq!(param(&fit, "cv_error"), validation.error[member]);
        assert_eq!(param(&fit, "cv_se"), validation.se[member]);
        assert_eq!(
            param(&fit, "lambda"),
            whole.family.lambda_low(member).unwrap()
        );
        assert_eq!(param(&fit, "select"), rule.name(resampling));
        for params in [
            &fit.learner.params.as_json()["pruned"],
            &whole.learner.params.as_json().clone().into(),
        ] {
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
    }
}

#[test]
fn several_penalties_give_the_families_of_each() {
    let mut rng = Rng::with_seed(57);
    let penalties = ["linear", "sqrt", "power:1.5"].map(|penalty| penalty.parse().unwrap());
    let budget = Budget::unlimited();
    for _ in 0..60 {
        let (case, table) = any_case(&mut rng);
        let resampling = case.resampling;
        let choice = Choice::Aim(Aim::Leaves(1));
        let together = pruned(&case, choice.clone());
        let together = together.fit_families(&penalties, &table.data, &budget, resampling);
        for (found, penalty) in together.unwrap().iter().zip(&penalties) {
            let alone = Pruned {
                penalty: penalty.clone(),
                ..pruned(&case, choice.clone())
            };
            let alone = alone.fit_family(&table.data, &budget, Some(resampling));
            let alone = alone.unwrap();
            assert_eq!(found.family.penalty(), penalty);
            assert_eq!(found.family.members(), alone.family.members());
            assert_eq!(found.cross_validation, alone.cross_validation);
            assert_eq!(found.learner, alone.learner);
            assert_eq!(
                (found.exact, found.tolerance),
                (alone.exact, alone.tolerance)
            );
        }
    }
}

#[test]
fn sizes_and_costs_can_be_asked_for() {
    let mut rng = Rng::with_seed(53);
    for _ in 0..200 {
        let (case, table) = any_case(&mut rng);
        let leaves = rng.usize(1..=6);
        let learner = pruned(&case, Choice::Aim(Aim::Leaves(leaves)));
        let few = learner.fit(&table.data, &Budget::unlimited()).unwrap();
        check(&few, &case, &table.data);
        assert!(few.model.n_leaves() <= leaves);
        assert_eq!(param(&few, "leaves"), leaves);
        // The cost of that, asked for with some room, takes no more leaves.
        let cost = few.certificate.as_ref().unwrap().objective;
        let most = Lambda::try_from(cost * (1.0 + 1e-9) + 1e-12).unwrap();
        let learner = pruned(&case, Choice::Aim(Aim::MaxCost(most)));
        let cheap = learner.fit(&table.data, &Budget::unlimited()).unwrap();
        check(&cheap, &case, &table.data);
        assert!(cheap.model.n_leaves() <= few.model.n_leaves());
        let certificate = cheap.certificate.as_ref().unwrap();
        assert_eq!(certificate.objective, cheap.model.n_leaves() as f64);
    }
}

#[test]
fn a_spent_budget_leaves_the_tree_as_it_is() {
    let mut rng = Rng::with_seed(54);
    let (case, table) = any_case(&mut rng);
    let spent = Budget::unlimited().with_time_limit(Duration::ZERO);
    let resampling = case.resampling;
    let learner = pruned(
        &case,
        Choice::Select {
            rule: Rule::Least,
            resampling,
        },
    );
    let fit = learner.fit(&table.data, &spent).unwrap();
    assert_eq!(fit.learner.params.as_json()["stopped"], true);
    assert!(!fit.learner.params.as_json().contains_key("pruned"));
    assert!(fit.certificate.is_none());
    let whole = learner
        .fit_family(&table.data, &spent, Some(resampling))
        .unwrap();
    assert_eq!(whole.learner.params.as_json()["stopped"], true);
    assert!(!whole.learner.params.as_json().contains_key("stopped_in"));
    assert!(whole.cross_validation.is_none());
    let member = FamilyChoice::by_rule(Rule::Least, resampling);
    let both = learner
        .fit_member(&table.data, &spent, Some(resampling), &member)
        .unwrap();
    assert_eq!(both.chosen.model, fit.model);
    assert_eq!(both.chosen.learner, fit.learner);
    assert!(both.chosen.certificate.is_none());
}

#[test]
fn a_tree_is_complete_if_only_its_validation_was_stopped() {
    let mut rng = Rng::with_seed(55);
    let (case, table) = any_case(&mut rng);
    let resampling = Resampling::Folds {
        folds: 2,
        repeats: usize::MAX,
        seed: 0,
    };
    let learner = pruned(
        &case,
        Choice::Select {
            rule: Rule::Least,
            resampling,
        },
    );
    let budget = || Budget::unlimited().with_time_limit(Duration::from_millis(200));
    let fit = learner.fit(&table.data, &budget()).unwrap();
    let whole = learner
        .fit_family(&table.data, &budget(), Some(resampling))
        .unwrap();
    for params in [&fit.learner.params, &whole.learner.params] {
        assert_eq!(params.stopped(), Some(StoppedIn::Validation));
    }
    let grown = learn(&table.data, &case.params).model;
    assert_eq!(fit.model.n_leaves(), grown.n_leaves());
}

#[test]
fn the_file_tells_how_a_tree_was_pruned() {
    let table = "x,y\n1,a\n2,a\n3,b\n4,b\n5,a\n6,b\n7,b\n8,b\n";
    let source = treewright::data::csv::CsvSource::new(table.into(), b',').unwrap();
    let data = Dataset::read(&source, &treewright::data::ReadOptions::default()).unwrap();
    let learner = Pruned {
        choice: Choice::Aim(Aim::Weight("1/16".parse().unwrap())),
        ..Pruned::new(Greedy::default())
    };
    let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
    let written = fit.learner.params.as_json()["pruned"].to_string();
    assert_eq!(
        written,
        r#"{"penalty":"linear","cost":"error","method":"additive","from_leaves":4,"lambda":0.0625}"#
    );
    let certificate = fit.certificate.unwrap();
    let what = "error + 0.0625 * leaves over the prunings of a greedy tree with 4 leaves";
    assert_eq!(words::statement(&certificate.statement), what);
    // At 1/16 the two leaves that save one error together pay for themselves only just.
    assert_eq!((fit.training.leaves, certificate.objective), (2, 0.25));
    assert!(certificate.exact);

    let unfit = Pruned {
        cost: PruningCost::Squared,
        ..learner
    };
    let error = unfit.fit(&data, &Budget::unlimited()).unwrap_err();
    assert!(error.to_string().starts_with("cost: got mse"), "{error}");
}

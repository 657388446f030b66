//! One tree for a number of leaves or for a weight of any penalty: it equals the best of all trees, and after a stop
//! what is claimed still holds.

use fastrand::Rng;
use treewright::cost::{Lambda, Penalty};
use treewright::data::{ClassWeight, Dataset};
use treewright::learn::optimal::{Optimal, Switches};
use treewright::learn::{FamilyLearner, Learner};
use treewright::select::{FamilyChoice, Searched};
use treewright::tree::{Certificate, FamilyFit};
use treewright::{Budget, ErrorKind, Fit};

use super::small::{check_claims, random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::Table;

/// A table and a learner, with the least cost for each number of leaves.
struct Sizes {
    table: Table,
    learner: Optimal,
    /// For 1, 2, ... leaves: the least cost of trees with at most as many, divided by the total weight.
    least: Vec<f64>,
}

impl Sizes {
    fn new(rng: &mut Rng, depth: usize) -> Self {
        let most = [[40, 4], [16, 4], [10, 3]][depth - 1];
        let table = small_table(rng, most[0], most[1]);
        let (learner, _) = random_task(rng, &table.data, depth, 4);
        let learner = Optimal {
            leaf_cost: Lambda::zero(),
            intervals: learner.intervals.map(|most| most.max(2)),
            ..learner
        };
        let reference = Bounded::new(&table.data, &learner, (0, 1));
        let losses = reference.losses_by_leaves(depth);
        let most = losses.keys().max().copied().unwrap_or(1);
        let mut least: Vec<f64> = Vec::new();
        for leaves in 1..=most {
            let own = losses
                .get(&leaves)
                .map(|&loss| reference.objective((loss, leaves)));
            let before = least.last().copied().unwrap_or(f64::INFINITY);
            least.push(own.unwrap_or(before).min(before));
        }
        Self {
            table,
            learner,
            least,
        }
    }

    fn data(&self) -> &Dataset {
        &self.table.data
    }

    /// The least cost with at most this many leaves, and the fewest leaves that it takes.
    fn best_of(&self, leaves: usize) -> (f64, usize) {
        let least = self.least[leaves.min(self.least.len()) - 1];
        let fewest = self.least.iter().position(|&cost| cost == least);
        (least, fewest.unwrap() + 1)
    }

    /// The least objective for a weight of a penalty.
    fn best_for(&self, weight: f64, penalty: &Penalty) -> f64 {
        let objective = |(cost, leaves): (&f64, usize)| cost + weight * penalty.at(leaves);
        let all = self.least.iter().zip(1..).map(objective);
        all.fold(f64::INFINITY, f64::min)
    }

    fn case(&self) -> String {
        format!("{:?}\n{}", self.learner, self.table)
    }
}

/// A learner for a number of leaves or a weight of a penalty, with the least objective.
fn random_aim(rng: &mut Rng, sizes: &Sizes) -> (Optimal, f64) {
    let learner = sizes.learner.clone();
    if rng.bool() {
        let leaves = rng.usize(1..=sizes.least.len() + 1);
        let leaves = [leaves, leaves, leaves, 300][rng.usize(..4)];
        let learner = Optimal {
            leaves: Some(leaves),
            ..learner
        };
        return (learner, sizes.best_of(leaves).0);
    }
    let penalty: Penalty = ["sqrt", "log", "power:2", "power:1.5", "power:0.25"][rng.usize(..5)]
        .parse()
        .unwrap();
    let lambda: Lambda = ["0.001", "1/70", "0.05", "1/7", "0.4"][rng.usize(..5)]
        .parse()
        .unwrap();
    let best = sizes.best_for(lambda.to_f64(), &penalty);
    let learner = Optimal {
        leaf_cost: lambda,
        penalty,
        ..learner
    };
    (learner, best)
}

#[track_caller]
fn check_bounds(certificate: &Certificate, best: f64, case: &str) {
    let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
    assert!(
        certificate.lower_bound <= best + slack,
        "{certificate:?} {best} {case}"
    );
    assert!(
        best <= certificate.objective + slack,
        "{certificate:?} {best} {case}"
    );
    let is_best = (certificate.objective - best).abs() <= slack;
    assert!(
        is_best || !certificate.is_optimal(),
        "{certificate:?} {best} {case}"
    );
}

fn factor() -> u64 {
    std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap())
}

#[test]
fn one_tree_is_the_best_of_all() {
    for (depth, n_cases) in [(1, 200), (2, 300), (3, 150)] {
        for seed in 0..n_cases * factor() {
            let mut rng = Rng::with_seed(9000 * depth as u64 + seed);
            let sizes = Sizes::new(&mut rng, depth);
            let (learner, best) = random_aim(&mut rng, &sizes);
            for switches in [Switches::USUAL, Switches::TINY, Switches::NONE] {
                let fit = learner
                    .fit_with(sizes.data(), &Budget::unlimited(), switches)
                    .unwrap();
                let case = format!("{learner:?} seed {seed} {}", sizes.table);
                let certificate = fit.certificate.as_ref().unwrap();
                assert!(certificate.is_optimal(), "{certificate:?} {case}");
                check_bounds(certificate, best, &case);
                if let Some(leaves) = learner.leaves {
                    assert_eq!(fit.training.leaves, sizes.best_of(leaves).1, "{case}");
                    check_claims(&fit, sizes.data(), &learner, &case);
                }
            }
        }
    }
}

/// The claims of a tree after a stop hold.
fn check_stopped(fit: &Fit, sizes: &Sizes, best: f64, leaves: Option<usize>, case: &str) {
    let Some(certificate) = &fit.certificate else {
        panic!("no certificate {case}");
    };
    check_bounds(certificate, best, case);
    if let Some(leaves) = leaves {
        assert!(fit.training.leaves <= leaves, "{case}");
        if certificate.fewest_leaves == Some(true) {
            assert_eq!(fit.training.leaves, sizes.best_of(leaves).1, "{case}");
        }
    }
}

#[test]
fn what_is_claimed_after_a_stop_holds() {
    let mut n_stopped = 0;
    for seed in 0..300 * factor() {
        let mut rng = Rng::with_seed(77_000 + seed);
        let depth = rng.usize(2..=3);
        let sizes = Sizes::new(&mut rng, depth);
        let (learner, best) = random_aim(&mut rng, &sizes);
        let looks = rng.u64(..60);
        let budget = || Budget::unlimited().with_looks(looks);
        let case = format!("looks {looks} seed {seed} {learner:?} {}", sizes.table);
        let fit = learner
            .fit_with(sizes.data(), &budget(), Switches::TINY)
            .unwrap();
        n_stopped += u32::from(!fit.certificate.as_ref().unwrap().is_optimal());
        check_stopped(&fit, &sizes, best, learner.leaves, &case);
        // The same of trees out of a family that was stopped.
        let family = Optimal {
            leaves: None,
            leaf_cost: Lambda::zero(),
            ..learner.clone()
        };
        let found = family
            .fit_family_with(sizes.data(), &budget(), Switches::TINY)
            .unwrap();
        check_members(&found, &sizes, &mut rng, &case);
    }
    assert!(n_stopped > 20, "{n_stopped} were stopped");
}

/// Trees for sizes and weights out of a family.
fn check_members(found: &FamilyFit, sizes: &Sizes, rng: &mut Rng, case: &str) {
    for leaves in 1..=sizes.least.len() {
        let fit = FamilyChoice::Leaves(leaves)
            .take_out(found)
            .unwrap()
            .unwrap();
        // A member is compared with trees that have at most as many leaves as it has.
        let own = fit.training.leaves;
        check_stopped(&fit, sizes, sizes.best_of(own).0, Some(own), case);
    }
    let lambda: Lambda = ["0", "0.001", "1/70", "0.05", "1/7"][rng.usize(..5)]
        .parse()
        .unwrap();
    let best = sizes.best_for(lambda.to_f64(), found.family.penalty());
    let fit = FamilyChoice::Weight(lambda)
        .take_out(found)
        .unwrap()
        .unwrap();
    check_stopped(&fit, sizes, best, None, case);
}

/// Weights that are rounded: a search that was stopped must not claim what it does not know.
#[test]
fn rounded_weights_and_a_stop() {
    let mut n_open = 0;
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 30, 4);
        let mut data = table.data;
        let classes = data.schema().classes().to_vec();
        let weights = classes
            .into_iter()
            .map(|class| (class, 1.0 / (1.0 + rng.f64())));
        data.weigh_classes(&ClassWeight::Given(weights.collect()))
            .unwrap();
        let learner = Optimal {
            depth: 3,
            intervals: Some(2),
            ..Optimal::default()
        };
        let whole = learner.fit_family(&data, &Budget::unlimited()).unwrap();
        let budget = Budget::unlimited().with_looks(rng.u64(..40));
        let stopped = learner
            .fit_family_with(&data, &budget, Switches::TINY)
            .unwrap();
        n_open += u32::from(stopped.lower_bounds.is_some());
        for member in stopped.family.members() {
            let choice = FamilyChoice::Leaves(member.leaves);
            let fit = choice.take_out(&stopped).unwrap().unwrap();
            let best = whole.family.member(choice.place(&whole).unwrap()).cost;
            check_bounds(
                fit.certificate.as_ref().unwrap(),
                best,
                &format!("seed {seed}"),
            );
        }
    }
    assert!(n_open > 5, "{n_open} were stopped");
}

#[test]
fn a_tree_is_chosen_by_held_out_rows() {
    let sizes = (0..).map(|seed| Sizes::new(&mut Rng::with_seed(seed), 2));
    let sizes = sizes
        .filter(|sizes| sizes.data().n_rows() > 10)
        .find(|sizes| sizes.least.len() > 3)
        .unwrap();
    let searched = Searched::new(sizes.learner.clone());
    let (family, fit) = searched
        .fit_with_family(sizes.data(), &Budget::unlimited())
        .unwrap();
    let chosen = family.cross_validation.unwrap().min;
    assert_eq!(fit.training.leaves, family.family.values()[chosen].leaves);
    assert_eq!(fit.learner.params.choice().unwrap().rule, "cv");
    assert!(fit.certificate.unwrap().is_optimal(), "{}", sizes.case());
    // After a stop it is the tree of least cost, with a bound.
    let budget = Budget::unlimited().with_looks(0);
    let fit = searched.fit(sizes.data(), &budget).unwrap();
    assert!(fit.learner.params.stopped().is_some() && fit.certificate.is_some());
}

#[test]
fn a_size_or_a_weight_that_cannot_be() {
    let mut rng = Rng::with_seed(3);
    let sizes = Sizes::new(&mut rng, 2);
    let refused = |learner: Optimal, expected: &str| {
        let error = learner.fit(sizes.data(), &Budget::unlimited()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        error
    };
    let of_size = |leaves: usize| Optimal {
        leaves: Some(leaves),
        ..sizes.learner.clone()
    };
    refused(of_size(0), "leaves: got 0, expected at least 1");
    let both = Optimal {
        leaf_cost: "0.5".parse().unwrap(),
        ..of_size(2)
    };
    refused(
        both,
        "leaf-cost: got 0.5, expected 0 where the number of leaves is limited",
    );
    let one_interval = Optimal {
        intervals: Some(1),
        ..of_size(2)
    };
    refused(
        one_interval,
        "intervals: got 1, expected at least 2 for trees of every size",
    );
    let short = Optimal {
        penalty: Penalty::table(&["1", "2"]).unwrap(),
        ..sizes.learner.clone()
    };
    let error = short
        .fit_family(sizes.data(), &Budget::unlimited())
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Penalty(_)), "{error}");
    let cheap = Optimal {
        leaf_cost: "1e-9".parse().unwrap(),
        ..short.clone()
    };
    let error = cheap.fit(sizes.data(), &Budget::unlimited()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Penalty(_)), "{error}");
    let dear = Optimal {
        leaf_cost: "100".parse().unwrap(),
        ..short
    };
    let fit = dear.fit(sizes.data(), &Budget::unlimited()).unwrap();
    assert!(fit.certificate.unwrap().is_optimal());
}

/// Where there is no memory for a search, nothing is known but the single leaf.
#[test]
fn without_any_search_nothing_is_proven() {
    let sizes = (0..).map(|seed| Sizes::new(&mut Rng::with_seed(seed), 2));
    let sizes = sizes
        .filter(|sizes| sizes.data().n_rows() > 10)
        .find(|sizes| sizes.least.len() > 3 && sizes.best_of(4).0 < sizes.best_of(1).0)
        .unwrap();
    let learner = Optimal {
        most_bytes: 100,
        ..sizes.learner.clone()
    };
    let found = learner
        .fit_family(sizes.data(), &Budget::unlimited())
        .unwrap();
    assert!(!found.is_complete());
    for (leaves, leaf_cost, penalty) in [(Some(4), "0", "linear"), (None, "1e-6", "sqrt")] {
        let learner = Optimal {
            leaves,
            leaf_cost: leaf_cost.parse().unwrap(),
            penalty: penalty.parse().unwrap(),
            ..learner.clone()
        };
        let fit = learner
            .fit_with(sizes.data(), &Budget::unlimited(), Switches::NONE)
            .unwrap();
        let certificate = fit.certificate.unwrap();
        assert!(!certificate.is_optimal(), "{certificate:?}");
    }
}

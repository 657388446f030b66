//! Searches for optimal trees that end early: what they claim still holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use treewright::learn::greedy::{CategoricalSplits, MissingPolicy};
use treewright::learn::optimal::{Optimal, Switches};
use treewright::learn::{Greedy, Learner};
use treewright::tree::{Split, Tree};
use treewright::{Budget, Fit};

use super::large::{Most, table};
use super::rules::random_case;
use super::small::{check_claims, random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::Table;

/// A search that was stopped, beside the optimum and the greedy tree.
struct Stops {
    table: Table,
    learner: Optimal,
    optimum: f64,
    greedy: Option<f64>,
    case: String,
}

impl Stops {
    fn new(seed: u64, most: Most, depth: usize) -> Self {
        let mut rng = Rng::with_seed(seed);
        let table = table(&mut rng, most);
        let learner = Optimal {
            depth,
            intervals: [Some(2), Some(2), None][rng.usize(..3)],
            ..Optimal::default()
        };
        let whole = learner.fit(&table.data, &Budget::unlimited()).unwrap();
        let whole = whole.certificate.unwrap();
        let case = format!("seed {seed}: {learner:?}");
        assert!(whole.is_optimal(), "{case}");
        let greedy = Greedy {
            max_depth: Some(depth),
            missing: MissingPolicy::Branch,
            categorical_splits: CategoricalSplits::OneVsRest,
            ..Greedy::default()
        };
        let greedy = greedy.fit(&table.data, &Budget::unlimited()).unwrap();
        Self {
            greedy: is_of_the_kind(&greedy.model).then_some(greedy.training.cost),
            table,
            learner,
            optimum: whole.objective,
            case,
        }
    }

    /// Is the tree proven?
    fn check(&self, fit: &Fit, when: &str) -> bool {
        let case = format!("{when} {}", self.case);
        let certificate = fit.certificate.as_ref().unwrap();
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        let (objective, bound) = (certificate.objective, certificate.lower_bound);
        assert!(
            bound <= self.optimum + slack,
            "{bound} above {} {case}",
            self.optimum
        );
        assert!(self.optimum <= objective + slack, "{case}");
        if let Some(greedy) = self.greedy {
            assert!(objective <= greedy + slack, "{case}");
        }
        if certificate.is_optimal() {
            assert!((objective - self.optimum).abs() <= slack, "{case}");
        }
        check_claims(fit, &self.table.data, &self.learner, &case);
        certificate.is_optimal()
    }
}

/// A greedy tree may ask for nothing but whether a category is missing; these trees may not.
fn is_of_the_kind(tree: &Tree) -> bool {
    let is_one = |id| match tree.branch(id).map(|branch| &branch.split) {
        Some(Split::Categories { branches, .. }) => {
            let mut used: Vec<u32> = branches.iter().copied().flatten().collect();
            let n_categories = used.len();
            used.sort_unstable();
            used.dedup();
            used.len() == n_categories
        }
        _ => true,
    };
    tree.ids().all(is_one)
}

const LARGE: Most = Most {
    rows: [1800, 2200],
    features: 4,
    classes: 3,
};

#[test]
fn time_limits_leave_honest_trees() {
    let mut n_stopped = 0;
    for seed in 0..3 {
        let stops = Stops::new(seed, LARGE, 3);
        for millis in [0, 1, 2, 5, 10, 20, 50] {
            let limit = Duration::from_millis(millis);
            let budget = Budget::unlimited().with_time_limit(limit);
            let fit = stops.learner.fit(&stops.table.data, &budget).unwrap();
            let is_proven = stops.check(&fit, &format!("{millis} ms"));
            n_stopped += u32::from(!is_proven);
        }
    }
    assert!(n_stopped > 5, "{n_stopped} were stopped");
}

#[test]
fn local_search_changes_no_tree_that_is_proven() {
    let most = Most {
        rows: [20, 60],
        features: 4,
        classes: 3,
    };
    for seed in 300..316 {
        let stops = Stops::new(seed, most, 3 + usize::from(seed % 8 == 0));
        let unlimited = Budget::unlimited();
        let hour = unlimited.clone().with_time_limit(Duration::from_secs(3600));
        let [expected, found] =
            [&unlimited, &hour].map(|budget| stops.learner.fit(&stops.table.data, budget).unwrap());
        assert_eq!(found.model, expected.model, "seed {seed}");
        assert_eq!(found.certificate, expected.certificate, "seed {seed}");
        for looks in (0..9).map(|power| 4_u64.pow(power)) {
            let budget = hour.clone().with_looks(looks);
            let fit = stops.learner.fit(&stops.table.data, &budget).unwrap();
            stops.check(&fit, &format!("{looks} looks"));
        }
    }
}

/// A search that may look at its limits this often, with an hour of time: so all that goes on beside a proof has its
/// turn.
fn stopped_after(
    looks: u64,
    (table, learner): (&Table, &Optimal),
    switches: Switches,
) -> Fit<Tree> {
    let hour = Duration::from_secs(3600);
    let budget = Budget::unlimited().with_time_limit(hour).with_looks(looks);
    learner.fit_with(&table.data, &budget, switches).unwrap()
}

#[test]
fn a_bound_is_never_above_the_best_of_all_trees() {
    let (mut n_stopped, mut n_bounded) = (0, 0);
    for seed in 50_000..53_000 {
        let depth = 2 + (seed % 3) as usize;
        let sizes = [[40, 3], [20, 3], [12, 2]][depth - 2];
        let mut rng = Rng::with_seed(seed);
        let (table, (learner, leaf_cost)) = if rng.u8(..4) == 0 {
            random_case(seed, depth, sizes, 4)
        } else {
            let table = small_table(&mut rng, sizes[0], sizes[1]);
            let task = random_task(&mut rng, &table.data, depth, 4);
            (table, task)
        };
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let all = Bounded::new(&table.data, &learner, leaf_cost);
        let best = all.objective(all.best(depth));
        let looks = [1, 3, 10, 30, 100, 300, 1000, 3000][rng.usize(..8)];
        let switches = if rng.bool() {
            Switches::TINY
        } else {
            Switches::USUAL
        };
        let fit = stopped_after(looks, (&table, &learner), switches);
        let certificate = fit.certificate.as_ref().unwrap();
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        let bound = certificate.lower_bound;
        assert!(
            bound <= best + slack,
            "{looks} looks: {bound} {best} {case}"
        );
        assert!(
            best <= certificate.objective + slack,
            "{looks} looks {case}"
        );
        check_claims(&fit, &table.data, &learner, &case);
        n_stopped += u32::from(!certificate.is_optimal());
        n_bounded += u32::from(!certificate.is_optimal() && bound > 0.0);
    }
    assert!(n_stopped > 500, "{n_stopped} were stopped");
    assert!(n_bounded > 100, "{n_bounded} have a bound");
}

#[test]
fn more_time_is_never_worse() {
    let mut n_better = 0;
    for seed in 60_000..60_100 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 250, 5);
        let (learner, _) = random_task(&mut rng, &table.data, 4, 2);
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let known = |switches: Switches| {
            let fit = stopped_after(1000, (&table, &learner), switches);
            fit.certificate.unwrap()
        };
        // All of the time is for the lower bound and local search, or none.
        let without = Switches {
            helper: false,
            ..Switches::TINY
        };
        let (helped, alone) = (known(Switches::TINY), known(without));
        n_better += u32::from(helped.lower_bound > alone.lower_bound);
        let slack = helped.tolerance.unwrap_or(0.0) + 1e-12;
        assert!(alone.lower_bound <= helped.objective + slack, "{case}");
        assert!(helped.lower_bound <= alone.objective + slack, "{case}");
    }
    assert!(n_better > 0, "{n_better} have a better bound");
}

#[test]
fn an_interrupt_leaves_an_honest_tree() {
    for seed in 101..103 {
        let stops = Stops::new(seed, LARGE, 3);
        for millis in [0, 3, 12] {
            let flag = Arc::new(AtomicBool::new(millis == 0));
            let budget = Budget::unlimited().with_interrupt(Arc::clone(&flag));
            let fit = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(millis));
                    flag.store(true, Ordering::Relaxed);
                });
                stops.learner.fit(&stops.table.data, &budget).unwrap()
            });
            stops.check(&fit, &format!("interrupted after {millis} ms"));
        }
    }
}

#[test]
fn a_memory_limit_leaves_an_honest_tree() {
    let most = Most {
        rows: [50, 90],
        features: 5,
        classes: 3,
    };
    let mut n_stopped = 0;
    for seed in 200..212 {
        let mut stops = Stops::new(seed, most, 3 + usize::from(seed % 4 == 0));
        for bytes in [0, 1000, 10_000, 12_000, 16_000, 20_000, 25_000, 40_000] {
            stops.learner.most_bytes = bytes;
            let budget = Budget::unlimited();
            let fit = stops.learner.fit(&stops.table.data, &budget).unwrap();
            n_stopped += u32::from(!stops.check(&fit, &format!("{bytes} bytes")));
        }
    }
    assert!(n_stopped > 15, "{n_stopped} were stopped");
}

#[test]
fn many_classes_are_given_up_at_once() {
    let mut rng = Rng::with_seed(7);
    let most = Most {
        rows: [1500, 1500],
        features: 3,
        classes: 300,
    };
    let table = table(&mut rng, most);
    for (depth, min_leaf) in [(1, 1), (2, 1), (2, 3), (3, 1)] {
        let learner = Optimal {
            depth,
            min_leaf,
            ..Optimal::default()
        };
        let flag = Arc::new(AtomicBool::new(true));
        let budget = Budget::unlimited().with_interrupt(flag);
        let fit = learner.fit(&table.data, &budget).unwrap();
        let case = format!("{learner:?}");
        assert!(!fit.certificate.as_ref().unwrap().is_optimal(), "{case}");
        check_claims(&fit, &table.data, &learner, &case);
    }
}

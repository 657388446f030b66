//! Rules about the features on a path: trees keep them, and are the best of those that do.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::Lambda;
use treewright::data::Dataset;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::PathRules;

use super::sizes;
use super::small::{Task, check_claims, random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::Table;

/// Some rules for the features of a table with at least two.
pub(crate) fn random_rules(rng: &mut Rng, data: &Dataset) -> PathRules {
    let names: Vec<String> = data
        .schema()
        .features
        .iter()
        .map(|it| it.name.clone())
        .collect();
    let mut some = |least: usize, most: usize| {
        let mut names = names.clone();
        rng.shuffle(&mut names);
        let most = most.min(names.len());
        names.truncate(if least < most {
            rng.usize(least..=most)
        } else {
            most
        });
        names
    };
    let groups = [some(2, 3), some(2, 3)];
    let (root_only, pairs) = (some(1, 2), [some(2, 2), some(2, 2)]);
    let mut rules = PathRules::default();
    while rules.is_empty() {
        if rng.u8(..3) == 0 {
            rules.interactions =
                distinct(&groups[..rng.usize(1..=2)], |group| group.sort_unstable());
        }
        if rng.u8(..3) == 0 {
            rules.root_only.clone_from(&root_only);
        }
        if rng.u8(..3) == 0 {
            rules.not_above = distinct(&pairs[..rng.usize(1..=2)], |_| {});
        }
    }
    rules
}

/// Each rule once: rules that are given twice are refused.
fn distinct(rules: &[Vec<String>], order: impl Fn(&mut Vec<String>)) -> Vec<Vec<String>> {
    let mut rules = rules.to_vec();
    rules.iter_mut().for_each(order);
    rules.dedup();
    rules
}

/// A random table with two features or more.
fn random_table(rng: &mut Rng, sizes: [usize; 2]) -> Table {
    loop {
        let table = small_table(rng, sizes[0], sizes[1]);
        if table.data.columns().len() > 1 {
            return table;
        }
    }
}

pub(super) fn random_case(
    seed: u64,
    depth: usize,
    sizes: [usize; 2],
    most: usize,
) -> (Table, Task) {
    let mut rng = Rng::with_seed(seed);
    let table = random_table(&mut rng, sizes);
    let (mut learner, leaf_cost) = random_task(&mut rng, &table.data, depth, most);
    learner.rules = random_rules(&mut rng, &table.data);
    (table, (learner, leaf_cost))
}

fn check_tree(table: &Table, (learner, leaf_cost): &Task, case: &str) {
    let data = &table.data;
    let all = Bounded::new(data, learner, *leaf_cost);
    let best = all.best(learner.depth);
    let mut first = None;
    for switches in [Switches::USUAL, Switches::TINY, Switches::NONE] {
        let fit = learner
            .fit_with(data, &Budget::unlimited(), switches)
            .unwrap();
        let certificate = fit.certificate.clone().unwrap();
        assert!(certificate.is_optimal(), "{case}");
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        let difference = (certificate.objective - all.objective(best)).abs();
        assert!(difference <= slack, "{best:?} {certificate:?} {case}");
        check_claims(&fit, data, learner, case);
        assert_eq!(learner.rules.broken_by(&fit.model).unwrap(), None, "{case}");
        let first = first.get_or_insert_with(|| fit.model.clone());
        assert_eq!(*first, fit.model, "{case}");
    }
}

/// Random tables of up to this many rows and features, with this many of the choices for intervals.
fn check_cases(first: u64, n_cases: u64, depth: usize, sizes: [usize; 2], most: usize) {
    for seed in first..first + n_cases * factor() {
        let (table, task) = random_case(seed, depth, sizes, most);
        let case = format!("seed {seed}: {:?}\n{table}", task.0);
        check_tree(&table, &task, &case);
    }
}

fn factor() -> u64 {
    std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap())
}

#[test]
fn the_best_trees_that_keep_the_rules() {
    check_cases(0, 50, 1, [20, 4], 4);
    check_cases(1_000_000, 200, 2, [14, 4], 4);
    check_cases(2_000_000, 60, 2, [30, 4], 3);
    check_cases(3_000_000, 150, 3, [9, 4], 4);
    check_cases(4_000_000, 20, 4, [7, 3], 3);
}

#[test]
fn every_size_keeps_the_rules() {
    for (depth, n_cases, most) in [(1, 30, [30, 4]), (2, 150, [14, 4]), (3, 100, [9, 4])] {
        for seed in 0..n_cases * factor() {
            let seed = 5_000_000 * depth as u64 + seed;
            let (table, (learner, _)) = random_case(seed, depth, most, 4);
            let learner = Optimal {
                leaf_cost: Lambda::zero(),
                intervals: learner.intervals.map(|most| most.max(2)),
                ..learner
            };
            for switches in [Switches::USUAL, Switches::TINY, Switches::NONE] {
                let fit = sizes::check(&table, &learner, switches);
                for member in 0..fit.family.len() {
                    let tree = fit.family.tree(member);
                    let broken = learner.rules.broken_by(&tree).unwrap();
                    assert_eq!(broken, None, "seed {seed}: {learner:?}\n{table}");
                }
            }
        }
    }
}

#[test]
fn a_stopped_search_is_honest_and_keeps_the_rules() {
    let mut n_stopped = 0;
    for seed in 0..200 * factor() {
        let (table, (learner, _)) = random_case(8_000_000 + seed, 3, [40, 5], 3);
        let data = &table.data;
        let case = format!("seed {seed}: {learner:?}\n{table}");
        let fit = |budget: Budget| learner.fit_with(data, &budget, Switches::USUAL).unwrap();
        let best = fit(Budget::unlimited()).certificate.unwrap();
        let stopped = fit(Budget::unlimited().with_looks(1 + seed % 40));
        let certificate = stopped.certificate.as_ref().unwrap();
        let slack = certificate.tolerance.unwrap_or(0.0) + 1e-12;
        assert!(certificate.lower_bound <= best.objective + slack, "{case}");
        assert!(best.objective <= certificate.objective + slack, "{case}");
        assert_eq!(
            learner.rules.broken_by(&stopped.model).unwrap(),
            None,
            "{case}"
        );
        n_stopped += u64::from(!certificate.is_optimal());
    }
    assert!(n_stopped > 50 * factor(), "{n_stopped} were stopped");
}

//! Proofs of optimal trees: every claim holds by its definition, and follows from others.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;
use treewright::Budget;
use treewright::learn::Learner;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::{Branches, CategoricalSplits, Cover};

use super::small::{random_loss, random_task, small_table};
use crate::reference::proofs::Checked;

/// How many proofs there were, and how many tables whose losses are rounded.
#[derive(Default)]
struct Count {
    proven: usize,
    rounded: usize,
    bounds: usize,
}

/// Proofs know a branch for each category only.
fn proving(learner: Optimal) -> Optimal {
    Optimal {
        categorical_splits: CategoricalSplits::Multiway,
        ..learner
    }
}

/// Proofs for random tables of up to this many rows and features, with this many of the choices for intervals.
fn check_proofs(seeds: Range<u64>, depth: usize, sizes: [usize; 3]) -> Count {
    let mut count = Count::default();
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, sizes[0], sizes[1]);
        let (learner, leaf_cost) = random_task(&mut rng, &table.data, depth, sizes[2]);
        let learner = proving(learner);
        let case = || format!("seed {seed}: {learner:?}\n{table}");
        let parts = [Switches::USUAL, Switches::TINY][rng.usize(..2)];
        let budget = Budget::unlimited();
        let (fit, proof) = learner.prove_with(&table.data, &budget, parts).unwrap();
        let plain = learner.fit(&table.data, &budget).unwrap();
        assert_eq!(fit.model, plain.model, "{}", case());
        assert_eq!(fit.certificate, plain.certificate, "{}", case());
        let Some(claims) = &proof.claims else {
            // Decimal weights times costs need not be whole numbers of anything.
            assert!(!fit.certificate.unwrap().exact, "{}", case());
            count.rounded += 1;
            continue;
        };
        count.proven += 1;
        count.bounds += claims.iter().map(|claim| claim.covers.len()).sum::<usize>();
        let checked = Checked::new(&table.data, &learner, leaf_cost, &proof);
        if let Err(error) = checked.check() {
            panic!("{error}\n{proof:?}\n{}", case());
        }
    }
    count
}

#[test]
fn three_levels_are_proven() {
    let few = check_proofs(50_000..51_500, 3, [8, 3, 4]);
    let more = check_proofs(52_000..52_500, 3, [16, 2, 2]);
    assert!(few.proven > 1000 && few.bounds > 500, "{}", few.bounds);
    assert!(more.proven > 350, "{}", more.proven);
    assert!(few.rounded < 300, "{}", few.rounded);
}

#[test]
fn more_levels_are_proven() {
    let four = check_proofs(53_000..53_300, 4, [7, 2, 4]);
    assert!(four.proven > 200 && four.bounds > 100, "{}", four.bounds);
    let five = check_proofs(53_300..53_400, 5, [6, 2, 2]);
    assert!(five.proven > 70, "{}", five.proven);
}

/// Ranges of many cuts, and cuts near to one that costs too much.
#[test]
fn larger_tables_are_proven() {
    let mut most_ranges = 0;
    for seed in 56_000..56_040 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 40, 3);
        let learner = Optimal {
            depth: 3,
            intervals: Some(2),
            categorical_splits: CategoricalSplits::Multiway,
            loss: random_loss(&mut rng, table.data.schema().classes().len()),
            ..Optimal::default()
        };
        let budget = Budget::unlimited();
        let (fit, proof) = learner.fit_with_proof(&table.data, &budget).unwrap();
        let Some(claims) = &proof.claims else {
            assert!(!fit.certificate.unwrap().exact, "seed {seed}");
            continue;
        };
        let checked = Checked::new(&table.data, &learner, (0, 1), &proof);
        if let Err(error) = checked.check_claims() {
            panic!("{error}\nseed {seed}: {learner:?}\n{table}");
        }
        let n_ranges = |cover: &Cover| match &cover.branches {
            Branches::Numbers { ranges, .. } => ranges.len(),
            Branches::Categories(_) => 0,
        };
        let covers = claims.iter().flat_map(|claim| &claim.covers);
        most_ranges = covers.map(n_ranges).max().unwrap_or(0).max(most_ranges);
    }
    assert!(most_ranges > 3, "{most_ranges}");
}

#[test]
fn few_levels_need_no_claims() {
    for depth in 0..3 {
        let count = check_proofs(54_000..54_040, depth, [10, 3, 4]);
        assert!(count.proven > 20 && count.bounds == 0, "{}", count.proven);
    }
}

#[test]
fn a_stopped_search_proves_nothing_or_what_is_true() {
    for seed in 55_000..55_100 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 30, 3);
        let (learner, _) = random_task(&mut rng, &table.data, 3, 2);
        let learner = Optimal {
            min_leaf: 1,
            min_leaf_weight: 0.0,
            ..proving(learner)
        };
        let stopped = Arc::new(AtomicBool::new(true));
        let budget = Budget::unlimited().with_interrupt(stopped);
        let (_, proof) = learner.fit_with_proof(&table.data, &budget).unwrap();
        let whole = learner.fit_with_proof(&table.data, &Budget::unlimited());
        let (_, whole) = whole.unwrap();
        assert!(
            proof.value <= whole.value,
            "seed {seed}: {learner:?}\n{table}"
        );
    }
}

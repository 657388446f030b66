//! The best trees of every size: they equal the best of all trees with as many leaves.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::Lambda;
use treewright::learn::optimal::{Optimal, SizedTree, Switches};

use super::small::{random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::Table;

fn check(table: &Table, learner: &Optimal, switches: Switches) {
    let reference = Bounded::new(&table.data, learner, (0, 1));
    let mut expected: Vec<(usize, u64)> = Vec::new();
    for (leaves, loss) in reference.losses_by_leaves(learner.depth) {
        if expected.last().is_none_or(|&(_, before)| loss < before) {
            expected.push((leaves, loss));
        }
    }
    let found = learner
        .fit_sizes_with(&table.data, &Budget::unlimited(), switches)
        .unwrap();
    // The reference counts in tenths.
    let unit = found_unit(&found, &expected);
    let found: Vec<(usize, u64)> = found
        .iter()
        .map(|tree| {
            assert_eq!(tree.lower, tree.value.cost, "{learner:?}\n{table}");
            assert!(tree.tree.depth() <= learner.depth);
            (tree.value.leaves, tree.value.cost as u64 * unit)
        })
        .collect();
    assert_eq!(found, expected, "{learner:?}\n{table}");
}

/// How many tenths a unit of the learner is.
fn found_unit(found: &[SizedTree], expected: &[(usize, u64)]) -> u64 {
    let first = found[0].value.cost as u64;
    expected[0].1.checked_div(first).unwrap_or(1)
}

fn random_learner(rng: &mut Rng, table: &Table, depth: usize) -> Optimal {
    let (learner, _) = random_task(rng, &table.data, depth, 4);
    Optimal {
        leaf_cost: Lambda::zero(),
        intervals: learner.intervals.map(|most| most.max(2)),
        ..learner
    }
}

#[test]
fn every_size_has_its_best_tree() {
    let factor: u64 = std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap());
    for (depth, n_cases, most) in [(1, 200, [40, 4]), (2, 400, [16, 4]), (3, 250, [10, 3])] {
        for seed in 0..n_cases * factor {
            let mut rng = Rng::with_seed(7000 * depth as u64 + seed);
            let table = small_table(&mut rng, most[0], most[1]);
            let learner = random_learner(&mut rng, &table, depth);
            for switches in [Switches::USUAL, Switches::TINY, Switches::NONE] {
                check(&table, &learner, switches);
            }
        }
    }
}

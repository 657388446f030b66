//! The best trees of every size: they equal the best of all trees with as many leaves.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::Lambda;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::FamilyFit;

use super::small::{random_task, small_table};
use crate::reference::bounded::Bounded;
use crate::tables::Table;

pub(super) fn check(table: &Table, learner: &Optimal, switches: Switches) -> FamilyFit {
    let reference = Bounded::new(&table.data, learner, (0, 1));
    let mut expected: Vec<(usize, u64)> = Vec::new();
    for (leaves, loss) in reference.losses_by_leaves(learner.depth) {
        if expected.last().is_none_or(|&(_, before)| loss < before) {
            expected.push((leaves, loss));
        }
    }
    let fit = learner
        .fit_family_with(&table.data, &Budget::unlimited(), switches)
        .unwrap();
    let case = || format!("{learner:?}\n{table}");
    assert_eq!(fit.exact_down_to, 0.0, "{}", case());
    assert_eq!(fit.lower_bounds, None, "{}", case());
    let values = fit.family.values();
    // The reference counts in tenths.
    let unit = expected[0].1.checked_div(values[0].cost as u64);
    let found: Vec<(usize, u64)> = values
        .iter()
        .map(|value| (value.leaves, value.cost as u64 * unit.unwrap_or(1)))
        .collect();
    assert_eq!(found, expected, "{}", case());
    for member in 0..fit.family.len() {
        assert!(
            fit.family.tree(member).depth() <= learner.depth,
            "{}",
            case()
        );
    }
    fit
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

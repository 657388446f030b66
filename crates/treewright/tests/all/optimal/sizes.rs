//! The best trees of every size: they equal the best of all trees with as many leaves.

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::Lambda;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::learn::FamilyLearner;
use treewright::learn::optimal::{Optimal, Switches};
use treewright::tree::{CategoricalSplits, FamilyFit};

use super::large::{self, Most};
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
            let usual = Switches::USUAL;
            let without = [
                Switches {
                    scans_by_size: false,
                    ..usual
                },
                Switches {
                    child_bounds: false,
                    ..Switches::TINY
                },
                Switches {
                    scans_by_size: true,
                    ..Switches::NONE
                },
            ];
            for switches in [usual, Switches::TINY, Switches::NONE]
                .iter()
                .chain(&without)
            {
                check(&table, &learner, *switches);
            }
        }
    }
}

fn large_task(seed: u64, rows: [usize; 2]) -> (Table, Optimal) {
    let most = Most {
        rows,
        features: 4,
        classes: 4,
    };
    let learner = Optimal {
        depth: 2 + usize::from(seed.is_multiple_of(2)),
        intervals: [Some(2), Some(3), Some(2)][seed as usize % 3],
        ..Optimal::default()
    };
    (large::table(&mut Rng::with_seed(seed), most), learner)
}

#[test]
fn scans_of_many_cuts_change_no_family() {
    for seed in 0..24 {
        let (table, learner) = large_task(seed, [30, 120]);
        let family = |switches| {
            let fit = learner.fit_family_with(&table.data, &Budget::unlimited(), switches);
            let family = fit.unwrap().family;
            let trees: Vec<_> = (0..family.len())
                .map(|member| family.tree(member))
                .collect();
            (family.values().to_vec(), trees)
        };
        let expected = family(Switches::NONE);
        let plain = Switches {
            scans_by_size: false,
            ..Switches::USUAL
        };
        for switches in [Switches::USUAL, Switches::TINY, plain] {
            assert!(family(switches) == expected, "seed {seed} {learner:?}");
        }
    }
}

#[test]
fn families_that_are_stopped_anywhere_are_honest() {
    let (mut n_open, mut n_bounds) = (0, 0);
    for seed in 0..12 {
        let (table, learner) = large_task(seed, [30, 80]);
        let family = |budget: &Budget| {
            let fit = learner.fit_family_with(&table.data, budget, Switches::USUAL);
            fit.unwrap()
        };
        let whole = family(&Budget::unlimited());
        let scale = whole.family.scale();
        let cost = |cost: i64| cost as f64 * scale.unit / scale.total_weight;
        let least = |leaves: usize| {
            let values = whole.family.values().iter();
            let costs = values.filter(|value| value.leaves <= leaves);
            costs.map(|value| value.cost).min().unwrap()
        };
        // A long limit of time is as good as none.
        let hour = std::time::Duration::from_secs(3600);
        let limited = family(&Budget::unlimited().with_time_limit(hour));
        assert_eq!(
            limited.family.values(),
            whole.family.values(),
            "seed {seed}"
        );
        for looks in (0..12).map(|power| 3_u64.pow(power)) {
            let budget = Budget::unlimited().with_time_limit(hour).with_looks(looks);
            let found = family(&budget);
            let bounds = found.lower_bounds.clone();
            n_open += u32::from(bounds.is_some());
            for (member, value) in found.family.values().iter().enumerate() {
                let best = least(value.leaves);
                let case = format!("seed {seed} {learner:?} {looks} looks: {value:?} {best}");
                assert!(value.cost >= best, "{case}");
                let bound = bounds.as_ref().map_or(cost(value.cost), |it| it[member]);
                assert!(bound <= cost(best) + 1e-12, "{bound} {case}");
                n_bounds += u32::from(bound > 0.0 && value.leaves > 1);
            }
        }
    }
    assert!(n_open > 20 && n_bounds > 20, "{n_open} {n_bounds}");
}

/// The rows of a multiway branch may need any number of leaves, also where the tree with the next size is known to be the
/// best: the fourth size is closed here before the fifth.
#[test]
fn sizes_after_a_closed_one_are_found() {
    let text = "c,x,z,y\nv0,,0.125,k1\nv2,1.125,0.125,k1\nv2,1.125,0.25,k1\nv0,,0.125,k1\nv0,,,k1\nv0,0.5,,k1\n\
                v0,0.5,0.125,k0\nv0,0.5,0.25,k1\nv2,0.5,,k0\nv0,,0.25,k1\nv0,0.5,0.125,k0\nv2,0.5,0.125,k0\n";
    let source = CsvSource::new(text.as_bytes().to_vec(), b',').unwrap();
    let data = Dataset::read(&source, &ReadOptions::default()).unwrap();
    let learner = Optimal {
        depth: 3,
        intervals: Some(2),
        categorical_splits: CategoricalSplits::Multiway,
        min_leaf: 2,
        ..Optimal::default()
    };
    let fit = learner.fit_family(&data, &Budget::unlimited()).unwrap();
    let values = fit.family.values().iter();
    let values: Vec<(usize, i64)> = values.map(|value| (value.leaves, value.cost)).collect();
    assert_eq!(values, [(1, 4), (3, 2), (5, 1), (6, 0)]);
}

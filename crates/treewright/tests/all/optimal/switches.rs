//! Switching off a bound, a cache or an order of the search for optimal trees must not change the tree.

use fastrand::Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use treewright::Budget;
use treewright::data::Dataset;
use treewright::learn::optimal::{Optimal, Sizes, Switches};
use treewright::tree::{Fit, Tree};

use super::large::{self, Most};
use super::rules::{random_case, random_rules};
use super::small::{random_task, small_table};

type Switch = (&'static str, fn(&mut Switches));

const ALL: [Switch; 26] = [
    ("region_bounds", |on| on.region_bounds = false),
    ("inherited_floors", |on| on.inherited_floors = false),
    ("levels_of_leaves", |on| on.levels_of_leaves = false),
    ("shallower_incumbent", |on| on.shallower_incumbent = false),
    ("relaxed_first", |on| on.relaxed_first = false),
    ("relaxed_ranges", |on| on.relaxed_ranges = false),
    ("leaf_levels", |on| on.leaf_levels = false),
    ("sized_scans", |on| on.sized_scans = false),
    ("close_cuts", |on| on.close_cuts = false),
    ("leaf_sides", |on| on.leaf_sides = false),
    ("equivalent_points", |on| on.equivalent_points = false),
    ("greedy_incumbent", |on| on.greedy_incumbent = false),
    ("histograms", |on| on.histograms = false),
    ("scans", |on| on.scans = false),
    ("screening", |on| on.screening = false),
    ("root_order", |on| on.root_order = false),
    ("child_bounds", |on| on.child_bounds = false),
    ("second_histogram", |on| on.second_histogram = false),
    ("bin_bounds", |on| on.bin_bounds = false),
    ("gathered_rows", |on| on.gathered_rows = false),
    ("kept_histograms", |on| on.kept_histograms = false),
    ("histograms_before_scans", |on| {
        on.histograms_before_scans = false;
    }),
    ("run_lists", |on| on.run_lists = false),
    ("scans_by_size", |on| on.scans_by_size = false),
    ("local_search", |on| on.local_search = false),
    ("helper", |on| on.helper = false),
];

/// A switch that the list lacks would not be tested.
#[test]
fn all_switches_together_are_none() {
    let mut switches = Switches::USUAL;
    for (_, switch) in ALL {
        switch(&mut switches);
    }
    assert_eq!(switches, Switches::NONE);
}

/// Each switch off alone, then all of them; with one alone on, too, as some matter only without others.
fn switched_off(sizes: Sizes) -> impl Iterator<Item = (String, Switches)> {
    let usual = Switches {
        sizes,
        ..Switches::USUAL
    };
    let none = Switches {
        sizes,
        ..Switches::NONE
    };
    let without = ALL.map(|(name, switch)| {
        let mut switches = usual;
        switch(&mut switches);
        (format!("without {name}"), switches)
    });
    // Without scans the other method has to do all the work.
    let by_histograms = ALL.map(|(name, switch)| {
        let mut switches = usual;
        switches.scans = false;
        switch(&mut switches);
        (format!("without scans and {name}"), switches)
    });
    let bare = Switches {
        histograms: true,
        ..none
    };
    let alone = [
        ("bare histograms".to_owned(), bare),
        ("nothing".to_owned(), none),
    ];
    without.into_iter().chain(by_histograms).chain(alone)
}

fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().unwrap()
}

fn learn(learner: &Optimal, data: &Dataset, budget: &Budget, switches: Switches) -> Fit<Tree> {
    learner.fit_with(data, budget, switches).unwrap()
}

fn check(learner: &Optimal, data: &Dataset, case: &str) {
    let budget = Budget::unlimited();
    let expected = learn(learner, data, &budget, Switches::USUAL);
    assert!(
        expected.certificate.as_ref().unwrap().is_optimal(),
        "{case}"
    );
    for sizes in [Sizes::USUAL, Sizes::TINY] {
        for (name, switches) in switched_off(sizes) {
            let found = learn(learner, data, &budget, switches);
            assert_eq!(found.model, expected.model, "{name} {sizes:?}\n{case}");
            assert_eq!(found.certificate, expected.certificate, "{name}\n{case}");
        }
    }
}

#[test]
fn small_tables_have_the_same_trees_without_any_switch() {
    for (depth, n_cases, most) in [(1, 40, [40, 4]), (2, 150, [30, 4]), (3, 60, [14, 3])] {
        for seed in 0..n_cases {
            let mut rng = Rng::with_seed(1000 * depth as u64 + seed);
            let table = small_table(&mut rng, most[0], most[1]);
            let (learner, _) = random_task(&mut rng, &table.data, depth, 4);
            check(&learner, &table.data, &format!("{learner:?}\n{table}"));
        }
    }
}

#[test]
fn trees_that_keep_rules_are_the_same_without_any_switch() {
    for (depth, n_cases, most) in [(2, 50, [30, 4]), (3, 25, [14, 4])] {
        for seed in 0..n_cases {
            let (table, (learner, _)) = random_case(9_000_000 + seed, depth, most, 4);
            check(&learner, &table.data, &format!("{learner:?}\n{table}"));
        }
    }
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let depth = 2 + usize::from(seed % 3 == 0);
        let most = Most {
            rows: if depth == 2 { [60, 300] } else { [20, 40] },
            features: 5,
            classes: 3,
        };
        let table = large::table(&mut rng, most);
        let learner = Optimal {
            depth,
            intervals: [Some(2), None, Some(3)][seed as usize % 3],
            rules: random_rules(&mut rng, &table.data),
            ..Optimal::default()
        };
        check(&learner, &table.data, &format!("seed {seed} {learner:?}"));
    }
}

#[test]
fn larger_tables_have_the_same_trees_without_any_switch() {
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let depth = 2 + usize::from(seed % 4 == 0);
        let n_rows = if depth == 2 { [60, 300] } else { [20, 40] };
        let most = Most {
            rows: n_rows,
            features: 4,
            classes: 4,
        };
        let table = large::table(&mut rng, most);
        let learner = Optimal {
            depth,
            intervals: [Some(2), None, Some(3)][seed as usize % 3],
            leaf_cost: ["0", "1/200"][seed as usize % 2].parse().unwrap(),
            ..Optimal::default()
        };
        check(&learner, &table.data, &format!("seed {seed} {learner:?}"));
    }
}

/// How often a search looks at its budget: about as often as it solves something.
fn work(learner: &Optimal, data: &Dataset, switches: Switches) -> u64 {
    let is_done = |looks: u64| {
        let budget = Budget::unlimited().with_looks(looks);
        let fit = learn(learner, data, &budget, switches);
        fit.certificate.unwrap().is_optimal()
    };
    let mut most = 1;
    while !is_done(most) {
        most *= 2;
    }
    let mut least = most / 2;
    while most - least > 1 {
        let middle = least.midpoint(most);
        if is_done(middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    most
}

#[test]
fn switches_change_the_work() {
    let learner = Optimal {
        depth: 3,
        intervals: Some(2),
        ..Optimal::default()
    };
    let most = Most {
        rows: [40, 60],
        features: 4,
        classes: 2,
    };
    let tables = (0..6).map(|seed| large::table(&mut Rng::with_seed(seed), most));
    let tables: Vec<_> = tables.collect();
    let total = |switches: Switches| -> u64 {
        let work = |table| one_thread().install(|| work(&learner, table, switches));
        tables.iter().map(|table| work(&table.data)).sum()
    };
    let usual = total(Switches::USUAL);
    for name in ["shallower_incumbent", "close_cuts", "histograms"] {
        let (_, switch) = ALL.iter().find(|(other, _)| *other == name).unwrap();
        let mut switches = Switches::USUAL;
        switch(&mut switches);
        let without = total(switches);
        assert_ne!(without, usual, "without {name}");
    }
}

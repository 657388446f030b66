//! Turning off a speed-up of the dyadic learner must not change a tree or a path.

use std::fmt::Write;

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::Penalty;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::learn::dyadic::{
    Aim, Coding, Dyadic, DyadicSwitches, GridBox, Model, Resolution, Solver, Ties,
};
use treewright::learn::{FamilyLearner, Learner};

use crate::tables::{Weights, Wishes, random_table};

type Switch = (&'static str, fn(&mut DyadicSwitches));

/// All switches.
const SWITCHES: [Switch; 15] = [
    ("estimated cells", |on| on.estimated_cells = false),
    ("sample first", |on| on.sample_first = false),
    ("packed sums", |on| on.packed_sums = false),
    ("lower bounds", |on| on.lower_bounds = false),
    ("memo", |on| on.memo = false),
    ("equal splits", |on| on.equal_splits = false),
    ("side by side", |on| on.side_by_side = false),
    ("collapsed bounds", |on| on.collapsed_bounds = false),
    ("split bounds", |on| on.split_bounds = false),
    ("part bounds", |on| on.part_bounds = false),
    ("wider retries", |on| on.wider_retries = false),
    ("packed universe", |on| on.packed_universe = false),
    ("large alphas first", |on| on.large_alphas_first = false),
    ("greedy start", |on| on.greedy_start = false),
    ("shared plans", |on| on.shared_plans = false),
];

/// A switch that the list lacks would not be tested.
#[test]
fn all_switches_together_are_none() {
    let mut switches = DyadicSwitches::ALL;
    for (_, turn_off) in SWITCHES {
        turn_off(&mut switches);
    }
    assert_eq!(switches, DyadicSwitches::NONE);
}

/// Each switch turned off, then all of them; and small steps, which bring parallel searches to small tables.
fn turned_off() -> Vec<(&'static str, DyadicSwitches)> {
    let more: [Switch; 2] = [
        ("everything", |on| *on = DyadicSwitches::NONE),
        ("small steps", |on| {
            (on.many_points, on.check_every) = (2, 50);
        }),
    ];
    let one = |(name, turn_off): Switch| {
        let mut switches = DyadicSwitches::ALL;
        turn_off(&mut switches);
        (name, switches)
    };
    SWITCHES.into_iter().chain(more).map(one).collect()
}

/// A small table: searches without memory or bounds take long. Half of them have any weights, missing cells and
/// categories; rows and columns repeat.
fn small_table(rng: &mut Rng, most_features: usize) -> Dataset {
    loop {
        let wishes = Wishes {
            classes: true,
            missing: rng.bool(),
            weights: [Weights::Any, Weights::Whole][rng.usize(..2)],
        };
        let data = random_table(rng, wishes).data;
        if data.n_rows() <= 24 && data.columns().len() <= most_features {
            return data;
        }
    }
}

/// Decimals that lie close together, on cuts and beside them.
fn narrow_table(rng: &mut Rng) -> Dataset {
    let mut text = "a,b,class\n".to_owned();
    for _ in 0..rng.usize(4..14) {
        let a = format!("1000000.{}", rng.u8(1..10));
        let b = [0.3, 0.3_f64.next_up(), 0.1 + 0.2, 0.4, 0.2][rng.usize(..5)];
        let class = ["x", "y", "z"][rng.usize(..3)];
        writeln!(text, "{a},{b:e},{class}").unwrap();
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

fn random_learner(rng: &mut Rng, model: Model, resolution: Resolution) -> Dyadic {
    let penalties = ["linear", "linear", "linear", "sqrt", "power:2"];
    let penalty: Penalty = penalties[rng.usize(..5)].parse().unwrap();
    let is_linear = penalty == Penalty::Linear;
    let is_sized = rng.u8(..5) == 0;
    let kappa = format!("{}/5", rng.u32(1..12)).parse().unwrap();
    let grid_box = [GridBox::Range, GridBox::Range, GridBox::Quantile][rng.usize(..3)];
    Dyadic {
        resolution,
        grid_box,
        model,
        coding: [Coding::Share, Coding::Order][rng.usize(..2)],
        snap: match grid_box {
            GridBox::Quantile => 0.0,
            _ => [0.0, 0.0, 0.01][rng.usize(..3)],
        },
        aim: if is_sized {
            Aim::Leaves(rng.usize(1..6))
        } else {
            Aim::Kappa(kappa)
        },
        ties: [Ties::Smaller, Ties::Larger][rng.usize(..2)],
        solver: match (model, rng.u8(..3)) {
            (Model::Collapsed, 0) if is_linear && !is_sized => Solver::BranchAndBound,
            _ => Solver::Auto,
        },
        collinear: is_linear && rng.u8(..4) == 0,
        penalty,
        ..Dyadic::default()
    }
}

fn check(data: &Dataset, learner: &Dyadic) {
    let budget = Budget::unlimited();
    let single = learner.fit(data, &budget).unwrap();
    let family = learner.fit_family(data, &budget).unwrap();
    for (name, switches) in turned_off() {
        let other = Dyadic {
            switches,
            ..learner.clone()
        };
        let case = || format!("without {name}: {learner:?}, {} rows", data.n_rows());
        let tree = other.fit(data, &budget).unwrap();
        assert_eq!(tree.model, single.model, "{}", case());
        let (claim, expected) = (
            tree.certificate.unwrap(),
            single.certificate.as_ref().unwrap(),
        );
        assert_eq!(claim.objective, expected.objective, "{}", case());
        assert_eq!(claim.lower_bound, expected.lower_bound, "{}", case());
        assert_eq!(claim.fewest_leaves, expected.fewest_leaves, "{}", case());
        let path = other.fit_family(data, &budget).unwrap();
        assert_eq!(path.family.values(), family.family.values(), "{}", case());
        assert_eq!(path.exact_down_to, family.exact_down_to, "{}", case());
        for member in 0..family.family.len() {
            let trees = [&path, &family].map(|path| path.family.tree(member));
            assert_eq!(trees[0], trees[1], "{member}, {}", case());
        }
    }
}

#[test]
fn collapsed_trees_stay_the_same() {
    let mut rng = Rng::with_seed(31);
    for _ in 0..110 {
        let data = small_table(&mut rng, 3);
        let resolution = match data.columns().len() {
            3 => Resolution::Same(rng.u32(1..3)),
            _ => Resolution::Same(rng.u32(1..5)),
        };
        check(
            &data,
            &random_learner(&mut rng, Model::Collapsed, resolution),
        );
    }
}

#[test]
fn boxed_trees_stay_the_same() {
    let mut rng = Rng::with_seed(32);
    for _ in 0..60 {
        let data = small_table(&mut rng, 2);
        let resolution = Resolution::Same(rng.u32(1..3));
        check(&data, &random_learner(&mut rng, Model::Boxed, resolution));
    }
}

#[test]
fn trees_of_narrow_decimals_stay_the_same() {
    let mut rng = Rng::with_seed(33);
    for _ in 0..60 {
        let data = narrow_table(&mut rng);
        check(
            &data,
            &random_learner(&mut rng, Model::Collapsed, Resolution::Auto),
        );
    }
}

/// A switch that changed nothing at all would pass the tests above.
#[test]
fn switches_change_the_work() {
    let mut rng = Rng::with_seed(34);
    let budget = Budget::unlimited();
    let [mut all, mut unbounded] = [0, 0];
    for _ in 0..20 {
        let data = small_table(&mut rng, 3);
        let add = |sum: &mut u64, switches: DyadicSwitches| {
            let learner = Dyadic {
                resolution: Resolution::Same(2),
                switches,
                ..Dyadic::default()
            };
            let work = learner.fit_family(&data, &budget).unwrap().work.unwrap();
            *sum += work.states;
        };
        add(&mut all, DyadicSwitches::ALL);
        let mut switches = DyadicSwitches::ALL;
        switches.lower_bounds = false;
        add(&mut unbounded, switches);
    }
    assert!(
        unbounded > all,
        "sets without bounds {unbounded}, with {all}"
    );
}

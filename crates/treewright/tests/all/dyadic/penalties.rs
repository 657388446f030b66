//! Dyadic trees for other penalties than the number of leaves: against the best trees of all sizes.

use fastrand::Rng;
use num_rational::BigRational;
use treewright::Budget;
use treewright::cost::{
    Lambda, Objective, Penalty, Scale, SolutionValue, lower_hull, lower_hull_with_ties,
};
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::export::json;
use treewright::learn::dyadic::{Aim, Dyadic, Model, Resolution, Ties};
use treewright::learn::{FamilyLearner, Learner};
use treewright::select::{Resampling, Searched};
use treewright::tree::{Family, Fit};

use super::claims::has_cost;
use super::sizes::{any_case, fitted, sizes, value};
use crate::tables::{Weights, large_table};

/// A table of this many numbers, each above the one before by what `rise` says.
fn table(n_lines: usize, mut rise: impl FnMut(usize) -> u32) -> Penalty {
    let mut sum = 0;
    let values: Vec<String> = (1..=n_lines)
        .map(|leaves| {
            sum += rise(leaves);
            format!("{sum}/8")
        })
        .collect();
    Penalty::table(&values.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
}

/// All kinds of penalties, for this many leaves.
pub(crate) fn penalties(rng: &mut Rng, most_leaves: usize) -> Vec<Penalty> {
    let names = ["linear", "sqrt", "log", "power:0.3", "power:1", "power:2"];
    let mut penalties: Vec<Penalty> = names.map(|name| name.parse().unwrap()).to_vec();
    let most = most_leaves as u32 + 1;
    penalties.push(table(most_leaves, |leaves| most - leaves as u32));
    penalties.push(table(most_leaves, |_| rng.u32(1..40)));
    penalties
}

fn family_of(learner: &Dyadic, data: &Dataset) -> Family {
    let found = learner.fit_family(data, &Budget::unlimited()).unwrap();
    assert_eq!(found.exact_down_to, 0.0);
    found.family
}

/// A weight at which two trees are equally good, if the penalty has whole eighths.
fn weight_between(a: SolutionValue, b: SolutionValue, penalty: &Penalty, scale: Scale) -> Lambda {
    let exact = |number: f64| BigRational::from_float(number).unwrap();
    let saved = BigRational::from_integer((a.cost - b.cost).into());
    let saved = saved * exact(scale.unit) / exact(scale.total_weight);
    let rise = exact(penalty.at(b.leaves)) - exact(penalty.at(a.leaves));
    Lambda::new(saved / rise).unwrap()
}

#[test]
fn every_penalty_finds_the_best_of_all_sizes() {
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, table) = any_case(&mut rng, Weights::Whole);
        let (best, scale) = sizes(&learner, &table.data);
        let most_leaves = best[best.len() - 1].leaves;
        for penalty in penalties(&mut rng, most_leaves) {
            learner.penalty = penalty.clone();
            let family = family_of(&learner, &table.data);
            for _ in 0..4 {
                let ratio = BigRational::new(rng.u32(0..50).into(), rng.u32(1..2000).into());
                let lambda = Lambda::new(ratio).unwrap();
                let objective = Objective::new(lambda.clone(), penalty.clone(), scale);
                let least = best
                    .iter()
                    .copied()
                    .min_by(|a, b| objective.compare(*a, *b));
                let case = || format!("seed {seed}, {lambda}, {learner:?}\n{table}");
                let in_family = family.values()[family.at(&lambda)];
                assert_eq!(Some(in_family), least, "{}", case());
                let fit = fitted(&learner, Aim::Lambda(lambda.clone()), &table.data);
                assert_eq!(Some(value(&fit, scale)), least, "{}", case());
                assert!(fit.certificate.as_ref().unwrap().is_optimal(), "{}", case());
                let checks = verify(&fit, &table.data);
                assert!(checks.holds, "{checks:?}, {}", case());
            }
        }
    }
}

/// With any weights: the same objective, up to rounding.
#[test]
fn real_weights_and_kappa() {
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, table) = any_case(&mut rng, Weights::Any);
        let (best, scale) = sizes(&learner, &table.data);
        let most_leaves = best[best.len() - 1].leaves;
        for penalty in penalties(&mut rng, most_leaves) {
            learner.penalty = penalty.clone();
            let kappa: Lambda = format!("{}/64", rng.u32(0..300)).parse().unwrap();
            let fit = fitted(&learner, Aim::Kappa(kappa), &table.data);
            learner.aim = Aim::Kappa(
                format!("{}", fit.learner.params.as_json()["kappa"])
                    .parse()
                    .unwrap(),
            );
            let lambda = learner.weight(&table.data).unwrap();
            let objective = Objective::new(lambda, penalty, scale);
            let values = best.iter().map(|&tree| objective.value(tree));
            let least = values.fold(f64::INFINITY, f64::min);
            let certificate = fit.certificate.as_ref().unwrap();
            let slack = 1e-9 * least.abs() + 2.0 * certificate.tolerance.unwrap_or(0.0);
            let case = || format!("seed {seed}, {learner:?}\n{table}");
            assert!((certificate.objective - least).abs() <= slack, "{}", case());
            let checks = verify(&fit, &table.data);
            assert!(checks.holds, "{checks:?}, {}", case());
        }
    }
}

#[test]
fn a_short_table_is_refused_only_if_it_matters() {
    let mut n_refused = 0;
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, table) = any_case(&mut rng, Weights::Whole);
        let (best, _) = sizes(&learner, &table.data);
        let most_leaves = best[best.len() - 1].leaves;
        if most_leaves < 2 {
            continue;
        }
        let mut fit = |n_lines, lambda: &str| {
            learner.penalty = self::table(n_lines, |_| 8);
            learner.aim = Aim::Lambda(lambda.parse().unwrap());
            let family = learner.fit_family(&table.data, &Budget::unlimited());
            (
                learner.fit(&table.data, &Budget::unlimited()),
                family.is_ok(),
            )
        };
        let (one, is_family) = fit(most_leaves, "0");
        assert!(one.is_ok() && is_family, "seed {seed}\n{table}");
        let (one, is_family) = fit(most_leaves - 1, "0");
        let message = one.unwrap_err().to_string();
        assert!(message.starts_with("penalty table: has "), "{message}");
        assert!(!is_family, "seed {seed}\n{table}");
        // A weight for which no second leaf can pay off: the table is long enough.
        let (one, is_family) = fit(2, "1000");
        assert_eq!(one.unwrap().training.leaves, 1);
        assert_eq!(is_family, most_leaves == 2);
        n_refused += 1;
    }
    assert!(n_refused > 100);
}

/// Without some rows, trees may be larger than the table that is long enough for all of them.
#[test]
fn a_table_need_not_reach_the_trees_of_folds() {
    for seed in 0..100 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, table) = any_case(&mut rng, Weights::Whole);
        if table.data.n_rows() < 2 {
            continue;
        }
        let family = family_of(&learner, &table.data);
        let most_leaves = family.values()[family.len() - 1].leaves;
        learner.penalty = self::table(most_leaves, |_| rng.u32(1..40));
        let resampling = Resampling::Folds {
            folds: 2,
            repeats: 2,
            seed,
        };
        let searched = Searched::new(learner);
        let found = searched.fit_family(&table.data, &Budget::unlimited(), Some(resampling));
        let found = found.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{table}"));
        assert!(found.cross_validation.is_some());
    }
}

#[test]
fn collinear_families_have_all_trees_on_the_edges() {
    let mut n_tied = 0;
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, data) = any_case(&mut rng, Weights::Whole);
        let (best, _) = sizes(&learner, &data.data);
        let most_leaves = best[best.len() - 1].leaves;
        for penalty in penalties(&mut rng, most_leaves) {
            learner.penalty = penalty.clone();
            learner.collinear = false;
            let plain = family_of(&learner, &data.data);
            learner.collinear = true;
            let found = learner
                .fit_family(&data.data, &Budget::unlimited())
                .unwrap();
            let all = &found.family;
            let case = || format!("seed {seed}, {learner:?}\n{data}");
            let pick = |places: Vec<usize>| -> Vec<SolutionValue> {
                places.into_iter().map(|place| best[place]).collect()
            };
            assert_eq!(
                plain.values(),
                pick(lower_hull(&best, &penalty)),
                "{}",
                case()
            );
            let with_ties = pick(lower_hull_with_ties(&best, &penalty));
            assert_eq!(all.values(), with_ties, "{}", case());
            n_tied += all.len() - plain.len();
            for (place, member) in all.members().iter().enumerate() {
                let tree = all.tree(place);
                assert_eq!(tree.n_leaves(), member.leaves, "{}", case());
                let holds = has_cost(&tree, &data.data, member.cost, found.tolerance);
                assert!(holds, "{}", case());
            }
        }
    }
    assert!(n_tied > 100, "{n_tied}");
}

#[test]
fn of_tied_trees_the_smaller_or_the_larger() {
    let mut n_ties = 0;
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let (mut learner, table) = any_case(&mut rng, Weights::Whole);
        let family = family_of(&learner, &table.data);
        let most_leaves = family.values()[family.len() - 1].leaves;
        for penalty in [
            Penalty::Linear,
            "power:1".parse().unwrap(),
            self::table(most_leaves, |_| rng.u32(1..40)),
        ] {
            learner.penalty = penalty.clone();
            let family = family_of(&learner, &table.data);
            for pair in family.values().windows(2) {
                let lambda = weight_between(pair[0], pair[1], &penalty, family.scale());
                let leaves = [Ties::Smaller, Ties::Larger].map(|ties| {
                    let learner = Dyadic {
                        ties,
                        ..learner.clone()
                    };
                    let fit = fitted(&learner, Aim::Lambda(lambda.clone()), &table.data);
                    assert!(verify(&fit, &table.data).holds);
                    fit.training.leaves
                });
                let expected = [pair[0].leaves, pair[1].leaves];
                assert_eq!(
                    leaves, expected,
                    "seed {seed}, {lambda}, {learner:?}\n{table}"
                );
                n_ties += 1;
            }
        }
    }
    assert!(n_ties > 500, "{n_ties}");
}

/// Apart from the time it took.
fn timeless(mut fit: Fit) -> Fit {
    fit.training.seconds = 0.0;
    fit
}

/// A search is one thread within work that is already spread, else it has all of them.
#[test]
fn the_number_of_threads_does_not_matter() {
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let table = large_table(&mut rng, 400, &[40, 20, 10, 5], 3);
        let most_leaves = 60;
        for (at, penalty) in penalties(&mut rng, most_leaves).into_iter().enumerate() {
            let is_table = matches!(penalty, Penalty::Table(_));
            let learner = Dyadic {
                model: [Model::Collapsed, Model::Boxed][(seed as usize + at) % 2],
                aim: match at {
                    0 => Aim::Leaves(rng.usize(2..12)),
                    _ => Aim::Kappa(format!("{}", rng.u32(20..60)).parse().unwrap()),
                },
                penalty,
                ..Dyadic::default()
            };
            let fit = || learner.fit(&table.data, &Budget::unlimited());
            match (fit(), one.install(fit)) {
                (Ok(many), Ok(one)) => assert_eq!(timeless(many), timeless(one), "seed {seed}"),
                (Err(_), Err(_)) if is_table => {}
                results => panic!("seed {seed}: {results:?}"),
            }
            let family = || learner.fit_family(&table.data, &Budget::unlimited());
            if at < 2 {
                let [many, one] =
                    [family().unwrap(), one.install(family).unwrap()].map(|mut it| {
                        it.training.seconds = 0.0;
                        it.seconds = 0.0;
                        json::write_family(&it)
                    });
                assert_eq!(many, one, "seed {seed}");
            }
        }
    }
}

/// Three rows of weight 0.1 weigh 0.3, though the doubles add up to a little more.
#[test]
fn decimal_weights_are_tied_where_whole_ones_are() {
    for weight in ["1", "0.1", "0.7", "1.25"] {
        let text = format!("x,y,w\n1,a,{weight}\n2,b,{weight}\n3,a,{weight}\n");
        let source = CsvSource::new(text.into(), b',').unwrap();
        let mut options = ReadOptions::default();
        options.reading.weight = Some("w".into());
        let data = Dataset::read(&source, &options).unwrap();
        for (ties, aim, leaves) in [
            (Ties::Smaller, Aim::Lambda("1/6".parse().unwrap()), 1),
            (Ties::Larger, Aim::Lambda("1/6".parse().unwrap()), 3),
        ] {
            let learner = Dyadic {
                resolution: Resolution::Same(2),
                ties,
                aim,
                ..Dyadic::default()
            };
            let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
            assert_eq!(fit.training.leaves, leaves, "{weight} {ties:?}");
        }
    }
}

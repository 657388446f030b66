//! Dyadic trees from whole tables: what they claim holds for all rows.

use std::path::Path;

use fastrand::Rng;
use treewright::cost::{CostMatrix, Lambda, Loss};
use treewright::data::csv::CsvSource;
use treewright::data::{Column, Dataset, ReadOptions, Task, read_file};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Coding, Dyadic, GridBox, Model, Resolution};
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::tree::Training;
use treewright::{Budget, Tree};

use crate::tables::{Weights, Wishes, random_table};

pub(crate) fn random_learner(rng: &mut Rng, data: &Dataset) -> Dyadic {
    let n_classes = data.schema().classes().len();
    let loss = if rng.u8(0..3) == 0 {
        let costs: Vec<Vec<f64>> = (0..n_classes)
            .map(|truth| {
                let cost = |class| if class == truth { 0 } else { rng.u32(0..5) };
                (0..n_classes).map(cost).map(f64::from).collect()
            })
            .collect();
        Loss::Matrix(CostMatrix::new(&costs).unwrap())
    } else {
        Loss::ZeroOne
    };
    Dyadic {
        model: [Model::Collapsed, Model::Boxed][rng.usize(0..2)],
        coding: [Coding::Share, Coding::Order, Coding::OneVsRest][rng.usize(0..3)],
        grid_box: [GridBox::Range, GridBox::Quantile][rng.usize(0..2)],
        resolution: match rng.u8(0..3) {
            0 => Resolution::Same(rng.u32(0..5)),
            1 => Resolution::Each((0..data.columns().len()).map(|_| rng.u32(0..4)).collect()),
            _ => Resolution::Auto,
        },
        loss,
        ..Dyadic::default()
    }
}

/// Is the cost of a tree on rows what is claimed, up to a tolerance?
pub(crate) fn has_cost(tree: &Tree, data: &Dataset, cost: f64, tolerance: Option<f64>) -> bool {
    let slack = tolerance.unwrap_or(0.0) + 1e-12 * cost;
    (Training::of(tree, data).cost - cost).abs() <= slack
}

#[test]
fn members_have_the_costs_they_claim() {
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let weights = if seed % 4 == 0 {
            Weights::Any
        } else {
            Weights::Whole
        };
        let table = random_table(
            &mut rng,
            Wishes {
                classes: true,
                missing: true,
                weights,
            },
        );
        let learner = random_learner(&mut rng, &table.data);
        let fit = learner
            .fit_family(&table.data, &Budget::unlimited())
            .unwrap();
        let members = fit.family.members();
        for (place, member) in members.iter().enumerate() {
            let tree = fit.family.tree(place);
            assert_eq!(
                tree.n_leaves(),
                member.leaves,
                "seed {seed}: {learner:?}\n{table}"
            );
            let claimed = has_cost(&tree, &table.data, member.cost, fit.tolerance);
            assert!(claimed, "seed {seed}: {member:?} {learner:?}\n{table}");
        }
        // One weight: the same as the path says, and every claim can be checked.
        let place = rng.usize(0..members.len());
        let text = format!("{}", members[place].lambda_low.unwrap());
        let single = Dyadic {
            aim: Aim::Lambda(text.parse::<Lambda>().unwrap()),
            ..learner
        };
        let one = single.fit(&table.data, &Budget::unlimited()).unwrap();
        assert_eq!(
            one.training.leaves, members[place].leaves,
            "seed {seed}\n{table}"
        );
        let certificate = one.certificate.as_ref().unwrap();
        let off_by = certificate.tolerance.unwrap_or(0.0) * (1.0 + 1e-9);
        assert!(
            certificate.objective - certificate.lower_bound <= off_by,
            "seed {seed}: {certificate:?}\n{table}"
        );
        let verification = verify(&one, &table.data);
        assert!(verification.holds, "seed {seed}: {verification:?}\n{table}");
    }
}

#[test]
fn free_halvings_never_cost_more() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let table = random_table(
            &mut rng,
            Wishes {
                classes: true,
                missing: true,
                weights: Weights::Whole,
            },
        );
        let fit = |model| {
            let learner = Dyadic {
                model,
                aim: Aim::Kappa("1/2".parse().unwrap()),
                ..Dyadic::default()
            };
            learner.fit(&table.data, &Budget::unlimited()).unwrap()
        };
        let [collapsed, boxed] = [Model::Collapsed, Model::Boxed].map(fit);
        let objective = |fit: &treewright::Fit| fit.certificate.as_ref().unwrap().objective;
        assert!(
            objective(&collapsed) <= objective(&boxed),
            "seed {seed}\n{table}"
        );
    }
}

#[test]
fn a_stopped_search_is_honest() {
    let mut rng = Rng::with_seed(1);
    let rows: Vec<String> = (0..3000)
        .map(|_| {
            let numbers: Vec<f64> = (0..8).map(|_| rng.f64()).collect();
            let class = u8::from(numbers[0] + numbers[1] * numbers[2] > 0.6) ^ (rng.u8(0..4) / 3);
            let cells: Vec<String> = numbers.iter().map(f64::to_string).collect();
            format!("{},{class}", cells.join(","))
        })
        .collect();
    let text = format!("a,b,c,d,e,f,g,h,class\n{}\n", rows.join("\n"));
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    let data = Dataset::read(&source, &ReadOptions::default()).unwrap();
    for model in [Model::Collapsed, Model::Boxed] {
        let learner = Dyadic {
            model,
            ..Dyadic::default()
        };
        for milliseconds in [0, 30, 200] {
            let limit = std::time::Duration::from_millis(milliseconds);
            let budget = Budget::unlimited().with_time_limit(limit);
            let fit = learner.fit(&data, &budget).unwrap();
            let certificate = fit.certificate.clone().unwrap();
            assert!(certificate.lower_bound < certificate.objective);
            assert!(certificate.lower_bound >= 0.0);
            assert!(verify(&fit, &data).holds);
            assert!(
                fit.training.leaves > 1,
                "the greedy tree is better than one leaf"
            );
        }
        let budget = Budget::unlimited().with_time_limit(std::time::Duration::from_millis(50));
        let path = learner.fit_family(&data, &budget).unwrap();
        assert!(path.exact_down_to > 0.0);
        let lows: Vec<f64> = path
            .family
            .members()
            .iter()
            .map(|m| m.lambda_low.unwrap())
            .collect();
        assert_eq!(*lows.last().unwrap(), path.exact_down_to);
    }
}

/// A table, the errors that no tree can avoid, and its path.
type Known = (&'static str, f64, &'static [(u32, usize)]);

/// The paths of tables of the paper (errors above those that no tree can avoid, leaves), boxed.
#[test]
fn paths_of_known_tables() {
    let Ok(folder) = std::env::var("TREEWRIGHT_DATA") else {
        eprintln!("skipped: TREEWRIGHT_DATA is not set");
        return;
    };
    let known: [Known; 4] = [
        ("ida-titanic", 461.0, &[(250, 1), (32, 2), (13, 4), (0, 6)]),
        (
            "ida-thyroid",
            0.0,
            &[
                (65, 1),
                (41, 2),
                (27, 3),
                (18, 5),
                (14, 7),
                (9, 10),
                (7, 12),
                (3, 17),
                (2, 19),
                (0, 25),
            ],
        ),
        (
            "ida-flare-solar",
            325.0,
            &[
                (152, 1),
                (21, 3),
                (16, 6),
                (8, 18),
                (7, 20),
                (1, 33),
                (0, 36),
            ],
        ),
        (
            "ida-breast-cancer",
            6.0,
            &[
                (75, 1),
                (63, 3),
                (59, 4),
                (53, 6),
                (51, 7),
                (39, 14),
                (36, 16),
                (25, 30),
                (22, 34),
                (13, 47),
                (7, 56),
                (3, 64),
                (1, 69),
                (0, 72),
            ],
        ),
    ];
    for (name, base, path) in known {
        let file = Path::new(&folder).join(format!("{name}.csv"));
        let source = CsvSource::new(read_file(&file).unwrap(), b',').unwrap();
        let options = ReadOptions {
            task: Task::Classification,
            ..ReadOptions::default()
        };
        let data = Dataset::read(&source, &options).unwrap();
        let learner = Dyadic {
            model: Model::Boxed,
            ..Dyadic::default()
        };
        let fit = learner.fit_family(&data, &Budget::unlimited()).unwrap();
        let found: Vec<(u32, usize)> = (fit.family.members().iter())
            .map(|member| ((member.errors.unwrap() - base) as u32, member.leaves))
            .collect();
        assert_eq!(found, path, "{name}");
    }
}

/// A grid fine enough and a price of nothing: no greedy tree has fewer errors.
#[test]
fn no_greedy_tree_has_fewer_errors_than_the_last_member() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let table = random_table(
            &mut rng,
            Wishes {
                classes: true,
                missing: false,
                weights: Weights::Whole,
            },
        );
        // Numbers closer together than a 2^30th of their range count as equal here.
        let is_wide = |column: &Column| match column {
            Column::Numeric(numbers) => numbers.iter().any(|x| x.abs() > 1e3),
            Column::Categorical(_) => false,
        };
        if table.data.columns().iter().any(is_wide) {
            continue;
        }
        let path = Dyadic::default().fit_family(&table.data, &Budget::unlimited());
        let path = path.unwrap();
        let greedy = Greedy::default()
            .fit(&table.data, &Budget::unlimited())
            .unwrap();
        let last = path.family.members().last().copied().unwrap();
        // Numbers closer together than the cells cannot be told apart by halving.
        if !path.learner.params.as_json().contains_key("capped") {
            assert!(
                last.errors <= greedy.training.errors || last.cost == 0.0,
                "seed {seed}: {last:?} {:?}\n{table}",
                greedy.training
            );
        }
    }
}

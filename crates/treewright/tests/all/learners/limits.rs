//! Limits of time and memory: work stops, and what it claims then holds.

use std::fmt::Write;
use std::time::{Duration, Instant};

use fastrand::Rng;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Dyadic, Model, Solver};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::{Budget, Fit};

/// Numbers and categories, some of them missing; the classes follow them loosely.
fn table(rng: &mut Rng, n_rows: usize, n_classes: usize) -> Dataset {
    let mut text = "a,b,c,class\n".to_owned();
    for row in 0..n_rows {
        let (a, b, c) = (rng.u32(..40), rng.f64(), rng.usize(..4));
        let class = match rng.usize(..3) {
            0 => rng.usize(..n_classes),
            _ => (a as usize / 7 + c) % n_classes,
        };
        // All classes are there.
        let class = if row < n_classes { row } else { class };
        let c = ["x", "y", "z", "?"][c];
        writeln!(text, "{a},{b:.3},{c},k{class}").unwrap();
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

/// A row of its own class each, with numbers at random.
fn class_per_row(n_rows: usize, n_features: usize) -> Dataset {
    let mut rng = Rng::with_seed(3);
    let names: Vec<String> = (0..n_features).map(|at| format!("x{at}")).collect();
    let mut text = format!("{},class\n", names.join(","));
    for row in 0..n_rows {
        for _ in 0..n_features {
            write!(text, "{:.6},", rng.f64()).unwrap();
        }
        writeln!(text, "k{row}").unwrap();
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

fn learners() -> Vec<(&'static str, Box<dyn Learner>)> {
    let lambda = || Aim::Lambda("1/50".parse().unwrap());
    vec![
        ("greedy", Box::new(Greedy::default())),
        ("optimal 2", Box::new(Optimal::default())),
        (
            "optimal 3",
            Box::new(Optimal {
                depth: 3,
                intervals: Some(2),
                ..Optimal::default()
            }),
        ),
        (
            "dyadic",
            Box::new(Dyadic {
                aim: lambda(),
                ..Dyadic::default()
            }),
        ),
        (
            "dyadic, boxed",
            Box::new(Dyadic {
                aim: lambda(),
                model: Model::Boxed,
                ..Dyadic::default()
            }),
        ),
        (
            "dyadic, by rectangles",
            Box::new(Dyadic {
                aim: lambda(),
                solver: Solver::Recursion,
                ..Dyadic::default()
            }),
        ),
        (
            "dyadic, sized",
            Box::new(Dyadic {
                aim: Aim::Leaves(4),
                ..Dyadic::default()
            }),
        ),
    ]
}

fn check(fit: &Fit, whole: &Fit, data: &Dataset, case: &str) {
    assert!(verify(fit, data).holds, "{case}");
    let (Some(found), Some(best)) = (&fit.certificate, &whole.certificate) else {
        return;
    };
    let slack = 1e-12;
    assert!(
        found.lower_bound <= best.objective + slack,
        "{case}: {found:?} {best:?}"
    );
    assert!(
        found.objective >= best.objective - slack,
        "{case}: {found:?} {best:?}"
    );
}

#[test]
fn work_that_is_stopped_anywhere_claims_nothing_false() {
    let mut rng = Rng::with_seed(31);
    for round in 0..3 {
        let data = table(&mut rng, 30, 2 + round);
        for (name, learner) in learners() {
            let whole = learner.fit(&data, &Budget::unlimited()).unwrap();
            let mut looks = 0;
            while looks < 500 {
                let budget = Budget::unlimited().with_looks(looks);
                let fit = learner.fit(&data, &budget).unwrap();
                check(
                    &fit,
                    &whole,
                    &data,
                    &format!("{name}, round {round}, {looks} looks"),
                );
                looks += 1 + looks / 2;
            }
        }
    }
}

#[test]
fn families_that_are_stopped_anywhere_are_parts_of_the_whole() {
    let mut rng = Rng::with_seed(32);
    for _ in 0..4 {
        let data = table(&mut rng, 60, 2);
        let learner = Dyadic::default();
        let whole = learner.fit_family(&data, &Budget::unlimited()).unwrap();
        let mut looks = 0;
        while looks < 1000 {
            let budget = Budget::unlimited().with_looks(looks);
            let found = learner.fit_family(&data, &budget).unwrap();
            let n = found.family.len();
            assert_eq!(found.family.values(), &whole.family.values()[..n]);
            if n < whole.family.len() {
                assert!(whole.family.lambda_low(n - 1).unwrap() <= found.exact_down_to);
            }
            looks += 1 + looks / 3;
        }
    }
}

/// Too little memory for anything: one leaf or few, and nothing false about them.
#[test]
fn too_little_memory_claims_nothing_false() {
    let mut rng = Rng::with_seed(33);
    let data = table(&mut rng, 3000, 300);
    for (name, learner) in learners() {
        let budget = Budget::unlimited().with_memory_limit(0);
        let fit = learner.fit(&data, &budget).unwrap();
        assert!(verify(&fit, &data).holds, "{name}");
    }
}

/// All of it would take minutes, or more memory than there is. Nothing here is a measurement: the slack is
/// for machines that do other things.
#[test]
fn a_class_for_each_row_does_not_outlast_the_limit() {
    let data = class_per_row(20_000, 4);
    let limit = Duration::from_millis(200);
    let with_interval = Optimal {
        intervals: Some(3),
        ..Optimal::default()
    };
    let learners: [(&str, &dyn Learner); 4] = [
        ("greedy", &Greedy::default()),
        ("optimal", &Optimal::default()),
        ("optimal, three intervals", &with_interval),
        (
            "dyadic, by rectangles",
            &Dyadic {
                aim: Aim::Lambda("1/50".parse().unwrap()),
                solver: Solver::Recursion,
                ..Dyadic::default()
            },
        ),
    ];
    for (name, learner) in learners {
        let budget = Budget::unlimited()
            .with_time_limit(limit)
            .with_memory_limit(100_000_000);
        let start = Instant::now();
        let fit = learner.fit(&data, &budget).unwrap();
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{name}: {:?}",
            start.elapsed()
        );
        if let Some(certificate) = fit.certificate {
            assert!(!certificate.is_optimal(), "{name}");
        }
    }
    let refused = Dyadic::default()
        .fit(&data, &Budget::unlimited())
        .unwrap_err();
    assert!(refused.to_string().contains("at most 1024"), "{refused}");
}

//! Weights of all sizes: what is claimed holds for the weights as they are written.

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Dyadic, Model, Resolution};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Learner};
use treewright::tree::{Certificate, Member, Training};
use treewright::{Budget, Fit};

/// Numbers 0, 1, 2, ... with a class and a weight each.
struct Weighted {
    classes: Vec<usize>,
    weights: Vec<String>,
}

impl Weighted {
    fn random(rng: &mut Rng, n_rows: usize, weight: impl Fn(&mut Rng) -> String) -> Self {
        Self {
            classes: (0..n_rows).map(|_| rng.usize(0..2)).collect(),
            weights: (0..n_rows).map(|_| weight(rng)).collect(),
        }
    }

    fn data(&self) -> Dataset {
        let mut text = String::from("x,w,class\n");
        for (row, (class, weight)) in self.classes.iter().zip(&self.weights).enumerate() {
            let cells = [&*row.to_string(), weight, ["a", "b"][*class]];
            text += &cells.join(",");
            text.push('\n');
        }
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        let mut options = ReadOptions::default();
        options.reading.weight = Some("w".into());
        Dataset::read(&source, &options).unwrap()
    }

    /// The least cost of a tree with one cut or none, divided by the total weight, by exact ratios.
    fn least_cost(&self) -> BigRational {
        let weights: Vec<BigRational> = self.weights.iter().map(|text| ratio(text)).collect();
        let error = |rows: std::ops::Range<usize>| {
            let of_class = |class: usize| -> BigRational {
                let others = rows.clone().filter(|&row| self.classes[row] != class);
                others.map(|row| &weights[row]).sum()
            };
            of_class(0).min(of_class(1))
        };
        let n_rows = self.classes.len();
        let cuts = (0..n_rows).map(|cut| error(0..cut) + error(cut..n_rows));
        cuts.min().unwrap() / weights.iter().sum::<BigRational>()
    }
}

/// A decimal as it is written.
fn ratio(text: &str) -> BigRational {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    BigRational::new(digits, BigInt::from(10).pow(fraction.len() as u32))
}

fn stump(data: &Dataset) -> Fit {
    let learner = Optimal {
        depth: 1,
        intervals: Some(2),
        ..Optimal::default()
    };
    learner.fit(data, &Budget::unlimited()).unwrap()
}

/// No tree is better than the bound by more than the tolerance; none is better than a bound that was lowered.
fn check_bound(certificate: &Certificate, least: &BigRational) {
    let exact = |number: f64| BigRational::from_float(number).unwrap();
    let slack = certificate.tolerance.unwrap_or(1e-15);
    let (bound, objective) = (certificate.lower_bound, certificate.objective);
    assert!(exact(bound) - exact(slack) <= *least, "{certificate:?}");
    assert!(*least <= exact(objective) + exact(slack), "{certificate:?}");
    if !certificate.is_optimal() {
        assert!(exact(bound) <= *least, "{certificate:?}");
    }
    assert!(certificate.gap() >= 0.0);
}

#[test]
fn bounds_hold_for_the_weights_as_written() {
    let kinds: [fn(&mut Rng) -> String; 6] = [
        |rng| rng.u32(1..2_000_000_000).to_string(),
        |rng| rng.u64(1..200_000_000_000).to_string(),
        |rng| format!("{:.2}", rng.f64() * 10.0 + 0.01),
        |rng| format!("{:.6}", rng.f64() + 0.001),
        |rng| format!("{:.15}", rng.f64() + 0.001),
        |rng| format!("{:.12}", 10_f64.powi(rng.i32(-6..7))),
    ];
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let n_rows = rng.usize(2..40);
        let table = Weighted::random(&mut rng, n_rows, kinds[seed as usize % kinds.len()]);
        let data = table.data();
        let least = table.least_cost();
        let fit = stump(&data);
        check_bound(fit.certificate.as_ref().unwrap(), &least);
        assert!(verify(&fit, &data).holds, "seed {seed}");
        // A path has a tree for each weight; its members cost what they claim.
        let learner = Dyadic {
            aim: Aim::Leaves(2),
            ..Dyadic::default()
        };
        let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
        let certificate = fit.certificate.clone().unwrap();
        assert!(certificate.lower_bound <= certificate.objective);
        assert!(verify(&fit, &data).holds, "seed {seed}");
        learner.fit_family(&data, &Budget::unlimited()).unwrap();
    }
}

/// The same table twice, the second time with weights that are this many times as large.
fn scaled(seed: u64, times: u64) -> [Dataset; 2] {
    let mut rng = Rng::with_seed(seed);
    let small: Vec<u64> = (0..60).map(|_| rng.u64(1..500)).collect();
    let classes: Vec<usize> = (0..60).map(|_| rng.usize(0..2)).collect();
    [1, times].map(|times| {
        let table = Weighted {
            classes: classes.clone(),
            weights: small.iter().map(|w| (w * times).to_string()).collect(),
        };
        table.data()
    })
}

/// Sums of whole weights beyond 32 bits are still exact.
#[test]
fn large_whole_weights_are_exact() {
    let optimal = Optimal {
        depth: 2,
        intervals: Some(2),
        leaf_cost: "0.01".parse().unwrap(),
        ..Optimal::default()
    };
    let dyadic = Dyadic {
        aim: Aim::Lambda("0.01".parse().unwrap()),
        ..Dyadic::default()
    };
    let learners: [&dyn Learner; 2] = [&optimal, &dyadic];
    for (seed, learner) in (0..60).flat_map(|seed| learners.map(|learner| (seed, learner))) {
        let fits = scaled(seed, 1 << 22).map(|data| {
            let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
            assert!(verify(&fit, &data).holds);
            fit
        });
        let [plain, large] = fits.map(|fit| (fit.certificate.unwrap(), fit.training));
        assert!(large.0.exact && large.0.is_optimal());
        assert_eq!(large.0.fewest_leaves, Some(true));
        assert_eq!(large.0.objective, plain.0.objective);
        assert_eq!(large.1.leaves, plain.1.leaves);
    }
}

/// So are whole paths, in both models.
#[test]
fn large_whole_weights_have_the_same_path() {
    for seed in 0..60 {
        let learner = Dyadic {
            model: [Model::Collapsed, Model::Boxed][seed as usize % 2],
            ..Dyadic::default()
        };
        let paths = scaled(seed, 1 << 22)
            .map(|data| learner.fit_family(&data, &Budget::unlimited()).unwrap());
        let [plain, large] = paths.map(|path| {
            assert!(path.exact);
            let figures = |member: Member| (member.leaves, member.cost, member.lambda_low);
            let members = path.family.members();
            members.into_iter().map(figures).collect::<Vec<_>>()
        });
        assert_eq!(plain, large);
    }
}

/// Members of a path cost what their rows cost, also where the search has to round that.
#[test]
fn members_of_rounded_paths_cost_what_their_rows_cost() {
    for seed in 0..100 {
        let mut rng = Rng::with_seed(seed);
        let weight = |rng: &mut Rng| format!("{:.18}", rng.f64() * 10_f64.powi(rng.i32(-12..3)));
        let data = Weighted::random(&mut rng, 30, weight).data();
        let learner = Dyadic::default();
        let path = learner.fit_family(&data, &Budget::unlimited()).unwrap();
        let mut before = f64::INFINITY;
        for (place, member) in path.family.members().into_iter().enumerate() {
            let training = Training::of_leaves(&path.family.tree(place), &data);
            assert_eq!(member.cost, training.cost, "seed {seed}");
            assert!(member.cost < before, "seed {seed}");
            before = member.cost;
        }
    }
}

/// Many decimal weights: what rounding may have done stays far below the cost.
#[test]
fn tolerances_are_small() {
    let mut rng = Rng::with_seed(1);
    let long = |rng: &mut Rng| format!("{:.15}", rng.f64() + 0.001);
    let short = |rng: &mut Rng| format!("{:.3}", rng.f64() + 0.001);
    let long = Weighted::random(&mut rng, 20_000, long).data();
    let short = Weighted::random(&mut rng, 20_000, short).data();
    let learner = Dyadic {
        aim: Aim::Lambda("0.01".parse().unwrap()),
        resolution: Resolution::Same(3),
        ..Dyadic::default()
    };
    let dyadic = |data| learner.fit(data, &Budget::unlimited()).unwrap();
    for fit in [stump(&long), dyadic(&long)] {
        let certificate = fit.certificate.unwrap();
        assert!(certificate.tolerance.unwrap() < 1e-8, "{certificate:?}");
    }
    for fit in [stump(&short), dyadic(&short)] {
        let certificate = fit.certificate.unwrap();
        assert!(certificate.tolerance.unwrap() < 1e-11, "{certificate:?}");
        assert!(certificate.is_optimal());
    }
}

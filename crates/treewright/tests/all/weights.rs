//! Weights of all sizes: what is claimed holds for the weights as they are written.

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Dyadic};
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Learner};
use treewright::tree::Certificate;
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

/// Sums of whole weights beyond 32 bits are still exact in optimal trees: the same table with weights that are
/// so many times as large has the same tree.
#[test]
fn large_whole_weights_are_exact() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let small: Vec<u64> = (0..60).map(|_| rng.u64(1..500)).collect();
        let classes: Vec<usize> = (0..60).map(|_| rng.usize(0..2)).collect();
        let fit = |times: u64| {
            let table = Weighted {
                classes: classes.clone(),
                weights: small.iter().map(|w| (w * times).to_string()).collect(),
            };
            let learner = Optimal {
                depth: 2,
                intervals: Some(2),
                leaf_cost: "0.01".parse().unwrap(),
                ..Optimal::default()
            };
            learner.fit(&table.data(), &Budget::unlimited()).unwrap()
        };
        let (plain, large) = (fit(1), fit(1 << 22));
        let certificate = large.certificate.unwrap();
        assert!(certificate.exact && certificate.is_optimal());
        assert_eq!(certificate.fewest_leaves, Some(true));
        assert_eq!(certificate.objective, plain.certificate.unwrap().objective);
        assert_eq!(large.training.leaves, plain.training.leaves);
    }
}

/// Many decimal weights: what rounding may have done stays far below the cost.
#[test]
fn tolerances_are_small() {
    let mut rng = Rng::with_seed(1);
    let weight = |rng: &mut Rng| format!("{:.15}", rng.f64() + 0.001);
    let table = Weighted::random(&mut rng, 20_000, weight);
    let certificate = stump(&table.data()).certificate.unwrap();
    assert!(certificate.tolerance.unwrap() < 1e-8, "{certificate:?}");
    let weight = |rng: &mut Rng| format!("{:.3}", rng.f64() + 0.001);
    let table = Weighted::random(&mut rng, 20_000, weight);
    let certificate = stump(&table.data()).certificate.unwrap();
    assert!(certificate.tolerance.unwrap() < 1e-11, "{certificate:?}");
    assert!(certificate.is_optimal());
}

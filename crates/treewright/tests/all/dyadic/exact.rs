//! Weights, weights of classes and costs that are no whole numbers: ties and figures are those of exact ratios.

use std::collections::HashMap;
use std::fmt::Write as _;

use fastrand::Rng;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use treewright::Budget;
use treewright::cost::{CostMatrix, Lambda, Loss};
use treewright::data::csv::CsvSource;
use treewright::data::{ClassWeight, Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::learn::dyadic::{Aim, Dyadic, Resolution};
use treewright::learn::{FamilyLearner, Learner};

const LABELS: [&str; 3] = ["a", "b", "c"];
/// Values are whole numbers below this, the number of cells on each side of the grid.
const CELLS: u32 = 8;

/// Rows with a place, a class and a weight; what classes weigh, and what answers cost.
struct Case {
    rows: Vec<([u32; 2], usize, String)>,
    class_weight: ClassWeight,
    costs: Option<Vec<Vec<String>>>,
    n_classes: usize,
}

impl Case {
    fn random(rng: &mut Rng) -> Self {
        let n_classes = rng.usize(2..=3);
        let weights = [
            ["1"; 4],
            ["0.1", "0.2", "0.3", "0.7"],
            ["0.12345678", "1.5", "2e-7", "0.99999999"],
            ["3", "1", "2", "5"],
        ];
        let weights = weights[rng.usize(..weights.len())];
        // Both ends of both sides occur, and all classes.
        let mut places = vec![[0, 0], [CELLS - 1, CELLS - 1], [0, CELLS - 1]];
        let cell = |rng: &mut Rng| rng.u32(..CELLS);
        places.extend((0..rng.usize(1..10)).map(|_| [cell(rng), cell(rng)]));
        let row = |(at, place): (usize, &[u32; 2])| {
            let class = if at < n_classes {
                at
            } else {
                rng.usize(..n_classes)
            };
            (*place, class, weights[rng.usize(..4)].to_owned())
        };
        let rows = places.iter().enumerate().map(row).collect();
        let given = || {
            let of_class = [("a", 0.1), ("b", 0.3), ("c", 0.7)];
            let of_class = of_class.into_iter().take(n_classes);
            of_class
                .map(|(label, weight)| (label.to_owned(), weight))
                .collect()
        };
        let class_weight = match rng.u8(..3) {
            0 => ClassWeight::Balanced,
            1 => ClassWeight::Given(given()),
            _ => ClassWeight::Equal,
        };
        let cost = [["1", "2", "5", "3"], ["0.1", "0.2", "0.3", "0.7"]][rng.usize(..2)];
        let costs = rng.bool().then(|| {
            let of = |truth: usize, class: usize| {
                if truth == class {
                    "0".to_owned()
                } else {
                    cost[(2 * truth + class) % 4].to_owned()
                }
            };
            let of_truth = |truth| (0..n_classes).map(|class| of(truth, class)).collect();
            (0..n_classes).map(of_truth).collect()
        });
        Self {
            rows,
            class_weight,
            costs,
            n_classes,
        }
    }

    fn data(&self) -> Dataset {
        let mut text = String::from("x,y,w,class\n");
        for ([x, y], class, weight) in &self.rows {
            writeln!(text, "{x},{y},{weight},{}", LABELS[*class]).unwrap();
        }
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        let mut options = ReadOptions {
            class_weight: self.class_weight.clone(),
            ..ReadOptions::default()
        };
        options.reading.weight = Some("w".into());
        Dataset::read(&source, &options).unwrap()
    }

    fn learner(&self) -> Dyadic {
        let loss = match &self.costs {
            None => Loss::ZeroOne,
            Some(costs) => {
                let number = |text: &String| text.parse::<f64>().unwrap();
                let rows: Vec<Vec<f64>> = costs
                    .iter()
                    .map(|row| row.iter().map(number).collect())
                    .collect();
                Loss::Matrix(CostMatrix::new(&rows).unwrap())
            }
        };
        Dyadic {
            loss,
            resolution: Resolution::Same(3),
            ..Dyadic::default()
        }
    }

    /// What each answer costs each row, divided by the total weight.
    fn losses(&self) -> Vec<Vec<BigRational>> {
        let own: Vec<BigRational> = self.rows.iter().map(|row| ratio(&row.2)).collect();
        let mut of_class = vec![BigRational::zero(); self.n_classes];
        for (weight, row) in own.iter().zip(&self.rows) {
            of_class[row.1] += weight;
        }
        let all: BigRational = of_class.iter().sum();
        let factor = |class: usize| match &self.class_weight {
            ClassWeight::Equal => ratio("1"),
            ClassWeight::Balanced => &all / (&of_class[class] * BigInt::from(self.n_classes)),
            ClassWeight::Given(given) => ratio(&given[class].1.to_string()),
        };
        let weights: Vec<BigRational> = own
            .iter()
            .zip(&self.rows)
            .map(|(weight, row)| weight * factor(row.1))
            .collect();
        let total: BigRational = weights.iter().sum();
        let cost = |truth: usize, class: usize| match &self.costs {
            Some(costs) => ratio(&costs[truth][class]),
            None if truth == class => ratio("0"),
            None => ratio("1"),
        };
        let of_row = |(weight, row): (&BigRational, &([u32; 2], usize, String))| {
            let of = |class| weight * cost(row.1, class) / &total;
            (0..self.n_classes).map(of).collect()
        };
        weights.iter().zip(&self.rows).map(of_row).collect()
    }
}

/// A decimal as it is written.
fn ratio(text: &str) -> BigRational {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let exponent = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
    let tens = BigInt::from(10).pow(exponent.unsigned_abs());
    if exponent < 0 {
        BigRational::new(digits, tens)
    } else {
        BigRational::from(digits * tens)
    }
}

/// The least costs of trees with 1, 2, ... leaves for a set of rows, by trying every halving of their box.
struct Plain<'a> {
    case: &'a Case,
    losses: Vec<Vec<BigRational>>,
    known: HashMap<u64, Vec<BigRational>>,
}

impl Plain<'_> {
    fn sizes(&mut self, rows: u64) -> Vec<BigRational> {
        if let Some(known) = self.known.get(&rows) {
            return known.clone();
        }
        let members: Vec<usize> = (0..self.case.rows.len())
            .filter(|row| rows >> row & 1 == 1)
            .collect();
        let leaf = (0..self.case.n_classes).map(|class| -> BigRational {
            members.iter().map(|&row| &self.losses[row][class]).sum()
        });
        let mut best = vec![leaf.min().unwrap()];
        for side in 0..2 {
            let cell = |row: usize| self.case.rows[row].0[side];
            // Of the halvings that leave one side empty nothing is seen.
            let differ = members
                .iter()
                .fold(0, |bits, &row| bits | cell(row) ^ cell(members[0]));
            let Some(bit) = differ.checked_ilog2() else {
                continue;
            };
            let high: u64 = members
                .iter()
                .filter(|&&row| cell(row) >> bit & 1 == 1)
                .map(|row| 1 << row)
                .sum();
            let (low, high) = (self.sizes(rows & !high), self.sizes(high));
            for (at, a) in low.iter().enumerate() {
                for (more, b) in high.iter().enumerate() {
                    let (leaves, cost) = (at + more + 2, a + b);
                    while best.len() < leaves {
                        best.push(best[best.len() - 1].clone());
                    }
                    if cost < best[leaves - 1] {
                        best[leaves - 1] = cost;
                    }
                }
            }
        }
        self.known.insert(rows, best.clone());
        best
    }
}

/// The corners of the lower left hull: leaves and cost, from one leaf on.
fn hull(sizes: &[BigRational]) -> Vec<(usize, BigRational)> {
    let mut hull: Vec<(usize, BigRational)> = Vec::new();
    for (at, cost) in sizes.iter().enumerate() {
        if hull.last().is_some_and(|last| last.1 <= *cost) {
            continue;
        }
        let next = (at + 1, cost.clone());
        while let [.., a, b] = &hull[..] {
            if slope(a, b) > slope(b, &next) {
                break;
            }
            hull.pop();
        }
        hull.push(next);
    }
    hull
}

fn slope(from: &(usize, BigRational), to: &(usize, BigRational)) -> BigRational {
    (&from.1 - &to.1) / BigInt::from(to.0 - from.0)
}

fn nearest(ratio: &BigRational) -> f64 {
    ratio.to_f64().unwrap()
}

#[test]
fn paths_and_trees_are_those_of_exact_ratios() {
    let (mut n_exact, mut n_rounded, mut n_ties) = (0, 0, 0);
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let case = Case::random(&mut rng);
        let (data, learner) = (case.data(), case.learner());
        let mut plain = Plain {
            losses: case.losses(),
            case: &case,
            known: HashMap::new(),
        };
        let expected = hull(&plain.sizes((1 << case.rows.len()) - 1));
        let budget = Budget::unlimited();
        let found = learner.fit_family(&data, &budget).unwrap();
        let members = found.family.members();
        let figures: Vec<(usize, f64)> = members.iter().map(|it| (it.leaves, it.cost)).collect();
        let wanted: Vec<(usize, f64)> = expected.iter().map(|it| (it.0, nearest(&it.1))).collect();
        if found.family.has_rounded_units() {
            // Balanced classes of rows that weigh eight decimals take more than 64 bits.
            assert!(found.tolerance.unwrap() < 1e-13, "seed {seed}");
            n_rounded += 1;
            continue;
        }
        assert_eq!(figures, wanted, "seed {seed}");
        n_exact += usize::from(found.exact);
        for (at, two) in expected.windows(2).enumerate() {
            // At the very weight where two trees are equally good, the smaller one is taken.
            let lambda = slope(&two[0], &two[1]);
            let low = members[at].lambda_low.unwrap();
            assert!((low / nearest(&lambda) - 1.0).abs() < 1e-15, "seed {seed}");
            assert!(
                BigRational::from_float(low).unwrap() >= lambda,
                "seed {seed}"
            );
            let learner = Dyadic {
                aim: Aim::Lambda(Lambda::new(lambda.clone()).unwrap()),
                ..learner.clone()
            };
            let fit = learner.fit(&data, &budget).unwrap();
            let certificate = fit.certificate.as_ref().unwrap();
            assert_eq!(fit.training.leaves, two[0].0, "seed {seed}");
            assert!(certificate.is_optimal(), "seed {seed}");
            assert_eq!(certificate.fewest_leaves, Some(true), "seed {seed}");
            assert!(
                verify(&fit, &data).holds,
                "seed {seed}: {:?}",
                verify(&fit, &data)
            );
            if certificate.exact {
                assert_eq!(certificate.tolerance, None);
                assert_eq!(fit.training.cost, nearest(&two[0].1), "seed {seed}");
                let exact = &two[0].1 + lambda * BigInt::from(two[0].0);
                let off = certificate.objective / nearest(&exact) - 1.0;
                assert!(off.abs() < 1e-15, "seed {seed}");
            } else {
                assert!(certificate.tolerance.unwrap() < 1e-13, "seed {seed}");
            }
            n_ties += 1;
        }
    }
    assert!(
        n_exact > 700 && n_rounded < 300,
        "{n_exact} are exact, {n_rounded} rounded"
    );
    assert!(n_ties > 3000, "{n_ties} ties");
}

#[test]
fn balanced_classes_weigh_the_same() {
    // 1490 rows of one class and 711 of the other, as in the table titanic.
    let mut text = String::from("x,class\n");
    for row in 0..2201 {
        writeln!(
            text,
            "{},{}",
            row % 7,
            LABELS[usize::from(row % 2201 >= 1490)]
        )
        .unwrap();
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    let options = ReadOptions {
        class_weight: ClassWeight::Balanced,
        ..ReadOptions::default()
    };
    let data = Dataset::read(&source, &options).unwrap();
    let found = Dyadic::default().fit_family(&data, &Budget::unlimited());
    let found = found.unwrap();
    assert_eq!(found.family.member(0).cost, 0.5);
    assert!(found.exact && found.tolerance.is_none());
    // Both classes cost the same: the first one is the answer.
    let leaf = found.family.tree(0);
    assert_eq!(leaf.predict(&data)[0], 0.0);
}

/// Weights with more digits than 64 bits hold are rounded, but no more than doubles are.
#[test]
fn what_is_rounded_is_rounded_little() {
    let mut rng = Rng::with_seed(5);
    let mut text = String::from("x,w,class\n");
    for row in 0..3000 {
        let weight = 10_f64.powf(rng.f64() * 12.0 - 6.0);
        writeln!(text, "{},{weight:e},{}", row % 50, LABELS[rng.usize(..2)]).unwrap();
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    let mut options = ReadOptions::default();
    options.reading.weight = Some("w".into());
    let data = Dataset::read(&source, &options).unwrap();
    let found = Dyadic::default().fit_family(&data, &Budget::unlimited());
    let found = found.unwrap();
    assert!(!found.exact && found.family.has_rounded_units());
    assert!(found.tolerance.unwrap() < 1e-11, "{:?}", found.tolerance);
}

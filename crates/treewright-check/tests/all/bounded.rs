//! Optimal trees of bounded depth: the checker agrees with a brute force.

use fastrand::Rng;
use serde_json::{Value, json};
use treewright::Budget;
use treewright::cost::{CostMatrix, Loss};
use treewright::export::json::write_model;
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;
use treewright::tree::CategoricalSplits;
use treewright_check::Verdict;

use crate::brute::Brute;
use crate::tables::{Shape, dataset, judge};

/// A table, a learner, and what the best tree is worth.
struct Case {
    text: String,
    weights: bool,
    learner: Optimal,
    brute: Brute,
}

fn case(random: &mut Rng) -> Option<Case> {
    let shape = Shape::random(random);
    let text = shape.text(random);
    let data = dataset(&text, shape.weights)?;
    let classes = data.schema().classes().to_vec();
    let n = classes.len();
    let costs: Vec<Vec<u64>> = if random.u8(..3) == 0 {
        (0..n)
            .map(|_| (0..n).map(|_| random.u64(..4)).collect())
            .collect()
    } else {
        (0..n)
            .map(|truth| (0..n).map(|answer| u64::from(truth != answer)).collect())
            .collect()
    };
    let of_costs: Vec<Vec<f64>> = costs
        .iter()
        .map(|row| row.iter().map(|&cost| cost as f64).collect())
        .collect();
    let (p, q) = *random
        .choice(&[(0, 1), (0, 1), (1, 10), (1, 20), (1, 3)])
        .unwrap();
    let learner = Optimal {
        depth: random.usize(..8) % 4 % 3 + usize::from(random.u8(..6) == 0),
        intervals: Some(random.usize(1..4)),
        categorical_splits: CategoricalSplits::Multiway,
        min_leaf: if random.u8(..4) == 0 {
            random.usize(1..4)
        } else {
            1
        },
        leaf_cost: format!("{p}/{q}").parse().unwrap(),
        loss: Loss::Matrix(CostMatrix::new(&of_costs).ok()?),
        ..Optimal::default()
    };
    let mut brute = Brute::new(&text, &costs, &classes, q);
    let tenths: f64 = (0..data.n_rows())
        .map(|row| (data.weight(row) * 10.0).round())
        .sum();
    brute.per_leaf = p * tenths as u64;
    brute.intervals = learner.intervals.unwrap();
    brute.min_leaf = learner.min_leaf;
    let weights = shape.weights;
    Some(Case {
        text,
        weights,
        learner,
        brute,
    })
}

fn fit(case: &Case, learner: &Optimal) -> Value {
    let data = dataset(&case.text, case.weights).unwrap();
    let fit = learner.fit(&data, &Budget::unlimited()).unwrap();
    serde_json::from_str(&write_model(&fit)).unwrap()
}

#[test]
fn what_the_library_finds_is_confirmed_and_best() {
    let mut random = Rng::with_seed(1);
    let mut n_checked = 0;
    while n_checked < 400 {
        let Some(case) = case(&mut random) else {
            continue;
        };
        let model = fit(&case, &case.learner);
        let report = judge(&model.to_string(), &case.text);
        assert_eq!(
            report.verdict(),
            Verdict::Confirmed,
            "{report}\n{model}\n{}",
            case.text
        );
        let (_, leaves) = case.brute.best(case.learner.depth);
        let exact = model["certificate"]["exact"] == true;
        assert!(
            !exact || model["training"]["leaves"] == leaves,
            "{leaves} {model}\n{}",
            case.text
        );
        n_checked += 1;
    }
}

/// A tree of a smaller class, said to be the best of a larger one: true only if the brute force says so.
#[test]
fn trees_that_are_not_the_best_are_refuted() {
    let mut random = Rng::with_seed(2);
    let (mut n_refuted, mut n_confirmed) = (0, 0);
    for _ in 0..700 {
        let Some(case) = case(&mut random) else {
            continue;
        };
        let mut small = case.learner.clone();
        if random.bool() {
            small.depth = small.depth.saturating_sub(1);
        } else {
            small.intervals = Some(1);
        }
        let mut model = fit(&case, &small);
        if model["certificate"]["exact"] != true {
            continue;
        }
        let mut brute_small = case.brute;
        brute_small.intervals = small.intervals.unwrap();
        let of_small = brute_small.best(small.depth);
        brute_small.intervals = case.learner.intervals.unwrap();
        let is_best = of_small == brute_small.best(case.learner.depth);
        model["learner"]["params"]["depth"] = json!(case.learner.depth);
        model["learner"]["params"]["intervals"] = json!(case.learner.intervals);
        let verdict = judge(&model.to_string(), &case.text).verdict();
        match verdict {
            Verdict::Confirmed if is_best => n_confirmed += 1,
            Verdict::Refuted(_) if !is_best => n_refuted += 1,
            _ => panic!("{verdict}\nbest: {is_best}\n{model}\n{}", case.text),
        }
    }
    assert!(
        n_confirmed > 100 && n_refuted > 40,
        "{n_confirmed} {n_refuted}"
    );
}

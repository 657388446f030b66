//! Learning curves: against fits made one by one, and what does not change them.

use std::time::Duration;

use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions, Target, Task};
use treewright::learn::optimal::Optimal;
use treewright::learn::{Greedy, Learner};
use treewright::select::{Curve, LearningCurve, Point, Rates};

/// One of the bundled tables.
pub(crate) fn bundled(table: &str, task: Task) -> Dataset {
    let tables = format!("{}/../../testdata/tables", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(format!("{tables}/{table}")).unwrap();
    let options = ReadOptions {
        task,
        ..ReadOptions::default()
    };
    Dataset::read(&CsvSource::new(text, b',').unwrap(), &options).unwrap()
}

fn of_depth(depth: usize) -> Optimal {
    Optimal {
        depth,
        ..Optimal::default()
    }
}

fn drawn(plan: &LearningCurve, data: &Dataset, budget: &Budget) -> Curve {
    let (greedy, stump) = (Greedy::default(), of_depth(1));
    plan.draw(&[&greedy, &stump], data, budget).unwrap()
}

/// All but the time.
fn figures(curve: &Curve) -> Vec<(usize, usize, u64, u64, u64, u64)> {
    let points = curve.points.iter().flatten();
    let bits = |point: &Point| {
        (
            point.rows,
            point.repeats,
            point.error.to_bits(),
            point.se.to_bits(),
            point.leaves.to_bits(),
            point.depth.to_bits(),
        )
    };
    points.map(bits).collect()
}

#[test]
fn a_point_is_the_mean_of_single_fits() {
    let data = bundled("rings.csv", Task::Auto);
    let plan = LearningCurve {
        sizes: Some(vec![200, 50, 50]),
        repeats: 3,
        holdout: 0.25,
        seed: 7,
    };
    let curve = drawn(&plan, &data, &Budget::unlimited());
    assert_eq!(
        (curve.sizes.as_slice(), curve.held_out),
        (&[50, 200][..], 150)
    );
    assert!(!curve.stopped);
    let Target::Classes(classes) = data.target() else {
        panic!("rings have classes")
    };
    let learners: [&dyn Learner; 2] = [&Greedy::default(), &of_depth(1)];
    for (learner, points) in learners.iter().zip(&curve.points) {
        for point in points {
            let (mut errors, mut leaves) = (Vec::new(), 0);
            for repeat in 0..3 {
                let (order, test) = plan.deal(&data, repeat).unwrap();
                assert_eq!(order.len() + test.len(), 600);
                assert!(order.iter().all(|row| !test.contains(row)));
                let mut train = order[..point.rows].to_vec();
                train.sort_unstable();
                let budget = Budget::unlimited();
                let fit = learner.fit(&data.rows(&train), &budget).unwrap();
                let predicted = fit.model.predict(&data.rows(&test));
                let is_wrong = |(row, class): &(&usize, &f64)| f64::from(classes[**row]) != **class;
                let wrong = test.iter().zip(&predicted).filter(is_wrong).count();
                errors.push(wrong as f64 / 150.0);
                leaves += fit.model.n_leaves();
            }
            let mean = errors.iter().sum::<f64>() / 3.0;
            let squares: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
            assert_eq!(point.repeats, 3);
            assert!((point.error - mean).abs() < 1e-12);
            assert!((point.se - (squares / 6.0).sqrt()).abs() < 1e-12);
            assert!((point.leaves - f64::from(leaves as u32) / 3.0).abs() < 1e-12);
        }
    }
}

#[test]
fn threads_do_not_change_a_curve() {
    let data = bundled("shop.csv", Task::Auto);
    let plan = LearningCurve {
        repeats: 2,
        ..LearningCurve::default()
    };
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let curve = || drawn(&plan, &data, &Budget::unlimited());
        figures(&pool.build().unwrap().install(curve))
    };
    assert_eq!(with_threads(1), with_threads(3));
}

#[test]
fn a_spent_budget_leaves_what_is_complete() {
    let data = bundled("shop.csv", Task::Auto);
    let budget = Budget::unlimited().with_time_limit(Duration::ZERO);
    let curve = drawn(&LearningCurve::default(), &data, &budget);
    assert!(curve.stopped);
    let points = curve.points.concat();
    assert!(points.iter().all(|point| point.repeats == 0));
    assert!(points.iter().all(|point| point.error.is_nan()));
}

#[test]
fn numbers_have_curves_too() {
    let data = bundled("prices.csv", Task::Regression);
    let plan = LearningCurve {
        sizes: Some(vec![20, 200]),
        repeats: 4,
        ..LearningCurve::default()
    };
    let curve = plan
        .draw(&[&Greedy::default()], &data, &Budget::unlimited())
        .unwrap();
    let points = &curve.points[0];
    assert!(points[1].error < points[0].error);
}

#[test]
fn what_cannot_be_is_refused() {
    let data = bundled("shop.csv", Task::Auto);
    let refused = |plan: LearningCurve, complaint: &str| {
        let learner = Greedy::default();
        let error = plan.draw(&[&learner], &data, &Budget::unlimited());
        assert_eq!(error.unwrap_err().to_string(), complaint);
    };
    let sizes = |sizes: &[usize]| LearningCurve {
        sizes: Some(sizes.to_vec()),
        ..LearningCurve::default()
    };
    let allowed = "expected between 1 and 280, the rows that are left when 120 are held out";
    refused(sizes(&[10, 281]), &format!("sizes: got 281, {allowed}"));
    refused(sizes(&[0]), &format!("sizes: got 0, {allowed}"));
    refused(sizes(&[]), &format!("sizes: got none, {allowed}"));
    let no_repeats = LearningCurve {
        repeats: 0,
        ..LearningCurve::default()
    };
    refused(no_repeats, "repeats: got 0, expected at least 1");
    let all_held_out = LearningCurve {
        holdout: 1.0,
        ..LearningCurve::default()
    };
    refused(
        all_held_out,
        "holdout: got 1, expected a share between 0 and 1, without these",
    );
}

#[test]
fn rates_are_errors_above_the_optimum() {
    let data = bundled("shop.csv", Task::Auto);
    let plan = LearningCurve {
        repeats: 4,
        ..LearningCurve::default()
    };
    let learners = [of_depth(1), of_depth(2)];
    let budget = Budget::unlimited();
    let both: [&(dyn Learner + Sync); 2] = [&learners[0], &learners[1]];
    let curve = plan.draw(&both, &data, &budget).unwrap();
    let optima = [0, 1].map(|i| learners[i].fit(&data, &budget).unwrap().training.cost);
    let curves = [0, 1].map(|i| curve.points[i].as_slice());
    let rates = Rates::new(&data, 3, curves, optima.map(Some));
    for (depth, optimum) in rates.depths.iter().zip(optima) {
        let points = &curve.points[depth.depth - 1];
        for (point, rate) in points.iter().zip(&depth.points) {
            let eps = point.error - optimum;
            assert_eq!(rate.eps, (eps > 0.0).then_some(eps));
        }
    }
    for same in &rates.same_error {
        assert_eq!(same.ratio, same.rows[1] / same.rows[0]);
        assert!(same.eps > 0.0);
    }
    assert!(rates.vc_lower_ratio > Some(1.0) && rates.vc_upper_ratio > Some(1.0));
    let unknown = Rates::new(&data, 3, curves, [None; 2]);
    let has_eps = |rates: &Rates| {
        rates
            .depths
            .iter()
            .any(|d| d.points.iter().any(|p| p.eps.is_some()))
    };
    assert!(has_eps(&rates) && !has_eps(&unknown));
    assert_eq!(unknown.ratio, None);
}

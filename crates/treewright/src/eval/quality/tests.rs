//! Figures by hand, and against the obvious way to find them on random small tables.

use std::sync::Arc;

use fastrand::Rng;

use super::*;
use crate::data::{Column, Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};

fn table(target: Target, weights: Option<Vec<f64>>) -> Dataset {
    let n_rows = match &target {
        Target::Classes(classes) => classes.len(),
        Target::Numbers(numbers) => numbers.len(),
        Target::Absent => 0,
    };
    let n_classes = match &target {
        Target::Classes(classes) => classes.iter().max().map_or(2, |&most| (most + 1).max(2)),
        _ => 0,
    };
    let schema = Schema {
        features: vec![Feature {
            name: "x".into(),
            kind: FeatureKind::Numeric,
        }],
        target: TargetColumn {
            name: "y".into(),
            kind: match n_classes {
                0 => TargetKind::Number,
                n => TargetKind::Classes((0..n).map(|class| class.to_string()).collect()),
            },
        },
        reading: Reading::default(),
    };
    let columns = vec![Column::Numeric(vec![0.0; n_rows].into())];
    Dataset::new(Arc::new(schema), columns, target, weights)
}

/// Two classes, the second with these shares; what is more than half is predicted.
fn two_classes(truths: &[u32], shares: &[f64], weights: Option<Vec<f64>>) -> ClassQuality {
    let data = table(Target::Classes(truths.to_vec()), weights);
    let answers = Answers {
        values: shares
            .iter()
            .map(|&it| f64::from(u8::from(it > 0.5)))
            .collect(),
        shares: shares.iter().flat_map(|&it| [1.0 - it, it]).collect(),
    };
    match Quality::of(&data, &answers, Some(1)).unwrap() {
        Quality::Classes(quality) => quality,
        Quality::Numbers(_) => panic!("classes have class figures"),
    }
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
}

#[test]
fn two_classes_by_hand() {
    // From the top: 0.75 holds two positives and a negative, 0.25 one of each and a further negative.
    let truths = [1, 1, 0, 1, 0, 0];
    let shares = [0.75, 0.75, 0.75, 0.25, 0.25, 0.25];
    let quality = two_classes(&truths, &shares, None);
    assert_eq!(quality.confusion, [[2.0, 1.0], [1.0, 2.0]]);
    assert_eq!((quality.errors, quality.error), (2.0, 2.0 / 6.0));
    assert_eq!(quality.error_interval, Some(exact(2, 6)));
    assert_eq!(
        quality.baseline,
        MostFrequent {
            class: 0,
            error: 0.5
        }
    );
    close(quality.brier, (4.0 * 0.0625 + 2.0 * 0.5625) / 6.0);
    close(
        quality.log_loss,
        -(4.0 * 0.75_f64.ln() + 2.0 * 0.25_f64.ln()) / 6.0,
    );
    let ranking = quality.ranking.unwrap();
    // Of nine pairs four are in order, four are tied, one is not.
    assert_eq!((ranking.auc, ranking.gini), (6.0 / 9.0, 12.0 / 9.0 - 1.0));
    close(ranking.ks, 1.0 / 3.0);
    assert_eq!(ranking.ks_threshold, 0.75);
    close(
        ranking.average_precision,
        2.0 / 3.0 * (2.0 / 3.0) + 1.0 / 3.0 * 0.5,
    );
    // A tenth of the rows is a fifth of the first group, with a fifth of its two positives.
    close(ranking.lift_of_tenth, (0.2 * 2.0 / 3.0) / 0.1);
    let at = |place: usize| {
        let it = ranking.thresholds[place];
        (it.share, it.true_positives, it.false_positives)
    };
    assert_eq!((at(0), at(1)), ((0.75, 2.0, 1.0), (0.25, 3.0, 3.0)));
    let last = ranking.gains.last().unwrap();
    assert_eq!((last.rows, last.positives, last.lift), (1.0, 1.0, 1.0));
    let bin = |place: usize| {
        let it = ranking.calibration[place];
        (it.weight, it.predicted, it.interval)
    };
    assert_eq!(bin(0), (3.0, 0.25, Some(exact(1, 3))));
    assert_eq!(bin(1), (3.0, 0.75, Some(exact(2, 3))));
    close(ranking.calibration_error, 1.0 / 12.0);
}

fn exact(successes: u64, trials: u64) -> (f64, f64) {
    crate::eval::exact_interval(successes, trials, CONFIDENCE)
}

/// A row of weight w is as good as w rows.
#[test]
fn weights_are_rows() {
    let mut rng = Rng::with_seed(21);
    for _ in 0..200 {
        let n_rows = rng.usize(2..12);
        let truths: Vec<u32> = (0..n_rows).map(|_| rng.u32(0..2)).collect();
        let shares: Vec<f64> = (0..n_rows)
            .map(|_| f64::from(rng.u32(0..5)) / 4.0)
            .collect();
        let weights: Vec<usize> = (0..n_rows).map(|_| rng.usize(1..4)).collect();
        let repeat = |rows: &mut dyn FnMut(usize)| {
            for (row, &weight) in weights.iter().enumerate() {
                (0..weight).for_each(|_| rows(row));
            }
        };
        let (mut all_truths, mut all_shares) = (Vec::new(), Vec::new());
        repeat(&mut |row| all_truths.push(truths[row]));
        repeat(&mut |row| all_shares.push(shares[row]));
        let as_weights = weights.iter().map(|&weight| weight as f64).collect();
        let weighted = two_classes(&truths, &shares, Some(as_weights));
        let repeated = two_classes(&all_truths, &all_shares, None);
        assert_eq!(weighted.confusion, repeated.confusion);
        assert_eq!(weighted.error, repeated.error);
        assert_eq!(weighted.brier, repeated.brier);
        assert_eq!(weighted.classes, repeated.classes);
        match (weighted.ranking, repeated.ranking) {
            (Some(weighted), Some(repeated)) => {
                assert_eq!(weighted.auc, repeated.auc);
                assert_eq!(weighted.average_precision, repeated.average_precision);
                assert_eq!(weighted.thresholds, repeated.thresholds);
                assert_eq!(weighted.gains, repeated.gains);
                assert_eq!(weighted.calibration_error, repeated.calibration_error);
            }
            (weighted, repeated) => assert_eq!(weighted, repeated),
        }
    }
}

/// All pairs, all thresholds.
#[test]
fn rankings_are_what_pairs_say() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..500 {
        let n_rows = rng.usize(2..30);
        let truths: Vec<u32> = (0..n_rows).map(|_| rng.u32(0..2)).collect();
        let steps = rng.u32(1..8);
        let share = |rng: &mut Rng| f64::from(rng.u32(0..=steps)) / f64::from(steps);
        let shares: Vec<f64> = (0..n_rows).map(|_| share(&mut rng)).collect();
        let weights: Option<Vec<f64>> = rng
            .bool()
            .then(|| (0..n_rows).map(|_| f64::from(rng.u32(1..5))).collect());
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
        let Some(ranking) = two_classes(&truths, &shares, weights.clone()).ranking else {
            assert!(truths.windows(2).all(|pair| pair[0] == pair[1]));
            continue;
        };
        let of = |class: u32| {
            let rows = (0..n_rows).filter(|&row| truths[row] == class);
            rows.collect::<Vec<usize>>()
        };
        let (mut in_order, mut pairs) = (0.0, 0.0);
        for a in of(1) {
            for b in of(0) {
                let pair = weight(a) * weight(b);
                pairs += pair;
                if shares[a] > shares[b] {
                    in_order += pair;
                } else if shares[a] == shares[b] {
                    in_order += pair / 2.0;
                }
            }
        }
        assert_eq!(ranking.auc, in_order / pairs);
        let above = |class: u32, threshold: f64| -> f64 {
            let rows = of(class)
                .into_iter()
                .filter(|&row| shares[row] >= threshold);
            rows.map(weight).sum()
        };
        let mut most: f64 = 0.0;
        for it in &ranking.thresholds {
            assert_eq!(it.true_positives, above(1, it.share));
            assert_eq!(it.false_positives, above(0, it.share));
            let distance =
                above(1, it.share) / ranking.positives - above(0, it.share) / ranking.negatives;
            most = most.max(distance.abs());
        }
        assert_eq!(ranking.ks, most);
        let held: f64 = ranking.calibration.iter().map(|bin| bin.weight).sum();
        assert_eq!(held, ranking.positives + ranking.negatives);
    }
}

#[test]
fn a_share_of_nothing_for_the_truth_is_an_infinite_loss() {
    let quality = two_classes(&[1, 0], &[0.0, 0.0], None);
    assert_eq!(quality.log_loss, f64::INFINITY);
    let quality = two_classes(&[0, 0], &[0.0, 0.0], None);
    assert_eq!((quality.log_loss, quality.ranking), (0.0, None));
}

#[test]
fn one_of_many_classes_can_be_ranked() {
    let data = table(Target::Classes(vec![0, 1, 2]), None);
    let answers = Answers {
        values: vec![0.0, 2.0, 2.0],
        shares: vec![1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.25, 0.75],
    };
    let quality = |positive| match Quality::of(&data, &answers, positive).unwrap() {
        Quality::Classes(quality) => quality,
        Quality::Numbers(_) => panic!("classes have class figures"),
    };
    assert_eq!(quality(None).ranking, None);
    assert_eq!(quality(Some(2)).ranking.unwrap().auc, 1.0);
    close(quality(None).brier, (0.5 + 0.125) / 3.0);
    assert_eq!(
        quality(None).baseline,
        MostFrequent {
            class: 0,
            error: 2.0 / 3.0
        }
    );
}

#[test]
fn different_weights_are_not_counted() {
    let shares = [0.0, 1.0, 1.0];
    let quality = two_classes(&[0, 1, 0], &shares, Some(vec![2.0; 3]));
    assert_eq!(quality.error_interval, Some(exact(1, 3)));
    let quality = two_classes(&[0, 1, 0], &shares, Some(vec![2.0, 1.0, 1.0]));
    assert_eq!(quality.error_interval, None);
    assert_eq!(quality.ranking.unwrap().calibration[0].interval, None);
}

fn numbers(truths: &[f64], predicted: &[f64], weights: Option<Vec<f64>>) -> NumberQuality {
    let data = table(Target::Numbers(truths.to_vec()), weights);
    let answers = Answers {
        values: predicted.to_vec(),
        shares: Vec::new(),
    };
    match Quality::of(&data, &answers, None).unwrap() {
        Quality::Numbers(quality) => quality,
        Quality::Classes(_) => panic!("numbers have number figures"),
    }
}

#[test]
fn numbers_by_hand() {
    let quality = numbers(&[1.0, 3.0, 5.0, 7.0], &[2.0, 2.0, 8.0, 8.0], None);
    assert_eq!(
        (quality.mse, quality.rmse, quality.mae),
        (3.0, 3.0_f64.sqrt(), 1.5)
    );
    assert_eq!((quality.bias, quality.mean), (1.0, 4.0));
    assert_eq!(quality.r2, Some(1.0 - 12.0 / 20.0));
    assert_eq!(
        (quality.baseline_rmse, quality.baseline_mae),
        (5.0_f64.sqrt(), 2.0)
    );
    assert_eq!(quality.residuals, [-3.0, -3.0, -3.0, -1.0, -1.0, 1.0, 1.0]);
    let bin = |place: usize| {
        let it = &quality.bins[place];
        (it.weight, it.predicted, it.actual, it.quantiles[3])
    };
    assert_eq!(
        (bin(0), bin(1)),
        ((2.0, 2.0, 2.0, 1.0), (2.0, 8.0, 6.0, 5.0))
    );
}

#[test]
fn weights_of_numbers_are_rows() {
    let weighted = numbers(&[1.0, 4.0], &[2.0, 2.0], Some(vec![3.0, 1.0]));
    let repeated = numbers(&[1.0, 1.0, 1.0, 4.0], &[2.0; 4], None);
    assert_eq!(weighted, repeated);
}

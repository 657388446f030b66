//! A look from afar leaves out features, and never changes a tree.

use std::fmt::Write as _;

use fastrand::Rng;

use super::leaf_size::LeafSize;
use super::table::Table;
use super::{Optimal, Sizes};
use crate::budget::Budget;
use crate::cost::RowLosses;
use crate::data::csv::CsvSource;
use crate::data::{Dataset, ReadOptions};
use crate::tree::{Fit, Tree};

/// Two features that tell the class, and others that do not; some have many equal numbers.
fn table(rng: &mut Rng, n_classes: usize) -> Dataset {
    let n_rows = rng.usize(40..400);
    let n_features = rng.usize(2..7);
    let digits: Vec<usize> = (0..n_features).map(|_| rng.usize(0..4)).collect();
    let (noise, kind) = (rng.f64() * 0.3, rng.u8(..5));
    let last = |numbers: &[f64]| numbers[n_features - 1];
    let names: Vec<String> = (0..n_features).map(|at| format!("x{at}")).collect();
    let mut text = names.join(",") + ",weight,class\n";
    for _ in 0..n_rows {
        let numbers: Vec<f64> = digits.iter().map(|_| rng.f64() * 9.0 - 4.0).collect();
        for (number, &digits) in numbers.iter().zip(&digits) {
            write!(text, "{number:.digits$},").unwrap();
        }
        let told = match (kind, numbers[0] < 0.3) {
            (0, is_low) => usize::from(is_low) + 2 * usize::from(last(&numbers) < 1.0),
            // Only on one side is there anything else to ask.
            (1, true) | (2, false) => 0,
            (3, _) => last(&numbers).rem_euclid(4.0) as usize,
            _ => 1 + last(&numbers).rem_euclid(2.0) as usize,
        };
        let class = if rng.f64() < noise {
            rng.usize(..n_classes)
        } else {
            told % n_classes
        };
        writeln!(text, "{},c{class}", rng.u32(1..4)).unwrap();
    }
    let source = CsvSource::new(text.into(), b',').unwrap();
    let mut options = ReadOptions::default();
    if rng.bool() {
        options.reading.weight = Some("weight".to_owned());
    } else {
        options.drop.push("weight".to_owned());
    }
    Dataset::read(&source, &options).unwrap()
}

#[test]
fn what_is_left_out_does_not_change_a_tree() {
    let mut rng = Rng::with_seed(5);
    let (mut n_all, mut n_left) = (0, 0);
    for case in 0..400 {
        let n_classes = 2 + case % 4;
        let data = table(&mut rng, n_classes);
        let learner = Optimal {
            intervals: [Some(2), Some(3), None][case / 4 % 3],
            leaf_cost: ["0", "1/100"][case % 2].parse().unwrap(),
            ..Optimal::default()
        };
        let never = Sizes {
            scouted_rows: usize::MAX,
            ..Sizes::USUAL
        };
        let always = Sizes {
            scouted_rows: 1,
            strip_rows: 1,
            walked_rows: rng.usize(1..100),
            many: rng
                .usize(3..=62)
                .min(data.n_rows() / 2 / data.columns().len()),
            ..Sizes::USUAL
        };
        let losses =
            RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW).unwrap();
        let unsorted = Table::new(&data, &losses, LeafSize::new(&learner, &data));
        let price = learner
            .price(&unsorted, losses.scale, losses.is_whole)
            .unwrap();
        let budget = Budget::unlimited();
        let scouted = learner.scout(&unsorted, price, &budget, always).unwrap();
        n_all += data.columns().len();
        n_left += scouted.features.len();
        let fit = |sizes: Sizes| learner.fit_with(&data, &budget, sizes).unwrap();
        let (expected, found) = (fit(never), fit(always));
        assert_eq!(expected.model, found.model, "case {case}");
        let value = |fit: &Fit<Tree>| {
            let certificate = fit.certificate.as_ref().unwrap();
            (certificate.objective, certificate.lower_bound)
        };
        assert_eq!(value(&expected), value(&found), "case {case}");
        assert_eq!(value(&found).0, value(&found).1, "case {case}");
    }
    assert!(
        10 * n_left < 9 * n_all,
        "{n_left} of {n_all} features were left"
    );
}

//! Rows in an order of which every beginning is a fair part.
//!
//! Rows of each class are put in random order; the one at place `i` of `n` stands at `(i + u) / n`, where `u`
//! is random for each class. Sorted by that, every beginning has its share of every class, to within a
//! row or two. Numbers are put in random order only.

use fastrand::Rng;

use crate::data::{Dataset, Target};

/// The given rows in an order of which every beginning has its share of every class. The same seed gives the
/// same order.
pub fn nested_order(data: &Dataset, rows: &[usize], seed: u64) -> Vec<usize> {
    let mut rng = Rng::with_seed(seed);
    let mut order = rows.to_vec();
    rng.shuffle(&mut order);
    let Target::Classes(classes) = data.target() else {
        return order;
    };
    let n_classes = data.schema().classes().len();
    let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); n_classes];
    for &row in &order {
        of_class[classes[row] as usize].push(row);
    }
    let mut placed: Vec<(f64, usize)> = Vec::with_capacity(rows.len());
    for rows in &of_class {
        let (shift, n) = (rng.f64(), rows.len() as f64);
        let places = rows.iter().enumerate();
        placed.extend(places.map(|(i, &row)| ((i as f64 + shift) / n, row)));
    }
    placed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    placed.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::data::csv::CsvSource;
    use crate::data::{ReadOptions, Task};

    fn table(task: Task) -> Dataset {
        let mut text = String::from("x,class\n");
        for row in 0..100 {
            let class = usize::from(row >= 60) + usize::from(row >= 90);
            writeln!(text, "{row},{class}").unwrap();
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        let options = ReadOptions {
            task,
            ..ReadOptions::default()
        };
        Dataset::read(&source, &options).unwrap()
    }

    #[test]
    fn every_beginning_has_its_share_of_every_class() {
        let data = table(Task::Classification);
        let rows: Vec<usize> = (0..100).collect();
        for seed in 0..20 {
            let order = nested_order(&data, &rows, seed);
            for n in 0..=100 {
                for (class, share) in [(0..60, 0.6), (60..90, 0.3), (90..100, 0.1)] {
                    let found = order[..n].iter().filter(|row| class.contains(*row)).count();
                    let off = found as f64 - share * n as f64;
                    assert!(off.abs() <= 2.0, "{found} of {n}");
                }
            }
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, rows);
            assert_eq!(order, nested_order(&data, &rows, seed));
        }
        assert_ne!(nested_order(&data, &rows, 0), nested_order(&data, &rows, 1));
    }

    #[test]
    fn numbers_are_in_any_order() {
        let data = table(Task::Regression);
        let mut order = nested_order(&data, &[5, 7, 80], 3);
        order.sort_unstable();
        assert_eq!(order, [5, 7, 80]);
    }
}

//! The best trees of rising depths.

use std::time::Duration;

use fastrand::Rng;
use treewright::Budget;
use treewright::data::Task;
use treewright::learn::Learner;
use treewright::learn::optimal::{Optimal, SortedColumns};
use treewright::select::{ByDepth, by_depth};

use super::curve::bundled;
use crate::optimal::small::{random_task, small_table};

fn up_to(depth: usize, table: &str, budget: &Budget) -> ByDepth {
    let learner = Optimal {
        depth,
        ..Optimal::default()
    };
    by_depth(&learner, &bundled(table, Task::Auto), budget).unwrap()
}

#[test]
fn each_is_the_best_of_its_depth() {
    let data = bundled("titanic.csv", Task::Auto);
    let all = up_to(3, "titanic.csv", &Budget::unlimited());
    assert!(!all.stopped);
    assert_eq!(all.fits.len(), 4);
    for (depth, fit) in all.fits.iter().enumerate() {
        let learner = Optimal {
            depth,
            ..Optimal::default()
        };
        let alone = learner.fit(&data, &Budget::unlimited()).unwrap();
        assert_eq!(fit.training.errors, alone.training.errors);
        assert_eq!(fit.certificate, alone.certificate);
    }
    let errors: Vec<f64> = all
        .fits
        .iter()
        .filter_map(|fit| fit.training.errors)
        .collect();
    assert_eq!(errors, [711.0, 493.0, 474.0, 461.0]);
}

#[test]
fn columns_that_are_sorted_once_give_the_same_trees() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let table = small_table(&mut rng, 30, 4);
        let sorted = SortedColumns::new(&table.data);
        for depth in [2, 0, 1, 2, 3] {
            let (learner, _) = random_task(&mut rng, &table.data, depth, 4);
            let alone = learner.fit(&table.data, &Budget::unlimited()).unwrap();
            let shared = learner.fit_sorted(&sorted, &Budget::unlimited()).unwrap();
            assert_eq!(shared.model, alone.model, "{learner:?}\n{table}");
            assert_eq!(
                shared.certificate, alone.certificate,
                "{learner:?}\n{table}"
            );
        }
    }
}

#[test]
fn depths_that_cannot_help_are_left_out() {
    // Features of four, two and two categories, one against the rest: no way has more than five questions.
    let all = up_to(usize::MAX, "titanic.csv", &Budget::unlimited());
    assert_eq!(all.fits.len(), 6);
    assert!(!all.stopped);
}

#[test]
fn a_stopped_search_is_never_worse_with_more_depth() {
    for limit in [0, 5, 40] {
        let budget = Budget::unlimited().with_time_limit(Duration::from_millis(limit));
        let all = up_to(4, "shop.csv", &budget);
        assert!(all.stopped || limit > 0);
        for pair in all.fits.windows(2) {
            assert!(pair[1].training.cost <= pair[0].training.cost);
        }
        for fit in &all.fits {
            let certificate = fit.certificate.as_ref().unwrap();
            assert!(certificate.lower_bound <= certificate.objective);
        }
    }
}

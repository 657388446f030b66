//! The best trees of rising depths.

use std::time::Duration;

use treewright::Budget;
use treewright::data::Task;
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;
use treewright::select::{ByDepth, by_depth};

use crate::curve::bundled;

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
fn depths_that_cannot_help_are_left_out() {
    // Three categorical features: no way has more than three questions.
    let all = up_to(usize::MAX, "titanic.csv", &Budget::unlimited());
    assert_eq!(all.fits.len(), 4);
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

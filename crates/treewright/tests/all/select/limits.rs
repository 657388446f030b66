//! Limits of searches over sets of features and of several depths: what is known when they are stopped holds.

use std::fmt::Write;

use fastrand::Rng;
use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::eval::verify;
use treewright::learn::Greedy;
use treewright::learn::optimal::Optimal;
use treewright::select::{Backward, Complete, Count, Distinct, Estimate, Resampling, by_depth};

fn table(rng: &mut Rng, n_rows: usize) -> Dataset {
    let mut text = "a,b,c,d,class\n".to_owned();
    for _ in 0..n_rows {
        let (a, b, c) = (rng.u32(..9), rng.u32(..30), ["x", "y", ""][rng.usize(..3)]);
        let class = if rng.u32(..4) == 0 {
            rng.u32(..2)
        } else {
            u32::from(a > 4)
        };
        writeln!(text, "{a},{b},{c},{},k{class}", rng.u32(..3)).unwrap();
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

fn greedy() -> Greedy {
    Greedy::default()
}

/// The leaves of the trees of a stream, and what is said of them.
fn streamed(data: &Dataset, budget: &Budget) -> (Vec<usize>, Count) {
    let mut trees = Vec::new();
    let distinct = Distinct::new(greedy());
    let take = |tree| {
        trees.push(tree);
        Ok(())
    };
    let count = distinct.stream(data, None, budget, |met| met.tree().n_leaves(), take);
    (trees, count.unwrap())
}

#[test]
fn distinct_trees_that_are_stopped_are_the_first_ones() {
    let mut rng = Rng::with_seed(41);
    let data = table(&mut rng, 80);
    let (all, whole) = streamed(&data, &Budget::unlimited());
    assert!(whole.complete);
    let mut has_stopped = false;
    for looks in (0..40).chain([100, 1000]) {
        let budget = Budget::unlimited().with_looks(looks);
        let (trees, count) = streamed(&data, &budget);
        assert_eq!(trees, all[..trees.len()]);
        assert_eq!(count.complete, trees.len() == all.len(), "{looks} looks");
        has_stopped |= !count.complete;
        let budget = Budget::unlimited().with_looks(looks);
        let count = Distinct::new(greedy()).count(&data, &budget).unwrap();
        assert!(count.distinct <= whole.distinct);
        assert_eq!(count.complete, count.distinct == whole.distinct);
    }
    assert!(has_stopped);
    let none = Budget::unlimited().with_looks(0);
    assert_eq!(streamed(&data, &none).0.len(), 0);
}

#[test]
fn selections_that_are_stopped_claim_nothing_false() {
    let mut rng = Rng::with_seed(42);
    let folds = Resampling::Folds {
        folds: 3,
        repeats: 1,
        seed: 0,
    };
    for round in 0..6 {
        let data = table(&mut rng, 60);
        let complete = Complete {
            estimate: Estimate::Resampled(folds),
            ..Complete::new(greedy())
        };
        let backward = Backward {
            estimate: Estimate::Resampled(folds),
            plain: round % 2 == 1,
            ..Backward::new(greedy())
        };
        let best = complete.select(&data, &Budget::unlimited()).unwrap();
        assert!(best.proof.is_some_and(|proof| proof.optimal));
        for looks in (0..30).chain([60, 200, 1000]) {
            let budget = || Budget::unlimited().with_looks(looks);
            let case = format!("round {round}, {looks} looks");
            let found = complete.select(&data, &budget()).unwrap();
            let proof = found.proof.unwrap();
            assert!(proof.lower_bound <= best.search_error, "{case}");
            assert!(!(found.search_error < best.search_error), "{case}");
            assert!(
                !proof.optimal || found.search_error == best.search_error,
                "{case}"
            );
            assert!(!(proof.optimal && found.stopped), "{case}");
            let found = backward.select(&data, &budget()).unwrap();
            assert!(!(found.search_error < best.search_error), "{case}");
            // Nothing is known: then all features are selected, and a tree of them can be learned.
            if found.search_error.is_nan() {
                assert!(found.stopped && found.selected == [0, 1, 2, 3], "{case}");
            }
            let fit = found
                .fit(&greedy(), &data, &budget().for_the_rest())
                .unwrap();
            assert!(
                !fit.learner.params.as_json().contains_key("stopped"),
                "{case}"
            );
        }
    }
}

#[test]
fn selections_without_memory_end_at_once() {
    let mut rng = Rng::with_seed(43);
    let data = table(&mut rng, 6000);
    let budget = || Budget::unlimited().with_memory_limit(u64::MAX);
    let whole = Complete::new(greedy()).select(&data, &budget()).unwrap();
    assert!(whole.proof.unwrap().optimal);
    let none = Budget::unlimited().with_time_limit(std::time::Duration::ZERO);
    let found = Complete::new(greedy()).select(&data, &none).unwrap();
    assert!(found.stopped && found.search_error.is_nan());
    assert_eq!(found.proof.unwrap().lower_bound, 0.0);
}

#[test]
fn depths_that_are_stopped_claim_nothing_false() {
    let mut rng = Rng::with_seed(44);
    let data = table(&mut rng, 40);
    let learner = Optimal {
        depth: 3,
        intervals: Some(2),
        ..Optimal::default()
    };
    let whole = by_depth(&learner, &data, &Budget::unlimited()).unwrap();
    assert!(!whole.stopped);
    for looks in (0..40).chain([100, 400]) {
        let budget = Budget::unlimited().with_looks(looks);
        let found = by_depth(&learner, &data, &budget).unwrap();
        for (depth, (fit, best)) in found.fits.iter().zip(&whole.fits).enumerate() {
            let case = format!("depth {depth}, {looks} looks");
            assert!(verify(fit, &data).holds, "{case}");
            let (found, best) = (fit.certificate.as_ref(), best.certificate.as_ref());
            let (found, best) = (found.unwrap(), best.unwrap());
            assert!(found.lower_bound <= best.objective + 1e-12, "{case}");
            assert!(found.objective >= best.objective - 1e-12, "{case}");
        }
    }
}

//! A thread that panics: nobody waits for what it would have done.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Dataset, ReadOptions};
use treewright::learn::dyadic::Dyadic;
use treewright::learn::optimal::Optimal;
use treewright::learn::{FamilyLearner, Greedy, Learner};
use treewright::select::{Backward, Complete, Distinct, Pruned};

/// Numbers without any order, in two classes.
fn noise(n_rows: usize, n_features: usize) -> Dataset {
    let mut rng = fastrand::Rng::with_seed(5);
    let names: Vec<String> = (0..n_features).map(|at| format!("x{at}")).collect();
    let mut text = names.join(",") + ",class\n";
    for _ in 0..n_rows {
        for _ in 0..n_features {
            write!(text, "{},", rng.u32(..1000)).unwrap();
        }
        text += if rng.bool() { "a\n" } else { "b\n" };
    }
    let source = CsvSource::new(text.into_bytes(), b',').unwrap();
    Dataset::read(&source, &ReadOptions::default()).unwrap()
}

/// Runs some work on three threads; does it end by a panic? A wait without end would end the test instead.
fn panics(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap();
        let done = catch_unwind(AssertUnwindSafe(|| pool.install(work)));
        let _ = sender.send(done.is_err());
    });
    let waited = receiver.recv_timeout(Duration::from_secs(120));
    waited.unwrap_or_else(|_| panic!("{name}: somebody waits for a thread that is gone"))
}

#[test]
fn a_thread_that_panics_ends_all_work() {
    type Work = Box<dyn Fn(&Dataset, &Budget) + Send + Sync>;
    let deep = Optimal {
        depth: 3,
        intervals: Some(2),
        ..Optimal::default()
    };
    let works: Vec<(&str, Work)> = vec![
        (
            "optimal",
            Box::new(move |data, budget| drop(deep.fit(data, budget))),
        ),
        (
            "dyadic",
            Box::new(|data, budget| drop(Dyadic::default().fit(data, budget))),
        ),
        (
            "dyadic family",
            Box::new(|data, budget| drop(Dyadic::default().fit_family(data, budget))),
        ),
        (
            "pruned",
            Box::new(|data, budget| drop(Pruned::new(Greedy::default()).fit(data, budget))),
        ),
        (
            "distinct",
            Box::new(|data, budget| drop(Distinct::new(Greedy::default()).count(data, budget))),
        ),
        (
            "a stream of distinct trees",
            Box::new(|data, budget| {
                let distinct = Distinct::new(Greedy::default());
                drop(distinct.stream(data, None, budget, |_| (), |()| Ok(())));
            }),
        ),
        (
            "backward",
            Box::new(|data, budget| drop(Backward::new(Greedy::default()).select(data, budget))),
        ),
        (
            "complete",
            Box::new(|data, budget| drop(Complete::new(Greedy::default()).select(data, budget))),
        ),
    ];
    for (name, work) in works {
        let work = std::sync::Arc::new(work);
        for looks in [0, 5, 40] {
            let work = std::sync::Arc::clone(&work);
            let has_panicked = panics(name, move || {
                let budget = Budget::unlimited().with_panic_after(looks);
                work(&noise(200, 8), &budget);
            });
            // Some are done before that.
            assert!(has_panicked || looks == 40, "{name} after {looks} looks");
        }
    }
}

#[test]
fn whoever_takes_trees_may_panic() {
    let take = || {
        let data = noise(200, 8);
        let distinct = Distinct::new(Greedy::default());
        let budget = Budget::unlimited();
        let made = distinct.stream(
            &data,
            None,
            &budget,
            |_| panic!("a test panics"),
            |()| Ok(()),
        );
        drop(made);
    };
    assert!(panics("distinct", take));
}

//! Choosing a subset of the features, against the trees of every subset by themselves.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fastrand::Rng;
use flate2::read::GzDecoder;
use treewright::Budget;
use treewright::data::csv::CsvSource;
use treewright::data::{Column, Dataset, ReadOptions, Target, TargetKind, Task, read_file};
use treewright::learn::Greedy;
use treewright::select::{
    Backward, Complete, Estimate, FeatureSearch, Proof, Resampling, Selection, Stability,
};

use super::distinct::{any_case, on_one_thread, sparse_case, telling};
use crate::greedy::differential::{cuts, learn};
use crate::reference::subsets::{Judged, Worth, members, rate, worth};
use crate::tables::{Table, assemble, other_rows, with_rows};

/// A table, how its trees grow and how they are judged.
struct Case {
    table: Table,
    params: Greedy,
    estimate: Estimate,
}

impl Case {
    fn random(rng: &mut Rng, at: usize, n_features: usize) -> Self {
        let (table, params) = any_case(rng, at, n_features);
        let estimate = match rng.u8(..4) {
            0 => Estimate::Resampled(Resampling::Holdout {
                share: [0.2, 0.3, 0.5][rng.usize(..3)],
                seed: rng.u64(..),
            }),
            1 => Estimate::Resampled(Resampling::Folds {
                folds: rng.usize(2..=4),
                repeats: [1, 1, 2][rng.usize(..3)],
                seed: rng.u64(..),
            }),
            2 => Estimate::Splits(any_splits(rng, table.data.n_rows())),
            _ => Estimate::Rows(rows_to_judge(rng, &table.data, &params)),
        };
        Self {
            table,
            params,
            estimate,
        }
    }

    /// The rows that build and those that judge, as the estimate deals them.
    fn samples(&self) -> Vec<Judged> {
        let data = &self.table.data;
        match &self.estimate {
            Estimate::Rows(rows) => vec![Judged {
                build: data.clone(),
                held: rows.clone(),
            }],
            Estimate::Splits(splits) => splits
                .iter()
                .map(|(build, held)| Judged {
                    build: data.rows(build),
                    held: data.rows(held),
                })
                .collect(),
            Estimate::Resampled(resampling) => (0..resampling.repeats().unwrap())
                .flat_map(|repeat| {
                    let folds = resampling.deal(data, repeat).unwrap();
                    let sample = |fold| Judged {
                        build: data.rows(&folds.train(fold)),
                        held: data.rows(&folds.test(fold)),
                    };
                    (0..folds.len()).map(sample).collect::<Vec<_>>()
                })
                .collect(),
        }
    }

    fn backward(&self) -> Backward {
        Backward {
            estimate: self.estimate.clone(),
            ..Backward::new(self.params.clone())
        }
    }

    fn complete(&self) -> Complete {
        Complete {
            estimate: self.estimate.clone(),
            ..Complete::new(self.params.clone())
        }
    }

    fn telling(&self, check: impl FnOnce()) {
        let tell = || match &self.estimate {
            Estimate::Resampled(resampling) => format!("{resampling:?}"),
            Estimate::Splits(splits) => format!("{splits:?}"),
            Estimate::Rows(rows) => {
                let data = rows.clone();
                format!("judged by\n{}", Table { data })
            }
        };
        telling(
            || format!("{:?}\n{}{}", self.params, self.table, tell()),
            check,
        );
    }
}

/// Any rows to build from and any to judge by; they may overlap.
fn any_splits(rng: &mut Rng, n_rows: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut rows = || -> Vec<usize> {
        let some = (0..n_rows).filter(|_| rng.u8(..3) > 0).collect::<Vec<_>>();
        if some.is_empty() { vec![0] } else { some }
    };
    [0, 1].map(|_| (rows(), rows())).to_vec()
}

/// Rows of the table, or rows with cells that it has not: missing ones, categories that no row has, numbers
/// beside the cuts.
fn rows_to_judge(rng: &mut Rng, data: &Dataset, params: &Greedy) -> Dataset {
    let n_rows = rng.usize(1..=25);
    let weights = match rng.u8(..3) {
        0 => Some(
            (0..n_rows)
                .map(|_| f64::from(rng.u8(1..=30)) * 0.1)
                .collect(),
        ),
        _ => None,
    };
    if rng.bool() {
        let rows: Vec<usize> = (0..n_rows).map(|_| rng.usize(..data.n_rows())).collect();
        return with_rows(data, &rows, weights);
    }
    let others = other_rows(rng, data, &cuts(&learn(data, params).model), n_rows);
    let n_classes = data.schema().classes().len() as u32;
    let classes = (0..n_rows).map(|_| rng.u32(..n_classes)).collect();
    let columns = others.columns().to_vec();
    let schema = Arc::clone(data.schema());
    Dataset::new(schema, columns, Target::Classes(classes), weights)
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

fn timeless(selection: Selection) -> Selection {
    Selection {
        time: Duration::ZERO,
        ..selection
    }
}

/// The shared search against the plain one; returns what the plain one selected.
fn check_sharing(backward: &Backward, data: &Dataset) -> Selection {
    let plain = Backward {
        plain: true,
        ..backward.clone()
    };
    let plain = plain.select(data, &unlimited()).unwrap();
    let shared = backward.select(data, &unlimited()).unwrap();
    assert_eq!(plain.trees_skipped, 0);
    assert_eq!(shared.trees_built + shared.trees_skipped, plain.trees_built);
    let shared = Selection {
        trees_built: plain.trees_built,
        trees_skipped: 0,
        ..shared
    };
    assert_eq!(timeless(shared), timeless(plain.clone()));
    plain
}

/// Takes features away by the rule, word for word: selected, unused, removed, and the last error.
fn eliminate(samples: &[Judged], params: &Greedy, n_features: usize) -> Selection {
    let mut left: Vec<usize> = (0..n_features).collect();
    let mut removed = Vec::new();
    let mut now = worth(samples, params, &left);
    let all_features_error = rate(samples, now.error);
    let mut sets_built = 1;
    loop {
        sets_built += left.len();
        let without = |feature: usize| -> Vec<usize> {
            let others = left.iter().copied().filter(|&other| other != feature);
            others.collect()
        };
        let tried = left
            .iter()
            .map(|&feature| (worth(samples, params, &without(feature)).error, feature));
        match tried.min() {
            Some((error, feature)) if error < now.error => {
                // It was used: else nothing would have changed.
                assert!(now.used.contains(&feature));
                left = without(feature);
                removed.push(feature);
                now = worth(samples, params, &left);
            }
            _ => break,
        }
    }
    Selection {
        unused: left.into_iter().filter(|x| !now.used.contains(x)).collect(),
        search_error: rate(samples, now.error),
        selected: now.used,
        removed,
        all_features_error,
        trees_built: (sets_built * samples.len()) as u64,
        trees_skipped: 0,
        proof: None,
        stopped: false,
        time: Duration::ZERO,
    }
}

#[test]
fn sharing_changes_nothing_about_backward_elimination() {
    on_one_thread(|| {
        let mut rng = Rng::with_seed(1);
        let mut n_removed = 0;
        for at in 0..700 {
            let n_features = if at % 140 == 0 { 70 } else { rng.usize(1..=12) };
            let case = Case::random(&mut rng, at, n_features);
            let mut backward = case.backward();
            if rng.u8(..3) == 0 {
                backward.most_bytes = [0, rng.usize(..20_000)][rng.usize(..2)];
            }
            case.telling(|| {
                let data = &case.table.data;
                let selection = check_sharing(&backward, data);
                n_removed += selection.removed.len();
                if at % 3 == 0 && n_features <= 12 {
                    let expected = eliminate(&case.samples(), &case.params, n_features);
                    assert_eq!(timeless(selection), expected);
                }
            });
        }
        assert!(n_removed > 300, "only {n_removed} features removed");
    });
}

#[test]
fn sharing_changes_nothing_about_backward_elimination_on_known_tables() {
    let Ok(folder) = std::env::var("TREEWRIGHT_DATA") else {
        eprintln!("skipped: TREEWRIGHT_DATA is not set");
        return;
    };
    for name in ["ionosphere", "soybean", "anneal", "hypothyroid"] {
        let source = CsvSource::new(read_table(Path::new(&folder), name), b',').unwrap();
        let options = ReadOptions {
            task: Task::Classification,
            ..ReadOptions::default()
        };
        let data = Dataset::read(&source, &options).unwrap();
        let selection = check_sharing(&Backward::new(Greedy::default()), &data);
        assert!(selection.search_error <= selection.all_features_error);
    }
}

/// A table of the folder, packed or not.
fn read_table(folder: &Path, name: &str) -> Vec<u8> {
    let plain = folder.join(format!("{name}.csv"));
    if plain.exists() {
        return read_file(&plain).unwrap();
    }
    let packed = std::fs::File::open(folder.join(format!("{name}.csv.gz"))).unwrap();
    let mut text = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut text).unwrap();
    text
}

/// The worth of every subset, by its bits.
fn all_worths(case: &Case, samples: &[Judged]) -> Vec<Worth> {
    let n_features = case.table.data.columns().len();
    let masks = 0..1_usize << n_features;
    masks
        .map(|mask| worth(samples, &case.params, &members(mask)))
        .collect()
}

/// What is known of a case without any search.
struct Known {
    n_features: usize,
    n_samples: u64,
    best: Worth,
    best_rate: f64,
    all_rate: f64,
}

impl Known {
    fn of(case: &Case) -> Self {
        let samples = case.samples();
        let worths = all_worths(case, &samples);
        let best = worths.iter().min().unwrap().clone();
        Self {
            n_features: case.table.data.columns().len(),
            n_samples: samples.len() as u64,
            best_rate: rate(&samples, best.error),
            all_rate: rate(&samples, worths.last().unwrap().error),
            best,
        }
    }

    /// What holds for any search, finished or not.
    fn check(&self, selection: &Selection) {
        let Self {
            n_features,
            n_samples,
            best_rate,
            ..
        } = *self;
        let proof = selection.proof.unwrap();
        assert!(proof.lower_bound <= best_rate);
        if selection.search_error.is_nan() {
            // Stopped before any tree was judged.
            assert!(selection.stopped && !proof.optimal && selection.removed.is_empty());
            return;
        }
        assert!(best_rate <= selection.search_error);
        // The promise holds for the ties, too.
        if proof.optimal {
            assert_eq!(selection.search_error, best_rate);
            assert_eq!(selection.selected, self.best.used);
        }
        assert!(selection.search_error <= selection.all_features_error);
        assert_eq!(selection.all_features_error, self.all_rate);
        assert!(selection.unused.is_empty());
        let is_removed = |feature: &usize| !selection.selected.contains(feature);
        let removed: Vec<usize> = (0..n_features).filter(is_removed).collect();
        assert_eq!(selection.removed, removed);
        let all = n_samples << n_features;
        let sum = selection.trees_built + selection.trees_skipped;
        assert_eq!(sum, all);
    }

    /// What holds for a search that came to its end.
    fn check_optimal(&self, selection: &Selection) {
        self.check(selection);
        let proof = Proof {
            optimal: true,
            lower_bound: self.best_rate,
        };
        assert_eq!(selection.proof, Some(proof));
        assert_eq!(selection.search_error, self.best_rate);
        assert_eq!(selection.selected, self.best.used);
        assert!(!selection.stopped);
    }
}

#[test]
fn complete_search_finds_the_best_of_all_subsets() {
    on_one_thread(|| {
        let mut rng = Rng::with_seed(2);
        let mut n_better = 0;
        for at in 0..700 {
            let n_features = rng.usize(1..=7);
            let case = Case::random(&mut rng, at, n_features);
            let data = &case.table.data;
            case.telling(|| {
                let known = Known::of(&case);
                let mut complete = case.complete();
                for look_through in 0..4 {
                    complete.look_through = look_through;
                    let selection = complete.select(data, &unlimited()).unwrap();
                    known.check_optimal(&selection);
                }
                complete.look_through = rng.usize(..4);
                complete.most_bytes = [0, rng.usize(..20_000)][rng.usize(..2)];
                let selection = complete.select(data, &unlimited()).unwrap();
                known.check_optimal(&selection);
                let backward = case.backward().select(data, &unlimited()).unwrap();
                assert!(known.best_rate <= backward.search_error);
                n_better += u32::from(known.best_rate < backward.search_error);
            });
        }
        assert!(n_better > 20, "backward elimination is mostly best");
    });
}

/// Sets of features take several words.
#[test]
fn complete_search_is_not_misled_by_constant_features() {
    let mut rng = Rng::with_seed(7);
    for at in 0..40 {
        let n_features = [63, 64, 65, 130, 513][at % 5];
        let (table, params, places) = sparse_case(&mut rng, at, n_features);
        let estimate = Estimate::default();
        let case = Case {
            table,
            params,
            estimate,
        };
        case.telling(|| {
            let samples = case.samples();
            let sets = (0..1_usize << places.len()).map(members);
            let worths = sets.map(|set| {
                let set: Vec<usize> = set.into_iter().map(|at| places[at]).collect();
                worth(&samples, &case.params, &set)
            });
            let best = worths.min().unwrap();
            let selection = case.complete().select(&case.table.data, &unlimited());
            let selection = selection.unwrap();
            assert_eq!(selection.selected, best.used);
            assert_eq!(selection.search_error, rate(&samples, best.error));
            assert!(selection.proof.unwrap().optimal);
        });
    }
}

/// A tree may be deeper than anything may go down on the stack.
#[test]
fn complete_search_copes_with_deep_trees() {
    let n_rows = 3000;
    let comb = (0..n_rows).map(f64::from).collect();
    let coarse = (0..n_rows).map(|row| f64::from(row % 7)).collect();
    let columns = vec![
        Column::Numeric(coarse),
        Column::Numeric(comb),
        Column::Numeric((0..n_rows).map(|row| f64::from(row / 100)).collect()),
    ];
    let classes = (0..n_rows as u32).map(|row| row % 2).collect();
    let names = ["even", "odd"].map(String::from).to_vec();
    let target = (TargetKind::Classes(names), Target::Classes(classes));
    let mut rng = Rng::with_seed(8);
    let table = assemble(&mut rng, columns, target, None);
    let rows: Vec<usize> = (0..n_rows as usize).step_by(3).collect();
    let case = Case {
        params: Greedy::default(),
        estimate: Estimate::Rows(with_rows(&table.data, &rows, None)),
        table,
    };
    let known = Known::of(&case);
    let depth = learn(&case.table.data, &case.params).model.depth();
    assert!(depth > 1000, "depth {depth}");
    for look_through in 0..4 {
        let complete = Complete {
            look_through,
            ..case.complete()
        };
        let selection = complete.select(&case.table.data, &unlimited()).unwrap();
        known.check_optimal(&selection);
    }
}

#[test]
fn a_search_within_some_error_keeps_its_promise() {
    on_one_thread(|| {
        let mut rng = Rng::with_seed(3);
        let mut n_worse = 0;
        for at in 0..300 {
            let n_features = rng.usize(3..=7);
            let case = Case::random(&mut rng, at, n_features);
            let data = &case.table.data;
            case.telling(|| {
                let known = Known::of(&case);
                for within in [1e-9, 0.02, 0.05, 0.1, 0.125, 0.3, 1e300] {
                    let complete = Complete {
                        within,
                        look_through: rng.usize(..4),
                        ..case.complete()
                    };
                    let selection = complete.select(data, &unlimited()).unwrap();
                    known.check(&selection);
                    assert!(!selection.stopped);
                    // Rates are rounded, the search is not.
                    let largest = known.best_rate + within + 1e-12;
                    assert!(selection.search_error <= largest, "within {within}");
                    n_worse += u32::from(selection.search_error > known.best_rate);
                    let lower_bound = selection.proof.unwrap().lower_bound;
                    assert!(lower_bound >= selection.search_error - within - 1e-12);
                }
            });
        }
        assert!(n_worse > 20, "only {n_worse} searches took the liberty");
    });
}

#[test]
fn a_search_that_was_stopped_proves_nothing_false() {
    on_one_thread(|| {
        let mut rng = Rng::with_seed(4);
        let (mut n_stopped, mut n_open) = (0, 0);
        for at in 0..150 {
            let n_features = rng.usize(6..=8);
            let mut case = Case::random(&mut rng, at, n_features);
            // Large trees, so that there is much to search.
            (case.params.max_depth, case.params.min_gain) = (None, 0.0);
            let data = &case.table.data;
            case.telling(|| {
                let known = Known::of(&case);
                let budgets = [
                    unlimited().with_time_limit(Duration::ZERO),
                    unlimited().with_interrupt(Arc::new(AtomicBool::new(true))),
                    unlimited().with_time_limit(Duration::from_micros(rng.u64(..3000))),
                ];
                for budget in budgets {
                    let complete = Complete {
                        within: [0.0, 0.0, 0.02][rng.usize(..3)],
                        look_through: rng.usize(..3),
                        ..case.complete()
                    };
                    let selection = complete.select(data, &budget).unwrap();
                    known.check(&selection);
                    n_stopped += u32::from(selection.stopped);
                    n_open += u32::from(!selection.proof.unwrap().optimal);
                }
                let spent = unlimited().with_time_limit(Duration::ZERO);
                let selection = case.backward().select(data, &spent).unwrap();
                assert!(selection.stopped || selection.selected.is_empty());
                assert!(selection.removed.is_empty());
                assert_eq!(selection.search_error, known.all_rate);
            });
        }
        assert!(
            n_stopped > 10 && n_open > 10,
            "{n_stopped} stopped, {n_open} open"
        );
    });
}

#[test]
fn a_promise_that_makes_no_sense_is_refused() {
    let mut rng = Rng::with_seed(5);
    let case = Case::random(&mut rng, 0, 3);
    for within in [-0.1, f64::NAN, f64::INFINITY] {
        let complete = Complete {
            within,
            ..case.complete()
        };
        let selection = complete.select(&case.table.data, &unlimited());
        assert!(selection.is_err(), "{within}");
    }
}

/// Frequencies and the figure of Nogueira, Sechidis and Brown from the selections themselves.
#[test]
fn stability_is_what_its_formula_says() {
    let mut rng = Rng::with_seed(6);
    for at in 0..30 {
        let n_features = rng.usize(2..=6);
        let (table, params) = any_case(&mut rng, at, n_features);
        telling(
            || format!("{params:?}\n{table}"),
            || {
                let stability = Stability {
                    resamples: rng.usize(2..=6),
                    seed: rng.u64(..),
                    ..Stability::default()
                };
                let backward = Backward::new(params.clone());
                let select = |data: &Dataset, budget: &Budget| backward.select(data, budget);
                let report = stability.assess(&table.data, &unlimited(), select).unwrap();
                let m = report.selections.len() as f64;
                assert_eq!(report.selections.len(), stability.resamples);
                let d = n_features as f64;
                let (mut k, mut variance) = (0.0, 0.0);
                for feature in 0..n_features {
                    let has = |selection: &&Selection| selection.selected.contains(&feature);
                    let p = report.selections.iter().filter(has).count() as f64 / m;
                    assert!((report.frequency[feature] - p).abs() < 1e-12);
                    k += p;
                    variance += p * (1.0 - p) * m / (m - 1.0) / d;
                }
                let chance = k / d * (1.0 - k / d);
                let figure = report.stability.unwrap();
                if chance > 1e-9 {
                    assert!((figure - (1.0 - variance / chance)).abs() < 1e-9);
                } else {
                    assert_eq!(figure, 1.0);
                }
            },
        );
    }
}

/// A search of either kind returns the features that it selects on its own, and the tree over them.
#[test]
fn a_search_learns_the_tree_over_the_features_that_it_selects() {
    let mut rng = Rng::with_seed(7);
    for at in 0..30 {
        let n_features = rng.usize(2..=5);
        let case = Case::random(&mut rng, at, n_features);
        let data = &case.table.data;
        let expected = [
            case.backward().select(data, &unlimited()).unwrap(),
            case.complete().select(data, &unlimited()).unwrap(),
        ];
        let searches = [
            FeatureSearch::Backward(case.backward()),
            FeatureSearch::Complete(case.complete()),
        ];
        for (search, expected) in searches.into_iter().zip(expected) {
            let (found, fit) = search.fit(data, &unlimited(), None).unwrap();
            assert!(!found.is_stopped() && found.stability.is_none());
            let tree = expected.fit(search.greedy(), data, &unlimited()).unwrap();
            assert_eq!(fit.model, tree.model);
            assert_eq!(timeless(found.selection), timeless(expected));
        }
    }
}

//! Distinct trees over subsets of the features, and selection of features.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treewright::learn::Greedy;
use treewright::select::{
    Backward, Complete, Count, Distinct, Estimate, Order, Resampling, Selection, Stability,
    StabilityReport,
};
use treewright::tree::{Fit, LearnerInfo, LearnerKind, Params, Training, Tree};
use treewright::{Budget, Error};

use crate::errors::{caught, guarded, named, raised};
use crate::learners::GreedyParams;
use crate::model::Model;
use crate::running::{Limits, Outcome};
use crate::table::{Rows, Table};

/// Trees that wait to be taken.
const TREES_AHEAD: usize = 64;
/// This part of the time is kept for the tree of a selection.
const SHARE_OF_TREE: u32 = 10;
/// How often signals are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The distinct trees, one after the other, as a thread in the background finds them.
#[pyclass(frozen, module = "treewright._native")]
pub(crate) struct DistinctTrees {
    trees: Mutex<Option<Receiver<Tree>>>,
    search: Mutex<Search>,
    stop: Arc<AtomicBool>,
    rows: Arc<Rows>,
    /// The process that the thread lives in: a fork has none.
    process: u32,
}

/// The thread, and what came of it.
enum Search {
    Runs(JoinHandle<PyResult<Count>>),
    Ended(Option<Count>),
}

#[pymethods]
impl DistinctTrees {
    #[new]
    #[pyo3(signature = (table, params, order, limit, limits))]
    fn new(
        table: &Table,
        params: GreedyParams,
        order: &str,
        limit: Option<u64>,
        limits: Limits,
    ) -> PyResult<Self> {
        guarded(|| Self::begun(table, &params, order, limit, &limits))
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Model>> {
        self.refuse_forks()?;
        loop {
            let received = py.detach(|| {
                let trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
                match &*trees {
                    None => Err(RecvTimeoutError::Disconnected),
                    Some(trees) => trees.recv_timeout(LOOK_EVERY),
                }
            });
            match received {
                Ok(tree) => return guarded(|| Ok(Some(self.model(tree)))),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    self.end(py)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Ends the search.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.refuse_forks()?;
        self.stop.store(true, Ordering::Relaxed);
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        let was_open = trees.take().is_some();
        drop(trees);
        match self.end(py) {
            // It ended because nobody wanted more.
            Err(_) if was_open => Ok(()),
            ended => ended,
        }
    }

    /// What was found until the end: distinct, built, by size, complete, seconds. `None` before.
    #[getter]
    fn count<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let Search::Ended(Some(count)) = &*search else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("features", count.n_features)?;
        dict.set_item("distinct", count.distinct)?;
        dict.set_item("built", count.built)?;
        dict.set_item("by_size", &count.by_size)?;
        dict.set_item("complete", count.complete)?;
        dict.set_item("seconds", count.time.as_secs_f64())?;
        Ok(Some(dict))
    }
}

impl DistinctTrees {
    fn begun(
        table: &Table,
        params: &GreedyParams,
        order: &str,
        limit: Option<u64>,
        limits: &Limits,
    ) -> PyResult<Self> {
        let orders = [
            ("frontier", Order::Frontier),
            ("reverse", Order::Reverse),
            ("index", Order::Index),
        ];
        let mut distinct = Distinct::new(params.learner(table)?);
        distinct.order = named("order", order, &orders)?;
        distinct.most_bytes = shared(limits, distinct.most_bytes);
        let stop = Arc::new(AtomicBool::new(false));
        let budget = limits.budget(&stop)?;
        let pool = limits.pool()?;
        let (sender, receiver) = sync_channel(TREES_AHEAD);
        let rows = table.rows();
        let searched = table.rows();
        let work = move || -> treewright::Result<Count> {
            #[expect(
                clippy::redundant_closure_for_method_calls,
                reason = "the method is not general enough in its lifetimes"
            )]
            // A stream of several threads, or one by one: the same trees in the same order.
            pool.install(|| {
                distinct.stream(
                    rows.data(),
                    limit,
                    &budget,
                    |met| met.tree(),
                    |tree| match sender.send(tree) {
                        Ok(()) => Ok(()),
                        Err(_) => Err(Error::io("nobody wants more trees")),
                    },
                )
            })
        };
        let thread = std::thread::Builder::new().spawn(move || {
            let count = caught(work)?.map_err(|error| raised(&error))?;
            searched.refuse_changes()?;
            Ok(count)
        })?;
        Ok(Self {
            trees: Mutex::new(Some(receiver)),
            search: Mutex::new(Search::Runs(thread)),
            stop,
            rows: table.rows(),
            process: std::process::id(),
        })
    }

    /// The thread stays behind when a process forks.
    fn refuse_forks(&self) -> PyResult<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        let what = "the search for trees runs in the process that began it, not in a fork of it";
        Err(PyRuntimeError::new_err(what))
    }

    /// Waits for the thread.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = match std::mem::replace(&mut *search, Search::Ended(None)) {
            Search::Runs(thread) => thread,
            ended @ Search::Ended(_) => {
                *search = ended;
                return Ok(());
            }
        };
        match py.detach(|| thread.join()) {
            Ok(Ok(count)) => {
                *search = Search::Ended(Some(count));
                Ok(())
            }
            Ok(Err(error)) => Err(error),
            Err(_) => Err(PyRuntimeError::new_err(
                "this is a bug of treewright: the search ended without a result",
            )),
        }
    }

    fn model(&self, tree: Tree) -> Model {
        let training = Training::of_leaves(&tree, self.rows.data());
        let fit = Fit {
            model: tree,
            learner: LearnerInfo {
                kind: LearnerKind::Greedy,
                params: Params::default(),
            },
            training,
            certificate: None,
        };
        fit.into()
    }
}

impl Drop for DistinctTrees {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let trees = self.trees.get_mut();
        trees.unwrap_or_else(PoisonError::into_inner).take();
        let search = self.search.get_mut();
        let search = search.unwrap_or_else(PoisonError::into_inner);
        if let Search::Runs(thread) = std::mem::replace(search, Search::Ended(None))
            && std::process::id() == self.process
        {
            // It needs nothing of the interpreter.
            let _ = thread.join();
        }
    }
}

/// Parameters of a selection of features.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SelectParams {
    /// Folds, or `None` for a part that is held out.
    cv: Option<usize>,
    /// Rows that build trees and rows that judge them, instead.
    splits: Option<Vec<(Vec<usize>, Vec<usize>)>>,
    repeats: usize,
    holdout: f64,
    seed: u64,
    plain: bool,
    within: f64,
    resamples: Option<usize>,
}

impl SelectParams {
    fn estimate(&self, table: &Table) -> Estimate {
        let seed = self.seed;
        if let Some(splits) = &self.splits {
            let known = |rows: &[usize]| table.places(rows);
            let splits = splits.iter();
            let known = splits.map(|(build, held)| (known(build), known(held)));
            return Estimate::Splits(known.collect());
        }
        Estimate::Resampled(match self.cv {
            None => Resampling::Holdout {
                share: self.holdout,
                seed,
            },
            Some(folds) => Resampling::Folds {
                folds,
                repeats: self.repeats,
                seed,
            },
        })
    }
}

/// What a selection found: the features, the tree over them, and perhaps how much it depends on the rows.
type Selected = (Selection, Fit, Option<StabilityReport>);

/// Takes features away while the error falls.
#[pyfunction]
pub(crate) fn select_backward<'py>(
    py: Python<'py>,
    table: &Table,
    params: GreedyParams,
    select: SelectParams,
    limits: Limits,
) -> PyResult<Outcome<(Bound<'py, PyDict>, Model)>> {
    guarded(|| {
        let usual = Backward::new(params.learner(table)?);
        let backward = Backward {
            estimate: select.estimate(table),
            plain: select.plain,
            most_bytes: shared(&limits, usual.most_bytes),
            ..usual
        };
        let run = |data: &_, budget: &Budget| backward.select(data, budget);
        selected(py, table, &backward.greedy, &select, &limits, run)
    })
}

/// Finds the best subset of the features.
#[pyfunction]
pub(crate) fn select_complete<'py>(
    py: Python<'py>,
    table: &Table,
    params: GreedyParams,
    select: SelectParams,
    limits: Limits,
) -> PyResult<Outcome<(Bound<'py, PyDict>, Model)>> {
    guarded(|| {
        let usual = Complete::new(params.learner(table)?);
        let complete = Complete {
            estimate: select.estimate(table),
            within: select.within,
            most_bytes: shared(&limits, usual.most_bytes),
            ..usual
        };
        let run = |data: &_, budget: &Budget| complete.select(data, budget);
        selected(py, table, &complete.greedy, &select, &limits, run)
    })
}

/// Memory for what trees share: the rows, the sorted lists and the tree in hand need their part, too.
fn shared(limits: &Limits, usual: usize) -> usize {
    limits
        .memory_limit
        .map_or(usual, |_| limits.most_bytes() / 2)
}

fn selected<'py>(
    py: Python<'py>,
    table: &Table,
    greedy: &Greedy,
    select: &SelectParams,
    limits: &Limits,
    run: impl Fn(&treewright::data::Dataset, &Budget) -> treewright::Result<Selection> + Sync + Send,
) -> PyResult<Outcome<(Bound<'py, PyDict>, Model)>> {
    let data = table.data();
    let stability = select.resamples.map(|resamples| Stability {
        resamples,
        seed: select.seed,
        ..Stability::default()
    });
    let work = |budget: &Budget| -> treewright::Result<Selected> {
        // The tree needs time, too.
        let for_tree = budget.left().unwrap_or_default() / SHARE_OF_TREE;
        let selection = run(data, &budget.keeping(for_tree))?;
        let fit = selection.fit(greedy, data, &budget.for_the_rest())?;
        let report = stability.map(|stability| stability.assess(data, budget, &run));
        Ok((selection, fit, report.transpose()?))
    };
    let ((selection, mut fit, report), exception) = limits.run(py, table, work)?;
    table.remember(&mut fit.learner);
    let dict = PyDict::new(py);
    dict.set_item("selected", &selection.selected)?;
    dict.set_item("unused", &selection.unused)?;
    dict.set_item("removed", &selection.removed)?;
    dict.set_item("search_error", selection.search_error)?;
    dict.set_item("all_features_error", selection.all_features_error)?;
    dict.set_item("trees_built", selection.trees_built)?;
    dict.set_item("trees_skipped", selection.trees_skipped)?;
    if let Some(proof) = &selection.proof {
        dict.set_item("optimal", proof.optimal)?;
        dict.set_item("lower_bound", proof.lower_bound)?;
    }
    dict.set_item("stopped", selection.stopped)?;
    dict.set_item("seconds", selection.time.as_secs_f64())?;
    if let Some(report) = report {
        dict.set_item("frequency", report.frequency)?;
        dict.set_item("stability", report.stability)?;
        dict.set_item("resamples", report.selections.len())?;
    }
    Ok(((dict, fit.into()), exception))
}

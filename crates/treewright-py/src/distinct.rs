//! Distinct trees over subsets of the features, found in the background.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treewright::Error;
use treewright::select::{Count, Distinct, Order, shared_bytes};
use treewright::tree::{Fit, LearnerInfo, LearnerKind, Params, Training, Tree};

use crate::errors::{caught, guarded, named, raised};
use crate::learners::GreedyParams;
use crate::model::Model;
use crate::running::Limits;
use crate::table::{Rows, Table};

/// Trees that wait to be taken.
const TREES_AHEAD: usize = 64;
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
        distinct.most_bytes = shared_bytes(limits.memory_limit, distinct.most_bytes);
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

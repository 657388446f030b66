//! Work without the interpreter's lock: other Python threads run meanwhile, Ctrl-C stops the work, and
//! a caller can watch it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use treewright::Budget;

use crate::errors::{caught, raised, refused};
use crate::table::Table;

/// How often signals are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// More threads than this would only cost memory.
const MOST_THREADS: usize = 256;
/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// How much work may take, and who watches it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Limits {
    /// Number of threads; 0 is one for each core.
    n_jobs: usize,
    /// Seconds.
    time_limit: Option<f64>,
    /// Bytes.
    pub(crate) memory_limit: Option<u64>,
    /// Called with units done, units in all (0 while unknown) and what else there is to say.
    progress: Option<Py<PyAny>>,
}

/// What came of the work, and the exception that ended it early, if one did.
pub(crate) type Outcome<T> = (T, Option<Py<PyAny>>);

impl Limits {
    /// Memory that a search may use.
    pub(crate) fn most_bytes(&self) -> usize {
        let most = self.memory_limit.map(usize::try_from);
        most.map_or(usize::MAX, |most| most.unwrap_or(usize::MAX))
    }

    /// The limits of work that begins now.
    pub(crate) fn budget(&self, flag: &Arc<AtomicBool>) -> PyResult<Budget> {
        let budget = Budget::unlimited().with_interrupt(Arc::clone(flag));
        let budget = match self.memory_limit {
            Some(bytes) => budget.with_memory_limit(bytes),
            None => budget.within_addresses(),
        };
        let Some(seconds) = self.time_limit else {
            return Ok(budget);
        };
        match Duration::try_from_secs_f64(seconds) {
            Ok(limit) => Ok(budget.with_time_limit(limit)),
            // Longer than anything can be told apart from.
            Err(_) if seconds > 0.0 => Ok(budget),
            Err(_) => Err(refused(
                "time_limit",
                seconds,
                "a number of seconds that is not negative",
            )),
        }
    }

    pub(crate) fn pool(&self) -> PyResult<rayon::ThreadPool> {
        const STACK: usize = 8 << 20;
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.n_jobs.min(MOST_THREADS))
            .stack_size(STACK)
            .build()
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// Runs `work` on threads of its own. An exception (Ctrl-C, or one of the progress function) stops it;
    /// what it has until then comes back together with the exception. A panic is a `RuntimeError`, and so is
    /// a table that was written into meanwhile.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        table: &Table,
        work: impl FnOnce(&Budget) -> treewright::Result<T> + Send,
    ) -> PyResult<Outcome<T>> {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = self.budget(&flag)?;
        let pool = self.pool()?;
        let (sender, mut receiver) = sync_channel(1);
        let worker_budget = budget.clone();
        std::thread::scope(|scope| {
            // It owns its end of the channel: however it ends, nobody waits for it.
            std::thread::Builder::new().spawn_scoped(scope, move || {
                let done = caught(|| pool.install(|| work(&worker_budget)));
                let changed = caught(|| pool.install(|| table.refuse_changes()));
                // That somebody wrote into the table explains everything else.
                let done = changed.and_then(|changed| changed).and(done);
                // Nobody listens any more only if the other thread has panicked.
                let _ = sender.send(done);
            })?;
            let mut exception: Option<PyErr> = None;
            let mut told = Instant::now();
            let result = loop {
                let waiting = &mut receiver;
                match py.detach(move || waiting.recv_timeout(LOOK_EVERY)) {
                    Ok(result) => break result,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        let what = "this is a bug of treewright: the work ended without a result";
                        break Err(PyRuntimeError::new_err(what));
                    }
                }
                if exception.is_some() {
                    continue;
                }
                let looked = py.check_signals().and_then(|()| {
                    if told.elapsed() < TELL_EVERY {
                        return Ok(());
                    }
                    told = Instant::now();
                    self.tell(py, &budget)
                });
                if let Err(error) = looked {
                    flag.store(true, Ordering::Relaxed);
                    exception = Some(error);
                }
            };
            let done = result.and_then(|done| done.map_err(|error| raised(&error)));
            match (done, exception) {
                (Ok(done), exception) => {
                    let exception = exception.map(|error| error.into_value(py).into_any());
                    Ok((done, exception))
                }
                (Err(_), Some(exception)) => Err(exception),
                (Err(error), None) => Err(error),
            }
        })
    }

    fn tell(&self, py: Python<'_>, budget: &Budget) -> PyResult<()> {
        if let Some(progress) = &self.progress {
            let (done, total) = budget.progress().read();
            progress.call1(py, (done, total, budget.progress().news()))?;
        }
        Ok(())
    }
}

/// For the tests: work that panics, in a thread of the pool or in the one that waits for it.
#[pyfunction]
pub(crate) fn panic_for_tests(
    py: Python<'_>,
    table: &Table,
    in_pool: bool,
    limits: Limits,
) -> PyResult<Outcome<()>> {
    limits.run(py, table, |_| {
        if in_pool {
            rayon::join(|| panic!("a test panics"), || ());
        }
        panic!("a test panics")
    })
}

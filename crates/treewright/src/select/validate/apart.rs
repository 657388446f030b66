//! Several pieces of work at once that share no thread.
//!
//! Within one pool, a thread that waits for a part of its own work takes up any other work meanwhile, and the
//! time of a small fit may contain a large one. With a pool for each worker a fit has its time to itself.

use std::thread;

/// Runs the same worker several times at once, as often as there are threads, but not more often than there
/// are tasks. Threads that are left over are shared out among the workers.
pub(super) fn run(n_tasks: u64, worker: &(dyn Fn() + Sync)) {
    let n_threads = rayon::current_num_threads().max(1);
    let n_workers = usize::try_from(n_tasks).map_or(n_threads, |tasks| tasks.clamp(1, n_threads));
    if n_workers == 1 {
        return worker();
    }
    let pool_of = |place: usize| {
        let one_more = usize::from(place < n_threads % n_workers);
        rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads / n_workers + one_more)
            .build()
            .ok()
    };
    // Fewer pools than wanted still do all the work, and so does the caller if there are none at all.
    let pools: Vec<rayon::ThreadPool> = (0..n_workers).map_while(pool_of).collect();
    if pools.is_empty() {
        return worker();
    }
    thread::scope(|scope| {
        let mut n_started = 0;
        for pool in &pools {
            let thread = thread::Builder::new();
            let started = thread.spawn_scoped(scope, || pool.install(worker));
            n_started += usize::from(started.is_ok());
        }
        // Tasks wait for whoever takes them: some workers are enough, and if there are none it is this thread.
        if n_started == 0 {
            worker();
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// How many threads each worker has.
    fn threads_of_workers(n_threads: usize, n_tasks: u64) -> Vec<usize> {
        let seen = Mutex::new(Vec::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads);
        pool.build().unwrap().install(|| {
            run(n_tasks, &|| {
                seen.lock().unwrap().push(rayon::current_num_threads());
            });
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        seen
    }

    #[test]
    fn workers_share_the_threads_out() {
        assert_eq!(threads_of_workers(1, 10), [1]);
        assert_eq!(threads_of_workers(3, 10), [1, 1, 1]);
        assert_eq!(threads_of_workers(5, 3), [1, 2, 2]);
        assert_eq!(threads_of_workers(4, 1), [4]);
        assert_eq!(threads_of_workers(2, u64::MAX), [1, 1]);
    }
}

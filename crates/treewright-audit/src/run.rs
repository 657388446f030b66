//! Many cases, on several threads, in an order that does not matter.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::judge::{Judged, Verdict, judge};
use crate::shrink::shrunk;
use crate::table::kinds::Kind;
use crate::tally::Tally;

/// What is drawn.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many tables.
    pub tables: u64,
    /// Where the seeds of the cases begin.
    pub seed: u64,
    /// Only tables of this kind.
    pub kind: Option<Kind>,
    /// Only this learner.
    pub job: Option<String>,
    /// On this many threads.
    pub workers: usize,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The counts.
    pub tally: Tally,
    /// The cases that were refuted, made smaller, by seed.
    pub failures: Vec<(Case, Verdict)>,
}

/// This many failures are made smaller; further ones are counted.
const MOST_FAILURES: usize = 40;
/// Whoever works longer than this on one case is named.
const PATIENCE: Duration = Duration::from_secs(60);

/// The seed of a case: readable, and different for different runs.
pub fn seed_of(seed: u64, at: u64) -> u64 {
    seed.wrapping_mul(1_000_000_000).wrapping_add(at)
}

/// Draws and judges all cases of a plan. `watch` sees each case that was judged.
pub fn run(plan: &Plan, watch: &(dyn Fn(&Case, &Judged) + Sync)) -> Outcome {
    let next = AtomicU64::new(0);
    let is_done = AtomicBool::new(false);
    let outcome = Mutex::new(Outcome::default());
    let busy: Vec<Mutex<Option<(u64, Instant)>>> =
        (0..plan.workers).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = busy
            .iter()
            .map(|busy| scope.spawn(|| work(plan, &next, busy, &outcome, watch)))
            .collect();
        scope.spawn(|| name_the_slow(&busy, &is_done));
        for worker in workers {
            // A panic of a learner is a verdict; any other is a mistake of the audit.
            if worker.join().is_err() {
                eprintln!("audit: a worker ended early");
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.failures.sort_by_key(|(case, _)| case.seed);
    outcome
}

fn work(
    plan: &Plan,
    next: &AtomicU64,
    busy: &Mutex<Option<(u64, Instant)>>,
    outcome: &Mutex<Outcome>,
    watch: &(dyn Fn(&Case, &Judged) + Sync),
) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= plan.tables {
            return;
        }
        let seed = seed_of(plan.seed, at);
        *lock(busy) = Some((seed, Instant::now()));
        let case = Case::draw(seed, plan.kind, plan.job.as_deref());
        let judged = judge(&case);
        watch(&case, &judged);
        let is_new = {
            let mut outcome = lock(outcome);
            outcome.tally.add(&case, &judged);
            outcome.failures.len() < MOST_FAILURES
        };
        if matches!(judged.verdict, Verdict::Refuted(_)) && is_new {
            let failure = shrunk(&case, &judged.verdict);
            lock(outcome).failures.push(failure);
        }
        *lock(busy) = None;
    }
}

fn name_the_slow(busy: &[Mutex<Option<(u64, Instant)>>], is_done: &AtomicBool) {
    let mut named = Vec::new();
    while !is_done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
        for worker in busy {
            if let Some((seed, start)) = *lock(worker)
                && start.elapsed() > PATIENCE
                && !named.contains(&seed)
            {
                eprintln!(
                    "audit: seed {seed} takes more than {} s",
                    PATIENCE.as_secs()
                );
                named.push(seed);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

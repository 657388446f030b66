//! How long a search may run, and what it has done so far.
//!
//! A [`Budget`] travels down into every learner. Running out of it is not an error: the learner
//! stops with the best result so far and says so.

mod memory;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use self::memory::Memory;

/// Limits of one piece of work, with a switch to stop it and counters to watch it.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<Arc<Memory>>,
    /// Looks that are left before it counts as spent.
    looks: Option<Arc<AtomicU64>>,
    /// Does the one panic who looks after that?
    panics: bool,
    interrupt: Arc<AtomicBool>,
    progress: Arc<Progress>,
}

/// Counters that a learner advances while it works, for whoever wants to show them.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    /// What there is to say beside the counters.
    news: Mutex<String>,
    /// Which part of a larger piece of work this is.
    part: Mutex<String>,
    /// What there is to answer so far.
    answer: Mutex<String>,
}

/// Memory up to this size is taken without asking.
const LITTLE_MEMORY: usize = 16_000_000;

impl Budget {
    /// No limits at all.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Stop after `limit`, counted from now.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.deadline = Instant::now().checked_add(limit);
        self
    }

    /// Stop when the program has taken this many bytes more than it has now. Where the system does not tell how
    /// much that is, only large pieces count, before they are taken.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = Some(Arc::new(Memory::limited(bytes)));
        self
    }

    /// Stop also before the addresses run out that the system gives the program (`ulimit -v`), where it says how many
    /// these are: an allocation that fails would end the program.
    #[must_use]
    pub fn within_addresses(self) -> Self {
        if self.memory.is_some() || memory::known_addresses().is_none() {
            return self;
        }
        self.with_memory_limit(u64::MAX)
    }

    /// The same limits, and one for memory if there is none yet; the largest number is none.
    #[must_use]
    pub(crate) fn within_memory(&self, bytes: usize) -> Self {
        if bytes == usize::MAX || self.memory.is_some() {
            return self.clone();
        }
        self.clone().with_memory_limit(bytes as u64)
    }

    /// How many bytes more may be taken: as the limit says, if there is one, and as the system has them.
    pub fn room(&self) -> u64 {
        let own = self.memory.as_ref().map(|memory| memory.room());
        own.unwrap_or(u64::MAX).min(memory::room_of_system())
    }

    /// May this many bytes more be taken? To be asked before much is taken at once.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        bytes <= LITTLE_MEMORY || bytes as u64 <= self.room()
    }

    /// Is there any limit that may end the work before its end?
    pub(crate) fn is_limited(&self) -> bool {
        self.memory.is_some() || self.is_spent()
    }

    /// The same limits for the next of several pieces of work: memory that was given back may be taken again.
    #[must_use]
    pub(crate) fn with_memory_again(&self) -> Self {
        let memory = self.memory.as_ref();
        Self {
            memory: memory.map(|memory| Arc::new(memory.again())),
            ..self.clone()
        }
    }

    /// The same limits for what must follow a search that was ended: one interrupt does not end it, and there is
    /// time for a small table.
    #[must_use]
    pub fn for_the_rest(&self) -> Self {
        const AT_LEAST: Duration = Duration::from_millis(50);
        let least = Instant::now().checked_add(AT_LEAST);
        Self {
            deadline: self
                .deadline
                .map(|deadline| least.map_or(deadline, |least| deadline.max(least))),
            looks: None,
            panics: false,
            interrupt: Arc::default(),
            ..self.clone()
        }
    }

    /// Counts as spent after this many looks: for tests that stop work at every place where it can be stopped.
    #[doc(hidden)]
    #[must_use]
    pub fn with_looks(mut self, looks: u64) -> Self {
        self.looks = Some(Arc::new(AtomicU64::new(looks)));
        self
    }

    /// Whoever looks after this many looks panics: for tests that nobody waits for a thread that is gone.
    #[doc(hidden)]
    #[must_use]
    pub fn with_panic_after(mut self, looks: u64) -> Self {
        self.panics = true;
        self.with_looks(looks)
    }

    /// Stop as soon as somebody sets this flag (a signal handler, another thread).
    #[must_use]
    pub fn with_interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = flag;
        self
    }

    /// These limits with an earlier deadline: the reserve is left for later work.
    #[must_use]
    pub fn keeping(&self, reserve: Duration) -> Self {
        // An instant that cannot be told lies before all others: nothing is left but the reserve.
        let earlier =
            |deadline: Instant| deadline.checked_sub(reserve).unwrap_or_else(Instant::now);
        Self {
            deadline: self.deadline.map(earlier),
            ..self.clone()
        }
    }

    /// These limits with a deadline at most this far from now.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        let until = Instant::now().checked_add(limit);
        let deadlines = self.deadline.into_iter().chain(until);
        Self {
            deadline: deadlines.min(),
            ..self.clone()
        }
    }

    /// How much time is left; `None` if there is no limit.
    pub fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Has the time come to stop?
    pub fn is_spent(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
            || self.memory.as_ref().is_some_and(|memory| memory.is_spent())
            || self.looks.as_ref().is_some_and(|looks| {
                let one_less = |left: u64| left.checked_sub(1);
                let order = Ordering::Relaxed;
                let is_spent = looks.fetch_update(order, order, one_less).is_err();
                assert!(!(is_spent && self.panics), "a test panics");
                is_spent
            })
    }

    /// Was there too much memory at some time?
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.is_spent())
    }

    /// Is the time over?
    pub(crate) fn is_late(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Has somebody stopped the work, rather than a limit?
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The same limits for a part of the work, with counters of its own that nobody watches.
    #[must_use]
    pub fn for_part(&self) -> Self {
        Self {
            progress: Arc::default(),
            ..self.clone()
        }
    }

    /// The counters of this work.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }
}

impl Progress {
    /// Starts counting anew, towards `total` units.
    pub fn start(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// `units` more are done.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// A part of a larger piece of work begins.
    pub fn enter(&self, part: String) {
        self.start(0);
        self.tell(String::new());
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) = part;
    }

    /// Something to say beside the counters, such as how far a search is whose end is not known.
    pub fn tell(&self, news: String) {
        *self.news.lock().unwrap_or_else(PoisonError::into_inner) = news;
    }

    /// What the answer would be if the work ended now.
    pub fn answer(&self, answer: String) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    /// What was answered last; empty before that.
    pub fn answered(&self) -> String {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.clone()
    }

    /// What was told last, after the part that it is about.
    pub fn news(&self) -> String {
        let part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        let news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        match (part.is_empty(), news.is_empty()) {
            (true, _) => news.clone(),
            (_, true) => part.clone(),
            _ => format!("{part}: {news}"),
        }
    }

    /// Units done and units in all (0 while unknown).
    pub fn read(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_by_time_or_by_interrupt() {
        assert!(!Budget::unlimited().is_spent());
        assert!(
            Budget::unlimited()
                .with_time_limit(Duration::ZERO)
                .is_spent()
        );
        let hour = Budget::unlimited().with_time_limit(Duration::from_secs(3600));
        assert!(!hour.keeping(Duration::from_secs(1800)).is_spent());
        assert!(hour.keeping(Duration::from_secs(7200)).is_spent());
        assert!(!hour.is_spent());
        assert!(hour.within(Duration::ZERO).is_spent());
        assert!(!hour.within(Duration::from_secs(7200)).is_spent());
        assert!(hour.within(Duration::MAX).left() <= Some(Duration::from_secs(3600)));
        assert_eq!(Budget::unlimited().left(), None);
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(Arc::clone(&flag));
        assert!(!budget.is_spent());
        let part = budget.for_part();
        part.progress().start(3);
        assert_eq!(budget.progress().read(), (0, 0));
        budget.progress().tell("almost done".into());
        assert_eq!(budget.progress().news(), "almost done");
        budget.progress().enter("second part".into());
        assert_eq!(budget.progress().news(), "second part");
        budget.progress().tell("begun".into());
        assert_eq!(budget.progress().news(), "second part: begun");
        flag.store(true, Ordering::Relaxed);
        assert!(budget.is_spent() && part.is_spent());
    }
}

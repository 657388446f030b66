//! How far a search over feature sets is, for whoever watches, and whether it is time to stop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::budget::Budget;

/// Progress is shown in parts of the whole.
const WHOLE: u64 = 1_000_000;
/// Trees between two looks at the clock, at first; it adapts to the time that trees take.
const FIRST_STRIDE: u64 = 16;

/// Counts the trees of all threads.
pub(super) struct Meter<'b> {
    budget: &'b Budget,
    start: Instant,
    trees: AtomicU64,
}

/// Counts for one thread, of one part of the work.
pub(super) struct Part<'m> {
    meter: &'m Meter<'m>,
    width: f64,
    shown: u64,
    built: u64,
    new: u64,
    due: u64,
    last: Instant,
    stride: u64,
}

impl<'b> Meter<'b> {
    pub(super) fn new(budget: &'b Budget) -> Self {
        budget.progress().start(WHOLE);
        Self {
            budget,
            start: Instant::now(),
            trees: AtomicU64::new(0),
        }
    }

    pub(super) fn budget(&self) -> &'b Budget {
        self.budget
    }

    pub(super) fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// A part with this share of the whole.
    pub(super) fn part(&self, width: f64) -> Part<'_> {
        Part {
            meter: self,
            width,
            shown: 0,
            built: 0,
            new: 0,
            due: FIRST_STRIDE,
            last: Instant::now(),
            stride: FIRST_STRIDE,
        }
    }
}

impl Part<'_> {
    pub(super) fn is_spent(&self) -> bool {
        self.meter.is_spent()
    }

    /// One more tree was built.
    pub(super) fn count(&mut self, is_new: bool) {
        self.built += 1;
        self.new += u64::from(is_new);
    }

    /// Is it time for a report?
    pub(super) fn is_due(&self) -> bool {
        self.built >= self.due
    }

    /// Shows how far this part is. Says whether the budget is spent.
    pub(super) fn report(&mut self, share: impl Fn() -> f64) -> bool {
        // About this many milliseconds between two reports: a stop comes at once, and reports are cheap.
        const PATIENCE: u128 = 5;
        let now = Instant::now();
        let elapsed = (now - self.last).as_millis();
        if elapsed < PATIENCE / 2 {
            self.stride *= 2;
        } else if elapsed > PATIENCE {
            self.stride = (self.stride / 2).max(1);
        }
        self.last = now;
        self.due = self.built + self.stride;
        self.show(share());
        self.meter.is_spent()
    }

    /// The part is done.
    pub(super) fn finish(&mut self) {
        self.show(1.0);
    }

    fn show(&mut self, share: f64) {
        let meter = self.meter;
        let new = std::mem::take(&mut self.new);
        let trees = meter.trees.fetch_add(new, Ordering::Relaxed) + new;
        let parts = (share * self.width * WHOLE as f64) as u64;
        let more = parts.saturating_sub(self.shown);
        self.shown += more;
        let progress = meter.budget.progress();
        progress.advance(more);
        let seconds = meter.start.elapsed().as_secs_f64();
        let rate = trees as f64 / seconds.max(1e-9);
        progress.tell(format!("{trees} trees, {rate:.0} a second"));
    }
}

//! Checks the deadline while a node is split, which may take long: many rows, or many classes.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::budget::Budget;

/// A budget, if there is one, and whether some work was left undone because of it.
#[derive(Debug, Default)]
pub(crate) struct SplitDeadline {
    budget: Option<Budget>,
    has_stopped: AtomicBool,
}

impl SplitDeadline {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            budget: Some(budget.clone()),
            has_stopped: AtomicBool::new(false),
        }
    }

    /// Is it time to leave work undone? Whoever asks does so then.
    pub(crate) fn is_late(&self) -> bool {
        if self.budget.as_ref().is_some_and(Budget::is_spent) {
            self.stop();
        }
        self.has_stopped()
    }

    /// Is there no memory for this many bytes? The work that needs them is left undone then.
    pub(crate) fn is_short_of(&self, bytes: usize) -> bool {
        let has_room = |budget: &Budget| budget.has_room_for(bytes);
        let is_short = !self.budget.as_ref().is_none_or(has_room);
        if is_short {
            self.stop();
        }
        is_short
    }

    fn stop(&self) {
        self.has_stopped.store(true, Ordering::Relaxed);
    }

    /// Was any work left undone? Then the best that was found need not be the best.
    pub(crate) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }
}

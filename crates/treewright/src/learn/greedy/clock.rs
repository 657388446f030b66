//! Looks at the clock while a node is split, which may take long: many rows, or many classes.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::budget::Budget;

/// A budget, and whether some work was left undone because of it.
#[derive(Debug, Default)]
pub(super) struct Clock {
    budget: Budget,
    has_stopped: AtomicBool,
}

impl Clock {
    pub(super) fn new(budget: &Budget) -> Self {
        Self {
            budget: budget.clone(),
            has_stopped: AtomicBool::new(false),
        }
    }

    /// Is it time to leave work undone? Whoever asks does so then.
    pub(super) fn is_late(&self) -> bool {
        if self.budget.is_spent() {
            self.stop();
        }
        self.has_stopped()
    }

    /// Is there no memory for so many bytes? The work that needs them is left undone then.
    pub(super) fn is_short_of(&self, bytes: usize) -> bool {
        if !self.budget.has_room_for(bytes) {
            self.stop();
            return true;
        }
        false
    }

    fn stop(&self) {
        self.has_stopped.store(true, Ordering::Relaxed);
    }

    /// Was any work left undone? Then the best that was found need not be the best.
    pub(super) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }
}

//! The best tree that is known so far.

use crate::learn::optimal::problem::{RootSplit, Sketch};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The best tree that is known, for all who search.
#[derive(Debug)]
pub(super) struct Incumbent {
    value: AtomicU64,
    known: Mutex<Option<(u64, Sketch)>>,
    /// Of equal trees, is the first in the order of features and cuts wanted, and not just any?
    is_first_wanted: bool,
}

impl Incumbent {
    /// Nothing is known, and nothing is wanted that is not below a bound.
    pub(super) fn below(upper: u64, is_first_wanted: bool) -> Self {
        Self {
            value: AtomicU64::new(upper),
            known: Mutex::new(None),
            is_first_wanted,
        }
    }

    pub(super) fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    /// A tree is only of interest if its value is below this. `root` is the first question that it could have.
    pub(super) fn upper_for(&self, root: RootSplit) -> u64 {
        if !self.is_first_wanted {
            return self.value();
        }
        let known = self.lock();
        match &*known {
            Some((value, sketch)) => value + u64::from(Some(root) < sketch.root()),
            None => self.value(),
        }
    }

    /// Is a tree with this root better than the best?
    pub(super) fn offer(&self, value: u64, sketch: Sketch) {
        let limit = sketch
            .root()
            .map_or(self.value(), |root| self.upper_for(root));
        if value < limit {
            let mut known = self.lock();
            let is_better = |(old_value, old): &(u64, Sketch)| {
                let is_before = self.is_first_wanted && sketch.root() < old.root();
                value < *old_value || value == *old_value && is_before
            };
            if known.as_ref().is_none_or(is_better) {
                self.value.fetch_min(value, Ordering::Relaxed);
                *known = Some((value, sketch));
            }
        }
    }

    pub(super) fn sketch(&self) -> Option<Sketch> {
        self.lock().as_ref().map(|(_, sketch)| sketch.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<(u64, Sketch)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

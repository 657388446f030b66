//! The incumbent: the best tree so far, for all threads of a search.
//!
//! Its value is the upper bound of branch and bound. A search that may return any of the best trees stops where lower
//! bounds reach it. A search for the *first* best tree, in the order of root splits, goes on for roots before that
//! of the incumbent until their lower bounds exceed it. So the tree does not depend on the order of the search.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A tree that a search may find, with the place of its root in the order of ties.
pub(crate) trait IncumbentTree: Clone {
    type Root: Copy + Ord;

    /// The root split; `None` for a leaf, which comes before all splits.
    fn root(&self) -> Option<Self::Root>;
}

/// The best tree so far.
#[derive(Debug)]
pub(crate) struct Incumbent<C> {
    value: AtomicU64,
    known: Mutex<Option<(u64, C)>>,
    /// Of equal trees, is the first wanted, and not just any?
    is_first_wanted: bool,
}

impl<C: IncumbentTree> Incumbent<C> {
    /// Nothing is known, and only trees with a value below `upper` are wanted.
    pub(crate) fn below(upper: u64, is_first_wanted: bool) -> Self {
        Self {
            value: AtomicU64::new(upper),
            known: Mutex::new(None),
            is_first_wanted,
        }
    }

    /// The upper bound of the least value.
    pub(crate) fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    /// A tree with a root split is only of interest if its value is below this.
    pub(crate) fn upper_for(&self, root: C::Root) -> u64 {
        if !self.is_first_wanted {
            return self.value();
        }
        let known = self.lock();
        match &*known {
            Some((value, tree)) => value + u64::from(Some(root) < tree.root()),
            None => self.value(),
        }
    }

    /// Takes a tree if it is better than the incumbent, or as good and first in the order of ties.
    pub(crate) fn offer(&self, value: u64, tree: C) {
        let root = tree.root();
        let upper = root.map_or(self.value(), |root| self.upper_for(root));
        if value < upper {
            let mut known = self.lock();
            let is_better = |(old_value, old): &(u64, C)| {
                let is_before = self.is_first_wanted && root < old.root();
                value < *old_value || value == *old_value && is_before
            };
            if known.as_ref().is_none_or(is_better) {
                self.value.fetch_min(value, Ordering::Relaxed);
                *known = Some((value, tree));
            }
        }
    }

    pub(crate) fn tree(&self) -> Option<C> {
        self.lock().as_ref().map(|(_, tree)| tree.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<(u64, C)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

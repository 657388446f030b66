//! Limits of time, memory and work: when a search stops, and what it says while it goes on.

use std::cell::Cell;

use super::switches::DyadicSwitches;
use crate::budget::Budget;
pub(crate) use crate::learn::exact::Stopped;

/// When to stop.
#[derive(Debug, Clone)]
pub(crate) struct SearchLimits {
    pub(super) budget: Budget,
    pub(super) most_bytes: usize,
    /// No more work than this, in points looked at, times coordinates.
    pub(super) most_work: u64,
    /// What is solved already, to be said while the search goes on.
    pub(super) so_far: String,
    pub(super) switches: DyadicSwitches,
}

impl SearchLimits {
    /// Says how far the search is; stops it if time or memory is spent.
    pub(crate) fn check(&self, states: usize, bytes: usize) -> Result<(), Stopped> {
        let megabytes = bytes / 1_000_000;
        let so_far = &self.so_far;
        let progress = self.budget.progress();
        progress.tell(format!("{so_far}{states} sets solved, {megabytes} MB"));
        if bytes > self.most_bytes || self.budget.is_spent() {
            return Err(Stopped);
        }
        Ok(())
    }
}

/// How much memory may be used, and when to stop.
#[derive(Debug, Clone)]
pub(crate) struct Resources<'a> {
    pub(super) budget: &'a Budget,
    pub(super) most_bytes: usize,
    pub(super) switches: DyadicSwitches,
}

/// Memory up to this size is not worth counting.
const LITTLE_MEMORY: usize = 16_000_000;

impl Resources<'_> {
    /// May this many bytes be taken at once?
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        let is_little = bytes <= LITTLE_MEMORY;
        is_little || bytes <= self.most_bytes && self.budget.has_room_for(bytes)
    }

    /// The limits of a search.
    pub(crate) fn limits(&self) -> SearchLimits {
        SearchLimits {
            budget: self.budget.clone(),
            most_bytes: self.most_bytes,
            most_work: u64::MAX,
            so_far: String::new(),
            switches: self.switches,
        }
    }
}

/// Checks whether there is time and memory to go on.
pub(crate) struct GridDeadline<'a> {
    resources: &'a Resources<'a>,
    /// Cells and losses looked at so far.
    work: Cell<usize>,
}

impl<'a> GridDeadline<'a> {
    pub(crate) fn new(resources: &'a Resources<'a>) -> Self {
        Self {
            resources,
            work: Cell::new(0),
        }
    }

    /// Checks the deadline before this much work is done.
    pub(crate) fn look(&self, work: usize) -> Result<(), Stopped> {
        self.work.set(self.work.get() + work);
        if self.work.get() > self.switches().little_work && self.resources.budget.is_spent() {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Which speed-ups are made use of.
    pub(crate) fn switches(&self) -> DyadicSwitches {
        self.resources.switches
    }

    /// May this many bytes of memory be taken?
    pub(crate) fn room_for(&self, bytes: usize) -> Result<(), Stopped> {
        if self.resources.has_room_for(bytes) {
            return Ok(());
        }
        Err(Stopped)
    }
}

//! Parts of the work that can be gone on with, and how they share the time.

use std::time::Instant;

use super::Explore;
use super::dyadic::DyadicFamily;
use super::found::Found;
use super::greedy::GreedyFamily;
use super::optimal::OptimalFamily;
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;

/// How far a part of the work came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progressed {
    /// There is nothing more to find.
    Done,
    /// With more time, or more memory, there may be.
    Open,
    /// There may be with far more time than there is.
    Hopeless,
}

/// One family that is looked for.
pub(super) enum Task {
    Greedy(Box<GreedyFamily>),
    Dyadic(Box<DyadicFamily>),
    Optimal(Box<OptimalFamily>),
}

/// A task, and whether more time can help it.
pub(super) struct Part {
    pub(super) task: Task,
    pub(super) is_open: bool,
    /// Was it begun at all?
    pub(super) is_begun: bool,
    /// What it lacked when it ended before its end.
    pub(super) lacks: Option<Lack>,
}

/// What a part of the work had too little of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    Time,
    Memory,
}

impl Part {
    pub(super) fn new(task: Task) -> Self {
        Self {
            task,
            is_open: true,
            is_begun: false,
            lacks: None,
        }
    }

    /// Goes on with it, as far as the budget lasts.
    pub(super) fn go_on(
        &mut self,
        explore: &Explore,
        data: &Dataset,
        budget: &Budget,
        say: &mut dyn FnMut(&Found),
    ) -> Result<()> {
        self.is_begun = true;
        let (start, given) = (Instant::now(), budget.left());
        let progressed = match &mut self.task {
            Task::Greedy(family) => family.go_on(explore, data, budget, &mut |family| {
                family.found().into_iter().for_each(&mut *say);
            })?,
            Task::Dyadic(family) => family.go_on(explore, data, budget)?,
            Task::Optimal(family) => family.go_on(explore, data, budget)?,
        };
        // What gives up long before its time is over lacks something else: memory.
        let is_helped = given.is_some_and(|given| start.elapsed() >= given / 4);
        let is_open = progressed != Progressed::Done;
        self.is_open = is_open && (is_helped || budget.is_interrupted());
        self.lacks = match progressed {
            Progressed::Done => None,
            Progressed::Open if budget.is_out_of_memory() || !self.is_open => Some(Lack::Memory),
            Progressed::Open | Progressed::Hopeless => Some(Lack::Time),
        };
        if !matches!(self.task, Task::Greedy(_)) {
            self.found().into_iter().for_each(say);
        }
        Ok(())
    }

    /// What it has found so far.
    pub(super) fn found(&self) -> Option<&Found> {
        match &self.task {
            Task::Greedy(family) => family.found(),
            Task::Dyadic(family) => family.found(),
            Task::Optimal(family) => family.found(),
        }
    }

    pub(super) fn into_found(self) -> Option<Found> {
        match self.task {
            Task::Greedy(family) => family.into_found(),
            Task::Dyadic(family) => family.into_found(),
            Task::Optimal(family) => family.into_found(),
        }
    }
}

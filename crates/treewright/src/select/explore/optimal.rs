//! The best trees of every size, for depths 1, 2, ... as far as the time allows.
//!
//! The best trees of a depth are among those of the next one, so only the deepest family that is proven and judged is
//! shown.

use std::time::{Duration, Instant};

use super::Explore;
use super::found::{Found, Learned};
use super::task::Progressed;
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::optimal::{Optimal, SortedColumns};
use crate::select::family::Searched;
use crate::select::resampling::Resampling;
use crate::tree::FamilyFit;

/// The largest depth.
const DEEPEST: usize = 3;

/// The family of the deepest trees that there was time for.
#[derive(Default)]
pub(super) struct OptimalFamily {
    found: Option<Found>,
    /// A deeper family, proven but not judged.
    next: Option<Found>,
    seconds: f64,
}

impl OptimalFamily {
    pub(super) fn go_on(
        &mut self,
        explore: &Explore,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Progressed> {
        let start = Instant::now();
        let table = SortedColumns::new(data);
        let mut progressed = Progressed::Done;
        while let Some(depth) = self.next_depth() {
            if self.next.is_none() && !self.search(depth, explore, &table, budget)? {
                progressed = Progressed::Open;
                break;
            }
            progressed = self.judge(depth, explore, data, budget)?;
            if progressed != Progressed::Done {
                break;
            }
        }
        self.seconds += start.elapsed().as_secs_f64();
        if let Some(found) = &mut self.found {
            found.seconds = self.seconds;
            found.is_coarser = progressed != Progressed::Done;
        }
        Ok(progressed)
    }

    /// The depth to look for next, or to judge.
    fn next_depth(&self) -> Option<usize> {
        let depth_of = |found: &Found| found.fit.learner.params.depth().ok().flatten();
        let judged = self.found.as_ref().filter(|it| it.judged_by.is_some());
        let next = judged.and_then(depth_of).map_or(1, |depth| depth + 1);
        (next <= DEEPEST).then_some(next)
    }

    /// Finds the best trees of a depth; false if not all of them are proven.
    fn search(
        &mut self,
        depth: usize,
        explore: &Explore,
        table: &SortedColumns<'_>,
        budget: &Budget,
    ) -> Result<bool> {
        if self.found.is_some() && budget.is_spent() {
            return Ok(false);
        }
        let what = format!("the best trees of depth {depth}");
        budget.progress().enter(what);
        let learner = Optimal {
            depth,
            loss: explore.loss.clone(),
            most_bytes: explore.most_bytes,
            ..Optimal::default()
        };
        // What has no time left to be judged is of no use.
        let part = match budget.left() {
            Some(left) if self.found.is_some() => budget.within(left / 2),
            _ => budget.clone(),
        };
        let fit = learner.fit_family_sorted(table, &part)?;
        let is_complete = fit.is_complete();
        let found = Found::new(Learned::Optimal(learner), fit);
        if is_complete {
            self.next = Some(found);
        } else if self.found.is_none() {
            self.found = Some(found);
        }
        Ok(is_complete)
    }

    /// Judges a family on rows left out, as far as there is time for it.
    fn judge(
        &mut self,
        depth: usize,
        explore: &Explore,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Progressed> {
        let Some(mut next) = self.next.take() else {
            return Ok(Progressed::Open);
        };
        let Learned::Optimal(learner) = next.learner().clone() else {
            return Ok(Progressed::Open);
        };
        let is_hopeless = is_hopeless(&next.fit, explore.resampling, budget);
        let judged = if is_hopeless {
            None
        } else {
            let what = format!("depth {depth} on rows left out");
            budget.progress().enter(what);
            let searched = Searched::new(learner);
            searched.validated(&next.fit, explore.resampling, data, budget)?
        };
        let Some(judged) = judged else {
            let is_first = self.found.as_ref().is_none_or(|it| it.judged_by.is_none());
            if is_first {
                self.found = Some(next.clone());
            }
            self.next = Some(next);
            return Ok(if is_hopeless {
                Progressed::Hopeless
            } else {
                Progressed::Open
            });
        };
        next.judge(judged, explore.resampling);
        self.found = Some(next);
        Ok(Progressed::Done)
    }

    pub(super) fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    pub(super) fn into_found(self) -> Option<Found> {
        self.found
    }
}

/// Would learning on all folds take far longer than there is time?
fn is_hopeless(fit: &FamilyFit, resampling: Resampling, budget: &Budget) -> bool {
    let Some(left) = budget.left() else {
        return false;
    };
    let threads = rayon::current_num_threads().max(1) as f64;
    let seconds = fit.seconds * resampling.n_trees() as f64 / threads;
    Duration::try_from_secs_f64(seconds / 2.0).is_ok_and(|needed| needed > left)
}

//! Greedy trees with all their best prunings, for each way in which this table can be split differently.
//!
//! Categories are grouped in two, or have a branch each. Rows without a value go the way that was learned for
//! them, or have a branch of their own, or are shared out. What is best depends on the table, so all of them are tried,
//! as far as they differ.

use std::time::Instant;

use super::Explore;
use super::found::{Found, Learned};
use super::task::Progressed;
use crate::budget::Budget;
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::learn::Greedy;
use crate::learn::greedy::{CategoricalSplits, MissingPolicy};
use crate::prune::PruningCost;
use crate::select::family::{Pruned, cross_validate};
use crate::select::resampling::Resampling;
use crate::tree::CrossValidation;

/// A table with more cells is first judged on one part of its rows, so that there is an answer soon.
const MANY_CELLS: usize = 400_000;
/// The share of rows for that.
pub(super) const FIRST_SHARE: f64 = 0.25;

/// One way of growing greedy trees.
pub(super) struct GreedyFamily {
    learner: Greedy,
    /// What sets it apart from the first.
    way: Option<&'static str>,
    found: Option<Found>,
}

/// The ways that differ on this table, the most promising first.
pub(super) fn families(explore: &Explore, data: &Dataset) -> Vec<GreedyFamily> {
    let has_groups = data
        .schema()
        .features
        .iter()
        .any(|feature| feature.categories().len() > 2);
    let has_missing = data.columns().iter().any(Column::has_missing);
    let (grouped, multiway) = (CategoricalSplits::Grouped, CategoricalSplits::Multiway);
    let usual = if has_missing {
        MissingPolicy::Learned
    } else {
        MissingPolicy::Distribute
    };
    let mut ways = vec![(grouped, usual)];
    if has_missing {
        ways.push((grouped, MissingPolicy::Branch));
    }
    if has_groups {
        ways.push((multiway, usual));
    }
    if has_missing {
        ways.push((grouped, MissingPolicy::Distribute));
    }
    let family =
        |(place, (splits, missing)): (usize, (CategoricalSplits, MissingPolicy))| GreedyFamily {
            learner: Greedy {
                loss: explore.loss.clone(),
                categorical_splits: splits,
                missing,
                ..Greedy::default()
            },
            way: if place == 0 {
                None
            } else if splits == multiway {
                Some(splits.name())
            } else {
                Some(missing.name())
            },
            found: None,
        };
    ways.into_iter().enumerate().map(family).collect()
}

impl GreedyFamily {
    /// Grows and judges, as far as the budget lasts. Of a large table the first family is judged on one part first.
    pub(super) fn go_on(
        &mut self,
        explore: &Explore,
        data: &Dataset,
        budget: &Budget,
        say: &mut dyn FnMut(&Self),
    ) -> Result<Progressed> {
        let way = self.way.map_or(String::new(), |way| format!(" ({way})"));
        budget.progress().enter(format!("greedy trees{way}"));
        let start = Instant::now();
        // What was stopped while it grew is grown again.
        let is_grown = |found: &Found| found.fit.learner.params.stopped().is_none();
        if !self.found.as_ref().is_some_and(is_grown) {
            let pruned = Pruned {
                most_bytes: explore.most_bytes as u64,
                ..Pruned::new(self.learner.clone())
            };
            let fit = pruned.fit_family(data, budget, None)?;
            let learned = Learned::Greedy(self.learner.clone());
            let mut found = Found::new(learned, fit);
            found.way = self.way;
            self.found = Some(found);
        }
        let n_cells = data.n_rows().saturating_mul(data.columns().len());
        let has_any = |found: &Found| found.judged_by.is_some();
        if self.way.is_none() && n_cells > MANY_CELLS && !self.found.as_ref().is_some_and(has_any) {
            let seed = explore.seed();
            let part = Resampling::Holdout {
                share: FIRST_SHARE,
                seed,
            };
            self.judge(explore, part, data, budget)?;
            say(self);
        }
        let is_done = self.judge(explore, explore.resampling, data, budget)?;
        if let Some(found) = &mut self.found {
            found.seconds += start.elapsed().as_secs_f64();
        }
        say(self);
        Ok(if is_done {
            Progressed::Done
        } else {
            Progressed::Open
        })
    }

    /// Judges the prunings on rows left out; false if the budget was spent before the end.
    fn judge(
        &mut self,
        explore: &Explore,
        resampling: Resampling,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<bool> {
        let Some(found) = &mut self.found else {
            return Ok(false);
        };
        if budget.is_spent() {
            return Ok(false);
        }
        let cost = PruningCost::default().as_in(&found.fit.learner);
        let judged: Option<CrossValidation> = cross_validate(
            &self.learner,
            data,
            &found.fit.family,
            cost,
            resampling,
            explore.most_bytes as u64,
            budget,
        )?;
        let is_judged = judged.is_some();
        if let Some(judged) = judged {
            found.judge(judged, resampling);
        }
        Ok(is_judged)
    }

    /// What there is to show, with a mark that rows left out could not speak where that is so.
    pub(super) fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    pub(super) fn into_found(self) -> Option<Found> {
        self.found
    }
}

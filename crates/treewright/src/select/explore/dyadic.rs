//! The best dyadic trees, with as many halvings as the time allows.

use std::time::Instant;

use super::Explore;
use super::found::{Found, Learned};
use super::task::Progressed;
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::dyadic::{Dyadic, Resolution};
use crate::select::family::Searched;
use crate::tree::FamilyFit;

/// Grids, the finest first.
const GRIDS: [Resolution; 4] = [
    Resolution::Auto,
    Resolution::Same(3),
    Resolution::Same(2),
    Resolution::Same(1),
];

/// The family on the finest grid that there was time for.
#[derive(Default)]
pub(super) struct DyadicFamily {
    found: Option<Found>,
    /// Grids that are finer than the one of the family.
    n_finer: usize,
    /// Why the learner refused the table.
    pub(super) refusal: Option<String>,
    seconds: f64,
}

impl DyadicFamily {
    /// First tries the finest grid; if that takes too long, coarser ones. With more time the finer ones are tried anew.
    pub(super) fn go_on(
        &mut self,
        explore: &Explore,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Progressed> {
        let start = Instant::now();
        let is_judged = |found: &Found| found.judged_by.is_some();
        let has_any = self.found.as_ref().is_some_and(is_judged);
        let n_tries = if has_any { self.n_finer } else { GRIDS.len() };
        for (place, grid) in GRIDS.into_iter().enumerate().take(n_tries) {
            let part = match budget.left() {
                None => budget.clone(),
                // The last one may take all that is left.
                Some(left) if place + 1 < n_tries => budget.within(left / 3),
                Some(_) => budget.clone(),
            };
            let what = format!("dyadic trees{}", in_words(&grid));
            budget.progress().enter(what);
            let learner = Dyadic {
                resolution: grid,
                loss: explore.loss.clone(),
                most_bytes: explore.most_bytes,
                ..Dyadic::default()
            };
            let searched = Searched::new(learner.clone());
            let found = match searched.fit_family(data, &part, Some(explore.resampling)) {
                Ok(found) => found,
                Err(error) if place == 0 && self.found.is_none() => {
                    // Too many features, say: no reason to go without the others.
                    self.refusal = Some(error.to_string());
                    return Ok(Progressed::Done);
                }
                Err(error) => return Err(error),
            };
            if self.keep(learner, found, explore) {
                self.n_finer = place;
                break;
            }
            if budget.is_spent() {
                break;
            }
        }
        self.seconds += start.elapsed().as_secs_f64();
        let is_judged = self.found.as_ref().is_some_and(is_judged);
        if let Some(found) = &mut self.found {
            found.seconds = self.seconds;
            found.is_coarser = self.n_finer > 0;
        }
        Ok(if is_judged && self.n_finer == 0 {
            Progressed::Done
        } else {
            Progressed::Open
        })
    }

    /// Keeps a family if it knows more than the one before; says whether it was judged.
    fn keep(&mut self, learner: Dyadic, fit: FamilyFit, explore: &Explore) -> bool {
        let is_judged = fit.cross_validation.is_some();
        let knows_more =
            |other: &Found| other.judged_by.is_none() && fit.family.len() > other.fit.family.len();
        if is_judged || self.found.as_ref().is_none_or(knows_more) {
            let mut found = Found::new(Learned::Dyadic(learner), fit);
            found.judged_by = is_judged.then_some(explore.resampling);
            self.found = Some(found);
        }
        is_judged
    }

    pub(super) fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    pub(super) fn into_found(self) -> Option<Found> {
        self.found
    }
}

fn in_words(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Same(1) => ", one halving of each feature".into(),
        Resolution::Same(k) => format!(", {k} halvings of each feature"),
        _ => String::new(),
    }
}

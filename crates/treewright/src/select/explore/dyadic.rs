//! The best dyadic trees, with as many halvings as the time allows.
//!
//! Features are halved at the midpoints of their ranges, or where that parts their rows most evenly. Which is better
//! depends on the table: of a skewed column the first halvings of the range may leave nearly all rows on one side.

use std::time::Instant;

use super::Explore;
use super::found::{Found, Learned};
use super::task::Progressed;
use crate::budget::Budget;
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::learn::dyadic::{Dyadic, GridBox, Resolution};
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
pub(super) struct DyadicFamily {
    grid_box: GridBox,
    /// What sets it apart from the first.
    way: Option<&'static str>,
    found: Option<Found>,
    /// Grids that are finer than the one of the family.
    n_finer: usize,
    /// Why the learner refused the table.
    pub(super) refusal: Option<String>,
    seconds: f64,
}

/// The boxes that differ on this table.
pub(super) fn families(data: &Dataset) -> Vec<DyadicFamily> {
    let is_number = |column: &Column| matches!(column, Column::Numeric(_));
    let mut boxes = vec![(GridBox::Range, None)];
    if data.columns().iter().any(is_number) {
        boxes.push((GridBox::Quantile, Some("quantile")));
    }
    let family = |(grid_box, way)| DyadicFamily {
        grid_box,
        way,
        found: None,
        n_finer: 0,
        refusal: None,
        seconds: 0.0,
    };
    boxes.into_iter().map(family).collect()
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
            // The last one may take all that is left.
            let part = match budget.left() {
                Some(left) if place + 1 < n_tries => budget.within(left / 3),
                _ => budget.clone(),
            };
            let way = self.way.map_or(String::new(), |way| format!(" ({way})"));
            let what = format!("dyadic trees{way}{}", in_words(&grid));
            budget.progress().enter(what);
            let learner = Dyadic {
                resolution: grid,
                grid_box: self.grid_box,
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
            found.way = self.way;
            found.judged_by = is_judged.then_some(explore.resampling);
            self.found = Some(found);
        }
        is_judged
    }

    /// Is this the box that is tried first?
    pub(super) fn is_first(&self) -> bool {
        self.way.is_none()
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

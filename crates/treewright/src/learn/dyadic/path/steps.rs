//! Falling alphas: how far the next step goes, and how much work it may take.

use crate::learn::dyadic::deadline::Resources;
use crate::learn::dyadic::frontier::{Alpha, Frontier, LeastAlpha};
use crate::learn::dyadic::switches::DyadicSwitches;

/// Falling alphas.
#[derive(Debug)]
pub(crate) struct Steps {
    wanted: Frontier,
    /// Do larger alphas come first?
    is_stepped: bool,
    /// The alpha of the last step that came to its end, and of the one that is tried now.
    reached: Alpha,
    alpha: Alpha,
    /// How often the alpha is halved in one step.
    halvings: u32,
    /// What the last step that came to its end took.
    work: u64,
}

/// A step may take this many times the work of the one before.
const MORE_WORK: u64 = 16;

/// A step may take this much work in any case.
const LITTLE_WORK: u64 = 30_000_000;

/// The alpha is never halved more often than this in one step, unless it is the last.
const MOST_HALVINGS: u32 = 8;

/// Before a search for all sizes, alphas go down to this part of the error of one leaf.
const HIGH: u64 = 64;

impl Steps {
    pub(crate) fn new(error: u64, wanted: Frontier, switches: DyadicSwitches) -> Self {
        let alpha = Alpha {
            numerator: error,
            denominator: 1,
        };
        Self {
            wanted,
            reached: alpha,
            alpha,
            is_stepped: switches.large_alphas_first,
            halvings: match wanted {
                _ if !switches.large_alphas_first => 1,
                Frontier::Hull(_) => MOST_HALVINGS,
                Frontier::Stairs(_) => MOST_HALVINGS / 2,
            },
            work: 0,
        }
    }

    /// The alpha of the step that is tried now.
    pub(crate) fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// How much work the step may take.
    pub(crate) fn most_work(&self) -> u64 {
        let must_end = match self.wanted {
            Frontier::Hull(_) => self.halvings == 1,
            Frontier::Stairs(_) => self.alpha.numerator == 0,
        };
        if must_end {
            return u64::MAX;
        }
        LITTLE_WORK.max(MORE_WORK.saturating_mul(self.work))
    }

    /// The step came to its end and took this much work. The next one is as long as the growth of the work
    /// promises that it will not take too much.
    pub(crate) fn done(&mut self, work: u64) {
        if self.work > 0 {
            let growth = (work as f64 / self.work as f64).log2();
            let per_halving = (growth / f64::from(self.halvings)).max(1e-3);
            let halvings = (MORE_WORK as f64).log2() / per_halving;
            self.halvings = halvings.clamp(1.0, f64::from(MOST_HALVINGS)) as u32;
        }
        (self.work, self.reached) = (work, self.alpha);
    }

    /// Did the step take too much work, so that a shorter one is worth a try?
    pub(crate) fn is_too_far(&mut self, work: u64, resources: &Resources<'_>) -> bool {
        if work <= self.most_work() || resources.budget.is_spent() {
            return false;
        }
        if self.halvings == 1 {
            // No more alphas: all sizes come next.
            self.reached = Alpha::ZERO;
        }
        self.halvings = (self.halvings / 2).max(1);
        true
    }

    /// What the next search is for.
    pub(crate) fn next(&mut self) -> Frontier {
        if !self.is_stepped {
            self.alpha = match self.wanted {
                Frontier::Hull(least) => least.alpha(),
                Frontier::Stairs(_) => Alpha::ZERO,
            };
            return self.wanted;
        }
        let next = self.reached.halved(self.halvings);
        let beyond = self.reached.halved(self.halvings + 1);
        let Frontier::Hull(least) = self.wanted else {
            // Some alphas first, so that something is known if the search for all sizes is stopped.
            if self.reached.denominator < HIGH && self.reached.numerator > 0 {
                self.alpha = next;
                return Frontier::Hull(LeastAlpha::above(next));
            }
            self.alpha = Alpha::ZERO;
            return self.wanted;
        };
        // Lower alphas are hardly more work than one.
        let last = if least.alpha().is_above(Alpha::ONE) {
            least.alpha()
        } else {
            Alpha::ONE
        };
        if beyond.is_above(last) {
            self.alpha = next;
            return Frontier::Hull(LeastAlpha::above(next));
        }
        self.alpha = least.alpha();
        self.wanted
    }
}

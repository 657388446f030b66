//! The feature subset with the least error, proven.
//!
//! The sets are gone through as in the enumeration of distinct trees, but a branch is left out where no set
//! of it can be better than the best found: its error is bounded from below before any tree is built.
//! Of subsets with equal error the one with fewer features is better, then the one whose features come
//! first. All trees of a branch use its required features, so at equal error a branch with more of them
//! than the best subset has features cannot be better either.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::backward::{Eliminator, Shared, eliminate};
use super::enumerate::{Enumeration, Order, Place, Start};
use super::estimate::{Estimate, Samples, at_first};
use super::lattice::{Ground, Top, bits};
use super::plain::Plain;
use super::{Proof, Selection, USUAL_BYTES};
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::Greedy;

/// After a stop no more time than this goes into the bound of what is still ahead.
const MOST_EXTRA: Duration = Duration::from_millis(500);

/// Complete search for the best feature subset.
#[derive(Debug, Clone)]
pub struct Complete {
    /// How trees grow.
    pub greedy: Greedy,
    /// How subsets are judged.
    pub estimate: Estimate,
    /// Accept a subset whose error rate is at most this much above the least.
    pub within: f64,
    /// Through how many optional splits above each other the bound looks.
    pub look_through: usize,
    /// Memory for what is shared between trees, in bytes.
    pub most_bytes: usize,
}

impl Complete {
    /// With the usual estimate, for the very best subset.
    pub fn new(greedy: Greedy) -> Self {
        Self {
            greedy,
            estimate: Estimate::default(),
            within: 0.0,
            look_through: 2,
            most_bytes: 2 * USUAL_BYTES,
        }
    }

    /// Selects features. A spent budget ends the search with the best subset so far and a lower bound.
    pub fn select(&self, data: &Dataset, budget: &Budget) -> Result<Selection> {
        if !(self.within >= 0.0 && self.within.is_finite()) {
            let allowed = "a difference of error rates that is not negative";
            return Err(Error::parameter("within", self.within, allowed));
        }
        let start = Instant::now();
        let selection = self.selection(data, budget, start)?;
        let unproven = Proof {
            optimal: false,
            lower_bound: 0.0,
        };
        let selection = selection
            .unwrap_or_else(|| Selection::of_nothing(data.columns().len(), Some(unproven)));
        Ok(Selection {
            time: start.elapsed(),
            ..selection
        })
    }

    /// The same; `None` if not even the trees of all features are known.
    fn selection(
        &self,
        data: &Dataset,
        budget: &Budget,
        start: Instant,
    ) -> Result<Option<Selection>> {
        let first = &at_first(data, budget);
        let Some(samples) = self.estimate.deal(&self.greedy, data, first)? else {
            return Ok(None);
        };
        let Some(grounds) = Ground::all(&self.greedy, &samples, first)? else {
            return Ok(None);
        };
        let n_features = data.columns().len();
        let shared = Shared::new(Arc::clone(&grounds), n_features, self.most_bytes, first);
        let Some(mut shared) = shared else {
            return Ok(None);
        };
        let backward = eliminate(&mut shared, n_features, budget)?;
        let first_error = backward.first_error;
        let mut best = Best {
            error: backward.error,
            features: backward.used,
        };
        let slack = samples.units_of(self.within);
        let mut search = Search {
            samples: &samples,
            sets: Enumeration::new(shared.into_lattice(), Order::Frontier),
            look_through: self.look_through,
            slack,
            left_out: i128::MAX,
            built: 1,
            n_bounds: 0,
            is_relaxed: false,
        };
        search.sets.lattice.watch(Some(first));
        let is_begun = search.begin(n_features, &mut best);
        search.sets.lattice.watch(Some(budget));
        let stopped = !is_begun || search.run(&mut best, budget);
        // The bound of what is still ahead may take a little longer.
        let extra = start.elapsed().div_f64(25.0).min(MOST_EXTRA);
        let lower_bound = if is_begun {
            search.lower_bound(&best, &Budget::unlimited().with_time_limit(extra))
        } else {
            0
        };
        // What there is no time to check is not claimed.
        let stopped = stopped || !check_claim(&best, &self.greedy, &samples, budget)?;
        let removed = |feature: &usize| best.features.binary_search(feature).is_err();
        Ok(Some(Selection {
            unused: Vec::new(),
            removed: (0..n_features).filter(removed).collect(),
            search_error: samples.rate(best.error),
            all_features_error: samples.rate(first_error),
            trees_built: search.built * grounds.len() as u64,
            trees_skipped: skipped(n_features, search.built, grounds.len()),
            proof: Some(Proof {
                optimal: !stopped && !search.is_relaxed,
                lower_bound: samples.rate(lower_bound),
            }),
            selected: best.features,
            stopped,
            time: start.elapsed(),
        }))
    }
}

/// Refuses features whose trees, grown once more from their roots, do not have the error that the search has said.
/// `false` if the budget is spent before that is known.
fn check_claim(best: &Best, greedy: &Greedy, samples: &Samples, budget: &Budget) -> Result<bool> {
    let Some(plain) = Plain::of(greedy, samples, best.features.clone(), budget)? else {
        return Ok(false);
    };
    let found = plain.error();
    if found == best.error {
        return Ok(true);
    }
    let [claimed, found] = [best.error, found].map(|error| samples.rate(error));
    Err(Error::internal(format!(
        "the search has found features with an error of {claimed}, but trees of these features have {found}"
    )))
}

/// Trees of all subsets that were not built.
fn skipped(n_features: usize, sets_built: u64, trees_a_set: usize) -> u64 {
    let all = 1_u64.checked_shl(n_features as u32).unwrap_or(u64::MAX);
    all.saturating_sub(sets_built)
        .saturating_mul(trees_a_set as u64)
}

/// The best subset so far.
struct Best {
    error: i128,
    features: Vec<usize>,
}

impl Best {
    fn hear(&mut self, place: &Place) {
        let error: i128 = place.tops.iter().map(Top::error).sum();
        let n_features = bits::len(&place.used);
        if (error, n_features) > (self.error, self.features.len()) {
            return;
        }
        let features: Vec<usize> = bits::iter(&place.used).collect();
        if (error, n_features, &features) < (self.error, self.features.len(), &self.features) {
            (self.error, self.features) = (error, features);
        }
    }

    /// Is no set better whose error is at least `bound` and which uses all of `required`?
    fn beats(&self, bound: i128, required: &[u64], slack: i128) -> bool {
        if bound.saturating_add(slack) > self.error {
            return true;
        }
        bound.saturating_add(slack) == self.error && {
            let n_required = bits::len(required);
            n_required > self.features.len()
                || slack > 0
                || n_required == self.features.len()
                    && bits::iter(required).ge(self.features.iter().copied())
        }
    }
}

/// The sets that are still to be looked at.
struct Search<'a, 's> {
    samples: &'s Samples,
    sets: Enumeration<'a>,
    look_through: usize,
    slack: i128,
    /// The least bound of what was left out.
    left_out: i128,
    built: u64,
    n_bounds: u64,
    /// Was anything left out that might be a little better?
    is_relaxed: bool,
}

impl Search<'_, '_> {
    /// Starts with the trees of all features, unless it is time to stop before they have grown.
    fn begin(&mut self, n_features: usize, best: &mut Best) -> bool {
        let all = bits::all(n_features);
        self.sets.start(&Start {
            required: vec![0; all.len()],
            optional: all,
        });
        let is_grown = !self.sets.lattice.is_stopped();
        if is_grown {
            best.hear(self.sets.place());
        }
        is_grown
    }

    /// Goes on until nothing is left (`false`) or the budget is spent (`true`).
    fn run(&mut self, best: &mut Best, budget: &Budget) -> bool {
        const BETWEEN_REPORTS: u64 = 64;
        let progress = budget.progress();
        progress.start(1000);
        let mut shown = 0;
        while self.sets.propose() {
            let (place, lattice) = self.sets.proposal();
            self.n_bounds += 1;
            let mut bound = 0;
            let mut is_beaten = false;
            for look_through in 0..=self.look_through {
                let enough = best.error.saturating_add(1);
                let (required, optional) = (&mut place.required, &mut place.optional);
                bound = lattice
                    .bound(required, optional, look_through, enough)
                    .max(bound);
                is_beaten = best.beats(bound, &place.required, self.slack);
                if is_beaten || lattice.is_stopped() {
                    break;
                }
            }
            if is_beaten {
                self.is_relaxed |= !best.beats(bound, &place.required, 0);
                self.left_out = self.left_out.min(bound);
            } else if lattice.is_stopped() {
                self.left_out = self.left_out.min(bound);
                return true;
            } else {
                self.sets.accept();
                if self.sets.lattice.is_stopped() {
                    self.sets.step_back();
                    self.left_out = self.left_out.min(bound);
                    return true;
                }
                self.built += 1;
                if self.sets.place().is_new {
                    best.hear(self.sets.place());
                }
            }
            if self.n_bounds.is_multiple_of(BETWEEN_REPORTS) {
                let done = (1000.0 * self.sets.share_done()) as u64;
                progress.advance(done.saturating_sub(shown));
                shown = shown.max(done);
                progress.tell(self.news(best));
            }
            if budget.is_spent() {
                return true;
            }
        }
        false
    }

    /// What there is to say while the search runs.
    fn news(&self, best: &Best) -> String {
        let (error, n_features) = (self.samples.rate(best.error), best.features.len());
        let built = self.built;
        format!("error {error:.4} with {n_features} features, {built} trees built")
    }

    /// A lower bound for all sets: those left out, and those that are still ahead. What the budget does not
    /// suffice for is taken to cost nothing.
    fn lower_bound(&mut self, best: &Best, budget: &Budget) -> i128 {
        self.sets.lattice.watch(Some(budget));
        let mut least = best.error.min(self.left_out);
        while least > 0 && self.sets.propose() {
            let (place, lattice) = self.sets.proposal();
            let (required, optional) = (&mut place.required, &mut place.optional);
            least = lattice
                .bound(required, optional, self.look_through, least)
                .min(least);
            if budget.is_spent() && self.sets.is_ahead() {
                return 0;
            }
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ReadOptions;
    use crate::data::csv::CsvSource;

    #[test]
    fn an_error_that_the_trees_do_not_have_is_refused() {
        let mut text = String::from("a,b,class\n");
        for row in 0..40 {
            let cells = [row % 7, row % 3].map(|cell| cell.to_string());
            text += &[&cells.join(","), ",", ["x", "y"][row * row % 5 % 2], "\n"].concat();
        }
        let source = CsvSource::new(text.into_bytes(), b',').unwrap();
        let data = Dataset::read(&source, &ReadOptions::default()).unwrap();
        let greedy = Greedy::default();
        let budget = Budget::unlimited();
        let samples = Estimate::default().deal(&greedy, &data, &budget);
        let samples = samples.unwrap().unwrap();
        for features in [vec![], vec![0], vec![1], vec![0, 1]] {
            let plain = Plain::of(&greedy, &samples, features.clone(), &budget);
            let error = plain.unwrap().unwrap().error();
            let claim = |error: i128| {
                let features = features.clone();
                check_claim(&Best { error, features }, &greedy, &samples, &budget)
            };
            assert!(claim(error).unwrap());
            let refused = claim(error - 1).unwrap_err().to_string();
            assert!(refused.starts_with("internal error"), "{refused}");
        }
    }
}

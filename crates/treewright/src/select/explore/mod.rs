//! Every tree worth having of one table: families of greedy, dyadic and optimal trees,
//! cross-validated on the same folds, within a budget of time.
//!
//! The time is spread over the parts of the work by fixed shares; what a part does not need is left for those
//! after it. A part whose time is up leaves what it has, and the report says how far it came.
//!
//! | file | idea |
//! |---|---|
//! | `sections` | trees and families as parts of a report, and what is proven of them in words |
//! | `answer` | which tree is good enough, and how much of the others fits a page |
//! | `reports` | reports on a table, on one tree, on one family |

mod answer;
mod reports;
mod sections;

use std::time::{Duration, Instant};

use self::answer::{good_enough, shorten};
use self::reports::{blank, look_at};
use self::sections::of_family;
use super::family::{Pruned, Searched};
use super::resampling::Resampling;
use crate::budget::Budget;
use crate::cost::{Loss, Penalty};
use crate::data::Dataset;
use crate::error::Result;
use crate::eval::{Explored, NoDyadic, Report, Section};
use crate::learn::Greedy;
use crate::learn::dyadic::{Dyadic, Resolution};
use crate::learn::optimal::{Optimal, SortedColumns};
use crate::tree::FamilyFit;

/// Trees up to this size are part of a report.
const MOST_LEAVES: usize = 100;
/// Depths of optimal trees.
const DEPTHS: [usize; 3] = [1, 2, 3];

/// How a table is explored.
#[derive(Debug, Clone)]
pub struct Explore {
    /// What wrong predictions cost.
    pub loss: Loss,
    /// Which rows are left out.
    pub resampling: Resampling,
    /// Memory for each search.
    pub most_bytes: usize,
}

/// This part of the time is kept to look at what the trees do to the rows.
const SHARE_OF_ROWS: u32 = 20;

/// Shares of the time.
#[derive(Debug, Clone, Copy)]
struct Clock<'a> {
    budget: &'a Budget,
    /// Shares of the parts that are still to come.
    ahead: u32,
}

impl Clock<'_> {
    /// The time for a part with this share.
    fn next(&mut self, share: u32) -> Budget {
        // Memory that the part before has given back may be taken again.
        let budget = self.budget.with_memory_again();
        let part = match budget.left() {
            None => budget,
            Some(left) => {
                let own = left * share / self.ahead.max(share);
                budget.within(own)
            }
        };
        self.skip(share);
        part
    }

    /// A part that needs no time.
    fn skip(&mut self, share: u32) {
        self.ahead = self.ahead.saturating_sub(share);
    }
}

impl Explore {
    /// Ten folds, no limits of memory.
    pub fn new(loss: Loss) -> Self {
        Self {
            loss,
            resampling: Resampling::default(),
            most_bytes: usize::MAX,
        }
    }

    /// Finds the trees and says which one is good enough. A spent budget leaves away what was not reached.
    pub fn run(&self, title: &str, data: &Dataset, budget: &Budget) -> Result<Report> {
        data.require_rows_and_features()?;
        self.resampling.check(data)?;
        let is_classification = data.schema().is_classification();
        // Some time is kept to look at the rows.
        let for_rows = budget
            .left()
            .map_or(Duration::ZERO, |left| left / SHARE_OF_ROWS);
        let mut clock = Clock {
            budget: &budget.keeping(for_rows),
            ahead: if is_classification { 51 } else { 30 },
        };
        // Mostly these need little, and what they leave is for the others.
        let mut sections = self.greedy(data, &clock.next(30))?;
        let mut explored = Explored::default();
        if is_classification {
            let found = self.optimal(data, &mut clock)?;
            if is_large(data, 1) && clock.budget.is_spent() {
                explored.no_dyadic = Some(NoDyadic::NoTime);
            } else {
                match self.dyadic(data, &mut clock) {
                    Ok(section) => sections.push(section),
                    // Too many features, say: no reason to go without the others.
                    Err(error) => explored.no_dyadic = Some(NoDyadic::Refused(error.to_string())),
                }
            }
            sections.push(self.validated(found, data, &mut clock)?);
        }
        tell(budget, "looking at the rows");
        let mut report = blank(title, data, &self.loss);
        if let Resampling::Folds {
            folds,
            repeats,
            seed,
        } = self.resampling
        {
            report.folds = Some((folds, repeats, seed));
        }
        report.sections = sections;
        shorten(&mut report.sections, data.schema().classes().len());
        let n_trees = report.sections.iter().map(|section| section.entries.len());
        let is_slow = is_large(data, n_trees.sum());
        let is_late = || is_slow && budget.is_spent();
        look_at(&mut report.sections, data, &is_late)?;
        let single = report.sections[0].entries.first();
        report.baseline = single
            .filter(|entry| entry.leaves == 1)
            .map(|entry| entry.cost);
        report.start = good_enough(&report.sections);
        report.explored = Some(explored);
        Ok(report)
    }

    /// All best prunings of a greedy tree, for two penalties.
    fn greedy(&self, data: &Dataset, budget: &Budget) -> Result<Vec<Section>> {
        tell(budget, "greedy trees");
        let learner = Greedy {
            loss: self.loss.clone(),
            ..Greedy::default()
        };
        let pruned = Pruned {
            most_bytes: self.most_bytes as u64,
            ..Pruned::new(learner)
        };
        let penalties = [Penalty::Linear, "sqrt".parse()?];
        let found = pruned.fit_families(&penalties, data, budget, self.resampling)?;
        let section = |found: &FamilyFit| Section {
            seconds: found.training.seconds + found.seconds,
            ..of_family(found)
        };
        Ok(found.iter().map(section).collect())
    }

    /// The best dyadic trees, with as many halvings as the time allows.
    fn dyadic(&self, data: &Dataset, clock: &mut Clock<'_>) -> Result<Section> {
        let budget = clock.next(6);
        let start = Instant::now();
        let mut most: Option<FamilyFit> = None;
        let resolutions = [
            Resolution::Auto,
            Resolution::Same(3),
            Resolution::Same(2),
            Resolution::Same(1),
        ];
        let mut n_tried = 0;
        for resolution in resolutions {
            n_tried += 1;
            tell(&budget, &format!("dyadic trees{}", in_words(&resolution)));
            let learner = Dyadic {
                resolution,
                loss: self.loss.clone(),
                most_bytes: self.most_bytes,
                ..Dyadic::default()
            };
            let part = match budget.left() {
                None => budget.clone(),
                Some(left) => budget.within(left / 3),
            };
            let found = Searched::new(learner).fit_family(data, &part, Some(self.resampling))?;
            let is_validated = found.cross_validation.is_some();
            // Of several that were stopped, the one that came farthest.
            let knows_more = |other: &FamilyFit| found.family.len() > other.family.len();
            if is_validated || most.as_ref().is_none_or(knows_more) {
                most = Some(found);
            }
            if is_validated || budget.is_spent() {
                break;
            }
        }
        let found = most.expect("one was tried at least");
        let mut section = of_family(&found);
        if let Some(state) = &mut section.state {
            state.is_coarser = n_tried > 1;
        }
        Ok(Section {
            seconds: start.elapsed().as_secs_f64(),
            ..section
        })
    }

    /// The best trees of every size, for depths 1, 2, ... as far as the time allows.
    fn optimal(&self, data: &Dataset, clock: &mut Clock<'_>) -> Result<Vec<Sizes>> {
        let table = SortedColumns::new(data);
        let mut found: Vec<Sizes> = Vec::new();
        let mut shares = [1, 2, 4].into_iter();
        for (depth, share) in DEPTHS.into_iter().zip(&mut shares) {
            let budget = clock.next(share);
            if !found.is_empty() && budget.is_spent() {
                break;
            }
            tell(&budget, &format!("the best trees of depth {depth}"));
            let learner = Optimal {
                depth,
                loss: self.loss.clone(),
                most_bytes: self.most_bytes,
                ..Optimal::default()
            };
            let fit = learner.fit_family_sorted(&table, &budget)?;
            let is_complete = fit.is_complete();
            found.push(Sizes { learner, fit });
            if !is_complete {
                // A deeper search would not come to its end, either.
                break;
            }
        }
        clock.skip(shares.sum());
        Ok(found)
    }

    /// Of these families the deepest that is proven and for whose cross-validation there is time. Without any, the
    /// deepest that is proven; and if none is, what was found of the first.
    fn validated(
        &self,
        mut found: Vec<Sizes>,
        data: &Dataset,
        clock: &mut Clock<'_>,
    ) -> Result<Section> {
        let seconds: f64 = found.iter().map(|it| it.fit.seconds).sum();
        let shares = [1, 3, 4];
        let n_proven = found.iter().take_while(|it| it.fit.is_complete()).count();
        let is_unproven = found.len() > n_proven;
        found.truncate(n_proven.max(1));
        let mut chosen = found.len() - 1;
        for (place, Sizes { learner, fit }) in found.iter_mut().enumerate().rev() {
            let budget = clock.next(shares[place]);
            if n_proven == 0 || is_hopeless(fit, self.resampling, &budget) {
                continue;
            }
            let depth = learner.depth;
            tell(&budget, &format!("depth {depth} on rows left out"));
            let searched = Searched::new(learner.clone());
            fit.cross_validation = searched.validated(fit, self.resampling, data, &budget)?;
            if fit.cross_validation.is_some() {
                chosen = place;
                break;
            }
        }
        let is_shallower = is_unproven && n_proven > 0 || chosen + 1 < found.len();
        let mut fit = found.swap_remove(chosen).fit;
        if fit.cross_validation.is_none() {
            fit.learner.params.stop_validation();
        }
        let mut section = of_family(&fit);
        if let Some(state) = &mut section.state {
            state.is_coarser = is_shallower;
        }
        Ok(Section { seconds, ..section })
    }
}

/// The best trees of every size, and their learner.
struct Sizes {
    learner: Optimal,
    fit: FamilyFit,
}

/// Does it take long to send the rows through this many trees?
fn is_large(data: &Dataset, n_trees: usize) -> bool {
    const MANY_STEPS: usize = 500_000;
    data.n_rows().saturating_mul(n_trees) > MANY_STEPS
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

fn tell(budget: &Budget, what: &str) {
    budget.progress().enter(what.to_owned());
}

fn in_words(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Same(1) => ", one halving of each feature".into(),
        Resolution::Same(k) => format!(", {k} halvings of each feature"),
        _ => String::new(),
    }
}

//! Every tree worth having of one table: families of greedy, dyadic and optimal trees, judged on the same rows left
//! out, within a budget of time; and which of the trees is good enough.
//!
//! First come the families that are cheap, so that there is an answer soon. Then each of the others gets a part of the
//! time, and what did not come to its end gets all that is left.
//!
//! | file | idea |
//! |---|---|
//! | `search` | the order of the work, and the time for each part |
//! | `task` | parts of the work that can be gone on with |
//! | `greedy` | greedy trees with all their prunings, for each way of splitting that differs on the table |
//! | `dyadic` | the best dyadic trees on the finest grid that there is time for |
//! | `optimal` | the best trees of every size, of the largest depth that there is time for |
//! | `found` | a family that was found, and its trees as models |
//! | `kept_aside` | rows that neither a tree nor its choice has seen |
//! | `left_out` | how good the trees are on rows left out |
//! | `exploration` | the report with the families it is made from |
//! | `sections` | trees and families as parts of a report, and what is proven of them |
//! | `answer` | which tree to look at first, and how much of the others fits a page |
//! | `reports` | reports on a table, on one tree, on one family |

mod answer;
mod dyadic;
mod exploration;
mod found;
mod greedy;
mod kept_aside;
mod left_out;
mod optimal;
mod reports;
mod search;
mod sections;
mod task;

use super::resampling::Resampling;
use crate::budget::Budget;
use crate::cost::Loss;
use crate::data::Dataset;
use crate::error::Result;
use crate::eval::GoodEnough;

pub use self::exploration::Exploration;

/// Trees up to this size are part of a report.
const MOST_LEAVES: usize = 100;

/// How a table is explored.
#[derive(Debug, Clone)]
pub struct Explore {
    /// What wrong predictions cost.
    pub loss: Loss,
    /// Which rows are left out.
    pub resampling: Resampling,
    /// Which tree is good enough.
    pub good_enough: GoodEnough,
    /// This share of the rows is kept aside, to judge the chosen tree.
    pub holdout: Option<f64>,
    /// Memory for each search.
    pub most_bytes: usize,
}

impl Explore {
    /// Ten folds, no rows kept aside, no limits of memory.
    pub fn new(loss: Loss) -> Self {
        Self {
            loss,
            resampling: Resampling::default(),
            good_enough: GoodEnough::default(),
            holdout: None,
            most_bytes: usize::MAX,
        }
    }

    /// Refuses settings that make no sense for these rows.
    pub fn check(&self, data: &Dataset) -> Result<()> {
        data.require_rows_and_features()?;
        self.good_enough.check()?;
        match self.holdout {
            None => self.resampling.check(data),
            Some(share) => {
                let parts = kept_aside::split(data, share, self.seed())?;
                self.resampling.check(&parts.to_learn)
            }
        }
    }

    /// Finds the trees and says which one is good enough. A spent budget leaves away what was not reached.
    pub fn run(&self, title: &str, data: &Dataset, budget: &Budget) -> Result<Exploration> {
        self.check(data)?;
        match self.holdout {
            None => search::search(self, title, data, budget),
            Some(share) => {
                let parts = kept_aside::split(data, share, self.seed())?;
                let mut found = search::search(self, title, &parts.to_learn, budget)?;
                found.judge_on(&parts.aside)?;
                Ok(found)
            }
        }
    }

    fn seed(&self) -> u64 {
        match self.resampling {
            Resampling::Folds { seed, .. } | Resampling::Holdout { seed, .. } => seed,
        }
    }
}

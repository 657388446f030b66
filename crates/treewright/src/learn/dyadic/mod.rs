//! Optimal trees over all dyadic partitions.
//!
//! Every feature has a box, from its least to its largest training value. A split halves one side of the
//! box that it is asked about, so a cut can only lie at a half, a quarter, an eighth, ... of a box: of its length, or
//! of the rows in it. Among all trees of such splits, up to a number of halvings for each feature, the least
//! `cost + lambda * leaves` is found: exactly, for one weight or for all weights at once.
//!
//! | folder or file | idea |
//! |---|---|
//! | `switches` | a switch for each bound, cache and screening, and sizes of work |
//! | `parameters` | what the learner shall find, and how |
//! | `deadline` | limits of time, memory and work |
//! | `frontier` | best errors as functions of the weight of a leaf, or of the number of leaves |
//! | `problem` | rows become points of a grid with whole losses; how fine the grid must be |
//! | `plan` | a tree of halvings, and the tree that is built from it, with all rows in it |
//! | `engines` | the searches: all best trees in one pass, branch and bound, the recursion of the paper |
//! | `claim` | what a tree is claimed to be best at, and which trees must be known to prove it |
//! | `path` | from large weights to small ones, as far as time and memory allow |
//! | `search` | one tree or a family: which engine runs, and the certificate |
//!
//! After D. Hush and R. Porter, "Algorithms for optimal dyadic decision trees" (2010).
//! `docs/algorithms/dyadic.md` tells the whole story.

mod claim;
mod deadline;
mod engines;
mod frontier;
mod parameters;
mod path;
mod plan;
mod problem;
mod search;
mod switches;

use std::time::Duration;

use serde_json::Value;

pub use self::parameters::{
    Aim, Coding, Dyadic, GridBox, Method, Missing, Model, Resolution, Solver, Ties,
};
#[doc(hidden)]
pub use self::switches::DyadicSwitches;

use self::deadline::Resources;
use self::search::{family, single};
use super::{FamilyLearner, Learner};
use crate::budget::Budget;
use crate::cost::{Lambda, Penalty, total_weight};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::dyadic::problem::Grid;
use crate::tree::{FamilyFit, Fit, LearnerInfo, LearnerKind, Params, Tree};

impl Learner for Dyadic {
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        let budget = &self.for_search(data, budget);
        with_deep_stacks(|| single::fit(self, data, budget))
    }
}

impl FamilyLearner for Dyadic {
    fn fit_family(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        let budget = &self.for_search(data, budget);
        with_deep_stacks(|| family::fit(self, data, budget, true))
    }

    fn fit_fold(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        let budget = &self.for_search(data, budget);
        with_deep_stacks(|| family::fit(self, data, budget, false))
    }

    fn weight(&self, data: &Dataset) -> Result<Lambda> {
        let kappa = match &self.aim {
            Aim::Lambda(lambda) => return Ok(lambda.clone()),
            Aim::Kappa(kappa) => kappa,
            Aim::Leaves(_) => return Ok(Lambda::zero()),
        };
        Lambda::new(kappa.ratio() / total_weight(data))
    }
}

impl Dyadic {
    fn grid(&self, data: &Dataset, budget: &Budget) -> Result<Grid> {
        data.require_rows_and_features()?;
        if !(0.0..0.25).contains(&self.snap) {
            return Err(Error::parameter(
                "snap",
                self.snap,
                "a number from 0 to below 0.25",
            ));
        }
        if self.snap > 0.0 && self.grid_box == GridBox::Quantile {
            let allowed = "0 with the box `quantile`, where no value lies near a cut by chance";
            return Err(Error::parameter("snap", self.snap, allowed));
        }
        let n_classes = data.schema().classes().len();
        let is_engine = !matches!(self.solver, Solver::Recursion | Solver::PlainRecursion);
        if is_engine && n_classes > engines::MOST_CLASSES {
            return Err(Error::schema(format!(
                "{n_classes} classes are more than dyadic trees can be searched for, at most {}",
                engines::MOST_CLASSES
            )));
        }
        Grid::new(data, self, &self.resources(budget))
    }

    /// The limits of the search: the tree that it finds is then built, and all rows go through it.
    fn for_search(&self, data: &Dataset, budget: &Budget) -> Budget {
        const NANOS_PER_ROW: u64 = 80;
        let after = Duration::from_nanos(NANOS_PER_ROW.saturating_mul(data.n_rows() as u64));
        let after = budget.left().map_or(after, |left| after.min(left / 4));
        budget.within_memory(self.most_bytes).keeping(after)
    }

    fn resources<'a>(&self, budget: &'a Budget) -> Resources<'a> {
        Resources {
            budget,
            most_bytes: self.most_bytes,
            switches: self.switches,
        }
    }

    fn info(&self, grid: &Grid) -> LearnerInfo {
        let mut params = Params::default();
        let mut add = |name: &str, value: Value| params.insert(name, value);
        add("model", self.model.name().into());
        add("k", grid.halvings().into());
        if let Some(name) = self.grid_box.named() {
            add("box", name.into());
        }
        add("points", grid.points.len().into());
        add("coding", self.coding.name().into());
        add("missing", self.missing.name().into());
        add("snap", self.snap.into());
        if self.snap > 0.0 {
            add("snapped", grid.n_snapped.into());
        }
        if grid.is_capped {
            // Some rows of different classes lie closer together than the finest cells.
            add("capped", true.into());
        }
        if self.ties != Ties::default() {
            add("ties", self.ties.name().into());
        }
        if self.penalty != Penalty::Linear {
            add("penalty", self.penalty.to_string().into());
        }
        LearnerInfo {
            kind: LearnerKind::Dyadic,
            params,
        }
    }
}

/// Searches go as deep as there are halvings on a way, which may be thousands.
const STACK_BYTES: usize = 256 << 20;

/// Does some work on threads of its own, with room for deep recursions. Within work that is already
/// spread over threads it is one.
fn with_deep_stacks<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let is_spread = rayon::current_thread_index().is_some();
    let n_threads = if is_spread {
        1
    } else {
        rayon::current_num_threads()
    };
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .stack_size(STACK_BYTES)
        .build();
    match threads {
        Ok(threads) => threads.install(work),
        // No room for threads of its own: most searches are not deep.
        Err(_) => work(),
    }
}

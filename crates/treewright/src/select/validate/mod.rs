//! Cross-validation of several learners on the same folds.
//!
//! Every fold of every repeat is left out once for each learner, which learns from the other rows and is
//! asked for the rows left out. A row is thus answered by all learners, none of which has seen it, so that two
//! learners are compared row by row: what makes a row hard is the same for both and cancels out of the
//! difference, which is known far better than either error.
//!
//! | file | idea |
//! |---|---|
//! | `work` | the fits: which is next, and what is left of a fold once all learners had it |
//! | `apart` | several pieces of work at once that share no thread |
//! | `figures` | from sums over rows to means, standard errors and differences |
//!
//! Work: a fit for each learner, repeat and fold. Losses are added up in whole units, so that the order in
//! which fits end changes nothing, and equal errors are found equal.

use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::Learner;

use super::resampling::Resampling;

mod apart;
mod figures;
mod work;

use work::Work;

/// Validation of learners by rows that are left out of learning, the same rows for all.
///
/// ```
/// use treewright::Budget;
/// use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
/// use treewright::learn::{Greedy, optimal::Optimal};
/// use treewright::select::{Resampling, Validate};
///
/// let mut table = String::from("x,class\n");
/// for x in 0..60 {
///     let class = if (x < 30) == (x % 7 > 0) { "low" } else { "high" };
///     table += &format!("{x},{class}\n");
/// }
/// let source = CsvSource::new(table.into(), b',')?;
/// let data = Dataset::read(&source, &ReadOptions::default())?;
/// let (whole, stump) = (Greedy::default(), Optimal { depth: 1, intervals: Some(2), ..Optimal::default() });
/// let plan = Validate {
///     resampling: Resampling::Folds { folds: 5, repeats: 2, seed: 0 },
/// };
/// let validation = plan.run(&[&whole, &stump], &data, &Budget::unlimited())?;
/// assert_eq!(validation.folds.len(), 10);
/// // A cut in the middle is all there is to learn; the rest is noise.
/// assert_eq!(validation.best(), Some(1));
/// let stump_minus_whole = validation.difference(1, 0).expect("two learners");
/// assert!(stump_minus_whole.mean < 0.0 && stump_minus_whole.won > stump_minus_whole.lost);
/// # Ok::<(), treewright::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Validate {
    /// Which rows are left out, and how often.
    pub resampling: Resampling,
}

/// How some learners do on rows left out of learning. Learners have their places in the list, from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// The figures of each learner.
    pub learners: Vec<LearnerFigures>,
    /// Every learner against every one before it in the list: 1 against 0, 2 against 0, 2 against 1, ...
    pub differences: Vec<PairedDifference>,
    /// The folds that were completed by all learners, by repeat and fold. The figures are of these.
    pub folds: Vec<FoldFigures>,
    /// How many folds there were to be, over all repeats.
    pub planned: usize,
}

/// How one learner does. All figures are NaN if no fold is complete.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerFigures {
    /// Cost of all rows left out, divided by their weight: the error rate without a cost matrix, the mean
    /// squared error of numbers.
    pub error: f64,
    /// Standard error of that over the rows of a repeat, the mean over the repeats.
    pub se: f64,
    /// Number of leaves, over the folds.
    pub leaves: Spread,
    /// Depth of the tree, over the folds.
    pub depth: Spread,
    /// Wall time of learning, the mean over the folds. A fit shares its threads with no other.
    pub seconds: f64,
}

/// A figure over the folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation; NaN for a single fold.
    pub sd: f64,
}

/// One learner against another on the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedDifference {
    /// Place of the learner.
    pub learner: usize,
    /// Place of the one that it is compared with.
    pub against: usize,
    /// Error of the learner minus that of the other. NaN if no fold is complete.
    pub mean: f64,
    /// Standard error of that, from the differences of the losses on each row of a repeat; the mean over
    /// the repeats.
    pub se: f64,
    /// The difference in standard errors; NaN if there is no variation.
    pub z: f64,
    /// In how many folds the learner costs less.
    pub won: usize,
    /// In how many both cost exactly the same.
    pub tied: usize,
    /// In how many the learner costs more.
    pub lost: usize,
}

/// What became of one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldFigures {
    /// The repeat, from 0.
    pub repeat: usize,
    /// The fold of this repeat that was left out, from 0.
    pub fold: usize,
    /// How many rows were left out.
    pub rows: usize,
    /// Their weight.
    pub weight: f64,
    /// A tree for each learner.
    pub trees: Vec<TreeFigures>,
}

/// What one tree is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeFigures {
    /// Cost of the rows left out, divided by their weight.
    pub error: f64,
    /// Number of leaves.
    pub leaves: usize,
    /// Longest way from the root to a leaf.
    pub depth: usize,
    /// Wall time of learning.
    pub seconds: f64,
}

impl Validate {
    /// Validates some learners, which must agree on what a wrong prediction costs. All results but the
    /// seconds are the same for any number of threads. If the budget is spent, the folds count that all
    /// learners completed; earlier repeats come first. An error is that of the first fit that fails.
    ///
    /// Answers of numbers are expected to lie within the range of all targets, or one range beside it: a loss counts
    /// with the square of twice that range at most.
    pub fn run(
        &self,
        learners: &[&(dyn Learner + Sync)],
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Validation> {
        if learners.is_empty() {
            return Err(Error::parameter("learners", "none", "at least one"));
        }
        let work = Work::new(self.resampling, learners, data, budget)?;
        apart::run(work.n_fits(), &|| work.take_part());
        work.finish()
    }
}

impl Validation {
    /// Were all folds completed?
    pub fn is_complete(&self) -> bool {
        self.folds.len() == self.planned
    }

    /// The learner with the least error; of equal ones that with the fewest leaves, then the first. `None` if
    /// no fold is complete.
    pub fn best(&self) -> Option<usize> {
        let key = |place: &usize| {
            (
                self.learners[*place].error,
                self.learners[*place].leaves.mean,
            )
        };
        let known = (0..self.learners.len()).filter(|place| !key(place).0.is_nan());
        known.min_by(|a, b| {
            let ((error, leaves), (other, others)) = (key(a), key(b));
            error.total_cmp(&other).then(leaves.total_cmp(&others))
        })
    }

    /// One learner against one before it in the list.
    pub fn difference(&self, learner: usize, against: usize) -> Option<&PairedDifference> {
        if against >= learner {
            return None;
        }
        self.differences.get(figures::place_of(learner, against))
    }
}

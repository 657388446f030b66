//! A learner of the best trees for all weights, followed by the choice of the one that does best on rows
//! left out.
//!
//! For each fold the whole family is searched for anew, without the fold's rows.

use std::time::Instant;

use super::choose::{Rule, validate};
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::dyadic::Dyadic;
use crate::learn::{FamilyLearner, Learner};
use crate::prune::take_out;
use crate::select::resampling::Resampling;
use crate::tree::{CrossValidation, FamilyFit, Fit, Training, Tree};

/// Parameters of a learner of families whose members are judged by rows left out.
///
/// Folds are learned side by side; what the learner may use, such as memory, each of them may use.
///
/// ```
/// use treewright::Budget;
/// use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
/// use treewright::learn::{Learner, dyadic::Dyadic};
/// use treewright::select::Searched;
///
/// let mut table = String::from("x,class\n");
/// for x in 0..40 {
///     let class = if (x < 20) == (x % 7 > 0) { "low" } else { "high" };
///     table += &format!("{x},{class}\n");
/// }
/// let source = CsvSource::new(table.into(), b',')?;
/// let data = Dataset::read(&source, &ReadOptions::default())?;
/// let fit = Searched::new(Dyadic::default()).fit(&data, &Budget::unlimited())?;
/// assert_eq!(fit.model.n_leaves(), 2);
/// assert!(fit.certificate.is_some_and(|it| it.is_optimal()));
/// # Ok::<(), treewright::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Searched<L = Dyadic> {
    /// What finds the trees.
    pub learner: L,
    /// Which member of the family it shall be.
    pub rule: Rule,
    /// Which rows are left out.
    pub resampling: Resampling,
}

impl<L> Searched<L> {
    /// A learner of families, with the member of least error in cross-validation.
    pub fn new(learner: L) -> Self {
        Self {
            learner,
            rule: Rule::Least,
            resampling: Resampling::default(),
        }
    }
}

impl<L: FamilyLearner + Sync> Learner for Searched<L> {
    /// Finds the family and chooses a member. If the budget is spent before that, the tree for the
    /// learner's own weight comes back, with `stopped` and `stopped_in` among the parameters.
    fn fit(&self, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        let (_, fit) = self.fit_with_family(data, budget)?;
        Ok(fit)
    }
}

impl<L: FamilyLearner + Sync> Searched<L> {
    /// The family as [`Searched::fit_family`] finds it, and the tree that [`Learner::fit`] chooses from it.
    pub fn fit_with_family(
        &self,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<(FamilyFit, Fit<Tree>)> {
        let start = Instant::now();
        let (rule, resampling) = (self.rule, self.resampling);
        let mut found = self.search(data, budget, resampling)?;
        let mut fit = if let Some(validation) = &found.cross_validation {
            let member = rule.choose(validation);
            add_validation(&mut found, resampling);
            take_out(&found, member, None, Some(rule.name(resampling)))?
        } else {
            let fit = self.unvalidated(&found, data, budget)?;
            add_validation(&mut found, resampling);
            fit
        };
        fit.training = Training::of_leaves(&fit.model, data).taking(start.elapsed());
        Ok((found, fit))
    }

    /// Finds the best trees for all weights, with their errors on rows left out where these are asked
    /// for. `rule` and `resampling` have no say here. If the budget is spent before the errors are known,
    /// they are left away, with `stopped` and `stopped_in` among the parameters.
    pub fn fit_family(
        &self,
        data: &Dataset,
        budget: &Budget,
        resampling: Option<Resampling>,
    ) -> Result<FamilyFit> {
        let Some(resampling) = resampling else {
            return self.learner.fit_family(data, budget);
        };
        let mut found = self.search(data, budget, resampling)?;
        add_validation(&mut found, resampling);
        Ok(found)
    }

    /// Finds the family, with the errors of its members on held-out rows if the budget lasts.
    fn search(&self, data: &Dataset, budget: &Budget, resampling: Resampling) -> Result<FamilyFit> {
        let start = Instant::now();
        resampling.check(data)?;
        let mut found = self.learner.fit_family(data, budget)?;
        found.cross_validation = self.validated(&found, resampling, data, budget)?;
        found.seconds = start.elapsed().as_secs_f64();
        Ok(found)
    }

    /// How the members of a family do on rows left out. `None` if a search, that of all rows or that of a fold, did not
    /// come to its end.
    pub(in crate::select) fn validated(
        &self,
        found: &FamilyFit,
        resampling: Resampling,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Option<CrossValidation>> {
        if !found.is_complete() {
            return Ok(None);
        }
        let search = |rows: Dataset, budget: &Budget| {
            let found = self.learner.fit_fold(&rows, budget)?;
            Ok(found.is_complete().then_some(found.family))
        };
        validate(&search, data, &found.family, resampling, budget)
    }

    /// The tree for the learner's own weight: a member, unless the family does not reach so far down. If a search for
    /// all sizes was stopped, the tree of least cost.
    fn unvalidated(&self, found: &FamilyFit, data: &Dataset, budget: &Budget) -> Result<Fit<Tree>> {
        let lambda = self.learner.weight(data)?;
        let mut fit = if found.family.has_all_sizes() && !found.is_complete() {
            // Of its largest tree something is known.
            take_out(found, found.family.len() - 1, None, None)?
        } else if lambda.to_f64() < found.exact_down_to {
            self.learner.fit(data, budget)?
        } else {
            take_out(found, found.family.at(&lambda), Some(lambda), None)?
        };
        fit.learner.params.stop_validation();
        Ok(fit)
    }
}

/// Adds to the parameters which rows were held out, and whether the budget was spent before the end.
fn add_validation(found: &mut FamilyFit, resampling: Resampling) {
    let params = &mut found.learner.params;
    params.extend(resampling.params());
    if found.cross_validation.is_none() {
        params.stop_validation();
    }
}

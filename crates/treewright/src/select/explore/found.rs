//! A family that was found, with what is needed to find it again on other rows.

use super::sections::id_of;
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::dyadic::Dyadic;
use crate::learn::optimal::Optimal;
use crate::learn::{FamilyLearner, Greedy};
use crate::prune::take_out;
use crate::select::family::Pruned;
use crate::select::resampling::Resampling;
use crate::tree::{CrossValidation, FamilyFit, Fit, Training, Tree};

/// Who found a family.
#[derive(Debug, Clone)]
pub(super) enum Learned {
    Greedy(Greedy),
    Dyadic(Dyadic),
    Optimal(Optimal),
}

/// A family, and how it was judged.
#[derive(Debug, Clone)]
pub(super) struct Found {
    learner: Learned,
    pub(super) fit: FamilyFit,
    /// What sets it apart from the first family of its learner.
    pub(super) way: Option<&'static str>,
    /// Which rows were left out to judge it, if it was judged.
    pub(super) judged_by: Option<Resampling>,
    /// Is there a larger family of this kind, for which the time did not last?
    pub(super) is_coarser: bool,
    /// Time of all that was tried for it.
    pub(super) seconds: f64,
}

impl Found {
    /// A family that is not judged yet, unless it comes with its errors.
    pub(super) fn new(learner: Learned, fit: FamilyFit) -> Self {
        Self {
            learner,
            fit,
            way: None,
            judged_by: None,
            is_coarser: false,
            seconds: 0.0,
        }
    }

    /// Takes the errors of its members on rows left out.
    pub(super) fn judge(&mut self, errors: CrossValidation, resampling: Resampling) {
        let params = &mut self.fit.learner.params;
        params.take_resampling();
        params.extend(resampling.params());
        self.fit.cross_validation = Some(errors);
        self.judged_by = Some(resampling);
    }

    /// A name that no other family of a report has.
    pub(super) fn id(&self) -> String {
        let id = id_of(&self.fit);
        match self.way {
            None => id,
            Some(way) => format!("{id}-{way}"),
        }
    }

    pub(super) fn learner(&self) -> &Learned {
        &self.learner
    }

    /// Says no more how its members do on rows left out.
    pub(super) fn forget_errors(&mut self) {
        let params = &mut self.fit.learner.params;
        params.take_resampling();
        params.stop_validation();
        self.fit.cross_validation = None;
        self.judged_by = None;
    }

    /// A member as a model of its own.
    pub(super) fn model(&self, member: usize, data: &Dataset) -> Result<Fit<Tree>> {
        let fit = take_out(&self.fit, member, None, None)?;
        let seconds = fit.training.seconds;
        // By predictions: where rows are shared out that is not a sum over leaves.
        let mut training = Training::of(&fit.model, data);
        training.seconds = seconds;
        Ok(Fit { training, ..fit })
    }

    /// The tree of the same kind with as many leaves, or the next smaller one, learned from other rows.
    pub(super) fn again(
        &self,
        leaves: usize,
        most_bytes: u64,
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Fit<Tree>> {
        let fit = match &self.learner {
            Learned::Greedy(learner) => {
                let pruned = Pruned {
                    most_bytes,
                    ..Pruned::new(learner.clone())
                };
                pruned.fit_family(data, budget, None)?
            }
            Learned::Dyadic(learner) => learner.fit_family(data, budget)?,
            Learned::Optimal(learner) => learner.fit_family(data, budget)?,
        };
        let member = fit.family.with_leaves(leaves).unwrap_or(0);
        Self::new(self.learner.clone(), fit).model(member, data)
    }
}

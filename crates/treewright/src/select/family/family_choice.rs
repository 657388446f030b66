//! Which member of a family, and that member as a model of its own.

use super::choose::Rule;
use crate::cost::Lambda;
use crate::error::Result;
use crate::prune::take_out;
use crate::select::resampling::Resampling;
use crate::tree::{FamilyFit, Fit, Tree};

/// Which member of a family is wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum FamilyChoice {
    /// The best one for a weight of the penalty.
    Weight(Lambda),
    /// The largest one with at most this many leaves.
    Leaves(usize),
    /// The one that a rule chooses by the errors on held-out rows. The name of the rule goes into the model file.
    HeldOut {
        /// The rule.
        rule: Rule,
        /// Its name.
        name: &'static str,
    },
}

impl FamilyChoice {
    /// The member that a rule chooses by the errors on these held-out rows.
    pub fn by_rule(rule: Rule, resampling: Resampling) -> Self {
        let name = rule.name(resampling);
        Self::HeldOut { rule, name }
    }

    /// The place of the member in the family. `None` if all members have more leaves, or if the errors on held-out
    /// rows are not known.
    pub fn place(&self, found: &FamilyFit) -> Option<usize> {
        match self {
            Self::Weight(lambda) => Some(found.family.at(lambda)),
            Self::Leaves(most) => found.family.with_leaves(*most),
            Self::HeldOut { rule, .. } => {
                let validation = found.cross_validation.as_ref()?;
                Some(rule.choose(validation))
            }
        }
    }

    /// The member as a model of its own; `None` as for [`FamilyChoice::place`].
    pub fn take_out(&self, found: &FamilyFit) -> Result<Option<Fit<Tree>>> {
        let Some(place) = self.place(found) else {
            return Ok(None);
        };
        let (lambda, rule) = match self {
            Self::Weight(lambda) => (Some(lambda.clone()), None),
            Self::Leaves(_) => (None, None),
            Self::HeldOut { name, .. } => (None, Some(*name)),
        };
        take_out(found, place, lambda, rule).map(Some)
    }
}

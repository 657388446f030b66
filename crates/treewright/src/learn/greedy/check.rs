//! Refuses parameters that make no sense, alone or with the data at hand.

use super::parameters::Greedy;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result, quoted};

impl Greedy {
    /// Refuses parameters that make no sense, alone or with this data.
    pub fn check(&self, data: &Dataset) -> Result<()> {
        let has_classes = match data.target() {
            Target::Classes(_) => true,
            Target::Numbers(_) => false,
            Target::Absent => return Err(Error::schema("the table has no target to learn")),
        };
        data.require_rows_and_features()?;
        let at_least = |name, given: usize, least: usize| match given {
            given if given < least => {
                Err(Error::parameter(name, given, format!("at least {least}")))
            }
            _ => Ok(()),
        };
        at_least("min-split", self.min_split, 2)?;
        at_least("min-leaf", self.min_leaf, 1)?;
        at_least("bins", self.bins, 2)?;
        check_min_leaf_weight(self.min_leaf_weight)?;
        self.rules.never_below(data.schema())?;
        if let Some(share) = self.min_class_share.as_ref().filter(|_| !has_classes) {
            let allowed = "none for a regression target";
            return Err(Error::parameter("min-class-share", share, allowed));
        }
        if self.bins > 1 << 16 {
            return Err(Error::parameter("bins", self.bins, "at most 65536"));
        }
        if !self.min_gain.is_finite() || self.min_gain < 0.0 {
            let allowed = "a number that is not negative";
            return Err(Error::parameter("min-gain", self.min_gain, allowed));
        }
        let criterion = self.criterion(data);
        if criterion.is_for_classes() != has_classes {
            let allowed = if has_classes {
                "gini, entropy, gain-ratio or error for a classification target"
            } else {
                "mse, mae or binned-gini for a regression target"
            };
            return Err(Error::parameter("criterion", criterion.name(), allowed));
        }
        match &self.loss {
            Loss::Matrix(_) if !has_classes => {
                Err(Error::schema("costs need a classification target"))
            }
            Loss::Matrix(matrix) if matrix.n_classes() != data.schema().classes().len() => {
                Err(Error::schema(format!(
                    "costs for {} classes, but the target has {}",
                    matrix.n_classes(),
                    data.schema().classes().len()
                )))
            }
            Loss::Squared if has_classes => {
                Err(Error::schema("squared loss needs a number target"))
            }
            _ => check_range(data),
        }
    }
}

/// Refuses what is not a share that two leaves can have.
pub(crate) fn check_min_leaf_weight(share: f64) -> Result<()> {
    if (0.0..=0.5).contains(&share) {
        return Ok(());
    }
    let allowed = "a share of the weight of all rows, from 0 to 0.5";
    Err(Error::parameter("min-leaf-weight", share, allowed))
}

/// Refuses numbers so far apart that sums of their squared differences are not finite.
pub(super) fn check_range(data: &Dataset) -> Result<()> {
    let Target::Numbers(numbers) = data.target() else {
        return Ok(());
    };
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = largest - least;
    if (range.max(1.0).powi(2) * data.total_weight()).is_finite() {
        return Ok(());
    }
    Err(Error::schema(format!(
        "column {}: the target goes from {least:e} to {largest:e}, and squares of such differences \
         are not finite numbers",
        quoted(&data.schema().target.name)
    )))
}

//! How a tree is chosen by held-out rows.

use pyo3::prelude::*;
use treewright::select::{Resampling, Rule};

use crate::errors::named;

/// Parameters of a choice by held-out rows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct SelectionParams {
    select: Option<String>,
    cv: Option<usize>,
    repeats: usize,
    holdout: f64,
    seed: u64,
}

impl SelectionParams {
    /// The rule that chooses and the rows that are held out, if a tree is chosen by them.
    pub(super) fn choice(&self) -> PyResult<Option<(Rule, Resampling)>> {
        let rules = [
            ("cv", Rule::Least),
            ("holdout", Rule::Least),
            ("1se", Rule::OneSe),
        ];
        let rule = self.select.as_deref();
        let rule = rule.map(|rule| named("select", rule, &rules)).transpose()?;
        Ok(rule.zip(self.resampling()))
    }

    /// The rows that are held out, if some are.
    pub(super) fn resampling(&self) -> Option<Resampling> {
        let seed = self.seed;
        if self.select.as_deref() == Some("holdout") {
            let share = self.holdout;
            return Some(Resampling::Holdout { share, seed });
        }
        Some(Resampling::Folds {
            folds: self.cv?,
            repeats: self.repeats,
            seed,
        })
    }
}

//! Which rows are left out of learning.

use serde_json::{Map, Value};

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::eval::Folds;

/// Which rows are left out, and how often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resampling {
    /// Cross-validation: each of the folds is left out once.
    Folds {
        /// Number of folds, from 2 to the number of rows.
        folds: usize,
        /// How often the rows are dealt into folds anew, at least once. Figures are means over these.
        repeats: usize,
        /// Decides the folds.
        seed: u64,
    },
    /// One part of the rows is left out, once.
    Holdout {
        /// Its share of the rows, between 0 and 1.
        share: f64,
        /// Decides the rows.
        seed: u64,
    },
}

impl Default for Resampling {
    fn default() -> Self {
        Self::Folds {
            folds: 10,
            repeats: 1,
            seed: 0,
        }
    }
}

impl Resampling {
    /// How often rows are dealt, at least once.
    pub fn repeats(self) -> Result<usize> {
        match self {
            Self::Folds { repeats: 0, .. } => Err(Error::parameter("repeats", 0, "at least 1")),
            Self::Folds { repeats, .. } => Ok(repeats),
            Self::Holdout { .. } => Ok(1),
        }
    }

    /// Can these rows be dealt so?
    pub(super) fn check(self, data: &Dataset) -> Result<()> {
        self.repeats()?;
        self.deal(data, 0).map(drop)
    }

    /// The folds of one of the repeats, counted from 0.
    pub fn deal(self, data: &Dataset, repeat: usize) -> Result<Folds> {
        match self {
            Self::Folds { folds, seed, .. } => {
                Folds::stratified(data, folds, seed_of(seed, repeat as u64))
            }
            Self::Holdout { share, seed } => Folds::holdout(data, share, seed),
        }
    }

    /// How many times something is learned in all.
    pub(super) fn n_trees(self) -> u64 {
        match self {
            Self::Folds { folds, repeats, .. } => (folds as u64).saturating_mul(repeats as u64),
            Self::Holdout { .. } => 1,
        }
    }

    /// Itself as parameters that go into a file.
    pub(super) fn params(self) -> Map<String, Value> {
        let params: Vec<(&str, Value)> = match self {
            Self::Folds {
                folds,
                repeats,
                seed,
            } => vec![
                ("folds", folds.into()),
                ("repeats", repeats.into()),
                ("seed", seed.into()),
            ],
            Self::Holdout { share, seed } => {
                vec![("holdout", share.into()), ("seed", seed.into())]
            }
        };
        let named = |(name, value): (&str, Value)| (name.to_owned(), value);
        params.into_iter().map(named).collect()
    }
}

/// The seed of a repeat. Far apart, so that the repeats of one seed are not those of its neighbour.
pub(super) fn seed_of(seed: u64, repeat: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    seed.wrapping_add(repeat.wrapping_mul(GOLDEN))
}

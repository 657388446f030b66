//! Which rows are held out of learning, and how often.
//!
//! Each flag is a group of its own: commands have them in different company. What differs between them, the default
//! and the sentence of help, a command changes with `mut_arg`, or with `mut_args` where all flags of a heading change:
//! `mut_arg` moves a flag, and the heading would move with the last of them.

use anyhow::Result;
use clap::Args;

use crate::args::values::WholeNumber;

/// Number of folds.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FoldsArg {
    /// Number of folds
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    folds: Option<WholeNumber>,
}

/// Number of repeats.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RepeatsArg {
    /// How often the rows are dealt into folds anew
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    repeats: Option<WholeNumber>,
}

/// Share of the rows that is held out.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct HoldoutArg {
    /// Share of the rows that is held out
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    holdout: Option<f64>,
}

/// Seed of random choices.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct SeedArg {
    /// Decides which rows are left out when
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<WholeNumber>,
}

impl FoldsArg {
    pub(crate) fn is_given(self) -> bool {
        self.folds.is_some()
    }

    /// The number, if one was given.
    pub(crate) fn count(self) -> Result<Option<usize>> {
        self.folds.map(|folds| folds.count("folds", 2)).transpose()
    }
}

impl RepeatsArg {
    pub(crate) fn is_given(self) -> bool {
        self.repeats.is_some()
    }

    /// The number; 1 unless given.
    pub(crate) fn count(self) -> Result<usize> {
        let repeats = self.repeats.map(|repeats| repeats.count("repeats", 1));
        Ok(repeats.transpose()?.unwrap_or(1))
    }
}

impl HoldoutArg {
    const USUAL: f64 = 0.3;

    pub(crate) fn is_given(self) -> bool {
        self.holdout.is_some()
    }

    /// The share; 0.3 unless given.
    pub(crate) fn share(self) -> f64 {
        self.holdout.unwrap_or(Self::USUAL)
    }
}

impl SeedArg {
    /// The seed; 0 unless given.
    pub(crate) fn number(self) -> Result<u64> {
        let seed = self.seed.map(|seed| seed.count("seed", 0));
        Ok(seed.transpose()?.unwrap_or(0) as u64)
    }
}

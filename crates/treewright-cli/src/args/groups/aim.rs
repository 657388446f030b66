//! What a single tree shall be best at: a weight of the penalty, or a size.

use anyhow::Result;
use clap::Args;
use treewright::cost::Lambda;

use crate::args::values::{ExactNumber, WholeNumber};

/// Weight of the penalty.
#[derive(Debug, Args)]
pub(crate) struct LambdaArg {
    /// What a leaf costs, on the scale of the error rate: a decimal or p/q, read exactly
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    lambda: Option<ExactNumber>,
}

/// Most leaves.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct LeavesArg {
    /// The least cost with at most K leaves, instead of a price of leaves
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    leaves: Option<WholeNumber>,
}

impl LambdaArg {
    /// The weight, if one was given.
    pub(crate) fn value(&self) -> Result<Option<Lambda>> {
        let lambda = self.lambda.as_ref();
        lambda.map(|lambda| lambda.value("lambda")).transpose()
    }
}

impl LeavesArg {
    /// The number, if one was given.
    pub(crate) fn count(self) -> Result<Option<usize>> {
        self.leaves
            .map(|leaves| leaves.count("leaves", 1))
            .transpose()
    }
}

//! The learner of optimal trees of bounded depth.

use std::str::FromStr;

use anyhow::Result;
use clap::{Args, ValueEnum};
use treewright::cost::Loss;
use treewright::learn::optimal::Optimal;
use treewright::tree::CategoricalSplits;

use crate::args::groups::RulesArgs;
use crate::args::values::{ExactNumber, WholeNumber};

/// Which optimal trees are compared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Optimal tree")]
pub(crate) struct BoundedArgs {
    /// Longest way from the root to a leaf
    #[arg(
        long,
        alias = "max-depth",
        value_name = "D",
        default_value = "2",
        allow_negative_numbers = true
    )]
    depth: WholeNumber,
    /// Numeric features have up to K intervals at the last level, and two above it; `auto` is one more
    /// than there are classes
    #[arg(
        long,
        value_name = "K|auto",
        default_value = "auto",
        allow_negative_numbers = true
    )]
    intervals: IntervalsArg,
    /// How a split parts categories
    #[arg(long, value_name = "HOW", default_value = "grouped")]
    categorical_splits: CategoricalSplitsArg,
    /// A leaf has at least this many rows
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    min_leaf: WholeNumber,
    #[command(flatten)]
    rules: RulesArgs,
}

/// The learner of optimal trees of bounded depth.
#[derive(Debug, Args)]
#[command(next_help_heading = "Optimal tree")]
pub(crate) struct OptimalArgs {
    #[command(flatten)]
    bounded: BoundedArgs,
    /// What a leaf costs, on the scale of the error rate: a decimal or p/q, read exactly
    #[arg(
        long,
        visible_alias = "lambda",
        value_name = "X",
        default_value = "0",
        allow_hyphen_values = true
    )]
    leaf_cost: ExactNumber,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CategoricalSplitsArg {
    /// One category against the rest, and at the last level up to K groups, or two
    Grouped,
    /// One category against the rest
    OneVsRest,
    /// A branch for each category
    Multiway,
}

/// A number of intervals as it was typed, perhaps out of range.
#[derive(Debug, Clone)]
enum IntervalsArg {
    Auto,
    AtMost(WholeNumber),
}

impl FromStr for IntervalsArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let number = text.parse().map(Self::AtMost);
        number.map_err(|_| "expected auto or a whole number")
    }
}

impl OptimalArgs {
    /// The learner with these parameters.
    pub(crate) fn learner(&self, loss: Loss, most_bytes: Option<u64>) -> Result<Optimal> {
        Ok(Optimal {
            leaf_cost: self.leaf_cost.value("leaf-cost")?,
            ..self.bounded.learner(loss, most_bytes)?
        })
    }
}

impl BoundedArgs {
    /// The learner of these trees, without a cost of leaves.
    pub(crate) fn learner(&self, loss: Loss, most_bytes: Option<u64>) -> Result<Optimal> {
        Ok(Optimal {
            depth: self.depth.count("depth", 0)?,
            intervals: match &self.intervals {
                IntervalsArg::Auto => None,
                IntervalsArg::AtMost(number) => Some(number.count("intervals", 1)?),
            },
            categorical_splits: match self.categorical_splits {
                CategoricalSplitsArg::Grouped => CategoricalSplits::Grouped,
                CategoricalSplitsArg::OneVsRest => CategoricalSplits::OneVsRest,
                CategoricalSplitsArg::Multiway => CategoricalSplits::Multiway,
            },
            min_leaf: self.min_leaf.count("min-leaf", 1)?,
            rules: self.rules.rules()?,
            min_class_share: self.rules.min_class_share()?,
            loss,
            most_bytes: most_bytes.map_or(usize::MAX, |most| {
                usize::try_from(most).unwrap_or(usize::MAX)
            }),
            ..Optimal::default()
        })
    }
}

//! Pruning, and choosing among prunings.

use std::str::FromStr;

use anyhow::{Result, anyhow, bail};
use clap::{ArgGroup, Args, ValueEnum};
use treewright::ErrorKind;
use treewright::cost::Lambda;
use treewright::prune::{Impurity, Method, PruningCost};
use treewright::select::{Resampling, Rule};

use super::{PenaltyArgs, WholeNumber};

/// How trees are pruned.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pruning")]
pub(crate) struct PruningArgs {
    #[command(flatten)]
    pub(crate) penalty: PenaltyArgs,
    /// What a leaf costs: its wrong predictions (or what `--costs` said about them; squared errors in
    /// regression), or weight times impurity, as in scikit-learn's `ccp_alpha` [default: error]
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<CostArg>,
    /// The algorithm; all that fit the penalty give the same objective [default: auto]
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<MethodArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CostArg {
    Error,
    Impurity,
    /// Squared errors; for regression
    Mse,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MethodArg {
    /// The fastest that fits the penalty
    Auto,
    /// From the leaves up: for linear penalties
    Additive,
    /// Through the linear family: for concave penalties
    Family,
    /// Through the least cost of every size: for all
    Table,
}

impl PruningArgs {
    /// What a leaf costs. Which impurity it is depends on the learner.
    pub(crate) fn cost(&self) -> PruningCost {
        match self.cost {
            None | Some(CostArg::Error) => PruningCost::Error,
            Some(CostArg::Impurity) => PruningCost::Impurity(Impurity::default()),
            Some(CostArg::Mse) => PruningCost::Squared,
        }
    }

    pub(crate) fn method(&self) -> Method {
        match self.method {
            None | Some(MethodArg::Auto) => Method::Auto,
            Some(MethodArg::Additive) => Method::Additive,
            Some(MethodArg::Family) => Method::Family,
            Some(MethodArg::Table) => Method::Table,
        }
    }
}

/// A number as it was typed, a decimal or p/q, perhaps out of range. It is read exactly.
#[derive(Debug, Clone)]
pub(crate) struct ExactNumber(String);

impl FromStr for ExactNumber {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_number(text) {
            Ok(Self(text.into()))
        } else {
            Err("expected a number: a decimal such as 0.01 or 1e-3, or a ratio such as 1/300")
        }
    }
}

impl ExactNumber {
    /// The number, if it is not negative.
    pub(crate) fn value(&self, flag: &str) -> Result<Lambda> {
        self.0.parse().map_err(|error: treewright::Error| {
            let given = &self.0;
            match error.kind() {
                ErrorKind::Parameter { allowed, .. } => {
                    anyhow!("{flag}: got {given}, expected {allowed}")
                }
                _ => anyhow!("{flag}: {error}"),
            }
        })
    }
}

/// Is this the text of a number at all?
pub(super) fn is_number(text: &str) -> bool {
    let is_whole = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match text.split_once('/') {
        Some((numerator, denominator)) => is_whole(numerator) && is_whole(denominator),
        None => text.parse::<f64>().is_ok(),
    }
}

/// Choosing a tree by rows that are left out of learning.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Choosing a tree",
    group(ArgGroup::new("resampling").args(["select", "folds"]).multiple(true))
)]
pub(crate) struct SelectArgs {
    /// By cross-validation: the least error (cv), or the smallest tree within one standard error of it
    /// (1se); or by one part of the rows (holdout)
    #[arg(long, value_name = "RULE")]
    pub(crate) select: Option<SelectArg>,
    /// Number of folds of the cross-validation; without this and `--select` there is none [default:
    /// 10 with `--select cv` or `1se`]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    folds: Option<WholeNumber>,
    /// How often the rows are dealt into folds anew [default: 1]
    #[arg(
        long,
        value_name = "N",
        requires = "resampling",
        conflicts_with = "holdout",
        allow_negative_numbers = true
    )]
    repeats: Option<WholeNumber>,
    /// Share of the rows that `--select holdout` leaves out [default: 0.3]
    #[arg(
        long,
        value_name = "SHARE",
        requires = "select",
        conflicts_with = "folds",
        allow_negative_numbers = true
    )]
    holdout: Option<f64>,
    /// Decides which rows are left out when [default: 0]
    #[arg(
        long,
        value_name = "N",
        requires = "resampling",
        allow_negative_numbers = true
    )]
    seed: Option<WholeNumber>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelectArg {
    /// The least error in cross-validation
    Cv,
    /// The smallest tree within one standard error of that
    #[value(name = "1se")]
    OneSe,
    /// The least error on one part of the rows
    Holdout,
}

impl SelectArg {
    pub(crate) fn rule(self) -> Rule {
        match self {
            Self::Cv | Self::Holdout => Rule::Least,
            Self::OneSe => Rule::OneSe,
        }
    }

    /// The name on the command line and in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cv => "cv",
            Self::OneSe => "1se",
            Self::Holdout => "holdout",
        }
    }
}

impl SelectArgs {
    /// The rule and the rows that choose a tree, if they shall.
    pub(crate) fn rule(&self) -> Result<Option<(Rule, Resampling)>> {
        let resampling = self.resampling()?;
        Ok(self.select.map(SelectArg::rule).zip(resampling))
    }

    /// Which rows are left out, if any are.
    pub(crate) fn resampling(&self) -> Result<Option<Resampling>> {
        let whole = |number: Option<WholeNumber>, flag, least, default| match number {
            Some(number) => number.count(flag, least),
            None => Ok(default),
        };
        let seed = whole(self.seed, "seed", 0, 0)? as u64;
        if self.select == Some(SelectArg::Holdout) {
            if self.folds.is_some() || self.repeats.is_some() {
                bail!("--folds and --repeats go with --select cv or 1se, not with holdout");
            }
            let share = self.holdout.unwrap_or(0.3);
            return Ok(Some(Resampling::Holdout { share, seed }));
        }
        if self.holdout.is_some() {
            bail!("--holdout goes with --select holdout");
        }
        if self.select.is_none() && self.folds.is_none() {
            return Ok(None);
        }
        Ok(Some(Resampling::Folds {
            folds: whole(self.folds, "folds", 2, 10)?,
            repeats: whole(self.repeats, "repeats", 1, 1)?,
            seed,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimals_or_ratios() {
        for text in ["0", "-1", "1e-3", "1/300", "-2/3", ".5"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "abc", "1/", "/2", "1/2/3", "1/0.5", "0,1"] {
            assert!(!is_number(text), "{text}");
        }
    }
}

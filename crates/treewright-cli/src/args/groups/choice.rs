//! Choosing a tree by rows that are left out of learning.

use anyhow::{Result, bail};
use clap::{ArgGroup, Args, ValueEnum};
use treewright::select::{Resampling, Rule};

use super::{FoldsArg, HoldoutArg, RepeatsArg, SeedArg};

/// Number of folds unless given.
const USUAL_FOLDS: usize = 10;
const FOLDS_HELP: &str = "Number of folds of the cross-validation; without this and `--select` there is none \
                          [default: 10 with `--select cv` or `1se`]";

/// Choosing a tree by rows that are left out of learning.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Choosing a tree",
    group(ArgGroup::new("resampling").args(["select", "folds"]).multiple(true)),
    mut_arg("folds", |arg| arg.help(FOLDS_HELP)),
    mut_arg("repeats", |arg| {
        let help = "How often the rows are dealt into folds anew [default: 1]";
        arg.help(help).requires("resampling").conflicts_with("holdout")
    }),
    mut_arg("holdout", |arg| {
        let help = "Share of the rows that `--select holdout` leaves out [default: 0.3]";
        arg.help(help).requires("select").conflicts_with("folds")
    }),
    mut_arg("seed", |arg| {
        let help = "Decides which rows are left out when [default: 0]";
        arg.help(help).requires("resampling")
    }),
)]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    pub(crate) select: RuleArg,
    #[command(flatten)]
    folds: FoldsArg,
    #[command(flatten)]
    repeats: RepeatsArg,
    #[command(flatten)]
    holdout: HoldoutArg,
    #[command(flatten)]
    seed: SeedArg,
}

/// The rule that chooses.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RuleArg {
    /// By cross-validation: the least error (cv), or the smallest tree within one standard error of it
    /// (1se); or by one part of the rows (holdout)
    #[arg(long, value_name = "RULE")]
    pub(crate) select: Option<SelectArg>,
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
        Ok(self.select.select.map(SelectArg::rule).zip(resampling))
    }

    /// Which rows are left out, if any are.
    pub(crate) fn resampling(&self) -> Result<Option<Resampling>> {
        let select = self.select.select;
        let seed = self.seed.number()?;
        if select == Some(SelectArg::Holdout) {
            if self.folds.is_given() || self.repeats.is_given() {
                bail!("--folds and --repeats go with --select cv or 1se, not with holdout");
            }
            let share = self.holdout.share();
            return Ok(Some(Resampling::Holdout { share, seed }));
        }
        if self.holdout.is_given() {
            bail!("--holdout goes with --select holdout");
        }
        if select.is_none() && !self.folds.is_given() {
            return Ok(None);
        }
        Ok(Some(Resampling::Folds {
            folds: self.folds.count()?.unwrap_or(USUAL_FOLDS),
            repeats: self.repeats.count()?,
            seed,
        }))
    }
}

//! `validate`: cross-validation of learners, on the same folds.

use anyhow::Result;
use clap::Args;
use treewright::select::{Resampling, Validate};

use crate::args::groups::{FoldsArg, LimitArgs, OutputArgs, RepeatsArg, SeedArg, TableArgs};
use crate::args::learners::{LearnersArg, NamedLearner};

const USUAL_FOLDS: usize = 10;

/// Cross-validation of learners, all on the same folds: which of them does best on new rows?
///
/// The rows are dealt into folds that are alike in their classes. Each fold is left out once; every learner
/// learns from the others and is asked for the rows left out. The table shows for each learner the error on
/// these rows with its standard error, the size of its trees and the time of a fit.
///
/// A second table compares every learner with the first of the list, row by row. A negative difference says
/// that a learner is better than the first; beyond two standard errors (z below -2) that is hardly chance.
///
/// A learner is a name with settings after colons, which are options of `treewright fit` with that learner:
/// greedy:criterion=gain-ratio:select=1se, dyadic:kappa=5, optimal:depth=1. A learner with a comma in it
/// is put in double quotes inside the list.
#[derive(Debug, Args)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "folds" => arg.default_value("10"),
    "repeats" => arg.default_value("1"),
    "seed" => arg.default_value("0"),
    _ => arg,
}))]
#[command(after_help = "\
Examples:
  treewright validate greedy,greedy:select=1se,optimal:depth=2 iris.csv
  treewright validate greedy:max-depth=3,optimal:depth=3:intervals=2 titanic.csv --target survived --repeats 5
  treewright validate '\"dyadic:k=3,2,1\",greedy' iris.csv --folds 5 --seed 7
  treewright validate greedy,optimal big.csv --repeats 100 --time-limit 10m
  treewright validate greedy,optimal iris.csv -o folds.csv
  treewright validate greedy,optimal iris.csv --json | jq '.best'")]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    learners: LearnersArg,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten, next_help_heading = "Validation")]
    folds: FoldsArg,
    #[command(flatten)]
    repeats: RepeatsArg,
    #[command(flatten)]
    seed: SeedArg,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How the rows are dealt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dealing {
    pub(crate) folds: usize,
    pub(crate) repeats: usize,
    pub(crate) seed: u64,
}

impl ValidateArgs {
    /// The learners of the list, each once.
    pub(crate) fn learners(&self) -> Result<Vec<NamedLearner>> {
        self.learners.named(self.limits)
    }

    /// How the rows are dealt.
    pub(crate) fn dealing(&self) -> Result<Dealing> {
        Ok(Dealing {
            folds: self.folds.count()?.unwrap_or(USUAL_FOLDS),
            repeats: self.repeats.count()?,
            seed: self.seed.number()?,
        })
    }
}

impl Dealing {
    pub(crate) fn plan(self) -> Validate {
        let Self {
            folds,
            repeats,
            seed,
        } = self;
        Validate {
            resampling: Resampling::Folds {
                folds,
                repeats,
                seed,
            },
        }
    }
}

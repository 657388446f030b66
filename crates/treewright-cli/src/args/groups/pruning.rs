//! How trees are pruned.

use clap::{Args, ValueEnum};
use treewright::prune::{Impurity, Method, PruningCost};

use super::PenaltyArgs;

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

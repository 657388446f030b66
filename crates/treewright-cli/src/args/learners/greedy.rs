//! The greedy learner.

use clap::{Args, ValueEnum};
use treewright::cost::Loss;
use treewright::learn::Greedy;
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy, Summary};

use crate::args::groups::RulesArgs;
use crate::args::values::WholeNumber;

/// The greedy learner.
#[derive(Debug, Args)]
#[command(next_help_heading = "Greedy tree")]
pub(crate) struct GreedyArgs {
    /// How good a split is; the last three are for regression [default: gini; regression: mse]
    #[arg(long, value_name = "CRITERION")]
    criterion: Option<CriterionArg>,
    /// Number of bins of the target for `binned-gini`
    #[arg(
        long,
        value_name = "N",
        default_value = "32",
        allow_negative_numbers = true
    )]
    bins: WholeNumber,
    /// What a leaf predicts in regression; `auto` is the median for `mae`, else the mean
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    predict: PredictArg,
    #[command(flatten)]
    growing: GrowingArgs,
    /// How categorical features are split; with many categories, groups give small trees
    #[arg(long, value_name = "HOW", default_value = "grouped")]
    categorical_splits: CategoricalSplitsArg,
    #[command(flatten)]
    rules: RulesArgs,
}

/// The greedy learner of trees for classes, as a search over many of them uses it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Greedy tree")]
pub(crate) struct ClassTreeArgs {
    /// How good a split is
    #[arg(long, value_name = "CRITERION", default_value = "entropy")]
    criterion: ClassCriterionArg,
    #[command(flatten)]
    growing: GrowingArgs,
    /// How categorical features are split
    #[arg(long, value_name = "HOW", default_value = "multiway")]
    categorical_splits: CategoricalSplitsArg,
}

/// How far a tree grows, and what its splits look like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Greedy tree")]
struct GrowingArgs {
    /// Longest way from the root to a leaf [default: unlimited]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_depth: Option<WholeNumber>,
    /// A node with fewer rows is a leaf
    #[arg(
        long,
        value_name = "N",
        default_value = "2",
        allow_negative_numbers = true
    )]
    min_split: WholeNumber,
    /// A split must leave at least this many rows in every child
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    min_leaf: WholeNumber,
    /// A split must gain at least this much at its node
    #[arg(
        long,
        value_name = "X",
        default_value = "0",
        allow_negative_numbers = true
    )]
    min_gain: f64,
    /// What happens to rows whose value is missing
    #[arg(long, value_name = "HOW", default_value = "distribute")]
    missing: MissingArg,
    /// Also take splits that gain nothing
    #[arg(long)]
    zero_gain: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CriterionArg {
    Gini,
    Entropy,
    GainRatio,
    Error,
    Mse,
    Mae,
    BinnedGini,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ClassCriterionArg {
    Gini,
    Entropy,
    GainRatio,
    Error,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PredictArg {
    Auto,
    Mean,
    Median,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MissingArg {
    /// They go to all children, in proportion
    Distribute,
    /// They have a child of their own
    Branch,
    /// They go to the heaviest child
    Majority,
    /// They go to the child with which the split gains most: each split is tried with them in each child
    Learned,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CategoricalSplitsArg {
    /// Two groups of categories; the best two for two classes and in regression
    Grouped,
    /// One child for each category
    Multiway,
    /// One category against the others
    OneVsRest,
}

impl From<CategoricalSplitsArg> for CategoricalSplits {
    fn from(splits: CategoricalSplitsArg) -> Self {
        match splits {
            CategoricalSplitsArg::Grouped => Self::Grouped,
            CategoricalSplitsArg::Multiway => Self::Multiway,
            CategoricalSplitsArg::OneVsRest => Self::OneVsRest,
        }
    }
}

impl GreedyArgs {
    /// The learner with these parameters.
    pub(crate) fn learner(&self, loss: Loss) -> anyhow::Result<Greedy> {
        Ok(Greedy {
            criterion: self.criterion.map(|criterion| match criterion {
                CriterionArg::Gini => Criterion::Gini,
                CriterionArg::Entropy => Criterion::Entropy,
                CriterionArg::GainRatio => Criterion::GainRatio,
                CriterionArg::Error => Criterion::Error,
                CriterionArg::Mse => Criterion::Mse,
                CriterionArg::Mae => Criterion::Mae,
                CriterionArg::BinnedGini => Criterion::BinnedGini,
            }),
            bins: self.bins.count("bins", 0)?,
            predict: match self.predict {
                PredictArg::Auto => Summary::Auto,
                PredictArg::Mean => Summary::Mean,
                PredictArg::Median => Summary::Median,
            },
            categorical_splits: self.categorical_splits.into(),
            rules: self.rules.rules()?,
            min_class_share: self.rules.min_class_share()?,
            loss,
            ..self.growing.learner()?
        })
    }
}

impl ClassTreeArgs {
    /// The learner with these parameters.
    pub(crate) fn learner(&self, loss: Loss) -> anyhow::Result<Greedy> {
        let criterion = match self.criterion {
            ClassCriterionArg::Gini => Criterion::Gini,
            ClassCriterionArg::Entropy => Criterion::Entropy,
            ClassCriterionArg::GainRatio => Criterion::GainRatio,
            ClassCriterionArg::Error => Criterion::Error,
        };
        Ok(Greedy {
            criterion: Some(criterion),
            categorical_splits: self.categorical_splits.into(),
            loss,
            ..self.growing.learner()?
        })
    }
}

impl GrowingArgs {
    /// A learner that grows so, and else as usual.
    fn learner(&self) -> anyhow::Result<Greedy> {
        Ok(Greedy {
            max_depth: self
                .max_depth
                .map(|depth| depth.count("max-depth", 0))
                .transpose()?,
            min_split: self.min_split.count("min-split", 0)?,
            min_leaf: self.min_leaf.count("min-leaf", 0)?,
            min_gain: self.min_gain,
            missing: match self.missing {
                MissingArg::Distribute => MissingPolicy::Distribute,
                MissingArg::Branch => MissingPolicy::Branch,
                MissingArg::Majority => MissingPolicy::Majority,
                MissingArg::Learned => MissingPolicy::Learned,
            },
            zero_gain: self.zero_gain,
            ..Greedy::default()
        })
    }
}

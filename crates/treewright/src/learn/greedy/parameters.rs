//! The parameters of the learner.

use crate::cost::{ClassShare, Loss};
pub use crate::tree::CategoricalSplits;
use crate::tree::PathRules;

/// Parameters of the greedy learner.
#[derive(Debug, Clone, PartialEq)]
pub struct Greedy {
    /// How good a split is; `None` takes gini for classes and mse for numbers.
    pub criterion: Option<Criterion>,
    /// Number of bins of the target for [`Criterion::BinnedGini`].
    pub bins: usize,
    /// What a leaf predicts in regression.
    pub predict: Summary,
    /// Longest way from the root to a leaf; `None` is unlimited.
    pub max_depth: Option<usize>,
    /// A node with fewer rows is a leaf.
    pub min_split: usize,
    /// A split must leave at least this many rows in every child.
    pub min_leaf: usize,
    /// And at least this share of the weight of all rows.
    pub min_leaf_weight: f64,
    /// A split must gain at least this much at its node.
    pub min_gain: f64,
    /// What happens to rows whose value is missing.
    pub missing: MissingPolicy,
    /// How categorical features are split: in two groups of categories, unless told otherwise.
    pub categorical_splits: CategoricalSplits,
    /// Also take splits that gain nothing.
    pub zero_gain: bool,
    /// Which features may be asked below which.
    pub rules: PathRules,
    /// Of the weight of a leaf, the class that it predicts has at least this share: the tree is cut back as far as that
    /// needs, perhaps to a single leaf, which may have less. For classes.
    pub min_class_share: Option<ClassShare>,
    /// What wrong predictions cost: decides the class of a leaf.
    pub loss: Loss,
}

/// How good a split is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Gini impurity.
    Gini,
    /// Information gain, in bits.
    Entropy,
    /// Information gain divided by the information of the split itself.
    GainRatio,
    /// Share of rows outside the majority.
    Error,
    /// Mean squared error (regression).
    Mse,
    /// Mean absolute error (regression).
    Mae,
    /// Gini impurity of the binned target (regression).
    BinnedGini,
}

/// What a leaf predicts in regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Summary {
    /// What the criterion is about: the median for [`Criterion::Mae`], else the mean.
    #[default]
    Auto,
    /// The weighted mean.
    Mean,
    /// The weighted median.
    Median,
}

/// What happens to rows whose value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// They go to all children, in proportion.
    #[default]
    Distribute,
    /// They have a child of their own.
    Branch,
    /// They go to the heaviest child.
    Majority,
    /// They go to the child with which the split gains most.
    Learned,
}

impl Default for Greedy {
    fn default() -> Self {
        Self {
            criterion: None,
            bins: 32,
            predict: Summary::Auto,
            max_depth: None,
            min_split: 2,
            min_leaf: 1,
            min_leaf_weight: 0.0,
            min_gain: 0.0,
            missing: MissingPolicy::Distribute,
            categorical_splits: CategoricalSplits::Grouped,
            zero_gain: false,
            rules: PathRules::default(),
            min_class_share: None,
            loss: Loss::ZeroOne,
        }
    }
}

impl Criterion {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gini => "gini",
            Self::Entropy => "entropy",
            Self::GainRatio => "gain-ratio",
            Self::Error => "error",
            Self::Mse => "mse",
            Self::Mae => "mae",
            Self::BinnedGini => "binned-gini",
        }
    }

    /// Can features with few values be judged by counting?
    pub(crate) fn can_count(self) -> bool {
        matches!(self, Self::Gini | Self::Entropy | Self::BinnedGini)
    }

    pub(crate) fn is_for_classes(self) -> bool {
        matches!(
            self,
            Self::Gini | Self::Entropy | Self::GainRatio | Self::Error
        )
    }
}

impl Summary {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }

    /// The mean or the median: what leaves predict that are grown by a criterion.
    #[must_use]
    pub fn of(self, criterion: Criterion) -> Self {
        match self {
            Self::Auto if criterion == Criterion::Mae => Self::Median,
            Self::Auto => Self::Mean,
            Self::Mean | Self::Median => self,
        }
    }
}

impl MissingPolicy {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Distribute,
        Self::Branch,
        Self::Majority,
        Self::Learned,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distribute => "distribute",
            Self::Branch => "branch",
            Self::Majority => "majority",
            Self::Learned => "learned",
        }
    }
}

//! What a certificate says, as data: what is minimised, over which trees. [`crate::export::words`] makes a sentence
//! of it.

use std::str::FromStr;

use super::LearnerKind;
use crate::cost::{ClassShare, Lambda, Penalty};
use crate::tree::PathRules;

/// What a certificate is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// No tree of a class has less of something.
    Least(Box<Least>),
    /// The words of a file, where they say something else than its parameters.
    Words(String),
}

/// The least of something over a class of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Least {
    /// Of what.
    pub minimised: Minimised,
    /// Over which trees.
    pub over: TreeClass,
}

impl Statement {
    /// No tree of the class has less of it.
    pub fn least(minimised: Minimised, over: TreeClass) -> Self {
        Self::Least(Box::new(Least { minimised, over }))
    }
}

/// What is minimised.
#[derive(Debug, Clone, PartialEq)]
pub enum Minimised {
    /// The cost.
    Cost(CostKind),
    /// The cost, and a weight times the penalty on leaves.
    Penalised(CostKind, Lambda, Penalty),
    /// The number of leaves.
    Leaves,
}

/// What a cost is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostKind {
    /// The learner's own loss.
    Loss,
    /// The loss of a cost matrix, wrong predictions, squared errors or impurities: those of the rows that pruned a
    /// tree.
    Pruning {
        /// Which of them.
        of: PruningLoss,
        /// The number of rows, if they are not the training rows.
        other_rows: Option<usize>,
    },
}

/// By what a tree was pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PruningLoss {
    /// Wrong predictions.
    Error,
    /// A matrix of costs.
    Matrix,
    /// Squared errors.
    Squared,
    /// Impurity.
    Impurity,
}

/// A class of trees.
#[derive(Debug, Clone, PartialEq)]
pub enum TreeClass {
    /// Trees of bounded depth, with intervals at the last level.
    Bounded {
        /// The largest depth.
        depth: usize,
        /// The most intervals of a split at the last level.
        intervals: usize,
        /// How categories are split; `Multiway` where there are none.
        categories: CategoricalSplits,
        /// The least size of a leaf.
        leaf: LeastLeaf,
        /// The least share of the predicted class in a leaf.
        min_class_share: Option<ClassShare>,
        /// The most leaves.
        most_leaves: Option<usize>,
        /// Which features may be asked below which.
        rules: PathRules,
    },
    /// Trees over a dyadic grid.
    Dyadic {
        /// The name of the model: which trees of the grid.
        model: Option<String>,
        /// The name of the box that is halved, if it is not the range of the features.
        grid_box: Option<String>,
        /// How often the grid halves each feature.
        halvings: Option<Vec<u32>>,
        /// The most leaves.
        most_leaves: Option<usize>,
    },
    /// The prunings of a tree.
    Prunings {
        /// The learner of that tree.
        of: LearnerKind,
        /// Its leaves.
        from_leaves: usize,
        /// The least share of the predicted class in a leaf.
        min_class_share: Option<ClassShare>,
        /// Which of the prunings.
        only: Option<PruningLimit>,
    },
}

/// How the splits of an optimal tree part the categories of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CategoricalSplits {
    /// One category against the rest; where all branches are leaves, groups of categories, as many as a numeric
    /// feature has intervals, and at least two.
    #[default]
    Grouped,
    /// One category against the rest.
    OneVsRest,
    /// A branch for each category.
    Multiway,
}

impl CategoricalSplits {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Grouped, Self::OneVsRest, Self::Multiway];
    /// Their names, in the same order.
    pub const NAMES: [&str; 3] = ["grouped", "one-vs-rest", "multiway"];

    /// The name in files and of the flag.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grouped => Self::NAMES[0],
            Self::OneVsRest => Self::NAMES[1],
            Self::Multiway => Self::NAMES[2],
        }
    }
}

impl FromStr for CategoricalSplits {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|splits| splits.name() == name);
        found.ok_or_else(|| format!("expected one of {}", Self::NAMES.join(", ")))
    }
}

/// The least size of a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeastLeaf {
    /// This number of rows.
    Rows(usize),
    /// This share of the weight of all rows.
    Weight(f64),
}

/// Which prunings were compared.
#[derive(Debug, Clone, PartialEq)]
pub enum PruningLimit {
    /// Those with at most this number of leaves.
    Leaves(usize),
    /// Those with at most this cost.
    Cost(CostKind, Lambda),
}

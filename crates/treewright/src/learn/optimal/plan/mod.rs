//! From a solved problem to a tree.

pub(crate) mod best_plan;
pub(crate) mod build_tree;

/// A tree without the data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TreePlan {
    Leaf,
    Split {
        feature: usize,
        /// Where the next interval begins; none for categories.
        cuts: Vec<f64>,
        /// For the intervals or the categories that there are, then for missing values if there are any.
        children: Vec<TreePlan>,
    },
}

impl TreePlan {
    /// How many nodes the tree has.
    pub(crate) fn n_nodes(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::Split { children, .. } => 1 + children.iter().map(Self::n_nodes).sum::<usize>(),
        }
    }
}

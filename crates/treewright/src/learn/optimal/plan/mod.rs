//! From a solved problem to a tree.

mod best_plan;
mod of_tree;
mod rows_of_plan;

use self::rows_of_plan::RowsOfPlan;
use crate::cost::Loss;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::exact::build_tree;
use crate::tree::Tree;

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
    /// Some categories together in each branch.
    Groups {
        feature: usize,
        /// The codes of the categories of each branch.
        groups: Vec<Vec<u32>>,
        /// For the groups, then for missing values if there are any.
        children: Vec<TreePlan>,
    },
}

impl TreePlan {
    /// How many nodes the tree has.
    pub(crate) fn n_nodes(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::Split { children, .. } | Self::Groups { children, .. } => {
                1 + children.iter().map(Self::n_nodes).sum::<usize>()
            }
        }
    }

    /// The tree, with the class counts of all rows.
    pub(crate) fn build(&self, data: &Dataset, loss: &Loss) -> Result<Tree> {
        let rows = (0..data.n_rows() as u32).collect();
        let mut source = RowsOfPlan::new(data).with_loss(loss);
        build_tree(&mut source, self, rows, data, loss)
    }
}

//! The one tree: written by learners through [`TreeBuilder`], read by everyone else.

use std::sync::Arc;

use crate::cost::Loss;
use crate::data::Schema;

mod builder;
mod cut;
mod family;
mod fit;
mod path_rules;
mod predict;
mod proof;
mod pure_leaves;
mod recount;
mod split;
mod walk;

pub use builder::TreeBuilder;
pub use family::{Family, FoldTrees, Kept, Member, MemberTrees, Nested, TreeSource};
pub use fit::{
    AimParam, CategoricalSplits, Certificate, ChoiceParams, CostKind, CostsFrom, CrossValidation,
    FamilyFit, Fit, FoldErrors, LearnerInfo, LearnerKind, Least, LeastLeaf, Minimised, Params,
    PruningLimit, PruningLoss, PruningParams, Statement, StoppedIn, Training, TreeClass, Work,
};
pub(crate) use fit::{LITTLE, after_rounding};
pub use path_rules::{NeverBelow, PathRules};
pub use proof::{Branches, Claim, Condition, Cover, CutRange, Is, Proof};
pub(crate) use recount::check_claim;
pub use split::{Bound, Closed, MissingRoute, Split};
pub use walk::Reached;

/// A fitted tree, self-sufficient without the data.
///
/// [`TreeBuilder`] guarantees: node 0 is the root; the children of a node are consecutive and come
/// after it; every split fits the schema; every node has an outcome and a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    schema: Arc<Schema>,
    loss: Loss,
    nodes: Vec<Node>,
    outcomes: Outcomes,
}

/// Handle of a node: its position, the root being 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root.
    pub const ROOT: Self = Self(0);

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node: a leaf, or a branch that might be pruned to one. Either way it knows what it would answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The question and the children; `None` for a leaf.
    pub branch: Option<Branch>,
    /// What the node answers as a leaf: a class index or a number.
    pub value: f64,
}

/// The inside of an inner node.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The question.
    pub split: Split,
    /// The first child; the others follow it.
    pub first_child: NodeId,
    /// How many children there are.
    pub n_children: u32,
    /// Where missing values go.
    pub missing: MissingRoute,
}

/// What the training rows of a node looked like.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Weighted class counts.
    Counts(Vec<f64>),
    /// Summary of numbers, with weighted counts of bins where the criterion used them.
    Numbers(Moments, Option<Vec<f64>>),
}

/// Summary of weighted numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Weighted mean; 0 without rows.
    pub mean: f64,
    /// Total weight.
    pub weight: f64,
    /// Weighted sum of squared differences from the mean.
    pub sse: f64,
}

/// Outcomes of all nodes, in one block of memory.
#[derive(Debug, Clone, PartialEq)]
enum Outcomes {
    Counts {
        n_classes: usize,
        counts: Vec<f64>,
    },
    Numbers {
        moments: Vec<Moments>,
        n_bins: usize,
        bins: Vec<f64>,
    },
}

impl Branch {
    /// The children, in order.
    pub fn children(&self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator {
        (self.first_child.0..self.first_child.0 + self.n_children).map(NodeId)
    }

    /// The child at a position.
    pub fn child(&self, position: usize) -> NodeId {
        NodeId(self.first_child.0 + position as u32)
    }

    /// The position of the branch that only missing values take, if there is one.
    pub fn missing_only(&self) -> Option<usize> {
        let present = self.split.n_present();
        (present < self.n_children as usize).then_some(present)
    }
}

impl Tree {
    /// Names and kinds of the columns the tree was learned from.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// What wrong predictions cost.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// All node handles, parents before children.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The inside of a node, unless it is a leaf.
    pub fn branch(&self, id: NodeId) -> Option<&Branch> {
        self.nodes[id.index()].branch.as_ref()
    }

    /// Is the node a leaf?
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.branch(id).is_none()
    }

    /// What the node answers as a leaf: a class index or a number.
    pub fn value(&self, id: NodeId) -> f64 {
        self.nodes[id.index()].value
    }

    /// Weighted class counts of a node; empty for regression.
    pub fn counts(&self, id: NodeId) -> &[f64] {
        match &self.outcomes {
            Outcomes::Counts { n_classes, counts } => {
                &counts[id.index() * n_classes..][..*n_classes]
            }
            Outcomes::Numbers { .. } => &[],
        }
    }

    /// Mean, weight and squared error of a node; `None` for classification.
    pub fn moments(&self, id: NodeId) -> Option<Moments> {
        match &self.outcomes {
            Outcomes::Counts { .. } => None,
            Outcomes::Numbers { moments, .. } => Some(moments[id.index()]),
        }
    }

    /// Weighted counts of the target's bins; empty where the criterion had none.
    pub fn bins(&self, id: NodeId) -> &[f64] {
        match &self.outcomes {
            Outcomes::Counts { .. } => &[],
            Outcomes::Numbers { n_bins, bins, .. } => &bins[id.index() * n_bins..][..*n_bins],
        }
    }

    /// Total weight of the training rows of a node.
    pub fn weight(&self, id: NodeId) -> f64 {
        match self.moments(id) {
            Some(moments) => moments.weight,
            None => self.counts(id).iter().sum(),
        }
    }

    /// Cost of the node's training rows if it were a leaf (not divided by their weight).
    pub fn cost(&self, id: NodeId) -> f64 {
        match self.moments(id) {
            Some(moments) => {
                let offset = self.value(id) - moments.mean;
                moments.sse + moments.weight * offset * offset
            }
            None => self
                .loss
                .of_counts(self.counts(id), self.value(id) as usize),
        }
    }

    /// Weight of the node's training rows that it would answer wrongly as a leaf.
    pub fn errors(&self, id: NodeId) -> f64 {
        Loss::ZeroOne.of_counts(self.counts(id), self.value(id) as usize)
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| node.branch.is_none())
            .count()
    }

    /// Number of edges on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0_usize; self.nodes.len()];
        for id in self.ids() {
            if let Some(branch) = self.branch(id) {
                for child in branch.children() {
                    depth[child.index()] = depth[id.index()] + 1;
                }
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }
}

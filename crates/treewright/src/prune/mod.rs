//! Exact prunings of a finished tree, for every number of leaves and every penalty.
//!
//! A pruning turns inner nodes into leaves. Each node has a cost as a leaf ([`NodeCosts`]); that is all
//! this room sees of the data.
//!
//! | file | idea |
//! |---|---|
//! | `costs` | one cost for every node: errors, impurity, squares, or from other rows |
//! | `weakest_link` | all prunings that are best for some linear penalty, from one pass with heaps |
//! | `min_cost` | the least cost for every number of leaves, and the tree that has it |
//! | `sizes` | the same without the trees, in little memory |
//! | `family` | the best prunings for every weight of any penalty |
//! | `sized` | taking a member out of a family with a tree for every number of leaves |
//! | `single` | one pruning: for a weight, a number of leaves or a cost |
//! | `model` | the same for a learned model, and taking a member out of a family |
//! | `any_tree` | anybody's tree, given by children and costs |
//! | `importance` | how much each feature contributes |
//! | `record` | what a model file says about a pruning: parameters and certificate |
//!
//! After C. Scott, "Tree pruning with subadditive penalties" (2005), and the cost-complexity pruning
//! of Breiman, Friedman, Olshen and Stone (1984). `docs/algorithms/pruning.md` tells the whole story.

mod any_tree;
mod costs;
mod family;
mod importance;
mod min_cost;
mod model;
mod record;
mod single;
mod sized;
mod sizes;
mod weakest_link;

pub use any_tree::{CostFamily, CostMember, CostTree, KeptNodes};
pub use costs::{Impurity, NodeCosts, PruningCost};
pub use family::family;
pub(crate) use family::known_family;
pub use importance::{importances, importances_of};
pub use min_cost::MinCost;
pub use model::{Pruner, is_searched, take_out};
pub use record::{Record, Request};
pub use single::{Aim, Method, Pruning, prune};
pub use sizes::least_costs;
pub use weakest_link::WeakestLink;

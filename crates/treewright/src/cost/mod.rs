//! What is minimised, and how two trees are compared.
//!
//! | file | idea |
//! |---|---|
//! | `loss` | what a wrong prediction costs, and which class is cheapest to predict |
//! | `units` | costs as whole numbers, so that their sums are exact |
//! | `row_losses` | what each label would cost each row, in whole numbers |
//! | `products` | losses as products of whole weights and costs, which are scaled apart |
//! | `whole_costs` | the cheapest class of some rows, without rounding |
//! | `penalty` | what a number of leaves costs: linear, powers, logarithm, or a table, value by value |
//! | `lambda` | the weight of the penalty, exactly as it was written |
//! | `class_share` | the least share of a class in a leaf, exactly as it was written |
//! | `exact` | exact ratios, signs of sums, logarithms and powers |
//! | `objective` | cost plus weighted penalty of a tree, and the one comparison with its tie rule |
//! | `hull` | which of many trees are best for some weight |
//! | `threshold` | from which weight on a tree is best, as a double that may be printed |
//!
//! A cost is a weighted sum of losses and is never divided by the number of rows: with whole-number
//! weights it is a whole number and exact. Only reports and files divide by the total weight.

mod class_share;
mod exact;
mod hull;
mod lambda;
mod loss;
mod objective;
mod penalty;
mod products;
mod row_losses;
mod threshold;
mod units;
mod whole_costs;

pub use class_share::ClassShare;
pub use hull::{lower_hull, lower_hull_with_ties};
pub use lambda::Lambda;
pub use loss::{CostMatrix, Loss};
pub use objective::{Objective, Scale, SolutionValue};
pub use penalty::{Exponent, Penalty, PenaltyTable, Shape};
pub(crate) use row_losses::{Counting, RowLosses, tens_of_weights, total_weight};
pub use threshold::lambda_low;
pub use units::Units;
pub(crate) use whole_costs::WholeCosts;

//! What the members of a family cost, where the search had to round.

use crate::cost::SolutionValue;
use crate::data::Dataset;
use crate::tree::{Training, Tree};

/// What the trees cost the rows, divided by their weight, where the search had to round that. Members that were better
/// than a smaller one by no more than the rounding are left out.
pub(crate) fn by_rows(
    members: &mut Vec<SolutionValue>,
    trees: &mut Vec<Tree>,
    data: &Dataset,
) -> Vec<f64> {
    let mut costs: Vec<f64> = Vec::new();
    let mut kept = Vec::new();
    for tree in trees.iter() {
        let cost = Training::of_leaves(tree, data).cost;
        let is_better = costs.last().is_none_or(|&before| cost < before);
        kept.push(is_better);
        costs.extend(is_better.then_some(cost));
    }
    let mut is_kept = kept.iter();
    members.retain(|_| *is_kept.next().expect("a member for each tree"));
    let mut is_kept = kept.iter();
    trees.retain(|_| *is_kept.next().expect("all trees were looked at"));
    costs
}

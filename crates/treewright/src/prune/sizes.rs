//! The least cost for every number of leaves, without the prunings that have it.
//!
//! The sums are those of [`MinCost`](super::MinCost), but the tables of children are forgotten as soon as they have been
//! joined. Those that are needed at the same time belong to separate subtrees. So all of them together have no more
//! entries than the tree has leaves, however deep it is.

use std::mem::take;

use super::NodeCosts;
use super::min_cost::{GAP, Hulls};
use crate::cost::SolutionValue;

/// Least costs for a number of leaves and those that follow, [`GAP`] where no pruning has so many.
#[derive(Default)]
struct Costs {
    fewest: usize,
    of_size: Vec<i64>,
}

/// All numbers of leaves that some pruning has, rising, with their least costs in units.
pub fn least_costs(costs: &NodeCosts) -> Vec<SolutionValue> {
    let mut of_node: Vec<Costs> = Vec::new();
    of_node.resize_with(costs.values().len(), Costs::default);
    let mut hulls = Hulls::default();
    for (node, &(first, end)) in costs.children().iter().enumerate().rev() {
        let mut of_size = vec![costs.values()[node]];
        if first < end {
            let below = joined(&mut of_node[first as usize..end as usize], &mut hulls);
            of_size.resize(below.fewest - 1, GAP);
            of_size.extend(below.of_size);
        }
        of_node[node] = Costs { fewest: 1, of_size };
    }
    let entries = (1..).zip(&of_node[0].of_size);
    entries
        .filter(|(_, cost)| **cost < GAP)
        .map(|(leaves, &cost)| SolutionValue { cost, leaves })
        .collect()
}

/// Joins neighbours in pairs of halves, and leaves nothing behind.
fn joined(tables: &mut [Costs], hulls: &mut Hulls) -> Costs {
    if let [table] = tables {
        return take(table);
    }
    let (left, right) = tables.split_at_mut(tables.len() / 2);
    let (a, b) = (joined(left, hulls), joined(right, hulls));
    let mut of_size = vec![GAP; a.of_size.len() + b.of_size.len() - 1];
    hulls.add(&a.of_size, &b.of_size, &mut of_size);
    Costs {
        fewest: a.fewest + b.fewest,
        of_size,
    }
}

//! The best prunings for every weight of any penalty.
//!
//! The best prunings are the corners of the lower hull of the points (penalty, least cost), one for
//! each number of leaves. For a concave penalty all of them are already among the best prunings for
//! the linear one, so no table of least costs is needed.
//!
//! *Proof.* Let `k` leaves be the only best for some weight `b`: `best[j] + b P(j) > best[k] + b P(k)`
//! for `j != k`. As `P` is concave there is a slope `s` with `P(j) <= P(k) + s (j - k)`. Together
//! `best[j] - best[k] > b (P(k) - P(j)) >= b s (k - j)`: at the price `b s` of a leaf, `k` is the only
//! best for the linear penalty too. Neither binary splits nor falling costs are used, and sizes may
//! have gaps. There is only one pruning with that cost and `k` leaves, since at any price the smallest
//! and the largest best pruning are nested.

use std::sync::Arc;

use super::single::{Method, recounted};
use super::weakest_link::Collapses;
use super::{MinCost, NodeCosts};
use crate::cost::{Penalty, SolutionValue, Units, lower_hull};
use crate::error::Result;
use crate::tree::{Family, Nested, NodeId, Tree, TreeSource, check_claim};

/// All prunings of a tree that are best for some weight of the penalty, each with the weights it is
/// best for. `most_bytes` limits the table that penalties which are not concave need.
pub fn family(
    tree: &Arc<Tree>,
    costs: &NodeCosts,
    penalty: &Penalty,
    method: Method,
    most_bytes: u64,
) -> Result<Family> {
    let most_leaves = tree.n_leaves();
    penalty.check(most_leaves)?;
    let family = match method.settled(penalty, most_leaves)? {
        Method::Table => from_table(tree, costs, penalty, most_leaves, most_bytes)?,
        _ => from_weakest_link(tree, costs, penalty),
    };
    check_members(&family, tree, costs)?;
    family.check_weights()?;
    Ok(family)
}

/// Refuses a family whose members do not cost what their leaves cost together.
fn check_members(family: &Family, tree: &Tree, costs: &NodeCosts) -> Result<()> {
    match family.as_nested() {
        Some(nested) => {
            let found = nested.recounted(family.len(), |id| costs.at(id));
            for (&claimed, found) in family.values().iter().zip(found) {
                check_claim(claimed, found, 0)?;
            }
        }
        None => {
            for (member, &claimed) in family.values().iter().enumerate() {
                check_claim(claimed, recounted(tree, costs, &family.tree(member)), 0)?;
            }
        }
    }
    Ok(())
}

/// The same among the prunings whose number of leaves the penalty is known for. These are all, unless
/// the penalty is a table with fewer lines than the tree has leaves.
pub(crate) fn known_family(
    tree: &Arc<Tree>,
    costs: &NodeCosts,
    penalty: &Penalty,
    most_bytes: u64,
) -> Result<Family> {
    match penalty {
        Penalty::Table(table) if table.values().len() < tree.n_leaves() => {
            let most_leaves = table.values().len();
            let family = from_table(tree, costs, penalty, most_leaves, most_bytes)?;
            check_members(&family, tree, costs)?;
            family.check_weights()?;
            Ok(family)
        }
        _ => family(tree, costs, penalty, Method::Auto, most_bytes),
    }
}

fn from_weakest_link(tree: &Arc<Tree>, costs: &NodeCosts, penalty: &Penalty) -> Family {
    let Collapses {
        members,
        last_as_leaf,
    } = concave(costs, penalty);
    let nested = Nested {
        tree: Arc::clone(tree),
        last_as_leaf,
        errors: costs.errors().cloned(),
    };
    Family::nested(penalty.clone(), costs.scale(), members, nested)
}

/// The members for a concave penalty, which are nested.
pub(super) fn concave(costs: &NodeCosts, penalty: &Penalty) -> Collapses {
    let mut all = Collapses::new(costs);
    if *penalty == Penalty::Linear {
        return all;
    }
    let corners = lower_hull(&all.members, penalty);
    // Where each member of the linear family is, or would be, among the corners.
    let mut place = vec![0_u32; all.members.len()];
    for (corner, &member) in corners.iter().enumerate() {
        place[member..].fill(corner as u32);
    }
    let nodes = costs.children().iter().zip(&mut all.last_as_leaf);
    for (_, last) in nodes.filter(|((first, end), _)| first < end) {
        *last = place[*last as usize];
    }
    let members = corners.iter().map(|&corner| all.members[corner]);
    all.members = members.collect();
    all
}

/// From the least costs of all sizes up to `most_leaves`.
fn from_table(
    tree: &Arc<Tree>,
    costs: &NodeCosts,
    penalty: &Penalty,
    most_leaves: usize,
    most_bytes: u64,
) -> Result<Family> {
    let (table, members) = members_of_table(costs, penalty, most_leaves, most_bytes)?;
    let trees = ByLeaves {
        tree: Arc::clone(tree),
        known_errors: costs_are_errors(tree, costs)
            .then(|| members.iter().map(|member| member.cost as f64).collect()),
        leaves: members.iter().map(|member| member.leaves).collect(),
        table,
        errors: costs.errors().cloned(),
    };
    let (penalty, scale) = (penalty.clone(), costs.scale());
    Ok(Family::new(penalty, scale, members, Arc::new(trees)))
}

/// The members for any penalty, and the table that makes them.
pub(super) fn members_of_table(
    costs: &NodeCosts,
    penalty: &Penalty,
    most_leaves: usize,
    most_bytes: u64,
) -> Result<(MinCost, Vec<SolutionValue>)> {
    let table = MinCost::new(costs, most_bytes)?;
    let mut values = table.values();
    values.retain(|value| value.leaves <= most_leaves);
    let corners = lower_hull(&values, penalty);
    let members = corners.iter().map(|&corner| values[corner]).collect();
    Ok((table, members))
}

/// Does every node cost exactly the weight of its wrong predictions, in whole numbers?
fn costs_are_errors(tree: &Tree, costs: &NodeCosts) -> bool {
    let errors = |id: NodeId| match costs.errors() {
        Some(errors) => errors.number(errors.values()[id.index()]),
        None => tree.errors(id),
    };
    let is_classification = tree.schema().is_classification();
    let is_whole = is_classification && costs.scale().unit == 1.0;
    is_whole && tree.ids().all(|id| costs.at(id) as f64 == errors(id))
}

/// Makes the trees of members from the table of least costs.
#[derive(Debug)]
struct ByLeaves {
    tree: Arc<Tree>,
    /// The errors of all members where they are their costs: else each takes a walk through the table.
    known_errors: Option<Vec<f64>>,
    leaves: Vec<usize>,
    table: MinCost,
    errors: Option<Units>,
}

impl ByLeaves {
    fn cut(&self, member: usize) -> Vec<bool> {
        let is_cut = self.table.cut(self.leaves[member]);
        is_cut.expect("a member's number of leaves")
    }
}

impl TreeSource for ByLeaves {
    fn tree(&self, member: usize) -> Tree {
        let is_cut = self.cut(member);
        self.tree.cut(|id| is_cut[id.index()])
    }

    fn errors(&self, member: usize) -> Option<f64> {
        if let Some(errors) = &self.known_errors {
            return Some(errors[member]);
        }
        let tree = &self.tree;
        if !tree.schema().is_classification() {
            return None;
        }
        let is_cut = self.cut(member);
        let leaves = tree.ids().filter(|id| is_cut[id.index()]);
        Some(match &self.errors {
            Some(errors) => errors.number(leaves.map(|id| errors.values()[id.index()]).sum()),
            None => leaves.map(|id| tree.errors(id)).sum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Loss;
    use crate::data::{Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};
    use crate::prune::{Impurity, PruningCost};
    use crate::tree::{Closed, MissingRoute, Outcome, Split, TreeBuilder};

    /// A chain that loses one error with each of its three splits.
    fn chain() -> Arc<Tree> {
        let schema = Schema {
            features: vec![Feature {
                name: "x".into(),
                kind: FeatureKind::Numeric,
            }],
            target: TargetColumn {
                name: "y".into(),
                kind: TargetKind::Classes(vec!["no".into(), "yes".into()]),
            },
            reading: Reading::default(),
        };
        let counts = |no: f64, yes: f64| Outcome::Counts(vec![no, yes]);
        let schema = Arc::new(schema);
        let mut builder = TreeBuilder::new(schema, Loss::ZeroOne, counts(9.0, 3.0), 0.0).unwrap();
        let mut open = NodeId::ROOT;
        for rest in [2.0, 1.0, 0.0] {
            let split = Split::Intervals {
                feature: 0,
                cuts: vec![rest],
                closed: Closed::Right,
            };
            let children = [(counts(0.0, 1.0), 1.0), (counts(9.0, rest), 0.0)];
            let first = builder
                .split(open, split, MissingRoute::Child(0), children)
                .unwrap();
            open = NodeId(first.0 + 1);
        }
        Arc::new(builder.finish())
    }

    #[test]
    fn errors_that_are_costs_need_no_walk() {
        let tree = chain();
        let costs = NodeCosts::of(&tree, PruningCost::Error).unwrap();
        assert!(costs_are_errors(&tree, &costs));
        let impurities = NodeCosts::of(&tree, PruningCost::Impurity(Impurity::Gini)).unwrap();
        assert!(!costs_are_errors(&tree, &impurities));
        // Costs of other rows, with errors of their own.
        let others = [5.0, 1.0, 3.0, 0.0, 2.0, 1.0, 0.0];
        let elsewhere = NodeCosts::new(&tree, &others, Some(&others), 9.0).unwrap();
        assert!(costs_are_errors(&tree, &elsewhere));
        let doubled = others.map(|cost| 2.0 * cost);
        let elsewhere = NodeCosts::new(&tree, &doubled, Some(&others), 9.0).unwrap();
        assert!(!costs_are_errors(&tree, &elsewhere));

        let penalty = "power:1.5".parse().unwrap();
        for costs in [costs, impurities] {
            let found = family(&tree, &costs, &penalty, Method::Table, u64::MAX).unwrap();
            assert!(found.len() > 1);
            for member in 0..found.len() {
                let pruned = found.tree(member);
                let leaves = pruned.ids().filter(|&id| pruned.is_leaf(id));
                let errors: f64 = leaves.map(|id| pruned.errors(id)).sum();
                assert_eq!(found.member(member).errors, Some(errors));
            }
        }
    }

    #[test]
    fn members_that_do_not_cost_what_they_claim_are_refused() {
        let tree = chain();
        let costs = NodeCosts::of(&tree, PruningCost::Error).unwrap();
        for penalty in ["linear", "power:1.5"] {
            let penalty: Penalty = penalty.parse().unwrap();
            let found = family(&tree, &costs, &penalty, Method::Auto, u64::MAX).unwrap();
            assert!(found.len() > 1);
            for member in 0..found.len() {
                let mut values = found.values().to_vec();
                values[member].cost += 1;
                let (penalty, scale) = (penalty.clone(), found.scale());
                let false_one = if let Some(nested) = found.as_nested() {
                    Family::nested(penalty, scale, values, nested.clone())
                } else {
                    let trees: Vec<Tree> = (0..found.len()).map(|it| found.tree(it)).collect();
                    Family::new(penalty, scale, values, Arc::new(trees))
                };
                assert!(check_members(&found, &tree, &costs).is_ok());
                let error = check_members(&false_one, &tree, &costs).unwrap_err();
                assert!(error.to_string().starts_with("internal error"), "{error}");
            }
        }
    }
}

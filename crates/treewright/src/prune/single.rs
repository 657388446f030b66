//! One pruning: the best for a weight, a number of leaves or a cost.

use std::sync::Arc;

use super::weakest_link::Collapses;
use super::{MinCost, NodeCosts};
use crate::cost::{Lambda, Objective, Penalty, Shape, SolutionValue, lower_hull};
use crate::error::{Error, Result};
use crate::tree::{NodeId, Tree, check_claim};

/// What the pruning shall be best at.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// The least `cost + lambda * penalty(leaves)`; of equally good ones that with fewer leaves.
    Weight(Lambda),
    /// The least cost with at most this many leaves; of equally good ones that with fewer leaves.
    Leaves(usize),
    /// The fewest leaves with at most this cost (divided by the total weight); of those the least cost.
    MaxCost(Lambda),
}

/// The algorithm. All that can be used give the same objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The fastest that can be used.
    #[default]
    Auto,
    /// From the leaves up, in linear time: for additive penalties.
    Additive,
    /// Through the family of the linear penalty: for concave penalties.
    Family,
    /// Through the table of least costs: for all.
    Table,
}

/// A pruning, with its figures.
#[derive(Debug, Clone)]
pub struct Pruning {
    /// The tree.
    pub tree: Tree,
    /// Its cost in units, and its leaves.
    pub value: SolutionValue,
    /// The algorithm that found it.
    pub method: Method,
}

/// The best pruning of a tree. `most_bytes` limits the table of least costs, where one is needed.
pub fn prune(
    tree: &Arc<Tree>,
    costs: &NodeCosts,
    penalty: &Penalty,
    aim: &Aim,
    method: Method,
    most_bytes: u64,
) -> Result<Pruning> {
    let Cut {
        is_leaf,
        value,
        method,
    } = best_cut(costs, penalty, aim, method, most_bytes)?;
    let pruned = tree.cut(|id| is_leaf[id.index()]);
    check_claim(value, recounted(tree, costs, &pruned), 0)?;
    Ok(Pruning {
        tree: pruned,
        value,
        method,
    })
}

/// A pruning of a tree of which only the shape and the costs are known.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    /// For each node: is it a leaf, unless a node above it is? Leaves of the tree may be unmarked.
    pub(super) is_leaf: Vec<bool>,
    /// Its cost in units, and its leaves.
    pub(super) value: SolutionValue,
    /// The algorithm that found it.
    pub(super) method: Method,
}

/// The costs of the nodes that a pruning has as leaves, added up, and how many there are.
pub(super) fn recounted(tree: &Tree, costs: &NodeCosts, pruning: &Tree) -> SolutionValue {
    let mut value = SolutionValue { cost: 0, leaves: 0 };
    let mut open = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((node, kept)) = open.pop() {
        if let (Some(all), Some(branch)) = (tree.branch(node), pruning.branch(kept)) {
            open.extend(all.children().zip(branch.children()));
        } else {
            value.cost += costs.at(node);
            value.leaves += 1;
        }
    }
    value
}

pub(super) fn best_cut(
    costs: &NodeCosts,
    penalty: &Penalty,
    aim: &Aim,
    method: Method,
    most_bytes: u64,
) -> Result<Cut> {
    let most_leaves = costs.n_leaves();
    match aim {
        Aim::Weight(lambda) => {
            penalty.check(most_leaves)?;
            let objective = Objective::new(lambda.clone(), penalty.clone(), costs.scale());
            let pruning = match method.settled(penalty, most_leaves)? {
                Method::Additive => Ok(additive(costs, &objective)),
                Method::Family => Ok(by_family(costs, penalty, &objective)),
                _ => by_table(costs, most_bytes, |values| {
                    let best = values.iter().copied();
                    best.min_by(|&a, &b| objective.compare(a, b))
                        .ok_or_else(|| unreachable!("the root alone is a pruning"))
                }),
            }?;
            check_objective(objective.value(pruning.value), lambda)?;
            Ok(pruning)
        }
        Aim::Leaves(leaves) => {
            method.settled_for_size()?;
            if *leaves == 0 {
                return Err(Error::parameter("leaves", 0, "at least 1"));
            }
            by_table(costs, most_bytes, |values| {
                let few = values
                    .iter()
                    .copied()
                    .filter(|value| value.leaves <= *leaves);
                // The first of equal ones has the fewest leaves.
                Ok(few
                    .min_by_key(|value| value.cost)
                    .expect("1 leaf is possible"))
            })
        }
        Aim::MaxCost(most) => {
            method.settled_for_size()?;
            by_table(costs, most_bytes, |values| at_most(values, costs, most))
        }
    }
}

/// Refuses a weight for which the objective, which files have as a double, is not finite.
pub(super) fn check_objective(objective: f64, lambda: &Lambda) -> Result<()> {
    if objective.is_finite() {
        return Ok(());
    }
    let allowed = "a weight for which lambda * penalty(leaves) is a finite number";
    Err(Error::parameter("lambda", lambda, allowed))
}

impl Method {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Additive => "additive",
            Self::Family => "family",
            Self::Table => "table",
        }
    }

    /// The algorithm that will be used for a penalty; refuses one that cannot be.
    pub(super) fn settled(self, penalty: &Penalty, most_leaves: usize) -> Result<Self> {
        let shape = penalty.shape(most_leaves);
        let refused = |allowed: &str| {
            let given = format!("{self:?} with penalty {penalty}").to_lowercase();
            Err(Error::parameter("method", given, allowed))
        };
        match (self, shape) {
            (Self::Additive | Self::Auto, Shape::Additive) => Ok(Self::Additive),
            (Self::Family, Shape::Additive) | (Self::Family | Self::Auto, Shape::Concave) => {
                Ok(Self::Family)
            }
            (Self::Table, _) | (Self::Auto, Shape::Rising) => Ok(Self::Table),
            (Self::Additive, Shape::Concave) => refused("auto, family or table"),
            (Self::Additive | Self::Family, Shape::Rising) => refused("auto or table"),
        }
    }

    /// A number of leaves or a cost can only be looked up in the table.
    fn settled_for_size(self) -> Result<()> {
        match self {
            Self::Auto | Self::Table => Ok(()),
            Self::Additive | Self::Family => {
                let given = format!("{self:?}").to_lowercase();
                Err(Error::parameter(
                    "method",
                    given,
                    "auto or table without a weight",
                ))
            }
        }
    }
}

/// The bottom-up rule: a node becomes a leaf where that is at least as good as the best below it.
fn additive(costs: &NodeCosts, objective: &Objective) -> Cut {
    let nothing = SolutionValue { cost: 0, leaves: 0 };
    let mut best = vec![nothing; costs.children().len()];
    let mut is_cut = vec![false; best.len()];
    for (node, &(first, end)) in costs.children().iter().enumerate().rev() {
        let as_leaf = SolutionValue {
            cost: costs.values()[node],
            leaves: 1,
        };
        let below = (first < end).then(|| {
            let children = &best[first as usize..end as usize];
            children.iter().fold(nothing, |sum, child| SolutionValue {
                cost: sum.cost + child.cost,
                leaves: sum.leaves + child.leaves,
            })
        });
        let below = below.filter(|&below| objective.compare(below, as_leaf).is_lt());
        is_cut[node] = below.is_none();
        best[node] = below.unwrap_or(as_leaf);
    }
    Cut {
        is_leaf: is_cut,
        value: best[0],
        method: Method::Additive,
    }
}

/// A concave penalty is best served by a member of the linear family.
fn by_family(costs: &NodeCosts, penalty: &Penalty, objective: &Objective) -> Cut {
    let Collapses {
        members,
        last_as_leaf,
    } = Collapses::new(costs);
    let best = lower_hull(&members, penalty)
        .into_iter()
        .min_by(|&a, &b| objective.compare(members[a], members[b]))
        .expect("a family has a member");
    let is_cut = last_as_leaf.iter().map(|&last| last as usize >= best);
    Cut {
        is_leaf: is_cut.collect(),
        value: members[best],
        method: Method::Family,
    }
}

fn by_table(
    costs: &NodeCosts,
    most_bytes: u64,
    choose: impl FnOnce(&[SolutionValue]) -> Result<SolutionValue>,
) -> Result<Cut> {
    let table = MinCost::new(costs, most_bytes)?;
    let value = choose(&table.values())?;
    let is_cut = table.cut(value.leaves).expect("a size of the table");
    Ok(Cut {
        is_leaf: is_cut,
        value,
        method: Method::Table,
    })
}

/// The first, and so the smallest, with at most this cost.
fn at_most(values: &[SolutionValue], costs: &NodeCosts, most: &Lambda) -> Result<SolutionValue> {
    let scale = costs.scale();
    let is_cheap = |value: &&SolutionValue| scale.is_at_most(value.cost, most);
    values.iter().find(is_cheap).copied().ok_or_else(|| {
        let least = values.iter().map(|value| value.cost).min().unwrap_or(0);
        let allowed = format!(
            "at least {}, the least cost of any pruning",
            scale.cost(least)
        );
        Error::parameter("max-cost", most, allowed)
    })
}

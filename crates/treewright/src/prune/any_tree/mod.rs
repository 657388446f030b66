//! Pruning anybody's tree, of which only the shape and the costs of the nodes are known.
//!
//! Nodes may have any numbers and any number of children; node 0 is the root. Inside, siblings are neighbours and come
//! after their parent. A node with a single child is one with it: as a leaf, the cheaper of the two stands for both,
//! the upper one on ties.

mod shape;

use self::shape::Shape;
use super::costs::largest_sum;
use super::family::{concave, members_of_table};
use super::min_cost::MinCost;
use super::single::best_cut;
use super::weakest_link::Collapses;
use super::{Aim, Method, NodeCosts, least_costs};
use crate::cost::{Penalty, SolutionValue, Units, lambda_low};
use crate::error::{Error, Result};
use crate::tree::check_claim;

/// A tree with one cost for every node.
#[derive(Debug, Clone)]
pub struct CostTree {
    shape: Shape,
    costs: NodeCosts,
}

/// What a pruning keeps of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptNodes {
    /// The nodes that stay, leaves and others, by rising number.
    pub nodes: Vec<usize>,
    /// How many of them are leaves.
    pub leaves: usize,
    /// What the leaves cost together.
    pub cost: f64,
}

/// The prunings of a tree that are best for some weight of a penalty, smallest first.
#[derive(Debug, Clone)]
pub struct CostFamily<'a> {
    /// What they are.
    pub members: Vec<CostMember>,
    values: Vec<SolutionValue>,
    tree: &'a CostTree,
    prunings: Prunings,
}

/// One of them: the best for weights from the first to below the second, where `None` is infinity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostMember {
    /// Number of leaves.
    pub leaves: usize,
    /// What they cost together.
    pub cost: f64,
    /// From this weight on it is the best.
    pub lambda_low: f64,
    /// From this weight on it is not any more.
    pub lambda_high: Option<f64>,
}

/// How the nodes of a member are found.
#[derive(Debug, Clone)]
enum Prunings {
    /// The largest member in which a node is a leaf or gone.
    Nested(Vec<u32>),
    Table(MinCost),
}

impl CostTree {
    /// Takes the children and the cost of every node. Costs of up to 15 digits are the decimals that they are written
    /// as, and exact.
    pub fn new(children: &[Vec<i64>], costs: &[f64]) -> Result<Self> {
        if costs.len() != children.len() {
            return Err(Error::model(format!(
                "cost: {} for {} nodes, expected one for each node of \"children\"",
                costs.len(),
                children.len()
            )));
        }
        let strange = |cost: &f64| !(cost.is_finite() && *cost >= 0.0);
        if let Some(node) = costs.iter().position(strange) {
            return Err(Error::model(format!(
                "cost: node {node} has {}, expected a finite number that is not negative",
                costs[node]
            )));
        }
        let (shape, costs) = Shape::new(children, costs)?;
        let costs = node_costs(&shape, &costs)?;
        Ok(Self { shape, costs })
    }

    /// How many leaves it has before any pruning.
    pub fn n_leaves(&self) -> usize {
        self.costs.n_leaves()
    }

    /// Are costs the decimals that they are written as? Otherwise they have too many digits and were rounded.
    pub fn is_exact(&self) -> bool {
        self.costs.is_whole()
    }

    /// The best pruning. `most_bytes` limits the table of least costs, where one is needed.
    pub fn prune(
        &self,
        penalty: &Penalty,
        aim: &Aim,
        method: Method,
        most_bytes: u64,
    ) -> Result<KeptNodes> {
        let found = best_cut(&self.costs, penalty, aim, method, most_bytes)?;
        self.kept(found.value, |node| found.is_leaf[node])
    }

    /// All prunings that are best for some weight of the penalty.
    pub fn family(
        &self,
        penalty: &Penalty,
        method: Method,
        most_bytes: u64,
    ) -> Result<CostFamily<'_>> {
        let (costs, most_leaves) = (&self.costs, self.n_leaves());
        penalty.check(most_leaves)?;
        let (prunings, values) = if method.settled(penalty, most_leaves)? == Method::Table {
            let (table, values) = members_of_table(costs, penalty, most_leaves, most_bytes)?;
            (Prunings::Table(table), values)
        } else {
            let Collapses {
                members,
                last_as_leaf,
            } = concave(costs, penalty);
            (Prunings::Nested(last_as_leaf), members)
        };
        Ok(CostFamily {
            members: self.members(&values, penalty)?,
            values,
            tree: self,
            prunings,
        })
    }

    /// All numbers of leaves that a pruning may have, with their least costs.
    pub fn least_costs(&self) -> Vec<(usize, f64)> {
        let values = least_costs(&self.costs);
        let scale = self.costs.scale();
        let values = values.iter();
        values
            .map(|value| (value.leaves, scale.cost(value.cost)))
            .collect()
    }

    fn members(&self, values: &[SolutionValue], penalty: &Penalty) -> Result<Vec<CostMember>> {
        let scale = self.costs.scale();
        let mut high = None;
        let member = |(place, &value): (usize, &SolutionValue)| {
            let low = match values.get(place + 1) {
                None => 0.0,
                Some(&larger) => lambda_low(value, larger, penalty, scale),
            };
            if low == f64::INFINITY {
                return Err(Error::penalty(format!(
                    "penalty {penalty}: {} and {} leaves cost so nearly the same that the weight \
                     between them is not a finite number",
                    value.leaves,
                    values[place + 1].leaves
                )));
            }
            Ok(CostMember {
                leaves: value.leaves,
                cost: scale.cost(value.cost),
                lambda_low: low,
                lambda_high: high.replace(low),
            })
        };
        values.iter().enumerate().map(member).collect()
    }

    /// The nodes of the pruning whose leaves are the topmost ones that are marked, and leaves of the tree. They must
    /// cost what was claimed.
    fn kept(&self, claimed: SolutionValue, is_cut: impl Fn(usize) -> bool) -> Result<KeptNodes> {
        let mut found = SolutionValue { cost: 0, leaves: 0 };
        let mut nodes = Vec::new();
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let (first, end) = self.costs.children()[node];
            let is_leaf = first == end || is_cut(node);
            if is_leaf {
                found.cost += self.costs.values()[node];
                found.leaves += 1;
            } else {
                open.extend(first as usize..end as usize);
            }
            nodes.extend_from_slice(self.shape.nodes(node, is_leaf));
        }
        check_claim(claimed, found, 0)?;
        nodes.sort_unstable();
        Ok(KeptNodes {
            nodes,
            leaves: found.leaves,
            cost: self.costs.scale().cost(found.cost),
        })
    }
}

impl CostFamily<'_> {
    /// What a member keeps of the tree.
    pub fn kept(&self, member: usize) -> Result<KeptNodes> {
        let value = self.values[member];
        match &self.prunings {
            Prunings::Nested(last_as_leaf) => self
                .tree
                .kept(value, |node| last_as_leaf[node] as usize >= member),
            Prunings::Table(table) => {
                let is_cut = table
                    .cut(value.leaves)
                    .expect("a member's number of leaves");
                self.tree.kept(value, |node| is_cut[node])
            }
        }
    }
}

/// Costs as whole numbers: times a power of ten where they are decimals, else rounded to multiples of a tiny unit.
fn node_costs(shape: &Shape, costs: &[f64]) -> Result<NodeCosts> {
    /// Sums below this leave room for differences of two.
    const LARGEST: f64 = (1_u64 << 60) as f64;
    let children = shape.children();
    let decimals = costs.iter().all(|&cost| is_decimal(cost));
    if let Some((units, tens)) = Units::of_decimals(costs).filter(|_| decimals) {
        let numbers: Vec<f64> = units.values().iter().map(|&units| units as f64).collect();
        let largest = largest_sum(children, &numbers);
        if largest < LARGEST {
            let children = children.to_vec();
            return Ok(NodeCosts::of_shape(children, units, largest, tens, true));
        }
    }
    let largest = largest_sum(children, costs);
    if !largest.is_finite() {
        return Err(Error::model(
            "cost: the numbers are too large: their sum is not a finite number",
        ));
    }
    let units = Units::new(costs, largest);
    let children = children.to_vec();
    Ok(NodeCosts::of_shape(children, units, largest, 1.0, false))
}

/// May a number have been written as this decimal? Others are results of computing with doubles.
fn is_decimal(number: f64) -> bool {
    /// Decimals of so many digits are told apart by doubles.
    const DIGITS: usize = 15;
    const LARGEST_WHOLE: f64 = (1_u64 << 53) as f64;
    let is_whole = number.fract() == 0.0 && number < LARGEST_WHOLE;
    let written = format!("{number:e}");
    let digits = written.split('e').next().unwrap_or_default();
    is_whole || digits.len() <= DIGITS + 1
}

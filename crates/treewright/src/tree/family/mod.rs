//! The best trees for every weight of a penalty, from the smallest to the largest.

mod fold_trees;
mod kept;
mod stored;

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

pub use self::fold_trees::FoldTrees;
pub use self::kept::Kept;
use self::stored::Stored;
use super::{NodeId, Tree};
use crate::cost::{
    Lambda, Objective, Penalty, Scale, SolutionValue, Units, lambda_low, lower_hull,
};
use crate::error::{Error, Result};

/// An ordered list of trees, each the best for an interval of the penalty weight.
///
/// Members go from the fewest leaves to the most. Costs fall strictly from one to the next. Where two
/// neighbours are equally good the smaller one wins, so a member holds on `[lambda_low, lambda_high)`.
///
/// A family of all sizes also has members that are best for no weight: they cost least of all trees with their
/// number of leaves.
#[derive(Debug, Clone)]
pub struct Family {
    penalty: Penalty,
    scale: Scale,
    members: Vec<SolutionValue>,
    /// What members cost, divided by the total weight, where units of cost are rounded.
    costs: Option<Vec<f64>>,
    trees: MemberTrees,
    /// Weight of wrong predictions of each member, found when first asked for.
    pub(super) errors: OnceLock<Option<Vec<f64>>>,
    /// The last member is known to be the best from this weight on.
    lowest: f64,
    /// Are there members that are only as good as their neighbours, at one weight?
    has_ties: bool,
    /// The members that are best for some weight; `None` if all are.
    best: Option<Vec<usize>>,
    /// What a file says, if the family comes from one.
    stored: Option<Stored>,
}

/// Where the trees of the members come from.
#[derive(Debug, Clone)]
pub enum MemberTrees {
    /// All are prunings of one tree, each a pruning of the next.
    Nested(Nested),
    /// Something makes or has each of them.
    Source(Arc<dyn TreeSource>),
}

/// Members that are all prunings of one tree, each a pruning of the next.
#[derive(Debug, Clone)]
pub struct Nested {
    /// The tree they are prunings of.
    pub tree: Arc<Tree>,
    /// For each inner node the largest member in which it is a leaf or gone. Leaves have no entry of
    /// interest.
    pub last_as_leaf: Vec<u32>,
    /// Weights of wrong predictions of all nodes, where they are not those of the tree's own rows.
    pub errors: Option<Units>,
}

/// Something that can make the tree of any member of a family.
pub trait TreeSource: Debug + Send + Sync {
    /// The tree of a member.
    fn tree(&self, member: usize) -> Tree;

    /// Weight of wrong predictions of a member, as a sum over its leaves; `None` for regression.
    fn errors(&self, member: usize) -> Option<f64> {
        let tree = self.tree(member);
        let leaves = tree.ids().filter(|&id| tree.is_leaf(id));
        let is_classification = tree.schema().is_classification();
        is_classification.then(|| leaves.map(|id| tree.errors(id)).sum())
    }
}

impl TreeSource for Vec<Tree> {
    fn tree(&self, member: usize) -> Tree {
        self[member].clone()
    }
}

/// The figures of one member, as files and reports have them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// Number of leaves.
    pub leaves: usize,
    /// Cost divided by the total weight.
    pub cost: f64,
    /// Weight of wrong predictions, as a sum over leaves; `None` for regression.
    pub errors: Option<f64>,
    /// From this weight of the penalty on the member is the best; `None` if it is best for no weight.
    pub lambda_low: Option<f64>,
    /// From this weight on it is not any more; `None` is infinity, unless it is best for no weight.
    pub lambda_high: Option<f64>,
}

impl Family {
    /// A family of trees that come from anywhere.
    pub fn new(
        penalty: Penalty,
        scale: Scale,
        members: Vec<SolutionValue>,
        trees: Arc<dyn TreeSource>,
    ) -> Self {
        Self {
            penalty,
            scale,
            members,
            costs: None,
            trees: MemberTrees::Source(trees),
            errors: OnceLock::new(),
            lowest: 0.0,
            has_ties: false,
            best: None,
            stored: None,
        }
    }

    /// A family of nested prunings.
    pub fn nested(
        penalty: Penalty,
        scale: Scale,
        members: Vec<SolutionValue>,
        nested: Nested,
    ) -> Self {
        Self {
            penalty,
            scale,
            members,
            costs: None,
            trees: MemberTrees::Nested(nested),
            errors: OnceLock::new(),
            lowest: 0.0,
            has_ties: false,
            best: None,
            stored: None,
        }
    }

    /// The same family, known only for weights from `lowest` on.
    #[must_use]
    pub fn down_to(mut self, lowest: f64) -> Self {
        self.lowest = lowest;
        self
    }

    /// The same family, whose members cost this, divided by the total weight: for those whose units are rounded.
    #[must_use]
    pub(crate) fn with_costs(mut self, costs: Option<Vec<f64>>) -> Self {
        self.costs = costs;
        self
    }

    /// Were units of cost rounded, so that trees with nearly the same objective may be taken for each other?
    pub fn has_rounded_units(&self) -> bool {
        self.costs.is_some()
    }

    /// The same family, which may have members that are only as good as their neighbours: their
    /// interval of weights is empty.
    #[must_use]
    pub fn with_ties(mut self, has_ties: bool) -> Self {
        self.has_ties = has_ties;
        self
    }

    /// The same family, which has the best tree of every size: only some of them are best for a weight.
    #[must_use]
    pub fn with_all_sizes(mut self) -> Self {
        self.best = Some(match &self.stored {
            None => lower_hull(&self.members, &self.penalty),
            Some(stored) => {
                let is_best = |&member: &usize| stored.lambda_low[member].is_some();
                (0..self.len()).filter(is_best).collect()
            }
        });
        self
    }

    /// Does it have the best tree of every size, not only those that are best for some weight?
    pub fn has_all_sizes(&self) -> bool {
        self.best.is_some()
    }

    /// The members that are best for some weight, smallest first.
    pub fn best_members(&self) -> Cow<'_, [usize]> {
        match &self.best {
            Some(best) => Cow::Borrowed(best),
            None => Cow::Owned((0..self.len()).collect()),
        }
    }

    /// The smallest member that is best for smaller weights than this one.
    fn next_best(&self, member: usize) -> Option<usize> {
        let next = match &self.best {
            None => member + 1,
            Some(best) => {
                let place = best.binary_search(&member).ok()?;
                *best.get(place + 1)?
            }
        };
        (next < self.len()).then_some(next)
    }

    /// Is a member best for some weight?
    fn is_best(&self, member: usize) -> bool {
        let best = self.best.as_ref();
        best.is_none_or(|best| best.binary_search(&member).is_ok())
    }

    /// May there be members that are only as good as their neighbours?
    pub fn has_ties(&self) -> bool {
        self.has_ties
    }

    /// Refuses a family with a threshold above all doubles: further leaves cost next to nothing.
    pub fn check_weights(&self) -> Result<()> {
        let (penalty, scale) = (&self.penalty, self.scale);
        for &member in &*self.best_members() {
            let Some(larger) = self.next_best(member) else {
                break;
            };
            let two = [self.members[member], self.members[larger]];
            let rise = penalty.at(two[1].leaves) - penalty.at(two[0].leaves);
            let rounded = scale.cost(two[0].cost - two[1].cost) / rise;
            // Where the rounded one is small, the exact one is finite as well.
            let is_finite = || self.lambda_low(member).is_some_and(f64::is_finite);
            if !(rounded < 1e300) && !is_finite() {
                return Err(Error::penalty(format!(
                    "penalty {penalty}: {} and {} leaves cost so nearly the same that the weight \
                     between them is not a finite number",
                    two[0].leaves, two[1].leaves
                )));
            }
        }
        Ok(())
    }

    /// Number of members, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a family is never empty")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The penalty that the family is for.
    pub fn penalty(&self) -> &Penalty {
        &self.penalty
    }

    /// What a unit of cost is worth.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Cost in units and leaves of all members. Of a family that was read from a file the costs are
    /// rounded to units of their own.
    pub fn values(&self) -> &[SolutionValue] {
        &self.members
    }

    /// From this weight of the penalty on a member is the best: 0 for the last of a complete family. `None` if it is
    /// best for no weight.
    pub fn lambda_low(&self, member: usize) -> Option<f64> {
        if !self.is_best(member) {
            return None;
        }
        if let Some(stored) = &self.stored {
            return stored.lambda_low[member];
        }
        Some(match self.next_best(member) {
            None => self.lowest,
            Some(larger) => lambda_low(
                self.members[member],
                self.members[larger],
                &self.penalty,
                self.scale,
            ),
        })
    }

    /// The figures of a member.
    pub fn member(&self, member: usize) -> Member {
        let smaller = (0..member).rev().find(|&smaller| self.is_best(smaller));
        self.figures(member, smaller.and_then(|smaller| self.lambda_low(smaller)))
    }

    /// The figures of all members.
    pub fn members(&self) -> Vec<Member> {
        // Of all at once, which may be less work than one by one.
        self.errors();
        let mut high = None;
        (0..self.len())
            .map(|member| {
                let figures = self.figures(member, high);
                high = figures.lambda_low.or(high);
                figures
            })
            .collect()
    }

    /// For each member the weight of its wrong predictions, as a sum over its leaves; `None` for
    /// regression.
    pub fn errors(&self) -> Option<&[f64]> {
        let errors = self.errors.get_or_init(|| match &self.trees {
            MemberTrees::Nested(nested) => nested.member_errors(self.len()),
            MemberTrees::Source(trees) => (0..self.len()).map(|i| trees.errors(i)).collect(),
        });
        errors.as_deref()
    }

    /// The tree of a member.
    pub fn tree(&self, member: usize) -> Tree {
        match &self.trees {
            MemberTrees::Nested(nested) => nested.member(member),
            MemberTrees::Source(source) => source.tree(member),
        }
    }

    /// How the members are nested, if they are.
    pub fn as_nested(&self) -> Option<&Nested> {
        match &self.trees {
            MemberTrees::Nested(nested) => Some(nested),
            MemberTrees::Source(_) => None,
        }
    }

    /// The member that is best for a weight of the penalty.
    pub fn at(&self, lambda: &Lambda) -> usize {
        if let Some(stored) = &self.stored {
            return stored.at(lambda, &self.penalty);
        }
        let objective = Objective::new(lambda.clone(), self.penalty.clone(), self.scale);
        // A member gives way to the next one while that is better; along a hull this turns once.
        let best = self.best_members();
        let mut low = 0;
        let mut high = best.len() - 1;
        while low < high {
            let middle = usize::midpoint(low, high);
            if objective
                .compare(self.members[best[middle]], self.members[best[middle + 1]])
                .is_le()
            {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        best[low]
    }

    /// The largest member with at most this many leaves.
    pub fn with_leaves(&self, most_leaves: usize) -> Option<usize> {
        self.members
            .partition_point(|member| member.leaves <= most_leaves)
            .checked_sub(1)
    }

    fn figures(&self, member: usize, lambda_high: Option<f64>) -> Member {
        let value = self.members[member];
        Member {
            leaves: value.leaves,
            cost: match (&self.stored, &self.costs) {
                (Some(stored), _) => stored.costs[member],
                (None, Some(costs)) => costs[member],
                (None, None) => self.scale.cost(value.cost),
            },
            errors: self.errors_of(member),
            lambda_low: self.lambda_low(member),
            lambda_high: lambda_high.filter(|_| self.is_best(member)),
        }
    }

    /// The errors of one member, without those of the others where each takes work of its own.
    fn errors_of(&self, member: usize) -> Option<f64> {
        match (&self.trees, self.errors.get()) {
            (MemberTrees::Source(trees), None) => trees.errors(member),
            _ => self.errors().map(|errors| errors[member]),
        }
    }
}

impl Nested {
    /// The tree of a member.
    pub fn member(&self, member: usize) -> Tree {
        self.tree.cut(|id| self.is_leaf_in(id, member))
    }

    /// The largest of `n_members` members, and `last_as_leaf` for its nodes.
    pub fn largest(&self, n_members: usize) -> (Tree, Vec<u32>) {
        let largest = n_members - 1;
        let mut stays = vec![false; self.tree.n_nodes()];
        stays[0] = true;
        let mut last_as_leaf = Vec::new();
        for id in self.tree.ids() {
            if !stays[id.index()] {
                continue;
            }
            last_as_leaf.push(self.last_as_leaf[id.index()]);
            let branch = self.tree.branch(id);
            if let Some(branch) = branch.filter(|_| !self.is_leaf_in(id, largest)) {
                branch
                    .children()
                    .for_each(|child| stays[child.index()] = true);
            }
        }
        (self.member(largest), last_as_leaf)
    }

    /// Is an inner node a leaf of a member, or below one?
    pub fn is_leaf_in(&self, id: NodeId, member: usize) -> bool {
        self.last_as_leaf[id.index()] as usize >= member
    }

    /// Cost and leaves of all members, from the costs of the nodes. A node is a leaf of the members from the first that
    /// has it to the last in which it is not split.
    pub(crate) fn recounted(
        &self,
        n_members: usize,
        cost: impl Fn(NodeId) -> i64,
    ) -> Vec<SolutionValue> {
        let mut changes = vec![(0_i64, 0_isize); n_members + 1];
        let mut first = vec![0; self.tree.n_nodes()];
        for id in self.tree.ids() {
            let from = first[id.index()].min(n_members);
            let branch = self.tree.branch(id);
            let to = branch.map_or(n_members, |branch| {
                let to = (self.last_as_leaf[id.index()] as usize + 1).max(from);
                branch
                    .children()
                    .for_each(|child| first[child.index()] = to);
                to.min(n_members)
            });
            changes[from].0 += cost(id);
            changes[from].1 += 1;
            changes[to].0 -= cost(id);
            changes[to].1 -= 1;
        }
        let (mut sum, mut leaves) = (0, 0);
        let of_member = |&(more, more_leaves): &(i64, isize)| {
            (sum, leaves) = (sum + more, leaves + more_leaves);
            SolutionValue {
                cost: sum,
                leaves: leaves as usize,
            }
        };
        changes[..n_members].iter().map(of_member).collect()
    }

    fn member_errors(&self, n_members: usize) -> Option<Vec<f64>> {
        if !self.tree.schema().is_classification() {
            return None;
        }
        let sums = |errors: &Units| -> Vec<f64> {
            let sums = self.sums(errors.values(), n_members);
            sums.iter().map(|&units| errors.number(units)).collect()
        };
        if let Some(errors) = &self.errors {
            return Some(sums(errors));
        }
        let errors: Vec<f64> = self.tree.ids().map(|id| self.tree.errors(id)).collect();
        let largest = self.tree.largest_sum(&errors);
        Some(sums(&Units::new(&errors, largest)))
    }

    /// For each of `n_members` members the sum of a whole number over its leaves.
    pub fn sums(&self, numbers: &[i64], n_members: usize) -> Vec<i64> {
        // A node is a leaf of the members after the last one in which its parent is, up to the last
        // one in which it is itself: of a range, which two changes of a running sum describe. Only
        // the running sum is known to be small.
        let mut change = vec![0_i64; n_members + 1];
        let mut add = |id: NodeId, first: usize| {
            let last = match self.tree.branch(id) {
                Some(_) => self.last_as_leaf[id.index()] as usize,
                None => n_members - 1,
            };
            if first <= last {
                let number = numbers[id.index()];
                change[first] = change[first].wrapping_add(number);
                change[last + 1] = change[last + 1].wrapping_sub(number);
            }
        };
        add(NodeId::ROOT, 0);
        for id in self.tree.ids() {
            if let Some(branch) = self.tree.branch(id) {
                let first = self.last_as_leaf[id.index()] as usize + 1;
                branch.children().for_each(|child| add(child, first));
            }
        }
        let mut sum = 0_i64;
        change.truncate(n_members);
        for entry in &mut change {
            sum = sum.wrapping_add(*entry);
            *entry = sum;
        }
        change
    }
}

//! Families whose figures come from a file and are not computed anew.

use std::sync::OnceLock;

use super::{Family, Member, MemberTrees, Nested};
use crate::cost::{Lambda, Objective, Penalty, Scale, SolutionValue, Units};
use crate::error::{Error, Result};
use crate::tree::{Branch, NodeId};

/// The figures of all members, as the file has them.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) costs: Vec<f64>,
    /// `None` for members that are best for no weight.
    pub(super) lambda_low: Vec<Option<f64>>,
    /// The costs as whole numbers, where they are known to be.
    whole: Option<Whole>,
}

/// Costs that are whole numbers before they are divided by the total weight.
#[derive(Debug, Clone)]
struct Whole {
    values: Vec<SolutionValue>,
    scale: Scale,
}

impl Whole {
    /// `None` unless each cost is the double nearest to a whole number divided by the weight.
    fn new(costs: &[f64], leaves: impl Iterator<Item = usize>, total_weight: f64) -> Option<Self> {
        let scale = Scale::new(1.0, total_weight);
        let units: Vec<f64> = costs
            .iter()
            .map(|cost| (cost * total_weight).round())
            .collect();
        let units = Units::new(&units, units.iter().copied().fold(0.0, f64::max));
        let is_whole = units.is_whole()
            && units
                .values()
                .iter()
                .zip(costs)
                .all(|(&units, &cost)| scale.cost(units) == cost);
        let values = units.values().iter().zip(leaves);
        let values = values.map(|(&cost, leaves)| SolutionValue { cost, leaves });
        is_whole.then(|| Self {
            values: values.collect(),
            scale,
        })
    }
}

impl Stored {
    /// The smallest member that is the best for a weight.
    pub(super) fn at(&self, lambda: &Lambda, penalty: &Penalty) -> usize {
        // A threshold means what it says as a decimal: that is how it is given back.
        let is_above = |low: f64| {
            let threshold = format!("{low:?}").parse::<Lambda>();
            threshold.is_ok_and(|threshold| threshold > *lambda)
        };
        let best = self.lambda_low.iter().enumerate();
        let best = best.filter_map(|(member, low)| Some((member, (*low)?)));
        let best: Vec<(usize, f64)> = best.collect();
        let mut place = best.partition_point(|&(_, low)| is_above(low));
        place = place.min(best.len() - 1);
        // Thresholds are rounded up. A weight such as 1/6 may lie between one and its double: there the member before
        // is the best already.
        while place > 0 && self.is_as_good(best[place - 1].0, best[place].0, lambda, penalty) {
            place -= 1;
        }
        best[place].0
    }

    /// Is a member known to be as good as another one, for a weight?
    fn is_as_good(&self, one: usize, other: usize, lambda: &Lambda, penalty: &Penalty) -> bool {
        self.whole.as_ref().is_some_and(|whole| {
            let objective = Objective::new(lambda.clone(), penalty.clone(), whole.scale);
            let order = objective.compare(whole.values[one], whole.values[other]);
            order.is_le()
        })
    }
}

impl Family {
    /// A family with figures that somebody else has computed. Refuses what no family can be: sizes that
    /// do not rise, costs that rise, weights with gaps, trees of other sizes.
    pub fn stored(penalty: Penalty, members: &[Member], trees: MemberTrees) -> Result<Self> {
        // What a node of a nested family collapses at names a single member.
        let may_tie = matches!(trees, MemberTrees::Source(_));
        check_members(members, may_tie)?;
        check_trees(members, &trees)?;
        let costs: Vec<f64> = members.iter().map(|member| member.cost).collect();
        let units = Units::new(&costs, costs[0]);
        let scale = Scale::new(units.unit(), 1.0);
        let values = members.iter().zip(units.values());
        let values = values.map(|(member, &cost)| SolutionValue {
            cost,
            leaves: member.leaves,
        });
        let errors: Option<Vec<f64>> = members.iter().map(|member| member.errors).collect();
        let stored = Stored {
            costs,
            lambda_low: members.iter().map(|member| member.lambda_low).collect(),
            whole: None,
        };
        let mut family = match trees {
            MemberTrees::Source(trees) => Self::new(penalty, scale, values.collect(), trees),
            MemberTrees::Nested(nested) => Self::nested(penalty, scale, values.collect(), nested),
        };
        family = family.with_ties(members.iter().any(is_tied));
        family.errors = OnceLock::from(errors);
        family.stored = Some(stored);
        let has_more = members.iter().any(|member| member.lambda_low.is_none());
        Ok(if has_more {
            family.with_all_sizes()
        } else {
            family
        })
    }

    /// The same family, if its costs are said to be exact: whole numbers, divided by this weight. Then weights next
    /// to a threshold choose the right member, too.
    #[must_use]
    pub fn with_whole_costs(mut self, total_weight: f64) -> Self {
        let leaves = self.members.iter().map(|member| member.leaves);
        if let Some(stored) = &mut self.stored {
            stored.whole = Whole::new(&stored.costs, leaves, total_weight);
        }
        self
    }
}

fn broken(member: usize, what: &str) -> Error {
    Error::model(format!("member {member}: {what}"))
}

/// Is a member only as good as its neighbours, at one weight?
fn is_tied(member: &Member) -> bool {
    member.lambda_low.is_some() && member.lambda_high == member.lambda_low
}

fn check_members(members: &[Member], may_tie: bool) -> Result<()> {
    if members.is_empty() {
        return Err(Error::model(
            "\"members\" is empty, expected at least one tree",
        ));
    }
    // The last of the members so far that is best for some weight.
    let mut best = None;
    for (place, member) in members.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &members[before]);
        if let Some(what) = differs(member, before, best, members.len() == 1) {
            return Err(broken(place, what));
        }
        if is_tied(member) && !may_tie {
            return Err(broken(place, "lambda_low must be below lambda_high"));
        }
        if member.lambda_low.is_none() && !may_tie {
            return Err(broken(place, "lambda_low must be a number"));
        }
        best = Some(member).filter(|it| it.lambda_low.is_some()).or(best);
    }
    let last = members.len() - 1;
    if members[last].lambda_low.is_none() {
        return Err(broken(
            last,
            "lambda_low must be a number: no member costs less",
        ));
    }
    Ok(())
}

/// What speaks against a member that follows another one.
fn differs(
    member: &Member,
    before: Option<&Member>,
    best: Option<&Member>,
    is_alone: bool,
) -> Option<&'static str> {
    let low = member.lambda_low;
    // Of a search that was stopped at once, the weight of a single member may be infinite.
    let is_nowhere = is_alone && low == Some(f64::INFINITY);
    let amounts = [
        member.cost,
        low.filter(|_| !is_nowhere).unwrap_or(0.0),
        member.lambda_high.unwrap_or(0.0),
        member.errors.unwrap_or(0.0),
    ];
    if amounts.iter().any(|x| !x.is_finite() || *x < 0.0) {
        return Some("a number is negative or not finite");
    }
    if before.map_or(0, |before| before.leaves) >= member.leaves {
        return Some("leaves must rise from 1 on");
    }
    if before.is_some_and(|before| before.cost < member.cost) {
        return Some("cost must fall from member to member");
    }
    let Some(low) = low else {
        return match (best, member.lambda_high) {
            (None, _) => Some("the first member must have lambda_low"),
            (_, Some(_)) => Some("lambda_high must be null where lambda_low is"),
            _ => None,
        };
    };
    if best.and_then(|best| best.lambda_low) != member.lambda_high {
        return Some("lambda_high must be lambda_low of the member before, null for the first");
    }
    if member.lambda_high.is_some_and(|high| high < low) {
        return Some("lambda_low must not be above lambda_high");
    }
    None
}

fn check_trees(members: &[Member], trees: &MemberTrees) -> Result<()> {
    let leaves: Vec<usize> = match trees {
        MemberTrees::Source(trees) => (0..members.len())
            .map(|member| trees.tree(member).n_leaves())
            .collect(),
        MemberTrees::Nested(nested) => {
            check_nested(nested, members.len())?;
            let ones = vec![1; nested.tree.n_nodes()];
            let sums = nested.sums(&ones, members.len());
            sums.into_iter().map(|leaves| leaves as usize).collect()
        }
    };
    let mut pairs = members.iter().zip(&leaves);
    match pairs.position(|(member, &leaves)| member.leaves != leaves) {
        None => Ok(()),
        Some(place) => {
            let (claimed, found) = (members[place].leaves, leaves[place]);
            let what = format!("leaves is {claimed}, but its tree has {found}");
            Err(broken(place, &what))
        }
    }
}

/// A node must not outlive its parent, and the largest member has all of them.
fn check_nested(nested: &Nested, n_members: usize) -> Result<()> {
    let tree = &nested.tree;
    let last = |id: NodeId| nested.last_as_leaf[id.index()];
    for id in tree.ids().filter(|&id| !tree.is_leaf(id)) {
        let broken = |what: &str| Err(Error::model(format!("node {}: {what}", id.0)));
        if last(id) as usize + 1 >= n_members {
            return broken("collapse_at is that of the largest member, in which it is no leaf");
        }
        let mut children = tree.branch(id).into_iter().flat_map(Branch::children);
        if children.any(|child| !tree.is_leaf(child) && last(child) < last(id)) {
            return broken("collapse_at is below that of a child");
        }
    }
    Ok(())
}

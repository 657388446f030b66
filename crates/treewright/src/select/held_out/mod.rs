//! The cost of all members of a family on rows that were left out of learning, in one pass.
//!
//! The members of a nested family open one node after the other. On its way down the largest tree a row
//! passes every node that is its leaf in some member, and knows from which member on. Where its answer
//! changes, so does its loss; the costs of all members are running sums of such changes, and nothing is
//! done for each member and row. From a node on at which a row is distributed, [`Mixture`] finds its
//! answers: they are not sums over leaves.

mod mixture;

use self::mixture::Mixture;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::tree::{Family, Nested, NodeId, Tree};

/// Losses as whole numbers of units, so that sums do not depend on the order and equal ones are equal.
///
/// Units are powers of two, so small that a loss keeps its bits even if it is tiny beside the largest.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossUnits {
    /// No loss is larger. Squares are of losses divided by this, so that they are finite.
    top: f64,
    /// Unit of weight times loss.
    cost: f64,
    /// Unit of weights, and of weight times squared loss.
    weight: f64,
    /// The largest weight of a row, where rows have different ones.
    heaviest: Option<f64>,
}

/// The largest sum takes this many bits, which leaves room for differences of two.
const BITS: i32 = 124;

/// A sum of losses and one of their squares, in units.
///
/// Where rows have different weights, what is meant for standard errors is weighted twice: by the weight, and by the
/// weight divided by that of the heaviest row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) cost: i128,
    square: i128,
    /// The losses weighted twice; 0 where rows have equal weights.
    twice: i128,
}

/// What rows cost under some trees.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// For each of the trees.
    pub(super) amounts: Vec<Amount>,
    /// Number of rows.
    pub(super) rows: usize,
    /// Their weight, in units.
    pub(super) weight: i128,
    /// The same weighted twice; 0 where rows have equal weights.
    pub(super) twice: i128,
}

impl LossUnits {
    /// Units for answers that are not further off than all targets together, and for sums in which each
    /// row occurs this many times.
    pub(super) fn of(data: &Dataset, loss: &Loss, times: usize) -> Self {
        let top = match (data.target(), loss) {
            (Target::Numbers(numbers), _) => {
                let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (2.0 * (largest - least)).powi(2).min(f64::MAX)
            }
            (_, Loss::Matrix(matrix)) => matrix.rows().flatten().copied().fold(0.0, f64::max),
            _ => 1.0,
        };
        let top = if top > 0.0 { top } else { 1.0 };
        let weight = data.total_weight();
        Self {
            top,
            cost: unit_for((weight * top).min(f64::MAX), times),
            weight: unit_for(weight, times),
            heaviest: data.heaviest_of_different(),
        }
    }

    /// What a weight counts where it counts twice: at most once as much.
    fn again(&self, weight: f64) -> f64 {
        self.heaviest.map_or(1.0, |heaviest| weight / heaviest)
    }

    /// Losses, weighted twice; `share` is the loss as a share of the top.
    fn twice(&self, weight: f64, share: f64) -> i128 {
        match self.heaviest {
            None => 0,
            Some(_) => in_units(weight * self.again(weight) * share, self.weight),
        }
    }

    /// A loss on a row of some weight.
    pub(super) fn amount(&self, weight: f64, loss: f64) -> Amount {
        // Only what overflows is above the top.
        let loss = loss.min(self.top);
        let share = loss / self.top;
        Amount {
            cost: in_units(weight * loss, self.cost),
            square: in_units(weight * self.again(weight) * share.powi(2), self.weight),
            twice: self.twice(weight, share),
        }
    }

    /// How much more one loss is than another on the same row. The cost is exactly the difference of both.
    pub(super) fn difference(&self, weight: f64, loss: f64, other: f64) -> Amount {
        let (loss, other) = (loss.min(self.top), other.min(self.top));
        let share = (loss - other) / self.top;
        Amount {
            cost: self.cost(weight, loss) - self.cost(weight, other),
            square: in_units(weight * self.again(weight) * share.powi(2), self.weight),
            twice: self.twice(weight, share),
        }
    }

    /// Adds a row of some weight to sums.
    pub(super) fn add_row(&self, sums: &mut Sums, weight: f64) {
        sums.rows += 1;
        sums.weight += in_units(weight, self.weight);
        sums.twice += self.twice(weight, 1.0);
    }

    /// A loss on a row of some weight, in units of cost.
    pub(super) fn cost(&self, weight: f64, loss: f64) -> i128 {
        in_units(weight * loss, self.cost)
    }

    /// A cost in whole units, rounded down.
    pub(super) fn floor(&self, cost: f64) -> i128 {
        (cost / self.cost).floor() as i128
    }

    /// Units of cost as a number.
    pub(super) fn number(&self, cost: i128) -> f64 {
        cost as f64 * self.cost
    }

    /// The mean loss of the rows under one of the trees.
    pub(super) fn mean(&self, sums: &Sums, tree: usize) -> f64 {
        // The quotient of the units is a power of two, so that only one division rounds.
        let mean = sums.amounts[tree].cost as f64 / sums.weight as f64;
        mean * (self.cost / self.weight)
    }

    /// The weight of these rows, as a number.
    pub(super) fn weight_of(&self, sums: &Sums) -> f64 {
        sums.weight as f64 * self.weight
    }

    /// The standard error of that mean, if each row is there once: of weights *w* and losses *e* with the mean *p*, the
    /// root of *sum w² (e - p)²*, divided by *sum w*.
    pub(super) fn se(&self, sums: &Sums, tree: usize) -> f64 {
        if let Some(heaviest) = self.heaviest {
            return self.weighted_se(sums, tree, heaviest);
        }
        let mean_square = sums.amounts[tree].square as f64 / sums.weight as f64;
        let variance = mean_square - (self.mean(sums, tree) / self.top).powi(2);
        // What rounding leaves of equal losses is not variance.
        let is_noise = variance <= 16.0 * f64::EPSILON * mean_square;
        let variance = if is_noise { 0.0 } else { variance };
        self.top * (variance / sums.rows as f64).sqrt()
    }

    fn weighted_se(&self, sums: &Sums, tree: usize, heaviest: f64) -> f64 {
        let amount = &sums.amounts[tree];
        let mean = self.mean(sums, tree) / self.top;
        let weight = sums.weight as f64;
        let squares = amount.square as f64 / weight;
        let square_of_mean = mean * mean * (sums.twice as f64 / weight);
        let deviations = squares - 2.0 * mean * (amount.twice as f64 / weight) + square_of_mean;
        // What rounding leaves of equal losses is no deviation.
        let is_noise = deviations <= 16.0 * f64::EPSILON * (squares + square_of_mean);
        let deviations = if is_noise { 0.0 } else { deviations };
        self.top * (deviations * (heaviest / self.weight_of(sums))).sqrt()
    }
}

/// A power of two as the unit of sums, for this many sums of at most `largest_sum` each.
fn unit_for(largest_sum: f64, times: usize) -> f64 {
    let times = (times as f64).log2().ceil() as i32;
    let exponent = largest_sum.log2().ceil() as i32 + times - BITS;
    2.0_f64.powi(exponent.max(f64::MIN_EXP - 1))
}

fn in_units(number: f64, unit: f64) -> i128 {
    (number / unit).round_ties_even() as i128
}

impl Amount {
    pub(super) fn add(&mut self, other: Self) {
        self.cost += other.cost;
        self.square += other.square;
        self.twice += other.twice;
    }

    fn subtract(&mut self, other: Self) {
        self.cost -= other.cost;
        self.square -= other.square;
        self.twice -= other.twice;
    }
}

impl Sums {
    /// No rows at all, for this many trees.
    pub(super) fn new(n_trees: usize) -> Self {
        Self {
            amounts: vec![Amount::default(); n_trees],
            rows: 0,
            weight: 0,
            twice: 0,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, amount) in self.amounts.iter_mut().zip(&other.amounts) {
            sum.add(*amount);
        }
        self.rows += other.rows;
        self.weight += other.weight;
        self.twice += other.twice;
    }
}

/// What these members of a family cost on rows; the members do not fall.
pub(super) fn sums_of_members(
    family: &Family,
    members: &[usize],
    data: &Dataset,
    units: &LossUnits,
) -> Sums {
    let amounts = match family.as_nested() {
        Some(nested) => {
            let all = Pass::new(nested, family.len(), data, units).run();
            members.iter().map(|&member| all[member]).collect()
        }
        None => plain_amounts(family, members, data, units),
    };
    let mut sums = Sums {
        amounts,
        ..Sums::new(0)
    };
    for row in 0..data.n_rows() {
        units.add_row(&mut sums, data.weight(row));
    }
    sums
}

/// The same where members are not nested: each is asked for its predictions.
fn plain_amounts(
    family: &Family,
    members: &[usize],
    data: &Dataset,
    units: &LossUnits,
) -> Vec<Amount> {
    let mut amounts: Vec<Amount> = Vec::with_capacity(members.len());
    for (place, &member) in members.iter().enumerate() {
        if place > 0 && members[place - 1] == member {
            amounts.push(amounts[place - 1]);
            continue;
        }
        let tree = family.tree(member);
        let mut sum = Amount::default();
        for (row, &answer) in tree.predict(data).iter().enumerate() {
            sum.add(units.amount(data.weight(row), loss_of(&tree, data, row, answer)));
        }
        amounts.push(sum);
    }
    amounts
}

/// The loss of a row if this is the answer.
pub(super) fn loss_of(tree: &Tree, data: &Dataset, row: usize, answer: f64) -> f64 {
    match data.target() {
        Target::Classes(truths) => tree.loss().of_class(truths[row] as usize, answer as usize),
        Target::Numbers(truths) => (truths[row] - answer).powi(2),
        Target::Absent => unreachable!("what has no target is not learned from"),
    }
}

/// One pass of rows through the tree whose prunings a family is made of.
struct Pass<'a> {
    nested: &'a Nested,
    n_members: usize,
    data: &'a Dataset,
    units: &'a LossUnits,
    /// For each member what the rows cost more than under the member before it.
    changes: Vec<Amount>,
}

impl<'a> Pass<'a> {
    fn new(nested: &'a Nested, n_members: usize, data: &'a Dataset, units: &'a LossUnits) -> Self {
        Self {
            nested,
            n_members,
            data,
            units,
            changes: vec![Amount::default(); n_members],
        }
    }

    /// What each member costs.
    fn run(mut self) -> Vec<Amount> {
        let mut mixture = Mixture::new(self.nested, self.n_members);
        let mut walkers: Vec<Walker> = Vec::with_capacity(WALKERS);
        for start in (0..self.data.n_rows()).step_by(WALKERS) {
            let rows = start..self.data.n_rows().min(start + WALKERS);
            walkers.extend(rows.map(|row| self.at_root(row)));
            while !walkers.is_empty() {
                walkers.retain_mut(|walker| self.step(walker, &mut mixture));
            }
        }
        let mut sum = Amount::default();
        for change in &mut self.changes {
            sum.add(*change);
            *change = sum;
        }
        self.changes
    }

    /// A row under the smallest member, the root alone.
    fn at_root(&mut self, row: usize) -> Walker {
        let mut walker = Walker {
            row,
            at: NodeId::ROOT,
            answer: f64::NAN,
            amount: Amount::default(),
        };
        self.change(&mut walker, 0, self.nested.tree.value(NodeId::ROOT));
        walker
    }

    /// Takes a row to the next node; false at its end, which is where no member leads further. A node
    /// is the leaf of a row from the member after the last in which the node's parent is one.
    fn step(&mut self, walker: &mut Walker, mixture: &mut Mixture<'_>) -> bool {
        let (nested, data, row) = (self.nested, self.data, walker.row);
        let tree = &*nested.tree;
        let opens = nested.last_as_leaf[walker.at.index()] as usize + 1;
        let Some(branch) = tree.branch(walker.at).filter(|_| opens < self.n_members) else {
            return false;
        };
        let value = |feature: usize| data.columns()[feature].value(row);
        let Some(child) = branch.next(&value) else {
            mixture.answers(walker.at, value, |member, answer| {
                self.change(walker, member, answer);
            });
            return false;
        };
        if tree.is_leaf(child) || nested.is_leaf_in(child, opens) {
            self.change(walker, opens, tree.value(child));
        }
        walker.at = child;
        true
    }

    /// A row has another answer from `member` on.
    fn change(&mut self, walker: &mut Walker, member: usize, answer: f64) {
        if answer == walker.answer {
            return;
        }
        let loss = loss_of(&self.nested.tree, self.data, walker.row, answer);
        let amount = self.units.amount(self.data.weight(walker.row), loss);
        self.changes[member].add(amount);
        self.changes[member].subtract(walker.amount);
        (walker.answer, walker.amount) = (answer, amount);
    }
}

/// Rows that go down side by side, so that one need not wait for the memory of another.
const WALKERS: usize = 32;

/// A row on its way down, which is also its way from the smallest member to the largest.
struct Walker {
    row: usize,
    at: NodeId,
    answer: f64,
    amount: Amount,
}

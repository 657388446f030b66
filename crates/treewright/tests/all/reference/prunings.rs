//! All prunings of a tree, one by one, and penalties in long numbers to compare them with.
//!
//! Penalties are whole multiples of a tiny unit. Those of linear and table penalties are exact. Roots
//! and logarithms are known to 384 bits; what differs by less than they may be off counts as a tie,
//! which among costs and weights of some hundred bits only real ties do.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use treewright::cost::{Scale, Shape, SolutionValue};
use treewright::prune::NodeCosts;
use treewright::tree::{NodeId, Tree};

/// A pruning: its leaves as nodes of the whole tree, in their order, and the sum of their costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pruned {
    pub(crate) leaves: Vec<NodeId>,
    pub(crate) cost: i64,
}

impl Pruned {
    pub(crate) fn value(&self) -> SolutionValue {
        SolutionValue {
            cost: self.cost,
            leaves: self.leaves.len(),
        }
    }
}

/// Every pruning of the tree.
pub(crate) fn all_prunings(tree: &Tree, costs: &NodeCosts) -> Vec<Pruned> {
    prunings_below(tree, costs, NodeId::ROOT)
}

fn prunings_below(tree: &Tree, costs: &NodeCosts, id: NodeId) -> Vec<Pruned> {
    let mut all = vec![Pruned {
        leaves: vec![id],
        cost: costs.at(id),
    }];
    if let Some(branch) = tree.branch(id) {
        let mut ways = vec![Pruned {
            leaves: Vec::new(),
            cost: 0,
        }];
        for child in branch.children() {
            let of_child = prunings_below(tree, costs, child);
            let with = |way: &Pruned, more: &Pruned| Pruned {
                leaves: [&way.leaves[..], &more.leaves].concat(),
                cost: way.cost + more.cost,
            };
            ways = ways
                .iter()
                .flat_map(|way| of_child.iter().map(|more| with(way, more)))
                .collect();
        }
        all.extend(ways);
    }
    all
}

/// The least cost for every number of leaves that some pruning has, by number of leaves.
pub(crate) fn least_costs(prunings: &[Pruned]) -> Vec<SolutionValue> {
    let most = prunings.iter().map(|pruned| pruned.leaves.len()).max();
    (1..=most.unwrap_or(0))
        .filter_map(|leaves| {
            let same = prunings.iter().filter(|way| way.leaves.len() == leaves);
            let cost = same.map(|way| way.cost).min()?;
            Some(SolutionValue { cost, leaves })
        })
        .collect()
}

/// The same for trees with too many prunings to list: every way to share leaves among children.
pub(crate) fn least_costs_by_sharing(tree: &Tree, costs: &NodeCosts) -> Vec<SolutionValue> {
    let mut of_node: Vec<Vec<Option<i64>>> = vec![Vec::new(); tree.n_nodes()];
    for id in tree.ids().rev() {
        let mut table = vec![Some(0)];
        if let Some(branch) = tree.branch(id) {
            for child in branch.children() {
                table = shared(&table, &of_node[child.index()]);
            }
        } else {
            table = vec![None, None];
        }
        table[1] = Some(costs.at(id));
        of_node[id.index()] = table;
    }
    let entries = of_node[0].iter().enumerate();
    entries
        .filter_map(|(leaves, cost)| cost.map(|cost| SolutionValue { cost, leaves }))
        .collect()
}

fn shared(a: &[Option<i64>], b: &[Option<i64>]) -> Vec<Option<i64>> {
    let mut sums = vec![None; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            if let (Some(x), Some(y)) = (x, y) {
                let sum: i64 = x + y;
                sums[i + j] = Some(sums[i + j].map_or(sum, |least: i64| least.min(sum)));
            }
        }
    }
    sums
}

/// The leaves of `small` as nodes of `tree`, if it is a pruning: the same nodes from the root down.
pub(crate) fn leaves_in(small: &Tree, tree: &Tree) -> Option<Vec<NodeId>> {
    let mut leaves = Vec::new();
    let root = (NodeId::ROOT, NodeId::ROOT);
    let is_pruning = small.schema() == tree.schema()
        && small.loss() == tree.loss()
        && same_to_the_leaves(small, tree, root, &mut leaves);
    is_pruning.then_some(leaves)
}

fn same_to_the_leaves(
    small: &Tree,
    tree: &Tree,
    at: (NodeId, NodeId),
    leaves: &mut Vec<NodeId>,
) -> bool {
    let same_node = small.value(at.0) == tree.value(at.1)
        && small.counts(at.0) == tree.counts(at.1)
        && small.moments(at.0) == tree.moments(at.1)
        && small.bins(at.0) == tree.bins(at.1);
    same_node
        && match (small.branch(at.0), tree.branch(at.1)) {
            (None, _) => {
                leaves.push(at.1);
                true
            }
            (Some(_), None) => false,
            (Some(a), Some(b)) => {
                (&a.split, a.missing, a.n_children) == (&b.split, b.missing, b.n_children)
                    && a.children()
                        .zip(b.children())
                        .all(|at| same_to_the_leaves(small, tree, at, leaves))
            }
        }
}

/// A penalty for 1, 2, ... leaves as long whole numbers.
#[derive(Debug, Clone)]
pub(crate) struct LongPenalty {
    values: Vec<BigInt>,
    /// What makes 1.
    one: BigInt,
    /// How far a value may be off.
    error: BigInt,
    shape: Option<Shape>,
}

const BITS: usize = 384;

impl LongPenalty {
    /// Whole multiples of `1 / one`.
    pub(crate) fn table(values: &[i64], one: i64) -> Self {
        Self {
            values: values.iter().map(|&value| value.into()).collect(),
            one: one.into(),
            error: BigInt::zero(),
            shape: None,
        }
    }

    pub(crate) fn linear(most_leaves: usize) -> Self {
        let values: Vec<i64> = (1..=most_leaves as i64).collect();
        Self::table(&values, 1)
    }

    /// The power `p / q`, where `(p, q)` is not `(1, 1)`.
    pub(crate) fn power((p, q): (u32, u32), most_leaves: usize) -> Self {
        let bits = if q == 1 { 0 } else { BITS };
        let value =
            |leaves: usize| (BigInt::from(leaves).pow(p) << (bits * q as usize)).nth_root(q);
        Self {
            values: (1..=most_leaves).map(value).collect(),
            one: BigInt::one() << bits,
            error: BigInt::from(u8::from(q > 1)),
            shape: Some(if p < q { Shape::Concave } else { Shape::Rising }),
        }
    }

    /// The natural logarithm, by `ln(k) = ln(k - 1) + 2 artanh(1 / (2 k - 1))`.
    pub(crate) fn log(most_leaves: usize) -> Self {
        let one = BigInt::one() << BITS;
        let mut values = vec![BigInt::zero()];
        for leaves in 2..=most_leaves {
            let x = BigInt::from(2 * leaves - 1);
            let (mut power, mut sum, mut odd) = (&one / &x, BigInt::zero(), 1_u32);
            while !power.is_zero() {
                sum += &power / odd;
                power /= &x * &x;
                odd += 2;
            }
            values.push(&values[leaves - 2] + 2 * sum);
        }
        Self {
            values,
            one,
            error: BigInt::from(most_leaves * 4 * BITS),
            shape: Some(Shape::Concave),
        }
    }

    /// The shape on 1, 2, ..., `most_leaves`.
    pub(crate) fn shape(&self, most_leaves: usize) -> Shape {
        let values = &self.values[..most_leaves];
        let rises: Vec<BigInt> = values.windows(2).map(|two| &two[1] - &two[0]).collect();
        match self.shape {
            Some(shape) => shape,
            None if rises.windows(2).all(|two| two[0] == two[1]) => Shape::Additive,
            None if rises.windows(2).all(|two| two[0] >= two[1]) => Shape::Concave,
            None => Shape::Rising,
        }
    }

    /// Are the values exact?
    pub(crate) fn is_exact(&self) -> bool {
        self.error.is_zero()
    }

    /// How much more `a` leaves cost than `b`.
    fn rise(&self, a: usize, b: usize) -> BigInt {
        &self.values[a - 1] - &self.values[b - 1]
    }

    /// The best for a weight of the penalty: the least objective, then the fewest leaves.
    pub(crate) fn best(
        &self,
        values: &[SolutionValue],
        lambda: &BigRational,
        scale: Scale,
    ) -> SolutionValue {
        let price = lambda / unit_cost(scale);
        let better = |a: SolutionValue, b: SolutionValue| {
            let fall = price.denom() * &self.one * (a.cost - b.cost);
            let difference = fall + price.numer() * self.rise(a.leaves, b.leaves);
            sign(&difference, &(price.numer() * &self.error * 2))
                .then(a.leaves.cmp(&b.leaves))
                .is_lt()
        };
        let mut best = values[0];
        for &value in &values[1..] {
            if better(value, best) {
                best = value;
            }
        }
        best
    }

    /// Those that are the best for some weight. A value is for the weights below all those from which
    /// on a smaller tree is at least as good, and from the largest one on from which on it is at least
    /// as good as a larger tree.
    pub(crate) fn members(&self, values: &[SolutionValue]) -> Vec<SolutionValue> {
        let is_member = |value: &&SolutionValue| {
            let smaller = || values.iter().filter(|other| other.leaves < value.leaves);
            let larger =
                |other: &&SolutionValue| other.leaves > value.leaves && other.cost < value.cost;
            smaller().all(|small| small.cost > value.cost)
                && values
                    .iter()
                    .filter(larger)
                    .all(|large| smaller().all(|small| self.is_below(*small, **value, *large)))
        };
        values.iter().filter(is_member).copied().collect()
    }

    /// Is the weight from which on `value` is as good as `large` below that from which on `small` is
    /// as good as `value`?
    fn is_below(&self, small: SolutionValue, value: SolutionValue, large: SolutionValue) -> bool {
        let (gain, loss) = (small.cost - value.cost, value.cost - large.cost);
        let difference = gain * self.rise(large.leaves, value.leaves)
            - loss * self.rise(value.leaves, small.leaves);
        let error = (BigInt::from(gain) + loss) * &self.error * 2;
        sign(&difference, &error).is_gt()
    }

    /// The weight from which on `small` is as good as `large`, as exact as the penalty is.
    pub(crate) fn threshold(
        &self,
        small: SolutionValue,
        large: SolutionValue,
        scale: Scale,
    ) -> BigRational {
        let fall = &self.one * (small.cost - large.cost);
        BigRational::new(fall, self.rise(large.leaves, small.leaves)) * unit_cost(scale)
    }
}

/// What a unit of cost adds to the objective.
pub(crate) fn unit_cost(scale: Scale) -> BigRational {
    let exact = |number| BigRational::from_float(number).expect("a finite number");
    exact(scale.unit) / exact(scale.total_weight)
}

/// The sign of a number that may be off by this much.
fn sign(number: &BigInt, error: &BigInt) -> Ordering {
    if number.abs() <= *error {
        Ordering::Equal
    } else {
        number.cmp(&BigInt::zero())
    }
}

#[test]
fn long_penalties_are_what_doubles_say_but_longer() {
    let value = |penalty: &LongPenalty, leaves: usize| {
        let number = &penalty.values[leaves - 1] * (1_u64 << 40) / &penalty.one;
        i64::try_from(number).unwrap() as f64 / (1_u64 << 40) as f64
    };
    let penalties = [
        (LongPenalty::linear(50), 1.0),
        (LongPenalty::power((1, 2), 50), 0.5),
        (LongPenalty::power((6, 5), 50), 1.2),
        (LongPenalty::power((2, 1), 50), 2.0),
    ];
    for leaves in 1..=50 {
        for (penalty, exponent) in &penalties {
            let expected = (leaves as f64).powf(*exponent);
            assert!((value(penalty, leaves) - expected).abs() < 1e-10);
        }
        let log = value(&LongPenalty::log(50), leaves);
        assert!((log - (leaves as f64).ln()).abs() < 1e-10);
    }
    // 4 = 2 * 2, as sums of different lengths.
    let log = LongPenalty::log(50);
    let off = log.rise(4, 2) - log.rise(2, 1);
    assert_eq!(sign(&off, &log.error), Ordering::Equal);
    assert!(log.error < BigInt::one() << 20);
}

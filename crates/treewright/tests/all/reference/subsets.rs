//! Trees of every subset of the features, each grown from its root: slow and obvious.

use std::collections::BTreeMap;

use treewright::Budget;
use treewright::cost::Loss;
use treewright::data::{Dataset, Target};
use treewright::learn::{Greedy, Learner};
use treewright::tree::{MissingRoute, NodeId, Split, Tree};

/// Everything that makes up a tree, bit by bit, whatever its nodes are called: nodes from the root down,
/// children in order.
pub(crate) type Shape = Vec<u64>;

/// The features of a set that is given as bits, rising.
pub(crate) fn members(mask: usize) -> Vec<usize> {
    let features = 0..usize::BITS as usize;
    features.filter(|&bit| mask >> bit & 1 != 0).collect()
}

/// The tree that grows over some features. Without any it is a leaf.
pub(crate) fn tree_over(data: &Dataset, greedy: &Greedy, features: &[usize]) -> Tree {
    let budget = Budget::unlimited();
    let fit = if features.is_empty() {
        let leaf = Greedy {
            max_depth: Some(0),
            ..greedy.clone()
        };
        leaf.fit(data, &budget)
    } else {
        greedy.fit(&data.features(features), &budget)
    };
    fit.expect("the parameters are valid").model
}

/// The features of the table that a tree over some of them splits on, rising.
pub(crate) fn used(tree: &Tree, features: &[usize]) -> Vec<usize> {
    let branches = tree.ids().filter_map(|id| tree.branch(id));
    let mut used: Vec<usize> = branches
        .map(|branch| features[branch.split.feature()])
        .collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// The shape of a tree over some features of a table.
pub(crate) fn shape(tree: &Tree, features: &[usize]) -> Shape {
    let mut shape = Vec::new();
    let mut stack = vec![NodeId::ROOT];
    while let Some(id) = stack.pop() {
        shape.push(tree.value(id).to_bits());
        shape.extend(tree.counts(id).iter().map(|count| count.to_bits()));
        let Some(branch) = tree.branch(id) else {
            shape.push(u64::MAX);
            continue;
        };
        shape.push(features[branch.split.feature()] as u64);
        match &branch.split {
            Split::Intervals { cuts, closed, .. } => {
                shape.extend([0, *closed as u64, cuts.len() as u64]);
                shape.extend(cuts.iter().map(|cut| cut.to_bits()));
            }
            Split::Categories { branches, .. } => {
                shape.extend([1, branches.len() as u64]);
                let place = |branch: &Option<u32>| branch.map_or(u64::MAX, u64::from);
                shape.extend(branches.iter().map(place));
            }
        }
        shape.push(match branch.missing {
            MissingRoute::Child(child) => u64::from(child),
            MissingRoute::Distribute => u64::MAX,
        });
        shape.push(u64::from(branch.n_children));
        stack.extend(branch.children().rev());
    }
    shape
}

/// The distinct trees over all subsets, with the features that they split on.
pub(crate) fn all_distinct(data: &Dataset, greedy: &Greedy) -> BTreeMap<Shape, Vec<usize>> {
    let n_features = data.columns().len();
    (0..1_usize << n_features)
        .map(|mask| {
            let features = members(mask);
            let tree = tree_over(data, greedy, &features);
            (shape(&tree, &features), used(&tree, &features))
        })
        .collect()
}

/// Rows to build from and rows to judge by.
pub(crate) struct Judged {
    pub(crate) build: Dataset,
    pub(crate) held: Dataset,
}

/// What a feature subset is worth.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Worth {
    /// In units so small that nothing is lost.
    pub(crate) error: i128,
    pub(crate) n_used: usize,
    pub(crate) used: Vec<usize>,
}

/// Of one unit of cost.
const UNITS: f64 = (1_u128 << 80) as f64;

/// What the trees over some features are worth on all samples together.
pub(crate) fn worth(samples: &[Judged], greedy: &Greedy, features: &[usize]) -> Worth {
    let mut error = 0;
    let mut all_used = Vec::new();
    for Judged { build, held } in samples {
        let tree = tree_over(build, greedy, features);
        all_used.extend(used(&tree, features));
        let answers = if features.is_empty() {
            tree.predict(held)
        } else {
            tree.predict(&held.features(features))
        };
        let Target::Classes(classes) = held.target() else {
            panic!("rows that judge have classes");
        };
        for (row, (&class, &answer)) in classes.iter().zip(&answers).enumerate() {
            let loss = loss_of(&greedy.loss, class as usize, answer as usize);
            error += (held.weight(row) * loss * UNITS) as i128;
        }
    }
    all_used.sort_unstable();
    all_used.dedup();
    Worth {
        error,
        n_used: all_used.len(),
        used: all_used,
    }
}

fn loss_of(loss: &Loss, class: usize, answer: usize) -> f64 {
    match loss {
        Loss::Matrix(matrix) => matrix.rows().nth(class).expect("a row for each class")[answer],
        _ => f64::from(u8::from(class != answer)),
    }
}

/// An error divided by the weight of the rows that judge.
pub(crate) fn rate(samples: &[Judged], error: i128) -> f64 {
    let weight: f64 = samples
        .iter()
        .map(|sample| sample.held.total_weight())
        .sum();
    error as f64 / UNITS / weight
}

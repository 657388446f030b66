//! What every export for other programs has to know about a tree, worked out once.
//!
//! An answer outside must be the answer of [`Tree::predict`], to the last bit. So a row goes down as it
//! does here: the tests of a node in order, the first that holds decides, and the last one always does.
//! Missing values and categories that the node never saw take the same way.

use crate::cost::Loss;
use crate::tree::{Branch, Closed, MissingRoute, Split, Tree};

/// A condition on the feature of a branch.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::export) enum Test {
    /// The number is missing.
    Missing,
    /// The number is there and lies below the cut, or on it if `included`.
    Below {
        /// The cut.
        cut: f64,
        /// Does the cut itself count as below?
        included: bool,
    },
    /// The category is there and has one of these codes.
    OneOf(Vec<u32>),
}

/// Where a row goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum Goes {
    /// To the child at this position.
    To(usize),
    /// In parts to all children that had training rows.
    Shared,
}

/// One way out of a branch: taken if one of the tests holds and no arm before it was taken.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::export) struct Arm {
    /// None at all: the last arm, which takes what is left.
    pub(in crate::export) tests: Vec<Test>,
    /// Where it leads.
    pub(in crate::export) goes: Goes,
}

/// Where missing values really go. A branch that shares them among its children but has only one that
/// ever saw a row sends them there.
pub(in crate::export) fn missing_goes(tree: &Tree, branch: &Branch) -> Goes {
    match branch.missing {
        MissingRoute::Child(position) => Goes::To(position as usize),
        MissingRoute::Distribute => {
            let shares = tree.shares(branch);
            let mut taken = (0..shares.len()).filter(|&position| shares[position] > 0.0);
            match (taken.next(), taken.next()) {
                (Some(only), None) => Goes::To(only),
                _ => Goes::Shared,
            }
        }
    }
}

/// The ways out of a branch, in the order in which they are tried.
pub(in crate::export) fn arms(tree: &Tree, branch: &Branch) -> Vec<Arm> {
    let missing = missing_goes(tree, branch);
    match &branch.split {
        Split::Intervals { cuts, closed, .. } => {
            let included = *closed == Closed::Right;
            interval_arms(cuts, included, missing)
        }
        Split::Categories { .. } => {
            let mut arms: Vec<Arm> = codes_by_child(branch)
                .into_iter()
                .enumerate()
                .filter(|&(position, _)| Goes::To(position) != missing)
                .map(|(position, codes)| Arm {
                    tests: vec![Test::OneOf(codes)],
                    goes: Goes::To(position),
                })
                .collect();
            arms.push(Arm {
                tests: Vec::new(),
                goes: missing,
            });
            arms
        }
    }
}

fn interval_arms(cuts: &[f64], included: bool, missing: Goes) -> Vec<Arm> {
    let mut arms = Vec::with_capacity(cuts.len() + 2);
    let has_own_way = match missing {
        Goes::Shared => true,
        Goes::To(position) => position > cuts.len(),
    };
    if has_own_way {
        arms.push(Arm {
            tests: vec![Test::Missing],
            goes: missing,
        });
    }
    for (position, &cut) in cuts.iter().enumerate() {
        let mut tests = vec![Test::Below { cut, included }];
        if missing == Goes::To(position) {
            tests.insert(0, Test::Missing);
        }
        arms.push(Arm {
            tests,
            goes: Goes::To(position),
        });
    }
    // A missing number is below no cut: it comes here, too, if it was not caught before.
    arms.push(Arm {
        tests: Vec::new(),
        goes: Goes::To(cuts.len()),
    });
    arms
}

/// The category codes of every child that present values reach, found in one pass.
pub(in crate::export) fn codes_by_child(branch: &Branch) -> Vec<Vec<u32>> {
    let mut codes = vec![Vec::new(); branch.split.n_present()];
    if let Split::Categories { branches, .. } = &branch.split {
        for (code, child) in branches.iter().enumerate() {
            if let Some(child) = child {
                codes[*child as usize].push(code as u32);
            }
        }
    }
    codes
}

/// Is there a row that reaches several leaves?
pub(in crate::export) fn shares_rows(tree: &Tree) -> bool {
    tree.ids()
        .filter_map(|id| tree.branch(id))
        .any(|branch| missing_goes(tree, branch) == Goes::Shared)
}

/// The features that the tree asks about, in the order of the table.
pub(in crate::export) fn features_asked(tree: &Tree) -> Vec<usize> {
    let mut asked = vec![false; tree.schema().features.len()];
    for branch in tree.ids().filter_map(|id| tree.branch(id)) {
        asked[branch.split.feature()] = true;
    }
    (0..asked.len()).filter(|&feature| asked[feature]).collect()
}

/// For every node, the part of a shared row that it takes from its parent; 1 for the root.
pub(in crate::export) fn parts(tree: &Tree) -> Vec<f64> {
    let mut parts = vec![1.0; tree.n_nodes()];
    for branch in tree.ids().filter_map(|id| tree.branch(id)) {
        let from = branch.first_child.index();
        for (part, share) in parts[from..].iter_mut().zip(tree.shares(branch)) {
            *part = share;
        }
    }
    parts
}

/// How many nodes wait at most while a shared row visits its leaves from left to right.
pub(in crate::export) fn most_waiting(tree: &Tree) -> usize {
    let mut most = vec![1_usize; tree.n_nodes()];
    for id in tree.ids().rev() {
        if let Some(branch) = tree.branch(id) {
            let n_children = branch.n_children as usize;
            let waiting = (0..n_children).map(|position| {
                let still_to_come = n_children - 1 - position;
                most[branch.child(position).index()] + still_to_come
            });
            most[id.index()] = waiting.max().unwrap_or(1);
        }
    }
    most[0]
}

/// Costs by true and predicted class, where there is a matrix.
pub(in crate::export) fn costs(tree: &Tree) -> Option<Vec<Vec<f64>>> {
    match tree.loss() {
        Loss::Matrix(matrix) => Some(matrix.rows().map(<[f64]>::to_vec).collect()),
        Loss::ZeroOne | Loss::Squared => None,
    }
}

/// The child with the largest weight, the first of equal ones.
pub(in crate::export) fn heaviest(tree: &Tree, branch: &Branch) -> usize {
    let weights: Vec<f64> = branch.children().map(|child| tree.weight(child)).collect();
    let mut best = 0;
    for (position, weight) in weights.iter().enumerate() {
        if *weight > weights[best] {
            best = position;
        }
    }
    best
}

/// The most children that a node has.
pub(in crate::export) fn most_children(tree: &Tree) -> usize {
    let branches = tree.ids().filter_map(|id| tree.branch(id));
    branches
        .map(|branch| branch.n_children as usize)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;
    use crate::tree::NodeId;

    fn arms_of(tree: &Tree, id: u32) -> Vec<Arm> {
        arms(tree, tree.branch(NodeId(id)).unwrap())
    }

    fn to(position: usize, tests: Vec<Test>) -> Arm {
        let goes = Goes::To(position);
        Arm { tests, goes }
    }

    #[test]
    fn missing_values_are_caught_before_anything_else() {
        let below = Test::Below {
            cut: 2.45,
            included: true,
        };
        let shared = Arm {
            tests: vec![Test::Missing],
            goes: Goes::Shared,
        };
        let expected = [shared, to(0, vec![below]), to(1, vec![])];
        assert_eq!(arms_of(&samples::iris(), 0), expected);
        assert!(shares_rows(&samples::iris()));
    }

    #[test]
    fn every_kind_of_branch_has_its_arms() {
        let tree = samples::every_kind();
        let expected = [to(1, vec![Test::Missing]), to(0, vec![])];
        assert_eq!(arms_of(&tree, 0), expected);
        let below = Test::Below {
            cut: 18.5,
            included: false,
        };
        let expected = [to(0, vec![Test::Missing, below]), to(1, vec![])];
        assert_eq!(arms_of(&tree, 1), expected);
        let expected = [to(0, vec![Test::OneOf(vec![2])]), to(1, vec![])];
        assert_eq!(arms_of(&tree, 2), expected);
        assert_eq!(features_asked(&tree), [0, 1, 2]);
        assert_eq!(features_asked(&samples::leaf()), [0_usize; 0]);
    }

    #[test]
    fn few_nodes_wait_however_deep_the_tree_is() {
        assert_eq!(most_waiting(&samples::leaf()), 1);
        assert_eq!(most_waiting(&samples::chain(1000)), 2);
    }
}

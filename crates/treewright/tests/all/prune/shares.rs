//! Leaves whose class has a least share: greedy trees are cut back, and their prunings keep the share.

use std::sync::Arc;

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{ClassShare, Lambda, Objective, Penalty, SolutionValue};
use treewright::eval::verify;
use treewright::learn::greedy::MissingPolicy;
use treewright::learn::{Greedy, Learner};
use treewright::prune::{Aim, Method, NodeCosts, PruningCost, family, prune};
use treewright::tree::{NodeId, Tree};

use crate::reference::prunings::{Pruned, all_prunings};
use crate::tables::{Weights, Wishes, random_table};

/// Is the node a leaf that has its share?
fn is_sure(tree: &Tree, id: NodeId, share: &ClassShare) -> bool {
    let [part, whole] = share.ratio().map(|number| number as f64);
    let counts = tree.counts(id);
    whole * counts[tree.value(id) as usize] >= part * counts.iter().sum::<f64>() - 1e-9
}

/// The largest number of leaves of a pruning that has the share, or 1.
fn most_leaves(tree: &Tree, share: &ClassShare, costs: &NodeCosts) -> usize {
    let prunings = all_prunings(tree, costs);
    let are_sure = |leaves: &[NodeId]| leaves.iter().all(|&id| is_sure(tree, id, share));
    let sure = prunings.iter().filter(|pruning| are_sure(&pruning.leaves));
    sure.map(|pruning| pruning.leaves.len()).max().unwrap_or(1)
}

fn check(seed: u64) -> bool {
    let mut rng = Rng::with_seed(seed);
    let wishes = Wishes {
        classes: true,
        missing: true,
        weights: Weights::Whole,
    };
    let table = random_table(&mut rng, wishes);
    let data = &table.data;
    let share: ClassShare = ["1", "0.9", "3/4", "0.6", "0.5"][rng.usize(..5)]
        .parse()
        .unwrap();
    let missing = [
        MissingPolicy::Branch,
        MissingPolicy::Majority,
        MissingPolicy::Distribute,
    ];
    let plain = Greedy {
        max_depth: Some(rng.usize(1..=3)),
        min_leaf: rng.usize(1..=3),
        missing: missing[rng.usize(..3)],
        ..Greedy::default()
    };
    let learner = Greedy {
        min_class_share: Some(share.clone()),
        ..plain.clone()
    };
    let case = || format!("seed {seed}: {learner:?}\n{table}");
    let (Ok(whole), Ok(fit)) = (
        plain.fit(data, &Budget::unlimited()),
        learner.fit(data, &Budget::unlimited()),
    ) else {
        return false;
    };
    let any = NodeCosts::of(&whole.model, PruningCost::Error).unwrap();
    if all_prunings(&whole.model, &any).len() > 3000 {
        return false;
    }
    let most = most_leaves(&whole.model, &share, &any);
    assert_eq!(fit.model.n_leaves(), most, "{}", case());
    assert_eq!(fit.model.below_share(&share), None, "{}", case());
    let verification = verify(&fit, data);
    assert!(verification.holds, "{verification:?} {}", case());
    check_prunings(&fit, &share, &case);
    fit.model.n_leaves() < whole.model.n_leaves() && fit.model.n_leaves() > 1
}

/// The best of all prunings that have the share, for some weights and numbers of leaves.
fn check_prunings(fit: &treewright::Fit, share: &ClassShare, case: &dyn Fn() -> String) {
    let costs = NodeCosts::of_model(fit, PruningCost::Error).unwrap();
    let tree = Arc::new(fit.model.clone());
    let is_allowed =
        |leaves: &[NodeId]| leaves.len() == 1 || leaves.iter().all(|&id| is_sure(&tree, id, share));
    let allowed: Vec<SolutionValue> = all_prunings(&tree, &costs)
        .iter()
        .filter(|pruning| is_allowed(&pruning.leaves))
        .map(Pruned::value)
        .collect();
    for penalty in ["linear", "sqrt", "power:1.5"] {
        let penalty: Penalty = penalty.parse().unwrap();
        for lambda in ["0", "0.01", "0.1", "1"] {
            let lambda: Lambda = lambda.parse().unwrap();
            let objective = Objective::new(lambda.clone(), penalty.clone(), costs.scale());
            let expected = allowed.iter().copied();
            let expected = expected.min_by(|a, b| objective.compare(*a, *b)).unwrap();
            let aim = Aim::Weight(lambda);
            let found = prune(&tree, &costs, &penalty, &aim, Method::Auto, u64::MAX).unwrap();
            assert_eq!(found.value, expected, "{penalty} {}", case());
            assert_eq!(found.tree.below_share(share), None, "{}", case());
        }
        let members = family(&tree, &costs, &penalty, Method::Auto, u64::MAX).unwrap();
        for member in 0..members.len() {
            assert_eq!(members.tree(member).below_share(share), None, "{}", case());
            assert!(allowed.contains(&members.values()[member]), "{}", case());
        }
    }
    for leaves in 1..=3 {
        let aim = Aim::Leaves(leaves);
        let found = prune(
            &tree,
            &costs,
            &Penalty::Linear,
            &aim,
            Method::Auto,
            u64::MAX,
        )
        .unwrap();
        let small = allowed.iter().filter(|value| value.leaves <= leaves);
        let expected = small
            .min_by_key(|value| (value.cost, value.leaves))
            .unwrap();
        assert_eq!(found.value, *expected, "{leaves} leaves {}", case());
        assert_eq!(found.tree.below_share(share), None, "{}", case());
    }
}

#[test]
fn greedy_trees_and_their_prunings_have_the_share() {
    let factor: u64 = std::env::var("TREEWRIGHT_CASES").map_or(1, |text| text.parse().unwrap());
    let n_cut = (0..1500 * factor).filter(|&seed| check(seed)).count() as u64;
    assert!(n_cut > 30 * factor, "{n_cut} trees were cut back");
}

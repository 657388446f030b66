//! What holds for the prunings of every tree, small or large.

use std::sync::Arc;

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{Lambda, Penalty, SolutionValue};
use treewright::learn::greedy::MissingPolicy;
use treewright::learn::{Greedy, Learner};
use treewright::prune::{
    Aim, Impurity, Method, MinCost, NodeCosts, PruningCost, WeakestLink, family, prune,
};
use treewright::tree::{Branch, Family, Fit, Nested, NodeId, Training, Tree};

use crate::greedy::differential::{CRITERIA, any_params, learn, settled_table};
use crate::reference::prunings::{least_costs_by_sharing, leaves_in};
use crate::tables::{Table, Weights, Wishes, large_table, random_table};
use crate::trees::{PrunableTree, random_tree};

/// Mostly small trees, some large ones.
fn tree_of_any_size(number: u64) -> (PrunableTree, Rng) {
    let mut rng = Rng::with_seed(number);
    let most_leaves = match number % 100 {
        0 => 200,
        1..=4 => 60,
        5..=24 => 25,
        _ => 10,
    };
    (random_tree(&mut rng, most_leaves), rng)
}

fn penalty(name: &str) -> Penalty {
    name.parse().expect("the name of a penalty")
}

fn family_of(subject: &PrunableTree, name: &str, method: Method) -> Family {
    let PrunableTree { tree, costs, .. } = subject;
    family(tree, costs, &penalty(name), method, u64::MAX).expect("the method can be used")
}

/// The sum of the costs of some nodes, in units.
fn cost_of(subject: &PrunableTree, leaves: &[NodeId]) -> i64 {
    leaves.iter().map(|&id| subject.costs.at(id)).sum()
}

/// Every member is a pruning of the next, and the last of the tree, with the figures it is said to
/// have.
fn check_nested(subject: &PrunableTree, family: &Family, what: &str) {
    let story = || format!("{what}, {subject}");
    let mut larger = (*subject.tree).clone();
    for (member, value) in family.values().iter().enumerate().rev() {
        let tree = family.tree(member);
        assert!(
            leaves_in(&tree, &larger).is_some(),
            "member {member} is not a pruning of the next: {}",
            story()
        );
        let leaves = leaves_in(&tree, &subject.tree).expect("so it is one of the tree");
        let (cost, leaves) = (cost_of(subject, &leaves), leaves.len());
        assert_eq!(SolutionValue { cost, leaves }, *value, "{}", story());
        larger = tree;
    }
    assert_eq!(larger.n_leaves(), 1, "{}", story());
}

/// Linear and concave penalties have nested families, also through the table of least costs, which
/// does not care. Binary trees and falling costs are not needed.
#[test]
fn families_of_concave_penalties_are_nested() {
    for number in 0..20_000 {
        let (subject, _) = tree_of_any_size(number);
        let name = ["linear", "sqrt", "log", "power:0.8"][number as usize % 4];
        for method in [Method::Auto, Method::Table] {
            let family = family_of(&subject, name, method);
            check_nested(
                &subject,
                &family,
                &format!("tree {number}, {name}, {method:?}"),
            );
        }
    }
}

/// Where one penalty is a concave function of another, its members are among those of the other. This
/// is a law of the least costs for every number of leaves, so all trees obey it. The families of
/// concave penalties are taken from the table of least costs, as the others are made by this law.
#[test]
fn flatter_penalties_choose_among_the_members_of_steeper_ones() {
    let laws = [
        ("sqrt", "linear"),
        ("log", "linear"),
        ("log", "sqrt"),
        ("power:0.5", "power:0.8"),
        ("linear", "power:1.2"),
        ("power:1.2", "power:1.5"),
        ("power:1.5", "power:2"),
    ];
    for number in 0..21_000 {
        let (subject, _) = tree_of_any_size(number);
        let (flat, steep) = laws[number as usize % laws.len()];
        let few = family_of(&subject, flat, Method::Table);
        let many = family_of(&subject, steep, Method::Auto);
        for member in few.values() {
            assert!(
                many.values().contains(member),
                "tree {number}: {member:?} of {flat} is not in {steep}: {subject}"
            );
        }
        let auto = family_of(&subject, flat, Method::Auto);
        assert_eq!(
            auto.values(),
            few.values(),
            "tree {number}: {flat}, {subject}"
        );
    }
}

/// A larger weight never chooses more leaves or less cost.
#[test]
fn leaves_fall_as_the_weight_rises() {
    let names = ["linear", "sqrt", "log", "power:1.2", "power:2"];
    for number in 0..20_000 {
        let (subject, mut rng) = tree_of_any_size(number);
        let PrunableTree { tree, costs, .. } = &subject;
        let penalty = penalty(names[number as usize % names.len()]);
        let largest = costs.scale().cost(costs.at(NodeId::ROOT)).max(1e-9);
        let mut weights: Vec<f64> = (0..5).map(|_| rng.f64().powi(4) * largest).collect();
        weights.sort_by(f64::total_cmp);
        let mut last: Option<SolutionValue> = None;
        for weight in weights {
            let aim = Aim::Weight(Lambda::try_from(weight).unwrap());
            let pruning = prune(tree, costs, &penalty, &aim, Method::Auto, u64::MAX).unwrap();
            if let Some(last) = last {
                let goes_on = pruning.value == last
                    || (pruning.value.leaves < last.leaves && pruning.value.cost > last.cost);
                assert!(goes_on, "tree {number} at {weight} of {penalty}: {subject}");
            }
            last = Some(pruning.value);
        }
    }
}

/// Here tables are long enough for the window over their hulls.
#[test]
fn least_costs_of_large_trees() {
    for number in 0..20_000 {
        let (subject, mut rng) = tree_of_any_size(number);
        let PrunableTree { tree, costs, .. } = &subject;
        let table = MinCost::new(costs, u64::MAX).unwrap();
        let values = table.values();
        let expected = least_costs_by_sharing(tree, costs);
        assert_eq!(values, expected, "tree {number}: {subject}");
        for _ in 0..3 {
            let value = values[rng.usize(..values.len())];
            let pruned = table.tree(tree, value.leaves).expect("a size that exists");
            let leaves = leaves_in(&pruned, tree).expect("a pruning");
            assert_eq!(leaves.len(), value.leaves, "tree {number}: {subject}");
            let cost = cost_of(&subject, &leaves);
            assert_eq!(cost, value.cost, "tree {number}: {subject}");
        }
    }
}

/// The sums of numbers over the leaves of all members, one by one.
fn direct_sums(nested: &Nested, numbers: &[i64], n_members: usize) -> Vec<i64> {
    (0..n_members)
        .map(|member| {
            let leaves = leaves_in(&nested.member(member), &nested.tree).expect("a pruning");
            leaves.iter().map(|id| numbers[id.index()]).sum()
        })
        .collect()
}

/// Sums along the family, for the families that exist and for any other nested ones.
#[test]
fn sums_over_the_leaves_of_nested_members() {
    for number in 0..20_000 {
        let (subject, mut rng) = tree_of_any_size(number);
        let PrunableTree { tree, costs, .. } = &subject;
        let mut numbers: Vec<i64> = tree.ids().map(|_| rng.i64(-50..50)).collect();
        let WeakestLink { members, nested } = WeakestLink::new(tree, costs);
        assert_eq!(
            nested.sums(&numbers, members.len()),
            direct_sums(&nested, &numbers, members.len()),
            "tree {number}: {subject}"
        );
        let own: Vec<i64> = tree.ids().map(|id| costs.at(id)).collect();
        let expected: Vec<i64> = members.iter().map(|member| member.cost).collect();
        let sums = nested.sums(&own, members.len());
        assert_eq!(sums, expected, "tree {number}: {subject}");

        let n_members = rng.usize(1..6);
        let mut last_as_leaf = vec![0_u32; tree.n_nodes()];
        for id in tree.ids() {
            let at_least = last_as_leaf[id.index()];
            let last = rng.u32(at_least..n_members as u32);
            last_as_leaf[id.index()] = last;
            for child in tree.branch(id).into_iter().flat_map(Branch::children) {
                last_as_leaf[child.index()] = last;
            }
        }
        let nested = Nested {
            tree: Arc::clone(tree),
            last_as_leaf,
            errors: None,
        };
        // Large numbers whose single changes overflow, though no sum does.
        if number % 2 == 0 {
            numbers = numbers.iter().map(|number| number << 48).collect();
        }
        assert_eq!(
            nested.sums(&numbers, n_members),
            direct_sums(&nested, &numbers, n_members),
            "tree {number}: {:?} {numbers:?}, {subject}",
            nested.last_as_leaf
        );
    }
}

/// Are two sums of the same numbers, in another order?
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (a.abs() + b.abs() + 1.0)
}

/// The costs that fit a tree, and each of its nodes by hand.
fn all_costs(tree: &Tree) -> Vec<(PruningCost, Vec<f64>)> {
    let of = |cost: &dyn Fn(NodeId) -> f64| tree.ids().map(cost).collect::<Vec<f64>>();
    let counts = |id: NodeId| -> Vec<f64> {
        let counts = if tree.counts(id).is_empty() {
            tree.bins(id)
        } else {
            tree.counts(id)
        };
        counts
            .iter()
            .copied()
            .filter(|count| *count > 0.0)
            .collect()
    };
    let sse = |id: NodeId| tree.moments(id).map_or(0.0, |moments| moments.sse);
    let is_mixed = |id: NodeId| tree.moments(id).is_none() || !tree.bins(id).is_empty();
    let gini = |id: NodeId| {
        let total: f64 = counts(id).iter().sum();
        let squares: f64 = counts(id).iter().map(|count| count * count).sum();
        match total {
            _ if !is_mixed(id) => sse(id),
            0.0 => 0.0,
            _ => total - squares / total,
        }
    };
    let entropy = |id: NodeId| {
        let total: f64 = counts(id).iter().sum();
        let bits = counts(id)
            .into_iter()
            .map(|count| -count * (count / total).log2());
        if is_mixed(id) { bits.sum() } else { sse(id) }
    };
    let mut all = vec![
        (PruningCost::Error, of(&|id| tree.cost(id))),
        (PruningCost::Impurity(Impurity::Gini), of(&gini)),
        (PruningCost::Impurity(Impurity::Entropy), of(&entropy)),
    ];
    if !tree.schema().is_classification() {
        all.push((PruningCost::Squared, of(&|id| tree.cost(id))));
    }
    all
}

/// The family of a learned tree for one cost: its figures are those of its trees.
fn check_learned(tree: &Arc<Tree>, table: &Table, what: PruningCost, by_hand: &[f64], story: &str) {
    let costs = NodeCosts::of(tree, what).expect("the cost fits the task");
    let scale = costs.scale();
    for id in tree.ids() {
        let cost = costs.at(id) as f64 * scale.unit;
        assert!(is_near(cost, by_hand[id.index()]), "{what:?}, {story}");
    }
    let subject = PrunableTree {
        tree: Arc::clone(tree),
        numbers: by_hand.to_vec(),
        costs,
    };
    for name in ["linear", "sqrt", "power:1.5"] {
        let family = family_of(&subject, name, Method::Auto);
        if name != "power:1.5" {
            check_nested(&subject, &family, &format!("{what:?}, {name}, {story}"));
        }
        for (place, member) in family.members().iter().enumerate() {
            let figures = Training::of_leaves(&family.tree(place), &table.data);
            assert_eq!(figures.leaves, member.leaves, "{what:?}, {story}");
            assert_eq!(figures.errors.is_some(), member.errors.is_some(), "{story}");
            if let (Some(a), Some(b)) = (figures.errors, member.errors) {
                assert!(is_near(a, b), "{what:?}, {story}");
            }
            if matches!(what, PruningCost::Error | PruningCost::Squared) {
                assert!(is_near(figures.cost, member.cost), "{what:?}, {story}");
            }
        }
    }
}

/// Predicts with every member of the linear family. Without distributed rows the figures must be those
/// that the family has from sums over leaves.
fn check_predictions(tree: &Arc<Tree>, table: &Table, story: &str) {
    let costs = NodeCosts::of(tree, PruningCost::Error).expect("fits any task");
    let family = family(tree, &costs, &Penalty::Linear, Method::Auto, u64::MAX).unwrap();
    for (place, member) in family.members().iter().enumerate() {
        let figures = Training::of(&family.tree(place), &table.data);
        assert!(is_near(figures.cost, member.cost), "{member:?}, {story}");
        if let (Some(a), Some(b)) = (figures.errors, member.errors) {
            assert!(is_near(a, b), "{member:?}, {story}");
        }
    }
}

/// Everything about one learned tree.
fn check_fit(fit: &Fit<Tree>, table: &Table, is_distributed: bool, story: &str) {
    let tree = Arc::new(fit.model.clone());
    assert_eq!(tree.cut(|_| false), *tree, "{story}");
    let root = tree.cut(|_| true);
    assert_eq!(
        (root.n_nodes(), root.value(NodeId::ROOT)),
        (1, tree.value(NodeId::ROOT))
    );
    for (what, by_hand) in all_costs(&tree) {
        check_learned(&tree, table, what, &by_hand, story);
    }
    if !is_distributed {
        check_predictions(&tree, table, story);
        let figures = Training::of_leaves(&tree, &table.data);
        assert!(is_near(figures.cost, fit.training.cost), "{story}");
        assert_eq!(figures.leaves, fit.training.leaves, "{story}");
    }
    if tree.schema().is_classification() {
        assert!(
            NodeCosts::of(&tree, PruningCost::Squared).is_err(),
            "{story}"
        );
    }
}

#[test]
fn families_of_learned_trees() {
    let mut larger = 0;
    for number in 0..4000_u64 {
        let mut rng = Rng::with_seed(number);
        let classes = number % 2 == 0;
        let mut params = any_params(&mut rng, classes);
        let wishes = Wishes {
            classes,
            missing: number % 3 != 0,
            weights: Weights::Any,
        };
        let table = settled_table(&mut rng, wishes, &mut params);
        let fit = learn(&table.data, &params);
        let is_distributed = wishes.missing && params.missing == MissingPolicy::Distribute;
        let story = format!("table {number}, {params:?}\n{table}");
        check_fit(&fit, &table, is_distributed, &story);
        larger += usize::from(fit.model.n_leaves() > 4);
    }
    assert!(larger > 1000, "only {larger} trees worth pruning");
}

#[test]
fn families_of_large_learned_trees() {
    for number in 0..12 {
        let mut rng = Rng::with_seed(number);
        let table = large_table(&mut rng, 1500, &[40, 7, 3, 100], 2 + number as usize % 3);
        let params = Greedy {
            criterion: Some(CRITERIA[number as usize % 4]),
            zero_gain: number % 4 > 1,
            ..Greedy::default()
        };
        let fit = learn(&table.data, &params);
        assert!(fit.model.n_leaves() > 20, "table {number}");
        check_fit(&fit, &table, false, &format!("large table {number}"));
    }
}

/// Splits that gain nothing but rounding are no members: with real weights sums differ in the last bits.
#[test]
fn rounding_makes_no_members() {
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let wishes = Wishes {
            classes: true,
            missing: true,
            weights: Weights::Any,
        };
        let table = random_table(&mut rng, wishes);
        let fit = Greedy::default().fit(&table.data, &Budget::unlimited());
        let tree = Arc::new(fit.expect("a tree").model);
        let costs = NodeCosts::of(&tree, PruningCost::Error).expect("costs of errors");
        let most_bytes = u64::MAX;
        let family = family(&tree, &costs, &Penalty::Linear, Method::Auto, most_bytes);
        for member in family.expect("a family").members() {
            let is_noise = member.lambda_low.unwrap() > 0.0 && member.lambda_low.unwrap() < 1e-14;
            assert!(!is_noise, "seed {seed}: {member:?}\n{table}");
        }
    }
}

//! What holds for every table.

use std::sync::Arc;

use fastrand::Rng;
use treewright::Budget;
use treewright::cost::{CostMatrix, Loss};
use treewright::data::{
    Column, Dataset, Feature, FeatureKind, Schema, Target, TargetColumn, TargetKind,
};
use treewright::learn::greedy::{Criterion, MissingPolicy, Summary};
use treewright::learn::{Greedy, Learner};
use treewright::tree::{NodeId, Tree};

use super::differential::{CRITERIA, any_params, any_policy, learn, random_params, settled_table};
use crate::tables::{Table, Weights, Wishes, random_table, with_rows};

fn leaf_cost(tree: &Tree) -> f64 {
    tree.ids()
        .filter(|&id| tree.is_leaf(id))
        .map(|id| tree.cost(id))
        .sum()
}

/// Is `shallow` what is left of `deep` when everything below a depth is cut off?
fn is_top(shallow: &Tree, deep: &Tree, at: (NodeId, NodeId), depth: usize) -> bool {
    let same_node = shallow.value(at.0) == deep.value(at.1)
        && shallow.counts(at.0) == deep.counts(at.1)
        && shallow.moments(at.0) == deep.moments(at.1);
    same_node
        && match (shallow.branch(at.0), deep.branch(at.1)) {
            (None, None) => true,
            (None, Some(_)) => depth == 0,
            (Some(_), None) => false,
            (Some(a), Some(b)) => {
                depth > 0
                    && (&a.split, a.missing, a.n_children) == (&b.split, b.missing, b.n_children)
                    && a.children()
                        .zip(b.children())
                        .all(|at| is_top(shallow, deep, at, depth - 1))
            }
        }
}

/// A greedy tree does not look ahead: one level less is the same tree with its last level cut off.
/// Since every leaf takes its cheapest answer, a level more never costs more (a median need not be
/// the cheapest answer, so it is left out there).
#[test]
fn a_deeper_tree_continues_a_shallower_one_and_costs_no_more() {
    let mut rng = Rng::with_seed(11);
    for at in 0..600 {
        let classes = at % 2 == 0;
        let mut params = any_params(&mut rng, classes);
        let wishes = Wishes {
            classes,
            missing: true,
            weights: Weights::Any,
        };
        let table = settled_table(&mut rng, wishes, &mut params);
        params.max_depth = None;
        let deepest = learn(&table.data, &params).model;
        let mut last = f64::INFINITY;
        for depth in 0..=deepest.depth() {
            params.max_depth = Some(depth);
            let tree = learn(&table.data, &params).model;
            let root = (NodeId::ROOT, NodeId::ROOT);
            assert!(is_top(&tree, &deepest, root, depth), "{params:?}\n{table}");
            let cost = leaf_cost(&tree);
            let criterion = params.criterion.unwrap_or(Criterion::Mse);
            if classes || params.predict.of(criterion) == Summary::Mean {
                assert!(cost <= last + 1e-9 * (1.0 + cost), "{params:?}\n{table}");
            }
            last = cost;
        }
    }
}

/// Where splits that gain nothing are taken, growing ends only at nodes whose rows are all of one class
/// or all alike. Missing cells must be told from others, hence branches for them.
#[test]
fn without_contradictions_a_full_tree_makes_no_errors() {
    let mut rng = Rng::with_seed(12);
    for at in 0..800 {
        let (missing, categorical_splits) = any_policy(&mut rng);
        let wishes = Wishes {
            classes: true,
            missing: missing == MissingPolicy::Branch,
            weights: Weights::Any,
        };
        let table = Table {
            data: without_contradictions(&random_table(&mut rng, wishes).data),
        };
        let params = Greedy {
            criterion: Some(CRITERIA[at % 4]),
            missing,
            categorical_splits,
            zero_gain: true,
            ..Greedy::default()
        };
        let fit = learn(&table.data, &params);
        assert_eq!(fit.training.errors, Some(0.0), "{params:?}\n{table}");
        assert_eq!(leaf_cost(&fit.model), 0.0, "{params:?}\n{table}");
    }
}

/// Rows with equal cells get the class of the first of them.
fn without_contradictions(data: &Dataset) -> Dataset {
    let Target::Classes(classes) = data.target() else {
        panic!("a table with classes");
    };
    let alike = |a: usize, b: usize| {
        data.columns()
            .iter()
            .all(|column| column.value(a) == column.value(b))
    };
    let classes = (0..data.n_rows())
        .map(|row| classes[(0..=row).find(|&first| alike(first, row)).unwrap_or(row)])
        .collect();
    Dataset::new(
        Arc::clone(data.schema()),
        data.columns().to_vec(),
        Target::Classes(classes),
        data.weights().map(<[f64]>::to_vec),
    )
}

/// Exact criteria see counts only. Distributed rows and real weights are sums of floats, whose last
/// bits depend on the order, so they are left out.
#[test]
fn the_order_of_the_rows_does_not_matter() {
    let mut rng = Rng::with_seed(13);
    for at in 0..1200 {
        let mut params = random_params(&mut rng, CRITERIA[at % 4]);
        let (policy, categorical_splits) = any_policy(&mut rng);
        (params.missing, params.categorical_splits) = (policy, categorical_splits);
        let wishes = Wishes {
            classes: true,
            missing: policy != MissingPolicy::Distribute,
            weights: Weights::Whole,
        };
        let table = settled_table(&mut rng, wishes, &mut params);
        let data = &table.data;
        let mut rows: Vec<usize> = (0..data.n_rows()).collect();
        rng.shuffle(&mut rows);
        let weights = data
            .weights()
            .map(|all| rows.iter().map(|&row| all[row]).collect());
        let shuffled = with_rows(data, &rows, weights);
        let (here, there) = (learn(data, &params).model, learn(&shuffled, &params).model);
        assert_eq!(here, there, "{params:?}\n{table}");
    }
}

/// No single split of a checkerboard gains anything.
#[test]
fn a_checkerboard_needs_splits_without_gain() {
    let squares = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
    let feature = |name: &str| Feature {
        name: name.into(),
        kind: FeatureKind::Numeric,
    };
    let schema = Schema {
        features: vec![feature("x"), feature("y")],
        target: TargetColumn {
            name: "colour".into(),
            kind: TargetKind::Classes(vec!["black".into(), "white".into()]),
        },
        ..Schema::default()
    };
    for repeats in [1, 3] {
        let rows = || (0..4 * repeats).map(|row| squares[row % 4]);
        let columns = vec![
            Column::Numeric(rows().map(|(x, _)| x).collect()),
            Column::Numeric(rows().map(|(_, y)| y).collect()),
        ];
        let target = Target::Classes(rows().map(|(x, y)| u32::from(x != y)).collect());
        let data = Dataset::new(Arc::new(schema.clone()), columns, target, None);
        for criterion in CRITERIA {
            let mut params = Greedy {
                criterion: Some(criterion),
                ..Greedy::default()
            };
            assert_eq!(learn(&data, &params).model.n_leaves(), 1, "{criterion:?}");
            params.zero_gain = true;
            let tree = learn(&data, &params).model;
            assert_eq!((tree.n_leaves(), tree.depth()), (4, 2), "{criterion:?}");
            assert_eq!(leaf_cost(&tree), 0.0, "{criterion:?}");
            let root = tree.branch(NodeId::ROOT).expect("is split");
            assert_eq!(root.split.feature(), 0, "{criterion:?}");
        }
    }
}

/// A table with one numeric feature and two classes.
fn one_feature(numbers: Vec<f64>, classes: Vec<u32>) -> Dataset {
    let schema = Schema {
        features: vec![Feature {
            name: "x".into(),
            kind: FeatureKind::Numeric,
        }],
        target: TargetColumn {
            name: "y".into(),
            kind: TargetKind::Classes(vec!["no".into(), "yes".into()]),
        },
        ..Schema::default()
    };
    let columns = vec![Column::Numeric(numbers.into())];
    Dataset::new(Arc::new(schema), columns, Target::Classes(classes), None)
}

#[test]
fn zero_is_not_cut_from_minus_zero() {
    let data = one_feature(vec![-0.0, 0.0, 5e-324, -0.0, 0.0], vec![0, 1, 1, 0, 1]);
    let tree = learn(&data, &Greedy::default()).model;
    assert_eq!(tree.n_nodes(), 3);
    assert_eq!(tree.counts(NodeId(1)), [2.0, 2.0]);
    assert_eq!(tree.predict(&data), [0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn leaves_that_no_node_can_fill_leave_a_leaf() {
    let data = one_feature(vec![0.1, 0.2, 0.3], vec![0, 1, 1]);
    for criterion in CRITERIA {
        let params = Greedy {
            criterion: Some(criterion),
            min_leaf: usize::MAX / 2,
            ..Greedy::default()
        };
        assert_eq!(learn(&data, &params).model.n_nodes(), 1);
    }
}

#[test]
fn costs_for_other_classes_are_refused() {
    let data = one_feature(vec![0.1, 0.2, 0.3], vec![0, 1, 1]);
    for n_classes in [1, 3] {
        let costs = CostMatrix::new(&vec![vec![0.0; n_classes]; n_classes]).unwrap();
        let params = Greedy {
            loss: Loss::Matrix(costs),
            ..Greedy::default()
        };
        let error = params.fit(&data, &Budget::unlimited()).unwrap_err();
        assert!(
            error.to_string().contains("but the target has 2"),
            "{error}"
        );
    }
}

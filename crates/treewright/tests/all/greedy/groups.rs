//! Two groups of categories against all groupings: where the learner finds the best, and where it need not.

use fastrand::Rng;
use treewright::data::{
    Column, Dataset, Feature, FeatureKind, MISSING_CODE, Schema, Target, TargetColumn, TargetKind,
};
use treewright::learn::Greedy;
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy};
use treewright::tree::{MissingRoute, NodeId};

use super::differential::{CRITERIA, learn};
use crate::reference::splits::gains::Verdict;
use crate::reference::splits::{Candidate, Missing, Problem};

const TABLES: usize = 4000;

/// One feature of few categories, often missing, and small whole weights.
fn table(rng: &mut Rng, n_classes: usize) -> Dataset {
    let n_rows = rng.usize(4..30);
    let n_categories = rng.u32(2..=7);
    let mut codes: Vec<u32> = (0..n_rows).map(|_| rng.u32(..n_categories)).collect();
    if rng.bool() {
        for code in &mut codes {
            if rng.u8(..5) == 0 {
                *code = MISSING_CODE;
            }
        }
    }
    // The class depends on the category, somewhat.
    let target = if n_classes == 0 {
        Target::Numbers(codes.iter().map(|_| f64::from(rng.i32(-4..9))).collect())
    } else {
        let of_category: Vec<u32> = (0..n_categories)
            .map(|_| rng.u32(..n_classes as u32))
            .collect();
        let class = |&code: &u32| match of_category.get(code as usize) {
            Some(&class) if rng.bool() => class,
            _ => rng.u32(..n_classes as u32),
        };
        Target::Classes(codes.iter().map(class).collect())
    };
    let weights = rng
        .bool()
        .then(|| (0..n_rows).map(|_| f64::from(rng.u8(1..4))).collect());
    dataset([n_categories, n_classes as u32], codes, target, weights)
}

/// A table of one feature; without classes the target is a number.
fn dataset(
    [n_categories, n_classes]: [u32; 2],
    codes: Vec<u32>,
    target: Target,
    weights: Option<Vec<f64>>,
) -> Dataset {
    let names = |n: u32| (0..n).map(|code| format!("v{code}")).collect();
    let schema = Schema {
        features: vec![Feature {
            name: "x".into(),
            kind: FeatureKind::Categorical(names(n_categories)),
        }],
        target: TargetColumn {
            name: "y".into(),
            kind: match n_classes {
                0 => TargetKind::Number,
                n => TargetKind::Classes(names(n)),
            },
        },
        ..Schema::default()
    };
    Dataset::new(
        schema.into(),
        vec![Column::Categorical(codes)],
        target,
        weights,
    )
}

/// In how many tables is some grouping better than the root of the tree?
fn n_worse(n_classes: usize, params: &Greedy) -> usize {
    let mut rng = Rng::with_seed(n_classes as u64);
    let mut is_worse = || {
        let data = table(&mut rng, n_classes);
        let params = Greedy {
            missing: MissingPolicy::ALL[rng.usize(..4)],
            ..params.clone()
        };
        is_beaten(&data, &params)
    };
    (0..TABLES).filter(|_| is_worse()).count()
}

/// Is some grouping better than the root of the tree?
fn is_beaten(data: &Dataset, params: &Greedy) -> bool {
    let tree = learn(data, params).model;
    let problem = Problem::new(data, params);
    let root = problem.root();
    if problem.is_pure(&root) {
        return false;
    }
    let taken = tree.branch(NodeId::ROOT).map(|branch| {
        let n_present = branch.split.n_present() as u32;
        let missing = match (params.missing, branch.missing) {
            _ if !data.columns()[0].has_missing() => Missing::Apart,
            (_, MissingRoute::Child(child)) if child == n_present => Missing::Own,
            (MissingPolicy::Learned, MissingRoute::Child(child)) => Missing::With(child as usize),
            _ => Missing::Apart,
        };
        problem.candidate(&root, branch.split.clone(), missing)
    });
    problem.groupings(&root, 0).iter().any(|other| {
        let beats = |taken: &Candidate| problem.beats(&root, other, taken, false);
        taken.as_ref().is_none_or(beats) && problem.admissible(&root, other) == Verdict::Yes
    })
}

fn with(criterion: Criterion) -> Greedy {
    Greedy {
        criterion: Some(criterion),
        max_depth: Some(1),
        categorical_splits: CategoricalSplits::Grouped,
        ..Greedy::default()
    }
}

#[test]
fn groups_are_the_best_for_two_classes_and_squared_error() {
    for criterion in CRITERIA {
        assert_eq!(n_worse(2, &with(criterion)), 0, "{criterion:?}");
        if criterion != Criterion::GainRatio {
            let params = Greedy {
                min_gain: 0.05,
                ..with(criterion)
            };
            assert_eq!(n_worse(2, &params), 0, "{criterion:?}, least gain");
        }
    }
    assert_eq!(n_worse(0, &with(Criterion::Mse)), 0);
}

/// The page on greedy trees says so. If one of these became 0, the page would say too little.
#[test]
fn groups_need_not_be_the_best_elsewhere() {
    for criterion in CRITERIA {
        assert!(
            n_worse(4, &with(criterion)) > 0,
            "{criterion:?}, four classes"
        );
        let params = Greedy {
            min_leaf: 4,
            ..with(criterion)
        };
        assert!(n_worse(2, &params) > 0, "{criterion:?}, least rows");
    }
    assert!(n_worse(0, &with(Criterion::Mae)) > 0, "absolute error");
}

/// The best split with this gain has some of the categories of equal shares on each side.
#[test]
fn a_least_gain_makes_the_best_ratio_another() {
    let counts = [(16, 8), (3, 3), (6, 3), (1, 1), (2, 4), (10, 5)];
    let codes = (0..6).flat_map(|code| [code; 2]).collect();
    let weights = counts.iter().flat_map(|&(a, b)| [a, b].map(f64::from));
    let classes = Target::Classes([0, 1].repeat(6));
    let data = dataset([6, 2], codes, classes, Some(weights.collect()));
    let with_least = |min_gain| Greedy {
        min_gain,
        ..with(Criterion::GainRatio)
    };
    assert!(is_beaten(&data, &with_least(0.0274)));
    assert!(!is_beaten(&data, &with_least(0.0)));
}

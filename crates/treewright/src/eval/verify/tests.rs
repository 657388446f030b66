//! Honest and forged models.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::data::{Column, Feature, FeatureKind, Reading, Schema, TargetColumn, TargetKind};
use crate::tree::{
    Certificate, Closed, LearnerInfo, LearnerKind, MissingRoute, Outcome, Split, Statement,
    TreeBuilder,
};

fn schema(kind: TargetKind) -> Arc<Schema> {
    Arc::new(Schema {
        features: vec![Feature {
            name: "x".into(),
            kind: FeatureKind::Numeric,
        }],
        target: TargetColumn {
            name: "y".into(),
            kind,
        },
        reading: Reading::default(),
    })
}

fn two_classes() -> TargetKind {
    TargetKind::Classes(vec!["no".into(), "yes".into()])
}

fn cuts(cuts: &[f64]) -> Split {
    Split::Intervals {
        feature: 0,
        cuts: cuts.to_vec(),
        closed: Closed::Right,
    }
}

fn counts(no: f64, yes: f64, value: f64) -> (Outcome, f64) {
    (Outcome::Counts(vec![no, yes]), value)
}

fn fit(model: Tree, data: &Dataset, name: &str) -> Fit<Tree> {
    Fit {
        training: Training::of(&model, data),
        model,
        learner: LearnerInfo {
            kind: LearnerKind::named(name),
            ..LearnerInfo::default()
        },
        certificate: None,
    }
}

fn class_tree(nodes: [(Outcome, f64); 4], split: Split, missing: MissingRoute) -> Tree {
    let [(root, value), rest @ ..] = nodes;
    let mut builder = TreeBuilder::new(schema(two_classes()), Loss::ZeroOne, root, value).unwrap();
    builder.split(NodeId::ROOT, split, missing, rest).unwrap();
    builder.finish()
}

fn class_rows() -> Dataset {
    let x = vec![1.0, 1.0, 2.0, 7.0, 8.0];
    Dataset::new(
        schema(two_classes()),
        vec![Column::Numeric(x.into())],
        Target::Classes(vec![0, 0, 1, 1, 1]),
        None,
    )
}

/// The middle interval has no rows and answers like the root.
fn class_fit() -> Fit<Tree> {
    let nodes = [
        counts(2.0, 3.0, 1.0),
        counts(2.0, 1.0, 0.0),
        counts(0.0, 0.0, 1.0),
        counts(0.0, 2.0, 1.0),
    ];
    let tree = class_tree(nodes, cuts(&[3.0, 5.0]), MissingRoute::Child(0));
    fit(tree, &class_rows(), "optimal")
}

fn complaints(fit: &Fit<Tree>, data: &Dataset) -> Vec<(&'static str, String)> {
    let verification = verify(fit, data);
    assert_eq!(
        verification.holds,
        verification.checks.iter().all(|check| check.ok)
    );
    verification
        .checks
        .into_iter()
        .filter_map(|check| Some((check.name, check.differs?)))
        .collect()
}

#[test]
fn an_honest_model_holds() {
    let verification = verify(&class_fit(), &class_rows());
    assert!(verification.holds, "{verification:?}");
    let names: Vec<_> = verification.checks.iter().map(|c| c.name).collect();
    assert_eq!(
        names.join(" "),
        "structure columns rows weight errors cost leaves depth certificate counts values"
    );
    let text = serde_json::to_string(&verification).unwrap();
    assert!(text.starts_with(r#"{"holds":true,"checks":[{"name":"structure","ok":true},"#));
}

#[test]
fn every_wrong_figure_is_found() {
    let mut fit = class_fit();
    fit.training.errors = Some(0.0);
    fit.training.cost = 0.0;
    fit.training.rows = 6;
    fit.training.weight = 5.5;
    fit.training.leaves = 2;
    fit.training.depth = 2;
    let lines: Vec<String> = complaints(&fit, &class_rows())
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    assert_eq!(
        lines,
        [
            "rows is 6, found 5",
            "weight is 5.5, found 5",
            "errors is 0, found 1",
            "cost is 0, found 0.2",
            "leaves is 2, found 3",
            "depth is 2, found 1",
        ]
    );
    fit.training.errors = None;
    let errors = &complaints(&fit, &class_rows())[2].1;
    assert_eq!(errors, "errors: nothing is claimed, found 1");
}

#[test]
fn wrong_nodes_are_named() {
    let nodes = [
        counts(2.0, 3.0, 1.0),
        counts(2.0, 1.0, 1.0),
        counts(0.0, 0.0, 0.0),
        counts(0.0, 2.000_000_000_1, 1.0),
    ];
    let tree = class_tree(nodes, cuts(&[3.0, 5.0]), MissingRoute::Child(0));
    let data = class_rows();
    assert_eq!(
        complaints(&fit(tree, &data, "optimal"), &data),
        [
            (
                "counts",
                "node 3: count of class 1 is 2.0000000001, found 2".to_owned()
            ),
            (
                "values",
                "node 1: value is class 1 of cost 2, found class 0 of cost 1 (and 1 more)"
                    .to_owned()
            )
        ]
    );
}

#[test]
fn distributed_rows_are_shared_out() {
    let third = 1.0 / 3.0;
    let nodes = [
        counts(1.0, 3.0, 1.0),
        counts(1.0, third, 0.0),
        counts(0.0, 0.0, 1.0),
        counts(0.0, 2.0 + 2.0 * third, 1.0),
    ];
    let tree = class_tree(nodes, cuts(&[3.0, 5.0]), MissingRoute::Distribute);
    let x = vec![1.0, f64::NAN, 7.0, 8.0];
    let data = Dataset::new(
        schema(two_classes()),
        vec![Column::Numeric(x.into())],
        Target::Classes(vec![0, 1, 1, 1]),
        None,
    );
    assert_eq!(complaints(&fit(tree, &data, "greedy"), &data), []);
}

#[test]
fn a_certificate_must_add_up() {
    let data = class_rows();
    let mut fit = class_fit();
    let with = |fit: &mut Fit<Tree>, objective, lower_bound| {
        fit.certificate = Some(Certificate {
            objective,
            lower_bound,
            exact: true,
            tolerance: None,
            fewest_leaves: None,
            statement: Statement::Words("error".into()),
        });
        complaints(fit, &data)
    };
    assert_eq!(with(&mut fit, 0.2, 0.2), []);
    assert_eq!(
        with(&mut fit, 0.2, 0.3)[0].1,
        "lower_bound 0.3 is above objective 0.2"
    );
    assert_eq!(
        with(&mut fit, 0.1, 0.1)[0].1,
        "objective 0.1 is below the cost 0.2"
    );
    assert_eq!(
        with(&mut fit, 0.2, -0.2)[0].1,
        "lower_bound -0.2 is below 0"
    );
    fit.learner.kind = LearnerKind::Greedy;
    assert_eq!(with(&mut fit, 0.2, 0.2)[0].0, "certificate");
}

/// A greedy tree that says of itself that it was pruned, with this objective.
fn complaints_about_pruned(pruned: serde_json::Value, objective: f64) -> Vec<String> {
    let mut fit = class_fit();
    fit.learner.kind = LearnerKind::Greedy;
    fit.learner.params.insert("pruned", pruned);
    fit.certificate = Some(Certificate {
        objective,
        lower_bound: objective,
        exact: true,
        tolerance: None,
        fewest_leaves: None,
        statement: Statement::Words("error + 0.1 * leaves over the prunings".into()),
    });
    let complaints = complaints(&fit, &class_rows());
    complaints.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn the_certificate_of_a_pruned_tree_must_add_up() {
    use serde_json::json;
    let with = complaints_about_pruned;
    let linear =
        |lambda| json!({"penalty": "linear", "cost": "error", "from_leaves": 9, "lambda": lambda});
    assert_eq!(with(linear(json!(0.1)), 0.5), [""; 0]);
    assert_eq!(with(linear(json!("1/10")), 0.5), [""; 0]);
    assert_eq!(
        with(linear(json!(0.1)), 0.4),
        ["objective is 0.4, found 0.5"]
    );
    let by_size = |leaves: u64| json!({"penalty": "linear", "cost": "error", "leaves": leaves});
    assert_eq!(with(by_size(3), 0.2), [""; 0]);
    assert_eq!(
        with(by_size(2), 0.2),
        ["3 leaves, but at most 2 were asked for"]
    );
    let by_cost = |most: f64| json!({"penalty": "linear", "cost": "error", "max_cost": most});
    assert_eq!(with(by_cost(0.2), 3.0), [""; 0]);
    assert_eq!(with(by_cost(0.2), 2.0), ["objective is 2, found 3"]);
    assert_eq!(
        with(by_cost(0.1), 3.0),
        ["cost 0.2, but at most 0.1 was asked for"]
    );
    // Costs of other rows are not known, the weighted penalty is.
    let mut elsewhere = linear(json!(0.1));
    elsewhere["costs_from"] = json!({"rows": 3, "weight": 3.0});
    assert_eq!(with(elsewhere.clone(), 0.9), [""; 0]);
    assert_eq!(with(elsewhere, 0.2).len(), 1);
    let mut impure = linear(json!(0.1));
    impure["cost"] = json!("impurity");
    assert_eq!(
        with(impure, 0.5),
        ["exact is claimed, but impurities are not whole numbers"]
    );
    let mut grown = linear(json!(0.1));
    grown["from_leaves"] = json!(2);
    assert_eq!(with(grown, 0.5), ["3 leaves pruned from 2"]);
    assert_eq!(with(json!({}), 0.5).len(), 1);
    assert_eq!(with(json!(7), 0.5).len(), 1);
    let mut nameless = linear(json!(0.1));
    nameless["cost"] = json!("mse");
    assert_eq!(with(nameless, 0.5).len(), 1);
}

/// What is said of the certificate of a tree that was pruned to its own leaves.
fn certificate_complaints(
    fit: &Fit<Tree>,
    data: &Dataset,
    cost: &str,
    objective: f64,
    (exact, tolerance): (bool, Option<f64>),
) -> Vec<String> {
    let mut fit = fit.clone();
    let pruned = serde_json::json!({"penalty": "linear", "cost": cost, "lambda": 0.1});
    fit.learner.params.insert("pruned", pruned);
    fit.certificate = Some(Certificate {
        objective,
        lower_bound: objective,
        exact,
        tolerance,
        fewest_leaves: None,
        statement: Statement::Words("something over the prunings".into()),
    });
    let complaints = complaints(&fit, data).into_iter();
    let of_certificate = complaints.filter(|(name, _)| *name == "certificate");
    of_certificate.map(|(_, line)| line).collect()
}

#[test]
fn the_impurity_of_a_pruned_tree_must_add_up() {
    let rounded = (false, Some(1e-12));
    let mut fit = class_fit();
    fit.learner.kind = LearnerKind::Greedy;
    let rows = class_rows();
    let with = |fit: &Fit<Tree>, objective: f64| {
        certificate_complaints(fit, &rows, "impurity", objective, rounded)
    };
    // Two of one class and one of the other among five rows, and two pure leaves.
    let gini = (3.0 * 4.0 / 9.0) / 5.0 + 0.3;
    assert_eq!(with(&fit, gini), [""; 0]);
    assert_eq!(with(&fit, gini * 0.9).len(), 1);
    for criterion in ["entropy", "gain-ratio"] {
        let params = &mut fit.learner.params;
        params.insert("criterion", criterion);
        let entropy = (2.0 * 1.5_f64.log2() + 3.0_f64.log2()) / 5.0 + 0.3;
        assert_eq!(with(&fit, entropy), [""; 0]);
        assert_eq!(with(&fit, entropy * 0.9).len(), 1);
    }

    let fit = number_fit("mean", [4.4, 0.5, 7.0], &[0.0, 3.0]);
    let rows = number_rows();
    let with =
        |cost: &str, objective: f64| certificate_complaints(&fit, &rows, cost, objective, rounded);
    assert_eq!(with("mse", 14.5 / 5.0 + 0.2), [""; 0]);
    assert_eq!(with("mse", 2.6).len(), 1);
    // The bins of both leaves are pure.
    assert_eq!(with("impurity", 0.2), [""; 0]);
    assert_eq!(with("impurity", 0.18).len(), 1);
}

#[test]
fn whole_numbers_and_tolerances_of_pruned_trees_are_checked() {
    let mut fit = class_fit();
    fit.learner.kind = LearnerKind::Greedy;
    let with = |claims| certificate_complaints(&fit, &class_rows(), "error", 0.5, claims);
    assert_eq!(with((true, None)), [""; 0]);
    assert_eq!(with((false, Some(1e-12))), [""; 0]);
    assert_eq!(
        with((false, None)),
        ["exact is not claimed, but there is no tolerance"]
    );
    assert_eq!(
        with((true, Some(1e-12))),
        ["exact is claimed, and a tolerance, too"]
    );

    let (fit, data) = distributed();
    let with = |claims| certificate_complaints(&fit, &data, "error", 0.3, claims);
    assert_eq!(with((false, Some(1e-12))), [""; 0]);
    assert_eq!(
        with((true, None)),
        ["exact is claimed, but costs of these rows are not whole numbers"]
    );
}

/// One row of five is distributed; the root alone knows nothing of that.
fn distributed() -> (Fit<Tree>, Dataset) {
    let schema = schema(two_classes());
    let x = vec![1.0, 1.0, f64::NAN, 7.0, 8.0];
    let columns = vec![Column::Numeric(x.into())];
    let data = Dataset::new(schema, columns, Target::Classes(vec![0, 0, 0, 1, 1]), None);
    let mut builder = TreeBuilder::new(
        Arc::clone(data.schema()),
        Loss::ZeroOne,
        Outcome::Counts(vec![3.0, 2.0]),
        0.0,
    )
    .unwrap();
    let children = [counts(2.5, 0.0, 0.0), counts(0.5, 2.0, 1.0)];
    builder
        .split(
            NodeId::ROOT,
            cuts(&[3.0]),
            MissingRoute::Distribute,
            children,
        )
        .unwrap();
    (fit(builder.finish(), &data, "greedy"), data)
}

#[test]
fn a_pruned_file_may_have_sums_over_leaves() {
    let (mut fit, data) = distributed();
    assert_eq!(complaints(&fit, &data), []);
    fit.training = Training::of_pruning(&fit.model, &fit.training);
    assert_eq!(fit.training.errors, Some(0.5));
    assert_eq!(complaints(&fit, &data).len(), 2);
    let pruned = serde_json::json!({"penalty": "log", "cost": "error", "leaves": 2});
    fit.learner.params.insert("pruned", pruned);
    assert_eq!(complaints(&fit, &data), []);
}

fn numbers(values: &[f64], bins: &[f64]) -> Outcome {
    let mut moments = Moments::default();
    for &value in values {
        add(&mut moments, value, 1.0);
    }
    Outcome::Numbers(moments, Some(bins.to_vec()))
}

fn number_rows() -> Dataset {
    Dataset::new(
        schema(TargetKind::Number),
        vec![Column::Numeric(vec![1.0, 2.0, 3.0, 4.0, 5.0].into())],
        Target::Numbers(vec![0.0, 1.0, 5.0, 6.0, 10.0]),
        None,
    )
}

fn number_fit(predict: &str, answers: [f64; 3], second_bins: &[f64]) -> Fit<Tree> {
    let all = numbers(&[0.0, 1.0, 5.0, 6.0, 10.0], &[2.0, 3.0]);
    let mut builder =
        TreeBuilder::new(schema(TargetKind::Number), Loss::Squared, all, answers[0]).unwrap();
    let children = [
        (numbers(&[0.0, 1.0], &[2.0, 0.0]), answers[1]),
        (numbers(&[5.0, 6.0, 10.0], second_bins), answers[2]),
    ];
    builder
        .split(
            NodeId::ROOT,
            cuts(&[2.5]),
            MissingRoute::Distribute,
            children,
        )
        .unwrap();
    let mut fit = fit(builder.finish(), &number_rows(), "greedy");
    fit.learner.params.insert("predict", predict);
    fit.learner.params.insert("bins", 2);
    fit
}

#[test]
fn numbers_are_checked_too() {
    let data = number_rows();
    let mean = number_fit("mean", [4.4, 0.5, 7.0], &[0.0, 3.0]);
    assert_eq!(complaints(&mean, &data), []);
    let median = number_fit("median", [5.0, 0.5, 6.0], &[0.0, 3.0]);
    assert_eq!(complaints(&median, &data), []);
    let wrong = number_fit("median", [4.4, 0.25, 6.0], &[0.0, 3.0]);
    assert_eq!(
        complaints(&wrong, &data)[0].1,
        "node 0: value is 4.4, not the median: weight 2 below it, 3 above it (and 1 more)"
    );
    let wrong = number_fit("mean", [4.4, 0.5, 6.0], &[2.0, 1.0]);
    let lines: Vec<String> = complaints(&wrong, &data)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    assert_eq!(
        lines,
        [
            "node 2: bins up to 0 weigh 2, found 1",
            "node 2: value is 6, found a mean of 7",
        ]
    );
}

#[test]
fn rows_of_another_table_are_refused() {
    let lines = complaints(&class_fit(), &number_rows());
    assert_eq!(
        lines,
        [(
            "columns",
            "target \"y\" is not of the kind that the tree predicts".to_owned()
        )]
    );
}

/// Grows random trees the way learners do: every row with its share, missing values in proportion to
/// the known weights.
struct Grower<'a> {
    data: &'a Dataset,
    truths: &'a [u32],
    random: fastrand::Rng,
}

impl Grower<'_> {
    fn counts(&self, rows: &[(usize, f64)]) -> Vec<f64> {
        let mut counts = vec![0.0; 2];
        for &(row, share) in rows {
            counts[self.truths[row] as usize] += self.data.weight(row) * share;
        }
        counts
    }

    fn tree(&mut self) -> Tree {
        let all: Vec<(usize, f64)> = (0..self.data.n_rows()).map(|row| (row, 1.0)).collect();
        let counts = self.counts(&all);
        let value = Loss::ZeroOne.best_class(&counts) as f64;
        let root = Outcome::Counts(counts);
        let mut builder =
            TreeBuilder::new(schema(two_classes()), Loss::ZeroOne, root, value).unwrap();
        let mut open = vec![(NodeId::ROOT, all, value)];
        for _ in 0..6 {
            let (id, rows, value) = open.swap_remove(self.random.usize(..open.len()));
            let cut = f64::from(self.random.u8(0..8)) + 0.5;
            let own_branch = self.random.bool();
            let (missing, groups) = self.divide(&rows, cut, own_branch);
            let children: Vec<(Outcome, f64)> = groups
                .iter()
                .map(|group| {
                    let counts = self.counts(group);
                    let is_empty = counts.iter().all(|&count| count == 0.0);
                    let best = Loss::ZeroOne.best_class(&counts) as f64;
                    (Outcome::Counts(counts), if is_empty { value } else { best })
                })
                .collect();
            let values: Vec<f64> = children.iter().map(|child| child.1).collect();
            let first = builder.split(id, cuts(&[cut]), missing, children).unwrap();
            let children = groups.into_iter().zip(values).zip(first.0..);
            open.extend(children.map(|((group, value), id)| (NodeId(id), group, value)));
        }
        builder.finish()
    }

    fn divide(
        &mut self,
        rows: &[(usize, f64)],
        cut: f64,
        own_branch: bool,
    ) -> (MissingRoute, Vec<Vec<(usize, f64)>>) {
        let Column::Numeric(x) = &self.data.columns()[0] else {
            unreachable!("the feature is numeric")
        };
        let mut groups = vec![Vec::new(); 2 + usize::from(own_branch)];
        let mut missing = Vec::new();
        for &(row, share) in rows {
            match x[row] {
                x if x.is_nan() => missing.push((row, share)),
                x => groups[usize::from(x > cut)].push((row, share)),
            }
        }
        if own_branch {
            groups[2] = missing;
            return (MissingRoute::Child(2), groups);
        }
        let known: Vec<f64> = groups
            .iter()
            .map(|group| self.counts(group).iter().sum())
            .collect();
        let total: f64 = known.iter().sum();
        // Learners never split where nothing is known; here the rows just stay together.
        if total == 0.0 || self.random.bool() {
            groups[1].extend(missing);
            return (MissingRoute::Child(1), groups);
        }
        for (group, known) in groups
            .iter_mut()
            .zip(known)
            .filter(|(_, known)| *known > 0.0)
        {
            group.extend(
                missing
                    .iter()
                    .map(|&(row, share)| (row, share * known / total)),
            );
        }
        (MissingRoute::Distribute, groups)
    }
}

proptest! {
    #[test]
    fn honest_trees_hold_and_forged_ones_do_not(seed: u64, whole: bool) {
        let mut random = fastrand::Rng::with_seed(seed);
        let n_rows = random.usize(1..40);
        let x = (0..n_rows)
            .map(|_| if random.u8(..4) == 0 { f64::NAN } else { f64::from(random.u8(0..9)) })
            .collect();
        let truths: Vec<u32> = (0..n_rows).map(|_| random.u32(..2)).collect();
        let weights = (0..n_rows)
            .map(|_| if whole { f64::from(random.u8(1..4)) } else { random.f64() + 0.01 })
            .collect();
        let data = Dataset::new(
            schema(two_classes()),
            vec![Column::Numeric(x)],
            Target::Classes(truths.clone()),
            Some(weights),
        );
        let tree = Grower { data: &data, truths: &truths, random }.tree();
        let honest = fit(tree, &data, "greedy");
        prop_assert_eq!(complaints(&honest, &data), []);
        let swapped: Vec<u32> = truths.iter().map(|truth| 1 - truth).collect();
        let other = Dataset::new(
            schema(two_classes()),
            data.columns().to_vec(),
            Target::Classes(swapped),
            data.weights().map(<[f64]>::to_vec),
        );
        let balanced = honest.model.counts(NodeId::ROOT);
        if (balanced[0] - balanced[1]).abs() > 1e-6 {
            prop_assert!(!verify(&honest, &other).holds);
        }
    }
}

//! Honest and forged models.

mod grown;
mod pruned;

use std::sync::Arc;

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

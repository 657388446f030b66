//! Certificates of pruned trees, honest and forged.

use serde_json::json;

use super::*;

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
    let pruned = json!({"penalty": "linear", "cost": cost, "lambda": 0.1});
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
    let pruned = json!({"penalty": "log", "cost": "error", "leaves": 2});
    fit.learner.params.insert("pruned", pruned);
    assert_eq!(complaints(&fit, &data), []);
}

//! All that can be done with one tree.

use treewright::cost::{Lambda, Penalty};
use treewright::data::Dataset;
use treewright::eval::{self, Report};
use treewright::export::{c, dot, html, json, onnx, pmml, python, rules, rust, sql, svg, text};
use treewright::prune::{Aim, Impurity, Method, NodeCosts, Pruner, PruningCost, importances};
use treewright::tree::{FamilyFit, Fit};

use crate::dice::Dice;
use crate::documents;
use crate::rows::{around_cuts, cells};

/// A table of least costs may take this much, as in a program with a limit.
const MOST_BYTES: u64 = 1 << 20;

/// Uses a model; `data` are rows for it. What takes long is done for some bytes only.
pub(crate) fn use_fully(fit: &Fit, data: &Dataset, dice: Dice) {
    round_trip(fit);
    ask(fit, data);
    judge(fit, data);
    match dice.throw(1, 8) {
        0 | 1 => export(fit),
        2 => prune(fit, dice),
        3 if dice.throw(2, 8) == 0 => page(fit, data),
        _ => {}
    }
}

/// The same with rows made up for the tree.
pub(crate) fn use_on_made_up_rows(fit: &Fit, dice: Dice) {
    use_fully(fit, &around_cuts(&fit.model), dice);
}

/// What is written reads back as the same.
fn round_trip(fit: &Fit) {
    let written = json::write_model(fit);
    let read = json::read_model(&written).expect("a written model can be read");
    assert_eq!(json::write_model(&read), written, "written twice");
    assert_eq!(read.model, fit.model, "the tree");
}

fn ask(fit: &Fit, data: &Dataset) {
    let tree = &fit.model;
    let answers = tree.predict(data);
    assert_eq!(answers.len(), data.n_rows(), "an answer for each row");
    let classes = tree.schema().classes();
    if tree.schema().is_classification() {
        let is_class = |&answer: &f64| answer.fract() == 0.0 && (answer as usize) < classes.len();
        assert!(answers.iter().all(is_class), "answers are classes");
        let shares = tree.predict_proba(data);
        assert_eq!(shares.len(), data.n_rows() * classes.len());
    }
    for row in 0..data.n_rows() {
        assert!(!tree.decision_path(data, row).is_empty());
        let mut reached = 0.0;
        tree.visit(cells(data, row), |id, share| {
            if tree.is_leaf(id) {
                reached += share;
            }
        });
        assert!(
            (reached - 1.0).abs() < 1e-6,
            "a row reaches leaves: {reached}"
        );
    }
    assert_eq!(tree.apply(data).len(), data.n_rows());
}

/// Figures and checks; what a file claims may be wrong, but must not be taken for a reason to panic.
fn judge(fit: &Fit, data: &Dataset) {
    let mut weighed = data.clone();
    if let Ok(weights) = fit.learner.params.class_weight()
        && weighed.weigh_classes(&weights).is_ok()
    {
        eval::verify(fit, &weighed);
    }
    eval::verify(fit, data);
    // Counts and weights of a file may be too large to be added up.
    let _ = eval::score(&fit.model, data);
    let _ = eval::recost(&fit.model, data);
}

fn export(fit: &Fit) {
    let tree = &fit.model;
    text::plain(tree);
    dot::dot(tree);
    svg::svg(tree);
    rules::rules(tree);
    python::python(tree);
    rust::rust(tree);
    onnx::onnx(tree);
    json::write_bare_tree(tree);
    // These say what they cannot express.
    let _ = sql::sql(tree);
    let _ = c::c(tree);
    let _ = pmml::pmml(tree);
}

fn page(fit: &Fit, data: &Dataset) {
    for rows in [None, Some(data)] {
        if let Ok(report) = Report::on_model("title", fit, rows) {
            html::html(&report);
            json::write_report(&report);
        }
    }
}

fn prune(fit: &Fit, dice: Dice) {
    let lambda: Lambda = "1/300".parse().expect("a ratio");
    let penalty = match dice.throw(3, 2) {
        0 => Penalty::Linear,
        _ => "sqrt".parse().expect("a penalty"),
    };
    let costs = [
        PruningCost::Error,
        PruningCost::Squared,
        PruningCost::Impurity(Impurity::Entropy),
    ];
    for cost in costs {
        let Ok(node_costs) = NodeCosts::of(&fit.model, cost) else {
            continue;
        };
        importances(&fit.model, &node_costs);
        let pruner = Pruner {
            penalty: penalty.clone(),
            cost,
            method: Method::Auto,
            most_bytes: MOST_BYTES,
        };
        let aims = [
            Aim::Weight(lambda.clone()),
            Aim::Leaves(2),
            Aim::MaxCost(lambda.clone()),
        ];
        for aim in &aims {
            if let Ok(pruned) = pruner.prune(fit.clone(), &node_costs, None, aim) {
                round_trip(&pruned);
            }
        }
        if let Ok(family) = pruner.family(fit.clone(), &node_costs, None) {
            documents::family_round_trip(&family);
        }
    }
}

/// A report on a family, with rows and without.
pub(crate) fn report(fit: &FamilyFit, data: &Dataset) {
    for rows in [None, Some(data)] {
        if let Ok(report) = Report::on_family("title", fit, rows) {
            html::html(&report);
            json::write_report(&report);
        }
    }
}

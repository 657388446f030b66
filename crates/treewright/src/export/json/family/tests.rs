//! Round trips, and files that must be refused.

mod ties;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::super::super::samples;
use super::super::{check_family_size, read_family, read_model, write_family, write_family_to};
use super::*;
use crate::cost::{Lambda, SolutionValue};
use crate::prune::{Method, NodeCosts, PruningCost, family};
use crate::tree::{LearnerInfo, LearnerKind, NodeId, Params, Training, TreeSource};

/// The family of a sample tree.
fn fit(tree: Tree, penalty: &Penalty) -> FamilyFit {
    let costs = NodeCosts::of(&tree, PruningCost::Error).unwrap();
    let tolerance = costs.tolerance();
    let tree = Arc::new(tree);
    let family = family(&tree, &costs, penalty, Method::Auto, u64::MAX).unwrap();
    let is_classification = tree.schema().is_classification();
    FamilyFit {
        family,
        learner: LearnerInfo {
            kind: LearnerKind::Greedy,
            params: Params::default(),
        },
        training: Training {
            rows: 20,
            weight: tree.weight(NodeId::ROOT),
            errors: is_classification.then_some(3.0),
            cost: 0.25,
            leaves: tree.n_leaves(),
            depth: tree.depth(),
            seconds: 0.5,
        },
        exact: costs.is_whole(),
        tolerance,
        exact_down_to: 0.0,
        lower_bounds: None,
        work: None,
        costs_from: None,
        cross_validation: None,
        seconds: 0.25,
    }
}

fn with_everything(tree: Tree, penalty: &Penalty) -> FamilyFit {
    let mut fit = fit(tree, penalty);
    let n_members = fit.family.len();
    fit.costs_from = Some(CostsFrom {
        rows: 7,
        weight: 7.5,
    });
    fit.cross_validation = Some(CrossValidation {
        error: vec![0.5; n_members],
        se: vec![0.125; n_members],
        min: n_members - 1,
        one_se: 0,
        folds: Vec::new(),
    });
    fit
}

fn table() -> Penalty {
    let values: Vec<String> = (1..60)
        .map(|leaves| (leaves * leaves).to_string())
        .collect();
    Penalty::table(&values.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
}

fn penalties() -> [Penalty; 4] {
    [
        Penalty::Linear,
        "sqrt".parse().unwrap(),
        Penalty::Log,
        table(),
    ]
}

#[test]
fn every_family_comes_back() {
    for tree in [
        samples::iris(),
        samples::every_kind(),
        samples::repeated(),
        samples::numbers(),
    ] {
        for penalty in penalties() {
            let fit = with_everything(tree.clone(), &penalty);
            let text = write_family(&fit);
            let read = read_family(&text).unwrap();
            assert_eq!(write_family(&read), text);
            assert_eq!(read.family.members(), fit.family.members());
            assert_eq!(read.training, fit.training);
            assert_eq!(read.cross_validation, fit.cross_validation);
            assert_eq!(read.costs_from, fit.costs_from);
            for member in 0..fit.family.len() {
                assert_eq!(read.family.tree(member), fit.family.tree(member));
                let low = fit.family.lambda_low(member).unwrap();
                let given_back: Lambda = format!("{low:?}").parse().unwrap();
                assert_eq!(read.family.at(&given_back), member);
                assert_eq!(fit.family.at(&given_back), member);
            }
        }
    }
}

/// Trees of a sample's family, counting how many were made.
#[derive(Debug)]
struct Counted {
    trees: Vec<Tree>,
    made: AtomicUsize,
}

impl TreeSource for Counted {
    fn tree(&self, member: usize) -> Tree {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.trees[member].clone()
    }
}

/// Text, with how many trees were made before each part of it.
struct Watched<'a> {
    source: &'a Counted,
    text: Vec<u8>,
    made: Vec<usize>,
}

impl io::Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        self.made.push(self.source.made.load(Ordering::Relaxed));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The values of a family, with trees that need not be nested.
fn with_source(values: Vec<SolutionValue>, trees: Vec<Tree>) -> (FamilyFit, Arc<Counted>) {
    let source = Arc::new(Counted {
        trees,
        made: AtomicUsize::new(0),
    });
    let trees = Arc::<Counted>::clone(&source);
    let mut fit = fit(samples::iris(), &Penalty::Linear);
    let penalty = "power:1.5".parse().unwrap();
    fit.family = Family::new(penalty, fit.family.scale(), values, trees);
    (fit, source)
}

#[test]
fn trees_are_made_one_at_a_time() {
    let family = fit(samples::iris(), &Penalty::Linear).family;
    let trees: Vec<Tree> = (0..family.len()).map(|place| family.tree(place)).collect();
    let n_members = trees.len();
    assert!(n_members > 2);
    let (fit, source) = with_source(family.values().to_vec(), trees);
    // Errors are those of all trees; they are asked for once.
    assert_eq!(fit.family.members().len(), n_members);
    source.made.store(0, Ordering::Relaxed);
    let mut out = Watched {
        source: &source,
        text: Vec::new(),
        made: Vec::new(),
    };
    write_family_to(&fit, &mut out).unwrap();
    // The largest gives the columns, then each is made for its own place.
    for made in 1..=1 + n_members {
        assert!(out.made.contains(&made), "{made}");
    }
    assert_eq!(out.made.iter().max(), Some(&(1 + n_members)));
    assert_eq!(String::from_utf8(out.text).unwrap(), write_family(&fit));
}

#[test]
fn too_large_a_family_is_refused_before_it_is_written() {
    let values = |largest: usize| {
        let sizes = [1, 1_000_000, largest];
        let value = |(leaves, cost)| SolutionValue { cost, leaves };
        sizes.into_iter().zip([9, 6, 1]).map(value).collect()
    };
    let (small, _) = with_source(values(1_499_999), Vec::new());
    check_family_size(&small).unwrap();
    let (large, source) = with_source(values(1_500_000), Vec::new());
    assert_eq!(
        check_family_size(&large).unwrap_err().to_string(),
        "penalty: got power:1.5, expected a concave one such as linear, sqrt or log for so large a \
         family: 3 members that are not nested would have 5000002 nodes, a file may have 5000000; or \
         take single trees with --lambda or --leaves"
    );
    assert_eq!(source.made.load(Ordering::Relaxed), 0);
    check_family_size(&fit(samples::iris(), &Penalty::Linear)).unwrap();
}

#[test]
fn fields_are_those_of_the_format() {
    let text = write_family(&fit(samples::iris(), &Penalty::Linear));
    let file: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&String> = file.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "format",
            "version",
            "task",
            "learner",
            "features",
            "target",
            "reading",
            "penalty",
            "training",
            "members",
            "search",
            "certificate",
            "nodes"
        ]
    );
    assert_eq!(file["members"][0]["leaves"], 1);
    assert_eq!(file["members"][0]["lambda_high"], Value::Null);
    assert_eq!(
        file["certificate"],
        json!({"exact": true, "exact_down_to": 0})
    );
    let last = file["members"].as_array().unwrap().last().unwrap();
    assert_eq!(last["lambda_low"], 0.0);
    for node in file["nodes"].as_array().unwrap() {
        assert_eq!(
            node.get("split").is_some(),
            node.get("collapse_at").is_some()
        );
    }
    let text = write_family(&fit(samples::iris(), &table()));
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["penalty"], "table");
    assert_eq!(file["penalty_values"][2], 9);
    assert!(file.get("nodes").is_none());
    assert!(file["members"][1]["nodes"].is_array());
}

#[test]
fn a_family_is_no_model_and_a_model_no_family() {
    let text = write_family(&fit(samples::iris(), &Penalty::Linear));
    let message = read_model(&text).unwrap_err().to_string();
    assert!(message.contains("family of trees"), "{message}");
    let text = text.replacen("treewright.family", "treewright.tree", 1);
    let message = read_family(&text).unwrap_err().to_string();
    assert!(message.contains("a single tree"), "{message}");
    assert!(read_model(&text).is_err());
}

/// What is said about a family of `every_kind` with one value changed.
#[track_caller]
fn refused(pointer: &str, value: Value, complaint: &str) {
    let text = write_family(&with_everything(samples::every_kind(), &Penalty::Linear));
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match file.pointer_mut(parent).unwrap() {
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        Value::Object(object) if value == json!("gone") => drop(object.remove(key)),
        object => object[key] = value,
    }
    let message = read_family(&file.to_string()).unwrap_err().to_string();
    assert!(
        message.starts_with(&format!("not a valid model: {complaint}")),
        "{pointer}: {message}"
    );
}

#[test]
fn broken_families_are_refused() {
    refused("/members", json!([]), "\"chosen\" must name members");
    refused("/members/1/leaves", json!(1), "member 1: leaves must rise");
    refused(
        "/members/1/leaves",
        json!(3),
        "member 1: leaves is 3, but its tree has",
    );
    refused("/members/0/leaves", json!(0), "member 0: leaves must rise");
    refused("/members/1/cost", json!(1e9), "member 1: cost must fall");
    refused(
        "/members/1/cost",
        json!(-1),
        "member 1: a number is negative",
    );
    refused(
        "/members/0/lambda_high",
        json!(1e9),
        "member 0: lambda_high must be",
    );
    refused(
        "/members/1/lambda_high",
        json!(1e9),
        "member 1: lambda_high must be",
    );
    refused(
        "/members/0/lambda_low",
        json!(1e9),
        "node 0: collapse_at is",
    );
    refused("/members/1/errors", json!("gone"), "member 1: \"errors\"");
    refused("/members/1/cv_error", json!("gone"), "with \"chosen\"");
    refused("/members/1/nodes", json!([]), "\"nodes\" stand either");
    refused("/chosen", json!("gone"), "members have \"cv_error\"");
    refused("/chosen/min", json!(99), "\"chosen\" must name members");
    refused(
        "/nodes/0/collapse_at",
        json!(0.123),
        "node 0: collapse_at is 0.123",
    );
    refused(
        "/nodes/0/collapse_at",
        json!("gone"),
        "node 0: an inner node without",
    );
    refused(
        "/nodes/0/collapse_at",
        json!(0),
        "node 0: collapse_at is that of the largest",
    );
    refused("/nodes", json!("gone"), "member 0: no \"nodes\"");
    refused("/penalty", json!("cubic"), "penalty: got");
    refused("/penalty", json!("table"), "a penalty \"table\" needs");
    refused("/penalty_values", json!([1]), "\"penalty_values\" belong");
    refused("/surprise", json!(1), "unknown field `surprise`");
    refused(
        "/certificate/exact_down_to",
        json!(-1),
        "\"search\", \"certificate\"",
    );
    refused("/version", json!(2), "version is 2");
}

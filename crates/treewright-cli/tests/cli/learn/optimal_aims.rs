//! Optimal trees for a number of leaves, for other penalties, and chosen by held-out rows.

use serde_json::Value;

use super::dyadic::{verified, with_table};
use crate::support::Folder;

/// The model of these options, which must hold.
#[track_caller]
fn fit(folder: &Folder, options: &[&str]) -> Value {
    let command = ["fit", "optimal", "data.csv", "--json", "-o", "model.json"];
    let model = folder.json(&[&command[..], options].concat());
    verified(folder, "model.json");
    model
}

fn what(model: &Value) -> &str {
    model["certificate"]["what"].as_str().unwrap()
}

#[test]
fn the_best_tree_of_a_size_is_that_of_the_family() {
    let folder = with_table("shop.csv");
    let options = ["--max-depth", "2", "--intervals", "2"];
    let path = ["path", "optimal", "data.csv", "--json"];
    let family = folder.json(&[&path[..], &options].concat());
    let members = family["members"].as_array().unwrap();
    for leaves in [1, 2, 5, 10, 1000] {
        let text = leaves.to_string();
        let model = fit(&folder, &[&options[..], &["--leaves", &text]].concat());
        let small = |member: &&Value| member["leaves"].as_u64().unwrap() <= leaves;
        let member = members.iter().rfind(small).unwrap();
        assert_eq!(model["training"]["leaves"], member["leaves"]);
        assert_eq!(model["training"]["errors"], member["errors"]);
        assert_eq!(model["certificate"]["optimal"], true);
        let noun = if leaves == 1 { "leaf" } else { "leaves" };
        let expected = format!(
            "cost over trees of depth 2 with up to 2 intervals or groups of categories at the last level, \
             one category against the rest above, at most {leaves} {noun}"
        );
        assert_eq!(what(&model), expected);
        assert_eq!(model["learner"]["params"]["leaves"], leaves);
    }
}

#[test]
fn a_weight_of_a_penalty() {
    let folder = with_table("shop.csv");
    // The same option under two names.
    let linear = ["--lambda", "--leaf-cost"].map(|name| fit(&folder, &[name, "0.01"]));
    assert_eq!(linear[0]["nodes"], linear[1]["nodes"]);
    assert!(linear[0]["learner"]["params"].get("penalty").is_none());
    let model = fit(&folder, &["--lambda", "0.02", "--penalty", "sqrt"]);
    assert_eq!(
        what(&model),
        "cost + 0.02 * sqrt(leaves) over trees of depth 2 with up to 3 intervals or groups of categories at the last \
         level, one category against the rest above"
    );
    assert_eq!(model["learner"]["params"]["penalty"], "sqrt");
    assert_eq!(model["certificate"]["optimal"], true);
    let path = ["path", "optimal", "data.csv", "--penalty", "sqrt"];
    folder.done(&[&path[..], &["-o", "family.json"]].concat());
    let taken = folder.json(&["prune", "family.json", "--lambda", "0.02", "--json"]);
    assert_eq!(taken["nodes"], model["nodes"]);
    assert_eq!(taken["certificate"], model["certificate"]);
}

#[test]
fn a_tree_is_chosen_by_held_out_rows() {
    let folder = with_table("shop.csv");
    let choice = ["--select", "1se", "--folds", "5", "--seed", "3"];
    let model = fit(&folder, &choice);
    let params = &model["learner"]["params"];
    assert_eq!(params["select"], "1se");
    assert_eq!(params["folds"], 5);
    assert!(params["cv_error"].is_number());
    let path = ["path", "optimal", "data.csv", "--json"];
    let family = folder.json(&[&path[..], &choice].concat());
    let chosen = family["chosen"]["1se"].as_u64().unwrap() as usize;
    assert_eq!(
        family["members"][chosen]["leaves"],
        model["training"]["leaves"]
    );
    let line =
        folder.done(&[&["fit", "optimal", "data.csv", "-o", "x.json"], &choice[..]].concat());
    assert!(line.is_empty(), "{line}");
    // The learner of a list has the same settings.
    folder.done(&[
        "validate",
        "optimal:leaves=4,optimal:select=1se:folds=3",
        "data.csv",
        "--folds",
        "3",
    ]);
}

#[test]
fn aims_that_cannot_be() {
    let folder = with_table("shop.csv");
    let fit = ["fit", "optimal", "data.csv"];
    let refused = |options: &[&str], line: &str| {
        folder.refused(&[&fit[..], options].concat(), line);
    };
    refused(&["--leaves", "0"], "leaves: got 0, expected at least 1");
    refused(
        &["--leaves", "3", "--intervals", "1"],
        "intervals: got 1, expected at least 2",
    );
    for options in [
        &["--leaves", "3", "--lambda", "0.1"][..],
        &["--leaves", "3", "--select", "cv"],
        &["--penalty", "sqrt"],
        &["--penalty", "sqrt", "--leaves", "3"],
        &["--leaves", "3", "--proof", "proof.jsonl"],
        &["--folds", "3"],
    ] {
        let run = folder.run(&[&fit[..], options].concat());
        assert_eq!(run.code, 2, "{options:?} {}", run.stderr);
    }
}

#[test]
fn a_tree_out_of_a_family_that_was_stopped_says_so() {
    let folder = with_table("shop.csv");
    let path = [
        "path",
        "optimal",
        "data.csv",
        "--depth",
        "4",
        "--time-limit",
        "1ms",
    ];
    folder.done(&[&path[..], &["-o", "family.json"]].concat());
    for option in [["--lambda", "0.001"], ["--leaves", "3"]] {
        let prune = ["prune", "family.json", "-o", "model.json"];
        let run = folder.run(&[&prune[..], &option].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let certificate =
            &serde_json::from_str::<Value>(&folder.read("model.json")).unwrap()["certificate"];
        let is_proven = certificate["optimal"] == true;
        assert_eq!(
            run.stderr.contains("was stopped early"),
            !is_proven,
            "{}",
            run.stderr
        );
        verified(&folder, "model.json");
    }
}

#[test]
fn leaves_that_no_tree_can_have_are_refused() {
    let table = "x,class\n1,a\n2,a\n3,b\n";
    let folder = Folder::new().file("data.csv", table);
    let [fit, path] = ["fit", "path"].map(|command| [command, "optimal", "data.csv"]);
    for command in [fit, path] {
        let with = |option: &[&'static str]| [&command[..], option, &["-o", "out.json"]].concat();
        folder.refused(
            &with(&["--min-leaf", "0"]),
            "min-leaf: got 0, expected at least 1\n",
        );
        folder.refused(
            &with(&["--min-leaf", "4"]),
            "min-leaf: got 4, expected at most 3, the rows of the table\n",
        );
        folder.done(&[&command[..], &["--min-leaf", "3"]].concat());
    }
    let leaves = [&fit[..], &["--leaves", "0"]].concat();
    folder.refused(&leaves, "leaves: got 0, expected at least 1\n");
    folder.done(&[&path[..], &["-o", "family.json"]].concat());
    folder.refused(
        &["prune", "family.json", "--leaves", "0"],
        "family.json: leaves: got 0, expected at least 1\n",
    );
    let both = folder.run(&[&fit[..], &["--leaves", "2", "--leaf-cost", "0.1"]].concat());
    assert_eq!(both.code, 2, "{both:?}");
}

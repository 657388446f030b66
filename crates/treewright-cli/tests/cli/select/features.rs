//! `select`: backward and complete selection of features.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::distinct::{endless_table, without_seconds};
use crate::learn::dyadic::{verified, with_table};
use crate::support::{Folder, TABLE};

fn select(folder: &Folder, method: &str, options: &[&str]) -> Value {
    let command = ["select", method, "data.csv", "--json", "--quiet"];
    without_seconds(folder.json(&[&command[..], options].concat()))
}

fn names(list: &Value) -> Vec<&str> {
    let names = list.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap()).collect()
}

/// Rows whose class is that `a` and `b` differ, with features that only disturb.
fn differing(n_rows: u64) -> String {
    let mut text = String::from("a,noise,b,more,class\n");
    for row in 0..n_rows {
        let (a, b) = (row % 2, row / 2 % 2);
        let class = if a == b { "same" } else { "other" };
        let (noise, more) = (row * 7 % 11, row * 5 % 13);
        writeln!(text, "{a},{noise},{b},{more},{class}").unwrap();
    }
    text
}

#[test]
fn the_document_has_all_figures() {
    let folder = with_table("shop.csv");
    let backward = select(&folder, "backward", &[]);
    let expected = json!({
        "method": "backward", "selected": ["department", "payment", "rating", "days_to_ship"],
        "unused": [], "removed": backward["removed"], "search_error": 37.0 / 120.0,
        "all_features_error": 45.0 / 120.0, "trees_built": 16, "trees_skipped": 0, "seconds": null});
    assert_eq!(backward, expected);
    let complete = select(&folder, "complete", &[]);
    let expected = json!({
        "method": "complete", "selected": ["department", "rating", "days_to_ship"], "unused": [],
        "removed": ["price", "items", "payment"], "search_error": 37.0 / 120.0,
        "all_features_error": 45.0 / 120.0, "trees_built": complete["trees_built"],
        "trees_skipped": complete["trees_skipped"], "optimal": true, "lower_bound": 37.0 / 120.0,
        "seconds": null});
    assert_eq!(complete, expected);
}

#[test]
fn the_error_is_that_of_the_model_on_the_other_rows() {
    let folder = with_table("shop.csv");
    let table = folder.read("data.csv");
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    let lines: Vec<&str> = lines.collect();
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let folder = Folder::new()
        .file("data.csv", part(&lines[..250]))
        .file("other.csv", part(&lines[250..]));
    for method in ["backward", "complete"] {
        let options = ["--search", "other.csv", "-o", "model.json"];
        let selection = select(&folder, method, &options);
        let score = folder.json(&["score", "model.json", "other.csv", "--json"]);
        assert_eq!(score["error"], selection["search_error"], "{method}");
        verified(&folder, "model.json");
        let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
        let features = model["features"].as_array().unwrap();
        let features: Vec<&str> = features
            .iter()
            .map(|f| f["name"].as_str().unwrap())
            .collect();
        assert_eq!(features, names(&selection["selected"]));
        assert_eq!(model["learner"]["params"]["criterion"], "entropy");
    }
    let all = [
        "fit",
        "greedy",
        "data.csv",
        "--criterion",
        "entropy",
        "--categorical-splits",
        "multiway",
        "-o",
        "all.json",
    ];
    folder.done(&all);
    let score = folder.json(&["score", "all.json", "other.csv", "--json"]);
    let selection = select(&folder, "backward", &["--search", "other.csv"]);
    assert_eq!(score["error"], selection["all_features_error"]);
}

#[test]
fn plain_elimination_selects_the_same() {
    let folder = with_table("shop.csv");
    for options in [
        &[][..],
        &["--seed", "3", "--criterion", "gini"],
        &["--folds", "4", "--repeats", "2", "--min-leaf", "5"],
        &["--max-depth", "2", "--holdout", "0.5"],
        &["--missing", "branch", "--class-weight", "balanced"],
    ] {
        let shared = select(&folder, "backward", options);
        let plain = select(&folder, "backward", &[options, &["--plain"]].concat());
        for field in ["selected", "search_error", "all_features_error"] {
            assert_eq!(shared[field], plain[field], "{options:?}");
        }
        let trees = |of: &Value| {
            of["trees_built"].as_u64().unwrap() + of["trees_skipped"].as_u64().unwrap()
        };
        assert_eq!(trees(&shared), trees(&plain), "{options:?}");
        let complete = select(&folder, "complete", options);
        assert!(complete["search_error"].as_f64() <= shared["search_error"].as_f64());
    }
}

#[test]
fn threads_and_memory_change_nothing() {
    let folder = with_table("shop.csv");
    for method in ["backward", "complete"] {
        let options = ["--min-leaf", "4", "--resamples", "5", "-o", "model.json"];
        let of = |more: &[&str]| select(&folder, method, &[&options[..], more].concat());
        let one = of(&["--threads", "1"]);
        assert_eq!(of(&["--threads", "2"]), one);
        assert_eq!(of(&["--memory-limit", "60MB"]), one);
    }
}

#[test]
fn a_subset_within_a_distance_has_a_bound() {
    let folder = with_table("shop.csv");
    let exact = select(&folder, "complete", &[]);
    let least = exact["search_error"].as_f64().unwrap();
    let near = select(&folder, "complete", &["--within", "0.05"]);
    let error = near["search_error"].as_f64().unwrap();
    let bound = near["lower_bound"].as_f64().unwrap();
    assert!(bound <= least && error <= least + 0.05, "{near}");
    assert!(near["trees_built"].as_u64() <= exact["trees_built"].as_u64());
}

#[test]
fn features_in_words() {
    let folder = Folder::new().file("data.csv", differing(120));
    let run = folder.run(&["select", "complete", "data.csv", "--zero-gain"]);
    assert_eq!(run.code, 0, "{run:?}");
    for line in [
        "complete selection among 4 features, judged by 30 % of the rows, held out:\n",
        "selected           2: a, b\n",
        "removed            2: noise, more\n",
        "search error       0.000000\n",
        "proven             no subset has a smaller error\n",
    ] {
        let stdout = run.stdout.lines().map(str::trim_end);
        assert!(
            stdout.clone().any(|found| found == line.trim_end()),
            "{run:?}"
        );
    }
    let folds = [
        "select",
        "backward",
        "data.csv",
        "--folds",
        "3",
        "--repeats",
        "2",
    ];
    let title =
        "backward selection among 4 features, judged by cross-validation with 3 folds, 2 times:\n";
    assert!(folder.done(&folds).starts_with(title));
    let search = ["select", "backward", "data.csv", "--search", "data.csv"];
    let title = "backward selection among 4 features, judged by the 120 rows of data.csv:\n";
    assert!(folder.done(&search).starts_with(title));
    let run = folder.run(&[&search[..], &["-o", "model.json"]].concat());
    assert_eq!((run.code, &*run.stdout), (0, ""));
    assert!(
        run.stderr
            .contains("search error 0.000000, with all features 0.000000")
    );
}

#[test]
fn samples_tell_how_stable_a_selection_is() {
    let folder = Folder::new().file("data.csv", differing(120));
    let options = ["--zero-gain", "--resamples", "6"];
    let document = select(&folder, "complete", &options);
    let stability = json!({"resamples": 6, "stability": 1.0,
                           "frequency": {"a": 1.0, "noise": 0.0, "b": 1.0, "more": 0.0}});
    assert_eq!(document["stability"], stability);
    let command = ["select", "complete", "data.csv"];
    let text = folder.done(&[&command[..], &options].concat());
    assert!(
        text.contains("stability 1.000000 over 6 samples of the rows:\n"),
        "{text}"
    );
    assert!(text.contains("\na            100.0 %\n"), "{text}");
    let shop = with_table("shop.csv");
    let of = |seed: &str| {
        let options = ["--resamples", "6", "--seed", seed];
        select(&shop, "backward", &options)["stability"].clone()
    };
    assert_eq!(of("1"), of("1"));
    assert_ne!(of("1"), of("2"));
}

#[test]
fn a_time_limit_is_said() {
    let folder = Folder::new().file("data.csv", endless_table());
    let complete = select(&folder, "complete", &["--time-limit", "300ms"]);
    assert_eq!(complete["stopped"], true);
    assert_eq!(complete["optimal"], false);
    assert!(complete["lower_bound"].as_f64() < complete["search_error"].as_f64());
    let options = ["--time-limit", "0s", "-o", "model.json"];
    let backward = select(&folder, "backward", &options);
    assert_eq!(backward["stopped"], true);
    assert_eq!(backward["removed"], json!([]));
    let run = folder.run(&["select", "backward", "data.csv", "--time-limit", "0s"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("stopped early: "), "{run:?}");
    verified(&folder, "model.json");
}

#[test]
fn nothing_selected_is_a_leaf() {
    let folder = Folder::new().file(
        "data.csv",
        "a,b,class\n1,z,x\n1,z,y\n1,z,y\n1,z,x\n1,z,y\n1,z,y\n",
    );
    for method in ["backward", "complete"] {
        let document = select(&folder, method, &["--holdout", "0.5"]);
        assert_eq!(document["selected"], json!([]));
        let run = folder.run(&["select", method, "data.csv", "-o", "model.json"]);
        assert_eq!((run.code, &*run.stdout), (0, ""), "{run:?}");
        assert!(run.stderr.contains("no feature is selected: "), "{run:?}");
        let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
        assert_eq!(model["features"], json!([]));
        assert_eq!(model["nodes"], json!([{"counts": [2.0, 4.0], "value": 1}]));
        verified(&folder, "model.json");
        let predictions = folder.done(&["predict", "model.json", "data.csv"]);
        assert_eq!(predictions, "prediction\ny\ny\ny\ny\ny\ny\n");
    }
}

#[test]
fn one_feature_is_kept_or_not() {
    let folder = Folder::new().file("data.csv", "a,class\n1,x\n2,x\n3,x\n7,y\n8,y\n9,y\n");
    for method in ["backward", "complete"] {
        let document = select(&folder, method, &[]);
        assert_eq!(document["selected"], json!(["a"]));
        assert_eq!(document["search_error"], 0.0);
    }
}

#[test]
fn costs_and_weights_judge() {
    let folder = with_table("shop.csv").file("costs.csv", ",no,yes\nno,0,1\nyes,5,0\n");
    for options in [
        &["--costs", "costs.csv"][..],
        &["--class-weight", "no=1,yes=3"],
        &["--class-weight", "balanced", "--search", "data.csv"],
        &["--weight", "items"],
    ] {
        let backward = select(&folder, "backward", options);
        let plain = select(&folder, "backward", &[options, &["--plain"]].concat());
        assert_eq!(backward["selected"], plain["selected"], "{options:?}");
        let both = (
            backward["search_error"].as_f64(),
            plain["search_error"].as_f64(),
        );
        assert!(
            (both.0.unwrap() - both.1.unwrap()).abs() < 1e-9,
            "{options:?}"
        );
        select(
            &folder,
            "complete",
            &[options, &["-o", "model.json"]].concat(),
        );
        verified(&folder, "model.json");
    }
}

#[test]
fn what_cannot_be_selected_from_is_refused() {
    let folder = Folder::new()
        .file("data.csv", TABLE)
        .file("target.csv", "class\nx\ny\n")
        .file("prices.csv", "area,price\n1,10.5\n2,11.5\n3,9.25\n")
        .file("lacking.csv", "age,class\n20,no\n")
        .file("targetless.csv", "age,sex\n20,f\n")
        .file("strange.csv", "age,sex,class\n20,f,perhaps\n")
        .file("empty.csv", "age,sex,class\n");
    for method in ["backward", "complete"] {
        let refused = |options: &[&str], line: &str| {
            folder.refused(&[&["select", method], options].concat(), line)
        };
        let search = |file: &str, line: &str| refused(&["data.csv", "--search", file], line);
        search("lacking.csv", "lacking.csv: no column \"sex\"");
        search("targetless.csv", "targetless.csv: no column \"class\"");
        search("strange.csv", "strange.csv: ");
        search("empty.csv", "empty.csv: ");
        search("nothing.csv", "nothing.csv: no such file");
        refused(
            &["-", "--search", "-"],
            "DATA and --search cannot both be standard input",
        );
        refused(&["target.csv"], "target.csv: the table has no features");
        let numbers = "prices.csv: select needs a classification target, but the target \"price\" holds numbers";
        refused(&["prices.csv"], numbers);
        refused(
            &["data.csv", "--resamples", "1"],
            "resamples: got 1, expected at least 2",
        );
        refused(
            &["data.csv", "--folds", "1"],
            "folds: got 1, expected at least 2",
        );
        refused(&["data.csv", "--folds", "100"], "folds: got 100, expected ");
        refused(
            &["data.csv", "--folds", "2", "--repeats", "0"],
            "repeats: got 0",
        );
        refused(
            &["data.csv", "--holdout", "1.5"],
            "holdout: got 1.5, expected ",
        );
        refused(
            &["data.csv", "--seed", "-1"],
            "seed: got -1, expected at least 0",
        );
        refused(
            &["data.csv", "--json", "-o", "-"],
            "-o - and --json cannot share standard output",
        );
        refused(
            &["data.csv", "-o", "no/model.json"],
            "no/model.json: there is no such folder",
        );
    }
    let within = |text: &str, line: &str| {
        folder.refused(&["select", "complete", "data.csv", "--within", text], line);
    };
    within("-1", "within: got -1, expected a difference of error rates");
    within(
        "nan",
        "within: got NaN, expected a difference of error rates",
    );
}

//! `summary`: the best trees of rising depths.

use serde_json::{Value, json};

use crate::learn::dyadic::{noisy_table, with_table};
use crate::support::{Folder, TABLE};

fn errors(summary: &Value) -> Vec<f64> {
    let depths = summary["depths"].as_array().unwrap();
    let errors = depths.iter().map(|depth| depth["errors"].as_f64());
    errors.map(Option::unwrap).collect()
}

/// The text without its times.
fn without_times(text: &str) -> String {
    let is_time = |(word, next): &(&str, &str)| *next == "ms" && word.parse::<f64>().is_ok();
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let next = words.iter().skip(1).copied().chain([""]);
        let kept = words.iter().copied().zip(next);
        let kept = kept.filter(|pair| !is_time(pair) && pair.0 != "ms");
        kept.map(|(word, _)| word).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bundled_table_in_full() {
    let folder = with_table("titanic.csv");
    let run = folder.run(&["summary", "data.csv"]);
    assert_eq!(run.code, 0, "{run:?}");
    let about = "classification: target \"survived\" with 2 classes, 3 features, 2201 rows\n";
    assert_eq!(run.stderr, about);
    let expected = "\
best trees on 2201 rows, up to 3 intervals at the last level:

depth errors error accuracy leaves proof time features
0 711 0.323035 0.676965 1 proven
1 493 0.223989 0.776011 2 proven sex
2 474 0.215357 0.784643 4 proven class, sex, age
3 461 0.209450 0.790550 4 proven class, sex, age

least errors by number of leaves:

leaves depth 1 depth 2 depth 3
1 711 711 711
2 493 493 493
3 - 477 477
4 - 474 461";
    assert_eq!(without_times(&run.stdout), expected);
}

#[test]
fn the_document_has_all_figures() {
    let folder = with_table("titanic.csv");
    let command = ["summary", "data.csv", "--depth", "1", "--quiet"];
    let mut summary = folder.json(&[&command[..], &["--json", "-o", "out.json"]].concat());
    let file: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(file, summary);
    for depth in summary["depths"].as_array_mut().unwrap() {
        assert!(depth["seconds"].take().is_number());
    }
    let sizes = |leaves: u64, errors: f64| {
        let cost = errors / 2201.0;
        json!({"leaves": leaves, "errors": errors, "cost": cost, "lower_bound": cost, "optimal": true})
    };
    let (none, one) = (711.0 / 2201.0, 493.0 / 2201.0);
    let expected = json!({
        "rows": 2201, "weight": 2201.0, "features": 3, "classes": 2, "intervals": 3,
        "depths": [
            {"depth": 0, "errors": 711.0, "error": none, "accuracy": 1490.0 / 2201.0, "cost": none,
             "leaves": 1, "objective": none, "lower_bound": none, "gap": 0.0, "optimal": true,
             "exact": true, "features": [], "seconds": null},
            {"depth": 1, "errors": 493.0, "error": one, "accuracy": 1708.0 / 2201.0, "cost": one,
             "leaves": 2, "objective": one, "lower_bound": one, "gap": 0.0, "optimal": true,
             "exact": true, "features": ["sex"], "seconds": null}],
        "by_leaves": [{"depth": 1, "complete": true, "members": [sizes(1, 711.0), sizes(2, 493.0)]}],
        "stopped": false});
    assert_eq!(summary, expected);
    assert_eq!(
        folder.done(&[&command[..], &["-o", "out.json"]].concat()),
        ""
    );
}

#[test]
fn figures_are_those_of_fit() {
    let folder = with_table("shop.csv");
    let options = [
        "--min-leaf",
        "5",
        "--leaf-cost",
        "1/200",
        "--intervals",
        "2",
    ];
    let command = ["summary", "data.csv", "--json", "--quiet", "--depth", "2"];
    let summary = folder.json(&[&command[..], &options].concat());
    for depth in 0..3 {
        let text = depth.to_string();
        let command = [
            "fit", "optimal", "data.csv", "--json", "--quiet", "--depth", &text,
        ];
        let model = folder.json(&[&command[..], &options].concat());
        let found = &summary["depths"][depth];
        for field in ["errors", "cost", "leaves"] {
            assert_eq!(found[field].as_f64(), model["training"][field].as_f64());
        }
        for field in ["objective", "lower_bound", "gap", "optimal", "exact"] {
            assert_eq!(found[field], model["certificate"][field]);
        }
    }
}

#[test]
fn a_limit_spans_all_depths() {
    let folder = Folder::new().file("data.csv", noisy_table(3000));
    let command = ["summary", "data.csv", "--time-limit", "0s"];
    let run = folder.run(&[&command[..], &["--memory-limit", "1GB"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stderr
            .contains("stopped early: a tree that is not proven is"),
        "{run:?}"
    );
    assert!(
        run.stdout.contains("at least 0.000000, gap 100.0 %"),
        "{run:?}"
    );
    let summary = folder.json(&[&command[..], &["--json", "--quiet"]].concat());
    assert_eq!(summary["stopped"], true);
    let depths = summary["depths"].as_array().unwrap();
    assert_eq!(depths.len(), 4);
    assert_eq!(depths[0]["optimal"], true);
    assert_eq!(depths[3]["optimal"], false);
    assert!(errors(&summary).windows(2).all(|pair| pair[1] <= pair[0]));
}

#[test]
fn depths_that_cannot_help_are_left_out() {
    let folder = Folder::new().file("data.csv", TABLE);
    let huge = u64::MAX.to_string();
    let run = folder.run(&["summary", "data.csv", "--depth", &huge]);
    assert!(
        run.stderr
            .ends_with("deeper trees than 1 cannot cost less\n"),
        "{run:?}"
    );
    let summary = folder.json(&["summary", "data.csv", "--depth", &huge, "--json"]);
    assert_eq!(errors(&summary), [3.0, 0.0]);
    for table in ["x,class\n1,a\n", "x,class\n1,a\n2,a\n"] {
        let folder = Folder::new().file("data.csv", table);
        let summary = folder.json(&["summary", "data.csv", "--json"]);
        assert_eq!(errors(&summary), [0.0], "{table}");
    }
}

#[test]
fn costs_have_a_column() {
    let folder = Folder::with_model().file("costs.csv", ",no,yes\nno,0,1\nyes,5,0\n");
    let text = folder.done(&["summary", "data.csv", "--costs", "costs.csv"]);
    let text = without_times(&text);
    assert!(
        text.contains("depth errors error accuracy cost leaves proof time features"),
        "{text}"
    );
    assert!(
        text.contains("0 4 0.571429 0.428571 0.571429 1 proven"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = with_table("shop.csv").file("bad.csv", "x,class\n");
    let refused = |options: &[&str], complaint: &str| {
        let command = ["summary", "data.csv", "-o", "out.json"];
        folder.refused(&[&command[..], options].concat(), complaint);
    };
    refused(&["--depth", "-1"], "depth: got -1, expected at least 0\n");
    refused(
        &["--intervals", "0"],
        "intervals: got 0, expected at least 1\n",
    );
    refused(
        &["--min-leaf", "0"],
        "min-leaf: got 0, expected at least 1\n",
    );
    refused(&["--leaf-cost", "-1"], "leaf-cost: got -1, expected");
    let numbers = "data.csv: optimal trees need classes, but the target \"price\" holds numbers";
    refused(&["--target", "price"], numbers);
    folder.refused(&["summary", "bad.csv"], "bad.csv: ");
    folder.refused(&["summary", "none.csv"], "none.csv: no such file\n");
}

//! Optimal trees of bounded depth: what they are, and what is refused.

use serde_json::{Value, json};

use super::dyadic::{noisy_table, verified, with_table};
use crate::support::Folder;

/// Two intervals have one error, three have none.
const STEPS: &str = "x,class\n1,a\n2,a\n3,b\n4,b\n5,b\n6,a\n";

/// Where `x` is missing `z` tells the class, else `y`.
const PRESENT: &str = "\
x,y,z,class
,0,0,a
,1,0,a
,0,1,b
,1,1,b
5,0,0,a
6,0,1,a
5,1,0,b
6,1,1,b
";

fn fit(folder: &Folder, options: &[&str]) -> Value {
    let command = ["fit", "optimal", "data.csv", "--json", "-o", "model.json"];
    let model = folder.json(&[&command[..], &["--quiet"], options].concat());
    verified(folder, "model.json");
    model
}

/// Errors and leaves.
fn figures(model: &Value) -> (f64, u64) {
    let training = &model["training"];
    let errors = training["errors"].as_f64().unwrap();
    (errors, training["leaves"].as_u64().unwrap())
}

#[test]
fn a_small_table_in_full() {
    let folder = Folder::new().file("data.csv", STEPS);
    let stdout = folder.done(&["fit", "optimal", "data.csv", "--depth", "1", "--quiet"]);
    let expected = "\
class  (6/3)
├─ x < 2.5 -> a  (2)
├─ 2.5 <= x < 5.5 (missing too) -> b  (3)
└─ x >= 5.5 -> a  (1)
";
    assert!(stdout.starts_with(expected), "{stdout}");
    let proof = "proven least cost over trees of depth 1 with up to 3 intervals at the last level: \
                 0.000000 (exact)\n";
    assert!(stdout.ends_with(proof), "{stdout}");
}

#[test]
fn the_model_says_how_it_was_made() {
    let folder = Folder::new().file("data.csv", STEPS);
    let model = fit(&folder, &["--leaf-cost", "1/7", "--depth", "1"]);
    let learner = json!({"name": "optimal", "params":
        {"depth": 1, "intervals": 3, "min_leaf": 1, "leaf_cost": "1/7"}});
    assert_eq!(model["learner"], learner);
    let certificate = &model["certificate"];
    assert_eq!(certificate["objective"], 3.0 / 7.0);
    assert_eq!(certificate["lower_bound"], certificate["objective"]);
    assert_eq!(certificate["optimal"], true);
    assert_eq!(certificate["exact"], true);
    let what = "cost + 1/7 * leaves over trees of depth 1 with up to 3 intervals at the last level";
    assert_eq!(certificate["what"], what);
    let split = json!({"kind": "intervals", "feature": 0, "cuts": [2.5, 5.5], "closed": "left"});
    assert_eq!(model["nodes"][0]["split"], split);
    assert_eq!(model["nodes"][0]["missing"], 1);
}

#[test]
fn options_choose_among_trees() {
    let folder = Folder::new().file("data.csv", STEPS);
    let cases: [(&[&str], (f64, u64)); 11] = [
        (&[], (0.0, 3)),
        (&["--intervals", "2"], (1.0, 2)),
        (&["--intervals", "1"], (3.0, 1)),
        (&["--intervals", "1000"], (0.0, 3)),
        (&["--intervals", "2", "--depth", "2"], (0.0, 3)),
        // Ties go to fewer leaves.
        (&["--leaf-cost", "1/6"], (1.0, 2)),
        (&["--leaf-cost", "1/3"], (3.0, 1)),
        (&["--min-leaf", "2"], (1.0, 2)),
        (&["--min-leaf", "3"], (2.0, 2)),
        (&["--min-leaf", "6"], (3.0, 1)),
        (&["--depth", "0"], (3.0, 1)),
    ];
    for (options, expected) in cases {
        let depth: &[&str] = if options.contains(&"--depth") {
            &[]
        } else {
            &["--depth", "1"]
        };
        let model = fit(&folder, &[options, depth].concat());
        assert_eq!(figures(&model), expected, "{options:?}");
        assert_eq!(model["certificate"]["optimal"], true, "{options:?}");
    }
}

#[test]
fn missing_values_have_a_branch() {
    let folder = Folder::new().file("data.csv", PRESENT);
    let model = fit(&folder, &[]);
    assert_eq!(figures(&model), (0.0, 4));
    let root = &model["nodes"][0];
    let split = json!({"kind": "intervals", "feature": 0, "cuts": [], "closed": "left"});
    assert_eq!(root["split"], split);
    assert_eq!(root["children"].as_array().unwrap().len(), 2);
    assert_eq!(root["missing"], 1);
}

#[test]
fn depths_are_bounded_by_the_rows() {
    let folder = Folder::new().file("data.csv", PRESENT);
    let model = fit(&folder, &["--depth", "1000"]);
    assert_eq!(figures(&model), (0.0, 4));
    assert_eq!(model["learner"]["params"]["depth"], 1000);
    let huge = u64::MAX.to_string();
    let model = fit(&folder, &["--depth", &huge, "--intervals", &huge]);
    assert_eq!(figures(&model), (0.0, 4));
}

#[test]
fn bundled_tables_have_their_optima() {
    let multiway = ["--categorical-splits", "multiway"];
    let cases: [(&str, &[&str], (f64, u64)); 6] = [
        ("titanic.csv", &[], (474.0, 4)),
        ("titanic.csv", &["--depth", "3"], (461.0, 4)),
        ("titanic.csv", &multiway, (474.0, 5)),
        ("shop.csv", &[], (108.0, 9)),
        ("shop.csv", &multiway, (102.0, 18)),
        ("rings.csv", &[], (170.0, 8)),
    ];
    for (table, options, expected) in cases {
        let folder = with_table(table);
        let model = fit(&folder, options);
        assert_eq!(figures(&model), expected, "{table} {options:?}");
        let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
        assert_eq!(score["errors"].as_f64(), Some(expected.0));
    }
}

#[test]
fn little_to_learn_from() {
    for table in [
        "x,class\n1,a\n",
        "x,class\n1,a\n2,a\n,a\n",
        "x,class\n,a\n,b\n",
    ] {
        let folder = Folder::new().file("data.csv", table);
        let model = fit(&folder, &[]);
        assert_eq!(model["training"]["leaves"], 1, "{table}");
        assert_eq!(model["certificate"]["optimal"], true);
    }
}

#[test]
fn weights_with_decimals_and_a_price() {
    let rows = "x,w,class\n1,0.1,a\n2,0.2,a\n3,0.3,b\n4,0.7,b\n5,0.1,b\n6,0.1,a\n";
    let folder = Folder::new().file("data.csv", rows);
    let model = fit(&folder, &["--weight", "w", "--leaf-cost", "0.07"]);
    assert_eq!(model["training"]["leaves"], 2);
    assert_eq!(model["certificate"]["optimal"], true);
    assert_eq!(model["certificate"]["exact"], false);
}

#[test]
fn a_limit_leaves_a_tree_and_a_bound() {
    let folder = Folder::new().file("data.csv", noisy_table(3000));
    let command = [
        "fit",
        "optimal",
        "data.csv",
        "--depth",
        "3",
        "-o",
        "model.json",
    ];
    let limits = ["--time-limit", "0s", "--memory-limit", "1GB"];
    let run = folder.run(&[&command[..], &limits].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let note = "stopped early: this is the best tree so far, perhaps not the best of all\n";
    assert!(run.stderr.contains(note), "{run:?}");
    verified(&folder, "model.json");
    let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let certificate = &model["certificate"];
    assert_eq!(certificate["optimal"], false);
    assert!(certificate["lower_bound"].as_f64() < certificate["objective"].as_f64());
    assert!(model["training"]["leaves"].as_u64() > Some(1));
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = with_table("shop.csv");
    let command = ["fit", "optimal", "data.csv", "-o", "out.json"];
    let refused = |options: &[&str], complaint: &str| {
        folder.refused(&[&command[..], options].concat(), complaint);
    };
    refused(&["--depth", "-1"], "depth: got -1, expected at least 0\n");
    let least = "expected at least 1\n";
    refused(&["--intervals", "0"], &format!("intervals: got 0, {least}"));
    refused(&["--min-leaf", "0"], &format!("min-leaf: got 0, {least}"));
    for price in ["-1", "-1/2", "1e400"] {
        let complaint = format!("leaf-cost: got {price}, expected ");
        refused(&["--leaf-cost", price], &complaint);
    }
    refused(&["--features", ""], "data.csv: the table has no features");
    let numbers = "data.csv: optimal trees need classes, but the target \"price\" holds numbers";
    refused(
        &["--target", "price"],
        &format!("{numbers}; --task classification makes each of them a class\n"),
    );
    let options = ["--target", "price", "--task", "regression"];
    refused(&options, &format!("{numbers}\n"));
    for options in [["--intervals", "many"], ["--depth", "2.5"]] {
        let run = folder.run(&[&command[..], &options].concat());
        assert_eq!(run.code, 2, "{run:?}");
    }
}

#[test]
fn a_leaf_cost_of_many_digits_is_rounded_and_said_to_be() {
    let folder = with_table("shop.csv");
    let price = ["--leaf-cost", "0.1234567890123456789"];
    let command = ["fit", "optimal", "data.csv", "--json"];
    let model = folder.json(&[&command[..], &price].concat());
    assert_eq!(model["certificate"]["exact"], false);
    assert!(model["certificate"]["tolerance"].as_f64() > Some(0.0));
}

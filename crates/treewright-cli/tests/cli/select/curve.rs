//! `curve`: error against the number of rows learned from.

use serde_json::{Value, json};

use crate::learn::dyadic::{noisy_table, with_table};
use crate::support::{Folder, TABLE};

/// Without what depends on the machine.
fn without_seconds(mut curve: Value) -> Value {
    for learner in curve["learners"].as_array_mut().unwrap() {
        for point in learner["points"].as_array_mut().unwrap() {
            point.as_object_mut().unwrap().remove("seconds");
        }
    }
    curve
}

fn curve(folder: &Folder, learners: &str, options: &[&str]) -> Value {
    let command = ["curve", learners, "data.csv", "--json", "--quiet"];
    without_seconds(folder.json(&[&command[..], options].concat()))
}

#[test]
fn text_has_a_table_and_a_picture() {
    let folder = with_table("shop.csv");
    let run = folder.run(&[
        "curve",
        "greedy,optimal:depth=1",
        "data.csv",
        "--repeats",
        "2",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let about = "classification: target \"returned\" with 2 classes, 6 features, 400 rows\n";
    assert_eq!(run.stderr, about);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "error on 120 rows held out, mean of 2 repeats:");
    let words: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(
        words,
        ["learner", "rows", "error", "se", "leaves", "depth", "time"]
    );
    let points = lines
        .iter()
        .filter(|line| line.starts_with("optimal:depth=1 "));
    assert_eq!(points.count(), 5);
    assert!(
        run.stdout
            .ends_with("  a greedy\n            b optimal:depth=1\n"),
        "{run:?}"
    );
}

#[test]
fn documents_have_all_figures() {
    let folder = with_table("shop.csv");
    let options = [
        "--sizes",
        "200,50",
        "--repeats",
        "3",
        "--seed",
        "4",
        "--holdout",
        "0.25",
    ];
    let found = curve(&folder, "greedy:max-depth=0", &options);
    let error = found["learners"][0]["points"][0]["error"].clone();
    // The tree is a leaf that says what most rows are.
    assert_eq!(error, 0.47);
    let point = |rows: u64| json!({"rows": rows, "repeats": 3, "error": 0.47, "se": 0.0, "leaves": 1.0, "depth": 0.0});
    let expected = json!({
        "rows": 400, "held_out": 100, "holdout": 0.25, "repeats": 3, "seed": 4, "sizes": [50, 200],
        "learners": [{"learner": "greedy:max-depth=0", "points": [point(50), point(200)]}],
        "stopped": false});
    assert_eq!(found, expected);
}

#[test]
fn threads_and_lists_do_not_change_a_curve() {
    let folder = with_table("shop.csv");
    let options = |threads: &'static str| ["--repeats", "2", "--threads", threads];
    let both = curve(&folder, "greedy:select=cv:folds=3,optimal", &options("1"));
    assert_eq!(
        both,
        curve(&folder, "greedy:select=cv:folds=3,optimal", &options("2"))
    );
    let alone = curve(&folder, "optimal", &options("2"));
    assert_eq!(both["learners"][1], alone["learners"][0]);
    let other = curve(&folder, "optimal", &["--repeats", "2", "--seed", "1"]);
    assert_ne!(other["learners"], alone["learners"]);
}

#[test]
fn files_are_csv_or_json() {
    let folder = with_table("shop.csv");
    let command = [
        "curve",
        "\"dyadic:k=1,1,1,1,1,1\",greedy",
        "data.csv",
        "--repeats",
        "1",
    ];
    let rest = ["--sizes", "30", "--quiet"];
    let to = |file: &str| folder.done(&[&command[..], &rest, &["-o", file]].concat());
    assert_eq!(to("out.csv"), "");
    let csv = folder.read("out.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "learner,rows,repeats,error,se,leaves,depth,seconds"
    );
    assert!(
        lines[1].starts_with("\"dyadic:k=1,1,1,1,1,1\",30,1,0."),
        "{csv}"
    );
    // One repeat has no standard error.
    assert!(
        lines[2].starts_with("greedy,30,1,0.") && lines[2].contains(",,"),
        "{csv}"
    );
    assert_eq!(lines.len(), 3);
    assert_eq!(to("-").lines().next(), Some(lines[0]));
    to("out.JSON");
    let document: Value = serde_json::from_str(&folder.read("out.JSON")).unwrap();
    assert_eq!(document["learners"][1]["learner"], "greedy");
    assert_eq!(document["learners"][1]["points"][0]["se"], Value::Null);
}

#[test]
fn rates_compare_depth_one_and_two() {
    let folder = with_table("shop.csv");
    let found = curve(&folder, "greedy", &["--rates", "--repeats", "4"]);
    assert_eq!(found["learners"].as_array().unwrap().len(), 3);
    let rates = &found["rates"];
    for (depth, errors) in [(0, 129.0), (1, 108.0)] {
        let of_depth = &rates["depths"][depth];
        assert_eq!(of_depth["depth"], depth + 1);
        assert_eq!(of_depth["optimum"], errors / 400.0);
        let points = found["learners"][depth + 1]["points"].as_array().unwrap();
        for (point, rate) in points.iter().zip(of_depth["points"].as_array().unwrap()) {
            let eps = point["error"].as_f64().unwrap() - errors / 400.0;
            assert_eq!(rate["eps"].as_f64(), (eps > 0.0).then_some(eps));
        }
        assert!(of_depth["vc_lower"].as_f64() > Some(1.0));
        assert!(of_depth["rows_enough"].as_f64() > Some(1e5));
    }
    for same in rates["same_eps"].as_array().unwrap() {
        let rows = |depth: usize| same["rows"][depth].as_f64().unwrap();
        assert_eq!(same["ratio"].as_f64(), Some(rows(1) / rows(0)));
    }
    let of_bounds = |bound: &str| {
        let vc = |depth: usize| rates["depths"][depth][bound].as_f64().unwrap();
        Some(vc(1) / vc(0))
    };
    assert_eq!(rates["vc_lower_ratio"].as_f64(), of_bounds("vc_lower"));
    assert_eq!(rates["vc_upper_ratio"].as_f64(), of_bounds("vc_upper"));
    // The two in a list are enough, if they differ in nothing else.
    let pair = |learners: &str| curve(&folder, learners, &["--repeats", "1", "--sizes", "50"]);
    let has_rates = |found: Value| found.get("rates").is_some();
    assert!(has_rates(pair(
        "optimal:min-leaf=2,optimal:depth=1:min-leaf=2"
    )));
    assert!(!has_rates(pair("optimal,optimal:depth=1:min-leaf=2")));
}

#[test]
fn rates_in_words() {
    let folder = with_table("shop.csv");
    let command = [
        "curve",
        "optimal:depth=1,optimal:depth=2",
        "data.csv",
        "--repeats",
        "2",
    ];
    let text = folder.done(&command);
    for line in [
        "rows against 1/eps, where eps = error - least cost on the whole table:",
        "lower bounds on the VC dimension",
        "rows enough: for eps <= 0.1 with probability 0.95, whatever the table",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let folder = with_table("rings.csv");
    let text = folder.done(&command);
    assert!(
        text.ends_with("the bounds on the VC dimension are for two classes\n"),
        "{text}"
    );
    // One feature, and trees that are as good on new rows as on all.
    let folder = Folder::new().file("data.csv", TABLE);
    let text = folder.done(&[&command[..], &["--drop", "sex", "--holdout", "0.5"]].concat());
    assert!(text.contains('-'), "{text}");
}

#[test]
fn a_limit_leaves_what_is_complete() {
    let folder = Folder::new().file("data.csv", noisy_table(2000));
    let command = [
        "curve",
        "greedy",
        "data.csv",
        "--rates",
        "--time-limit",
        "0s",
    ];
    let run = folder.run(&command);
    assert_eq!(run.code, 0, "{run:?}");
    let note = "stopped early: the points are means of 0 of 10 repeats\n";
    assert!(run.stderr.ends_with(note), "{run:?}");
    assert!(run.stdout.contains("no eps is known"), "{run:?}");
    let found = curve(&folder, "greedy", &["--time-limit", "0s"]);
    assert_eq!(found["stopped"], true);
    let first =
        json!({"rows": 10, "repeats": 0, "error": null, "se": null, "leaves": null, "depth": null});
    assert_eq!(found["learners"][0]["points"][0], first);
}

#[test]
fn little_to_learn_from() {
    let folder = Folder::new()
        .file("data.csv", "x,class\n1,a\n2,a\n3,a\n")
        .file("one.csv", "x,class\n1,a\n");
    let found = curve(&folder, "greedy,dyadic,optimal", &["--rates"]);
    // The default depth is 2, so only depth 1 is added.
    assert_eq!(found["learners"].as_array().unwrap().len(), 4);
    assert_eq!(found["sizes"], json!([2]));
    assert_eq!(found["learners"][2]["points"][0]["error"], 0.0);
    let complaint = "one.csv: got 1 row, expected at least 2 to leave some of them out\n";
    folder.refused(&["curve", "greedy", "one.csv"], complaint);
}

#[test]
fn numbers_are_for_the_greedy_learner() {
    let folder = with_table("prices.csv");
    let found = curve(
        &folder,
        "greedy",
        &["--task", "regression", "--repeats", "2"],
    );
    assert!(found["learners"][0]["points"][0]["error"].as_f64() > Some(0.0));
    for (learner, trees) in [("optimal", "optimal"), ("greedy,dyadic", "dyadic")] {
        let command = ["curve", learner, "data.csv", "--task", "regression"];
        folder.refused(
            &command,
            &format!("data.csv: {trees} trees need classes, but the target"),
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = with_table("shop.csv");
    let refused = |learners: &str, options: &[&str], complaint: &str| {
        let command = ["curve", learners, "data.csv", "-o", "out.csv"];
        folder.refused(&[&command[..], options].concat(), complaint);
    };
    refused(
        "gredy",
        &[],
        "learner: got \"gredy\", expected greedy, dyadic or optimal",
    );
    refused(
        "greedy,",
        &[],
        "learner: got \"\", expected greedy, dyadic or optimal",
    );
    refused(
        "",
        &[],
        "learner: got none, expected a list such as greedy,optimal:depth=2\n",
    );
    refused(
        "greedy,greedy",
        &[],
        "learner: \"greedy\" is in the list twice\n",
    );
    let settings = "expected depth, intervals, categorical-splits, ";
    let complaint = format!("learner \"optimal:k=1\": there is no setting \"k\", {settings}");
    refused("optimal:k=1", &[], &complaint);
    let complaint =
        "learner \"optimal:depth=x\": invalid value 'x' for '--depth <D>': expected a whole";
    refused("optimal:depth=x", &[], complaint);
    refused(
        "optimal:depth=-1",
        &[],
        "learner \"optimal:depth=-1\": depth: got -1, expected at least 0\n",
    );
    refused(
        "greedy:leaves=0",
        &[],
        "learner \"greedy:leaves=0\": leaves: got 0, expected at least 1\n",
    );
    let allowed = "expected between 1 and 280, the rows that are left when 120 are held out\n";
    refused(
        "greedy",
        &["--sizes", "50,281"],
        &format!("sizes: got 281, {allowed}"),
    );
    refused(
        "greedy",
        &["--sizes", "0"],
        "sizes: got 0, expected at least 1\n",
    );
    refused(
        "greedy",
        &["--repeats", "0"],
        "repeats: got 0, expected at least 1\n",
    );
    refused(
        "greedy",
        &["--seed", "-1"],
        "seed: got -1, expected at least 0\n",
    );
    for share in ["0", "1", "-0.5", "nan"] {
        refused("greedy", &["--holdout", share], "holdout: got ");
    }
    let run = folder.run(&["curve", "greedy", "data.csv", "--sizes", "many"]);
    assert_eq!(run.code, 2, "{run:?}");
}

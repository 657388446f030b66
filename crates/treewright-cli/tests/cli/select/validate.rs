//! `validate`: learners on the same folds.

use serde_json::{Value, json};

use crate::learn::dyadic::{noisy_table, with_table};
use crate::support::{Folder, TABLE};

/// Without what depends on the machine.
fn without_seconds(mut found: Value) -> Value {
    let remove = |value: &mut Value| {
        let seconds = value.as_object_mut().unwrap().remove("seconds");
        assert!(seconds.is_some());
    };
    let learners = found["learners"].as_array_mut().unwrap();
    learners.iter_mut().for_each(remove);
    for outcome in found["outcomes"].as_array_mut().unwrap() {
        let trees = outcome["trees"].as_array_mut().unwrap();
        trees.iter_mut().for_each(remove);
    }
    found
}

fn validate(folder: &Folder, learners: &str, options: &[&str]) -> Value {
    let command = ["validate", learners, "data.csv", "--json", "--quiet"];
    without_seconds(folder.json(&[&command[..], options].concat()))
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn text_has_two_tables() {
    let folder = with_table("shop.csv");
    let learners = "greedy,optimal:depth=1,greedy:max-depth=0";
    let run = folder.run(&["validate", learners, "data.csv", "--repeats", "2"]);
    assert_eq!(run.code, 0, "{run:?}");
    let about = "classification: target \"returned\" with 2 classes, 6 features, 400 rows\n";
    assert_eq!(run.stderr, about);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "error on rows left out, 10 folds, 2 repeats:");
    let header = "learner error se leaves sd depth sd time";
    assert_eq!(words(lines[2]), words(header));
    assert!(lines[3].starts_with("greedy ") && !lines[3].ends_with("best"));
    assert!(lines[4].starts_with("optimal:depth=1 ") && lines[4].ends_with("  best"));
    assert_eq!(lines[7], "compared with greedy, row by row:");
    let header = "learner difference se z won tied lost";
    assert_eq!(words(lines[9]), words(header));
    let optimal = "optimal:depth=1 -0.006250 0.030004 -0.21 11 2 7";
    assert_eq!(words(lines[10]), words(optimal));
    let root = "greedy:max-depth=0 0.098750 0.032839 3.01 1 0 19";
    assert_eq!(words(lines[11]), words(root));
    assert_eq!(lines.len(), 12);
    // One learner is compared with nobody.
    let text = folder.done(&["validate", "greedy", "data.csv"]);
    assert!(text.starts_with("error on rows left out, 10 folds:\n"));
    assert!(!text.contains("compared"), "{text}");
}

#[test]
fn documents_have_all_figures() {
    let folder = with_table("shop.csv");
    let options = ["--folds", "5", "--seed", "4"];
    let found = validate(&folder, "greedy:max-depth=0,optimal:depth=0", &options);
    // Both trees are a leaf that says what most rows are: 185 of 400 are wrong, 37 of 80 in each fold.
    let error = 185.0 / 400.0;
    let se = (error * (1.0 - error) / 400.0_f64).sqrt();
    let found_se = found["learners"][0]["se"].as_f64().unwrap();
    assert!((found_se - se).abs() < 1e-15);
    let learner = |name: &str| json!({"learner": name, "error": error, "se": found_se, "leaves": 1.0, "leaves_sd": 0.0, "depth": 0.0, "depth_sd": 0.0});
    let tree = json!({"error": error, "leaves": 1, "depth": 0});
    let outcome = |fold: usize| json!({"repeat": 0, "fold": fold, "rows": 80, "weight": 80.0, "trees": [tree, tree]});
    let expected = json!({
        "rows": 400, "weight": 400.0, "folds": 5, "repeats": 1, "seed": 4, "planned": 5, "complete": 5,
        "learners": [learner("greedy:max-depth=0"), learner("optimal:depth=0")],
        "best": "greedy:max-depth=0",
        "differences": [{"learner": "optimal:depth=0", "against": "greedy:max-depth=0", "difference": 0.0,
                         "se": 0.0, "z": null, "won": 0, "tied": 5, "lost": 0}],
        "outcomes": [outcome(0), outcome(1), outcome(2), outcome(3), outcome(4)],
        "stopped": false});
    assert_eq!(found, expected);
}

#[test]
fn differences_are_of_errors() {
    let folder = with_table("shop.csv");
    let found = validate(&folder, "greedy,dyadic,optimal:depth=1", &["--folds", "4"]);
    let errors = [0, 1, 2].map(|place| found["learners"][place]["error"].as_f64().unwrap());
    let pairs = [(1, 0), (2, 0), (2, 1)];
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3);
    for (&(learner, against), difference) in pairs.iter().zip(differences) {
        let name = |place: usize| &found["learners"][place]["learner"];
        assert_eq!(&difference["learner"], name(learner));
        assert_eq!(&difference["against"], name(against));
        let mean = difference["difference"].as_f64().unwrap();
        assert!((mean - (errors[learner] - errors[against])).abs() < 1e-12);
        let folds = ["won", "tied", "lost"].map(|what| difference[what].as_u64().unwrap());
        assert_eq!(folds.iter().sum::<u64>(), 4);
    }
}

#[test]
fn threads_and_lists_do_not_change_a_validation() {
    let folder = with_table("shop.csv");
    let options = |threads: &'static str| ["--repeats", "2", "--threads", threads];
    let list = "greedy:select=cv:folds=3,optimal";
    let both = validate(&folder, list, &options("1"));
    assert_eq!(both, validate(&folder, list, &options("2")));
    let alone = validate(&folder, "optimal", &options("2"));
    assert_eq!(both["learners"][1], alone["learners"][0]);
    assert_eq!(alone["differences"], json!([]));
    let other = validate(&folder, "optimal", &["--repeats", "2", "--seed", "1"]);
    assert_ne!(other["outcomes"], alone["outcomes"]);
}

#[test]
fn weights_and_costs_count() {
    let rows = "x,w,class\n1,1,a\n2,1,a\n3,1,a\n4,3,b\n5,3,b\n6,3,b\n";
    let folder = Folder::new()
        .file("data.csv", rows)
        .file("costs.csv", "true,a,b\na,0,1\nb,4,0\n");
    let options = ["--weight", "w", "--folds", "3"];
    let error = |learner: &str, more: &[&str]| {
        let found = validate(&folder, learner, &[&options[..], more].concat());
        assert_eq!(found["weight"], 12.0);
        found["learners"][0]["error"].as_f64().unwrap()
    };
    // The leaf says b, so that the three rows of weight 1 are wrong.
    assert_eq!(error("greedy:max-depth=0", &[]), 3.0 / 12.0);
    let costs = ["--costs", "costs.csv", "--class-weight", "a=20,b=1"];
    let found = validate(
        &folder,
        "greedy:max-depth=0",
        &[&options[..], &costs].concat(),
    );
    // Now it says a: three rows of weight 3 cost 4 each, of a weight of 3 * 20 + 3 * 3.
    assert_eq!(found["learners"][0]["error"], 36.0 / 69.0);
}

#[test]
fn files_are_csv_or_json() {
    let folder = with_table("shop.csv");
    let list = "\"dyadic:k=1,1,1,1,1,1\",greedy";
    let command = ["validate", list, "data.csv", "--folds", "3", "--quiet"];
    let to = |file: &str| folder.done(&[&command[..], &["-o", file]].concat());
    assert_eq!(to("out.csv"), "");
    let csv = folder.read("out.csv");
    let lines: Vec<&str> = csv.lines().collect();
    let header = "learner,repeat,fold,rows,weight,error,leaves,depth,seconds";
    assert_eq!(lines[0], header);
    assert!(lines[1].starts_with("\"dyadic:k=1,1,1,1,1,1\",0,0,134,134,0."));
    assert!(lines[6].starts_with("greedy,0,2,133,133,0."), "{csv}");
    assert_eq!(lines.len(), 7);
    assert_eq!(to("-").lines().next(), Some(header));
    assert_eq!(to("out.JSON"), "");
    let document: Value = serde_json::from_str(&folder.read("out.JSON")).unwrap();
    let found = validate(&folder, list, &["--folds", "3"]);
    assert_eq!(without_seconds(document), found);
    // The lines of the file are the outcomes of the document.
    let cells: Vec<&str> = lines[6].split(',').collect();
    let tree = &found["outcomes"][2]["trees"][1];
    assert_eq!(cells[5].parse::<f64>().ok(), tree["error"].as_f64());
    assert_eq!(cells[6].parse::<u64>().ok(), tree["leaves"].as_u64());
}

#[test]
fn a_limit_leaves_what_is_complete() {
    let folder = Folder::new().file("data.csv", noisy_table(2000));
    let run = folder.run(&[
        "validate",
        "greedy,optimal",
        "data.csv",
        "--time-limit",
        "0s",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let note = "stopped early: the figures are of 0 of 10 folds\n";
    assert!(run.stderr.ends_with(note), "{run:?}");
    let title = "error on rows left out, 10 folds, 0 of 10 complete:\n";
    assert!(run.stdout.starts_with(title), "{run:?}");
    assert!(!run.stdout.contains("best"), "{run:?}");
    let found = validate(&folder, "greedy,optimal", &["--time-limit", "0s"]);
    assert_eq!(found["stopped"], true);
    assert_eq!(
        (&found["complete"], &found["planned"]),
        (&json!(0), &json!(10))
    );
    assert_eq!(found["best"], Value::Null);
    assert_eq!(found["outcomes"], json!([]));
    assert_eq!(found["learners"][0]["error"], Value::Null);
    let difference = json!({"learner": "optimal", "against": "greedy", "difference": null, "se": null,
        "z": null, "won": 0, "tied": 0, "lost": 0});
    assert_eq!(found["differences"][0], difference);
    // An endless validation ends in time, with some of its folds.
    let endless = ["--repeats", "1000000000", "--time-limit", "2s"];
    let found = validate(&folder, "greedy:max-depth=2", &endless);
    let complete = found["complete"].as_u64().unwrap();
    assert_eq!(found["outcomes"].as_array().unwrap().len() as u64, complete);
    assert_eq!(found["planned"], 10_000_000_000_u64);
}

#[test]
fn numbers_are_for_the_greedy_learner() {
    let folder = with_table("prices.csv");
    let list = "greedy,greedy:max-depth=0";
    let found = validate(&folder, list, &["--task", "regression"]);
    assert_eq!(found["best"], "greedy");
    assert!(found["differences"][0]["z"].as_f64() > Some(2.0));
    for (learner, trees) in [("optimal", "optimal"), ("greedy,dyadic", "dyadic")] {
        let command = ["validate", learner, "data.csv", "--task", "regression"];
        folder.refused(
            &command,
            &format!("data.csv: {trees} trees need classes, but the target"),
        );
    }
}

#[test]
fn tables_come_from_standard_input() {
    let folder = Folder::new();
    let command = ["validate", "greedy", "-", "--folds", "7", "--json"];
    let run = folder.run_with_input(&command, TABLE.as_bytes());
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["complete"], 7);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = with_table("shop.csv").file("one.csv", "x,class\n1,a\n");
    let refused = |learners: &str, options: &[&str], complaint: &str| {
        let command = ["validate", learners, "data.csv", "-o", "out.csv"];
        folder.refused(&[&command[..], options].concat(), complaint);
    };
    let expected = "expected greedy, dyadic or optimal";
    refused("gredy", &[], &format!("learner: got \"gredy\", {expected}"));
    refused("greedy,", &[], &format!("learner: got \"\", {expected}"));
    let complaint = "learner: got none, expected a list such as greedy,optimal:depth=2\n";
    refused("", &[], complaint);
    let complaint = "learner: \"greedy\" is in the list twice\n";
    refused("greedy,optimal,greedy", &[], complaint);
    let complaint = "learner \"optimal:depth=-1\": depth: got -1, expected at least 0\n";
    refused("greedy,optimal:depth=-1", &[], complaint);
    for (option, value, allowed) in [
        ("folds", "1", "at least 2\n"),
        ("folds", "401", "between 2 and 400, the number of rows\n"),
        ("repeats", "0", "at least 1\n"),
        ("seed", "-1", "at least 0\n"),
    ] {
        let complaint = format!("{option}: got {value}, expected {allowed}");
        refused("greedy", &[&format!("--{option}"), value], &complaint);
    }
    // Folds within folds: the complaint says whose they are.
    let name = "greedy:select=cv:folds=380";
    let complaint =
        format!("data.csv: learner \"{name}\": folds: got 380, expected between 2 and 360");
    refused(&format!("greedy,{name}"), &[], &complaint);
    refused("greedy", &["--target", "nothing"], "data.csv: ");
    let complaint = "one.csv: got 1 row, expected at least 2 to leave some of them out\n";
    folder.refused(&["validate", "greedy", "one.csv"], complaint);
    for wrong in [
        &["validate"][..],
        &["validate", "greedy"],
        &["validate", "greedy", "data.csv", "--folds", "many"],
        &["validate", "greedy", "data.csv", "--holdout", "0.3"],
    ] {
        assert_eq!(folder.run(wrong).code, 2, "{wrong:?}");
    }
}

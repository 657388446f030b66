//! Optimal dyadic trees: one, all of them, and what is refused.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::support::Folder;

/// A folder with one of the bundled tables as `data.csv`.
pub(crate) fn with_table(table: &str) -> Folder {
    let tables = format!("{}/../../testdata/tables", env!("CARGO_MANIFEST_DIR"));
    let content = fs::read(format!("{tables}/{table}")).unwrap();
    Folder::new().file("data.csv", content)
}

fn fit(folder: &Folder, options: &[&str]) -> Value {
    let command = [
        "fit",
        "dyadic",
        "data.csv",
        "--json",
        "-o",
        "model.json",
        "--quiet",
    ];
    folder.json(&[&command[..], options].concat())
}

#[track_caller]
pub(crate) fn verified(folder: &Folder, model: &str) {
    let stdout = folder.done(&["verify", model, "data.csv"]);
    assert!(stdout.ends_with("every claim holds\n"), "{stdout}");
}

/// A table with too many different cells to be searched in no time.
pub(crate) fn noisy_table(n_rows: u64) -> String {
    let mut text = String::from("a,b,c,d,e,f,class\n");
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for _ in 0..n_rows {
        for _ in 0..6 {
            write!(text, "{},", next() % 1000).unwrap();
        }
        writeln!(text, "{}", ["x", "y", "z"][(next() % 3) as usize]).unwrap();
    }
    text
}

#[test]
fn trees_are_proven_and_hold() {
    for table in ["titanic.csv", "rings.csv", "shop.csv"] {
        let folder = with_table(table);
        for options in [
            &[][..],
            &["--model", "boxed"],
            &["--kappa", "5", "--coding", "order"],
            &["--lambda", "1/100", "--coding", "one-vs-rest"],
            &["--lambda", "0.02", "--k", "2", "--snap", "0.01"],
            &["--box", "quantile"],
            &["--box", "quantile", "--model", "boxed", "--k", "2"],
            &["--box=-100:900", "--k", "6"],
        ] {
            let model = fit(&folder, options);
            let certificate = &model["certificate"];
            assert_eq!(certificate["optimal"], true, "{table} {options:?}");
            assert_eq!(certificate["exact"], true);
            assert_eq!(model["learner"]["name"], "dyadic");
            let file: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
            assert_eq!(file, model);
            verified(&folder, "model.json");
            let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
            let errors = |of: &Value| of["errors"].as_f64().unwrap();
            assert_eq!(errors(&score), errors(&model["training"]));
        }
    }
}

#[test]
fn the_summary_says_what_is_proven() {
    let folder = with_table("titanic.csv");
    let run = folder.run(&["fit", "dyadic", "data.csv"]);
    assert_eq!(run.code, 0);
    assert!(
        run.stdout
            .contains("6 leaves, depth 3, training errors 461 of 2201")
    );
    let proven = "\nproven least cost + 2/2201 * leaves over collapsed dyadic trees, k = [2, 1, 1]: \
                  0.214902 (exact)\n";
    assert!(run.stdout.ends_with(proven), "{run:?}");
    assert_eq!(
        run.stderr,
        "classification: target \"survived\" with 2 classes, 3 features, 2201 rows\n"
    );
}

/// The parameters of a tree without what it took to find it.
fn without_search(mut params: Value) -> Value {
    let search = params.as_object_mut().unwrap().remove("search");
    assert!(search.is_some());
    params
}

#[test]
fn parameters_are_remembered() {
    let folder = with_table("titanic.csv");
    let params = |options: &[&str]| fit(&folder, options)["learner"]["params"].clone();
    assert_eq!(
        without_search(params(&[])),
        json!({"model": "collapsed", "k": [2, 1, 1], "points": 14, "coding": "share",
               "missing": "code", "snap": 0.0, "kappa": 2.0})
    );
    let given = params(&["--k", "1,0,1", "--model", "boxed", "--lambda", "1/300"]);
    assert_eq!(given["k"], json!([1, 0, 1]));
    assert_eq!(given["model"], "boxed");
    assert_eq!(given["lambda"], "1/300");
    assert!(given.get("kappa").is_none());
    assert_eq!(params(&["--lambda", "0.01"])["lambda"], 0.01);
    let given = params(&["--class-weight", "yes=3", "--missing", "refuse"]);
    assert_eq!(given["class_weight"], json!({"yes": 3.0}));
    assert_eq!(given["missing"], "refuse");
    verified(&folder, "model.json");
    // One coordinate for each of the 4 + 2 + 2 categories.
    let given = params(&["--coding", "one-vs-rest"]);
    assert_eq!(given["k"].as_array().unwrap().len(), 8);
}

#[test]
fn weights_and_costs() {
    let table = "a,b,w,class\n1,u,0.1,x\n2,v,0.5,y\n3,u,0.25,x\n4,,0.1,y\n,v,2,x\n6,u,0.3,y\n";
    let folder = Folder::new()
        .file("data.csv", table)
        .file("costs.csv", ",x,y\nx,0,1\ny,2.5,0\n");
    // Decimals are scaled to whole numbers, but of weights of rows `exact` is said of whole numbers alone.
    let model = fit(&folder, &["--weight", "w", "--kappa", "0.1"]);
    assert_eq!(model["certificate"]["exact"], false);
    assert_eq!(model["certificate"]["optimal"], true);
    verified(&folder, "model.json");
    let model = fit(&folder, &["--weight", "w", "--costs", "costs.csv"]);
    assert_eq!(model["certificate"]["optimal"], true);
    verified(&folder, "model.json");
    // Weights of classes are scaled apart from those of rows.
    let model = fit(&folder, &["--drop", "w", "--class-weight", "x=0.123456789"]);
    assert_eq!(model["certificate"]["exact"], true);
    assert!(model["certificate"].get("tolerance").is_none());
    verified(&folder, "model.json");
}

#[test]
fn members_are_what_fit_finds_for_their_weights() {
    for (table, options) in [
        ("titanic.csv", &[][..]),
        ("rings.csv", &["--k", "3"]),
        ("shop.csv", &["--model", "boxed"]),
    ] {
        let folder = with_table(table);
        let path = [
            "path",
            "dyadic",
            "data.csv",
            "--json",
            "-o",
            "family.json",
            "--quiet",
        ];
        let family = folder.json(&[&path[..], options].concat());
        assert_eq!(family["certificate"]["exact_down_to"], 0);
        assert!(family.get("nodes").is_none());
        for member in family["members"].as_array().unwrap() {
            assert!(member["nodes"].is_array());
            let low = member["lambda_low"].to_string();
            let model = fit(&folder, &[options, &["--lambda", &low]].concat());
            assert_eq!(model["training"]["leaves"], member["leaves"], "{low}");
            assert_eq!(model["training"]["cost"], member["cost"]);

            let take = ["prune", "family.json", "-o", "taken.json", "--json"];
            let taken = folder.json(&[&take[..], &["--lambda", &low]].concat());
            // The trees themselves may be two of several that are equally good.
            assert_eq!(taken["certificate"], model["certificate"], "{table} {low}");
            let params = without_search(model["learner"]["params"].clone());
            assert_eq!(taken["learner"]["params"], params, "{table} {low}");
            for figure in ["leaves", "cost"] {
                assert_eq!(taken["training"][figure], model["training"][figure]);
            }
            verified(&folder, "taken.json");
            let leaves = member["leaves"].to_string();
            let same = folder.json(&["prune", "family.json", "--leaves", &leaves, "--json"]);
            assert_eq!(same["nodes"], taken["nodes"]);
        }
    }
}

#[test]
fn a_family_as_a_table() {
    let folder = with_table("titanic.csv");
    let stdout = folder.done(&["path", "dyadic", "data.csv"]);
    for part in ["lambda from", "0.002954", "\n4 members with 1 to 6 leaves"] {
        assert!(stdout.contains(part), "{part:?} is not in {stdout}");
    }
    assert!(
        stdout.contains("the best dyadic trees for penalty linear"),
        "{stdout}"
    );
    let stdout = folder.done(&["path", "dyadic", "data.csv", "--method", "heuristic"]);
    assert!(
        stdout.contains(", dyadic trees of a heuristic search for penalty linear")
            && !stdout.contains("stopped"),
        "{stdout}"
    );
    folder.done(&["path", "dyadic", "data.csv", "-o", "family.json"]);
    let stdout = folder.done(&["prune", "family.json", "--lambda", "0.01"]);
    let proven =
        "proven least cost + 0.01 * leaves over collapsed dyadic trees, k = [2, 1, 1]: 0.243989";
    assert!(stdout.contains(proven), "{stdout}");
    assert!(
        stdout.contains("taken out in") && !stdout.contains("pruning"),
        "{stdout}"
    );
    folder.refused(
        &["prune", "family.json", "--select", "1se"],
        "family.json: the family is not cross-validated, so --select cannot choose: make it with \
         `path dyadic DATA --folds 10`\n",
    );
}

#[test]
fn dyadic_trees_can_be_pruned_further() {
    let folder = with_table("shop.csv");
    fit(&folder, &["--kappa", "1"]);
    // Costs of other rows say nothing about the training.
    let half: String = folder
        .read("data.csv")
        .lines()
        .take(60)
        .fold(String::new(), |text, line| text + line + "\n");
    let folder = folder.file("half.csv", half);
    for options in [
        &["--leaves", "5"][..],
        &["--max-cost", "0.3"],
        &["half.csv", "--lambda", "0"],
        &["half.csv", "--lambda", "0.05"],
    ] {
        let prune = ["prune", "model.json", "-o", "small.json", "--json"];
        let small = folder.json(&[&prune[..], options].concat());
        let what = small["certificate"]["what"].as_str().unwrap();
        assert!(what.contains("prunings"), "{what}");
        verified(&folder, "small.json");
    }
    folder.done(&["prune", "model.json", "--family", "-o", "family.json"]);
    let taken = folder.json(&["prune", "family.json", "--lambda", "0.02", "--json"]);
    let what = taken["certificate"]["what"].as_str().unwrap();
    assert!(
        what.contains("over the prunings of a dyadic tree"),
        "{what}"
    );
    assert_eq!(taken["learner"]["params"]["kappa"], 1.0);
}

#[test]
fn a_false_objective_is_found() {
    let folder = with_table("titanic.csv");
    for options in [&["--kappa", "3"][..], &["--lambda", "1/700"]] {
        let mut model = fit(&folder, options);
        let certificate = &mut model["certificate"];
        let objective = certificate["objective"].as_f64().unwrap() * (1.0 + 1e-7);
        certificate["objective"] = objective.into();
        certificate["lower_bound"] = objective.into();
        let folder = with_table("titanic.csv").file("false.json", model.to_string());
        let run = folder.run(&["verify", "false.json", "data.csv"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("certificate: objective is"), "{run:?}");
    }
}

#[test]
fn a_limit_stops_with_an_honest_certificate() {
    let folder = Folder::new().file("data.csv", noisy_table(1500));
    for limit in [["--time-limit", "1ms"], ["--memory-limit", "10KB"]] {
        let options = ["-o", "model.json", "--kappa", "1/100"];
        let command = [&["fit", "dyadic", "data.csv"], &options[..], &limit].concat();
        let run = folder.run(&command);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stderr.contains("stopped early: "), "{run:?}");
        let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
        let number = |name: &str| model["certificate"][name].as_f64().unwrap();
        assert_eq!(model["certificate"]["optimal"], false);
        assert!(number("lower_bound") < number("objective"));
        assert!(number("gap") > 0.0);
        verified(&folder, "model.json");
        let stdout = folder.done(&[&["fit", "dyadic", "data.csv"], &limit[..]].concat());
        assert!(
            stdout.contains("not proven least cost + ") && stdout.contains("a gap of "),
            "{stdout}"
        );

        let command = [
            &["path", "dyadic", "data.csv", "-o", "family.json"],
            &limit[..],
        ];
        let run = folder.run(&command.concat());
        assert_eq!(run.code, 0, "{run:?}");
        let family: Value = serde_json::from_str(&folder.read("family.json")).unwrap();
        let from = family["certificate"]["exact_down_to"].as_f64().unwrap();
        assert!(from > 0.0);
        let said = format!("complete for lambda from {from} on");
        assert!(run.stderr.contains(&said), "{run:?}");
        // Below that weight a member has nothing to prove.
        let take = |lambda: &str| {
            let options = ["--lambda", lambda, "--json", "-o", "taken.json"];
            let taken = folder.json(&[&["prune", "family.json"], &options[..]].concat());
            verified(&folder, "taken.json");
            taken.get("certificate").is_some()
        };
        assert!(!take("0"));
        assert!(take(&from.to_string()));
    }
}

#[test]
fn bad_input() {
    let folder = with_table("shop.csv");
    for command in ["fit", "path"] {
        let refused = |options: &[&str], complaint: &str| {
            let command = [command, "dyadic", "data.csv", "-o", "out.json"];
            folder.refused(&[&command[..], options].concat(), complaint);
        };
        let each = "expected one for each of the 6 features\n";
        refused(&["--k", "1,2"], &format!("k: got 2 numbers, {each}"));
        let long = "1,1,1,1,1,1,1";
        refused(&["--k", long], &format!("k: got 7 numbers, {each}"));
        refused(&["--k", "-1"], "k: got -1, expected at least 0\n");
        refused(&["--k=-1,2"], "k: got -1, expected at least 0\n");
        for snap in ["0.5", "-0.1", "NaN", "inf"] {
            refused(&["--snap", snap], &format!("snap: got {snap}, expected "));
        }
        for text in ["quartile", "1", "2:1", "0:inf", ""] {
            let names = "range, quantile, or LO:HI, two numbers of which the first is less";
            let complaint = format!("box: got {text}, expected {names}\n");
            refused(&["--box", text], &complaint);
        }
        let around = "expected a box around all numbers, and column \"price\" has";
        refused(&["--box", "0:10"], &format!("box: got 0:10, {around}"));
        let options = ["--box", "quantile", "--snap", "0.1"];
        refused(&options, "snap: got 0.1, expected 0 with the box");
        let complaint = "data.csv: column \"department\" has missing cells";
        refused(&["--missing", "refuse"], complaint);
        refused(&["--features", ""], "data.csv: the table has no features");
        let numbers = "data.csv: dyadic trees need classes, but the target \"price\" holds numbers";
        refused(
            &["--target", "price"],
            &format!("{numbers}; --task classification makes each of them a class\n"),
        );
        let options = ["--target", "price", "--task", "regression"];
        refused(&options, &format!("{numbers}\n"));
    }
    let refused = |options: &[&str], complaint: &str| {
        folder.refused(
            &[&["fit", "dyadic", "data.csv"], options].concat(),
            complaint,
        );
    };
    refused(&["--lambda", "-1"], "lambda: got -1, expected ");
    refused(&["--kappa", "-1/2"], "kappa: got -1/2, expected ");
    refused(&["--lambda", "1e400"], "lambda: got 1e400, expected ");
    folder.refused(&["fit", "dyadic", "nowhere.csv"], "nowhere.csv: no such");
}

#[test]
fn balanced_classes_are_exact() {
    let folder = with_table("titanic.csv");
    let balanced = ["--class-weight", "balanced"];
    let path = [
        &["path", "dyadic", "data.csv", "-o", "path.json"],
        &balanced[..],
    ]
    .concat();
    let stdout = folder.done(&path);
    assert!(!stdout.contains("rounding"), "{stdout}");
    let family: Value = serde_json::from_str(&folder.read("path.json")).unwrap();
    assert_eq!(family["members"][0]["cost"], 0.5);
    assert_eq!(family["certificate"]["exact"], true);
    let checked = folder.done(&["verify", "path.json", "data.csv", "--optimality"]);
    assert!(!checked.contains("up to"), "{checked}");
    let model = fit(&folder, &[&balanced[..], &["--leaves", "3"]].concat());
    assert_eq!(model["certificate"]["exact"], true);
    assert_eq!(model["certificate"]["objective"], model["training"]["cost"]);
    verified(&folder, "model.json");
    let checked = folder.done(&["verify", "model.json", "data.csv", "--optimality"]);
    assert!(!checked.contains("up to"), "{checked}");
}

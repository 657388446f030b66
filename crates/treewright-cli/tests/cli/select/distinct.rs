//! `distinct`: all distinct trees over subsets of the features.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::learn::dyadic::with_table;
use crate::support::{Folder, TABLE};

/// A table with so many trees that no search comes to its end.
pub(crate) fn endless_table() -> String {
    const FEATURES: usize = 30;
    let mut text = String::new();
    for feature in 0..FEATURES {
        write!(text, "f{feature},").unwrap();
    }
    text.push_str("class\n");
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for _ in 0..300 {
        for _ in 0..FEATURES {
            write!(text, "{},", next() % 10).unwrap();
        }
        writeln!(text, "{}", ["x", "y"][(next() % 2) as usize]).unwrap();
    }
    text
}

/// A document without its time.
pub(crate) fn without_seconds(mut document: Value) -> Value {
    assert!(document["seconds"].take().is_number(), "{document}");
    let problem = document.as_object_mut().unwrap().remove("problem");
    assert_eq!(problem.unwrap()["learner"]["name"], "greedy");
    document.as_object_mut().unwrap().remove("judged_by");
    document
}

fn distinct(folder: &Folder, options: &[&str]) -> Value {
    let command = ["distinct", "data.csv", "--json", "--quiet"];
    without_seconds(folder.json(&[&command[..], options].concat()))
}

/// The lines of a file of trees.
fn trees(folder: &Folder, name: &str) -> Vec<Value> {
    let text = folder.read(name);
    assert!(text.is_empty() || text.ends_with('\n'));
    let tree = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(tree).collect()
}

#[test]
fn a_bundled_table_in_full() {
    let folder = with_table("titanic.csv");
    let run = folder.run(&["distinct", "data.csv"]);
    assert_eq!(run.code, 0, "{run:?}");
    let about = "classification: target \"survived\" with 2 classes, 3 features, 2201 rows\n";
    assert_eq!(run.stderr, about);
    let (time, other): (Vec<&str>, Vec<&str>) = run
        .stdout
        .lines()
        .map(str::trim_end)
        .partition(|line| line.starts_with("time"));
    assert_eq!(time.len(), 1, "{}", run.stdout);
    let words = |line: &&str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let other: Vec<String> = other.iter().map(words).collect();
    let expected = [
        "features 3",
        "distinct trees 8",
        "trees built 8",
        "built / distinct 1.000",
        "complete yes",
        "",
        "features used trees",
        "0 1",
        "1 3",
        "2 3",
        "3 1",
    ];
    assert_eq!(other, expected);
}

#[test]
fn the_document_has_all_figures() {
    let folder = with_table("titanic.csv");
    let expected = json!({"features": 3, "distinct": 8, "built": 8, "ratio": 1.0,
                          "by_size": [1, 3, 3, 1], "complete": true, "seconds": null});
    assert_eq!(distinct(&folder, &["-o", "out.json"]), expected);
    let file: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(without_seconds(file), expected);
    assert_eq!(folder.done(&["distinct", "data.csv", "-o", "out.json"]), "");
}

#[test]
fn trees_are_those_that_fit_grows() {
    let folder = with_table("shop.csv");
    let counted = distinct(&folder, &["--min-split", "60"]);
    let options = ["--min-split", "60", "--trees", "trees.jsonl"];
    assert_eq!(distinct(&folder, &options), counted);
    assert_eq!(folder.names(), ["data.csv", "trees.jsonl"]);
    let trees = trees(&folder, "trees.jsonl");
    assert_eq!(json!(trees.len()), counted["distinct"]);
    let different: HashSet<String> = trees.iter().map(Value::to_string).collect();
    assert_eq!(different.len(), trees.len());
    let mut by_size = vec![0; 7];
    for tree in &trees {
        let names = tree["features"].as_array().unwrap();
        by_size[names.len()] += 1;
        if names.is_empty() {
            continue;
        }
        let names: Vec<&str> = names.iter().map(|name| name.as_str().unwrap()).collect();
        let names = names.join(",");
        let command = ["fit", "greedy", "data.csv", "--criterion", "entropy"];
        let options = ["--min-split", "60", "--features", &names, "--json"];
        let command = [&command[..], &["--categorical-splits", "multiway"]].concat();
        let model = folder.json(&[&command[..], &options].concat());
        assert_eq!(model["nodes"], tree["nodes"], "{names}");
    }
    assert_eq!(json!(by_size), counted["by_size"]);
}

#[test]
fn orders_threads_and_memory_change_no_tree() {
    let folder = with_table("shop.csv");
    let of = |options: &[&str]| {
        let base = ["--trees", "trees.jsonl", "--min-leaf", "8"];
        let document = distinct(&folder, &[&base[..], options].concat());
        (document, folder.read("trees.jsonl"))
    };
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let (document, lines) = of(&["--threads", "1"]);
    for options in [&["--threads", "2"][..], &["--memory-limit", "60MB"]] {
        assert_eq!(
            of(options),
            (document.clone(), lines.clone()),
            "{options:?}"
        );
    }
    for order in ["reverse", "index"] {
        let (other, other_lines) = of(&["--order", order]);
        assert_eq!(other["by_size"], document["by_size"]);
        assert_eq!(sorted(&other_lines), sorted(&lines), "{order}");
    }
    for threads in ["1", "2"] {
        let counted = distinct(&folder, &["--min-leaf", "8", "--threads", threads]);
        assert_eq!(counted, document);
    }
}

#[test]
fn a_limit_keeps_the_first_trees() {
    let folder = with_table("shop.csv");
    distinct(&folder, &["--trees", "all.jsonl"]);
    let all = folder.read("all.jsonl");
    for threads in ["1", "2"] {
        let options = [
            "--trees",
            "five.jsonl",
            "--limit",
            "5",
            "--threads",
            threads,
        ];
        let document = distinct(&folder, &options);
        assert_eq!(document["distinct"], 5);
        assert_eq!(document["complete"], false);
        let first: Vec<&str> = all.lines().take(5).collect();
        let five = folder.read("five.jsonl");
        assert_eq!(five.lines().collect::<Vec<_>>(), first);
    }
    let document = distinct(&folder, &["--limit", "5"]);
    assert_eq!(document["distinct"], 5);
    let n_trees = all.lines().count();
    let document = distinct(&folder, &["--limit", &n_trees.to_string()]);
    assert_eq!(document["complete"], true);
    let run = folder.run(&["distinct", "data.csv", "--limit", "5"]);
    let more = "stopped at the limit: there are more trees\n";
    assert!(run.stderr.ends_with(more), "{run:?}");
}

#[test]
fn standard_output_is_for_one_of_them() {
    let folder = with_table("titanic.csv");
    distinct(&folder, &["--trees", "trees.jsonl"]);
    let command = ["distinct", "data.csv", "--trees", "-"];
    let run = folder.run(&[&command[..], &["-o", "figures.json"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stdout, folder.read("trees.jsonl"));
    let short = "8 distinct trees over subsets of 3 features, 8 built (1.000 for each), in ";
    assert!(run.stderr.contains(short), "{run:?}");
    let figures: Value = serde_json::from_str(&folder.read("figures.json")).unwrap();
    assert_eq!(figures["distinct"], 8);
    let refused = |options: &[&str], line: &str| {
        folder.refused(&[&command[..], options].concat(), line);
    };
    refused(
        &["--json"],
        "--trees - and --json cannot share standard output",
    );
    refused(
        &["-o", "-"],
        "--trees - and -o - cannot share standard output",
    );
}

#[test]
fn a_time_limit_keeps_what_there_is() {
    let folder = Folder::new().file("data.csv", endless_table());
    for threads in ["1", "2"] {
        let limits = ["--time-limit", "300ms", "--threads", threads];
        let counted = distinct(&folder, &limits);
        assert_eq!(counted["complete"], false);
        let options = ["--trees", "trees.jsonl"];
        let document = distinct(&folder, &[&limits[..], &options].concat());
        assert_eq!(document["complete"], false);
        assert_eq!(
            json!(trees(&folder, "trees.jsonl").len()),
            document["distinct"]
        );
    }
    let nothing = distinct(&folder, &["--time-limit", "0s", "--trees", "trees.jsonl"]);
    assert_eq!(nothing["complete"], false);
    let run = folder.run(&["distinct", "data.csv", "--time-limit", "100ms"]);
    let note = "stopped early: these are the trees so far, perhaps not all\n";
    assert!(run.stderr.ends_with(note), "{run:?}");
}

/// Runs a search that writes trees, and interrupts it when there are some.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_there_is() {
    use std::fs;
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    let folder = Folder::new().file("data.csv", endless_table());
    let child = folder
        .command(&["distinct", "data.csv", "--trees", "trees.jsonl", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let has_trees = |name: &String| {
        let is_temporary = name.starts_with(".treewright-");
        is_temporary && fs::metadata(folder.path(name)).is_ok_and(|file| file.len() > 0)
    };
    while !folder.names().iter().any(has_trees) {
        sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["complete"], false);
    assert_eq!(
        json!(trees(&folder, "trees.jsonl").len()),
        document["distinct"]
    );
    assert_eq!(folder.names(), ["data.csv", "trees.jsonl"]);
}

#[test]
fn small_tables_have_few_trees() {
    let folder = Folder::new()
        .file("one.csv", "a,class\n1,x\n2,y\n")
        .file("constant.csv", "a,b,class\n1,z,x\n1,z,y\n1,z,y\n")
        .file("row.csv", "a,b,class\n1,z,x\n");
    let of = |table: &str| without_seconds(folder.json(&["distinct", table, "--json", "--quiet"]));
    let document = |features: usize, by_size: Value, distinct: u64| {
        json!({"features": features, "distinct": distinct, "built": distinct, "ratio": 1.0,
               "by_size": by_size, "complete": true, "seconds": null})
    };
    assert_eq!(of("one.csv"), document(1, json!([1, 1]), 2));
    assert_eq!(of("constant.csv"), document(2, json!([1, 0, 0]), 1));
    assert_eq!(of("row.csv"), document(2, json!([1, 0, 0]), 1));
}

#[test]
fn growing_options_reading_options_and_costs_count() {
    let folder = with_table("shop.csv")
        .file("costs.csv", ",no,yes\nno,0,1\nyes,5,0\n")
        .file(
            "weighted.csv",
            "a,b,w,class\n1,2,2,x\n2,1,1,y\n3,1,0,x\n2,2,4,x\n",
        );
    let all = distinct(&folder, &[])["distinct"].as_u64().unwrap();
    assert!(distinct(&folder, &["--max-depth", "1"])["distinct"].as_u64() < Some(all));
    assert_eq!(distinct(&folder, &["--max-depth", "0"])["distinct"], 1);
    assert_eq!(distinct(&folder, &["--drop", "price"])["features"], 5);
    for options in [
        &["--criterion", "gini"][..],
        &["--criterion", "gain-ratio", "--missing", "branch"],
        &[
            "--criterion",
            "error",
            "--missing",
            "majority",
            "--zero-gain",
        ],
        &["--categorical-splits", "one-vs-rest", "--min-gain", "0.01"],
        &["--costs", "costs.csv", "--class-weight", "balanced"],
    ] {
        let document = distinct(&folder, options);
        assert_eq!(document["complete"], true, "{options:?}");
    }
    let weighted = ["distinct", "weighted.csv", "--weight", "w", "--trees", "-"];
    let last = folder.done(&weighted);
    let leaf = "{\"features\":[],\"nodes\":[{\"counts\":[6.0,1.0],\"value\":0}]}";
    assert_eq!(last.lines().last(), Some(leaf));
}

#[test]
fn what_cannot_be_enumerated_is_refused() {
    let folder = Folder::new()
        .file("data.csv", TABLE)
        .file("target.csv", "class\nx\ny\n")
        .file("prices.csv", "area,price\n1,10.5\n2,11.5\n3,9.25\n");
    let refused = |options: &[&str], line: &str| {
        folder.refused(&[&["distinct"], options].concat(), line);
    };
    refused(
        &["data.csv", "--limit", "0"],
        "limit: got 0, expected at least 1",
    );
    refused(
        &["data.csv", "--limit", "-3"],
        "limit: got -3, expected at least 1",
    );
    refused(
        &["data.csv", "--min-split", "1"],
        "min-split: got 1, expected at least 2",
    );
    let no_features = "target.csv: the table has no features";
    refused(&["target.csv"], no_features);
    refused(&["target.csv", "--trees", "trees.jsonl"], no_features);
    let numbers = "prices.csv: distinct needs a classification target, but the target \"price\" holds numbers";
    refused(&["prices.csv"], numbers);
    refused(&["prices.csv", "--task", "regression"], numbers);
    refused(&["nothing.csv"], "nothing.csv: no such file");
    refused(&["data.csv", "--target", "prise"], "data.csv: ");
    refused(&["data.csv", "--trees", "."], ".: is a folder");
    refused(
        &["data.csv", "--trees", "data.csv"],
        "data.csv: the command reads this file",
    );
    refused(
        &["data.csv", "--trees", "out.jsonl", "-o", "out.jsonl"],
        "out.jsonl: the command reads this file, or writes it twice",
    );
    refused(
        &["data.csv", "--trees", "no/trees.jsonl"],
        "no/trees.jsonl: there is no such folder",
    );
}

//! Family files that lie, break the format or are given to the wrong command.

use serde_json::{Value, json};

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::with_bundled("titanic.csv");
    folder.done(&[
        "path",
        "greedy",
        "data.csv",
        "--folds",
        "3",
        "-o",
        "family.json",
    ]);
    folder
}

#[test]
fn other_commands_say_that_it_is_a_family() {
    let folder = folder();
    for arguments in [
        &["show", "family.json"][..],
        &["predict", "family.json", "data.csv", "-o", "out.csv"],
        &["score", "family.json", "data.csv"],
        &["export", "family.json", "--to", "rules"],
    ] {
        let beginning = "family.json: not a valid model: format is \"treewright.family\"";
        let line = folder.refused(arguments, beginning);
        for part in [
            "family of trees",
            "treewright prune FAMILY",
            "--lambda",
            "--select",
        ] {
            assert!(line.contains(part), "{part:?} is not in {line}");
        }
    }
}

#[test]
fn verify_says_what_checks_a_family() {
    let folder = folder();
    folder.refused(
        &["verify", "family.json", "data.csv"],
        "family.json: a family of trees, expected a model (verify --optimality checks families)\n",
    );
    folder.done(&["verify", "family.json", "data.csv", "--optimality"]);
}

#[test]
fn broken_families_are_refused() {
    let folder = folder();
    let good = folder.read("family.json");
    let mut texts = vec![
        good[..good.len() / 2].to_owned(),
        format!("{good}{good}"),
        good.replace("treewright.family", "treewright.forest"),
        good.replacen("\"leaves\"", "\"leafs\"", 1),
        "[".repeat(100_000),
    ];
    let changes = [
        ("/version", json!(2)),
        ("/members", json!([])),
        ("/members", json!({})),
        ("/members/1/leaves", json!(3)),
        ("/members/1/leaves", json!(4_000_000_000_000_u64)),
        ("/members/1/cost", json!(0.9)),
        ("/members/1/cost", json!(-0.1)),
        ("/members/1/errors", json!("many")),
        ("/members/1/lambda_low", json!(5)),
        ("/members/1/lambda_high", json!(null)),
        ("/members/3/lambda_low", json!(0.001)),
        ("/nodes/0/collapse_at", json!(0.5)),
        ("/nodes/0/children", json!([0, 1])),
        ("/nodes/0/counts", json!([1e308, 1e308, 1e308])),
        ("/nodes", json!([])),
        ("/chosen/min", json!(4_000_000_000_u64)),
        ("/chosen/1se", json!(-1)),
        ("/penalty", json!("power:-1")),
        ("/penalty", json!("table")),
        ("/certificate/exact", json!("yes")),
        ("/certificate/tolerance", json!(-1)),
        ("/search/seconds", json!(-1)),
    ];
    for (pointer, value) in changes {
        let mut family: Value = serde_json::from_str(&good).unwrap();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match family.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        texts.push(family.to_string());
    }
    for text in texts {
        let folder = Folder::new().file("family.json", text);
        folder.refused(
            &["prune", "family.json", "--leaves", "3", "-o", "out.json"],
            "family.json: not a valid model: ",
        );
    }
}

//! Proof files: what is in them, and where they are written.

use serde_json::{Value, json};

use crate::support::Folder;

/// The parity of `x`, which three questions find out, for `y` below 4.
fn table() -> String {
    let row = |i: u32| {
        let (x, y) = (i % 8, i / 8);
        let class = if y < 4 && x % 2 == 1 { "b" } else { "a" };
        format!("{x},{y},{class}\n")
    };
    let rows: String = (0..48).map(row).collect();
    format!("x,y,class\n{rows}")
}

fn lines(folder: &Folder, name: &str) -> Vec<Value> {
    let text = folder.read(name);
    assert!(text.ends_with('\n'));
    let line = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(line).collect()
}

const OPTIMAL: [&str; 8] = [
    "fit",
    "optimal",
    "data.csv",
    "--quiet",
    "-o",
    "model.json",
    "--proof",
    "proof.jsonl",
];

#[test]
fn three_levels_have_a_claim() {
    let folder = Folder::new().file("data.csv", table());
    folder.done(&[&OPTIMAL[..], &["--depth", "3", "--intervals", "2"]].concat());
    let lines = lines(&folder, "proof.jsonl");
    let (head, claim) = (&lines[0], &lines[1]);
    assert_eq!(lines.len(), 2);
    assert_eq!(head["format"], "treewright.proof");
    assert_eq!(head["version"], 1);
    assert_eq!(head["kind"], "optimal");
    assert_eq!(head["depth"], 3);
    assert_eq!(head["complete"], true);
    // The value counts errors first, then leaves.
    let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let training = &model["training"];
    let figure = |value: &Value| value.as_f64().unwrap() as u64;
    let value = figure(&head["per_loss"]) * figure(&training["errors"])
        + figure(&head["per_leaf"]) * figure(&training["leaves"]);
    assert_eq!(figure(&head["value"]), value);
    assert_eq!(claim["rows"], json!([]));
    assert_eq!(claim["at_least"], head["value"]);
    let features = claim["features"].as_array().unwrap();
    assert_eq!(features.len(), 2);
    for (feature, last) in features.iter().zip([7.0, 5.0]) {
        let ranges = feature["ranges"].as_array().unwrap();
        assert_eq!(ranges[0]["first"], 1.0);
        assert_eq!(ranges[ranges.len() - 1]["last"], last);
    }
}

#[test]
fn four_levels_have_claims_of_three() {
    let folder = Folder::new().file("data.csv", table());
    folder.done(&[&OPTIMAL[..], &["--depth", "4", "--intervals", "2"]].concat());
    let lines = lines(&folder, "proof.jsonl");
    assert_eq!(lines[0]["complete"], true);
    assert_eq!(lines[1]["depth"], 4);
    assert!(lines.len() > 3);
    for claim in &lines[2..] {
        assert_eq!(claim["depth"], 3);
        assert_eq!(claim["rows"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn two_levels_and_dyadic_trees_need_no_claims() {
    let folder = Folder::new().file("data.csv", table());
    folder.done(&OPTIMAL);
    let head = &lines(&folder, "proof.jsonl")[..];
    assert_eq!(head.len(), 1);
    assert_eq!(head[0]["complete"], true);
    for command in ["fit", "path"] {
        folder.done(&[command, "dyadic", "data.csv", "--proof", "proof.jsonl"]);
        let head = json!({"format": "treewright.proof", "version": 1, "kind": "dyadic"});
        assert_eq!(lines(&folder, "proof.jsonl"), [head]);
    }
}

#[test]
fn prunings_come_with_the_tree_before() {
    let folder = Folder::with_bundled("titanic.csv");
    let mut grown: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let head = json!({"format": "treewright.proof", "version": 1, "kind": "grown"});
    for command in [
        "fit greedy data.csv --leaves 3 --proof proof.jsonl",
        "fit greedy data.csv --select 1se --folds 3 --proof proof.jsonl",
        "path greedy data.csv --penalty sqrt --proof proof.jsonl",
        "prune model.json --leaves 3 --proof proof.jsonl",
        "prune model.json --family --proof proof.jsonl",
    ] {
        folder.done(&command.split(' ').collect::<Vec<&str>>());
        let mut lines = lines(&folder, "proof.jsonl");
        assert_eq!(lines.len(), 2, "{command}");
        assert_eq!(lines[0], head, "{command}");
        for model in [&mut lines[1], &mut grown] {
            model["training"]["seconds"] = Value::Null;
        }
        assert_eq!(lines[1], grown, "{command}");
    }
}

#[test]
fn a_proof_has_a_file_of_its_own() {
    let folder = Folder::new().file("data.csv", table());
    for (proof, complaint) in [
        (
            "model.json",
            "treewright: model.json: the command reads this file, or writes it twice: write to another one\n",
        ),
        (
            "data.csv",
            "treewright: data.csv: the command reads this file, and would replace it: write to another one\n",
        ),
        ("-", "treewright: proof: got -, expected a file\n"),
        (
            "none/proof.jsonl",
            "treewright: none/proof.jsonl: there is no such folder\n",
        ),
    ] {
        let command = ["fit", "optimal", "data.csv", "-o", "model.json", "--proof"];
        let run = folder.run(&[&command[..], &[proof]].concat());
        assert_eq!((run.code, &*run.stderr), (1, complaint));
    }
    // What is not pruned claims nothing.
    let run = folder.run(&["fit", "greedy", "data.csv", "--proof", "proof.jsonl"]);
    assert_eq!(run.code, 2);
    folder.done(&["path", "greedy", "data.csv", "-o", "family.json"]);
    let command = [
        "prune",
        "family.json",
        "--leaves",
        "2",
        "--proof",
        "proof.jsonl",
    ];
    let run = folder.run(&command);
    assert_eq!(run.code, 1);
    let complaint = "treewright: family.json: --proof is for the prunings of a model file; the proof of a \
                     family comes from `path --proof`\n";
    assert_eq!(run.stderr, complaint);
    assert_eq!(folder.names(), ["data.csv", "family.json"]);
}

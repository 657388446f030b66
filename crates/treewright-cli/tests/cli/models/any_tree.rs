//! Anybody's tree, given by children and costs, and the least cost for every number of leaves.

use serde_json::{Value, json};

use crate::support::Folder;

const TREE: &str = r#"{"format": "treewright.costs", "version": 1,
 "children": [[1, 2], [3, 4], [5, 6, 7], [], [], [], [], []],
 "cost": [10, 4, 3.5, 1, 1.5, 0.5, 0.25, 0.75]}"#;

fn folder() -> Folder {
    Folder::new().file("tree.json", TREE)
}

#[test]
fn a_pruning_of_a_tree_of_costs() {
    let folder = folder();
    let prune = |options: &[&str]| -> Value {
        folder.json(&[&["prune", "tree.json", "--json"], options].concat())
    };
    let three = json!({"kept": [0, 1, 2, 3, 4], "leaves": 3, "cost": 6.0, "exact": true});
    for options in [
        ["--lambda", "1"],
        ["--leaves", "3"],
        ["--max-cost", "6"],
        ["--max-cost", "7.4"],
    ] {
        assert_eq!(prune(&options), three, "{options:?}");
    }
    // At 1.5 the second split is worth what it costs, and the smaller tree wins.
    assert_eq!(prune(&["--lambda", "3/2"])["kept"], json!([0, 1, 2]));
    assert_eq!(prune(&["--lambda", "1.499999"]), three);
    assert_eq!(
        prune(&["--penalty", "log", "--lambda", "4"])["kept"],
        json!([0])
    );
    let text = folder.done(&["prune", "tree.json", "--lambda", "1"]);
    assert_eq!(text, "kept nodes: 0 1 2 3 4\n3 leaves of 5, cost 6\n");
    let written = ["prune", "tree.json", "--lambda", "1", "-o", "kept.json"];
    assert_eq!(folder.done(&written), "");
}

#[test]
fn a_family_of_a_tree_of_costs() {
    let folder = folder();
    let family = folder.json(&["prune", "tree.json", "--family", "--json"]);
    let members = family["members"].as_array().unwrap();
    let figures: Vec<Value> = members
        .iter()
        .map(|it| {
            json!([
                it["leaves"],
                it["cost"],
                it["lambda_low"],
                it["lambda_high"]
            ])
        })
        .collect();
    let expected = json!([
        [1, 10.0, 2.5, null],
        [2, 7.5, 1.5, 2.5],
        [3, 6.0, 1.0, 1.5],
        [5, 4.0, 0.0, 1.0]
    ]);
    assert_eq!(Value::from(figures), expected);
    assert_eq!(
        (&family["penalty"], &family["exact"]),
        (&json!("linear"), &json!(true))
    );
    for member in members {
        let low = member["lambda_low"].to_string();
        let taken = folder.json(&["prune", "tree.json", "--lambda", &low, "--json"]);
        assert_eq!(taken["kept"], member["kept"]);
    }
    let text = folder.done(&["prune", "tree.json", "--family"]);
    assert!(
        text.ends_with("\n\n4 members for penalty linear\n"),
        "{text}"
    );
}

#[test]
fn the_least_cost_of_all_sizes() {
    let folder = folder();
    let sizes = folder.json(&["prune", "tree.json", "--all-sizes", "--json"]);
    let figures: Vec<Value> = sizes["sizes"].as_array().unwrap().clone();
    let cost = |leaves: usize, cost: f64| json!({"leaves": leaves, "cost": cost});
    let expected = [(1, 10.0), (2, 7.5), (3, 6.0), (4, 5.5), (5, 4.0)];
    assert_eq!(figures, expected.map(|(leaves, it)| cost(leaves, it)));

    // Of a learned tree: what each size costs alone.
    let folder = Folder::with_bundled("titanic.csv");
    for data in [&[][..], &["data.csv"]] {
        let command = [&["prune", "model.json", "--all-sizes", "--json"], data].concat();
        let sizes = folder.json(&command);
        assert_eq!(sizes["exact"], true);
        let sizes = sizes["sizes"].as_array().unwrap().clone();
        assert_eq!(sizes.len(), 13);
        for size in &sizes {
            let most = size["leaves"].to_string();
            let alone = folder.json(&["prune", "model.json", "--leaves", &most, "--json"]);
            // Fewer leaves may cost less.
            let fewer = sizes
                .iter()
                .filter(|it| it["leaves"].as_u64() <= size["leaves"].as_u64());
            let least = fewer.map(|it| it["cost"].as_f64().unwrap());
            let least = least.fold(f64::INFINITY, f64::min);
            assert_eq!(alone["training"]["cost"].as_f64(), Some(least));
        }
    }
    let text = folder.done(&["prune", "model.json", "--all-sizes"]);
    assert!(
        text.starts_with("leaves  least cost\n1         0.323035\n"),
        "{text}"
    );
}

#[test]
fn what_is_refused() {
    let tree = |format: &str, version: &str, children: &str, cost: &str| {
        format!(
            r#"{{"format": "{format}", "version": {version}, "children": {children}, "cost": {cost}}}"#
        )
    };
    let costs = |children: &str, cost: &str| tree("treewright.costs", "1", children, cost);
    for (text, expected) in [
        (
            tree("treewright.cost", "1", "[[]]", "[1]"),
            "expected \"treewright.costs\"",
        ),
        (
            tree("treewright.costs", "2", "[[]]", "[1]"),
            "version is 2, this program reads 1",
        ),
        (costs("[]", "[]"), "there are no nodes"),
        (
            costs("[[1], [2], [1]]", "[1, 1, 1]"),
            "that is a child of node 0 already",
        ),
        (
            costs("[[1], [], [3], [2]]", "[1, 1, 1, 1]"),
            "node 2 is below itself",
        ),
        (costs("[[1, 9], []]", "[1, 1]"), "node 0 has child 9"),
        (costs("[[1, 2], [], []]", "[1, 1]"), "cost: 2 for 3 nodes"),
        (costs("[[]]", "[-0.5]"), "cost: node 0 has -0.5"),
        (costs("[[]]", "[1e999]"), "number out of range at line 1"),
        (costs("[[]]", "[null]"), "invalid type: null"),
    ] {
        let folder = Folder::new().file("tree.json", &text);
        let run = folder.run(&["prune", "tree.json", "--lambda", "1"]);
        assert_eq!(
            (run.code, run.stderr.lines().count()),
            (1, 1),
            "{text}: {run:?}"
        );
        assert!(run.stderr.starts_with("treewright: tree.json: "), "{run:?}");
        assert!(
            run.stderr.contains(expected),
            "{run:?}, expected {expected}"
        );
    }
    for options in [
        &["--lambda", "1", "data.csv"][..],
        &["--lambda", "1", "--cost", "error"],
        &["--lambda", "1", "--proof", "proof.jsonl"],
        &["--select", "1se"],
        &["--leaves", "0"],
        &["--max-cost", "3.9"],
    ] {
        let run = folder().run(&[&["prune", "tree.json"], options].concat());
        assert_eq!(
            (run.code, run.stderr.lines().count()),
            (1, 1),
            "{options:?}: {run:?}"
        );
    }
}

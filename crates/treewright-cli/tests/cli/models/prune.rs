//! Pruning models, and taking trees out of families.

use serde_json::{Value, json};

use crate::support::Folder;

const PENALTIES: [&str; 5] = ["linear", "sqrt", "log", "power:0.3", "power:1.5"];

fn members(family: &Value) -> &Vec<Value> {
    family["members"].as_array().unwrap()
}

/// A number as it stands in a file.
fn text(number: &Value) -> String {
    assert!(number.is_number());
    number.to_string()
}

#[test]
fn a_number_of_leaves_a_weight_or_a_cost() {
    let folder = Folder::with_bundled("titanic.csv");
    let prune = |options: &[&str]| {
        let model = folder.json(&[&["prune", "model.json", "--json"], options].concat());
        assert_eq!(model["format"], "treewright.tree");
        assert_eq!(model["certificate"]["optimal"], true);
        assert_eq!(model["certificate"]["exact"], true);
        assert_eq!(model["learner"]["name"], "greedy");
        assert_eq!(model["learner"]["params"]["criterion"], "gini");
        model
    };
    let model = prune(&["--leaves", "5"]);
    assert_eq!(model["training"]["leaves"], 5);
    assert_eq!(model["training"]["errors"], 461);
    assert_eq!(model["training"]["rows"], 2201);
    assert_eq!(model["training"]["cost"], 461.0 / 2201.0);
    assert_eq!(model["certificate"]["objective"], 461.0 / 2201.0);
    assert_eq!(
        model["learner"]["params"]["pruned"],
        json!({"penalty": "linear", "cost": "error", "method": "table", "from_leaves": 13, "leaves": 5})
    );
    // Between the sizes of prunings the smaller one is taken.
    assert_eq!(prune(&["--leaves", "4"])["training"]["leaves"], 3);

    let model = prune(&["--lambda", "0.01"]);
    assert_eq!(model["training"]["leaves"], 2);
    assert_eq!(model["learner"]["params"]["pruned"]["lambda"], 0.01);
    assert_eq!(model["learner"]["params"]["pruned"]["method"], "additive");
    let what = model["certificate"]["what"].as_str().unwrap();
    assert!(
        what.starts_with("error + 0.01 * leaves over the prunings"),
        "{what}"
    );
    assert!(what.ends_with("tree with 13 leaves"), "{what}");
    assert_eq!(prune(&["--lambda", "1/100"])["nodes"], model["nodes"]);
    let thirds = prune(&["--lambda", "1/300"]);
    assert_eq!(thirds["learner"]["params"]["pruned"]["lambda"], "1/300");

    let model = prune(&["--max-cost", "0.22"]);
    assert_eq!(model["training"]["leaves"], 3);
    assert_eq!(model["certificate"]["objective"], 3.0);
    assert_eq!(prune(&["--max-cost", "477/2201"])["training"]["leaves"], 3);
    assert_eq!(prune(&["--lambda", "0"])["training"]["leaves"], 5);
}

#[test]
fn every_pruning_verifies() {
    for table in ["titanic.csv", "shop.csv", "prices.csv"] {
        let folder = Folder::with_bundled(table);
        let verified = |options: &[&str]| {
            let arguments = [&["prune", "model.json", "-o", "small.json"], options].concat();
            assert_eq!(folder.done(&arguments), "");
            let stdout = folder.done(&["verify", "small.json", "data.csv"]);
            assert!(stdout.ends_with("every claim holds\n"), "{stdout}");
            folder.done(&["predict", "small.json", "data.csv"]);
        };
        for penalty in PENALTIES {
            verified(&["--penalty", penalty, "--lambda", "0.01"]);
            verified(&[
                "--penalty",
                penalty,
                "--lambda",
                "0.01",
                "--cost",
                "impurity",
            ]);
            verified(&["--penalty", penalty, "--lambda", "0.01", "data.csv"]);
        }
        verified(&["--leaves", "7"]);
        verified(&["--max-cost", "1e6"]);
    }
}

#[test]
fn a_lie_about_a_pruning_is_found() {
    let folder = Folder::with_bundled("titanic.csv");
    let mut model = folder.json(&["prune", "model.json", "--lambda", "0.01", "--json"]);
    for field in ["objective", "lower_bound"] {
        model["certificate"][field] = json!(0.2);
    }
    let folder = folder.file("lie.json", model.to_string());
    let run = folder.run(&["verify", "lie.json", "data.csv"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("certificate: objective is 0.2, found 0.24"),
        "{run:?}"
    );
}

#[test]
fn methods_agree() {
    let folder = Folder::with_bundled("rings.csv");
    for (penalty, methods) in [
        ("linear", &["auto", "additive", "family", "table"][..]),
        ("sqrt", &["auto", "family", "table"]),
        ("power:2", &["auto", "table"]),
    ] {
        let prune = |method: &str| {
            let options = [
                "--penalty",
                penalty,
                "--lambda",
                "1/500",
                "--method",
                method,
            ];
            folder.json(&[&["prune", "model.json", "--json"], &options[..]].concat())
        };
        let first = prune(methods[0]);
        for method in methods {
            let model = prune(method);
            assert_eq!(
                model["certificate"]["objective"],
                first["certificate"]["objective"]
            );
            assert_eq!(model["training"]["leaves"], first["training"]["leaves"]);
        }
    }
    folder.refused(
        &[
            "prune",
            "model.json",
            "--lambda",
            "1",
            "--penalty",
            "log",
            "--method",
            "additive",
        ],
        "method: got additive with penalty log, expected auto, family or table\n",
    );
}

#[test]
fn the_family_has_the_fields_of_the_contract() {
    let folder = Folder::with_bundled("titanic.csv");
    let family = folder.json(&["prune", "model.json", "--family", "--json"]);
    let keys: Vec<&String> = family.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "format",
            "version",
            "task",
            "learner",
            "features",
            "target",
            "reading",
            "penalty",
            "training",
            "members",
            "search",
            "certificate",
            "nodes"
        ]
    );
    assert_eq!(family["format"], "treewright.family");
    assert_eq!(family["penalty"], "linear");
    assert_eq!(
        family["certificate"],
        json!({"exact": true, "exact_down_to": 0})
    );
    assert_eq!(family["training"]["leaves"], 13);
    let leaves: Vec<&Value> = members(&family)
        .iter()
        .map(|member| &member["leaves"])
        .collect();
    assert_eq!(leaves, [1, 2, 3, 5]);
    let first = &members(&family)[0];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["leaves", "cost", "errors", "lambda_low", "lambda_high"]
    );
    assert_eq!(first["lambda_high"], Value::Null);
    assert_eq!(first["errors"], 711);
    assert_eq!(members(&family)[3]["lambda_low"], 0.0);
    let words = folder.done(&["prune", "model.json", "--family"]);
    assert!(
        words.contains("lambda from") && words.contains("4 members"),
        "{words}"
    );
}

#[test]
fn a_printed_threshold_chooses_its_member() {
    for table in ["titanic.csv", "shop.csv", "prices.csv"] {
        let folder = Folder::with_bundled(table);
        for penalty in PENALTIES {
            let options = ["--penalty", penalty];
            let arguments = [
                "prune",
                "model.json",
                "--family",
                "--json",
                "-o",
                "family.json",
            ];
            let family = folder.json(&[&arguments[..], &options].concat());
            let all = members(&family);
            for member in all.iter().step_by(all.len().div_ceil(5)) {
                let low = text(&member["lambda_low"]);
                let prune = |file, options: &[&str]| {
                    let arguments = ["prune", file, "--lambda", &low, "--json"];
                    folder.json(&[&arguments[..], options].concat())
                };
                let from_model = prune("model.json", &options);
                let from_family = prune("family.json", &[]);
                assert_eq!(from_model["training"]["leaves"], member["leaves"]);
                assert_eq!(
                    from_family["nodes"], from_model["nodes"],
                    "{table} {penalty} {low}"
                );
                assert_eq!(
                    from_family["training"]["cost"],
                    from_model["training"]["cost"]
                );
                let objective = |model: &Value| model["certificate"]["objective"].as_f64().unwrap();
                let difference = objective(&from_family) - objective(&from_model);
                assert!(difference.abs() <= 1e-12 * objective(&from_model));
            }
        }
    }
}

#[test]
fn a_printed_cost_is_enough_for_its_member() {
    let folder = Folder::with_bundled("titanic.csv");
    let table = folder.done(&["prune", "model.json", "--family"]);
    for line in table.lines().skip(1).take(4) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let (leaves, cost) = (cells[0], cells[cells.len() - 1]);
        let model = folder.json(&["prune", "model.json", "--max-cost", cost, "--json"]);
        assert_eq!(model["training"]["leaves"].to_string(), leaves, "{table}");
    }
}

#[test]
fn nested_families_say_when_a_node_collapses() {
    let folder = Folder::with_bundled("shop.csv");
    for penalty in ["linear", "log"] {
        let family = folder.json(&[
            "prune",
            "model.json",
            "--family",
            "--json",
            "--penalty",
            penalty,
            "-o",
            "family.json",
        ]);
        let nodes = family["nodes"].as_array().unwrap();
        let all = members(&family);
        for node in nodes.iter().filter(|node| node.get("split").is_some()) {
            let at = &node["collapse_at"];
            assert!(all.iter().any(|member| member["lambda_low"] == *at), "{at}");
        }
        for member in all.iter().step_by(all.len().div_ceil(6)) {
            let low = member["lambda_low"].as_f64().unwrap();
            assert_eq!(leaves_at(nodes, 0, low), member["leaves"].as_u64().unwrap());
        }
    }
    let family = folder.json(&[
        "prune",
        "model.json",
        "--family",
        "--json",
        "--penalty",
        "power:2",
    ]);
    assert!(family.get("nodes").is_none());
    assert!(
        members(&family)
            .iter()
            .all(|member| member["nodes"].is_array())
    );
}

/// Leaves below a node, for a weight of the penalty.
fn leaves_at(nodes: &[Value], place: usize, lambda: f64) -> u64 {
    let Some(at) = nodes[place].get("collapse_at") else {
        return 1;
    };
    if at.as_f64().unwrap() <= lambda {
        return 1;
    }
    let children = nodes[place]["children"].as_array().unwrap().iter();
    children
        .map(|child| leaves_at(nodes, child.as_u64().unwrap() as usize, lambda))
        .sum()
}

#[test]
fn costs_from_other_rows() {
    let folder = Folder::with_bundled("titanic.csv");
    let head: String =
        folder
            .read("data.csv")
            .lines()
            .take(401)
            .fold(String::new(), |mut all, line| {
                all.push_str(line);
                all.push('\n');
                all
            });
    let folder = folder.file("valid.csv", head);
    let model = folder.json(&[
        "prune",
        "model.json",
        "valid.csv",
        "--lambda",
        "0.001",
        "--json",
    ]);
    let from = json!({"rows": 400, "weight": 400.0});
    assert_eq!(model["learner"]["params"]["pruned"]["costs_from"], from);
    let what = model["certificate"]["what"].as_str().unwrap();
    assert!(what.contains("on 400 other rows"), "{what}");
    assert_eq!(model["training"]["rows"], 2201);
    let family = folder.json(&[
        "prune",
        "model.json",
        "valid.csv",
        "--family",
        "--json",
        "-o",
        "family.json",
    ]);
    assert_eq!(family["costs_from"], from);
    let last = members(&family).last().unwrap();
    assert_eq!(
        last["cost"].as_f64().unwrap(),
        last["errors"].as_f64().unwrap() / 400.0
    );
    // Counts stay those of the training.
    assert_eq!(family["nodes"][0]["counts"], json!([1490.0, 711.0]));
    let taken = folder.json(&["prune", "family.json", "--lambda", "0.001", "--json"]);
    assert_eq!(taken["nodes"], model["nodes"]);
    assert_eq!(taken["learner"]["params"]["pruned"]["costs_from"], from);
    folder.refused(
        &[
            "prune",
            "model.json",
            "valid.csv",
            "--lambda",
            "1",
            "--cost",
            "impurity",
        ],
        "--cost impurity is that of the training rows: leave DATA out, or use --cost error\n",
    );
}

#[test]
fn the_summary_says_what_is_proven() {
    let folder = Folder::with_bundled("titanic.csv");
    let stdout = folder.done(&["prune", "model.json", "--leaves", "2"]);
    for part in [
        "sex = female -> yes",
        "2 leaves, depth 1, training errors 493 of 2201, training cost 0.223989, pruned in ",
        "proven least error over the prunings with at most 2 leaves",
    ] {
        assert!(stdout.contains(part), "{part:?} is not in {stdout}");
    }
    for (options, part) in [
        (["--leaves", "1"], "with at most 1 leaf of a greedy tree"),
        (
            ["--max-cost", "0.22"],
            "of a greedy tree with 13 leaves: 3 (exact)\n",
        ),
        (["--lambda", "1e300"], "error + 1e300 * leaves over"),
    ] {
        let stdout = folder.done(&[&["prune", "model.json"], &options[..]].concat());
        assert!(stdout.contains(part), "{part:?} is not in {stdout}");
    }
    let run = folder.run(&["prune", "model.json", "--leaves", "2", "-o", "small.json"]);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("2 leaves, depth 1, "), "{run:?}");
    // A pruned tree can be pruned further.
    let again = folder.json(&["prune", "small.json", "--leaves", "1", "--json"]);
    assert_eq!(again["learner"]["params"]["pruned"]["from_leaves"], 2);
}

#[test]
fn impurities_are_those_of_the_criterion() {
    let folder = Folder::with_bundled("rings.csv");
    folder.done(&[
        "fit",
        "greedy",
        "data.csv",
        "--criterion",
        "entropy",
        "-o",
        "bits.json",
    ]);
    let impurity = |model: &str| {
        let family = folder.json(&["prune", model, "--family", "--cost", "impurity", "--json"]);
        assert_eq!(family["certificate"]["exact"], false);
        assert!(family["certificate"]["tolerance"].is_number());
        assert_eq!(family["learner"]["params"]["cost"], "impurity");
        members(&family)[0]["cost"].as_f64().unwrap()
    };
    assert!(impurity("model.json") < 1.0);
    assert!(impurity("bits.json") > 1.0);
}

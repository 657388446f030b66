//! Model files that lie, break the format or try to break the program.

use serde_json::{Value, json};

use crate::support::{Folder, MODEL};

#[track_caller]
fn refused(model: impl AsRef<[u8]>) {
    let folder = Folder::with_model().file("model.json", model);
    let beginning = "model.json: not a valid model: ";
    folder.refused(&["show", "model.json"], beginning);
    folder.refused(
        &["predict", "model.json", "data.csv", "-o", "out.csv"],
        beginning,
    );
}

/// The usual model with one value changed or added.
#[track_caller]
fn refused_with(pointer: &str, value: Value) {
    let mut model: Value = serde_json::from_str(MODEL).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match model.pointer_mut(parent).unwrap() {
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        object => object[key] = value,
    }
    refused(model.to_string());
}

#[test]
fn not_a_model_at_all() {
    refused("");
    refused("age,class\n1,x\n");
    refused("[]");
    refused("null");
    refused("{}");
    refused("[".repeat(100_000));
    refused("{\"format\":".repeat(100_000));
    refused(&MODEL[..MODEL.len() / 2]);
    refused(format!("{MODEL}{MODEL}"));
}

#[test]
fn another_format_or_version() {
    refused_with("/format", json!("treewright.family"));
    refused_with("/format", json!(1));
    refused_with("/version", json!(2));
    refused_with("/version", json!("1"));
    refused_with("/surprise", json!(true));
    refused_with("/nodes/1/surprise", json!(true));
}

#[test]
fn broken_structure() {
    refused_with("/nodes", json!([]));
    refused_with("/nodes/0/children", json!([0, 2]));
    refused_with("/nodes/0/children", json!([1, 1]));
    refused_with("/nodes/0/children", json!([1, 3]));
    refused_with("/nodes/0/children", json!([1, 4_000_000_000_000_000_u64]));
    refused_with("/nodes/0/children", json!([1]));
    refused_with("/nodes/0/children", json!([]));
    refused_with("/nodes/0/children", json!([1, -1]));
    refused_with("/nodes/0/missing", json!(2));
    refused_with("/nodes/0/missing", json!("somewhere"));
    refused_with("/nodes/0/missing", json!(null));
    refused_with("/nodes/0/split/feature", json!(2));
    refused_with("/nodes/0/split/feature", json!(1));
    refused_with("/nodes/0/split/cuts", json!([30.0, 30.0]));
    refused_with("/nodes/0/split/cuts", json!([31.0, 30.0]));
    refused_with("/nodes/0/split/cuts", json!([]));
    refused_with("/nodes/0/split/closed", json!("both"));
}

#[test]
fn numbers_out_of_range() {
    refused_with("/nodes/1/value", json!(2));
    refused_with("/nodes/1/value", json!(-1));
    refused_with("/nodes/1/value", json!(0.5));
    refused_with("/nodes/1/counts", json!([1.0]));
    refused_with("/nodes/1/counts", json!([1.0, -1.0]));
    refused(MODEL.replace("[3.0, 0.0]", "[3.0, 1e999]"));
    refused(MODEL.replace("[3.0, 0.0]", "[3.0, NaN]"));
    refused_with("/training/rows", json!(-1));
    refused_with("/training/cost", json!(-0.5));
}

#[test]
fn names_that_cannot_be() {
    refused_with("/features/1/name", json!("age"));
    refused_with("/features/1/name", json!("class"));
    refused_with("/features/1/name", json!(""));
    refused_with("/features/1/categories", json!(["f", "f"]));
    refused_with("/features/0/categories", json!(["f"]));
    refused_with("/target/classes", json!([]));
    refused_with("/target/classes", json!(["no", "no"]));
    refused_with("/target/costs", json!([[0.0, 1.0]]));
    refused_with("/target/costs", json!([[0.0, 1.0], [-1.0, 0.0]]));
    refused_with("/task", json!("regression"));
}

#[test]
fn a_certificate_that_contradicts_itself() {
    let certificate = |objective: f64, lower_bound: f64, gap: f64, optimal: bool| {
        json!({"objective": objective, "lower_bound": lower_bound, "gap": gap,
               "optimal": optimal, "exact": true, "what": "everything"})
    };
    refused_with("/certificate", certificate(0.5, 0.25, 0.5, true));
    refused_with("/certificate", certificate(0.5, 0.75, -0.5, false));
    refused_with("/certificate", certificate(0.5, 0.25, 0.0, false));
}

#[test]
fn nodes_heavier_than_the_root() {
    let folder = Folder::with_bundled("shop.csv");
    let mut model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let node = model["nodes"].as_array_mut().unwrap().last_mut().unwrap();
    node["counts"] = json!([1e12, 0.5]);
    node["value"] = json!(1);
    let folder = folder.file("heavy.json", model.to_string());
    for penalty in ["linear", "power:1.5"] {
        for cost in ["error", "impurity"] {
            let options = ["--penalty", penalty, "--cost", cost, "-o", "out.json"];
            folder.done(&[&["prune", "heavy.json", "--family"], &options[..]].concat());
            let family: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
            let root = &family["members"][0];
            assert!(root["errors"].as_f64().unwrap() < 1e6, "{root}");
        }
    }
    // Errors that are no costs, because impurities are 0.
    let leaves = model["nodes"].as_array_mut().unwrap().iter_mut();
    for leaf in leaves.filter(|node| node.get("split").is_none()) {
        leaf["counts"] = json!([1e308, 0.0]);
        leaf["value"] = json!(1);
    }
    let folder = folder.file("heavy.json", model.to_string());
    let arguments = ["prune", "heavy.json", "--family", "--cost", "impurity"];
    folder.refused(
        &arguments,
        "heavy.json: not a valid model: the counts of its nodes",
    );
}

#[test]
fn a_long_chain_of_nodes_is_no_danger() {
    // A tree as deep as it has inner nodes: each asks for the next number.
    const DEPTH: usize = 20_000;
    let mut nodes = Vec::new();
    for level in 0..DEPTH {
        let split = json!({"kind": "intervals", "feature": 0, "cuts": [level], "closed": "right"});
        let children = [2 * level + 1, 2 * level + 2];
        nodes.push(json!({"counts": [1.0, 1.0], "value": 0, "split": split, "children": children, "missing": 0}));
        nodes.push(json!({"counts": [1.0, 0.0], "value": 0}));
    }
    nodes.push(json!({"counts": [0.0, 1.0], "value": 1}));
    let mut model: Value = serde_json::from_str(MODEL).unwrap();
    model["nodes"] = Value::Array(nodes);
    let folder = Folder::new()
        .file("model.json", model.to_string())
        .file("data.csv", "age,sex\n-1,f\n1e6,f\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "data.csv"]),
        "prediction\nno\nyes\n"
    );
    for form in ["rules", "dot", "svg", "c", "python", "rust", "pmml", "onnx"] {
        folder.done(&["export", "model.json", "--to", form, "-o", "out.txt"]);
    }
    let run = folder.run(&["export", "model.json", "--to", "sql", "-o", "out.txt"]);
    assert!(
        run.code == 1 && run.stderr.contains("levels deep"),
        "{}",
        run.stderr
    );
    folder.done(&["show", "model.json"]);
}

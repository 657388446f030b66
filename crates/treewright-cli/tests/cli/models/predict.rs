//! Predictions: the CSV, the JSON, and large tables.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::json;

use crate::support::{Folder, MODEL, REGRESSION};

#[test]
fn a_row_for_each_row() {
    let folder = Folder::with_model();
    assert_eq!(
        folder.done(&["predict", "model.json", "data.csv"]),
        "prediction\nno\nno\nno\nyes\nyes\nyes\nyes\n"
    );
    assert_eq!(
        folder.done(&["predict", "model.json", "data.csv", "--proba"]),
        "prediction,no,yes\nno,1,0\nno,1,0\nno,1,0\nyes,0.25,0.75\nyes,0.25,0.75\nyes,0.25,0.75\nyes,0.25,0.75\n"
    );
}

#[test]
fn the_target_need_not_be_there_and_the_order_of_columns_does_not_matter() {
    let folder = Folder::with_model().file("new.csv", "id,sex,age\n1,?,50\n2,x,7\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv"]),
        "prediction\nyes\nno\n"
    );
}

#[test]
fn a_missing_value_gets_the_mixture() {
    // 3/7 of [1, 0] and 4/7 of [1/4, 3/4].
    let folder = Folder::with_model().file("new.csv", "age,sex\n?,f\n,f\n");
    let document = folder.json(&["predict", "model.json", "new.csv", "--proba", "--json"]);
    assert_eq!(document["predictions"], json!(["no", "no"]));
    let proba = document["proba"][0][1].as_f64().unwrap();
    assert!((proba - 3.0 / 7.0).abs() < 1e-15, "{proba}");
    // Only "?" and the empty cell are missing in this model.
    let folder = folder.file("na.csv", "age,sex\nNA,f\n");
    folder.refused(
        &["predict", "model.json", "na.csv"],
        "na.csv: row 1 (line 2), column \"age\": \"NA\" is not a number\n",
    );
}

#[test]
fn labels_are_quoted_where_they_must_be() {
    let model = MODEL.replace(r#"["no", "yes"]"#, r#"["a,\"b\"", "prediction"]"#);
    let folder = Folder::with_model()
        .file("model.json", model)
        .file("new.csv", "age,sex\n20,f\n40,f\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv", "--proba"]),
        "prediction,\"a,\"\"b\"\"\",proba:prediction\n\"a,\"\"b\"\"\",1,0\nprediction,0.25,0.75\n"
    );
    assert_eq!(
        folder.json(&["predict", "model.json", "new.csv", "--json"]),
        json!({"predictions": ["a,\"b\"", "prediction"]})
    );
}

#[test]
fn json_has_proba_only_on_demand() {
    let folder = Folder::with_model().file("new.csv", "age,sex\n20,f\n40,f\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv", "--json", "--proba"]),
        "{\"predictions\":[\"no\",\"yes\"],\"proba\":[[1,0],[0.25,0.75]]}\n"
    );
    assert_eq!(
        folder.done(&["--json", "predict", "model.json", "new.csv"]),
        "{\"predictions\":[\"no\",\"yes\"]}\n"
    );
}

#[test]
fn regression_predicts_numbers() {
    let folder = Folder::new()
        .file("model.json", REGRESSION)
        .file("new.csv", "x\n1\n2\n\n3\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv", "--json"]),
        "{\"predictions\":[1.5,1e300,1e300]}\n"
    );
    folder.refused(
        &[
            "predict",
            "model.json",
            "new.csv",
            "--proba",
            "-o",
            "out.csv",
        ],
        "model.json: --proba needs a classification model",
    );
}

#[test]
fn a_file_gets_the_csv_even_if_json_goes_to_standard_output() {
    let folder = Folder::with_model().file("new.csv", "age,sex\n20,f\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv", "-o", "out.csv"]),
        ""
    );
    assert_eq!(folder.read("out.csv"), "prediction\nno\n");
    let arguments = [
        "predict",
        "model.json",
        "new.csv",
        "-o",
        "two.csv",
        "--json",
    ];
    assert_eq!(folder.json(&arguments), json!({"predictions": ["no"]}));
    assert_eq!(folder.read("two.csv"), "prediction\nno\n");
}

#[test]
fn a_model_without_splits_answers_for_every_row() {
    let leaf = r#"{"format": "treewright.tree", "version": 1, "task": "classification",
        "features": [], "target": {"name": "class", "classes": ["only"]},
        "reading": {"na": [], "weight": null}, "learner": {"name": "greedy", "params": {}},
        "training": {"rows": 1, "weight": 1.0, "errors": 0, "cost": 0.0, "leaves": 1, "depth": 0, "seconds": 0.0},
        "nodes": [{"counts": [1.0], "value": 0}]}"#;
    let folder = Folder::new()
        .file("model.json", leaf)
        .file("new.csv", "whatever\nx\ny\n");
    assert_eq!(
        folder.done(&["predict", "model.json", "new.csv", "--proba"]),
        "prediction,only\nonly,1\nonly,1\n"
    );
}

#[test]
fn many_rows_and_a_reader_who_leaves_early() {
    let mut table = String::from("age,sex\n");
    for row in 0..300_000 {
        table.push_str(if row % 2 == 0 { "20,f\n" } else { "40,m\n" });
    }
    let folder = Folder::with_model().file("many.csv", table);
    let stdout = folder.done(&["predict", "model.json", "many.csv"]);
    assert_eq!(
        stdout.len(),
        "prediction\n".len() + 150_000 * "no\nyes\n".len()
    );

    let mut child = folder
        .command(&["predict", "model.json", "many.csv", "--proba"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "prediction,no,yes\n");
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

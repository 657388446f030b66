//! `score`, `verify`, `show`, `export`, and how files are written.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Folder, MODEL, REGRESSION, TABLE};

#[test]
fn score_as_json() {
    let folder = Folder::with_model();
    let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
    assert_eq!(score["rows"], 7);
    assert_eq!(score["errors"].as_f64(), Some(1.0));
    assert_eq!(score["error"].as_f64(), Some(1.0 / 7.0));
    assert_eq!(score["cost"].as_f64(), Some(1.0 / 7.0));
    assert_eq!(score["confusion"], json!([[3.0, 1.0], [0.0, 3.0]]));
    assert_eq!(score["classes"][1]["class"], "yes");
    assert_eq!(score["classes"][1]["recall"].as_f64(), Some(1.0));
    assert_eq!(score["classes"][1]["precision"].as_f64(), Some(0.75));
    assert_eq!(score["leaves"], 2);
    assert_eq!(score["depth"], 1);
    assert_eq!(score["features_queried"].as_f64(), Some(1.0));
    folder.done(&["score", "model.json", "data.csv", "-o", "score.json"]);
    let written: Value = serde_json::from_str(&folder.read("score.json")).unwrap();
    assert_eq!(written, score);
}

#[test]
fn score_tells_the_quality_of_two_classes() {
    let folder = Folder::with_model();
    let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
    assert_eq!(
        score["baseline"],
        json!({"class": "no", "error": 3.0 / 7.0})
    );
    let interval = &score["error_interval"];
    assert!(
        (interval[0].as_f64().unwrap() - 0.003_610_3).abs() < 1e-6,
        "{interval}"
    );
    assert!(
        (interval[1].as_f64().unwrap() - 0.578_722_9).abs() < 1e-6,
        "{interval}"
    );
    // All three of "yes" are where three of four are, and one of the four "no".
    let ranking = &score["ranking"];
    assert_eq!(ranking["positive"], "yes");
    assert_eq!(ranking["auc"].as_f64(), Some(10.5 / 12.0));
    assert_eq!(ranking["gini"].as_f64(), Some(0.75));
    assert_eq!(ranking["ks"].as_f64(), Some(0.75));
    assert_eq!(ranking["average_precision"].as_f64(), Some(0.75));
    assert_eq!(ranking["thresholds"]["share"], json!([0.75, 0.0]));
    assert_eq!(ranking["thresholds"]["false_positives"], json!([1.0, 4.0]));
    let other = folder.json(&[
        "score",
        "model.json",
        "data.csv",
        "--json",
        "--positive",
        "no",
    ]);
    assert_eq!(other["ranking"]["positive"], "no");
    assert_eq!(other["ranking"]["auc"], ranking["auc"]);
    assert_eq!(other["log_loss"], score["log_loss"]);
    folder.refused(
        &["score", "model.json", "data.csv", "--positive", "maybe"],
        "--positive: \"maybe\" is not a class of \"class\", expected one of \"no\", \"yes\"\n",
    );
    let folder = Folder::new()
        .file("model.json", REGRESSION)
        .file("data.csv", "x,y\n1,1.5\n1,2.5\n");
    folder.refused(
        &["score", "model.json", "data.csv", "--positive", "yes"],
        "--positive: the target \"y\" is a number and has no classes\n",
    );
    let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
    assert_eq!(score["baseline"]["rmse"].as_f64(), Some(0.5));
    let (mse, rmse) = (&score["mse"], &score["rmse"]);
    assert_eq!(mse.as_f64().map(f64::sqrt), rmse.as_f64());
}

#[test]
fn score_in_words() {
    let stdout = Folder::with_model().done(&["score", "model.json", "data.csv"]);
    for part in [
        "errors",
        "0.142857",
        "precision",
        "recall",
        "true \\ predicted",
        "features queried",
        "95 % interval",
        "error if always no",
        "AUC",
        "lift in the top 10 %",
        "predicted share",
    ] {
        assert!(stdout.contains(part), "{part:?} is not in {stdout}");
    }
    let folder = Folder::new()
        .file("model.json", REGRESSION)
        .file("data.csv", "x,y\n1,1.5\n1,2.5\n");
    let stdout = folder.done(&["score", "model.json", "data.csv"]);
    assert!(stdout.contains("mean squared error"), "{stdout}");
    assert!(stdout.contains("0.500000"), "{stdout}");
    assert!(stdout.contains("actual minus predicted"), "{stdout}");
}

#[test]
fn verify_says_whether_the_claims_hold() {
    let folder = Folder::with_model();
    let stdout = folder.done(&["verify", "model.json", "data.csv"]);
    assert!(stdout.ends_with("every claim holds\n"), "{stdout}");
    let document = folder.json(&["verify", "model.json", "data.csv", "--json"]);
    assert_eq!(document["holds"], true);

    let folder = folder.file(
        "model.json",
        MODEL.replace("\"errors\": 1", "\"errors\": 0"),
    );
    let run = folder.run(&["verify", "model.json", "data.csv"]);
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr, "treewright: model.json: errors is 0, found 1\n");
    let run = folder.run(&["verify", "model.json", "data.csv", "--json"]);
    assert_eq!(run.code, 1);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["holds"], false);
}

#[test]
fn verify_refuses_categories_that_the_model_does_not_know() {
    let other = TABLE.replace("31,m,no", "31,x,no");
    let folder = Folder::with_model().file("data.csv", other);
    folder.done(&["score", "model.json", "data.csv"]);
    for options in [&[][..], &["--optimality"]] {
        let line = folder.refused(
            &[&["verify", "model.json", "data.csv"], options].concat(),
            "data.csv: row 4 (line 5), column \"sex\": \"x\" is not a category of the model",
        );
        assert!(line.contains("rows that it was learned from"), "{line}");
    }
}

#[test]
fn verify_and_score_weigh_classes_as_the_learner_did() {
    // With yes = 2 the counts of "yes" double; everything else follows.
    let weighted = MODEL
        .replace(
            r#""params": {}"#,
            r#""params": {"class_weight": {"yes": 2}}"#,
        )
        .replace("[4.0, 3.0], \"value\": 0", "[4.0, 6.0], \"value\": 1")
        .replace("[1.0, 3.0]", "[1.0, 6.0]")
        .replace("\"weight\": 7.0", "\"weight\": 10.0")
        .replace("0.14285714285714285", "0.1");
    let folder = Folder::with_model().file("model.json", weighted);
    folder.done(&["verify", "model.json", "data.csv"]);
    let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
    assert_eq!(score["weight"].as_f64(), Some(10.0));
    let plain = [
        "score",
        "model.json",
        "data.csv",
        "--json",
        "--class-weight",
        "none",
    ];
    assert_eq!(folder.json(&plain)["weight"].as_f64(), Some(7.0));

    for nonsense in ["7", "\"heavy\"", "{\"yes\": \"two\"}"] {
        let params = format!("\"params\": {{\"class_weight\": {nonsense}}}");
        let model = MODEL.replace(r#""params": {}"#, &params);
        let folder = Folder::with_model().file("model.json", model);
        for command in ["verify", "score", "report"] {
            folder.refused(
                &[command, "model.json", "data.csv"],
                "model.json: class_weight is neither \"balanced\" nor a number for each label\n",
            );
        }
    }
}

#[test]
fn show_prints_the_tree() {
    let folder = Folder::with_model();
    let stdout = folder.done(&["show", "model.json"]);
    assert!(stdout.contains("age <= 30"), "{stdout}");
    assert!(stdout.contains("age > 30"), "{stdout}");
    assert!(stdout.contains("yes"), "{stdout}");
    assert!(!stdout.contains('\u{1b}'), "colours without a terminal");
    assert_eq!(folder.done(&["show", "model.json", "--no-color"]), stdout);
    assert_eq!(folder.done(&["show", "model.json", "--quiet"]), stdout);
    let forced = folder
        .command(&["show", "model.json"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(String::from_utf8(forced.stdout).unwrap().contains('\u{1b}'));
    let silenced = folder
        .command(&["show", "model.json", "--no-color"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(silenced.stdout).unwrap(), stdout);
}

#[test]
fn show_as_json_is_the_model() {
    let document = Folder::with_model().json(&["show", "model.json", "--json"]);
    let model: Value = serde_json::from_str(MODEL).unwrap();
    assert_eq!(document, model);
}

#[test]
fn export_writes_each_form() {
    let folder = Folder::with_model();
    let dot = folder.done(&["export", "model.json", "--to", "dot"]);
    assert!(dot.starts_with("digraph"), "{dot}");
    let rules = folder.done(&["export", "model.json", "--to", "rules"]);
    assert!(rules.contains("age") && rules.contains("yes"), "{rules}");
    assert_eq!(
        folder.json(&["export", "model.json", "--to", "rules", "--json"]),
        json!({"to": "rules", "text": rules})
    );
    assert_eq!(
        folder.done(&["export", "model.json", "--to", "dot", "-o", "tree.dot"]),
        ""
    );
    assert_eq!(folder.read("tree.dot"), dot);
    for (form, start) in [
        ("svg", "<svg "),
        ("sql", "-- "),
        ("c", "/* "),
        ("python", "\"\"\""),
        ("rust", "// "),
        ("pmml", "<?xml "),
    ] {
        let text = folder.done(&["export", "model.json", "--to", form]);
        assert!(text.starts_with(start) && text.contains("yes"), "{text}");
    }
}

#[test]
fn onnx_is_a_file_of_its_own() {
    let folder = Folder::with_model();
    let arguments = ["export", "model.json", "--to", "onnx"];
    folder.done(&[&arguments[..], &["-o", "tree.onnx", "--quiet"]].concat());
    let run = folder.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("-o FILE"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn standard_output_gets_one_document_even_if_named_twice() {
    let folder = Folder::with_model();
    for arguments in [
        &["predict", "model.json", "data.csv", "--json", "-o", "-"][..],
        &["score", "model.json", "data.csv", "--json", "-o", "-"],
        &["verify", "model.json", "data.csv", "--json", "-o", "-"],
        &["export", "model.json", "--to", "dot", "--json", "-o", "-"],
        &["fit", "greedy", "data.csv", "--json", "-o", "-"],
        &["fit", "greedy", "data.csv", "-o", "-"],
    ] {
        folder.json(arguments);
    }
}

#[test]
fn a_model_may_come_from_standard_input_or_be_gzipped() {
    let folder = Folder::with_model().file("model.json.gz", crate::support::gzip(MODEL.as_bytes()));
    let plain = folder.done(&["show", "model.json"]);
    assert_eq!(folder.done(&["show", "model.json.gz"]), plain);
    let run = folder.run_with_input(&["show", "-"], MODEL.as_bytes());
    assert_eq!((run.code, run.stdout), (0, plain));
}

#[test]
fn a_file_is_replaced_as_a_whole_or_not_at_all() {
    let folder = Folder::with_model()
        .file("out.csv", "precious")
        .file("bad.csv", "age,sex\nold,f\n");
    let before = folder.names();
    folder.refused(
        &["predict", "model.json", "bad.csv", "-o", "out.csv"],
        "bad.csv: ",
    );
    assert_eq!(folder.read("out.csv"), "precious");
    folder.done(&["predict", "model.json", "data.csv", "-o", "out.csv"]);
    assert!(folder.read("out.csv").starts_with("prediction\n"));
    assert_eq!(folder.names(), before);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay_and_devices_are_written_to() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::with_model().file("real.csv", "");
    symlink(folder.path("real.csv"), folder.path("link.csv")).unwrap();
    fs::set_permissions(folder.path("real.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    folder.done(&["predict", "model.json", "data.csv", "-o", "link.csv"]);
    assert!(
        fs::symlink_metadata(folder.path("link.csv"))
            .unwrap()
            .is_symlink()
    );
    assert!(folder.read("real.csv").starts_with("prediction\n"));
    let mode = |name| {
        fs::metadata(folder.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("real.csv"), 0o640);
    // A new file is as readable as any other that this user makes.
    folder.done(&["predict", "model.json", "data.csv", "-o", "new.csv"]);
    fs::write(folder.path("other"), "").unwrap();
    assert_eq!(mode("new.csv"), mode("other"));
    folder.done(&["predict", "model.json", "data.csv", "-o", "/dev/null"]);
    let stdout = folder.done(&["predict", "model.json", "data.csv", "-o", "-"]);
    assert!(stdout.starts_with("prediction\n"));
}

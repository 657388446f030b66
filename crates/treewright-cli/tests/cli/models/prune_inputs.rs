//! What `prune` accepts and refuses: penalties, values, models and rows.

use crate::support::{Folder, MODEL, REGRESSION};

#[test]
fn a_penalty_may_be_a_table() {
    let folder = Folder::with_bundled("titanic.csv");
    let lines: Vec<String> = (1..=14).map(|k| format!("{}", k * k)).collect();
    let folder = folder
        .file("squares.txt", lines.join("\r\n") + "\r\n\r\n")
        .file("unended.txt", lines.join("\n"));
    let named = folder.json(&[
        "prune",
        "model.json",
        "--lambda",
        "0.001",
        "--penalty",
        "power:2",
        "--json",
    ]);
    for file in ["table:squares.txt", "table:unended.txt"] {
        let model = folder.json(&[
            "prune",
            "model.json",
            "--lambda",
            "0.001",
            "--penalty",
            file,
            "--json",
        ]);
        assert_eq!(model["nodes"], named["nodes"]);
        assert_eq!(model["learner"]["params"]["pruned"]["penalty"], "table");
    }
    let options = [
        "--family",
        "--penalty",
        "table:squares.txt",
        "-o",
        "family.json",
        "--json",
    ];
    let family = folder.json(&[&["prune", "model.json"], &options[..]].concat());
    assert_eq!(family["penalty"], "table");
    assert_eq!(family["penalty_values"][1], 4);
    let taken = folder.json(&["prune", "family.json", "--lambda", "0.001", "--json"]);
    assert_eq!(taken["nodes"], named["nodes"]);
}

#[test]
fn penalties_may_be_negative_but_not_beyond_the_doubles() {
    let lines: Vec<String> = (-20..0).map(|line| line.to_string()).collect();
    let folder = Folder::with_bundled("titanic.csv")
        .file("low.txt", lines.join("\n"))
        .file("high.txt", lines.join("e298\n") + "e298\n")
        .file(
            "level.txt",
            format!("0\n1e-320\n{}", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"),
        );
    let options = ["--lambda", "1", "--penalty", "table:low.txt"];
    let command = ["prune", "model.json", "-o", "small.json"];
    folder.done(&[&command[..], &options].concat());
    folder.done(&["verify", "small.json", "data.csv"]);
    folder.done(&[
        "prune",
        "model.json",
        "--family",
        "--penalty",
        "table:low.txt",
        "-o",
        "family.json",
    ]);
    folder.done(&["prune", "family.json", "--lambda", "1", "-o", "taken.json"]);
    assert_eq!(
        folder.done(&["show", "taken.json"]),
        folder.done(&["show", "small.json"])
    );
    folder.refused(
        &[
            "prune",
            "model.json",
            "--lambda",
            "1e300",
            "--penalty",
            "table:high.txt",
        ],
        "lambda: got ",
    );
    folder.refused(
        &[
            "prune",
            "model.json",
            "--family",
            "--penalty",
            "table:level.txt",
        ],
        "level.txt: penalty table: 1 and 2 leaves cost so nearly the same",
    );
}

#[test]
fn penalty_tables_that_cannot_be() {
    let folder = Folder::with_bundled("titanic.csv")
        .file("level.txt", "1\n2\n2\n4\n")
        .file("short.txt", "1\n2\n3\n")
        .file("words.txt", "1\ntwo\n3\n")
        .file("gap.txt", "1\n\n3\n")
        .file("huge.txt", "1\n1e999\n")
        .file("empty.txt", "");
    for (file, complaint) in [
        (
            "level.txt",
            "level.txt: penalty table, line 3: 2 is not above 2 of line 2",
        ),
        (
            "short.txt",
            "short.txt: penalty table: has 3 lines, expected at least 13",
        ),
        (
            "words.txt",
            "words.txt: penalty table, line 2: \"two\" is not a number",
        ),
        (
            "gap.txt",
            "gap.txt: penalty table, line 2: \"\" is not a number",
        ),
        ("huge.txt", "huge.txt: penalty table, line 2: \"1e999\" is"),
        ("empty.txt", "empty.txt: penalty table: no values"),
        ("nowhere.txt", "nowhere.txt: no such file\n"),
    ] {
        let penalty = format!("table:{file}");
        for arguments in [
            &["prune", "model.json", "--lambda", "1"][..],
            &["prune", "model.json", "--family"],
            &["fit", "greedy", "data.csv", "--lambda", "1"],
            &["path", "greedy", "data.csv"],
        ] {
            let options = ["--penalty", &penalty, "-o", "out.json"];
            folder.refused(&[arguments, &options].concat(), complaint);
        }
    }
}

#[test]
fn values_out_of_range() {
    let folder = Folder::with_model();
    let prune = |options: &[&str], complaint: &str| {
        folder.refused(
            &[&["prune", "model.json", "-o", "out.json"], options].concat(),
            complaint,
        );
    };
    prune(&["--lambda", "-1"], "lambda: got -1, expected ");
    prune(&["--lambda", "-1/3"], "lambda: got -1/3, expected ");
    prune(&["--lambda", "1/0"], "lambda: got 1/0, expected ");
    prune(&["--lambda", "inf"], "lambda: got inf, expected ");
    prune(&["--lambda", "NaN"], "lambda: got NaN, expected ");
    prune(&["--leaves", "0"], "leaves: got 0, expected at least 1\n");
    prune(&["--leaves", "-3"], "leaves: got -3, expected at least 1\n");
    prune(&["--max-cost", "-0.5"], "max-cost: got -0.5, expected ");
    prune(
        &["--max-cost", "0.01"],
        "max-cost: got 0.01, expected at least 0.14285714285714285",
    );
    prune(
        &["--lambda", "1", "--penalty", "power:-1"],
        "penalty: got \"power:-1\", expected ",
    );
    prune(
        &["--lambda", "1", "--penalty", "power:0"],
        "penalty: got \"power:0\", expected ",
    );
    prune(
        &["--lambda", "1", "--penalty", "power:1001"],
        "penalty: got \"power:1001\", expected ",
    );
    prune(
        &["--lambda", "1", "--cost", "mse"],
        "cost: got mse, expected error or impurity",
    );
    prune(
        &["--leaves", "1", "--method", "family"],
        "method: got family, expected ",
    );
    prune(
        &["--leaves", "1", "--memory-limit", "1B"],
        "memory-limit: got 1 bytes, expected at least",
    );
    prune(
        &["--select", "cv"],
        "--select chooses in a family, but model.json is a single tree",
    );
    Folder::with_bundled("titanic.csv").refused(
        &[
            "prune",
            "model.json",
            "--lambda",
            "1",
            "--penalty",
            "power:1000",
        ],
        "penalty: got power:1000, expected a penalty below 1e300 for 13 leaves\n",
    );
}

#[test]
fn models_and_rows_that_do_not_fit() {
    let empty = MODEL
        .replace("[4.0, 3.0]", "[0.0, 0.0]")
        .replace("[3.0, 0.0]", "[0.0, 0.0]")
        .replace("[1.0, 3.0], \"value\": 1", "[0.0, 0.0], \"value\": 0");
    let folder = Folder::with_model()
        .file("empty.json", empty)
        .file("huge.json", MODEL.replace("[4.0, 3.0]", "[1e308, 1e308]"))
        .file("numbers.json", REGRESSION)
        .file("other.csv", "sex,class\nf,no\n")
        .file("classes.csv", "age,sex,class\n1,f,maybe\n")
        .file("rowless.csv", "age,sex,class\n")
        .file("broken.json", &MODEL[..MODEL.len() / 2]);
    let refused = |arguments: &[&str], complaint: &str| {
        let options = ["--leaves", "2", "-o", "out.json"];
        folder.refused(&[&["prune"], arguments, &options].concat(), complaint);
    };
    refused(
        &["empty.json"],
        "empty.json: not a valid model: no node has any rows",
    );
    refused(
        &["huge.json"],
        "huge.json: not a valid model: the weight of its rows is too large: ",
    );
    refused(&["broken.json"], "broken.json: not a valid model: ");
    refused(&["nowhere.json"], "nowhere.json: no such file\n");
    refused(
        &["data.csv"],
        "data.csv: not a valid model: expected a JSON object\n",
    );
    refused(&["model.json", "other.csv"], "other.csv: no column \"age\"");
    refused(&["model.json", "classes.csv"], "classes.csv: row 1");
    refused(&["model.json", "rowless.csv"], "rowless.csv: ");
    refused(
        &["model.json", "nowhere.csv"],
        "nowhere.csv: no such file\n",
    );
    refused(
        &["-", "-"],
        "MODEL and DATA cannot both be standard input\n",
    );
    // An empty tree can be pruned by rows, and numbers by squares.
    folder.done(&["prune", "empty.json", "data.csv", "--leaves", "2"]);
    folder.done(&["prune", "numbers.json", "--leaves", "1", "--cost", "mse"]);
    folder.done(&["prune", "numbers.json", "--leaves", "1", "--cost", "error"]);
}

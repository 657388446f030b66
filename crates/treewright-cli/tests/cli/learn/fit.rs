//! Learning greedy trees from files.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Folder, TABLE, gzip};

/// The model that `fit greedy` learns from a table.
#[track_caller]
fn model(table: impl AsRef<[u8]>, options: &[&str]) -> Value {
    let arguments = [&["fit", "greedy", "data.csv", "--json"], options].concat();
    Folder::new().file("data.csv", table).json(&arguments)
}

/// The feature names of a model.
fn features(model: &Value) -> Vec<&str> {
    let features = model["features"].as_array().unwrap();
    features
        .iter()
        .map(|feature| feature["name"].as_str().unwrap())
        .collect()
}

#[test]
fn the_model_of_a_small_table() {
    let model = model(TABLE, &["--max-depth", "1"]);
    assert_eq!(model["format"], "treewright.tree");
    assert_eq!(model["version"], 1);
    assert_eq!(model["task"], "classification");
    assert_eq!(
        model["features"],
        json!([{"name": "age", "kind": "numeric"},
               {"name": "sex", "kind": "categorical", "categories": ["f", "m"]}])
    );
    assert_eq!(
        model["target"],
        json!({"name": "class", "classes": ["no", "yes"]})
    );
    assert_eq!(
        model["reading"],
        json!({"na": ["?", "NA", "NaN", "null"], "weight": null})
    );
    assert_eq!(model["learner"]["name"], "greedy");
    assert!(model["learner"]["params"].get("class_weight").is_none());
    assert!(model.get("certificate").is_none());
    assert_eq!(model["training"]["rows"], 7);
    assert_eq!(model["training"]["errors"], 0);
    assert_eq!(model["training"]["leaves"], 2);
    // 31 is the last "no", 40 the first "yes".
    assert_eq!(
        model["nodes"][0]["split"],
        json!({"kind": "intervals", "feature": 0, "cuts": [35.5], "closed": "right"})
    );
}

#[test]
fn what_was_decided_is_said_on_standard_error() {
    let folder = Folder::new()
        .file("data.csv", TABLE)
        .file("numbers.csv", "x,y\n1,0.5\n2,1.5\n3,1.5\n");
    let said = |arguments: &[&str]| {
        let run = folder.run(arguments);
        assert_eq!(run.code, 0, "{run:?}");
        run.stderr
    };
    let line = "classification: target \"class\" with 2 classes, 2 features, 7 rows\n";
    assert_eq!(said(&["fit", "greedy", "data.csv"]), line);
    assert!(said(&["fit", "greedy", "data.csv", "--json"]).starts_with(line));
    assert_eq!(
        said(&["fit", "greedy", "numbers.csv"]),
        "regression: target \"y\", 1 feature, 3 rows\n"
    );
    assert_eq!(said(&["fit", "greedy", "data.csv", "--quiet"]), "");
    assert_eq!(
        said(&["fit", "greedy", "data.csv", "--quiet", "-o", "out.json"]),
        ""
    );
    let decided_by_hand = said(&["fit", "greedy", "data.csv", "--task", "classification"]);
    assert_eq!(decided_by_hand, "");
}

#[test]
fn without_a_file_and_without_json_there_is_a_summary() {
    let folder = Folder::new().file("data.csv", TABLE);
    let stdout = folder.done(&["fit", "greedy", "data.csv"]);
    for part in [
        "age <= 35.5",
        "age > 35.5",
        "2 leaves",
        "depth 1",
        "training errors 0 of 7",
    ] {
        assert!(stdout.contains(part), "{part:?} is not in {stdout}");
    }
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn of_a_large_tree_the_summary_shows_the_top() {
    let mut table = String::from("x,class\n");
    for row in 0..200 {
        writeln!(table, "{row},{}", row % 2).unwrap();
    }
    let folder = Folder::new().file("data.csv", table);
    let stdout = folder.done(&["fit", "greedy", "data.csv"]);
    assert!(stdout.lines().count() < 70, "{stdout}");
    assert!(stdout.contains("200 leaves"), "{stdout}");
    assert!(stdout.contains("lines; -o FILE"), "{stdout}");
}

#[test]
fn a_model_file_serves_the_other_commands() {
    let folder = Folder::new().file("data.csv", TABLE);
    let stdout = folder.done(&["fit", "greedy", "data.csv", "-o", "model.json"]);
    assert_eq!(stdout, "");
    assert_eq!(folder.names(), ["data.csv", "model.json"]);
    assert!(folder.read("model.json").ends_with("}\n"));
    assert_eq!(folder.read("model.json").lines().count(), 1);
    assert_eq!(
        folder.done(&["predict", "model.json", "data.csv"]),
        "prediction\nno\nno\nno\nno\nyes\nyes\nyes\n"
    );
    folder.done(&["verify", "model.json", "data.csv"]);
    folder.done(&["show", "model.json"]);
    // Both at once: the file and standard output have the same document.
    let both = folder.json(&["fit", "greedy", "data.csv", "-o", "two.json", "--json"]);
    let written: Value = serde_json::from_str(&folder.read("two.json")).unwrap();
    assert_eq!(both, written);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let mut table = String::from("x,y,class\n");
    for row in 0_u64..2000 {
        let x = row * 7919 % 1009;
        writeln!(table, "{x},{},{}", row * 31 % 17, x * x % 3).unwrap();
    }
    let learned = |threads| {
        let mut model = model(&table, &["--threads", threads]);
        model["training"]["seconds"] = json!(0);
        model
    };
    assert_eq!(learned("1"), learned("4"));
}

#[test]
fn columns_are_chosen_by_name() {
    let table = "id,a,b,\"c,d\",w,class\n1,1,2,3,1,x\n2,2,3,4,1,y\n";
    assert_eq!(features(&model(table, &[])), ["id", "a", "b", "c,d", "w"]);
    assert_eq!(
        features(&model(table, &["--features", "\"c,d\",a"])),
        ["a", "c,d"]
    );
    assert_eq!(
        features(&model(table, &["--drop", "id", "--weight", "w"])),
        ["a", "b", "c,d"]
    );
    let by_b = model(table, &["--target", "b", "--drop", "id"]);
    assert_eq!(by_b["target"]["classes"], json!(["2", "3"]));
    assert_eq!(features(&by_b), ["a", "c,d", "w", "class"]);
    // The weight stands last, so the target is the column before it.
    let weight_last = model("a,class,w\n1,x,1\n2,y,2\n", &["--weight", "w"]);
    assert_eq!(weight_last["target"]["name"], "class");
    assert_eq!(weight_last["reading"]["weight"], "w");
    assert_eq!(weight_last["training"]["weight"].as_f64(), Some(3.0));
    // What stands in a row of weight 0 does not matter.
    let dropped = model("a,y,w\n1,0,1\n2,1,1\n3,0.5,0\n", &["--weight", "w"]);
    assert_eq!(dropped["target"]["classes"], json!(["0", "1"]));
    let categorical = model(table, &["--categorical", "a"]);
    assert_eq!(categorical["features"][1]["kind"], "categorical");
}

#[test]
fn missing_tokens_can_be_chosen() {
    let table = "a,class\n1,x\nnone,y\n?,x\n,y\n";
    let reading = |options: &[&str]| {
        let model = model(table, options);
        (
            model["features"][0]["kind"].as_str().unwrap().to_owned(),
            model["reading"]["na"].clone(),
        )
    };
    assert_eq!(
        reading(&[]),
        ("categorical".into(), json!(["?", "NA", "NaN", "null"]))
    );
    assert_eq!(
        reading(&["--na", "none,?"]),
        ("numeric".into(), json!(["none", "?"]))
    );
    assert_eq!(reading(&["--na", ""]), ("categorical".into(), json!([])));
    let categories = model(table, &["--na", ""])["features"][0]["categories"].clone();
    assert_eq!(categories, json!(["1", "?", "none"]));
}

#[test]
fn the_task_is_decided_or_given() {
    let numbers = "x,y\n1,1\n2,2\n3,3\n";
    assert_eq!(model(numbers, &[])["task"], "classification");
    let regression = model(numbers, &["--task", "regression"]);
    assert_eq!(regression["task"], "regression");
    assert!(regression["target"].get("classes").is_none());
    assert!(regression["nodes"][0].get("mean").is_some());
    assert_eq!(model("x,y\n1,0.5\n2,2\n", &[])["task"], "regression");
    let mut many = String::from("x,y\n");
    for row in 0..21 {
        writeln!(many, "{row},{row}").unwrap();
    }
    assert_eq!(model(&many, &[])["task"], "regression");
    let classes = model("x,y\n1,10\n2,9\n3,1.0\n", &["--task", "classification"]);
    assert_eq!(classes["target"]["classes"], json!(["1.0", "9", "10"]));
}

#[test]
fn class_weights_multiply_and_are_remembered() {
    let given = model(TABLE, &["--class-weight", "yes=2"]);
    assert_eq!(
        given["learner"]["params"]["class_weight"],
        json!({"yes": 2.0})
    );
    assert_eq!(given["nodes"][0]["counts"], json!([4.0, 6.0]));
    let balanced = model(TABLE, &["--class-weight", "balanced"]);
    assert_eq!(balanced["learner"]["params"]["class_weight"], "balanced");
    assert_eq!(balanced["nodes"][0]["counts"], json!([3.5, 3.5]));
    for weights in ["yes=2", "balanced"] {
        let folder = Folder::new().file("data.csv", TABLE);
        folder.done(&[
            "fit",
            "greedy",
            "data.csv",
            "--class-weight",
            weights,
            "-o",
            "model.json",
        ]);
        folder.done(&["verify", "model.json", "data.csv"]);
    }
}

#[test]
fn costs_decide_what_a_leaf_answers() {
    let folder = Folder::new()
        .file("data.csv", TABLE)
        .file("costs.csv", "true,yes,no\nyes,0,5\nno,1,0\n");
    let arguments = [
        "fit",
        "greedy",
        "data.csv",
        "--costs",
        "costs.csv",
        "--max-depth",
        "0",
    ];
    let model = folder.json(&[&arguments[..], &["--json"]].concat());
    let costs = |truth: usize| model["target"]["costs"][truth].as_array().unwrap();
    let cost = |truth: usize, predicted: usize| costs(truth)[predicted].as_f64();
    assert_eq!((cost(0, 1), cost(1, 0)), (Some(1.0), Some(5.0)));
    // Four "no" cost 4 if called "yes"; three "yes" would cost 15.
    assert_eq!(model["nodes"][0]["value"], 1);
    assert_eq!(model["training"]["errors"], 4);
    assert_eq!(model["training"]["cost"].as_f64(), Some(4.0 / 7.0));
}

#[test]
fn the_parameters_reach_the_learner() {
    let deep = model(TABLE, &["--max-depth", "0"]);
    assert_eq!(deep["training"]["leaves"], 1);
    assert_eq!(model(TABLE, &["--min-split", "8"])["training"]["leaves"], 1);
    assert_eq!(model(TABLE, &["--min-leaf", "4"])["training"]["leaves"], 1);
    assert_eq!(
        model(TABLE, &["--min-gain", "0.9"])["training"]["leaves"],
        1
    );
    for criterion in ["gini", "entropy", "gain-ratio", "error"] {
        let model = model(TABLE, &["--criterion", criterion]);
        assert_eq!(model["learner"]["params"]["criterion"], criterion);
        assert_eq!(model["training"]["leaves"], 2);
    }
    let numbers = "x,y\n1,0\n2,0\n3,0.1\n4,9.5\n5,9.5\n";
    for criterion in ["mse", "mae", "binned-gini"] {
        let options = ["--criterion", criterion, "--max-depth", "1"];
        let model = model(numbers, &options);
        assert_eq!(model["nodes"][0]["split"]["cuts"], json!([3.5]));
    }
    let median = model(numbers, &["--predict", "median", "--max-depth", "0"]);
    assert_eq!(median["nodes"][0]["value"].as_f64(), Some(0.1));
    let bins = ["--criterion", "binned-gini", "--bins", "4"];
    assert_eq!(
        model(numbers, &bins)["nodes"][0]["bins"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    // "a" and "b" are "yes": one against the rest needs a second split.
    let letters = "c,class\na,yes\nb,yes\nc,no\nd,no\n";
    let grouped = model(letters, &[]);
    let branches = json!([1, 1, 0, 0]);
    assert_eq!(grouped["nodes"][0]["split"]["branches"], branches);
    assert_eq!(grouped["training"]["leaves"], 2);
    let multiway = model(letters, &["--categorical-splits", "multiway"]);
    assert_eq!(multiway["nodes"][0]["children"], json!([1, 2, 3, 4]));
    let one = model(letters, &["--categorical-splits", "one-vs-rest"]);
    assert_eq!(one["nodes"][0]["children"], json!([1, 2]));
    // XOR gains nothing at the root.
    let xor = "a,b,class\n0,0,x\n0,1,y\n1,0,y\n1,1,x\n";
    assert_eq!(model(xor, &[])["training"]["leaves"], 1);
    assert_eq!(model(xor, &["--zero-gain"])["training"]["errors"], 0);
    let holes = "a,class\n1,x\n2,x\n3,y\n4,y\n5,y\n,x\n";
    let missing = |how| model(holes, &["--missing", how, "--max-depth", "1"])["nodes"][0].clone();
    assert_eq!(missing("distribute")["missing"], "distribute");
    assert_eq!(missing("majority")["missing"], 1);
    assert_eq!(missing("branch")["missing"], 2);
    assert_eq!(missing("learned")["missing"], 0);
    assert_eq!(missing("branch")["children"], json!([1, 2, 3]));
}

#[test]
fn tables_at_the_edge() {
    let one_row = model("a,class\n1,x\n", &[]);
    assert_eq!(one_row["training"]["leaves"], 1);
    let one_class = model("a,class\n1,x\n2,x\n3,x\n", &[]);
    assert_eq!(one_class["training"]["leaves"], 1);
    assert_eq!(one_class["target"]["classes"], json!(["x"]));
    let all_missing = model("a,b,class\n,1,x\n?,2,y\nNA,3,y\n", &[]);
    assert_eq!(all_missing["training"]["errors"], 0);
    assert_eq!(all_missing["nodes"][0]["split"]["feature"], 1);
    let only_missing = model("a,class\n,x\n,y\n", &[]);
    assert_eq!(only_missing["training"]["leaves"], 1);
    let heavy = "a,class,w\n1,x,1e18\n2,y,1e18\n3,x,9007199254740993\n";
    for criterion in ["gini", "entropy", "gain-ratio", "error"] {
        let heavy = model(heavy, &["--weight", "w", "--criterion", criterion]);
        assert_eq!(heavy["training"]["errors"].as_f64(), Some(0.0));
    }
    assert_eq!(
        model("a,class\n1,x\n2,y\n", &["--time-limit", "0s"])["task"],
        "classification"
    );
}

#[test]
fn a_column_with_many_categories() {
    let mut table = String::from("name,x,class\n");
    for row in 0..100_000 {
        writeln!(table, "name {row},{},{}", row % 10, u8::from(row % 10 > 4)).unwrap();
    }
    let options = ["--drop", "x", "--max-depth", "1", "--categorical-splits"];
    let grouped = model(table.clone(), &[&options[..], &["grouped"]].concat());
    assert_eq!(grouped["training"]["leaves"], 2);
    assert_eq!(grouped["training"]["errors"], 0);
    let model = model(table, &[&options[..], &["multiway"]].concat());
    let categories = model["features"][0]["categories"].as_array().unwrap();
    assert_eq!(categories.len(), 100_000);
    assert_eq!(model["training"]["leaves"], 100_000);
}

#[test]
fn the_same_table_in_every_form_gives_the_same_model() {
    let learned = |name: &str, content: &[u8]| {
        let folder = Folder::new().file(name, content);
        let mut model = folder.json(&["fit", "greedy", name, "--json"]);
        model["training"]["seconds"] = json!(0);
        model
    };
    let expected = learned("a.csv", TABLE.as_bytes());
    let tsv = TABLE.replace(',', "\t");
    assert_eq!(learned("a.tsv", tsv.as_bytes()), expected);
    assert_eq!(learned("a.csv.gz", &gzip(TABLE.as_bytes())), expected);
    let windows = format!("\u{feff}{}", TABLE.replace('\n', "\r\n"));
    assert_eq!(learned("a.csv", windows.as_bytes()), expected);
    let run = Folder::new().run_with_input(&["fit", "greedy", "-", "--json"], tsv.as_bytes());
    let mut from_input: Value = serde_json::from_str(&run.stdout).unwrap();
    from_input["training"]["seconds"] = json!(0);
    assert_eq!(from_input, expected);
}

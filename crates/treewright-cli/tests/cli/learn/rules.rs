//! Rules about the features on a path: trees that keep them, and what is refused.

use serde_json::{Value, json};

use super::dyadic::{verified, with_table};

const RULES: [&str; 6] = [
    "--interactions",
    "rating,days_to_ship;price,department",
    "--root-only",
    "rating",
    "--not-above",
    "items,price",
];

/// Is a feature asked below another one anywhere in a tree of a model?
fn is_below(model: &Value, above: &str, below: &str) -> bool {
    let nodes = model["nodes"].as_array().unwrap();
    let place = |name: &str| {
        let features = model["features"].as_array().unwrap();
        features.iter().position(|it| it["name"] == name).unwrap()
    };
    let [above, below] = [above, below].map(place);
    let feature = |node: usize| nodes[node]["split"]["feature"].as_u64();
    let mut open = vec![(0_usize, false)];
    while let Some((node, is_used)) = open.pop() {
        let Some(own) = feature(node) else {
            continue;
        };
        if is_used && own == below as u64 {
            return true;
        }
        let children = nodes[node]["children"].as_array().unwrap();
        let is_used = is_used || own == above as u64;
        open.extend(
            children
                .iter()
                .map(|it| (it.as_u64().unwrap() as usize, is_used)),
        );
    }
    false
}

#[test]
fn trees_keep_the_rules_and_say_so() {
    let folder = with_table("shop.csv");
    for (learner, options) in [
        ("greedy", &["--max-depth", "4"][..]),
        ("greedy", &["--missing", "branch", "--lambda", "0.005"]),
        ("optimal", &["--leaf-cost", "0.001"]),
        ("optimal", &["--intervals", "2", "--leaf-cost", "0.01"]),
    ] {
        let command = [
            "fit",
            learner,
            "data.csv",
            "--json",
            "-o",
            "model.json",
            "--quiet",
        ];
        let model = folder.json(&[&command[..], &RULES, options].concat());
        let params = &model["learner"]["params"];
        let groups = json!([["rating", "days_to_ship"], ["price", "department"]]);
        assert_eq!(params["interactions"], groups);
        assert_eq!(params["root_only"], json!(["rating"]));
        assert_eq!(params["not_above"], json!([["items", "price"]]));
        for (above, below) in [
            ("rating", "days_to_ship"),
            ("days_to_ship", "rating"),
            ("price", "department"),
            ("department", "price"),
            ("rating", "rating"),
            ("payment", "rating"),
            ("items", "price"),
        ] {
            assert!(!is_below(&model, above, below), "{above} {below}: {model}");
        }
        verified(&folder, "model.json");
        if learner == "optimal" {
            let certificate = &model["certificate"];
            assert_eq!(certificate["optimal"], true);
            let words = "at most one of rating, days_to_ship on a path, at most one of price, department on a path, \
                         rating only at the root, items never above price";
            assert!(
                certificate["what"].as_str().unwrap().ends_with(words),
                "{certificate}"
            );
        }
    }
}

#[test]
fn families_keep_the_rules() {
    let folder = with_table("shop.csv");
    for learner in ["greedy", "optimal"] {
        let command = ["path", learner, "data.csv", "-o", "family.json", "--quiet"];
        folder.done(&[&command[..], &RULES].concat());
        folder.done(&[
            "prune",
            "family.json",
            "--leaves",
            "4",
            "-o",
            "model.json",
            "--quiet",
        ]);
        let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
        assert_eq!(model["learner"]["params"]["root_only"], json!(["rating"]));
        assert!(!is_below(&model, "rating", "days_to_ship"), "{model}");
        verified(&folder, "model.json");
    }
}

#[test]
fn verify_finds_a_tree_that_breaks_its_rules() {
    let folder = with_table("shop.csv");
    folder.done(&[
        "fit",
        "greedy",
        "data.csv",
        "--max-depth",
        "3",
        "-o",
        "model.json",
    ]);
    let mut model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let root = model["nodes"][0]["split"]["feature"].as_u64().unwrap() as usize;
    let root = model["features"][root]["name"].as_str().unwrap().to_owned();
    let others = [
        "price",
        "items",
        "department",
        "payment",
        "rating",
        "days_to_ship",
    ];
    let below = others.iter().find(|below| is_below(&model, &root, below));
    model["learner"]["params"]["not_above"] = json!([[root, below.unwrap()]]);
    let folder = folder.file("model.json", model.to_string());
    let run = folder.run(&["verify", "model.json", "data.csv"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("is asked below"), "{run:?}");
    model["learner"]["params"]["not_above"] = json!("items");
    let folder = folder.file("model.json", model.to_string());
    let run = folder.run(&["verify", "model.json", "data.csv"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("params.not_above"), "{run:?}");
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    let folder = with_table("shop.csv");
    for learner in ["greedy", "optimal"] {
        for (flag, rule, beginning) in [
            (
                "--interactions",
                "rating,prize",
                "interactions: got \"prize\", expected features of the table (\"price\", ",
            ),
            (
                "--interactions",
                "rating,price;items",
                "interactions: got \"items\", expected at least two features in each group\n",
            ),
            (
                "--interactions",
                "rating,rating",
                "interactions: got \"rating,rating\", expected each feature once\n",
            ),
            (
                "--interactions",
                "",
                "interactions: got \"\", expected at least two",
            ),
            (
                "--root-only",
                "returned",
                "root-only: got \"returned\", expected features of the table",
            ),
            (
                "--root-only",
                "items,items",
                "root-only: got \"items,items\", expected each feature once\n",
            ),
            (
                "--not-above",
                "rating,rating",
                "not-above: got \"rating,rating\", expected pairs of two features",
            ),
            (
                "--not-above",
                "rating,price,items",
                "not-above: got \"rating,price,items\"",
            ),
            (
                "--root-only",
                "",
                "root-only: got \"\", expected features of the table\n",
            ),
            (
                "--interactions",
                "rating,price;price,rating",
                "interactions: got \"price,rating\" twice, expected each rule once\n",
            ),
            (
                "--not-above",
                "rating,price;items,price;rating,price",
                "not-above: got \"rating,price\" twice, expected each rule once\n",
            ),
            (
                "--not-above",
                "",
                "not-above: got \"\", expected pairs of two features",
            ),
            (
                "--not-above",
                "rating,colour",
                "not-above: got \"colour\", expected features of the table",
            ),
        ] {
            folder.refused(
                &["fit", learner, "data.csv", flag, rule, "-o", "out.json"],
                beginning,
            );
            folder.refused(
                &["path", learner, "data.csv", flag, rule, "-o", "out.json"],
                beginning,
            );
        }
    }
    // The other way round is another rule.
    folder.done(&[
        "fit",
        "optimal",
        "data.csv",
        "--not-above",
        "rating,price;price,rating",
    ]);
    let line = [
        "fit",
        "optimal",
        "data.csv",
        "--root-only",
        "rating",
        "--proof",
        "proof.json",
    ];
    folder.refused(
        &line,
        "proof: got rules about the features on a path, expected none",
    );
}

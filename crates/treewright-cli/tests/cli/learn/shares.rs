//! Leaves whose class has a least share: trees that have it, and what is refused.

use serde_json::{Value, json};

use super::dyadic::{verified, with_table};

/// The least share of the predicted class in the leaves of a model, if it has several.
fn least_share(model: &Value) -> Option<f64> {
    let nodes = model["nodes"].as_array().unwrap();
    let leaves = nodes
        .iter()
        .skip(1)
        .filter(|node| node.get("split").is_none());
    let share = |node: &Value| {
        let counts = node["counts"].as_array().unwrap();
        let counts: Vec<f64> = counts.iter().map(|count| count.as_f64().unwrap()).collect();
        counts[node["value"].as_u64().unwrap() as usize] / counts.iter().sum::<f64>()
    };
    leaves.map(share).reduce(f64::min)
}

#[test]
fn leaves_have_the_share_and_files_say_so() {
    let folder = with_table("shop.csv");
    for options in [
        &["greedy", "--missing", "branch"][..],
        &["greedy", "--max-depth", "12", "--lambda", "0.001"],
        &["optimal", "--depth", "1", "--min-leaf", "5"],
        &["optimal", "--intervals", "2", "--leaf-cost", "0.001"],
    ] {
        let command = [&["fit"], options, &["data.csv", "--json", "--quiet"]].concat();
        let end = ["--min-class-share", "0.65", "-o", "model.json"];
        let model = folder.json(&[&command[..], &end].concat());
        assert_eq!(model["learner"]["params"]["min_class_share"], json!(0.65));
        let least = least_share(&model);
        assert!(
            least.is_some_and(|least| least >= 0.65),
            "{options:?}: {least:?}"
        );
        verified(&folder, "model.json");
        if options[0] == "optimal" {
            let what = model["certificate"]["what"].as_str().unwrap();
            assert!(
                what.contains("at least 0.65 of the weight of a leaf in its class"),
                "{what}"
            );
        }
    }
}

#[test]
fn members_of_families_have_the_share() {
    let folder = with_table("shop.csv");
    for path in [
        &["path", "optimal", "data.csv", "--intervals", "2"][..],
        &["path", "greedy", "data.csv", "--missing", "branch"],
    ] {
        let end = ["--min-class-share", "2/3", "-o", "family.json", "--quiet"];
        folder.done(&[path, &end].concat());
        for leaves in ["2", "4", "9"] {
            let taken = [
                "prune",
                "family.json",
                "--leaves",
                leaves,
                "-o",
                "model.json",
                "--quiet",
            ];
            folder.done(&taken);
            let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
            assert_eq!(model["learner"]["params"]["min_class_share"], json!("2/3"));
            let least = least_share(&model);
            assert!(
                least.is_none_or(|least| least >= 2.0 / 3.0),
                "{leaves}: {least:?}"
            );
            verified(&folder, "model.json");
        }
    }
}

#[test]
fn verify_finds_a_leaf_with_a_smaller_share() {
    let folder = with_table("shop.csv");
    folder.done(&[
        "fit",
        "greedy",
        "data.csv",
        "--max-depth",
        "2",
        "-o",
        "model.json",
    ]);
    let mut model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    for (share, what) in [
        (json!(0.999), "its class has less than 0.999 of its weight"),
        (json!("a half"), "params.min_class_share"),
        (json!(1.5), "params.min_class_share"),
    ] {
        model["learner"]["params"]["min_class_share"] = share;
        let folder = with_table("shop.csv").file("model.json", model.to_string());
        let run = folder.run(&["verify", "model.json", "data.csv"]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains(what), "{run:?}");
    }
}

#[test]
fn shares_that_make_no_sense_are_refused() {
    let folder = with_table("shop.csv");
    for command in ["fit", "path"] {
        for learner in ["greedy", "optimal"] {
            for share in ["0", "-0.5", "1.01", "3/2", "nan", "1e-30"] {
                folder.refused(
                    &[
                        command,
                        learner,
                        "data.csv",
                        "--min-class-share",
                        share,
                        "-o",
                        "x.json",
                    ],
                    &format!("min-class-share: got {share}, expected a share "),
                );
            }
        }
    }
    let line = [
        "fit",
        "optimal",
        "data.csv",
        "--min-class-share",
        "0.9",
        "--proof",
        "p.jsonl",
    ];
    folder.refused(
        &line,
        "min-class-share: got 0.9, expected none where a proof is written\n",
    );
    let run = folder.run(&["fit", "greedy", "data.csv", "--min-class-share", "most"]);
    assert_eq!(run.code, 2, "{run:?}");
    let folder = with_table("prices.csv");
    folder.refused(
        &[
            "fit",
            "greedy",
            "data.csv",
            "--min-class-share",
            "0.9",
            "-o",
            "x.json",
        ],
        "min-class-share: got 0.9, expected none for a regression target\n",
    );
}

//! `explore`: which tree is good enough, rows that are kept aside, and the model that comes out.

use serde_json::Value;

use crate::learn::dyadic::with_table;
use crate::support::Folder;

/// The chosen tree of a report.
fn chosen(report: &Value) -> &Value {
    let place = |name: &str| report["start"][name].as_u64().unwrap() as usize;
    &report["families"][place("family")]["members"][place("member")]
}

/// Leaves and errors of all trees that were judged.
fn judged(report: &Value) -> Vec<(u64, f64)> {
    let families = report["families"].as_array().unwrap().iter();
    let members = families.flat_map(|family| family["members"].as_array().unwrap());
    let figures = |member: &Value| Some((member["leaves"].as_u64()?, member["cv_error"].as_f64()?));
    members.filter_map(figures).collect()
}

/// A step with noise: a few leaves do well, more do a little better.
fn steps() -> Folder {
    let row = |row: u32| {
        let (x, z) = (row % 40, row * 7 % 30);
        let is_inside = x / 5 % 2 == 0 && z < 6;
        let is_high = (x >= 20) ^ is_inside ^ (row * 13).is_multiple_of(17);
        format!("{x},{z},{}\n", if is_high { "high" } else { "low" })
    };
    let table: String = ["x,z,class\n".to_owned()]
        .into_iter()
        .chain((0..300).map(row))
        .collect();
    Folder::new().file("data.csv", table)
}

#[test]
fn a_tolerance_takes_the_fewest_leaves_within_it() {
    let folder = steps();
    let mut leaves = Vec::new();
    for (tolerance, points) in [("0", 0.0), ("2%", 0.02), ("0.1", 0.1), ("60 %", 0.6)] {
        let command = [
            "explore",
            "data.csv",
            "--json",
            "--quiet",
            "--tolerance",
            tolerance,
        ];
        let report = folder.json(&command);
        let all = judged(&report);
        let least = all.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
        let good = all.iter().filter(|it| it.1 <= least + points);
        let fewest = good.map(|it| it.0).min();
        assert_eq!(chosen(&report)["leaves"].as_u64(), fewest, "{tolerance}");
        assert_eq!(report["choice"]["tolerance"], points);
        leaves.extend(fewest);
    }
    assert!(leaves.is_sorted_by(|a, b| a >= b), "{leaves:?}");
    assert_eq!(leaves.last(), Some(&1));
}

#[test]
fn the_chosen_tree_comes_out_as_a_model() {
    for table in ["rings.csv", "prices.csv", "titanic.csv"] {
        let folder = with_table(table);
        let report = folder.json(&[
            "explore",
            "data.csv",
            "--json",
            "--quiet",
            "--model",
            "best.json",
        ]);
        let model: Value = serde_json::from_str(&folder.read("best.json")).unwrap();
        let member = chosen(&report);
        assert_eq!(model["training"]["leaves"], member["leaves"], "{table}");
        // One is a sum over rows, the other one over leaves.
        let cost = |value: &Value| value["cost"].as_f64().unwrap();
        let (own, shown) = (cost(&model["training"]), cost(member));
        assert!(
            (own - shown).abs() <= 1e-12 * own,
            "{table}: {own}, {shown}"
        );
        folder.done(&["verify", "best.json", "data.csv"]);
        let score = folder.json(&["score", "best.json", "data.csv", "--json"]);
        if let Some(errors) = model["training"]["errors"].as_f64() {
            assert_eq!(score["errors"].as_f64(), Some(errors), "{table}");
        }
        folder.done(&["predict", "best.json", "data.csv"]);
    }
}

#[test]
fn rows_that_are_kept_aside_judge_the_chosen_tree() {
    let folder = steps();
    let command = "explore data.csv --holdout 20% --model best.json --json";
    let words: Vec<&str> = command.split(' ').collect();
    let run = folder.run(&words);
    assert_eq!(run.code, 0, "{run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let aside = &report["choice"]["holdout"];
    let number = |name: &str| aside[name].as_f64().unwrap();
    assert_eq!(
        (number("rows"), report["table"]["rows"].as_u64()),
        (60.0, Some(240))
    );
    assert!(number("low") < number("error") && number("error") < number("high"));
    let wrong = number("error") * 60.0;
    assert!((wrong - wrong.round()).abs() < 1e-9, "{wrong} of 60 rows");
    let answer = report["answer"].as_str().unwrap();
    assert!(
        answer.contains("On 60 rows kept aside, which nothing had seen, it is wrong"),
        "{answer}"
    );
    // The model is learned again from all rows.
    let model: Value = serde_json::from_str(&folder.read("best.json")).unwrap();
    assert_eq!(model["training"]["rows"], 300);
    assert!(
        run.stderr.contains("learned again from all 300 rows"),
        "{run:?}"
    );
    folder.done(&["verify", "best.json", "data.csv"]);
    // A seed always keeps the same rows aside.
    let again: Value = serde_json::from_str(&folder.run(&words).stdout).unwrap();
    assert_eq!(again["choice"], report["choice"]);
    let other = [&words[..], &["--seed", "7"]].concat();
    let other: Value = serde_json::from_str(&folder.run(&other).stdout).unwrap();
    assert_ne!(other["choice"], report["choice"]);
}

#[test]
fn numbers_are_judged_in_units_of_the_target() {
    let folder = with_table("prices.csv");
    let run = folder.run(&[
        "explore",
        "data.csv",
        "--holdout",
        "0.2",
        "--tolerance",
        "1%",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = run.stdout.replace('\n', " ");
    assert!(
        text.contains("always answering the mean is off by"),
        "{text}"
    );
    assert!(
        text.contains("On 60 rows kept aside, which nothing had seen, it is off by"),
        "{text}"
    );
    assert!(!text.contains("probability of 95 %"), "{text}");
}

//! The figures of `explore` are what they are called.

use serde_json::Value;

use crate::learn::dyadic::with_table;
use crate::support::Folder;

fn chosen(report: &Value) -> &Value {
    let place = |name: &str| report["start"][name].as_u64().unwrap() as usize;
    &report["families"][place("family")]["members"][place("member")]
}

fn number(value: &Value, name: &str) -> f64 {
    value[name]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} of {value}"))
}

fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 * (1.0 + expected.abs()),
        "{found}, not {expected}"
    );
}

/// The answer and the tables on one line.
fn said(stdout: &str) -> String {
    stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_weighted_error_is_no_share_of_the_time() {
    let folder = with_table("titanic.csv");
    let command = "explore data.csv --class-weight balanced --json --quiet --model best.json";
    let report = folder.json(&command.split(' ').collect::<Vec<_>>());
    let answer = report["answer"].as_str().unwrap();
    assert!(
        answer.contains("On unseen rows it has a weighted error of "),
        "{answer}"
    );
    assert!(
        answer.contains("; always answering \"no\" has 50.0 %."),
        "{answer}"
    );
    assert!(!answer.contains("of the time"), "{answer}");
    assert_eq!(report["table"]["weighted"], true);
    // `score` and the page of the model file have this figure, too.
    let score = |more: &[&str]| {
        let command = [&["score", "best.json", "data.csv", "--json"], more].concat();
        folder.json(&command)
    };
    let own = score(&[]);
    assert_eq!(own["class_weight"], "balanced");
    close(number(&own, "error"), number(chosen(&report), "cost"));
    close(number(&own, "cost"), number(chosen(&report), "cost"));
    let page = folder.json(&["report", "best.json", "data.csv", "--json"]);
    let quality = &page["families"][0]["members"][0]["quality"];
    assert_eq!(quality["error"], own["error"]);
    assert_eq!(page["table"]["weighted"], true);
    // Other weights, or none.
    assert_eq!(score(&["--class-weight", "balanced"]), own);
    let plain = score(&["--class-weight", "none"]);
    assert!(plain.get("class_weight").is_none());
    assert_eq!(number(&plain, "weight"), number(&plain, "rows"));
    let given = score(&["--class-weight", "yes=3"]);
    assert_eq!(given["class_weight"]["yes"], 3.0);
    assert_ne!(
        (&given["error"], &own["error"]),
        (&plain["error"], &plain["error"])
    );
    let text = folder.done(&["score", "best.json", "data.csv"]);
    assert!(said(&text).contains("class weights balanced"), "{text}");
    let unknown = [
        "score",
        "best.json",
        "data.csv",
        "--class-weight",
        "perhaps=3",
    ];
    folder.refused(&unknown, "class weights: \"perhaps\" is not a class");
}

#[test]
fn rows_of_equal_weight_have_errors_as_ever() {
    let folder = with_table("titanic.csv");
    let report = folder.json(&["explore", "data.csv", "--json", "--quiet"]);
    assert!(report["table"].get("weighted").is_none());
    for family in report["families"].as_array().unwrap() {
        for member in family["members"].as_array().unwrap() {
            let (error, se) = (number(member, "cv_error"), number(member, "cv_se"));
            close(se, (error * (1.0 - error) / 2201.0).sqrt());
        }
    }
}

/// A rare class that weighs much: a few rows decide how far off the error may be.
#[test]
fn a_few_heavy_rows_make_large_standard_errors() {
    let folder = with_table("titanic.csv");
    let explore = |more: &str| {
        let command = format!("explore data.csv --json --quiet --class-weight yes=100{more}");
        folder.json(&command.split(' ').collect::<Vec<_>>())
    };
    let report = explore("");
    let single = &report["families"][0]["members"][0];
    assert_eq!(single["leaves"], 1);
    // The single leaf always answers yes: 711 rows of weight 100 are right, 1490 of weight 1 are wrong.
    let (weight, wrong) = (71_100.0 + 1490.0, 1490.0);
    let error: f64 = wrong / weight;
    close(number(single, "cv_error"), error);
    let squares = 711.0 * (100.0 * error).powi(2) + 1490.0 * (1.0 - error).powi(2);
    close(number(single, "cv_se"), squares.sqrt() / weight);
    let aside = &explore(" --holdout 20%")["choice"]["holdout"];
    assert_eq!(aside["approximate"], true);
    let (low, high) = (number(aside, "low"), number(aside, "high"));
    let (error, se) = (number(aside, "error"), number(aside, "se"));
    assert!(low < error - se && error + se < high, "{aside}");
}

#[test]
fn a_stop_by_memory_is_no_lack_of_time() {
    let row = |row: u32| {
        let class = row.wrapping_mul(2_654_435_761) >> 30;
        format!("{},{},{class}\n", row * 7919 % 10_007, row * 31 % 977)
    };
    let rows = (0..20_000).map(row).collect::<String>();
    let folder = Folder::new().file("data.csv", format!("x,z,class\n{rows}"));
    let command = "explore data.csv --quiet --memory-limit 1KB --budget 60s --folds 2";
    let run = folder.run(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{run:?}");
    let text = said(&run.stdout);
    assert!(
        text.contains("There was not enough memory to judge: "),
        "{text}"
    );
    assert!(!text.contains("time"), "{text}");
    assert!(!text.contains("do no better"), "{text}");
}

#[test]
fn the_tree_of_the_file_is_told_apart_from_the_judged_one() {
    let folder = with_table("titanic.csv");
    let command = "explore data.csv --holdout 20% --quiet --model best.json";
    let run = folder.run(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{run:?}");
    let model: Value = serde_json::from_str(&folder.read("best.json")).unwrap();
    let leaves = model["training"]["leaves"].as_u64().unwrap();
    let text = said(&run.stdout);
    assert!(
        text.contains("The tree below was learned from 1761 rows, and the figures are its own."),
        "{text}"
    );
    let other = format!(
        "The tree in best.json is another one, learned again from all 2201 rows: it has {leaves} leaves"
    );
    assert!(text.contains(&other), "{text}");
    let run = folder.run(&["explore", "data.csv", "--quiet", "--model", "best.json"]);
    assert!(!said(&run.stdout).contains("learned again"), "{run:?}");
}

/// In folds without their rows another class is the most frequent one, and it is rare among the rows left out.
#[test]
fn the_baseline_is_always_the_named_class() {
    let mut answers = Vec::new();
    for is_told in [true, false] {
        let row = |row: u32| {
            let x = if is_told { row % 6 } else { row * 7 / 6 % 5 };
            format!("{x},c{}\n", row % 6)
        };
        let rows: String = (0..90).map(row).collect();
        let folder = Folder::new().file("data.csv", format!("x,class\n{rows}"));
        let command = "explore data.csv --json --quiet --model best.json";
        let report = folder.json(&command.split(' ').collect::<Vec<_>>());
        let score = folder.json(&["score", "best.json", "data.csv", "--json"]);
        assert_eq!(score["baseline"]["class"], "c0");
        close(number(&score["baseline"], "error"), 5.0 / 6.0);
        close(number(&report["baseline"], "cv_error"), 5.0 / 6.0);
        answers.push(report["answer"].as_str().unwrap().to_owned());
    }
    assert!(
        answers[0].contains("; always answering \"c0\" is wrong 83.3 %."),
        "{answers:?}"
    );
    // A single answer is judged by the answers of the folds.
    let single = "On unseen rows the best answer for the others is wrong 88.9 %";
    assert!(answers[1].contains(single), "{answers:?}");
    assert!(
        answers[1].contains("; always answering \"c0\" is wrong 83.3 %."),
        "{answers:?}"
    );
}

#[test]
fn huge_targets_have_few_digits() {
    let row = |row: u32| {
        let (x, z) = (row * 7 % 40, row * 11 % 17);
        let y = x / 5 * 9 + row * row % 37;
        format!("{x},{z},{y}e150\n")
    };
    let rows: String = (0..120).map(row).collect();
    let folder = Folder::new().file("data.csv", format!("x,z,y\n{rows}"));
    let command = "explore data.csv --quiet --task regression --tolerance 0";
    let run = folder.run(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("optimistic"), "{run:?}");
    let longest = run.stdout.split_whitespace().map(str::len).max();
    assert!(longest < Some(30), "{run:?}");
    let run = folder.run(
        &[
            &command.split(' ').collect::<Vec<_>>()[..],
            &["--holdout", "20%"],
        ]
        .concat(),
    );
    assert!(run.code == 0 && !run.stdout.contains("inf"), "{run:?}");
}

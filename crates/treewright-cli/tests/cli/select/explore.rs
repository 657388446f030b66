//! `explore` and `report`: every tree worth having, and pages to look at.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::learn::dyadic::with_table;
use crate::support::Folder;

/// The data of a page.
fn data_of(page: &str) -> Value {
    let mark = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(mark).expect("the page has data");
    let (data, _) = rest.split_once("</script>").unwrap();
    assert!(!data.contains('<'), "no text can end the script");
    serde_json::from_str(data).unwrap()
}

fn members<'a>(report: &'a Value, id: &str) -> &'a Vec<Value> {
    let families = report["families"].as_array().unwrap();
    let family = families.iter().find(|family| family["id"] == id).unwrap();
    family["members"].as_array().unwrap()
}

/// Without what differs from run to run.
fn timeless(mut report: Value) -> Value {
    for family in report["families"].as_array_mut().unwrap() {
        family["seconds"] = Value::Null;
    }
    report
}

#[test]
fn a_page_a_document_and_an_answer() {
    let folder = with_table("titanic.csv");
    let run = folder.run(&["explore", "data.csv", "-o", "report.html"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout
            .starts_with("A 3-leaf tree is enough. On unseen rows it is wrong 21.7 % ± 0.9 %"),
        "{run:?}"
    );
    assert!(
        run.stdout
            .contains("always answering \"no\" is wrong 32.3 %. Proven: no tree of depth 3"),
        "{run:?}"
    );
    assert!(run.stdout.contains("sex = female -> yes"), "{run:?}");
    assert!(!run.stdout.contains("lambda") && !run.stdout.contains('λ'));
    for line in run.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(
        run.stderr.contains("the report is in report.html"),
        "{run:?}"
    );
    let page = folder.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.len() < 2_000_000);
    let data = data_of(&page);
    let document = folder.json(&["explore", "data.csv", "--json", "--quiet"]);
    assert_eq!(timeless(data), timeless(document));
}

#[test]
fn the_figures_are_those_of_the_other_commands() {
    let folder = with_table("shop.csv");
    // Long enough for a program that is not optimised.
    let report = folder.json(&[
        "explore", "data.csv", "--json", "--quiet", "--folds", "5", "--budget", "30m",
    ]);
    for (id, command) in [
        (
            "greedy-linear",
            "path greedy data.csv --folds 5 --missing learned",
        ),
        (
            "greedy-linear-branch",
            "path greedy data.csv --folds 5 --missing branch",
        ),
        (
            "greedy-linear-multiway",
            "path greedy data.csv --folds 5 --missing learned --categorical-splits multiway",
        ),
        ("greedy-linear-distribute", "path greedy data.csv --folds 5"),
        ("dyadic-linear", "path dyadic data.csv --folds 5"),
        (
            "optimal-linear",
            "path optimal data.csv --depth 3 --folds 5",
        ),
    ] {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.extend(["--json", "--quiet"]);
        let family = folder.json(&words);
        let theirs = family["members"].as_array().unwrap();
        let ours = members(&report, id);
        assert_eq!(ours.len(), theirs.len(), "{id}");
        for (own, other) in ours.iter().zip(theirs) {
            let figures = "leaves cost errors lambda_low lambda_high cv_error cv_se";
            for name in figures.split(' ') {
                assert_eq!(own[name], other[name], "{id} {name}");
            }
        }
    }
    for member in members(&report, "optimal-linear") {
        assert_eq!(member["optimal"], true);
        assert!(member["cv_error"].as_f64().is_some_and(|error| error > 0.0));
    }
}

/// The smallest tree within one standard error of the least.
#[test]
fn the_answer_is_good_enough() {
    for table in ["shop.csv", "rings.csv", "prices.csv"] {
        let folder = with_table(table);
        let report = folder.json(&["explore", "data.csv", "--json", "--quiet"]);
        let all: Vec<&Value> = report["families"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|family| family["members"].as_array().unwrap())
            .collect();
        let number = |entry: &Value, name: &str| entry[name].as_f64().unwrap_or(f64::INFINITY);
        let least = all
            .iter()
            .min_by(|a, b| number(a, "cv_error").total_cmp(&number(b, "cv_error")))
            .unwrap();
        let most = number(least, "cv_error") + number(least, "cv_se");
        let good = all.iter().filter(|entry| number(entry, "cv_error") <= most);
        let fewest = good.map(|entry| entry["leaves"].as_u64().unwrap()).min();
        let place = |name: &str| report["start"][name].as_u64().unwrap() as usize;
        let start = &report["families"][place("family")]["members"][place("member")];
        assert_eq!(start["leaves"].as_u64(), fewest, "{table}");
        assert!(number(start, "cv_error") <= most, "{table}");
        let answer = report["answer"].as_str().unwrap();
        let named = format!(" {}-leaf tree is enough.", fewest.unwrap());
        assert!(answer.contains(&named), "{answer}");
        assert_eq!(report["choice"]["rule"], "1se");
        let optimism = report["choice"]["optimism"].as_f64().unwrap();
        assert!((0.0..most).contains(&optimism), "{optimism}");
    }
}

#[test]
fn threads_do_not_change_a_report() {
    let folder = with_table("shop.csv");
    let report = |threads: &str| {
        let command = [
            "explore",
            "data.csv",
            "--json",
            "--quiet",
            "--threads",
            threads,
        ];
        timeless(folder.json(&command))
    };
    assert_eq!(report("1"), report("2"));
}

#[test]
fn a_short_budget_is_kept_and_honest() {
    let folder = with_table("rings.csv");
    for budget in ["0.001", "1ms", "300ms"] {
        let start = Instant::now();
        let command = [
            "explore", "data.csv", "--json", "--quiet", "--budget", budget,
        ];
        let report = folder.json(&command);
        assert!(start.elapsed() < Duration::from_secs(20), "{budget}");
        for member in members(&report, "optimal-linear") {
            let (is_optimal, gap) = (&member["optimal"], member["gap"].as_f64().unwrap());
            assert_eq!(is_optimal == true, gap == 0.0, "{member}");
        }
        assert!(!report["answer"].as_str().unwrap().is_empty());
    }
}

#[test]
fn reports_on_one_result() {
    let folder = with_table("shop.csv");
    folder.done(&["fit", "greedy", "data.csv", "-o", "model.json", "--quiet"]);
    folder.done(&[
        "path",
        "dyadic",
        "data.csv",
        "--k",
        "2",
        "-o",
        "family.json",
        "--quiet",
    ]);
    for (file, n_members) in [("model.json", 1), ("family.json", 2)] {
        let run = folder.run(&["report", file, "data.csv", "-o", "report.html"]);
        assert_eq!(run.code, 0, "{run:?}");
        let data = data_of(&folder.read("report.html"));
        let shown = data["families"][0]["members"].as_array().unwrap();
        assert!(shown.len() >= n_members);
        assert_eq!(data["sample"]["of"], 400);
    }
    let score = folder.json(&["score", "model.json", "data.csv", "--json"]);
    let report = folder.json(&["report", "model.json", "data.csv", "--json"]);
    let member = &report["families"][0]["members"][0];
    let confusion = |value: &Value| value.to_string().replace(".0", "");
    assert_eq!(
        confusion(&member["confusion"]),
        confusion(&score["confusion"])
    );
}

#[test]
fn bad_input_is_named() {
    let folder = with_table("shop.csv")
        .file("one.csv", "x,class\n1,a\n")
        .file("empty.csv", "x,class\n");
    folder.refused(
        &["explore", "data.csv", "--folds", "1"],
        "folds: got 1, expected at least 2",
    );
    folder.refused(&["explore", "data.csv", "--target", "nothing"], "data.csv");
    folder.refused(
        &["explore", "one.csv"],
        "one.csv: target \"class\": the target is",
    );
    folder.refused(
        &["explore", "data.csv", "--budget", "0"],
        "budget: got 0 seconds, expected more than 0, such as 30s",
    );
    folder.refused(
        &["explore", "data.csv", "--holdout", "1%"],
        "holdout: got 0.01, expected a share that keeps at least 10 of the 400 rows aside",
    );
    folder.refused(
        &["explore", "data.csv", "--budget", "-1"],
        "budget: got -1 seconds, expected more than 0, such as 30s",
    );
    folder.refused(
        &["explore", "data.csv", "--budget", "-2m"],
        "budget: got -120 seconds, expected more than 0, such as 30s",
    );
    folder.refused(
        &["fit", "greedy", "data.csv", "--time-limit", "-1s"],
        "time-limit: got -1 seconds, expected at least 0, such as 30s",
    );
    folder.refused(
        &["explore", "data.csv", "--holdout", "-20%"],
        "holdout: got -0.2, expected ",
    );
    for tolerance in [&["--tolerance=-1%"][..], &["--tolerance", "-1%"]] {
        folder.refused(
            &[&["explore", "data.csv"], tolerance].concat(),
            "tolerance: got -0.01, expected at least 0 and less than 1",
        );
    }
    let table = folder.read("data.csv");
    folder.refused(
        &["explore", "data.csv", "--model", "data.csv"],
        "data.csv: the command reads this file, and would replace it",
    );
    folder.refused(
        &["explore", "data.csv", "--model", "a.json", "-o", "a.json"],
        "a.json: the command reads this file, or writes it twice",
    );
    folder.refused(
        &["explore", "data.csv", "--model", "-"],
        "model: got -, expected a file",
    );
    assert_eq!(folder.read("data.csv"), table);
    folder.refused(&["explore", "empty.csv"], "empty.csv");
    folder.refused(&["explore", "data.csv", "-o", "none/report.html"], "");
    folder.refused(&["report", "data.csv", "data.csv"], "data.csv");
    assert!(!folder.names().iter().any(|name| name.contains("report")));
}

#[test]
fn names_stay_text() {
    let hostile = "</script><script>alert(1)</script>";
    let row = |row: u32| {
        let class = if row.is_multiple_of(3) {
            hostile
        } else {
            "<!--"
        };
        format!("{},\"{class}\"\n", row % 8)
    };
    let header = format!("\"{hostile}\",\"\"\"; DROP TABLE x; --\"\n");
    let table: String = [header].into_iter().chain((0..40).map(row)).collect();
    let folder = Folder::new().file("data.csv", table);
    let run = folder.run(&["explore", "data.csv", "-o", "report.html", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let page = folder.read("report.html");
    assert_eq!(page.matches("</script>").count(), 2);
    let data = data_of(&page);
    assert_eq!(data["features"][0]["name"], hostile);
}

/// Some categories are missing from the rows of some folds.
#[test]
fn rare_categories_do_no_harm() {
    let row = |row: u32| {
        let class = if (row * 7919 % 101).is_multiple_of(3) {
            "a"
        } else {
            "b"
        };
        format!("k{},{class}\n", row * 31 % 60)
    };
    let table: String = ["kind,class\n".to_owned()]
        .into_iter()
        .chain((0..150).map(row))
        .collect();
    let folder = Folder::new().file("data.csv", table);
    let report = folder.json(&["explore", "data.csv", "--json", "--quiet"]);
    assert!(members(&report, "dyadic-linear")[0]["cv_error"].is_number());
}

#[test]
fn what_does_not_fit_is_left_out() {
    let names: Vec<String> = (0..1500).map(|column| format!("x{column}")).collect();
    let row = |row: u32| {
        let cells = (0..1500).map(|column| (row * (column + 3) % 11).to_string());
        let cells: Vec<String> = cells.collect();
        format!("{},{}\n", cells.join(","), row % 2)
    };
    let header = format!("{},class\n", names.join(","));
    let table: String = [header].into_iter().chain((0..30).map(row)).collect();
    let folder = Folder::new().file("data.csv", table);
    let command = ["explore", "data.csv", "--json", "--quiet", "--budget", "3s"];
    let report = folder.json(&command);
    assert!(!members(&report, "greedy-linear").is_empty());
}

#[test]
fn other_rows_are_told_apart() {
    let folder = with_table("shop.csv");
    let table = folder.read("data.csv");
    let some: Vec<&str> = table.lines().take(60).collect();
    let folder = folder.file("some.csv", some.join("\n") + "\n");
    folder.done(&["fit", "optimal", "data.csv", "-o", "model.json", "--quiet"]);
    let report = folder.json(&["report", "model.json", "some.csv", "--json"]);
    assert_eq!(report["table"]["rows"], 400);
    assert_eq!(report["other_rows"], 59);
    assert_eq!(report["sample"]["of"], 59);
    let same = folder.json(&["report", "model.json", "data.csv", "--json"]);
    assert!(same.get("other_rows").is_none());
}

//! `check`, and what it changes in `explore`: the tables that real tables are like.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::Folder;

const N_ROWS: usize = 300;

/// A number that looks like any other, below `most`.
fn drawn(row: usize, salt: usize, most: usize) -> usize {
    let mixed = (row * 7919 + salt * 104_729 + 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33) % most
}

/// A table of three numbers and a class that two of them tell, not without errors. A column is put before it.
fn table(name: &str, cell: impl Fn(usize) -> String) -> String {
    let mut text = format!("{name},x,y,z,class\n");
    for row in 0..N_ROWS {
        let (x, y, z) = (drawn(row, 1, 50), drawn(row, 2, 50), drawn(row, 3, 50));
        let is_odd = drawn(row, 4, 10) == 0;
        let class = if (x > 20 && y > 15) == is_odd {
            "no"
        } else {
            "yes"
        };
        let _ = writeln!(text, "{},{x},{y},{z},{class}", cell(row));
    }
    text
}

/// The findings about a column, or about the table.
fn findings<'a>(document: &'a Value, column: Option<&str>) -> Vec<&'a Value> {
    let at = match column {
        None => document,
        Some(name) => {
            let mut columns = document["columns"].as_array().unwrap().iter();
            columns.find(|column| column["name"] == name).unwrap()
        }
    };
    at["findings"].as_array().unwrap().iter().collect()
}

fn explored(folder: &Folder, file: &str) -> (Value, String) {
    let arguments = ["explore", file, "--json", "--folds", "3"];
    let run = folder.run(&arguments);
    assert_eq!(run.code, 0, "{run:?}");
    (serde_json::from_str(&run.stdout).unwrap(), run.stderr)
}

/// The answer: the size of the tree, and its errors.
fn answer(report: &Value) -> (&Value, &Value) {
    let start = &report["start"];
    let place = |name: &str| usize::try_from(start[name].as_u64().unwrap()).unwrap();
    let member = &report["families"][place("family")]["members"][place("member")];
    (&member["leaves"], &member["errors"])
}

#[test]
fn an_id_changes_nothing() {
    let id = |row: usize| format!("K{}", drawn(row, 9, 1_000_000_000));
    let folder = Folder::new()
        .file("plain.csv", table("w", |row| drawn(row, 5, 9).to_string()))
        .file(
            "id.csv",
            table("key,w", |row| format!("{},{}", id(row), drawn(row, 5, 9))),
        );
    let document = folder.json(&["check", "id.csv", "--json"]);
    let found = findings(&document, Some("key"));
    assert_eq!(found[0]["code"], "id-text");
    assert_eq!(found[0]["severity"], "warning");
    assert_eq!(found[0]["fix"], "--drop key");
    let (plain, _) = explored(&folder, "plain.csv");
    let (with_id, said) = explored(&folder, "id.csv");
    assert!(
        said.contains("left out: \"key\"") && said.contains("--keep key"),
        "{said}"
    );
    assert_eq!(answer(&plain), answer(&with_id));
    assert_eq!(with_id["check"], document);
    let kept = folder.run(&[
        "explore", "id.csv", "--keep", "key", "--folds", "3", "--budget", "1s",
    ]);
    assert!(!kept.stderr.contains("left out"), "{kept:?}");
}

#[test]
fn dates_are_numbers_also_for_the_model() {
    let date = |row: usize| {
        format!(
            "2024-{:02}-{:02}",
            drawn(row, 6, 12) + 1,
            drawn(row, 7, 28) + 1
        )
    };
    let folder = Folder::new().file("data.csv", table("joined", date));
    let document = folder.json(&["check", "data.csv", "--json"]);
    assert_eq!(findings(&document, Some("joined"))[0]["code"], "date");
    assert_eq!(document["columns"][0]["kind"], "date");
    let (report, said) = explored(&folder, "data.csv");
    assert!(said.contains("days since 1970-01-01"), "{said}");
    assert_eq!(report["features"][0]["kind"], "numeric");
    let dates = [
        "fit",
        "greedy",
        "data.csv",
        "--dates",
        "joined",
        "-o",
        "model.json",
    ];
    folder.done(&dates);
    let model: Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    let expected = serde_json::json!([{"name": "joined", "order": "ymd", "unit": "days"}]);
    assert_eq!(model["reading"]["dates"], expected);
    folder.done(&["predict", "model.json", "data.csv"]);
    folder.done(&["verify", "model.json", "data.csv"]);
    let folder = folder.file("bad.csv", "joined,x,y,z,class\nsoon,1,2,3,no\n");
    let run = folder.run(&["predict", "model.json", "bad.csv"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("\"soon\" is not a date"), "{run:?}");
}

#[test]
fn one_word_among_numbers_is_named() {
    let cell = |row: usize| {
        if row == 16 {
            "n/a".into()
        } else {
            drawn(row, 8, 90).to_string()
        }
    };
    let folder = Folder::new().file("data.csv", table("bmi", cell));
    let text = folder.done(&["check", "data.csv"]);
    assert!(text.contains("\"n/a\" (1 cell, first in row 17)"), "{text}");
    assert!(text.contains("fix: --na n/a"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let (report, said) = explored(&folder, "data.csv");
    assert!(said.contains("missing: \"n/a\""), "{said}");
    assert_eq!(report["features"][0]["kind"], "numeric");
}

#[test]
fn an_id_of_sorted_rows_is_an_error() {
    let text = table("w", |row| row.to_string());
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_by_key(|line| line.rsplit(',').next());
    let mut sorted = "nr,w,x,y,z,class\n".to_owned();
    for (row, line) in lines.iter().enumerate() {
        let _ = writeln!(sorted, "{},{line}", row + 1);
    }
    let folder = Folder::new().file("data.csv", sorted);
    let document = folder.json(&["check", "data.csv", "--json"]);
    let found = findings(&document, Some("nr"));
    assert_eq!(
        (&found[0]["code"], &found[0]["severity"]),
        (&"id-number".into(), &"error".into())
    );
    assert_eq!(findings(&document, None)[0]["code"], "sorted-rows");
}

#[test]
fn rows_without_a_target_are_counted() {
    let text = table("w", |row| drawn(row, 5, 9).to_string());
    let without = text.replacen(",yes\n", ",\n", 3);
    let folder = Folder::new().file("data.csv", without);
    let document = folder.json(&["check", "data.csv", "--json"]);
    assert_eq!(document["rows"]["without_target"], 3);
    assert_eq!(
        findings(&document, Some("class"))[0]["code"],
        "missing-target"
    );
    let (report, said) = explored(&folder, "data.csv");
    assert!(said.contains("left out: 3 rows without a target"), "{said}");
    assert_eq!(report["table"]["rows"], N_ROWS - 3);
    let refused = folder.run(&["fit", "greedy", "data.csv"]);
    assert!(
        refused.stderr.contains("--skip-missing-target"),
        "{refused:?}"
    );
    let skipping = [
        "fit",
        "greedy",
        "data.csv",
        "--skip-missing-target",
        "-o",
        "model.json",
    ];
    folder.done(&skipping);
    folder.done(&["verify", "model.json", "data.csv"]);
    folder.done(&["score", "model.json", "data.csv"]);
}

#[test]
fn rare_fraud_is_said() {
    let mut text = "x,y,class\n".to_owned();
    for row in 0..2000 {
        let class = if drawn(row, 4, 125) == 0 {
            "fraud"
        } else {
            "fair"
        };
        let _ = writeln!(
            text,
            "{},{},{class}",
            drawn(row, 1, 100),
            drawn(row, 2, 100)
        );
    }
    let folder = Folder::new().file("data.csv", text);
    let document = folder.json(&["check", "data.csv", "--json"]);
    let found = findings(&document, Some("class"));
    assert_eq!(found[0]["code"], "class-imbalance");
    assert_eq!(found[0]["fix"], "--class-weight balanced");
}

#[test]
fn a_table_of_ids_is_refused_by_explore_alone() {
    let mut text = "key,class\n".to_owned();
    for row in 0..50 {
        let _ = writeln!(text, "k{row},{}", ["a", "b"][drawn(row, 1, 2)]);
    }
    let folder = Folder::new().file("data.csv", text);
    folder.done(&["check", "data.csv"]);
    let run = folder.run(&["explore", "data.csv"]);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{run:?}");
    assert!(run.stderr.contains("--keep key"), "{run:?}");
    let unknown = folder.run(&["explore", "data.csv", "--keep", "kee"]);
    assert!(
        unknown.stderr.contains("keep: there is no column \"kee\""),
        "{unknown:?}"
    );
}

#[test]
fn many_words_among_numbers_are_named() {
    const WORDS: [&str; 7] = ["none", "n/a", "unknown", "-", "missing", "tbd", "N/A"];
    let cell = |row: usize| match row % 12 {
        0 => WORDS[row / 12 % 7].to_owned(),
        _ => format!("{}.5", drawn(row, 8, 5000)),
    };
    let folder = Folder::new().file("data.csv", table("bmi", cell));
    let document = folder.json(&["check", "data.csv", "--json"]);
    let found = findings(&document, Some("bmi"));
    assert_eq!(found[0]["code"], "nearly-numeric");
    let fix = found[0]["fix"].as_str().unwrap();
    let list = fix.strip_prefix("--na=").unwrap();
    let list = list.strip_suffix(" --numeric bmi").unwrap();
    for word in WORDS {
        assert!(list.split(',').any(|it| it == word), "{fix}");
    }
    folder.done(&[
        "fit",
        "greedy",
        "data.csv",
        &format!("--na={list}"),
        "--numeric",
        "bmi",
    ]);
    let (report, said) = explored(&folder, "data.csv");
    assert!(said.contains("7 words (\"-\""), "{said}");
    assert_eq!(report["features"][0]["kind"], "numeric");
    // A word that need not mean missing is not decided, but the option is there.
    let folder = Folder::new().file(
        "data.csv",
        table("bmi", |row| cell(row).replace("tbd", "soon")),
    );
    let (report, said) = explored(&folder, "data.csv");
    assert!(
        said.contains("warning: bmi") && said.contains("; --na="),
        "{said}"
    );
    assert_eq!(report["features"][0]["kind"], "categorical");
}

#[test]
fn infinite_numbers_among_words_are_named() {
    let cell = |row: usize| match row {
        16 => "n/a".into(),
        20 => "inf".into(),
        _ => drawn(row, 8, 90).to_string(),
    };
    let folder = Folder::new().file("data.csv", table("bmi", cell));
    for command in ["check", "explore"] {
        let run = folder.run(&[command, "data.csv"]);
        assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{run:?}");
        let named = "row 21 (line 22), column \"bmi\": \"inf\" is not a finite number";
        assert!(run.stderr.contains(named), "{run:?}");
    }
    folder.done(&["check", "data.csv", "--categorical", "bmi"]);
    folder.done(&["check", "data.csv", "--na", "inf,n/a"]);
}

#[test]
fn cells_for_people_are_named_with_a_fix() {
    let cell = |row: usize| {
        let price = format!("\"$1,{:03}\"", drawn(row, 8, 40));
        let share = if row == 5 {
            " 18".into()
        } else {
            drawn(row, 6, 90).to_string()
        };
        let town = ["Rome", "Rome", "rome ", "Oslo"][drawn(row, 7, 4)];
        format!("{price},{share},{town}")
    };
    let folder = Folder::new().file("data.csv", table("price,share,town", cell));
    let document = folder.json(&["check", "data.csv", "--json"]);
    for (name, code, fix) in [
        ("price", "formatted-numbers", "write \"$1,000\" as 1000"),
        ("share", "formatted-numbers", "write \" 18\" as 18"),
        ("town", "alike-categories", "write \"rome \" as \"Rome\""),
    ] {
        let found = findings(&document, Some(name));
        assert_eq!(found[0]["code"], code);
        assert_eq!(found[0]["severity"], "warning");
        assert_eq!(found[0]["fix"], fix);
    }
    let (_, said) = explored(&folder, "data.csv");
    assert!(said.contains("write \" 18\" as 18"), "{said}");
}

#[test]
fn dates_with_other_words_are_told_as_dates() {
    let cell = |row: usize| match row % 50 {
        3 => "unknown".into(),
        _ => format!(
            "2024-{:02}-{:02}",
            drawn(row, 6, 12) + 1,
            drawn(row, 7, 28) + 1
        ),
    };
    let folder = Folder::new().file("data.csv", table("joined", cell));
    let (report, said) = explored(&folder, "data.csv");
    assert!(said.contains("among the dates of \"joined\""), "{said}");
    assert_eq!(report["features"][0]["kind"], "numeric");
}

#[test]
fn what_cannot_be_kept_is_said() {
    let folder = Folder::new().file("data.csv", table("w", |row| drawn(row, 5, 9).to_string()));
    for (keep, drop, expected) in [
        ("w", "w", "keep: column \"w\" is also in drop"),
        ("class", "w", "keep: column \"class\" is the target"),
    ] {
        let run = folder.run(&["explore", "data.csv", "--keep", keep, "--drop", drop]);
        assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
    }
}

#[test]
fn the_next_command_can_be_typed() {
    let text = table("w", |row| drawn(row, 5, 9).to_string());
    let folder = Folder::new().file("it's my data.csv", text);
    let quick = ["--folds", "3", "--budget", "1s"];
    let typed = ["explore", "it's my data.csv", "--target", "class"];
    let said = folder.done(&[&typed[..], &quick].concat());
    let next = said
        .lines()
        .last()
        .unwrap()
        .strip_prefix("next: treewright ");
    let next = next.unwrap();
    assert!(
        next.contains("--target class") && next.contains("-o report.html"),
        "{next}"
    );
    let file = r"'it'\''s my data.csv'";
    assert!(next.starts_with(&format!("explore {file} ")), "{next}");
    let model = ["--model", "my model.json"];
    let said = folder.done(&[&typed[..], &quick, &model].concat());
    let next = "next: treewright predict 'my model.json' NEW.csv > predictions.csv";
    assert_eq!(said.lines().last(), Some(next));
}

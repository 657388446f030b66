//! `explore` on tables with the faults that real tables have.

use serde_json::Value;
use std::fmt::Write as _;

use crate::support::{Folder, Run};

/// Numbers that look random, the same every time.
struct Dice(u64);

impl Dice {
    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// `size` tells the class, with some noise; `other` tells nothing.
fn rows(n_rows: usize) -> Vec<(u64, u64, &'static str)> {
    let mut dice = Dice(1);
    (0..n_rows)
        .map(|_| {
            let (size, other) = (dice.below(100), dice.below(50));
            let is_yes = (size >= 60) != (dice.below(8) == 0);
            (size, other, if is_yes { "yes" } else { "no" })
        })
        .collect()
}

/// A table with one more column in front.
fn with_column(name: &str, cell: impl Fn(usize, &str) -> String) -> Folder {
    let mut table = format!("{name}size,other,bought\n");
    for (row, (size, other, class)) in rows(240).into_iter().enumerate() {
        let cell = cell(row, class);
        writeln!(table, "{cell}{size},{other},{class}").unwrap();
    }
    Folder::new().file("data.csv", table)
}

fn explored(folder: &Folder, arguments: &[&str]) -> (Run, Value) {
    let run = folder.run(&[&["explore", "data.csv", "--json"], arguments].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let report = serde_json::from_str(&run.stdout).unwrap();
    (run, report)
}

/// The nodes of the chosen tree, without the numbers of its features.
fn tree_of(folder: &Folder) -> String {
    folder.done(&["explore", "data.csv", "--quiet", "--model", "best.json"]);
    folder.done(&["show", "best.json"])
}

#[test]
fn ids_and_dates_leave_the_tree_as_it_is() {
    let plain = tree_of(&with_column("", |_, _| String::new()));
    assert!(plain.contains("size"), "{plain}");
    let id = with_column("customer_id,", |row, _| {
        format!("C{:05},", row * 7919 % 100_000)
    });
    let (run, _) = explored(&id, &[]);
    assert!(run.stderr.contains("customer_id"), "{run:?}");
    assert_eq!(tree_of(&id), plain);
    let date = with_column("day,", |row, _| {
        let day = row * 37 % 365;
        format!("2024-{:02}-{:02},", 1 + day / 31, 1 + day % 28)
    });
    let (run, _) = explored(&date, &[]);
    assert!(run.stderr.contains("day"), "{run:?}");
    assert_eq!(tree_of(&date), plain);
}

#[test]
fn a_word_among_numbers_is_said() {
    let mut table = "size,other,bought\n".to_owned();
    for (row, (size, other, class)) in rows(240).into_iter().enumerate() {
        let size = if row == 17 {
            "n/a".into()
        } else {
            size.to_string()
        };
        writeln!(table, "{size},{other},{class}").unwrap();
    }
    let folder = Folder::new().file("data.csv", table);
    let (run, report) = explored(&folder, &[]);
    assert!(run.stderr.contains("n/a"), "{run:?}");
    let kinds = report["features"].as_array().unwrap();
    assert!(
        kinds.iter().all(|feature| feature["kind"] == "numeric"),
        "{kinds:?}"
    );
}

#[test]
fn an_id_that_follows_sorted_rows_is_left_out() {
    let mut all = rows(240);
    all.sort_by_key(|it| it.2);
    let mut table = "record,size,other,bought\n".to_owned();
    for (row, (size, other, class)) in all.into_iter().enumerate() {
        writeln!(table, "{},{size},{other},{class}", row + 1000).unwrap();
    }
    let folder = Folder::new().file("data.csv", table);
    let (run, report) = explored(&folder, &[]);
    assert!(run.stderr.contains("record"), "{run:?}");
    let names: Vec<&Value> = report["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["size", "other"]);
}

/// The way for missing values that is learned, or a branch of their own, is worth much more than sharing them out.
#[test]
fn missing_values_that_tell_something_are_used() {
    let mut dice = Dice(5);
    let mut table = "income,other,bought\n".to_owned();
    for _ in 0..400 {
        let (income, other) = (dice.below(100), dice.below(50));
        let is_missing = dice.below(2) == 0;
        let is_yes = is_missing != (dice.below(10) == 0);
        let income = if is_missing {
            String::new()
        } else {
            income.to_string()
        };
        writeln!(
            table,
            "{income},{other},{}",
            if is_yes { "yes" } else { "no" }
        )
        .unwrap();
    }
    let folder = Folder::new().file("data.csv", table);
    let (_, report) = explored(&folder, &[]);
    let least = |id: &str| {
        let families = report["families"].as_array().unwrap();
        let family = families.iter().find(|family| family["id"] == id).unwrap();
        let members = family["members"].as_array().unwrap().iter();
        let errors = members.map(|member| member["cv_error"].as_f64().unwrap());
        errors.fold(f64::INFINITY, f64::min)
    };
    assert!(least("greedy-linear") < 0.15);
    assert!(least("greedy-linear-branch") < 0.15);
    assert!(least("greedy-linear-distribute") > 0.3);
    let answer = report["answer"].as_str().unwrap();
    assert!(answer.contains("-leaf tree is enough"), "{answer}");
}

#[test]
fn a_rare_class_is_said() {
    let mut table = "size,other,fraud\n".to_owned();
    for (row, (size, other, _)) in rows(1000).into_iter().enumerate() {
        let class = if row % 125 == 3 { "yes" } else { "no" };
        writeln!(table, "{size},{other},{class}").unwrap();
    }
    let folder = Folder::new().file("data.csv", table);
    let (run, report) = explored(&folder, &[]);
    assert!(run.stderr.contains("fraud"), "{run:?}");
    let answer = report["answer"].as_str().unwrap();
    assert!(
        answer.starts_with("A single answer is enough: always \"no\"."),
        "{answer}"
    );
}

#[test]
fn what_the_check_leaves_out_may_be_all() {
    let mut table = String::new();
    for row in 0..60 {
        writeln!(table, "K{row:04},{}", row % 2).unwrap();
    }
    let folder = Folder::new().file("data.csv", format!("key,bought\n{table}"));
    let line = folder.refused(
        &["explore", "data.csv"],
        "data.csv: the check leaves out all columns",
    );
    assert!(line.contains("--keep key"), "{line}");
}

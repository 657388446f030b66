//! Names, categories and labels that try to steer the terminal.

use std::fmt::Write;

use crate::support::{Folder, Run};

/// Colours, a cleared screen, a new line, a turned direction, a title, and what cannot be seen.
const NASTY: [&str; 5] = [
    "\u{1b}[31mred\u{1b}[2J",
    "two\rlines\u{8}\u{8}",
    "\u{202e}turned\u{2066}",
    "\u{1b}]0;title\u{7}",
    "\u{200b}hid\u{9b}31m\u{feff}\u{e0041}",
];

fn table() -> String {
    let [a, b, c, d, e] = NASTY;
    let mut text = format!("{a},{b},{c}\n");
    for row in 0..24 {
        let category = if row % 3 == 0 { d } else { e };
        let label = if row % 3 == 0 || row > 16 { a } else { d };
        let _ = writeln!(text, "{row},{category},{label}");
    }
    text
}

/// Everything that was said is plain text, line by line.
#[track_caller]
fn check(folder: &Folder, line: &str) -> Run {
    let words: Vec<&str> = line.split(' ').collect();
    let run = folder.run(&words);
    let is_bad = |c: char| {
        let is_hidden = matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}');
        c.is_control() && c != '\n' || is_hidden
    };
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(is_bad), "{line}: {text:?}");
    }
    run
}

#[test]
fn texts_of_a_table_do_not_steer_the_terminal() {
    let folder = Folder::new().file("data.csv", table());
    for line in [
        "fit greedy data.csv",
        "fit greedy data.csv -o model.json",
        "fit dyadic data.csv",
        "fit optimal data.csv -v",
        "path greedy data.csv --folds 2",
        "path dyadic data.csv -o family.json",
        "prune model.json --leaves 2",
        "summary data.csv",
        "validate greedy,optimal:depth=1 data.csv --folds 2",
        "curve greedy data.csv --repeats 2",
        "distinct data.csv",
        "select backward data.csv --resamples 2",
        "select complete data.csv",
        "explore data.csv --folds 2 --budget 5s",
        "report model.json data.csv",
        "score model.json data.csv",
        "verify model.json data.csv",
        "show model.json",
        "export model.json --to rules",
        "export model.json --to dot",
        "export model.json --to python",
        "export model.json --to c",
    ] {
        let run = check(&folder, line);
        assert_eq!(run.code, 0, "{line}: {run:?}");
    }
    // With colours of our own, those of the table are still texts.
    for line in ["fit greedy data.csv", "show model.json"] {
        let words: Vec<&str> = line.split(' ').collect();
        let output = folder.command(&words).env("CLICOLOR_FORCE", "1").output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(text.contains(r"\u{1b}[31mred"), "{line}: {text:?}");
        assert!(!text.contains("\u{1b}[31mred"), "{line}: {text:?}");
    }
    let shown = folder.done(&["show", "model.json"]);
    assert!(shown.contains(r"\u{1b}[31mred\u{1b}[2J"), "{shown}");
}

#[test]
fn errors_do_not_steer_the_terminal() {
    let [a, b, c, d, _] = NASTY;
    let folder = Folder::new()
        .file("data.csv", table())
        .file("twice.csv", format!("{a},{a}\n1,2\n"))
        .file("short.csv", format!("{a},{b}\n1,2\n1\n"))
        .file("wrong.csv", format!("{c},class\n1,x\n{d},y\n"))
        .file("costs.csv", format!(",{a},{b}\n{c},0,{d}\n"))
        .file(c, "x,class\n1\n");
    for line in [
        "fit greedy twice.csv",
        "fit greedy short.csv",
        &format!("fit greedy wrong.csv --numeric {c}"),
        &format!("fit greedy data.csv --target {d}"),
        &format!("fit greedy data.csv --class-weight {b}=2"),
        "fit greedy data.csv --costs costs.csv",
        &format!("fit greedy {c}"),
        &format!("fit greedy {a}"),
        &format!("fit greedy data.csv -o nowhere/{a}"),
    ] {
        let run = check(&folder, line);
        assert_eq!(run.code, 1, "{line}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{line}: {run:?}");
    }
}

/// Data is data: whoever reads it back gets what was there.
#[test]
fn data_keeps_its_texts() {
    let folder = Folder::new().file("data.csv", table());
    let model = folder.json(&["fit", "greedy", "data.csv", "--json", "--quiet"]);
    assert_eq!(model["features"][0]["name"], NASTY[0]);
    assert_eq!(model["target"]["name"], NASTY[2]);
    folder.done(&["fit", "greedy", "data.csv", "-o", "model.json", "--quiet"]);
    let predictions = folder.done(&["predict", "model.json", "data.csv"]);
    assert!(predictions.contains(NASTY[3]), "{predictions:?}");
}

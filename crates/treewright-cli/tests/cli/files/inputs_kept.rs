//! A result never replaces an input of its command.

use std::fs::{self, File, OpenOptions};
use std::process::Stdio;

use crate::support::{Folder, MODEL, TABLE};

/// A folder with everything that a command may read.
fn with_inputs() -> Folder {
    Folder::with_model()
        .file("costs.csv", ",no,yes\nno,0,1\nyes,5,0\n")
        .file("penalty.txt", "1\n2\n3\n4\n5\n6\n7\n8\n")
}

/// Every command that writes, with an input in place of its result.
const COMMANDS: &[&str] = &[
    "fit greedy data.csv -o data.csv",
    "fit greedy data.csv --costs costs.csv -o costs.csv",
    "fit greedy data.csv --penalty table:penalty.txt --leaves 2 -o penalty.txt",
    "fit dyadic data.csv -o data.csv",
    "fit optimal data.csv -o data.csv",
    "fit optimal data.csv -o data.csv --json",
    "path greedy data.csv -o data.csv",
    "path dyadic data.csv -o data.csv",
    "prune model.json --leaves 1 -o model.json",
    "prune model.json data.csv --leaves 1 -o data.csv",
    "prune model.json --leaves 1 --penalty table:penalty.txt -o penalty.txt",
    "distinct data.csv -o data.csv",
    "distinct data.csv --trees data.csv",
    "select backward data.csv -o data.csv",
    "select complete data.csv --search other.csv -o other.csv",
    "validate greedy data.csv --folds 2 -o data.csv",
    "validate greedy:penalty=table:penalty.txt:leaves=2 data.csv --folds 2 -o penalty.txt",
    "curve greedy data.csv -o data.csv",
    "summary data.csv -o data.csv",
    "explore data.csv -o data.csv",
    "report model.json data.csv -o model.json",
    "report model.json data.csv -o data.csv",
    "predict model.json data.csv -o model.json",
    "predict model.json data.csv -o data.csv",
    "score model.json data.csv -o data.csv",
    "verify model.json data.csv -o model.json",
    "export model.json --to sql -o model.json",
    "export model.json --to onnx -o model.json",
];

#[test]
fn no_command_replaces_what_it_reads() {
    for line in COMMANDS {
        let folder = with_inputs().file("other.csv", TABLE);
        let words: Vec<&str> = line.split(' ').collect();
        let at = words
            .iter()
            .position(|&word| word == "-o" || word == "--trees");
        let output = words[at.unwrap() + 1];
        let before = folder.read(output);
        let refusal = folder.refused(&words, "");
        let expected = format!("{output}: the command reads this file, and would replace it");
        assert!(refusal.contains(&expected), "{refusal}");
        assert_eq!(folder.read(output), before, "{line}");
    }
}

#[test]
#[cfg(unix)]
fn links_and_other_names_do_not_help() {
    let folder = with_inputs();
    fs::create_dir(folder.path("sub")).unwrap();
    fs::hard_link(folder.path("data.csv"), folder.path("hard.csv")).unwrap();
    std::os::unix::fs::symlink("data.csv", folder.path("soft.csv")).unwrap();
    std::os::unix::fs::symlink(".", folder.path("here")).unwrap();
    let absolute = folder.path("data.csv");
    let names = [
        "./data.csv",
        "sub/../data.csv",
        "hard.csv",
        "soft.csv",
        "here/data.csv",
        absolute.to_str().unwrap(),
    ];
    for name in names {
        for (input, output) in [("data.csv", name), (name, "data.csv")] {
            let command = ["fit", "greedy", input, "-o", output];
            folder.refused(&command, &format!("{input}: the command reads this file"));
        }
    }
    assert_eq!(folder.read("data.csv"), TABLE);
    assert_eq!(folder.read("model.json"), MODEL);
}

#[test]
#[cfg(unix)]
fn redirections_are_looked_through() {
    let folder = with_inputs();
    for input in ["-", "/dev/stdin"] {
        let output = folder
            .command(&["fit", "greedy", input, "-o", "data.csv"])
            .stdin(File::open(folder.path("data.csv")).unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let line = String::from_utf8(output.stderr).unwrap();
        assert!(line.contains("the command reads this file"), "{line}");
        assert_eq!(folder.read("data.csv"), TABLE);
    }
    // As with `>>`.
    let appended = OpenOptions::new()
        .append(true)
        .open(folder.path("data.csv"));
    let output = folder
        .command(&["predict", "model.json", "data.csv"])
        .stdout(appended.unwrap())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(
        line.contains("data.csv: standard output goes to this file"),
        "{line}"
    );
    assert_eq!(folder.read("data.csv"), TABLE);
}

#[test]
fn two_results_do_not_share_a_file() {
    let folder = with_inputs();
    for output in ["out.json", "./out.json"] {
        folder.refused(
            &["distinct", "data.csv", "-o", "out.json", "--trees", output],
            &format!("{output}: "),
        );
    }
}

#[test]
fn other_files_are_replaced() {
    let folder = with_inputs().file("old.json", "old");
    folder.done(&["fit", "greedy", "data.csv", "-o", "old.json"]);
    assert!(folder.read("old.json").starts_with('{'));
    // What two arguments read is not written.
    folder.done(&["predict", "model.json", "data.csv", "-o", "predictions.csv"]);
    folder.done(&["select", "backward", "data.csv", "--search", "data.csv"]);
}

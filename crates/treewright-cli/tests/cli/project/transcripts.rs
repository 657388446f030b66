//! What the guide and the README show is what the program prints: their blocks that begin with `$ treewright` are run.
//!
//! Times differ, and so do the widths of columns with times: both are masked.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Folder;

const UNITS: [&str; 4] = ["ms", "s", "min", "h"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of a document that show a command and its output, with the line that they begin in.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line != "```" {
            continue;
        }
        let block = lines.by_ref().map(|(_, line)| line);
        let block: Vec<&str> = block.take_while(|line| *line != "```").collect();
        if let Some(command) = block.first().and_then(|first| first.strip_prefix("$ "))
            && command.starts_with("treewright ")
        {
            found.push((number + 2, command.to_owned(), block[1..].join("\n")));
        }
    }
    found
}

/// Lines without times, with single spaces.
fn masked(text: &str) -> String {
    let mut found = String::new();
    for line in text.trim().lines() {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        for place in 1..words.len() {
            let unit = words[place].trim_end_matches(['.', ',']);
            let is_number = words[place - 1].parse::<f64>().is_ok();
            if UNITS.contains(&unit) && is_number {
                words[place - 1] = "TIME";
            }
        }
        let _ = writeln!(found, "{}", words.join(" "));
    }
    // A short time is in milliseconds, a longer one in seconds.
    UNITS.iter().fold(found, |text, unit| {
        text.replace(&format!("TIME {unit}"), "TIME")
    })
}

#[test]
fn transcripts_are_what_the_program_prints() {
    let program = Path::new(env!("CARGO_BIN_EXE_treewright"));
    let path = env::join_paths(
        [program.parent().unwrap().to_owned()]
            .into_iter()
            .chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let mut wrong = String::new();
    let mut n_blocks = 0;
    for document in ["README.md", "docs/guide.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let folder = Folder::new();
        std::os::unix::fs::symlink(root().join("testdata"), folder.path("testdata")).unwrap();
        folder.done(&[
            "fit",
            "greedy",
            "testdata/tables/titanic.csv",
            "-o",
            "full.json",
        ]);
        for (line, command, expected) in blocks(&text) {
            // The usual budget may be too short for a program that is not optimised.
            let command = match command.strip_prefix("treewright explore ") {
                Some(rest) => format!("treewright explore --budget 30m {rest}"),
                None => command,
            };
            let run = Command::new("sh")
                .args(["-c", &format!("exec 2>&1; {command}")])
                .env("PATH", &path)
                .env("NO_COLOR", "1")
                .current_dir(folder.path(""))
                .output()
                .unwrap();
            let printed = String::from_utf8(run.stdout).unwrap();
            n_blocks += 1;
            // Some blocks end with dots.
            let is_shown = match expected.strip_suffix("\n...") {
                Some(part) => masked(&printed).starts_with(&masked(part)),
                None => masked(&printed) == masked(&expected),
            };
            if !is_shown {
                let _ = writeln!(wrong, "{document}:{line}: {command}\n{printed}");
            }
        }
    }
    assert!(n_blocks > 20, "{n_blocks} blocks were found");
    assert!(wrong.is_empty(), "{wrong}");
}

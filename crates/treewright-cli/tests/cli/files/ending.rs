//! Signals, closed outputs and files that are too large: what stays behind.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::Folder;

/// A table of noise with so many distinct trees that nobody waits for them.
fn endless_table() -> String {
    let names: Vec<String> = (0..30).map(|at| format!("x{at}")).collect();
    let mut text = names.join(",") + ",class\n";
    let mut state = 1_u64;
    for _ in 0..200 {
        for _ in 0..30 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let _ = write!(text, "{},", state >> 40);
        }
        text.push_str(if state >> 63 == 0 { "a\n" } else { "b\n" });
    }
    text
}

/// A search that has begun to write trees.
fn started(folder: &Folder, program: &mut Command) -> Child {
    let child = program
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_begun = |name: &String| {
        let size = fs::metadata(folder.path(name)).map_or(0, |file| file.len());
        name.starts_with(".treewright-") && size > 0
    };
    while !folder.names().iter().any(is_begun) {
        sleep(Duration::from_millis(10));
    }
    child
}

fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );
}

/// Do the tests, and all that they start, ignore a signal?
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| {
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
        mask & (1 << (signal - 1)) != 0
    })
}

const DISTINCT: [&str; 4] = ["distinct", "data.csv", "--trees", "trees.jsonl"];

#[test]
fn a_program_that_is_ended_leaves_nothing() {
    let folder = Folder::new().file("data.csv", endless_table());
    for (signal, number) in [("-TERM", 15), ("-HUP", 1)] {
        if is_ignored(number) {
            println!("skipped: {signal} is ignored here");
            continue;
        }
        let mut child = started(&folder, &mut folder.command(&DISTINCT));
        send(&child, signal);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{status:?}");
        assert_eq!(folder.names(), ["data.csv"]);
    }
}

/// Makes a pipe with a name, which blocks whoever opens it.
fn pipe(folder: &Folder, name: &str) {
    let made = Command::new("mkfifo").arg(folder.path(name)).status();
    assert!(made.unwrap().success());
}

#[test]
fn a_second_interrupt_ends_the_program() {
    let folder = Folder::new().file("data.csv", endless_table());
    pipe(&folder, "figures");
    let command = [&DISTINCT[..], &["-o", "figures"]].concat();
    let mut child = started(&folder, &mut folder.command(&command));
    send(&child, "-INT");
    // The trees are kept; then it waits for somebody who reads the figures.
    while !folder.names().contains(&"trees.jsonl".to_owned()) {
        sleep(Duration::from_millis(10));
    }
    send(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), ["data.csv", "figures", "trees.jsonl"]);
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_before_the_search_ends_the_program() {
    let folder = Folder::new();
    pipe(&folder, "data.csv");
    let mut child = folder
        .command(&["fit", "greedy", "data.csv", "-o", "model.json"])
        .spawn()
        .unwrap();
    let has_listener = || {
        let tasks = fs::read_dir(format!("/proc/{}/task", child.id()));
        tasks.map_or(true, |tasks| tasks.count() > 1)
    };
    while !has_listener() {
        sleep(Duration::from_millis(10));
    }
    send(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    if Command::new("nohup").arg("true").output().is_err() {
        println!("skipped: nohup is not installed");
        return;
    }
    let folder = Folder::new().file("data.csv", endless_table());
    let mut program = Command::new("nohup");
    program
        .arg(env!("CARGO_BIN_EXE_treewright"))
        .args(DISTINCT)
        .current_dir(folder.path("."));
    let mut child = started(&folder, &mut program);
    send(&child, "-HUP");
    sleep(Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none());
    send(&child, "-INT");
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.names(), ["data.csv", "trees.jsonl"]);
}

/// Runs a line in a shell, in which `$T` is the program.
fn shell(folder: &Folder, line: &str) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", line])
        .env("T", env!("CARGO_BIN_EXE_treewright"))
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let folder = Folder::with_model();
    for command in [
        "fit greedy data.csv --json",
        "show model.json",
        "predict model.json data.csv",
    ] {
        let (code, line) = shell(&folder, &format!("$T {command} --quiet >&-"));
        assert_eq!(code, Some(1), "{command}: {line}");
        assert_eq!(line, "treewright: standard output: is closed\n");
        // Open, but for reading.
        let (code, line) = shell(&folder, &format!("$T {command} --quiet 1</dev/null"));
        assert_eq!(code, Some(1), "{command}: {line}");
        assert!(line.starts_with("treewright: standard output: "), "{line}");
        let (code, line) = shell(&folder, &format!("$T {command} --quiet >/dev/null"));
        assert_eq!((code, &*line), (Some(0), ""), "{command}");
        let (code, line) = shell(&folder, &format!("$T {command} --quiet 1<>/dev/null"));
        assert_eq!((code, &*line), (Some(0), ""), "{command}");
    }
    // Nothing is written to standard output, so it may be closed.
    let (code, line) = shell(&folder, "$T fit greedy data.csv -o out.json --quiet >&-");
    assert_eq!((code, &*line), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = Folder::with_model();
    for command in ["fit greedy data.csv --json", "show model.json"] {
        let (code, line) = shell(&folder, &format!("$T {command} --quiet >/dev/full"));
        assert_eq!(code, Some(1), "{command}: {line}");
        assert!(
            line.starts_with("treewright: standard output: No space left"),
            "{line}"
        );
    }
}

#[test]
fn a_file_that_grows_too_large_is_an_error() {
    let folder = Folder::new().file("data.csv", endless_table());
    let line = "ulimit -f 100; $T distinct data.csv --trees trees.jsonl --quiet";
    let (code, line) = shell(&folder, line);
    assert_eq!(code, Some(1), "{line}");
    assert!(line.contains("trees.jsonl: "), "{line}");
    assert_eq!(folder.names(), ["data.csv"]);
}

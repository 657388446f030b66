//! Replays the corpus of every fuzz target, and mutations of it that are the same every time.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use treewright_fuzz::{TARGETS, Target, mutate, target};

/// Mutations of each file; the fuzzer itself makes millions.
const MUTATIONS: u64 = 60;

fn corpus(target: &Target) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fuzz");
    let folder = root.join(target.name);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    files.sort();
    files
}

/// Runs a target on bytes; tells the file and the mutation if it panics.
fn run(target: &Target, bytes: &[u8], file: &Path, mutation: u64) {
    let run = target.run;
    assert!(
        catch_unwind(|| run(bytes)).is_ok(),
        "target {}, file {}, mutation {mutation}: see the panic above",
        target.name,
        file.display()
    );
}

fn replay(name: &str) {
    let target = target(name).expect("a target");
    let files = corpus(target);
    assert!(files.len() > 2, "the corpus of {name} is lost");
    for (number, file) in (0..).zip(&files) {
        let bytes = fs::read(file).expect("a readable file");
        run(target, &bytes, file, 0);
        for mutation in 1..=MUTATIONS {
            let seed = number * MUTATIONS + mutation;
            run(target, &mutate(&bytes, seed), file, mutation);
        }
    }
}

#[test]
fn csv() {
    replay("csv");
}

#[test]
fn tsv() {
    replay("tsv");
}

#[test]
fn gzip() {
    replay("gzip");
}

#[test]
fn parquet() {
    replay("parquet");
}

#[test]
fn arrow() {
    replay("arrow");
}

#[test]
fn model() {
    replay("model");
}

#[test]
fn family() {
    replay("family");
}

#[test]
fn costs() {
    replay("costs");
}

#[test]
fn penalty() {
    replay("penalty");
}

#[test]
fn check_model() {
    replay("check-model");
}

#[test]
fn check_table() {
    replay("check-table");
}

#[test]
fn proof() {
    replay("proof");
}

#[test]
fn every_target_is_replayed() {
    assert_eq!(TARGETS.len(), 12);
}

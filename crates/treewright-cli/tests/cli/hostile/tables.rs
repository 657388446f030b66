//! Parquet and Arrow files with a wrong byte somewhere.
//!
//! Some of them make the crates that read them panic. The reader catches that, and the program says in one
//! plain line that the file is broken.

use std::cell::Cell;
use std::panic::{set_hook, take_hook};

use treewright::data::{Source, Wanted};
use treewright_arrow::{ArrowSource, is_guarded};

use crate::files::reading::{arrow_file, parquet_file};
use crate::support::Folder;

/// Of the files that make a reader panic, at most this many are given to the program.
const MOST_TRIED: usize = 4;

thread_local! {
    static HAS_PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Files that differ from a good one in one byte, and make the reader panic inside.
fn that_panic(whole: &[u8], open: fn(Vec<u8>) -> treewright::Result<ArrowSource>) -> Vec<Vec<u8>> {
    let read = |bytes: Vec<u8>| {
        let source = open(bytes)?;
        source.read(&vec![Wanted::Either; source.names().len()], &[])
    };
    let mut found = Vec::new();
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xff, whole[at].wrapping_add(1)] {
            let mut bytes = whole.to_vec();
            bytes[at] = value;
            HAS_PANICKED.set(false);
            let is_refused = read(bytes.clone()).is_err();
            if HAS_PANICKED.get() {
                assert!(is_refused);
                found.push(bytes);
                break;
            }
        }
    }
    // Faults of one kind stand side by side.
    let step = found.len().div_ceil(MOST_TRIED).max(1);
    found.into_iter().step_by(step).collect()
}

#[test]
fn files_that_make_a_reader_panic_are_refused_in_plain_words() {
    let usual = take_hook();
    set_hook(Box::new(move |info| {
        if is_guarded() {
            HAS_PANICKED.set(true);
        } else {
            usual(info);
        }
    }));
    let parquet = that_panic(&parquet_file(), ArrowSource::parquet);
    let arrow = that_panic(&arrow_file(None), ArrowSource::ipc);
    println!(
        "{} Parquet and {} Arrow files panic",
        parquet.len(),
        arrow.len()
    );
    for (name, files) in [("data.parquet", parquet), ("data.arrow", arrow)] {
        for content in files {
            let folder = Folder::new().file(name, content);
            let line = folder.refused(
                &["fit", "greedy", name],
                &format!("{name}: not a readable "),
            );
            assert!(
                line.ends_with("its parts contradict each other\n"),
                "{line}"
            );
        }
    }
}

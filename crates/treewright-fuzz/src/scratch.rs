//! Bytes as a file: the doors of the program take paths, and its name decides how a file is read.

use std::fs;
use std::path::{Path, PathBuf};

/// Does something with a file of this name ending and content.
///
/// The file lies in memory where the system has a place for that. Each thread has its own.
pub(crate) fn with_file<T>(ending: &str, bytes: &[u8], run: impl FnOnce(&Path) -> T) -> T {
    let path = folder().join(format!(
        "treewright-fuzz-{}-{:?}.{ending}",
        std::process::id(),
        std::thread::current().id()
    ));
    fs::write(&path, bytes).expect("the folder for temporary files can be written");
    let result = run(&path);
    fs::remove_file(&path).expect("the file is there still");
    result
}

fn folder() -> PathBuf {
    let in_memory = PathBuf::from("/dev/shm");
    if in_memory.is_dir() {
        in_memory
    } else {
        std::env::temp_dir()
    }
}

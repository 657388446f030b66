//! A wall between hostile files and the caller.
//!
//! The Arrow crates check most of what they read, but not all: some broken files make them panic. A
//! broken file is bad input, not a bug, so a panic inside them becomes the same error as any other
//! fault they find. The panic hook of the process still runs; [`is_guarded`] tells it that there is nothing
//! to say.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use treewright::Result;
use treewright::error::{Error, Place};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does this thread read a table just now, so that a panic in it is caught and becomes an error? A panic hook
/// that prints, or ends the process, should do neither then.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// The kind of file, as messages call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Parquet,
    Arrow,
}

impl Format {
    /// Runs code of the Arrow crates; its errors and panics become errors of ours.
    pub(crate) fn guard<T, E: Display>(
        self,
        run: impl FnOnce() -> std::result::Result<T, E>,
    ) -> Result<T> {
        let before = IS_GUARDED.replace(true);
        // What `run` was working on is thrown away with the error, so nobody sees it half done.
        let result = catch_unwind(AssertUnwindSafe(run));
        IS_GUARDED.set(before);
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.error(&error.to_string())),
            Err(_) => Err(self.error("its parts contradict each other")),
        }
    }

    /// The error for a file that cannot be decoded.
    pub(crate) fn error(self, message: &str) -> Error {
        let name = match self {
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
        };
        let message = format!("not a readable {name} file: {}", one_line(message));
        Error::table(Place::default(), message)
    }
}

/// Text from elsewhere as it may appear in a message: on one line, not longer than a few.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line: String = words.join(" ");
    line.retain(|character| !character.is_control());
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stay_on_one_line() {
        assert_eq!(one_line("a\n  b\u{1b}[0m\tc"), "a b[0m c");
        assert_eq!(one_line(&"é".repeat(400)).chars().count(), 203);
    }

    #[test]
    fn errors_and_panics_look_alike() {
        let error = Format::Arrow
            .guard(|| Err::<(), _>("bad\nthing"))
            .unwrap_err();
        assert_eq!(error.to_string(), "not a readable Arrow file: bad thing");
        let panic = Format::Parquet.guard(|| -> std::result::Result<(), String> {
            std::panic::resume_unwind(Box::new("silent"))
        });
        assert!(
            panic
                .unwrap_err()
                .to_string()
                .starts_with("not a readable Parquet file: ")
        );
    }
}

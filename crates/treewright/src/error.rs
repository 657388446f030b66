//! The one error type of the library.
//!
//! A message names the place, the value and what would be right, in lower case and on one line, so
//! that a program can put the file's name in front and print it. Running out of time or memory is
//! not an error: see [`Budget`](crate::Budget).

use std::fmt;

/// What the library returns when it cannot do what was asked.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<ErrorKind>);

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The kinds of failure. A panic, in contrast, is always a bug of ours.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A cell, a row or the whole table cannot be read.
    #[error("{place}{message}")]
    Table {
        /// Where in the table, as far as known.
        place: Place,
        /// What is wrong there and what would be right.
        message: String,
    },
    /// Columns are not what was asked for, or not what a model needs.
    #[error("{0}")]
    Schema(String),
    /// A parameter has a value it cannot have.
    #[error("{name}: got {given}, expected {allowed}")]
    Parameter {
        /// The parameter's name, as in the field or flag.
        name: &'static str,
        /// The value that was given.
        given: String,
        /// What would have been accepted.
        allowed: String,
    },
    /// A model file breaks the format.
    #[error("not a valid model: {0}")]
    Model(String),
    /// A node of a model file breaks the format.
    #[error("not a valid model: node {node}: {what}")]
    Node {
        /// Its number.
        node: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The penalty on leaves is not what it must be, alone or for these trees.
    #[error("{0}")]
    Penalty(String),
    /// The operating system refused.
    #[error("{0}")]
    Io(String),
    /// A result of ours is not what it must be, and is not handed out.
    #[error("internal error: {0}; please report this with the table")]
    Internal(String),
}

/// A place in a table: data row (from 1), line of the file (from 1) and column name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Data row, counted from 1 without the header.
    pub row: Option<u64>,
    /// Line of a text file, counted from 1 with the header.
    pub line: Option<u64>,
    /// Column name.
    pub column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.row, self.line) {
            (Some(row), Some(line)) => write!(f, "row {row} (line {line})")?,
            (Some(row), None) => write!(f, "row {row}")?,
            (None, Some(line)) => write!(f, "line {line}")?,
            (None, None) => {}
        }
        if let Some(column) = &self.column {
            if self.row.is_some() || self.line.is_some() {
                f.write_str(", ")?;
            }
            write!(f, "column {}", quoted(column))?;
        }
        if *self != Self::default() {
            f.write_str(": ")?;
        }
        Ok(())
    }
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// A fault of the table at a place.
    pub fn table(place: Place, message: impl Into<String>) -> Self {
        ErrorKind::Table {
            place,
            message: message.into(),
        }
        .into()
    }

    /// A fault of the columns.
    pub fn schema(message: impl Into<String>) -> Self {
        ErrorKind::Schema(message.into()).into()
    }

    /// A parameter out of range.
    pub fn parameter(
        name: &'static str,
        given: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        ErrorKind::Parameter {
            name,
            given: given.to_string(),
            allowed: allowed.into(),
        }
        .into()
    }

    /// A fault of a model file.
    pub fn model(message: impl Into<String>) -> Self {
        ErrorKind::Model(message.into()).into()
    }

    /// A fault of a node of a model file.
    pub fn node(node: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        ErrorKind::Node { node, what }.into()
    }

    /// A penalty on leaves that cannot be.
    pub fn penalty(message: impl Into<String>) -> Self {
        ErrorKind::Penalty(message.into()).into()
    }

    /// A fault of ours, found before it could become a false claim.
    pub fn internal(message: impl Into<String>) -> Self {
        ErrorKind::Internal(message.into()).into()
    }

    /// A failure of the operating system.
    pub fn io(message: impl Into<String>) -> Self {
        ErrorKind::Io(message.into()).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

/// Text from a file as it may appear in a message: in quotes, on one line, never longer than a line.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head:?}... ({} characters)", text.chars().count())
}

/// Text from a file as it may be shown: without characters that steer a terminal, break the line, turn its
/// direction around or cannot be seen.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.extend(c.escape_default()),
            c if is_printable(c) => safe.push(c),
            c => safe.extend(c.escape_unicode()),
        }
    }
    safe
}

/// May a character of a file be shown as it is?
pub fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A list of names as it may appear in a message: quoted, cut after a few.
pub fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let names: Vec<&str> = names.into_iter().collect();
    let mut text: Vec<String> = names.iter().take(MOST).map(|name| quoted(name)).collect();
    if names.len() > MOST {
        text.push(format!("... ({} in all)", names.len()));
    }
    text.join(", ")
}

/// A number with its noun, as messages have it: `1 row`, `2 rows`.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// An option names a column that is not there.
pub(crate) fn no_column<'a>(
    option: &str,
    name: &str,
    columns: impl Iterator<Item = &'a str> + Clone,
) -> Error {
    let meant = similar(name, columns.clone()).map_or(String::new(), |meant| {
        format!("; did you mean {}?", quoted(meant))
    });
    Error::schema(format!(
        "{option}: there is no column {} (columns: {}){meant}",
        quoted(name),
        quoted_list(columns)
    ))
}

/// Of these names the one that was probably meant: one that is hardly different.
pub fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().take(100).collect();
    let most = (name.len() / 4).clamp(1, 3);
    let distances = known.map(|known| {
        let other: Vec<char> = known.to_lowercase().chars().take(100).collect();
        (edits(&name, &other), known)
    });
    let nearest = distances.min_by_key(|(distance, _)| *distance);
    nearest
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, known)| known)
}

/// How many letters must be added, removed or changed (Levenshtein).
fn edits(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let change = before + usize::from(a != b);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_place() {
        let place = Place {
            row: Some(16),
            line: Some(17),
            column: Some("width".into()),
        };
        let error = Error::table(place, "\"3,5\" is not a number");
        assert_eq!(
            error.to_string(),
            "row 16 (line 17), column \"width\": \"3,5\" is not a number"
        );
        assert_eq!(
            Error::parameter("intervals", 1, "at least 2").to_string(),
            "intervals: got 1, expected at least 2"
        );
        assert_eq!(
            Error::table(Place::default(), "no rows").to_string(),
            "no rows"
        );
    }

    #[test]
    fn quoted_text_stays_on_one_line() {
        assert_eq!(quoted("a\nb"), r#""a\nb""#);
        assert!(quoted(&"x".repeat(400)).len() < 100);
    }

    #[test]
    fn nothing_that_is_shown_steers_a_terminal() {
        assert_eq!(printable("été 日本 a\\b"), "été 日本 a\\b");
        assert_eq!(printable("a\u{1b}[31m\n\u{9b}2J"), r"a\u{1b}[31m\n\u{9b}2J");
        for c in [
            '\u{202e}',
            '\u{2066}',
            '\u{200f}',
            '\u{61c}',
            '\u{feff}',
            '\u{e0041}',
            '\u{2028}',
        ] {
            assert!(printable(&c.to_string()).is_ascii(), "{c:?}");
            assert!(quoted(&c.to_string()).is_ascii(), "{c:?}");
        }
    }

    #[test]
    fn names_that_are_hardly_different_were_meant() {
        let known = ["age", "survived", "Ticket class"];
        let meant = |name| similar(name, known.into_iter());
        assert_eq!(meant("surived"), Some("survived"));
        assert_eq!(meant("Age"), Some("age"));
        assert_eq!(meant("ticket_class"), Some("Ticket class"));
        assert_eq!(meant("height"), None);
        assert_eq!(similar("x", std::iter::empty()), None);
    }
}

//! Where columns come from: a text file, a Parquet file, arrays of another language.
//!
//! A [`Source`] knows its column names and hands out columns as numbers or as texts. What the columns
//! are *for* (features, target, weight) is decided in [`read`](super::read), the same for every source.

use crate::error::{Error, Place, Result, quoted};

/// Code of a missing cell in a column of categories.
pub const MISSING_CODE: u32 = u32::MAX;

/// A table that columns can be read from, as often as needed.
pub trait Source {
    /// Column names, in file order; distinct and not empty.
    fn names(&self) -> &[String];

    /// Reads the columns, one wish each; all columns that are not skipped have equally many rows.
    fn read(&self, wanted: &[Wanted], na: &[String]) -> Result<Vec<RawColumn>>;

    /// Where data row `row` (from 0) stands, for messages.
    fn place(&self, row: usize) -> Place {
        Place {
            row: Some(row as u64 + 1),
            ..Place::default()
        }
    }
}

/// In which form a column is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Not at all.
    Skip,
    /// As numbers; a cell that is neither missing nor a finite number is an error.
    Numbers,
    /// As texts, whatever they look like.
    Texts,
    /// As numbers if every cell that is not missing is a finite number, else as texts. A column in
    /// which all cells look like numbers but some are infinite is an error.
    Either,
    /// Like `Either`, and for a column of numbers with few distinct texts also those texts.
    Both,
}

/// A column as a source hands it out.
#[derive(Debug, Clone, PartialEq)]
pub enum RawColumn {
    /// The column was not wanted.
    Skipped,
    /// Numbers; missing is NaN, everything else is finite.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Texts),
    /// The same column as numbers and as texts.
    Both(Vec<f64>, Texts),
}

/// A column of texts, each stored once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Texts {
    /// Position in `distinct` for every row, or [`MISSING_CODE`].
    pub codes: Vec<u32>,
    /// The distinct texts, rising by code point.
    pub distinct: Vec<String>,
}

/// With [`Wanted::Both`], texts are kept up to this many distinct ones.
pub const FEW_TEXTS: usize = 64;

impl RawColumn {
    /// Number of rows, if the column was read.
    pub fn n_rows(&self) -> Option<usize> {
        match self {
            Self::Skipped => None,
            Self::Numbers(numbers) | Self::Both(numbers, _) => Some(numbers.len()),
            Self::Texts(texts) => Some(texts.codes.len()),
        }
    }
}

impl Texts {
    /// Sorts the distinct texts by `order`, which must be a total order, and adapts the codes.
    pub fn sort_by(&mut self, order: impl Fn(&str, &str) -> std::cmp::Ordering) {
        let mut by_text: Vec<u32> = (0..self.distinct.len() as u32).collect();
        by_text.sort_by(|&a, &b| order(&self.distinct[a as usize], &self.distinct[b as usize]));
        self.renumber(&by_text);
    }

    /// Forgets texts that no row has.
    pub fn drop_unused(&mut self) {
        let mut used = vec![false; self.distinct.len()];
        for &code in self.codes.iter().filter(|&&code| code != MISSING_CODE) {
            used[code as usize] = true;
        }
        let kept: Vec<u32> = (0..self.distinct.len() as u32)
            .filter(|&code| used[code as usize])
            .collect();
        if kept.len() < self.distinct.len() {
            self.renumber(&kept);
        }
    }

    /// The text with old code `order[i]` gets code `i`; every code in use must be in `order`.
    fn renumber(&mut self, order: &[u32]) {
        let mut new_code = vec![MISSING_CODE; self.distinct.len()];
        for (new, &old) in order.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        for code in self.codes.iter_mut().filter(|code| **code != MISSING_CODE) {
            *code = new_code[*code as usize];
        }
        self.distinct = order
            .iter()
            .map(|&old| std::mem::take(&mut self.distinct[old as usize]))
            .collect();
    }
}

/// What a text is when read as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A finite number (-0 counts as 0).
    Finite(f64),
    /// Looks like a number, but is infinite or too large.
    Infinite,
    /// Not a number.
    Not,
}

impl Number {
    /// Reads a text, without trimming.
    pub fn parse(text: &str) -> Self {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Self::Finite(value + 0.0),
            Ok(value) if value.is_infinite() => Self::Infinite,
            _ => Self::Not,
        }
    }
}

/// The error for a cell that should have been a finite number.
pub fn not_a_number(mut place: Place, column: &str, text: &str) -> Error {
    place.column = Some(column.to_owned());
    let text_quoted = quoted(text);
    let message = match Number::parse(text) {
        Number::Infinite => format!("{text_quoted} is not a finite number"),
        _ => format!("{text_quoted} is not a number"),
    };
    Error::table(place, message)
}

//! From cells to columns.
//!
//! A [`Part`] is what is known of a column after some of its rows: the rows of a chunk, or all rows
//! so far. Parts are appended to each other, so the same states serve for both.

use super::numbers::short_number;
use super::records::{Next, Records};
use super::texts::{Interned, Text};
use crate::data::{FEW_TEXTS, Number, RawColumn};

/// The cells of a table and which of them are missing.
#[derive(Debug, Clone)]
pub(super) struct Cells<'a> {
    pub(super) records: Records<'a>,
    /// Texts for "missing", besides the empty cell.
    na: &'a [String],
    /// Those of them that look like numbers, read as such.
    na_numbers: Vec<f64>,
}

/// How a column is read in one pass over the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Not at all.
    Skip,
    /// As numbers; anything else is a fault.
    Numbers,
    /// As numbers until a text turns up.
    Guess,
    /// As texts until they are many, then as [`Mode::Guess`].
    Few,
    /// As texts.
    Texts,
}

/// Some rows of a column.
#[derive(Debug)]
pub(super) enum Part<'a> {
    /// Nothing is wanted, or not any more.
    Skipped,
    /// Numbers, NaN where missing.
    Numbers {
        values: Vec<f64>,
        /// Is a cell that is no finite number a fault? Else infinite numbers are kept for now.
        strict: bool,
        infinite: bool,
    },
    /// Few distinct texts, which may or may not be numbers.
    Few(Interned<'a>),
    /// Texts.
    Texts(Interned<'a>),
    /// A column of numbers in which a text turned up: it must be read again.
    FoundText,
}

/// A wanted number is none; the cell is found again when the message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotANumber;

impl<'a> Cells<'a> {
    pub(super) fn new(records: Records<'a>, na: &'a [String]) -> Self {
        let finite = |text: &String| match Number::parse(text) {
            Number::Finite(value) => Some(value),
            Number::Infinite | Number::Not => None,
        };
        Self {
            records,
            na,
            na_numbers: na.iter().filter_map(finite).collect(),
        }
    }

    pub(super) fn is_missing(&self, text: &str) -> bool {
        text.is_empty() || self.na.iter().any(|token| token == text)
    }

    /// A bare cell that holds a short number: most cells of most tables.
    #[inline]
    fn short_number(&self, at: usize) -> Option<(f64, Next)> {
        let (value, end) = short_number(self.records.text, at)?;
        let next = match self.records.text.get(end..)? {
            [byte, ..] if *byte == self.records.delimiter => Next::Cell(end + 1),
            [b'\n', ..] => Next::Record(end + 1),
            [b'\r', b'\n', ..] => Next::Record(end + 2),
            _ => return None,
        };
        // Different texts can mean the same number, and only some of them "missing".
        let missing = self.na_numbers.contains(&value)
            && (self.na.iter()).any(|token| token.as_bytes() == &self.records.text[at..end]);
        Some((if missing { f64::NAN } else { value }, next))
    }
}

impl<'a> Part<'a> {
    /// No rows yet; `rows` are expected.
    pub(super) fn new(mode: Mode, cells: &Cells<'a>, rows: usize) -> Self {
        let numbers = |strict| Self::Numbers {
            values: Vec::with_capacity(rows),
            strict,
            infinite: false,
        };
        match mode {
            Mode::Skip => Self::Skipped,
            Mode::Numbers => numbers(true),
            Mode::Guess => numbers(false),
            Mode::Few => Self::Few(Interned::new(cells.na, rows)),
            Mode::Texts => Self::Texts(Interned::new(cells.na, rows)),
        }
    }

    /// Begins again without rows, if possible in the memory it has.
    pub(super) fn renew(&mut self, mode: Mode, cells: &Cells<'a>, rows: usize) {
        match (&mut *self, mode) {
            (
                Self::Numbers {
                    values, infinite, ..
                },
                Mode::Numbers | Mode::Guess,
            ) => {
                values.clear();
                *infinite = false;
            }
            (Self::Texts(texts), Mode::Texts) | (Self::Few(texts), Mode::Few) => {
                texts.clear(cells.na);
            }
            _ => *self = Self::new(mode, cells, rows),
        }
    }

    /// Reads the cell at `at` as the next row. `None` if it breaks the rules of quoting or is not
    /// the number it should be.
    #[inline]
    pub(super) fn read(&mut self, cells: &Cells<'a>, at: usize) -> Option<Next> {
        if let Self::Numbers { values, .. } = self
            && let Some((value, next)) = cells.short_number(at)
        {
            values.push(value);
            return Some(next);
        }
        let cell = cells.records.cell(at).ok()?;
        match self {
            Self::Skipped | Self::FoundText => {}
            Self::Texts(texts) => texts.push(Text::of_cell(cells.records, cell)),
            Self::Few(texts) => {
                texts.push(Text::of_cell(cells.records, cell));
                self.give_up_many();
            }
            Self::Numbers { .. } => {
                let text = cells.records.content(cell);
                self.push_number(&text, cells.is_missing(&text)).ok()?;
            }
        }
        Some(cell.next)
    }

    fn push_number(&mut self, text: &str, is_missing: bool) -> Result<(), NotANumber> {
        let Self::Numbers {
            values,
            strict,
            infinite,
        } = self
        else {
            unreachable!("only called for numbers")
        };
        if is_missing {
            values.push(f64::NAN);
            return Ok(());
        }
        match Number::parse(text) {
            Number::Finite(value) => values.push(value),
            Number::Infinite | Number::Not if *strict => return Err(NotANumber),
            Number::Infinite => {
                values.push(f64::INFINITY);
                *infinite = true;
            }
            Number::Not => *self = Self::FoundText,
        }
        Ok(())
    }

    /// Goes on with numbers alone when there are too many texts.
    fn give_up_many(&mut self) {
        if let Self::Few(texts) = self
            && texts.n_distinct() > FEW_TEXTS
        {
            *self = texts.to_numbers();
        }
    }

    /// Appends the rows of the next part. `expected` more rows may follow.
    pub(super) fn append(&mut self, next: &Part<'a>, expected: usize) {
        if let Self::Few(texts) = self {
            match next {
                Self::Few(_) => {}
                _ => *self = texts.to_numbers(),
            }
        }
        match (&mut *self, next) {
            (Self::Skipped | Self::FoundText, _) | (_, Self::Skipped) => {}
            (_, Self::FoundText) => *self = Self::FoundText,
            (Self::Numbers { .. }, Self::Few(texts)) => {
                self.append(&texts.to_numbers(), expected);
            }
            (
                Self::Numbers {
                    values, infinite, ..
                },
                Self::Numbers {
                    values: next_values,
                    infinite: next_infinite,
                    ..
                },
            ) => {
                reserve(values, next_values.len(), expected);
                values.extend_from_slice(next_values);
                *infinite |= next_infinite;
            }
            (Self::Texts(texts), Self::Texts(next)) => texts.append(next, expected),
            (Self::Few(texts), Self::Few(next)) => {
                texts.append(next, expected);
                self.give_up_many();
            }
            _ => unreachable!("parts of one column are read in one mode"),
        }
    }

    /// To be called after the last row: few texts that are not all finite numbers become what any
    /// other column would be.
    pub(super) fn settle(&mut self) {
        if let Self::Few(texts) = self {
            let numbers = texts.to_numbers();
            if matches!(
                numbers,
                Self::FoundText | Self::Numbers { infinite: true, .. }
            ) {
                *self = numbers;
            }
        }
    }

    /// The row of the first infinite number, once settled.
    pub(super) fn first_infinite(&self) -> Option<usize> {
        match self {
            Self::Numbers {
                values,
                infinite: true,
                ..
            } => values.iter().position(|value| value.is_infinite()),
            _ => None,
        }
    }

    /// The finished column, once settled.
    pub(super) fn finish(self) -> RawColumn {
        match self {
            Self::Skipped | Self::FoundText => RawColumn::Skipped,
            Self::Numbers { values, .. } => RawColumn::Numbers(values),
            Self::Texts(texts) => RawColumn::Texts(texts.finish()),
            Self::Few(texts) => match texts.to_numbers() {
                Self::Numbers { values, .. } if texts.n_distinct() == 0 => {
                    RawColumn::Numbers(values)
                }
                Self::Numbers { values, .. } => RawColumn::Both(values, texts.finish()),
                _ => RawColumn::Skipped,
            },
        }
    }
}

/// Makes room at once for all the rows that are likely to come.
pub(super) fn reserve<T>(values: &mut Vec<T>, rows: usize, expected: usize) {
    if values.capacity() - values.len() < rows {
        values.reserve(rows + expected);
    }
}

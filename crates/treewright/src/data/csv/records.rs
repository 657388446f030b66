//! Where cells and records begin and end.
//!
//! RFC 4180 with a few decisions: a line ends in LF or CRLF, a lone CR is an ordinary character;
//! completely empty lines are no records; a quote in the middle of a bare cell is an ordinary
//! character; nothing is trimmed.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};
use wide::{CmpEq, u8x32};

/// The text of a table, seen as records of cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records<'a> {
    /// The whole text. Bytes, because faults must be located in texts that are not UTF-8.
    pub(super) text: &'a [u8],
    /// ASCII, and nothing that a number, a quote or a line end is made of.
    pub(super) delimiter: u8,
}

/// One cell: `start..end` is its content without the quotes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Does the content have doubled quotes that stand for one?
    pub(super) doubled: bool,
    /// Where the next cell or the next record begins.
    pub(super) next: Next,
}

/// What follows a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another cell of the same record, here.
    Cell(usize),
    /// The next line or the end of the text, here.
    Record(usize),
}

/// A quoted cell that breaks the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteFault {
    /// The quote opened here is never closed.
    Unclosed(usize),
    /// Here, right after a closing quote, the cell goes on.
    GoesOn(usize),
}

impl<'a> Records<'a> {
    /// The cell that begins at `at`.
    pub(super) fn cell(self, at: usize) -> Result<Cell, QuoteFault> {
        if self.text.get(at) == Some(&b'"') {
            self.quoted_cell(at)
        } else {
            Ok(self.bare_cell(at))
        }
    }

    fn bare_cell(self, start: usize) -> Cell {
        let end = self.bare_end(start);
        let (end, next) = match self.text.get(end) {
            None => (end, Next::Record(end)),
            Some(b'\n') if self.text[start..end].ends_with(b"\r") => {
                (end - 1, Next::Record(end + 1))
            }
            Some(b'\n') => (end, Next::Record(end + 1)),
            Some(_) => (end, Next::Cell(end + 1)),
        };
        Cell {
            start,
            end,
            doubled: false,
            next,
        }
    }

    /// The first delimiter, line feed or end of text from `at` on.
    fn bare_end(self, at: usize) -> usize {
        let rest = &self.text[at..];
        // Most cells are short: one block is looked at before the machinery for long ones starts.
        if let Some(block) = rest.first_chunk() {
            let bytes = u8x32::new(*block);
            let equals = |byte| bytes.cmp_eq(u8x32::splat(byte));
            let ends = (equals(self.delimiter) | equals(b'\n')).move_mask();
            if ends != 0 {
                return at + ends.trailing_zeros() as usize;
            }
        }
        memchr2(self.delimiter, b'\n', rest).map_or(self.text.len(), |offset| at + offset)
    }

    fn quoted_cell(self, open: usize) -> Result<Cell, QuoteFault> {
        let mut doubled = false;
        let mut from = open + 1;
        loop {
            let close =
                from + memchr(b'"', &self.text[from..]).ok_or(QuoteFault::Unclosed(open))?;
            let after = close + 1;
            let next = match &self.text[after..] {
                [b'"', ..] => {
                    doubled = true;
                    from = after + 1;
                    continue;
                }
                [] => Next::Record(after),
                [b'\n', ..] => Next::Record(after + 1),
                [b'\r', b'\n', ..] => Next::Record(after + 2),
                [byte, ..] if *byte == self.delimiter => Next::Cell(after + 1),
                _ => return Err(QuoteFault::GoesOn(after)),
            };
            return Ok(Cell {
                start: open + 1,
                end: close,
                doubled,
                next,
            });
        }
    }

    /// The content of a cell, in a text that is UTF-8.
    pub(super) fn content(self, cell: Cell) -> Cow<'a, str> {
        let content = std::str::from_utf8(&self.text[cell.start..cell.end]);
        let content = content.expect("the text was checked, and cells end at ASCII signs");
        if cell.doubled {
            Cow::Owned(content.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(content)
        }
    }

    /// The cells of the record that begins at `at`, up to a fault.
    pub(super) fn cells(self, at: usize) -> impl Iterator<Item = Result<Cell, QuoteFault>> + 'a {
        let mut position = Some(at);
        std::iter::from_fn(move || {
            let cell = self.cell(position?);
            position = match cell {
                Ok(Cell {
                    next: Next::Cell(next),
                    ..
                }) => Some(next),
                _ => None,
            };
            Some(cell)
        })
    }

    /// The start of the next record at or after the line start `at`; `None` at the end of the text.
    pub(super) fn next_record(self, mut at: usize) -> Option<usize> {
        while let Some(length) = self.blank_line(at) {
            at += length;
        }
        (at < self.text.len()).then_some(at)
    }

    /// The length of the line that begins at `at`, if it is empty.
    pub(super) fn blank_line(self, at: usize) -> Option<usize> {
        match self.text.get(at..)? {
            [b'\n', ..] => Some(1),
            [b'\r', b'\n', ..] => Some(2),
            _ => None,
        }
    }

    /// The starts of the records from `at` on, as far as there is no fault.
    pub(super) fn starts(self, at: usize) -> impl Iterator<Item = usize> + 'a {
        let mut position = Some(at);
        std::iter::from_fn(move || {
            let start = self.next_record(position?)?;
            position = self.cells(start).last().and_then(|cell| match cell {
                Ok(Cell {
                    next: Next::Record(next),
                    ..
                }) => Some(next),
                _ => None,
            });
            Some(start)
        })
    }

    /// The line of the file that holds `at`, from 1.
    pub(super) fn line(self, at: usize) -> u64 {
        memchr_iter(b'\n', &self.text[..at]).count() as u64 + 1
    }
}

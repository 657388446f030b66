//! Where cells and records begin and end.
//!
//! RFC 4180 with a few decisions: a line ends in LF or CRLF, a lone CR is an ordinary character;
//! completely empty lines are no records; a quote in the middle of a bare cell is an ordinary
//! character; nothing is trimmed.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

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
        // Most cells are short: two words are looked at before the machinery for long ones starts.
        let mut word_at = at;
        for _ in 0..2 {
            let Some(word) = word_at_position(self.text, word_at) else {
                break;
            };
            let hits = bytes_equal(word, self.delimiter) | bytes_equal(word, b'\n');
            if hits != 0 {
                return word_at + hits.trailing_zeros() as usize / 8;
            }
            word_at += 8;
        }
        memchr2(self.delimiter, b'\n', &self.text[word_at..])
            .map_or(self.text.len(), |offset| word_at + offset)
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

/// The content of a cell.
pub(super) fn content(text: &str, cell: Cell) -> Cow<'_, str> {
    let content = &text[cell.start..cell.end];
    if cell.doubled {
        Cow::Owned(content.replace("\"\"", "\""))
    } else {
        Cow::Borrowed(content)
    }
}

/// The eight bytes from `at` on, the first one lowest.
pub(super) fn word_at_position(text: &[u8], at: usize) -> Option<u64> {
    let bytes = text.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// The lowest bit set is the top bit of the lowest byte equal to `byte`; higher bits may be wrong.
fn bytes_equal(word: u64, byte: u8) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    let zero_if_equal = word ^ (ONES * u64::from(byte));
    zero_if_equal.wrapping_sub(ONES) & !zero_if_equal & TOPS
}

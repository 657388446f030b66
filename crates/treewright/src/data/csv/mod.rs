//! Text tables: comma, semicolon or tab separated, with a header line.
//!
//! The format is that of RFC 4180: a cell in double quotes may contain delimiters, line ends and, as
//! `""`, quotes. Lines end in LF or CRLF; empty lines are skipped everywhere, so in a table of one
//! column a missing cell must be written as `""`; a leading byte order mark is skipped. Cells are not
//! trimmed. An empty cell is missing, quoted or not, and so are the texts that the caller lists.
//!
//! `records` knows where cells end, `columns` what is in them (`numbers` or `texts`), `chunks` reads the
//! whole text on all threads. Those only find out *that* a record has a fault; here the record is
//! looked at again, at leisure, and the message is written.

mod chunks;
mod columns;
mod numbers;
mod records;
mod texts;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use self::columns::{Cells, Mode, Part};
use self::records::{Cell, QuoteFault, Records};
use super::{Number, RawColumn, Source, Wanted, not_a_number};
use crate::error::{Error, Place, Result, quoted};

/// Bytes of text that are read in one go by one thread.
const CHUNK_SIZE: usize = 1 << 20;

/// Rows that are looked at to guess which columns are texts. A wrong guess costs time only.
const ROWS_TO_GUESS_FROM: usize = 100;

/// Row numbers and category codes have 32 bits, and the largest code means "missing".
const MOST_ROWS: usize = u32::MAX as usize - 1;

/// A text table in memory.
///
/// `new` guarantees: the text is UTF-8 without NUL, the header is sound and at least one record
/// follows. The other records are checked whenever they are read.
#[derive(Debug)]
pub struct CsvSource {
    text: Vec<u8>,
    delimiter: u8,
    names: Vec<String>,
    /// Where the records after the header begin.
    body: usize,
    chunk_size: usize,
}

impl CsvSource {
    /// Takes the whole text of a table with a header line.
    pub fn new(text: Vec<u8>, delimiter: u8) -> Result<Self> {
        check_delimiter(delimiter)?;
        let records = Records {
            text: &text,
            delimiter,
        };
        check_text(records)?;
        let header = records
            .next_record(first_byte(records.text))
            .ok_or_else(|| nowhere("the file is empty, expected a header line"))?;
        let (names, body) = read_header(records, header)?;
        if records.next_record(body).is_none() {
            let hint = other_delimiter_hint(&names, delimiter);
            return Err(nowhere(format!("no data rows after the header{hint}")));
        }
        Ok(Self {
            text,
            delimiter,
            names,
            body,
            chunk_size: CHUNK_SIZE,
        })
    }

    /// How each column is to be read in the first pass.
    fn first_modes(&self, cells: &Cells<'_>, wanted: &[Wanted]) -> Vec<Mode> {
        let mut modes: Vec<Mode> = wanted
            .iter()
            .map(|wish| match wish {
                Wanted::Skip => Mode::Skip,
                Wanted::Numbers => Mode::Numbers,
                Wanted::Texts => Mode::Texts,
                Wanted::Either => Mode::Guess,
                Wanted::Both => Mode::Few,
            })
            .collect();
        for start in cells.records.starts(self.body).take(ROWS_TO_GUESS_FROM) {
            for (mode, cell) in modes.iter_mut().zip(cells.records.cells(start)) {
                if let (Mode::Guess | Mode::Few, Ok(cell)) = (*mode, cell) {
                    let text = cells.records.content(cell);
                    if !cells.is_missing(&text) && Number::parse(&text) == Number::Not {
                        *mode = Mode::Texts;
                    }
                }
            }
        }
        modes
    }

    /// One pass over the text; stops with a message at the first fault.
    fn pass<'a>(&self, cells: &Cells<'a>, modes: &[Mode]) -> Result<Vec<Part<'a>>> {
        let pass = chunks::read(cells, self.body, modes, self.chunk_size);
        if pass.is_faulty {
            return Err(self.fault(cells, modes, pass.rows));
        }
        check_n_rows(pass.rows)?;
        Ok(pass.columns)
    }

    /// What is wrong with a row. First its shape: cells that are in the wrong column are nothing to
    /// complain about one by one.
    fn fault(&self, cells: &Cells<'_>, modes: &[Mode], row: usize) -> Error {
        let records = cells.records;
        let start = self.record_start(row);
        let place = Place {
            row: Some(row as u64 + 1),
            line: Some(records.line(start)),
            column: None,
        };
        let mut row_cells = Vec::with_capacity(modes.len());
        for cell in records.cells(start) {
            match cell {
                Ok(cell) => row_cells.push(cell),
                Err(fault) => {
                    let column = self.names.get(row_cells.len()).cloned();
                    return quote_fault(records, fault, Place { column, ..place });
                }
            }
        }
        if row_cells.len() != self.names.len() {
            return self.ragged(place, row_cells.len());
        }
        for ((mode, cell), name) in modes.iter().zip(row_cells).zip(&self.names) {
            let text = records.content(cell);
            let is_number = matches!(Number::parse(&text), Number::Finite(_));
            if *mode == Mode::Numbers && !is_number && !cells.is_missing(&text) {
                return not_a_number(place, name, &text);
            }
        }
        unreachable!("row {row} was found to have a fault")
    }

    fn ragged(&self, place: Place, found: usize) -> Error {
        let cells = if found == 1 { "cell" } else { "cells" };
        let expected = self.names.len();
        let hint = other_delimiter_hint(&self.names, self.delimiter);
        let message = format!("{found} {cells}, expected {expected} as in the header{hint}");
        Error::table(place, message)
    }

    /// The error for the first infinite number in columns where all else is finite.
    fn infinite(&self, columns: &[Part<'_>]) -> Option<Error> {
        let of_column = |(column, part): (usize, &Part<'_>)| Some((part.first_infinite()?, column));
        let firsts = columns.iter().enumerate().filter_map(of_column);
        let (row, column) = firsts.min()?;
        let mut cells = self.records().cells(self.record_start(row));
        let Some(Ok(cell)) = cells.nth(column) else {
            unreachable!("the cell was read before")
        };
        let text = self.records().content(cell);
        Some(not_a_number(self.place(row), &self.names[column], &text))
    }

    fn records(&self) -> Records<'_> {
        Records {
            text: &self.text,
            delimiter: self.delimiter,
        }
    }

    /// Where a record begins. Goes through the text from its start: for messages only.
    fn record_start(&self, row: usize) -> usize {
        let mut starts = self.records().starts(self.body);
        starts.nth(row).unwrap_or(self.text.len())
    }
}

impl Source for CsvSource {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn read(&self, wanted: &[Wanted], na: &[String]) -> Result<Vec<RawColumn>> {
        assert_eq!(wanted.len(), self.names.len(), "one wish for each column");
        let cells = Cells::new(self.records(), na);
        let modes = self.first_modes(&cells, wanted);
        let mut columns = self.pass(&cells, &modes)?;
        if let Some(error) = self.infinite(&columns) {
            return Err(error);
        }
        if columns.iter().any(|part| matches!(part, Part::FoundText)) {
            let again = |part: &Part<'_>| match part {
                Part::FoundText => Mode::Texts,
                _ => Mode::Skip,
            };
            let modes: Vec<Mode> = columns.iter().map(again).collect();
            let texts = self.pass(&cells, &modes)?;
            for (column, text) in columns.iter_mut().zip(texts) {
                if matches!(column, Part::FoundText) {
                    *column = text;
                }
            }
        }
        Ok(columns.into_par_iter().map(Part::finish).collect())
    }

    fn place(&self, row: usize) -> Place {
        Place {
            row: Some(row as u64 + 1),
            line: Some(self.records().line(self.record_start(row))),
            column: None,
        }
    }
}

fn nowhere(message: impl Into<String>) -> Error {
    Error::table(Place::default(), message)
}

/// Refuses what could not be told from the content of a cell.
fn check_delimiter(delimiter: u8) -> Result<()> {
    let in_numbers = delimiter.is_ascii_alphanumeric() || b"+-.".contains(&delimiter);
    if delimiter.is_ascii() && !in_numbers && !b"\"\r\n\0".contains(&delimiter) {
        return Ok(());
    }
    Err(Error::parameter(
        "delimiter",
        format!("{:?}", char::from(delimiter)),
        "a comma, semicolon, tab or another ASCII sign that is not part of a number, \
         a quote or a line end",
    ))
}

fn check_n_rows(rows: usize) -> Result<()> {
    if rows <= MOST_ROWS {
        return Ok(());
    }
    Err(nowhere(format!(
        "{rows} rows, expected at most {MOST_ROWS}"
    )))
}

/// Refuses bytes that cannot be text.
fn check_text(records: Records<'_>) -> Result<()> {
    let text = records.text;
    if text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
        return Err(nowhere("the file looks like UTF-16, expected UTF-8"));
    }
    let pieces = chunks::cut(text, 0, CHUNK_SIZE).into_par_iter();
    let Some(at) = pieces.find_map_first(|piece| Some(piece.start + no_text(&text[piece])?)) else {
        return Ok(());
    };
    let message = match text[at] {
        0 => "a NUL byte, expected a text file".to_owned(),
        byte => format!("byte 0x{byte:02X} is not UTF-8 text"),
    };
    Err(Error::table(place_of_byte(records, at), message))
}

/// The first byte that is not UTF-8 or that is NUL.
fn no_text(bytes: &[u8]) -> Option<usize> {
    let end = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    memchr::memchr(0, &bytes[..end]).or_else(|| (end < bytes.len()).then_some(end))
}

/// The start of the text after a byte order mark.
fn first_byte(text: &[u8]) -> usize {
    const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();
    if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    }
}

/// Where a byte stands, as far as the records before it can be followed.
fn place_of_byte(records: Records<'_>, at: usize) -> Place {
    let mut place = Place {
        line: Some(records.line(at)),
        ..Place::default()
    };
    let starts = records.starts(first_byte(records.text));
    let Some((row, start)) = starts.take_while(|&start| start <= at).enumerate().last() else {
        return place;
    };
    let holds = |cell: &Cell| cell.start <= at && at < cell.end;
    let column = records.cells(start).flatten().position(|cell| holds(&cell));
    if let (1.., Some(column)) = (row, column) {
        place.row = Some(row as u64);
        place.column = name_of_column(records, column);
    }
    place
}

/// The name of a column in a text that may be faulty.
fn name_of_column(records: Records<'_>, column: usize) -> Option<String> {
    let header = records.next_record(first_byte(records.text))?;
    let cell = records.cells(header).nth(column)?.ok()?;
    let name = std::str::from_utf8(&records.text[cell.start..cell.end]).ok()?;
    Some(name.replace("\"\"", "\""))
}

/// The column names, and where the record after the header begins.
fn read_header(records: Records<'_>, start: usize) -> Result<(Vec<String>, usize)> {
    let place = Place {
        line: Some(records.line(start)),
        ..Place::default()
    };
    let mut names = Vec::new();
    let mut body = start;
    for cell in records.cells(start) {
        let cell = cell.map_err(|fault| quote_fault(records, fault, place.clone()))?;
        names.push(records.content(cell).into_owned());
        if let records::Next::Record(next) = cell.next {
            body = next;
        }
    }
    check_names(&names, &place)?;
    Ok((names, body))
}

fn check_names(names: &[String], place: &Place) -> Result<()> {
    let mut seen = FxHashMap::default();
    for (position, name) in (1..).zip(names) {
        let message = if name.is_empty() {
            format!("column {position} has no name, expected one for every column")
        } else if let Some(first) = seen.insert(name, position) {
            format!(
                "the column name {} occurs twice (columns {first} and {position})",
                quoted(name)
            )
        } else {
            continue;
        };
        return Err(Error::table(place.clone(), message));
    }
    Ok(())
}

/// The message for a quoted cell, with the line of the fault itself: the record may have begun far
/// above it.
fn quote_fault(records: Records<'_>, fault: QuoteFault, place: Place) -> Error {
    let (at, message) = match fault {
        QuoteFault::Unclosed(at) => (at, "the quote that opens this cell is never closed"),
        QuoteFault::GoesOn(at) => (
            at,
            "text after a closing quote, expected the end of the cell (a quote inside quotes is \
             written twice)",
        ),
    };
    let line = Some(records.line(at));
    Error::table(Place { line, ..place }, message)
}

/// A single column whose name has other delimiters in it is hardly what was meant.
fn other_delimiter_hint(names: &[String], delimiter: u8) -> String {
    let [name] = names else {
        return String::new();
    };
    if name.contains('\r') {
        return " (its lines seem to end in CR alone, expected LF or CRLF)".to_owned();
    }
    let others = [(',', "commas"), (';', "semicolons"), ('\t', "tabs")];
    let other = others
        .iter()
        .find(|(other, _)| *other != char::from(delimiter) && name.contains(*other));
    other.map_or(String::new(), |(_, other)| {
        format!(
            " (its columns seem to be separated by {other}, the delimiter is {:?})",
            char::from(delimiter)
        )
    })
}

#[cfg(test)]
mod tests;

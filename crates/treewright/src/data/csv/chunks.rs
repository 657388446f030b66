//! One pass over the text, on all threads.
//!
//! The text is cut into chunks at line ends, and every chunk is read as if a record began at its
//! start. That is wrong only if the line end stands inside quotes. A chunk finishes its last record
//! even beyond its own end, so going through the chunks in order shows which starts were right: those
//! where the chunk before ended. The others are read again from the right place. The result therefore
//! does not depend on where the cuts are, nor on the number of threads.
//!
//! Chunks are read in waves and each wave is appended to the columns before the next begins, so that
//! only few rows are held twice.

use std::ops::Range;

use memchr::memchr;
use rayon::prelude::*;

use super::columns::{Cells, Mode, Part};
use super::records::Next;

/// Chunks in a wave for each thread: enough to even out their differences.
const CHUNKS_A_THREAD: usize = 8;

/// The columns of the whole table, or the row (from 0) of the first fault.
pub(super) struct Pass<'a> {
    pub(super) columns: Vec<Part<'a>>,
    pub(super) rows: usize,
    pub(super) is_faulty: bool,
}

/// Reads all records from `body` on, one mode for each column. Stops at the first record that has a
/// fault; its row is the number of rows read.
pub(super) fn read<'a>(
    cells: &Cells<'a>,
    body: usize,
    modes: &[Mode],
    chunk_size: usize,
) -> Pass<'a> {
    let mut modes = modes.to_vec();
    let mut pass = Pass {
        columns: modes
            .iter()
            .map(|&mode| Part::new(mode, cells, 0))
            .collect(),
        rows: 0,
        is_faulty: false,
    };
    let ranges = cut(cells.records.text, body, chunk_size);
    let n_together = CHUNKS_A_THREAD * rayon::current_num_threads();
    // Kept from wave to wave for their memory: fresh memory costs as much as parsing.
    let mut chunks: Vec<Chunk<'a>> = Vec::new();
    let mut at = body;
    for wave in ranges.chunks(n_together) {
        chunks.resize_with(wave.len(), Chunk::default);
        let expected = rows_in(&pass, at - body, chunk_size + chunk_size / 8);
        let reading = chunks.par_iter_mut().zip(wave);
        reading.for_each(|(chunk, range)| chunk.read(cells, range.clone(), &modes, expected));
        pass.is_faulty = put_in_order(cells, wave, &mut chunks, &modes, &mut at);
        pass.rows += chunks.iter().map(|chunk| chunk.rows).sum::<usize>();
        if pass.is_faulty {
            return pass;
        }
        let to_come = rows_in(&pass, at - body, cells.records.text.len() - at);
        let appending = pass.columns.par_iter_mut().enumerate();
        appending.for_each(|(column, whole)| {
            for chunk in &chunks {
                whole.append(&chunk.columns[column], to_come + to_come / 64);
            }
        });
        for (mode, column) in modes.iter_mut().zip(&pass.columns) {
            if matches!(column, Part::FoundText) {
                *mode = Mode::Skip;
            }
        }
    }
    pass.columns.par_iter_mut().for_each(Part::settle);
    pass
}

/// How many rows to expect in some bytes, from the length of the rows before.
fn rows_in(pass: &Pass<'_>, bytes_read: usize, bytes: usize) -> usize {
    (pass.rows as f64 / bytes_read.max(1) as f64 * bytes as f64) as usize
}

/// Cuts a text from `body` on after line ends, into pieces of about `chunk_size` bytes.
pub(super) fn cut(text: &[u8], body: usize, chunk_size: usize) -> Vec<Range<usize>> {
    let length = text.len();
    let mut chunks = Vec::new();
    let mut start = body;
    while start < length {
        let earliest = start.saturating_add(chunk_size.max(1)).min(length) - 1;
        let end = memchr(b'\n', &text[earliest..]).map_or(length, |offset| earliest + offset + 1);
        chunks.push(start..end);
        start = end;
    }
    chunks
}

/// Reads again the chunks that did not begin where the one before ended. `at` is where the first must
/// begin and is moved to where the last one ends. Nothing is left after a fault; was there one?
fn put_in_order<'a>(
    cells: &Cells<'a>,
    ranges: &[Range<usize>],
    chunks: &mut Vec<Chunk<'a>>,
    modes: &[Mode],
    at: &mut usize,
) -> bool {
    for (position, range) in ranges.iter().enumerate() {
        let chunk = &mut chunks[position];
        if range.start != *at {
            // Nothing begins here if a long quoted cell goes on beyond the whole chunk.
            chunk.read(cells, *at..range.end.max(*at), modes, chunk.rows);
        }
        *at = chunk.end;
        if chunk.is_faulty {
            chunks.truncate(position + 1);
            return true;
        }
    }
    false
}

/// The records that begin in a piece of the text.
#[derive(Default)]
struct Chunk<'a> {
    columns: Vec<Part<'a>>,
    rows: usize,
    /// Where the record after the last one begins, or the record with a fault.
    end: usize,
    is_faulty: bool,
}

impl<'a> Chunk<'a> {
    /// Forgets what it was and reads the records that begin in `range`, about `expected` rows.
    fn read(&mut self, cells: &Cells<'a>, range: Range<usize>, modes: &[Mode], expected: usize) {
        self.columns.resize_with(modes.len(), || Part::Skipped);
        for (column, &mode) in self.columns.iter_mut().zip(modes) {
            column.renew(mode, cells, expected);
        }
        self.rows = 0;
        self.end = range.start;
        self.is_faulty = false;
        while self.end < range.end && !self.is_faulty {
            if let Some(length) = cells.records.blank_line(self.end) {
                self.end += length;
            } else if let Some(end) = self.read_record(cells) {
                self.rows += 1;
                self.end = end;
            } else {
                self.is_faulty = true;
            }
        }
    }

    /// Reads the record at `end`, and says where it ends; `None` if it has a fault.
    #[inline]
    fn read_record(&mut self, cells: &Cells<'a>) -> Option<usize> {
        let (last, others) = self.columns.split_last_mut()?;
        let mut at = self.end;
        for column in others {
            match column.read(cells, at)? {
                Next::Cell(next) => at = next,
                Next::Record(_) => return None,
            }
        }
        match last.read(cells, at)? {
            Next::Record(next) => Some(next),
            Next::Cell(_) => None,
        }
    }
}

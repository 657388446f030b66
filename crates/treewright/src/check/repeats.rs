//! Columns and rows that are there twice.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cells::{Cells, Codes};
use super::{Column, ColumnCheck, FEW_ROWS, Finding};

/// Rows of which the sums are made in one go.
const CHUNK: usize = 1 << 14;

/// A number that depends on all before it, and looks like any other.
#[inline]
fn mixed(sum: u64, key: u64) -> u64 {
    let product = u128::from(sum ^ key ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
    (product as u64) ^ ((product >> 64) as u64) ^ sum.rotate_left(23)
}

/// The codes of a column whose values repeat often enough that another column has the same codes for a reason: where
/// nearly all values are distinct, all columns have.
fn telling<'a>(cells: &Cells<'_>, few: Option<&'a Codes>) -> Option<&'a Codes> {
    few.filter(|few| few.n + cells.n_missing() + FEW_ROWS <= cells.n_rows())
}

/// A number that equal columns share: equal where values repeat but for the names of these, else in full.
pub(super) fn signature(cells: &Cells<'_>, few: Option<&Codes>) -> u64 {
    match telling(cells, few) {
        Some(few) => (few.of_row.iter()).fold(1, |sum, &code| mixed(sum, code.into())),
        None => (0..cells.n_rows()).fold(2, |sum, row| mixed(sum, cells.key(row))),
    }
}

/// Says of each column whether it is equal to an earlier one.
pub(super) fn note_columns(
    columns: &[Column<'_>],
    signatures: &[Option<u64>],
    checks: &mut [ColumnCheck],
) {
    let mut first: FxHashMap<u64, usize> = FxHashMap::default();
    for (place, signature) in signatures.iter().enumerate() {
        let Some(signature) = *signature else {
            continue;
        };
        let earlier = *first.entry(signature).or_insert(place);
        if earlier != place && is_same(&columns[earlier].cells, &columns[place].cells) {
            let of = columns[earlier].name.to_owned();
            checks[place].findings.push(Finding::DuplicateColumn { of });
        }
    }
}

fn is_same(a: &Cells<'_>, b: &Cells<'_>) -> bool {
    let (few_a, few_b) = (Codes::of(a), Codes::of(b));
    match (telling(a, few_a.as_ref()), telling(b, few_b.as_ref())) {
        (Some(a), Some(b)) => a.of_row == b.of_row,
        (None, None) => {
            a.has_the_texts_of(b) && (0..a.n_rows()).all(|row| a.key(row) == b.key(row))
        }
        _ => false,
    }
}

/// How many rows are equal to an earlier one. Two that differ have equal sums once in some 10^19 pairs.
pub(super) fn count_rows(columns: &[&Cells<'_>], n_rows: usize) -> usize {
    if columns.is_empty() {
        return 0;
    }
    let mut sums = vec![0_u64; n_rows];
    let chunks = sums.par_chunks_mut(CHUNK).enumerate();
    chunks.for_each(|(chunk, sums)| {
        for column in columns {
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum = mixed(*sum, column.key(chunk * CHUNK + at));
            }
        }
    });
    sums.par_sort_unstable();
    sums.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

//! Cells that lie next to each other, as one piece.
//!
//! A feature with many different cells is looked at in some dozens of pieces first. They hold about the same
//! share of the rows, and of each class: where a class is rare, its rows are what the cost is about. A cell
//! with more than its share is a piece of its own, which no cut can part.

use super::lanes::Piece;
use super::rows::{Cells, Rows};
use super::table::Kind;

/// The pieces of all features for some rows.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) of_feature: Vec<Vec<Piece>>,
    /// For each feature the piece of each row, one too large for rows without a cell; nothing for features
    /// with too many categories.
    pub(super) of_row: Vec<Vec<u8>>,
}

/// So many pieces have numbers that fit into a byte, with one for missing cells.
pub(super) const MOST_CATEGORIES: usize = 255;

impl Pieces {
    /// At most `most` pieces for numeric features; categories are pieces of their own.
    pub(super) fn new(rows: &Rows, kinds: &[Kind], most: usize) -> Self {
        let shares = shares(rows);
        let of_feature = rows
            .cells
            .iter()
            .zip(kinds)
            .map(|(cells, kind)| match kind {
                Kind::Numeric => even(cells, most, |row| {
                    shares[rows.classes[row] as usize] * rows.weights[row] as f32
                }),
                Kind::Categorical => singles(cells),
            });
        let of_feature: Vec<Vec<Piece>> = of_feature.collect();
        let of_row = rows.cells.iter().zip(&of_feature).map(|(cells, pieces)| {
            if pieces.len() > MOST_CATEGORIES {
                return Vec::new();
            }
            let mut of_row = vec![pieces.len() as u8; rows.len()];
            for (at, piece) in pieces.iter().enumerate() {
                for &row in cells.rows(piece.start, piece.end) {
                    of_row[row as usize] = at as u8;
                }
            }
            of_row
        });
        Self {
            of_row: of_row.collect(),
            of_feature,
        }
    }
}

/// What a unit of weight counts in each class: half by the weight, half by the class.
fn shares(rows: &Rows) -> Vec<f32> {
    let n_present = rows.sums.iter().filter(|&&sum| sum > 0).count();
    let all = rows.weight().max(1) as f32;
    let share = |&sum: &u64| 1.0 / all + 1.0 / (n_present as f32 * sum.max(1) as f32);
    rows.sums.iter().map(share).collect()
}

/// Each cell is a piece.
fn singles(cells: &Cells) -> Vec<Piece> {
    let piece = |rank: u32| Piece {
        start: rank,
        end: rank + 1,
        is_open: false,
        is_cut_after: true,
    };
    (0..cells.n_ranks() as u32).map(piece).collect()
}

/// Pieces with about the same share.
fn even(cells: &Cells, most: usize, share: impl Fn(usize) -> f32) -> Vec<Piece> {
    if cells.n_ranks() <= most {
        return singles(cells);
    }
    let shares = cells.starts.windows(2).map(|group| {
        let rows = &cells.order[group[0] as usize..group[1] as usize];
        rows.iter().map(|&row| share(row as usize)).sum::<f32>()
    });
    let shares: Vec<f32> = shares.collect();
    let mut left: f32 = shares.iter().sum();
    let (mut pieces, mut start, mut here) = (Vec::with_capacity(most), 0, 0.0);
    for (rank, &share) in shares.iter().enumerate() {
        let free = most - pieces.len();
        let is_full = here + share * 0.5 > left / free as f32 && here > 0.0;
        if is_full && free > 1 {
            pieces.push(piece(start, rank as u32));
            left -= here;
            start = rank as u32;
            here = 0.0;
        }
        here += share;
    }
    pieces.push(piece(start, shares.len() as u32));
    pieces
}

fn piece(start: u32, end: u32) -> Piece {
    Piece {
        start,
        end,
        is_open: end - start > 1,
        is_cut_after: true,
    }
}

/// Some ranks parted in up to `most` pieces with about the same number of rows.
pub(super) fn part(
    cells: &Cells,
    start: u32,
    end: u32,
    most: usize,
) -> impl Iterator<Item = Piece> {
    let n_ranks = (end - start) as usize;
    let ends: Vec<u32> = if n_ranks <= most {
        (start + 1..=end).collect()
    } else {
        let first = cells.starts[start as usize];
        let n_rows = (cells.starts[end as usize] - first) as usize;
        let cut = |at: usize| {
            let place = first + (n_rows * at / most) as u32;
            let starts = &cells.starts[start as usize..=end as usize];
            let cut = start + starts.partition_point(|&start| start < place) as u32;
            cut.clamp(start + 1, end - 1)
        };
        let mut ends: Vec<u32> = (1..most).map(cut).collect();
        ends.push(end);
        ends.dedup();
        ends
    };
    let starts = std::iter::once(start).chain(ends.clone());
    starts.zip(ends).map(|(start, end)| piece(start, end))
}

//! Cells that lie next to each other, as one piece.
//!
//! A feature with many different cells is looked at in some dozens of pieces first. They hold about the same
//! share of the rows, and of each class: where a class is rare, its rows are what the cost is about. A cell
//! with more than its share is a piece of its own, which no cut can part.

use crate::learn::optimal::problem::{Cells, Kind, Rows};
use std::sync::{Arc, OnceLock};

/// Cells of a child feature that lie next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The first rank, and the one after the last.
    pub(in crate::learn::optimal) start: u32,
    pub(in crate::learn::optimal) end: u32,
    /// May an interval end inside?
    pub(in crate::learn::optimal) is_open: bool,
    /// May one end at its end?
    pub(in crate::learn::optimal) is_cut_after: bool,
}

/// The pieces of all features for some rows, found when they are needed.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// At most so many lanes of numeric roots and pieces of numeric children.
    sizes: (usize, usize),
    shares: Arc<Shares>,
    features: Vec<OnceLock<FeaturePieces>>,
}

/// What rows count when they are parted.
#[derive(Debug)]
struct Shares {
    /// A unit of weight in each class.
    of_class: Vec<f32>,
    /// For each numeric feature all rows below each rank, and in the end all.
    below: Vec<OnceLock<Vec<f64>>>,
}

/// The pieces of a feature. Categories are pieces of their own.
#[derive(Debug)]
pub(crate) struct FeaturePieces {
    /// As a child.
    pub(in crate::learn::optimal) pieces: Vec<Piece>,
    /// The piece of each row, one too large for rows without a cell; nothing for features with too many
    /// categories.
    pub(in crate::learn::optimal) of_row: Vec<u8>,
    /// As a root: where pieces begin, and the end. Nothing for categories.
    pub(in crate::learn::optimal) cuts: Vec<u32>,
}

/// So many pieces have numbers that fit into a byte, with one for missing cells.
pub(crate) const MOST_PIECES: usize = 254;

impl FeaturePieces {
    /// Does every lane begin where a piece does?
    pub(crate) fn are_lanes_pieces(&self) -> bool {
        let starts = self.pieces.iter().map(|piece| piece.start);
        self.cuts.len() == self.pieces.len() + 1 && starts.zip(&self.cuts).all(|(a, &b)| a == b)
    }
}

impl Pieces {
    /// Few pieces, and many.
    pub(crate) fn both(rows: &Rows, sizes: [(usize, usize); 2]) -> [Arc<Self>; 2] {
        let shares = Arc::new(Shares {
            of_class: shares(rows),
            below: rows.cells.iter().map(|_| OnceLock::new()).collect(),
        });
        sizes.map(|sizes| {
            Arc::new(Self {
                sizes,
                shares: Arc::clone(&shares),
                features: rows.cells.iter().map(|_| OnceLock::new()).collect(),
            })
        })
    }

    /// Pieces that are known.
    pub(crate) fn given(features: Vec<FeaturePieces>) -> Self {
        Self {
            sizes: (0, 0),
            shares: Arc::new(Shares {
                of_class: Vec::new(),
                below: Vec::new(),
            }),
            features: features.into_iter().map(OnceLock::from).collect(),
        }
    }

    /// The pieces of a feature of the same rows.
    pub(crate) fn of(&self, rows: &Rows, feature: usize, kind: Kind) -> &FeaturePieces {
        self.features[feature].get_or_init(|| {
            let cells = &rows.cells[feature];
            let (cuts, pieces) = match kind {
                Kind::Categorical => (Vec::new(), singles(cells)),
                Kind::Numeric => self.numeric(rows, feature),
            };
            FeaturePieces {
                of_row: by_row(cells, &pieces),
                pieces,
                cuts,
            }
        })
    }

    fn numeric(&self, rows: &Rows, feature: usize) -> (Vec<u32>, Vec<Piece>) {
        let (n_lanes, n_pieces) = self.sizes;
        let cells = &rows.cells[feature];
        let n_ranks = cells.n_ranks();
        if n_ranks <= n_lanes.min(n_pieces) {
            return ((0..=n_ranks as u32).collect(), singles(cells));
        }
        let below = self.shares.below(rows, feature);
        let pieces = even(below, n_pieces);
        let starts = |pieces: &[Piece]| pieces.iter().map(|piece| piece.start).collect();
        let mut cuts: Vec<u32> = if n_lanes == n_pieces {
            starts(&pieces)
        } else {
            starts(&even(below, n_lanes))
        };
        cuts.push(n_ranks as u32);
        (cuts, pieces)
    }
}

impl Shares {
    fn below(&self, rows: &Rows, feature: usize) -> &[f64] {
        self.below[feature].get_or_init(|| {
            let cells = &rows.cells[feature];
            let mut shares = vec![0.0; cells.n_ranks() + 1];
            for (&rank, label) in cells.ranks.iter().zip(&rows.labels) {
                if let Some(share) = shares.get_mut((rank as usize).wrapping_add(1)) {
                    let share_of_row = self.of_class[label.class as usize] * label.weight as f32;
                    *share += f64::from(share_of_row);
                }
            }
            let mut sum = 0.0;
            for share in &mut shares {
                sum += *share;
                *share = sum;
            }
            shares
        })
    }
}

/// The piece of each row.
fn by_row(cells: &Cells, pieces: &[Piece]) -> Vec<u8> {
    if pieces.len() > MOST_PIECES {
        return Vec::new();
    }
    let mut of_rank = vec![0; cells.n_ranks()];
    for (at, piece) in pieces.iter().enumerate() {
        of_rank[piece.start as usize..piece.end as usize].fill(at as u8);
    }
    let missing = pieces.len() as u8;
    let of_row = |&rank: &u32| of_rank.get(rank as usize).copied().unwrap_or(missing);
    cells.ranks.iter().map(of_row).collect()
}

/// What a unit of weight counts in each class: half by the weight, half by the class.
pub(crate) fn shares(rows: &Rows) -> Vec<f32> {
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

/// At most so many pieces with about the same share, given that of all ranks below each.
pub(crate) fn even(below: &[f64], most: usize) -> Vec<Piece> {
    let n_ranks = below.len() - 1;
    if n_ranks <= most {
        return (0..n_ranks as u32)
            .map(|rank| piece(rank, rank + 1))
            .collect();
    }
    let (mut pieces, mut start) = (Vec::with_capacity(most), 0);
    while pieces.len() + 1 < most {
        let fair = (below[n_ranks] - below[start]) / (most - pieces.len()) as f64;
        let end = below[start] + fair;
        let mut next = start + 1;
        next += below[next..n_ranks].partition_point(|&below| below <= end);
        // The rank in which the end lies is beyond it with more than half of its share.
        if next > start + 1 && next <= n_ranks && below[next - 1] + below[next] > 2.0 * end {
            next -= 1;
        }
        if next >= n_ranks {
            break;
        }
        pieces.push(piece(start as u32, next as u32));
        start = next;
    }
    pieces.push(piece(start as u32, n_ranks as u32));
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
pub(crate) fn part(
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

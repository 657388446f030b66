//! Bins: neighbouring cells of a feature.
//!
//! A feature with many different cells first comes in some dozens of bins. They hold about the same share of the
//! rows, and of each class: where a class is rare, its rows decide. A cell with more than its share is a bin of its
//! own, which no cut divides.

use std::sync::{Arc, OnceLock};

use crate::learn::optimal::problem::{FeatureCells, FeatureKind, RowSet};

/// Cells of a child feature that lie next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bin {
    /// The first rank, and the one after the last.
    start: u32,
    end: u32,
    /// May an interval end inside?
    is_open: bool,
    /// May one end at its end?
    is_cut_after: bool,
}

impl Bin {
    /// A bin at whose end an interval may end.
    pub(crate) fn new(start: u32, end: u32, is_open: bool) -> Self {
        Self {
            start,
            end,
            is_open,
            is_cut_after: true,
        }
    }

    /// The first rank.
    #[inline(always)]
    pub(crate) fn start(self) -> u32 {
        self.start
    }

    /// The rank after the last.
    #[inline(always)]
    pub(crate) fn end(self) -> u32 {
        self.end
    }

    /// May an interval end inside?
    #[inline(always)]
    pub(crate) fn is_open(self) -> bool {
        self.is_open
    }

    /// May one end at its end?
    #[inline(always)]
    pub(crate) fn is_cut_after(self) -> bool {
        self.is_cut_after
    }

    /// A bin whose rows are only added up.
    pub(super) fn closed(self) -> Self {
        Self {
            is_open: false,
            is_cut_after: false,
            ..self
        }
    }

    /// This bin, with a cut after it if another bin has one.
    pub(super) fn cut_as(self, other: Self) -> Self {
        let is_cut_after = other.is_cut_after;
        Self {
            is_cut_after,
            ..self
        }
    }

    /// This bin and all ranks to the end of another.
    pub(super) fn up_to(self, other: Self) -> Self {
        let end = other.end;
        Self { end, ..self }
    }
}

/// The bins of all features for some rows, found when they are needed.
#[derive(Debug)]
pub(crate) struct Bins {
    /// The most lanes of a numeric root and bins of a numeric child.
    sizes: (usize, usize),
    shares: Arc<Shares>,
    features: Vec<OnceLock<FeatureBins>>,
}

/// What rows count when they are parted.
#[derive(Debug)]
struct Shares {
    /// A unit of weight in each class.
    of_class: Vec<f32>,
    /// For each numeric feature all rows below each rank, and in the end all.
    below: Vec<OnceLock<Vec<f64>>>,
}

/// The bins of a feature. Categories are bins of their own.
#[derive(Debug)]
pub(crate) struct FeatureBins {
    /// As a child.
    bins: Vec<Bin>,
    /// The bin of each row, one too large for rows without a cell; nothing for features with too many
    /// categories.
    of_row: Vec<u8>,
    /// As a root: where bins begin, and the end. Nothing for categories.
    cuts: Vec<u32>,
}

/// The numbers of bins fit into a byte, with one for missing cells.
pub(crate) const MOST_BINS: usize = 254;

impl FeatureBins {
    pub(crate) fn new(bins: Vec<Bin>, of_row: Vec<u8>, cuts: Vec<u32>) -> Self {
        Self { bins, of_row, cuts }
    }

    /// The bins of a child.
    pub(crate) fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// The bin of each row.
    pub(crate) fn of_row(&self) -> &[u8] {
        &self.of_row
    }

    /// The cuts of a root.
    pub(crate) fn cuts(&self) -> &[u32] {
        &self.cuts
    }

    /// Does every lane begin where a bin does?
    pub(crate) fn are_lanes_bins(&self) -> bool {
        let starts = self.bins.iter().map(|bin| bin.start);
        self.cuts.len() == self.bins.len() + 1 && starts.zip(&self.cuts).all(|(a, &b)| a == b)
    }
}

impl Bins {
    /// Few bins, and many.
    pub(crate) fn both(rows: &RowSet, sizes: [(usize, usize); 2]) -> [Arc<Self>; 2] {
        let shares = Arc::new(Shares {
            of_class: shares(rows),
            below: rows.cells().iter().map(|_| OnceLock::new()).collect(),
        });
        sizes.map(|sizes| {
            Arc::new(Self {
                sizes,
                shares: Arc::clone(&shares),
                features: rows.cells().iter().map(|_| OnceLock::new()).collect(),
            })
        })
    }

    /// Bins that are known.
    pub(crate) fn given(features: Vec<FeatureBins>) -> Self {
        Self {
            sizes: (0, 0),
            shares: Arc::new(Shares {
                of_class: Vec::new(),
                below: Vec::new(),
            }),
            features: features.into_iter().map(OnceLock::from).collect(),
        }
    }

    /// The bins of a feature of the same rows.
    pub(crate) fn of(&self, rows: &RowSet, feature: usize, kind: FeatureKind) -> &FeatureBins {
        self.features[feature].get_or_init(|| {
            let cells = &rows.cells()[feature];
            let (cuts, bins) = match kind {
                FeatureKind::Categorical => (Vec::new(), singles(cells)),
                FeatureKind::Numeric => self.numeric(rows, feature),
            };
            FeatureBins {
                of_row: by_row(cells, &bins),
                bins,
                cuts,
            }
        })
    }

    fn numeric(&self, rows: &RowSet, feature: usize) -> (Vec<u32>, Vec<Bin>) {
        let (n_lanes, n_bins) = self.sizes;
        let cells = &rows.cells()[feature];
        let n_ranks = cells.n_ranks();
        if n_ranks <= n_lanes.min(n_bins) {
            return ((0..=n_ranks as u32).collect(), singles(cells));
        }
        let below = self.shares.below(rows, feature);
        let bins = even(below, n_bins);
        let starts = |bins: &[Bin]| bins.iter().map(|bin| bin.start).collect();
        let mut cuts: Vec<u32> = if n_lanes == n_bins {
            starts(&bins)
        } else {
            starts(&even(below, n_lanes))
        };
        cuts.push(n_ranks as u32);
        (cuts, bins)
    }
}

impl Shares {
    fn below(&self, rows: &RowSet, feature: usize) -> &[f64] {
        self.below[feature].get_or_init(|| {
            let cells = &rows.cells()[feature];
            let mut shares = vec![0.0; cells.n_ranks() + 1];
            for (&rank, label) in cells.ranks().iter().zip(rows.labels()) {
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

/// The bin of each row.
fn by_row(cells: &FeatureCells, bins: &[Bin]) -> Vec<u8> {
    if bins.len() > MOST_BINS {
        return Vec::new();
    }
    let mut of_rank = vec![0; cells.n_ranks()];
    for (at, bin) in bins.iter().enumerate() {
        of_rank[bin.start as usize..bin.end as usize].fill(at as u8);
    }
    let missing = bins.len() as u8;
    let of_row = |&rank: &u32| of_rank.get(rank as usize).copied().unwrap_or(missing);
    cells.ranks().iter().map(of_row).collect()
}

/// What a unit of weight counts in each class: half by the weight, half by the class.
pub(crate) fn shares(rows: &RowSet) -> Vec<f32> {
    let n_present = rows.sums().iter().filter(|&&sum| sum > 0).count();
    let all = rows.weight().max(1) as f32;
    let share = |&sum: &u64| 1.0 / all + 1.0 / (n_present as f32 * sum.max(1) as f32);
    rows.sums().iter().map(share).collect()
}

/// Each cell is a bin.
fn singles(cells: &FeatureCells) -> Vec<Bin> {
    let bin = |rank: u32| Bin::new(rank, rank + 1, false);
    (0..cells.n_ranks() as u32).map(bin).collect()
}

/// At most `most` bins with about the same share, given that of all ranks below each.
pub(crate) fn even(below: &[f64], most: usize) -> Vec<Bin> {
    let n_ranks = below.len() - 1;
    if n_ranks <= most {
        return (0..n_ranks as u32)
            .map(|rank| bin(rank, rank + 1))
            .collect();
    }
    let (mut bins, mut start) = (Vec::with_capacity(most), 0);
    while bins.len() + 1 < most {
        let fair = (below[n_ranks] - below[start]) / (most - bins.len()) as f64;
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
        bins.push(bin(start as u32, next as u32));
        start = next;
    }
    bins.push(bin(start as u32, n_ranks as u32));
    bins
}

fn bin(start: u32, end: u32) -> Bin {
    Bin::new(start, end, end - start > 1)
}

/// Some ranks parted in up to `most` bins with about the same number of rows.
pub(crate) fn part(
    cells: &FeatureCells,
    start: u32,
    end: u32,
    most: usize,
) -> impl Iterator<Item = Bin> {
    let n_ranks = (end - start) as usize;
    let ends: Vec<u32> = if n_ranks <= most {
        (start + 1..=end).collect()
    } else {
        let first = cells.starts()[start as usize];
        let n_rows = (cells.starts()[end as usize] - first) as usize;
        let cut = |at: usize| {
            let place = first + (n_rows * at / most) as u32;
            let starts = &cells.starts()[start as usize..=end as usize];
            let cut = start + starts.partition_point(|&start| start < place) as u32;
            cut.clamp(start + 1, end - 1)
        };
        let mut ends: Vec<u32> = (1..most).map(cut).collect();
        ends.push(end);
        ends.dedup();
        ends
    };
    let starts = std::iter::once(start).chain(ends.clone());
    starts.zip(ends).map(|(start, end)| bin(start, end))
}

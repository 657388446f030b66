//! Sets of rows as cuts of features.

use super::rows::RowSet;

/// The rows of a table that some cuts leave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Region {
    /// A feature and a side, and where it ends, by rising features and sides. The smaller an end, the fewer rows.
    cuts: Vec<(Edge, u32)>,
}

/// A side of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Edge {
    feature: u32,
    is_high: bool,
    /// Where a category is set apart: which. The high side is the rest.
    category: Option<u32>,
}

impl Edge {
    pub(crate) fn new(feature: usize, is_high: bool) -> Self {
        let feature = feature as u32;
        Self {
            feature,
            is_high,
            category: None,
        }
    }

    /// A category, or all others.
    pub(crate) fn apart(feature: usize, category: u32, is_rest: bool) -> Self {
        Self {
            category: Some(category),
            ..Self::new(feature, is_rest)
        }
    }

    /// Where a side ends with the rows below a rank, or from it on.
    fn end(self, rank: u32) -> u32 {
        if self.is_high { u32::MAX - rank } else { rank }
    }
}

impl Region {
    /// The sides that are cut, and where each ends.
    pub(crate) fn edges_and_ends(&self) -> (Vec<Edge>, Vec<u32>) {
        self.cuts.iter().copied().unzip()
    }

    /// Only the rows of a category are left, or only the others.
    pub(crate) fn apart(&self, edge: Edge) -> Self {
        self.cut(edge, 0)
    }

    /// One cut more: only rows below a rank of the whole table are left, or only those from it on.
    pub(crate) fn cut(&self, edge: Edge, rank: u32) -> Self {
        let mut cuts = self.cuts.clone();
        let end = edge.end(rank);
        match cuts.binary_search_by_key(&edge, |&(edge, _)| edge) {
            Ok(at) => cuts[at].1 = cuts[at].1.min(end),
            Err(at) => cuts.insert(at, (edge, end)),
        }
        Self { cuts }
    }

    /// This region with the smallest ends that still hold these rows.
    pub(crate) fn tight(&self, rows: &RowSet, whole: &RowSet) -> Self {
        let tight = |&(edge, end): &(Edge, u32)| {
            if edge.category.is_some() {
                return (edge, end);
            }
            let feature = edge.feature as usize;
            let order = rows.cells()[feature].order();
            let rank = |row: u32| whole.cells()[feature].ranks()[rows.ids()[row as usize] as usize];
            let nearest = if edge.is_high {
                order.first().map(|&row| rank(row))
            } else {
                order.last().map(|&row| rank(row) + 1)
            };
            (edge, nearest.map_or(end, |rank| edge.end(rank)))
        };
        Self {
            cuts: self.cuts.iter().map(tight).collect(),
        }
    }
}

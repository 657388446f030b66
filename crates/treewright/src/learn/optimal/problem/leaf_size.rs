//! The least size of a leaf, in rows or in weight.

use crate::data::Dataset;

/// The sizes of rows, and the least size of a leaf.
#[derive(Debug)]
pub(crate) struct LeafSize {
    /// The size of each row; `None` if all are 1.
    sizes: Option<Vec<u64>>,
    least: usize,
}

impl LeafSize {
    #[inline]
    pub(crate) fn least(&self) -> usize {
        self.least
    }

    /// Is the size of rows their number?
    pub(crate) fn counts_rows(&self) -> bool {
        self.sizes.is_none()
    }

    /// Weights become whole numbers whose sum is about 2^50: what a leaf weighs must not depend on the order of
    /// its rows. However little a row weighs, it has a size: leaves of any size have at least 1.
    pub(crate) fn new(min_leaf: usize, share: f64, data: &Dataset) -> Self {
        const WHOLE: f64 = (1_u64 << 50) as f64;
        if share == 0.0 {
            return Self {
                sizes: None,
                least: min_leaf,
            };
        }
        let unit = data.total_weight() / WHOLE;
        let size = |row: usize| ((data.weight(row) / unit).round() as u64).max(1);
        let sizes: Vec<u64> = (0..data.n_rows()).map(size).collect();
        let all: u64 = sizes.iter().sum();
        // Each size may be off by one.
        let slack = data.n_rows() as u64 + 1;
        let least = ((share * all as f64).ceil() as u64).saturating_sub(slack);
        if sizes.iter().all(|&size| size >= least) {
            return Self {
                sizes: None,
                least: 1,
            };
        }
        Self {
            sizes: Some(sizes),
            least: least as usize,
        }
    }

    /// The size of some rows of the table.
    pub(crate) fn of(&self, rows: impl ExactSizeIterator<Item = u32>) -> usize {
        match &self.sizes {
            None => rows.len(),
            Some(sizes) => rows.map(|row| sizes[row as usize]).sum::<u64>() as usize,
        }
    }
}

//! The rows of a node in the order of some features.

/// The rows of a node in the order of some features.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    n_rows: usize,
    /// For every feature where its list begins, if there is one.
    starts: Vec<Option<usize>>,
    entries: Vec<u32>,
}

impl Lists {
    /// Makes room for lists of this many rows.
    pub(crate) fn clear(&mut self, n_rows: usize, n_features: usize) {
        self.n_rows = n_rows;
        self.starts.clear();
        self.starts.resize(n_features, None);
        self.entries.clear();
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The list of a feature, if there is one.
    pub(crate) fn of(&self, feature: usize) -> Option<&[u32]> {
        let start = self.starts[feature]?;
        Some(&self.entries[start..][..self.n_rows])
    }

    /// Makes the list of a feature: `append` adds it to what is there.
    pub(crate) fn make(&mut self, feature: usize, append: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        let start = self.entries.len();
        append(&mut self.entries);
        self.starts[feature] = Some(start);
        &self.entries[start..]
    }
}

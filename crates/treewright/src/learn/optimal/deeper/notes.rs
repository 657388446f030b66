//! What a search finds out about the branches of root splits, written down for a proof.

use std::sync::{Mutex, PoisonError};

/// Lower bounds of the branches below one root feature.
#[derive(Debug, Clone, Default)]
pub(crate) struct RootNotes {
    missing: u64,
    present: u64,
    categories: Vec<u64>,
    cuts: Vec<(u32, [u64; 2])>,
}

impl RootNotes {
    /// A lower bound of the rows without a value.
    pub(crate) fn missing(&self) -> u64 {
        self.missing
    }

    /// A lower bound of all rows with a number.
    pub(crate) fn present(&self) -> u64 {
        self.present
    }

    /// Lower bounds of the first categories, one after the other.
    pub(crate) fn categories(&self) -> &[u64] {
        &self.categories
    }

    /// Cuts, with lower bounds of the rows below and above.
    pub(crate) fn cuts(&self) -> &[(u32, [u64; 2])] {
        &self.cuts
    }
}

/// Where a search writes, if notes are wanted.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    by_feature: Option<Mutex<Vec<RootNotes>>>,
}

impl Notes {
    /// Notes about all features are wanted.
    pub(crate) fn wanted(n_features: usize) -> Self {
        Self {
            by_feature: Some(Mutex::new(vec![RootNotes::default(); n_features])),
        }
    }

    /// Does anyone want them?
    pub(super) fn are_wanted(&self) -> bool {
        self.by_feature.is_some()
    }

    /// A lower bound of the rows without a value.
    pub(super) fn missing(&self, feature: usize, lower: u64) {
        self.add(feature, |notes| notes.missing = lower);
    }

    /// A lower bound of all rows with a number.
    pub(super) fn present(&self, feature: usize, lower: u64) {
        self.add(feature, |notes| notes.present = lower);
    }

    /// A lower bound of the next category.
    pub(super) fn category(&self, feature: usize, lower: u64) {
        self.add(feature, |notes| notes.categories.push(lower));
    }

    /// Lower bounds of the rows below a cut and above.
    pub(super) fn cut(&self, feature: usize, cut: u32, lower: [u64; 2]) {
        self.add(feature, |notes| notes.cuts.push((cut, lower)));
    }

    fn add(&self, feature: usize, note: impl FnOnce(&mut RootNotes)) {
        if let Some(notes) = &self.by_feature {
            note(&mut notes.lock().unwrap_or_else(PoisonError::into_inner)[feature]);
        }
    }

    pub(crate) fn into_features(self) -> Vec<RootNotes> {
        let notes = self.by_feature.map(Mutex::into_inner);
        notes.map_or(Vec::new(), |notes| {
            notes.unwrap_or_else(PoisonError::into_inner)
        })
    }
}

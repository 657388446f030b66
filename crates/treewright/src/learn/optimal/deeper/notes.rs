//! What a search finds out about the branches of first questions, written down for a proof.

use std::sync::{Mutex, PoisonError};

/// What the branches below a feature that is asked first are worth at least.
#[derive(Debug, Clone, Default)]
pub(crate) struct RootNotes {
    /// The rows without a value.
    pub(in crate::learn::optimal) missing: u64,
    /// All rows with a number.
    pub(in crate::learn::optimal) present: u64,
    /// The first categories, one after the other.
    pub(in crate::learn::optimal) categories: Vec<u64>,
    /// Cuts, with the rows below and above.
    pub(in crate::learn::optimal) cuts: Vec<(u32, [u64; 2])>,
}

/// Where a search writes, if it is wanted.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    by_feature: Option<Mutex<Vec<RootNotes>>>,
}

impl Notes {
    /// Something is wanted about so many features.
    pub(crate) fn wanted(n_features: usize) -> Self {
        Self {
            by_feature: Some(Mutex::new(vec![RootNotes::default(); n_features])),
        }
    }

    /// Writes down what there is about a feature.
    pub(crate) fn add(&self, feature: usize, note: impl FnOnce(&mut RootNotes)) {
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

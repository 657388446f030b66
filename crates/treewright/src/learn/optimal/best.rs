//! The best tree that is known so far, and what a search leaves behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The best tree that is known, for all who search.
#[derive(Debug)]
pub(super) struct Best {
    value: AtomicU64,
    known: Mutex<Option<(u64, Sketch)>>,
}

/// The upper levels of a tree. What is below them is as good as it can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sketch {
    Leaf,
    /// With one question more below.
    Alone(Root),
    Split(Root, Vec<Sketch>),
}

/// The first question of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) feature: usize,
    /// The rank at which the upper side begins; none if there is no cut.
    pub(super) cut: Option<u32>,
}

impl Root {
    pub(super) fn alone(self) -> Sketch {
        Sketch::Alone(self)
    }
}

impl Best {
    /// Nothing is known, and nothing is wanted that is not below a bound.
    pub(super) fn below(bound: u64) -> Self {
        Self {
            value: AtomicU64::new(bound),
            known: Mutex::new(None),
        }
    }

    pub(super) fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    pub(super) fn offer(&self, value: u64, sketch: Sketch) {
        if value < self.value.fetch_min(value, Ordering::Relaxed) {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.as_ref().is_none_or(|&(known, _)| value < known) {
                *known = Some((value, sketch));
            }
        }
    }

    pub(super) fn sketch(&self) -> Option<Sketch> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map(|(_, sketch)| sketch.clone())
    }
}

/// What is known about some rows after a search.
#[derive(Debug, Clone)]
pub(super) struct Solved {
    /// The least value if it is below the bound of the search, or the best that was found until it ended.
    pub(super) value: Option<u64>,
    /// No tree has a smaller value; but it is not worth much more than the bound of the search.
    pub(super) least: u64,
    /// For each feature: no tree that asks it first has a smaller value.
    pub(super) floors: Vec<u64>,
    /// The same for all sets that contain these rows. If all these rows go to one branch there, they have
    /// a level less.
    pub(super) inherited: Vec<u64>,
    pub(super) sketch: Option<Sketch>,
    /// Was everything looked at?
    pub(super) is_done: bool,
}

/// What is known about features that are asked first.
pub(super) struct Floors<'a> {
    /// By this search.
    pub(super) own: Vec<u64>,
    /// No tree with a level less has a smaller value.
    pub(super) flat: u64,
    /// What was known before, for these rows and all sets that contain them.
    pub(super) before: &'a [u64],
}

impl Solved {
    /// What `best` was found, with floors for all features. Values from `bound` on were not looked for.
    pub(super) fn new(
        best: &Best,
        bound: u64,
        leaf: Option<u64>,
        floors: Floors<'_>,
        is_done: bool,
    ) -> Self {
        let Floors {
            own: floors,
            flat,
            before,
        } = floors;
        let inherit = |(feature, &floor): (usize, &u64)| {
            let before = before.get(feature).copied().unwrap_or(0);
            floor.min(flat).max(before)
        };
        let inherited = floors.iter().enumerate().map(inherit).collect();
        let value = Some(best.value()).filter(|&value| value < bound);
        let floor = floors.iter().copied().chain(leaf).min().unwrap_or(u64::MAX);
        let least = match value {
            Some(value) if is_done => value,
            _ => floor.min(best.value().max(bound)).min(LARGEST),
        };
        Self {
            value,
            least,
            floors,
            inherited,
            sketch: best.sketch(),
            is_done,
        }
    }

    /// A value that is known.
    pub(super) fn exactly(value: u64, sketch: Sketch) -> Self {
        Self {
            value: Some(value),
            least: value,
            floors: Vec::new(),
            inherited: Vec::new(),
            sketch: Some(sketch),
            is_done: true,
        }
    }

    /// There is no tree.
    pub(super) fn never() -> Self {
        Self {
            value: None,
            least: LARGEST,
            floors: Vec::new(),
            inherited: Vec::new(),
            sketch: None,
            is_done: true,
        }
    }
}

/// Larger than the value of any tree, but sums of a few do not overflow.
const LARGEST: u64 = u64::MAX / 8;

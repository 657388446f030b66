//! The best tree that is known so far, and what a search leaves behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The best tree that is known, for all who search.
#[derive(Debug)]
pub(super) struct Best {
    value: AtomicU64,
    known: Mutex<Option<(u64, Sketch)>>,
    /// Of equal trees, is the first in the order of features and cuts wanted, and not just any?
    is_first_wanted: bool,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

impl Sketch {
    fn root(&self) -> Option<Root> {
        match self {
            Self::Leaf => None,
            Self::Alone(root) | Self::Split(root, _) => Some(*root),
        }
    }
}

impl Best {
    /// Nothing is known, and nothing is wanted that is not below a bound.
    pub(super) fn below(bound: u64, is_first_wanted: bool) -> Self {
        Self {
            value: AtomicU64::new(bound),
            known: Mutex::new(None),
            is_first_wanted,
        }
    }

    pub(super) fn value(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    /// A tree is only of interest if its value is below this. `root` is the first question that it could have.
    pub(super) fn limit(&self, root: Root) -> u64 {
        if !self.is_first_wanted {
            return self.value();
        }
        let known = self.lock();
        match &*known {
            Some((value, sketch)) => value + u64::from(Some(root) < sketch.root()),
            None => self.value(),
        }
    }

    /// Is a tree with this root better than the best?
    pub(super) fn offer(&self, value: u64, sketch: Sketch) {
        let limit = sketch.root().map_or(self.value(), |root| self.limit(root));
        if value < limit {
            let mut known = self.lock();
            let is_better = |(old_value, old): &(u64, Sketch)| {
                let is_before = self.is_first_wanted && sketch.root() < old.root();
                value < *old_value || value == *old_value && is_before
            };
            if known.as_ref().is_none_or(is_better) {
                self.value.fetch_min(value, Ordering::Relaxed);
                *known = Some((value, sketch));
            }
        }
    }

    pub(super) fn sketch(&self) -> Option<Sketch> {
        self.lock().as_ref().map(|(_, sketch)| sketch.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<(u64, Sketch)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known about some rows after a search.
#[derive(Debug, Clone)]
pub(super) struct Solved {
    /// The least value if it is below the bound of the search, or the best that was found until it ended.
    pub(super) value: Option<u64>,
    /// No tree has a smaller value; but it is not worth much more than the bound of the search.
    pub(super) least: u64,
    /// What holds for all sets that contain these rows, too.
    pub(super) inherited: Known,
    pub(super) sketch: Option<Sketch>,
    /// Was everything looked at?
    pub(super) is_done: bool,
}

/// What is known about some rows, and so about all sets that contain them.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// For each feature: no tree has a smaller value for these rows, if it asks that feature first. If all these
    /// rows go to one branch there, they have a level less. Nothing about any if there are none.
    pub(super) floors: Vec<u64>,
    /// No tree with a level less has a smaller value.
    pub(super) flat: u64,
}

impl Known {
    pub(super) fn floor(&self, feature: usize) -> u64 {
        self.floors.get(feature).copied().unwrap_or(0)
    }
}

/// What a search finds out about features that are asked first.
pub(super) struct Floors<'a> {
    /// By this search.
    pub(super) own: Vec<u64>,
    /// No tree with a level less has a smaller value.
    pub(super) flat: u64,
    /// What was known before.
    pub(super) before: &'a Known,
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
        let inherit = |(feature, &floor): (usize, &u64)| floor.min(flat).max(before.floor(feature));
        let inherited = Known {
            floors: floors.iter().enumerate().map(inherit).collect(),
            flat: flat.max(before.flat),
        };
        let value = Some(best.value()).filter(|&value| value < bound);
        let floor = floors.iter().copied().chain(leaf).min().unwrap_or(u64::MAX);
        let least = match value {
            Some(value) if is_done => value,
            _ => floor.min(best.value().max(bound)).min(LARGEST),
        };
        Self {
            value,
            least,
            inherited,
            sketch: best.sketch(),
            is_done,
        }
    }

    /// No tree has a smaller value, after a search for trees below `bound`. With a least size of leaves `least`
    /// may be smaller: then it is about leaves of any size.
    pub(super) fn least_of(&self, bound: u64) -> u64 {
        if self.is_done && self.value.is_none() {
            self.least.max(bound)
        } else {
            self.least
        }
    }

    /// A value that is known.
    pub(super) fn exactly(value: u64, bound: u64, sketch: Sketch) -> Self {
        Self {
            value: Some(value).filter(|&value| value < bound),
            least: value,
            inherited: Known::default(),
            sketch: Some(sketch),
            is_done: true,
        }
    }

    /// Rows whose value as a leaf is known, if nothing else can be below the bound: all other trees have at least
    /// the value `others`. What was known about features before is all that is known.
    pub(super) fn as_leaf(leaf: u64, bound: u64, others: u64, before: &Known) -> Self {
        Self {
            least: leaf.min(others),
            inherited: before.clone(),
            sketch: (leaf < bound).then_some(Sketch::Leaf),
            ..Self::exactly(leaf, bound, Sketch::Leaf)
        }
    }

    /// No tree has a smaller value than `least`, which is all that had to be known.
    pub(super) fn at_least(least: u64, before: &Known, n_features: usize) -> Self {
        let floor = |feature: usize| before.floor(feature).max(least);
        Self {
            value: None,
            least,
            inherited: Known {
                floors: (0..n_features).map(floor).collect(),
                flat: before.flat.max(least),
            },
            sketch: None,
            is_done: true,
        }
    }

    /// There was no time to find out anything.
    pub(super) fn stopped() -> Self {
        Self {
            least: 0,
            is_done: false,
            ..Self::never()
        }
    }

    /// There is no tree.
    pub(super) fn never() -> Self {
        Self {
            value: None,
            least: LARGEST,
            inherited: Known::default(),
            sketch: None,
            is_done: true,
        }
    }
}

/// Larger than the value of any tree, but sums of a few do not overflow.
const LARGEST: u64 = u64::MAX / 8;

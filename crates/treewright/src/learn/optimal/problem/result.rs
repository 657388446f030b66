//! What a search leaves behind about some rows.

use super::sketch::{Sketch, TreeIncumbent};

/// What is known about some rows after a search.
#[derive(Debug, Clone)]
pub(crate) struct SearchResult {
    /// The least value if it is below the upper bound of the search, or the best value that was found until it was
    /// stopped.
    pub(in crate::learn::optimal) value: Option<u64>,
    /// No tree has a smaller value; but it is not worth much more than the upper bound of the search.
    pub(in crate::learn::optimal) lower: u64,
    /// What holds for all sets that contain these rows, too.
    pub(in crate::learn::optimal) inherited: Inherited,
    pub(in crate::learn::optimal) sketch: Option<Sketch>,
    /// Was the search finished?
    pub(in crate::learn::optimal) is_done: bool,
}

/// What is known about some rows, and so about all sets that contain them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inherited {
    /// For each feature: no tree has a smaller value for these rows, if it splits on that feature first. If all
    /// these rows go to one branch there, they have a level less. Nothing about any if there are none.
    pub(in crate::learn::optimal) floors: Vec<u64>,
    /// A lower bound of the value at depth - 1.
    pub(in crate::learn::optimal) shallower: u64,
}

impl Inherited {
    pub(crate) fn floor(&self, feature: usize) -> u64 {
        self.floors.get(feature).copied().unwrap_or(0)
    }
}

/// What a search finds out about features at the root.
pub(crate) struct Floors<'a> {
    /// By this search.
    pub(in crate::learn::optimal) own: Vec<u64>,
    /// A lower bound of the value at depth - 1.
    pub(in crate::learn::optimal) shallower: u64,
    /// What was known before.
    pub(in crate::learn::optimal) before: &'a Inherited,
}

impl SearchResult {
    /// The result of an incumbent, with floors of all root features. Values from `upper` on were not searched.
    pub(crate) fn new(
        incumbent: &TreeIncumbent,
        upper: u64,
        leaf: Option<u64>,
        floors: Floors<'_>,
        is_done: bool,
    ) -> Self {
        let Floors {
            own: floors,
            shallower,
            before,
        } = floors;
        let inherit =
            |(feature, &floor): (usize, &u64)| floor.min(shallower).max(before.floor(feature));
        let inherited = Inherited {
            floors: floors.iter().enumerate().map(inherit).collect(),
            shallower: shallower.max(before.shallower),
        };
        let value = Some(incumbent.value()).filter(|&value| value < upper);
        let floor = floors.iter().copied().chain(leaf).min().unwrap_or(u64::MAX);
        let lower = match value {
            Some(value) if is_done => value,
            _ => floor.min(incumbent.value().max(upper)).min(LARGEST),
        };
        Self {
            value,
            lower,
            inherited,
            sketch: incumbent.tree(),
            is_done,
        }
    }

    /// No tree has a smaller value, after a search for trees below `upper`. With a least size of leaves `lower`
    /// may be smaller: then it is about leaves of any size.
    pub(crate) fn lower_of(&self, upper: u64) -> u64 {
        if self.is_done && self.value.is_none() {
            self.lower.max(upper)
        } else {
            self.lower
        }
    }

    /// A value that is known.
    pub(crate) fn exactly(value: u64, upper: u64, sketch: Sketch) -> Self {
        Self {
            value: Some(value).filter(|&value| value < upper),
            lower: value,
            inherited: Inherited::default(),
            sketch: Some(sketch),
            is_done: true,
        }
    }

    /// What a search with fewer levels says about more of them, where trees below `upper` have no more levels: about
    /// larger values it says nothing.
    pub(crate) fn into_deeper(self, upper: u64, before: &Inherited, n_features: usize) -> Self {
        let lower = self.lower.min(upper);
        Self {
            lower,
            inherited: Self::at_least(lower, before, n_features).inherited,
            ..self
        }
    }

    /// The same of a search that was stopped.
    pub(crate) fn into_stopped(self) -> Self {
        Self {
            is_done: false,
            ..self
        }
    }

    /// Rows whose value as a leaf is known, if nothing else can be below the upper bound: all other trees have at
    /// least the value `others`. What was known about features before is all that is known.
    pub(crate) fn as_leaf(leaf: u64, upper: u64, others: u64, before: &Inherited) -> Self {
        Self {
            lower: leaf.min(others),
            inherited: before.clone(),
            sketch: (leaf < upper).then_some(Sketch::Leaf),
            ..Self::exactly(leaf, upper, Sketch::Leaf)
        }
    }

    /// No tree has a smaller value than `lower`, which is all that had to be known.
    pub(crate) fn at_least(lower: u64, before: &Inherited, n_features: usize) -> Self {
        let floor = |feature: usize| before.floor(feature).max(lower);
        Self {
            value: None,
            lower,
            inherited: Inherited {
                floors: (0..n_features).map(floor).collect(),
                shallower: before.shallower.max(lower),
            },
            sketch: None,
            is_done: true,
        }
    }

    /// There was no time to find out anything.
    pub(crate) fn stopped() -> Self {
        Self {
            lower: 0,
            is_done: false,
            ..Self::never()
        }
    }

    /// There is no tree.
    pub(crate) fn never() -> Self {
        Self {
            value: None,
            lower: LARGEST,
            inherited: Inherited::default(),
            sketch: None,
            is_done: true,
        }
    }
}

/// Larger than the value of any tree, but sums of a few do not overflow.
const LARGEST: u64 = u64::MAX / 8;

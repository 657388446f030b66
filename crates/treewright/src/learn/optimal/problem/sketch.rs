//! The upper levels of a tree, as a search knows them.

use crate::learn::exact::{Incumbent, IncumbentTree};

/// The upper levels of a tree. What is below them is as good as it can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sketch {
    Leaf,
    /// With one more split below.
    Alone(RootSplit),
    Split(RootSplit, Vec<Sketch>),
}

/// The root split of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RootSplit {
    feature: usize,
    /// The rank at which the upper side begins; none if there is no cut.
    cut: Option<u32>,
}

impl RootSplit {
    #[inline]
    pub(crate) fn feature(self) -> usize {
        self.feature
    }

    #[inline]
    pub(crate) fn cut(self) -> Option<u32> {
        self.cut
    }

    /// A cut of a numeric feature.
    #[inline]
    pub(crate) fn at(feature: usize, cut: u32) -> Self {
        let cut = Some(cut);
        Self { feature, cut }
    }

    /// A branch for each category, or for all numbers and for missing cells.
    #[inline]
    pub(crate) fn uncut(feature: usize) -> Self {
        Self { feature, cut: None }
    }

    pub(crate) fn alone(self) -> Sketch {
        Sketch::Alone(self)
    }
}

/// The best tree so far.
pub(crate) type TreeIncumbent = Incumbent<Sketch>;

impl IncumbentTree for Sketch {
    type Root = RootSplit;

    fn root(&self) -> Option<RootSplit> {
        match self {
            Self::Leaf => None,
            Self::Alone(root) | Self::Split(root, _) => Some(*root),
        }
    }
}

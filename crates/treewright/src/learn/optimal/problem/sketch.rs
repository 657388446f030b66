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
    /// The rank at which the upper side begins, or the one after that of a category that is set apart; none if there
    /// is no cut.
    cut: Option<u32>,
}

/// No cut, and no category, has this number.
const GROUPS: u32 = 0;

impl RootSplit {
    #[inline]
    pub(crate) fn feature(self) -> usize {
        self.feature
    }

    #[inline]
    pub(crate) fn cut(self) -> Option<u32> {
        self.cut
    }

    /// A cut of a numeric feature, or the category before it against the rest.
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

    /// Groups of categories, all of which are leaves.
    #[inline]
    pub(crate) fn groups(feature: usize) -> Self {
        Self::at(feature, GROUPS)
    }

    /// Are all branches leaves, which hold groups of categories?
    #[inline]
    pub(crate) fn is_groups(self) -> bool {
        self.cut == Some(GROUPS)
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

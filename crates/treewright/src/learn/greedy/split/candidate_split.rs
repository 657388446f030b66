//! The best split of one feature at one node, and how it parts the rows.

use super::measure::Score;

/// The best split of one feature.
#[derive(Debug)]
pub(crate) struct CandidateSplit {
    pub(crate) feature: usize,
    pub(crate) shape: Shape,
    /// The child that takes the missing rows, if the split was judged with them there.
    pub(crate) missing: Option<u32>,
    pub(crate) score: Score,
}

impl CandidateSplit {
    pub(crate) fn feature(&self) -> usize {
        self.feature
    }
}

/// How a split parts the known rows of its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Not at all: only missing rows are set apart.
    MissingOnly,
    /// Below and from this position in the feature's order.
    Cut(usize),
    /// A child for each category.
    Multiway,
    /// Between two codes of a coarse feature.
    Coarse {
        /// The last code below the cut that occurs.
        below: u8,
        /// The first code above it that occurs.
        above: u8,
        /// Number of rows below it.
        n_below: usize,
    },
    /// The category that stands at this range of positions, against the others.
    OneVsRest(usize, usize),
    /// The categories that occur, by code: does each go to the second child?
    InTwo(Box<[bool]>),
}

/// What came of looking at a feature.
#[derive(Debug)]
pub(crate) enum FeatureResult {
    /// It is constant here and so in all nodes below.
    Constant,
    /// It has no admissible split.
    NoSplit,
    Split(CandidateSplit),
}

/// A split of one feature, and what it is worth.
#[derive(Debug)]
pub(crate) struct Scored {
    pub(crate) shape: Shape,
    pub(crate) missing: Option<u32>,
    pub(crate) score: Score,
}

/// The best split of a feature seen so far.
pub(crate) type BestShape = Option<Scored>;

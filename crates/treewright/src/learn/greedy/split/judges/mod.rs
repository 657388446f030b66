//! Scores of splits for any weights, any criterion and any kind of feature.
//!
//! A judge adds up groups of rows and scores the split that some groups make of a node.

mod absolute_judge;
mod class_judge;
mod squared_judge;

use std::ops::Range;

pub(crate) use self::absolute_judge::AbsoluteJudge;
pub(crate) use self::class_judge::ClassJudge;
pub(crate) use self::squared_judge::SquaredJudge;

use crate::learn::greedy::problem::Frame;
use crate::learn::greedy::split::feature_candidates::{FeatureCandidates, Pass};
use crate::learn::greedy::split::measure::Score;

/// Adds up groups of rows and scores the split that they make of the judged rows: the known ones, and the missing
/// ones if each split is tried with them in each child. Where missing rows have a branch of their own, the judge adds
/// it to every split.
pub(crate) trait GroupJudge {
    type Tally;

    fn empty(&self) -> Self::Tally;
    fn add(&self, tally: &mut Self::Tally, frame: &Frame<'_>, entry: u32);
    /// The judged rows without a group, which stands at a range of positions among the known ones.
    fn rest_of(
        &self,
        candidates: &FeatureCandidates<'_>,
        pass: &Pass<'_>,
        tally: &Self::Tally,
        group: &Range<usize>,
    ) -> Self::Tally;
    /// What a group adds to the drop of a split, rounded.
    fn worth(&self, tally: &Self::Tally) -> f64;
    fn score(&self, groups: &[&Self::Tally]) -> Score;
    /// A drop below this is rounding, where nothing better is known.
    fn floor(&self) -> f64;
    /// Steps that a group takes besides its rows, and numbers that its tally has.
    fn steps(&self) -> usize {
        1
    }
}

/// A judge whose groups are sums: they can be added and subtracted.
pub(crate) trait SumJudge: GroupJudge {
    /// The judged rows without a group.
    fn rest(&self, tally: &Self::Tally) -> Self::Tally;
    /// Adds a group to another.
    fn join(&self, tally: &mut Self::Tally, other: &Self::Tally);
    /// Is the cut above this group clearly ranked below `reach`? Saves work, so it may always say no.
    fn is_behind(&self, low: &Self::Tally, reach: f64) -> bool;
    /// The orders of some groups whose cuts are tried.
    fn orders(&self, tallies: &[Self::Tally]) -> impl Iterator<Item = Vec<u32>>;
}

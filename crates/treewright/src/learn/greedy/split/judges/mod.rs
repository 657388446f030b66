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
use crate::learn::greedy::split::feature_candidates::FeatureCandidates;
use crate::learn::greedy::split::measure::Score;

/// Adds up groups of rows and scores the split that they make of the known rows. Where missing rows
/// have a branch of their own, the judge adds it to every split.
pub(crate) trait GroupJudge {
    type Tally;

    fn empty(&self) -> Self::Tally;
    fn add(&self, tally: &mut Self::Tally, frame: &Frame<'_>, entry: u32);
    /// The known rows without a group.
    fn rest(&self, tally: &Self::Tally) -> Self::Tally;
    /// The known rows without a group, where the group stands at a range of positions and no difference can be formed.
    fn rest_of(
        &self,
        _candidates: &FeatureCandidates<'_>,
        tally: &Self::Tally,
        _group: &Range<usize>,
    ) -> Self::Tally {
        self.rest(tally)
    }
    fn score(&self, groups: &[&Self::Tally]) -> Score;
    /// Is the cut above this group clearly ranked below `reach`? Saves work, so it may always say no.
    fn is_behind(&self, _low: &Self::Tally, _reach: f64) -> bool {
        false
    }
    /// A drop below this is rounding, where nothing better is known.
    fn floor(&self) -> f64;
    /// Steps that a group takes besides its rows, and numbers that its tally has.
    fn steps(&self) -> usize {
        1
    }
}

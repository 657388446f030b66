//! A selection of features by any of the two searches: the tree over the features that it chose, and how much the
//! choice depends on the rows.

use super::{Backward, Complete, Selection, Stability, StabilityReport};
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::Greedy;
use crate::tree::Fit;

/// The tree over the selected features gets one part in this many of the time.
const SHARE_OF_TREE: u32 = 10;

/// A way to select features.
#[derive(Debug, Clone)]
pub enum FeatureSearch {
    /// Backward elimination.
    Backward(Backward),
    /// The best subset.
    Complete(Complete),
}

/// What was selected.
#[derive(Debug, Clone)]
pub struct FeatureSelection {
    /// The features.
    pub selection: Selection,
    /// The selections on samples of the rows, if they were asked for.
    pub stability: Option<StabilityReport>,
}

impl FeatureSelection {
    /// Was the budget spent before the end of the search or of the samples?
    pub fn is_stopped(&self) -> bool {
        let samples = self.stability.as_ref();
        self.selection.stopped || samples.is_some_and(|report| report.stopped)
    }
}

impl FeatureSearch {
    /// The name of the subcommand.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Backward(_) => "backward",
            Self::Complete(_) => "complete",
        }
    }

    /// What grows the trees.
    pub fn greedy(&self) -> &Greedy {
        match self {
            Self::Backward(search) => &search.greedy,
            Self::Complete(search) => &search.greedy,
        }
    }

    /// Selects features, and repeats the selection on samples of the rows if that is asked for.
    pub fn select(
        &self,
        data: &Dataset,
        budget: &Budget,
        stability: Option<Stability>,
    ) -> Result<FeatureSelection> {
        let selection = self.run(data, budget)?;
        let one = self.clone().one_of(rayon::current_num_threads());
        let run = |data: &Dataset, budget: &Budget| one.run(data, budget);
        let report = stability.map(|stability| stability.assess(data, budget, run));
        Ok(FeatureSelection {
            selection,
            stability: report.transpose()?,
        })
    }

    /// Selects features as [`FeatureSearch::select`] does, and learns the tree over them. A part of the time is kept
    /// for the tree.
    pub fn fit(
        &self,
        data: &Dataset,
        budget: &Budget,
        stability: Option<Stability>,
    ) -> Result<(FeatureSelection, Fit)> {
        let for_tree = budget.left().unwrap_or_default() / SHARE_OF_TREE;
        let selected = self.select(data, &budget.keeping(for_tree), stability)?;
        let selection = &selected.selection;
        let fit = selection.fit(self.greedy(), data, &budget.for_the_rest())?;
        Ok((selected, fit))
    }

    fn run(&self, data: &Dataset, budget: &Budget) -> Result<Selection> {
        match self {
            Self::Backward(search) => search.select(data, budget),
            Self::Complete(search) => search.select(data, budget),
        }
    }

    /// The same with its part of the memory, as one of several that run at once.
    fn one_of(mut self, n_searches: usize) -> Self {
        match &mut self {
            Self::Backward(search) => search.most_bytes /= n_searches,
            Self::Complete(search) => search.most_bytes /= n_searches,
        }
        self
    }
}

/// How many bytes a search over subsets of the features may take for what its trees share, within a limit for all of
/// its memory: half of it, because the rows, the sorted lists and the tree in hand need their part, too. Without a
/// limit it is `usual`.
pub fn shared_bytes(memory_limit: Option<u64>, usual: usize) -> usize {
    let half = memory_limit.map(|bytes| bytes / 2);
    half.map_or(usual, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}

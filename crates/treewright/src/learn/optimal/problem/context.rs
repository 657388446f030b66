//! What all parts of a search have in common.

use super::leaf_share::LeafShare;
use super::rows::RowSet;
use super::table::RankTable;
use super::value_encoding::ValueEncoding;
use crate::learn::optimal::switches::Switches;

/// What a search is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(in crate::learn::optimal) table: &'a RankTable<'a>,
    pub(in crate::learn::optimal) encoding: ValueEncoding,
    pub(in crate::learn::optimal) rule: IntervalRule,
    pub(in crate::learn::optimal) arch: pulp::Arch,
    pub(in crate::learn::optimal) switches: Switches,
}

impl<'a> Context<'a> {
    /// The least share of the predicted class in a leaf, if there is one.
    pub(crate) fn leaf_share(self) -> Option<&'a LeafShare> {
        self.table.leaf_share().filter(|_| self.rule.has_share())
    }

    /// Rows of a branch below a split on a feature: without the features that may not be asked there.
    pub(crate) fn below(self, rows: RowSet, feature: usize) -> RowSet {
        rows.hiding(self.table.never_below().below(feature))
    }

    /// Does any feature exclude another below it? Then rows alone do not say which splits there are.
    pub(crate) fn has_rules(self) -> bool {
        !self.table.never_below().is_empty()
    }

    /// May a feature of some rows be asked only once on a path? Then it cannot be cut again by its branches.
    pub(crate) fn asks_once(self, rows: &RowSet) -> bool {
        let never = self.table.never_below();
        let asks_once = |feature: usize| !never.allows(feature, feature);
        let has_cuts = |feature: usize| rows.cells()[feature].n_ranks() > 1;
        let features = 0..rows.cells().len();
        self.has_rules() && features.into_iter().any(|it| asks_once(it) && has_cuts(it))
    }
}

/// How a line may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntervalRule {
    /// The largest number of intervals.
    most: usize,
    /// The least size of each.
    min_leaf: usize,
    /// Has the predicted class a least share in each?
    has_share: bool,
}

impl IntervalRule {
    pub(crate) fn new(most: usize, min_leaf: usize) -> Self {
        Self {
            most,
            min_leaf,
            has_share: false,
        }
    }

    /// This rule, with a least share of the predicted class in each leaf, or without.
    pub(crate) fn sharing(self, has_share: bool) -> Self {
        Self { has_share, ..self }
    }

    /// This rule with fewer intervals.
    pub(crate) fn up_to(self, most: usize) -> Self {
        Self {
            most: self.most.min(most),
            ..self
        }
    }

    /// May any rows be a leaf? Then fewer rows never cost more.
    #[inline]
    pub(crate) fn allows_any_leaf(self) -> bool {
        self.min_leaf == 1 && !self.has_share
    }

    #[inline]
    pub(crate) fn has_share(self) -> bool {
        self.has_share
    }

    #[inline]
    pub(crate) fn most(self) -> usize {
        self.most
    }

    #[inline]
    pub(crate) fn min_leaf(self) -> usize {
        self.min_leaf
    }
}

//! The best groups of the categories of one feature, each of which is a leaf.
//!
//! **Problem.** Part the categories into at most `K` groups with one label each, so that they lose least; or set one
//! category apart.
//!
//! **Lemma.** Only the labels matter: given a set of at most `K` labels, each category goes to that of them from
//! which it gains most. So the gain is the largest, over such sets, of the sum over categories of what each gains by
//! its best label in the set. With at least as many labels as classes each category has its largest class. Otherwise
//! this is the maximum coverage problem, which is hard for many labels, and easy for few. It is solved by branch and
//! bound over sets of labels: a set that grows gains at most what each category gains by its best label so far or to
//! come.
//!
//! Leaves may have any size here; `limited_groups` has those with a least size.

use super::limited_groups::{GroupLimits, LimitedGroups};
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{RowSet, ValueEncoding};
use crate::tree::CategoricalSplits;

/// What the categories of a feature gain by each class.
#[derive(Debug, Clone)]
pub(crate) struct CategorySums {
    /// For each category and class.
    sums: Vec<u64>,
    n_classes: usize,
}

/// How categories may be parted into leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupRule {
    /// One against the rest.
    Apart,
    /// Into at most this many groups.
    UpTo(usize),
}

impl GroupRule {
    /// The rule of binary splits, where a numeric feature has up to `intervals` intervals.
    pub(crate) fn new(splits: CategoricalSplits, intervals: usize) -> Self {
        match splits {
            CategoricalSplits::OneVsRest => Self::Apart,
            _ => Self::UpTo(intervals.max(2)),
        }
    }

    /// The largest number of groups.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Apart => 2,
            Self::UpTo(most) => most,
        }
    }
}

impl CategorySums {
    pub(crate) fn new(sums: Vec<u64>, n_classes: usize) -> Self {
        Self { sums, n_classes }
    }

    /// The categories of some rows.
    pub(crate) fn of(
        rows: &RowSet,
        feature: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Self, Stopped> {
        let (cells, n_classes) = (&rows.cells()[feature], rows.sums().len());
        deadline.before(rows.len() + cells.n_ranks() * n_classes)?;
        let mut sums = vec![0; cells.n_ranks() * n_classes];
        for (rank, sums) in (0..).zip(sums.chunks_exact_mut(n_classes)) {
            for &row in cells.rows(rank, rank + 1) {
                let label = rows.labels()[row as usize];
                sums[label.class as usize] += u64::from(label.weight);
            }
        }
        Ok(Self { sums, n_classes })
    }

    pub(super) fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// The weight of each class for each category.
    pub(super) fn categories(&self) -> impl DoubleEndedIterator<Item = &[u64]> + ExactSizeIterator {
        self.sums.chunks_exact(self.n_classes)
    }

    fn n_categories(&self) -> usize {
        self.sums.len() / self.n_classes
    }

    fn total(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// The weight of each class.
    pub(super) fn of_classes(&self) -> Vec<u64> {
        let mut all = vec![0; self.n_classes];
        for category in self.categories() {
            for (sum, weight) in all.iter_mut().zip(category) {
                *sum += weight;
            }
        }
        all
    }

    /// The least value in leaves of any size.
    pub(crate) fn least(
        &self,
        rule: GroupRule,
        encoding: ValueEncoding,
        deadline: &mut Deadline<'_>,
    ) -> Result<u64, Stopped> {
        let losses = self.losses(rule, deadline)?;
        let value = |(groups, loss)| encoding.loss(loss) + groups * encoding.per_leaf();
        Ok((1..).zip(losses).map(value).min().unwrap_or(u64::MAX))
    }

    /// The least losses in 1, 2, ... groups of any size.
    pub(crate) fn losses(
        &self,
        rule: GroupRule,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<u64>, Stopped> {
        let gains = match rule {
            GroupRule::Apart => self.gains_apart(),
            GroupRule::UpTo(most) => self.gains_of_groups(most, deadline)?,
        };
        let total = self.total();
        Ok(gains.into_iter().map(|gain| total - gain).collect())
    }

    /// What one leaf gains, and one category against the rest.
    fn gains_apart(&self) -> Vec<u64> {
        let all = self.of_classes();
        let apart = self.categories().map(|category| apart(category, &all));
        let mut gains = vec![largest(&all)];
        if self.n_categories() > 1 {
            gains.extend(apart.max());
        }
        gains
    }

    /// What 1, 2, ... groups gain.
    fn gains_of_groups(
        &self,
        most: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<u64>, Stopped> {
        let most = most.min(self.n_classes).min(self.n_categories()).max(1);
        let mut gains = vec![largest(&self.of_classes())];
        if most == 1 {
            return Ok(gains);
        }
        let all: u64 = self.categories().map(largest).sum();
        let mut majorities: Vec<usize> = self.categories().map(first_largest).collect();
        majorities.sort_unstable();
        majorities.dedup();
        // With a label for each majority nothing more can be gained.
        gains.resize(most, 0);
        gains[(majorities.len() - 1).min(most)..].fill(all);
        if most == 2 && self.n_classes == 2 {
            gains[1] = all;
            return Ok(gains);
        }
        let mut search = LabelSearch::new(self, gains);
        search.run(deadline)?;
        Ok(search.gains)
    }

    /// Numbers of groups, and the least loss in at most that many, where each has to be a leaf.
    pub(crate) fn limited_losses(
        &self,
        limits: Option<&GroupLimits<'_>>,
        rule: GroupRule,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<(usize, u64)>, Stopped> {
        let losses: Vec<Option<u64>> = if let Some(limits) = limits {
            let groups = LimitedGroups::new(self, limits);
            match rule {
                GroupRule::Apart => groups.losses_apart(),
                GroupRule::UpTo(most) => groups.losses(most, deadline)?,
            }
        } else {
            self.losses(rule, deadline)?.into_iter().map(Some).collect()
        };
        let known = (1..).zip(losses);
        Ok(known.filter_map(|(n, loss)| Some((n, loss?))).collect())
    }

    /// The categories of each group, of all groupings into this many with this loss the first: the labels of the
    /// categories, one after the other, are lowest.
    pub(crate) fn groups(&self, rule: GroupRule, n_groups: usize, loss: u64) -> Vec<Vec<u32>> {
        let gain = self.total() - loss;
        let n_categories = self.n_categories() as u32;
        if n_groups == 1 {
            return vec![(0..n_categories).collect()];
        }
        if rule == GroupRule::Apart {
            let all = self.of_classes();
            let mut categories = (0..n_categories).zip(self.categories());
            let found = categories.find(|(_, category)| apart(category, &all) == gain);
            let found = found.expect("a loss that was found has a category").0;
            return set_apart(found, n_categories);
        }
        let mut search = LabelSearch::new(self, vec![gain.saturating_sub(1); n_groups]);
        search.sets = Some(Vec::new());
        let done = search.run(&mut Deadline::new(&|| false));
        done.expect("there is no deadline");
        let sets = search.sets.unwrap_or_default();
        let labels = sets.iter().map(|set| self.labels(set));
        in_groups(&labels.min().expect("a loss that was found has labels"))
    }

    /// The best label of each category in a set, the first of equal ones.
    fn labels(&self, set: &[usize]) -> Vec<usize> {
        let label = |category: &[u64]| {
            let most = set.iter().map(|&label| category[label]).max();
            let best = |&&label: &&usize| Some(category[label]) == most;
            set.iter().find(best).copied().unwrap_or(0)
        };
        self.categories().map(label).collect()
    }
}

/// A category, and all others.
pub(super) fn set_apart(category: u32, n_categories: u32) -> Vec<Vec<u32>> {
    let rest: Vec<u32> = (0..n_categories)
        .filter(|&other| other != category)
        .collect();
    let mut groups = vec![vec![category], rest];
    groups.sort_unstable();
    groups
}

/// Categories of equal labels, in the order of the first category of each.
pub(super) fn in_groups(labels: &[usize]) -> Vec<Vec<u32>> {
    let (mut groups, mut known): (Vec<Vec<u32>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (category, &label) in (0..).zip(labels) {
        if let Some(group) = known.iter().position(|&other| other == label) {
            groups[group].push(category);
        } else {
            known.push(label);
            groups.push(vec![category]);
        }
    }
    groups
}

/// What a category gains that is set apart, with the rest.
fn apart(category: &[u64], all: &[u64]) -> u64 {
    let rest = all.iter().zip(category).map(|(all, own)| all - own).max();
    largest(category) + rest.unwrap_or(0)
}

fn largest(sums: &[u64]) -> u64 {
    sums.iter().copied().max().unwrap_or(0)
}

fn first_largest(sums: &[u64]) -> usize {
    let most = largest(sums);
    sums.iter().position(|&sum| sum == most).unwrap_or(0)
}

/// A search for the best sets of labels.
struct LabelSearch<'a> {
    sums: &'a CategorySums,
    /// What 1, 2, ... labels gain, as far as is known.
    gains: Vec<u64>,
    /// For each label what each category gains by the best from this one on.
    from: Vec<Vec<u64>>,
    set: Vec<usize>,
    /// If they are wanted: the sets of as many labels as there are gains that gain more than was known at first.
    sets: Option<Vec<Vec<usize>>>,
}

impl<'a> LabelSearch<'a> {
    fn new(sums: &'a CategorySums, gains: Vec<u64>) -> Self {
        let mut from = vec![vec![0; sums.n_categories()]; sums.n_classes + 1];
        for label in (0..sums.n_classes).rev() {
            let gain = |(category, &later): (&[u64], &u64)| later.max(category[label]);
            from[label] = sums.categories().zip(&from[label + 1]).map(gain).collect();
        }
        Self {
            sums,
            gains,
            from,
            set: Vec::new(),
            sets: None,
        }
    }

    fn run(&mut self, deadline: &mut Deadline<'_>) -> Result<(), Stopped> {
        let nothing = vec![0; self.sums.n_categories()];
        self.grow(0, &nothing, deadline)
    }

    /// All sets with more labels, from one on, where each category gains this much so far.
    fn grow(
        &mut self,
        first: usize,
        gains: &[u64],
        deadline: &mut Deadline<'_>,
    ) -> Result<(), Stopped> {
        for label in first..self.sums.n_classes {
            deadline.before(2 * gains.len())?;
            let at_most = gains.iter().zip(&self.from[label]);
            let at_most: u64 = at_most.map(|(&gain, &later)| gain.max(later)).sum();
            // More labels never gain less.
            if at_most <= self.gains[self.set.len()] {
                break;
            }
            let own = self.sums.categories().map(|category| category[label]);
            let with: Vec<u64> = gains.iter().zip(own).map(|(&a, b)| a.max(b)).collect();
            self.set.push(label);
            self.take(with.iter().sum());
            if self.set.len() < self.gains.len() {
                self.grow(label + 1, &with, deadline)?;
            }
            self.set.pop();
        }
        Ok(())
    }

    fn take(&mut self, gain: u64) {
        let n_labels = self.set.len();
        if let Some(sets) = &mut self.sets {
            if n_labels == self.gains.len() && gain > self.gains[n_labels - 1] {
                sets.push(self.set.clone());
            }
            return;
        }
        for known in &mut self.gains[n_labels - 1..] {
            *known = gain.max(*known);
        }
    }
}

//! Depth one: the best split of some rows into leaves.

use super::groups::{CategorySums, GroupRule};
use super::intervals;
use super::limited_groups::{GroupLimits, LimitedGroups};
use super::pure_intervals::PureIntervals;
use super::sized_intervals::SizedIntervals;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{Context, FeatureKind, Label, LeafShare, NONE, RowSet};

impl Context<'_> {
    /// The value of some rows as a leaf, if they may be one.
    pub(crate) fn leaf(self, rows: &RowSet) -> Option<u64> {
        let least = self.rule.min_leaf();
        let is_large = least == 1 || self.table.size(rows.ids().iter().copied()) >= least;
        let has_share = |share: &LeafShare| {
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            share.allows(&share.sums(rows, &all))
        };
        let is_leaf = is_large && self.leaf_share().is_none_or(has_share);
        is_leaf.then(|| self.encoding.leaf(rows.error()))
    }

    /// The value of a part of the rows as a leaf; `None` if they may not be one.
    pub(crate) fn leaf_of(self, rows: &RowSet, part: &[u32]) -> Option<u64> {
        let ids = part.iter().map(|&row| rows.ids()[row as usize]);
        let least = self.rule.min_leaf();
        if least > 1 && self.table.size(ids) < least {
            return None;
        }
        if let Some(share) = self.leaf_share() {
            let sums = share.sums(rows, part);
            return share.allows(&sums).then(|| self.encoding.leaf(sums.loss()));
        }
        if part.len() < self.table.n_classes() / 8 {
            return Some(self.encoding.leaf(error_of_few(rows, part)));
        }
        let mut sums = vec![0_u64; self.table.n_classes()];
        for &row in part {
            let class = rows.labels()[row as usize].class as usize;
            sums[class] += u64::from(rows.labels()[row as usize].weight);
        }
        let most = sums.iter().max().copied().unwrap_or(0);
        Some(self.encoding.leaf(sums.iter().sum::<u64>() - most))
    }

    /// About how many steps the split of all rows takes, in at most this many intervals.
    pub(crate) fn work_of_one(self, intervals: usize) -> u64 {
        let table = self.table;
        let most = intervals.min(table.whole().len());
        let of_cell = (most as u64).saturating_mul(table.n_classes() as u64);
        of_cell.saturating_mul(table.whole().len() as u64 * table.kinds().len() as u64)
    }

    /// The least value of some rows by at most one split; `None` if no leaves are allowed.
    pub(crate) fn one(
        self,
        rows: &RowSet,
        deadline: &mut Deadline<'_>,
    ) -> Result<Option<u64>, Stopped> {
        let mut best = match self.leaf(rows) {
            Some(leaf) => leaf,
            // Too few rows cannot be split, either.
            None if !self.rule.has_share() => return Ok(None),
            None => u64::MAX,
        };
        for feature in 0..self.table.kinds().len() {
            // Two leaves are the least that a split can cost.
            if best <= 2 * self.encoding.per_leaf() {
                break;
            }
            if let Some(value) = self.asked(rows, feature, deadline)? {
                best = best.min(value);
            }
        }
        Ok((best < u64::MAX).then_some(best))
    }

    /// The least value by asking a feature, all branches of which are leaves.
    pub(crate) fn asked(
        self,
        rows: &RowSet,
        feature: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Option<u64>, Stopped> {
        let cells = &rows.cells()[feature];
        if cells.n_ranks() == 0 {
            return Ok(None);
        }
        deadline.before(rows.len())?;
        let Some(missing) = self.missing(rows, feature) else {
            return Ok(None);
        };
        let present = match self.table.kinds()[feature] {
            FeatureKind::Numeric if self.rule.allows_any_leaf() => Some(intervals::least(
                rows,
                feature,
                self.rule.most(),
                self.encoding,
                deadline,
            )?),
            FeatureKind::Numeric if self.rule.has_share() => {
                let losses = self.losses_of_pure(rows, feature, self.rule.most(), deadline)?;
                losses.into_iter().map(|found| self.value_of(found)).min()
            }
            FeatureKind::Numeric => {
                deadline.before(rows.len() * self.table.n_classes())?;
                let intervals = SizedIntervals::new(self.table, rows, feature);
                intervals.best(self.rule, self.encoding, deadline)?
            }
            FeatureKind::Categorical if self.table.is_binary(feature) => {
                let losses = self.losses_of_groups(rows, feature, usize::MAX, deadline)?;
                losses.into_iter().map(|found| self.value_of(found)).min()
            }
            FeatureKind::Categorical => {
                let mut sum = Some(0);
                for rank in 0..cells.n_ranks() as u32 {
                    let group = cells.rows(rank, rank + 1);
                    deadline.before(self.table.n_classes().min(16 * group.len()))?;
                    let value = self.leaf_of(rows, group);
                    sum = sum.and_then(|sum: u64| Some(sum + value?));
                }
                sum
            }
        };
        Ok(present.map(|present| missing + present))
    }

    /// How categories are parted into leaves, where that is not a leaf for each.
    pub(crate) fn group_rule(self) -> GroupRule {
        GroupRule::new(self.table.splits(), self.rule.most())
    }

    /// Numbers of groups of the categories, up to `most`, and the least losses of the rows that have one.
    pub(crate) fn losses_of_groups(
        self,
        rows: &RowSet,
        feature: usize,
        most: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<(usize, u64)>, Stopped> {
        let sums = CategorySums::of(rows, feature, deadline)?;
        let sizes = self.sizes_of_categories(rows, feature);
        let rule = match self.group_rule() {
            GroupRule::UpTo(groups) => GroupRule::UpTo(groups.min(most)),
            rule @ GroupRule::Apart => rule,
        };
        let limits = self.limits(rows, feature, &sizes);
        let losses = sums.limited_losses(limits.as_ref(), rule, deadline)?;
        Ok(losses.into_iter().filter(|&(n, _)| n <= most).collect())
    }

    /// Numbers of intervals up to `most`, and the least losses of the rows that have a number, if the predicted class
    /// has a least share in each leaf.
    pub(crate) fn losses_of_pure(
        self,
        rows: &RowSet,
        feature: usize,
        most: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<(usize, u64)>, Stopped> {
        let Some(share) = self.leaf_share() else {
            return Ok(Vec::new());
        };
        deadline.before(2 * rows.len() * self.table.n_classes())?;
        PureIntervals::new(self, share, rows, feature).losses(most, deadline)
    }

    /// The lowest cuts of a number of intervals with a loss, if the predicted class has a least share in each.
    pub(crate) fn pure_cuts_of(
        self,
        rows: &RowSet,
        feature: usize,
        found: (usize, u64),
    ) -> Option<Vec<u32>> {
        let share = self.leaf_share()?;
        PureIntervals::new(self, share, rows, feature).cuts(found)
    }

    /// The value of a number of leaves and their loss.
    pub(crate) fn value_of(self, (n_leaves, loss): (usize, u64)) -> u64 {
        self.encoding.loss(loss) + n_leaves as u64 * self.encoding.per_leaf()
    }

    /// The first groups of categories, as many as that and with this loss.
    pub(crate) fn groups_of(
        self,
        rows: &RowSet,
        feature: usize,
        (n_groups, loss): (usize, u64),
    ) -> Option<Vec<Vec<u32>>> {
        let sums = CategorySums::of(rows, feature, &mut Deadline::new(&|| false)).ok()?;
        let rule = self.group_rule();
        let sizes = self.sizes_of_categories(rows, feature);
        let limits = self.limits(rows, feature, &sizes);
        let Some(limits) = limits.filter(|_| n_groups > 1) else {
            return Some(sums.groups(rule, n_groups, loss));
        };
        let sized = LimitedGroups::new(&sums, &limits);
        match rule {
            GroupRule::Apart => sized.groups_apart(loss),
            GroupRule::UpTo(_) => sized.groups(n_groups, loss),
        }
    }

    /// Which groups of categories are leaves, given how large the categories are; `None` if all are.
    fn limits<'s>(
        self,
        rows: &RowSet,
        feature: usize,
        sizes: &'s [usize],
    ) -> Option<GroupLimits<'s>>
    where
        Self: 's,
    {
        let cells = &rows.cells()[feature];
        let weights = |share: &LeafShare| {
            let ranks = 0..cells.n_ranks() as u32;
            let of_rank = |rank: u32| share.sums(rows, cells.rows(rank, rank + 1)).weights;
            ranks.map(of_rank).collect()
        };
        let share = self.leaf_share().map(|share| (share, weights(share)));
        (!self.rule.allows_any_leaf()).then(|| GroupLimits {
            sizes,
            min_leaf: self.rule.min_leaf(),
            share,
        })
    }

    /// How large the leaf of each category would be; nothing where any rows may be a leaf.
    fn sizes_of_categories(self, rows: &RowSet, feature: usize) -> Vec<usize> {
        if self.rule.allows_any_leaf() {
            return Vec::new();
        }
        let cells = &rows.cells()[feature];
        let size = |rank: u32| {
            let of_rank = cells.rows(rank, rank + 1).iter();
            self.table
                .size(of_rank.map(|&row| rows.ids()[row as usize]))
        };
        (0..cells.n_ranks() as u32).map(size).collect()
    }

    /// The value of rows without a cell, as a leaf.
    pub(crate) fn missing(self, rows: &RowSet, feature: usize) -> Option<u64> {
        let cells = &rows.cells()[feature];
        if !cells.has_missing() {
            return Some(0);
        }
        let is_missing = |&row: &u32| cells.ranks()[row as usize] == NONE;
        let part: Vec<u32> = (0..rows.len() as u32).filter(is_missing).collect();
        self.leaf_of(rows, &part)
    }

    /// For each feature that can split some of the rows, the least value of such a split, all branches of which are
    /// leaves of any size.
    pub(crate) fn asked_in(self, rows: &RowSet, part: &[u32]) -> Vec<(u64, usize)> {
        let (table, p) = (self.table, self.table.n_classes());
        let mut sums = Vec::new();
        let mut values = Vec::new();
        for (feature, cells) in rows.cells().iter().enumerate() {
            // Missing cells come last.
            let n_ranks = cells.n_ranks();
            sums.clear();
            sums.resize((n_ranks + 1) * p, 0_u64);
            let mut is_there = vec![false; n_ranks + 1];
            for &row in part {
                let label = rows.labels()[row as usize];
                let rank = (cells.ranks()[row as usize] as usize).min(n_ranks);
                sums[rank * p + label.class as usize] += u64::from(label.weight);
                is_there[rank] = true;
            }
            let leaf = |rank: usize| {
                let sums = &sums[rank * p..][..p];
                let most = sums.iter().copied().max().unwrap_or(0);
                self.encoding.leaf(sums.iter().sum::<u64>() - most)
            };
            let missing = if is_there[n_ranks] { leaf(n_ranks) } else { 0 };
            if !is_there[..n_ranks].contains(&true) {
                continue;
            }
            let present = match table.kinds()[feature] {
                FeatureKind::Numeric => {
                    let n_there = is_there[..n_ranks]
                        .iter()
                        .filter(|&&is_there| is_there)
                        .count();
                    let most = self.rule.most().min(n_there);
                    intervals::least_of_sums(&sums[..n_ranks * p], p, most, self.encoding)
                }
                FeatureKind::Categorical if table.is_binary(feature) => {
                    let there = sums[..n_ranks * p].chunks_exact(p).zip(&is_there);
                    let there = there.filter(|&(_, &is_there)| is_there);
                    let there = there.flat_map(|(sums, _)| sums).copied().collect();
                    let sums = CategorySums::new(there, p);
                    let mut deadline = Deadline::new(&|| false);
                    let least = sums.least(self.group_rule(), self.encoding, &mut deadline);
                    least.unwrap_or(u64::MAX)
                }
                FeatureKind::Categorical => {
                    (0..n_ranks).filter(|&rank| is_there[rank]).map(leaf).sum()
                }
            };
            values.push((missing + present, feature));
        }
        values
    }
}

/// The weight of a few rows outside their best class, in a time that does not depend on the number of classes.
fn error_of_few(rows: &RowSet, part: &[u32]) -> u64 {
    let mut labels: Vec<_> = part
        .iter()
        .map(|&row| rows.labels()[row as usize])
        .collect();
    labels.sort_unstable_by_key(|label| label.class);
    let weight = |labels: &[Label]| labels.iter().map(|label| u64::from(label.weight)).sum();
    let classes = labels.chunk_by(|one, next| one.class == next.class);
    let most: u64 = classes.map(weight).max().unwrap_or(0);
    let all: u64 = weight(&labels);
    all - most
}

#[cfg(test)]
mod tests {
    //! Long work checks its deadline often enough.

    use std::cell::Cell;
    use std::fmt::Write;

    use fastrand::Rng;

    use crate::budget::Budget;
    use crate::cost::RowLosses;
    use crate::data::csv::CsvSource;
    use crate::data::{Dataset, ReadOptions};
    use crate::learn::exact::{Deadline, Stopped};
    use crate::learn::optimal::Optimal;
    use crate::learn::optimal::problem::{Context, IntervalRule};
    use crate::learn::optimal::switches::Switches;

    const N_CLASSES: usize = 50;
    const N_ROWS: usize = 2000;

    fn many_classes() -> Dataset {
        let mut rng = Rng::with_seed(1);
        let mut text = String::from("x,y,class\n");
        for _ in 0..N_ROWS {
            let [x, y] = [(); 2].map(|()| rng.f64());
            writeln!(text, "{x},{y},c{}", rng.usize(..N_CLASSES)).unwrap();
        }
        let source = CsvSource::new(text.into(), b',').unwrap();
        Dataset::read(&source, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn many_classes_are_given_up_at_the_next_look() {
        let data = many_classes();
        for min_leaf in [1, 3] {
            let learner = Optimal {
                min_leaf,
                ..Optimal::default()
            };
            let losses =
                RowLosses::new(&data, &learner.loss, "optimal trees", RowLosses::NARROW).unwrap();
            let table = learner.table(&data, &losses).unwrap();
            let columns = (0..data.columns().len()).collect();
            let (table, _) = table.sorted(columns, &Budget::unlimited());
            let encoding = learner.encoding(&table, losses.scale, losses.is_whole);
            let context = Context {
                table: &table,
                encoding: encoding.unwrap(),
                rule: IntervalRule::new(N_CLASSES + 1, min_leaf),
                arch: pulp::Arch::new(),
                switches: Switches::USUAL,
            };
            let one = |n_before: usize| {
                let n_looks = Cell::new(0);
                let is_spent = || n_looks.replace(n_looks.get() + 1) >= n_before;
                let value = context.one(table.whole(), &mut Deadline::new(&is_spent));
                (value, n_looks.get())
            };
            let (whole, n_looks) = one(usize::MAX);
            assert!(matches!(whole, Ok(Some(_))), "{whole:?}");
            // About a check for each million of steps.
            let fair = context.work_of_one(context.rule.most()) as usize >> 20;
            assert!(fair >= 9, "{fair}");
            assert!((fair..2 * fair).contains(&n_looks), "{n_looks} {fair}");
            for n_before in 0..n_looks {
                assert_eq!(one(n_before), (Err(Stopped), n_before + 1));
            }
            assert_eq!(one(n_looks), (whole, n_looks));
        }
    }
}

//! The best split into leaves, for every number of leaves.

use super::losses::{LossBySize, NEVER};
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::depth1::intervals::losses_of_intervals;
use crate::learn::optimal::depth1::sized_intervals::SizedIntervals;
use crate::learn::optimal::problem::{Context, FeatureKind, NONE, RowSet};

impl Context<'_> {
    /// The loss of some rows as a leaf, if they may be one.
    pub(super) fn leaf_loss(self, rows: &RowSet) -> u64 {
        self.leaf(rows).map_or(NEVER, |_| rows.error())
    }

    /// The least losses of some rows by at most one split.
    pub(super) fn losses_of_one(
        self,
        rows: &RowSet,
        n_sizes: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<LossBySize, Stopped> {
        let mut losses = LossBySize::same(self.leaf_loss(rows), n_sizes);
        for feature in 0..self.table.kinds().len() {
            if n_sizes == 1 || losses.at(2) == 0 {
                break;
            }
            for (leaves, loss) in self.losses_of_split(rows, feature, n_sizes, deadline)? {
                losses.offer(leaves, loss);
            }
        }
        Ok(losses)
    }

    /// Numbers of leaves and least losses of the splits on a feature into leaves, at most `n_sizes` of them.
    pub(super) fn losses_of_split(
        self,
        rows: &RowSet,
        feature: usize,
        n_sizes: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<(usize, u64)>, Stopped> {
        let cells = &rows.cells()[feature];
        let n_missing = usize::from(cells.has_missing());
        if cells.n_ranks() == 0 || n_sizes <= n_missing {
            return Ok(Vec::new());
        }
        deadline.before(rows.len())?;
        let Some(missing) = self.missing_loss(rows, feature) else {
            return Ok(Vec::new());
        };
        let most = (n_sizes - n_missing).min(self.rule.most());
        let present: Vec<(usize, u64)> = match self.table.kinds()[feature] {
            FeatureKind::Numeric if self.rule.has_share() => {
                self.losses_of_pure(rows, feature, most, deadline)?
            }
            FeatureKind::Numeric if self.rule.min_leaf() == 1 => {
                let losses = losses_of_intervals(rows, feature, most, deadline)?;
                (1..).zip(losses).collect()
            }
            FeatureKind::Numeric => {
                deadline.before(rows.len() * self.table.n_classes())?;
                let intervals = SizedIntervals::new(self.table, rows, feature);
                intervals.least_losses(most, self.rule.min_leaf(), self.encoding, deadline)?
            }
            FeatureKind::Categorical if self.table.is_binary(feature) => {
                self.losses_of_groups(rows, feature, n_sizes - n_missing, deadline)?
            }
            FeatureKind::Categorical => {
                let n_ranks = cells.n_ranks();
                let mut sum = Some(0);
                for rank in 0..n_ranks as u32 {
                    let group = cells.rows(rank, rank + 1);
                    deadline.before(self.table.n_classes().min(16 * group.len()))?;
                    let loss = self.loss_of(rows, group);
                    sum = sum.and_then(|sum: u64| Some(sum + loss?));
                }
                sum.map(|sum| (n_ranks, sum)).into_iter().collect()
            }
        };
        let with_missing = |(leaves, loss)| (leaves + n_missing, loss + missing);
        let present = present.into_iter().map(with_missing);
        Ok(present.filter(|&(leaves, _)| leaves <= n_sizes).collect())
    }

    /// The loss of rows without a cell, as a leaf.
    fn missing_loss(self, rows: &RowSet, feature: usize) -> Option<u64> {
        let cells = &rows.cells()[feature];
        if !cells.has_missing() {
            return Some(0);
        }
        let is_missing = |&row: &u32| cells.ranks()[row as usize] == NONE;
        let part: Vec<u32> = (0..rows.len() as u32).filter(is_missing).collect();
        self.loss_of(rows, &part)
    }

    /// The loss of a part of the rows as a leaf; `None` if they may not be one.
    fn loss_of(self, rows: &RowSet, part: &[u32]) -> Option<u64> {
        let value = self.leaf_of(rows, part)?;
        Some(self.encoding.loss_of(value))
    }
}

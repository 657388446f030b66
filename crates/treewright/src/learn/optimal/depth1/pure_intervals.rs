//! The best intervals of one numeric feature, if the predicted class has a least share in each leaf.
//!
//! **Method.** Whether two ends make a leaf depends on both of them, so all pairs are looked at: `after[k][i]` is the
//! least loss of the rows from place `i` on in `k` intervals. The loss of an interval grows with it: when it alone
//! reaches the best so far, longer ones need not be tried.

use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{Context, LeafShare, LeafSums, RowSet};

/// There are no such intervals.
const NEVER: u64 = u64::MAX;

/// Rows in the order of a feature's values, with the places where they may be cut.
pub(crate) struct PureIntervals<'a> {
    share: &'a LeafShare,
    min_leaf: usize,
    /// The rows before each place, and how large they are; the first is none, the last is all.
    places: Vec<(LeafSums, usize)>,
}

impl<'a> PureIntervals<'a> {
    /// Place `i` is before the rank `i`.
    pub(crate) fn new(
        context: Context<'_>,
        share: &'a LeafShare,
        rows: &RowSet,
        feature: usize,
    ) -> Self {
        let cells = &rows.cells()[feature];
        let mut sums = LeafSums::none(rows.sums().len());
        let mut size = 0;
        let mut places = vec![(sums.clone(), size)];
        for group in cells.starts().windows(2) {
            let group = &cells.order()[group[0] as usize..group[1] as usize];
            size += context
                .table
                .size(group.iter().map(|&row| rows.ids()[row as usize]));
            for &row in group {
                let at = row as usize;
                share.add(&mut sums, rows.ids()[at], rows.labels()[at]);
            }
            places.push((sums.clone(), size));
        }
        Self {
            share,
            min_leaf: context.rule.min_leaf(),
            places,
        }
    }

    /// The loss of the rows between two places, and whether they are a leaf.
    fn between(&self, from: usize, to: usize) -> (u64, bool) {
        let [(before, less), (after, more)] = [&self.places[from], &self.places[to]];
        let sums = after.without(before);
        let is_leaf = more - less >= self.min_leaf && self.share.allows(&sums);
        (sums.loss(), is_leaf)
    }

    /// For each place the least loss of the rows after it, given that with one interval less; or for the first place
    /// alone.
    fn one_more(
        &self,
        fewer: &[u64],
        is_for_all: bool,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<u64>, Stopped> {
        let n = self.places.len() - 1;
        let mut losses = vec![NEVER; n + 1];
        let from = if is_for_all { 0..1 } else { 0..n };
        for from in from {
            deadline.before((n - from) * self.places[0].0.gains.len())?;
            for (to, &rest) in fewer.iter().enumerate().skip(from + 1) {
                let (loss, is_leaf) = self.between(from, to);
                if loss >= losses[from] {
                    break;
                }
                if is_leaf && rest < NEVER {
                    losses[from] = losses[from].min(loss + rest);
                }
            }
        }
        Ok(losses)
    }

    /// The least losses of the rows after each place, in 0, 1, ... intervals; of the last number for all rows alone.
    fn after(&self, most: usize, deadline: &mut Deadline<'_>) -> Result<Vec<Vec<u64>>, Stopped> {
        let n = self.places.len() - 1;
        let mut none = vec![NEVER; n + 1];
        none[n] = 0;
        let mut after = vec![none];
        let most = most.min(n);
        for intervals in 1..=most {
            let losses = self.one_more(&after[intervals - 1], intervals == most, deadline)?;
            after.push(losses);
        }
        Ok(after)
    }

    /// Numbers of intervals up to `most` that are leaves, and the least loss with each.
    pub(crate) fn losses(
        &self,
        most: usize,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<(usize, u64)>, Stopped> {
        let after = self.after(most, deadline)?;
        let losses = after.iter().map(|losses| losses[0]).enumerate().skip(1);
        Ok(losses.filter(|&(_, loss)| loss < NEVER).collect())
    }

    /// The places to cut at for a number of intervals and a loss that were found: the lowest first one, then the lowest
    /// second one, and so on.
    pub(crate) fn cuts(&self, (intervals, loss): (usize, u64)) -> Option<Vec<u32>> {
        let n = self.places.len() - 1;
        let after = self.after(intervals, &mut Deadline::new(&|| false)).ok()?;
        let (mut from, mut left, mut cuts) = (0, loss, Vec::new());
        for rest in (1..intervals).rev() {
            let to = (from + 1..n).find(|&to| {
                let (loss, is_leaf) = self.between(from, to);
                is_leaf && after[rest][to] < NEVER && loss + after[rest][to] == left
            })?;
            left -= self.between(from, to).0;
            cuts.push(to as u32);
            from = to;
        }
        Some(cuts)
    }
}

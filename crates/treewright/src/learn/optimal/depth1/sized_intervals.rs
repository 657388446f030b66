//! The best intervals of one numeric feature, if leaves have a least size.
//!
//! The dynamic programme of `intervals`, over places between different values that are at least a leaf apart.

use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{IntervalRule, RankTable, RowSet, ValueEncoding};

/// Rows in the order of a feature's values, with the places where they may be cut.
#[derive(Debug)]
pub(crate) struct SizedIntervals {
    n_classes: usize,
    /// How many rows come before each place; the first is 0, the last is after all rows.
    places: Vec<usize>,
    /// For each place the loss of each class before it.
    losses: Vec<u64>,
}

impl SizedIntervals {
    /// Place `i` is before the rank `i`.
    pub(crate) fn new(table: &RankTable<'_>, rows: &RowSet, feature: usize) -> Self {
        let cells = &rows.cells()[feature];
        let mut line = Self {
            n_classes: table.n_classes(),
            places: Vec::new(),
            losses: Vec::new(),
        };
        let (mut n_rows, mut sums) = (0, vec![0; table.n_classes()]);
        line.push(0, &sums);
        for group in cells.starts().windows(2) {
            let group = &cells.order()[group[0] as usize..group[1] as usize];
            n_rows += table.size(group.iter().map(|&row| rows.ids()[row as usize]));
            for &row in group {
                let weight = u64::from(rows.labels()[row as usize].weight);
                let class = rows.labels()[row as usize].class as usize;
                for sum in &mut sums {
                    *sum += weight;
                }
                sums[class] -= weight;
            }
            line.push(n_rows, &sums);
        }
        line
    }

    fn push(&mut self, place: usize, sums: &[u64]) {
        self.places.push(place);
        self.losses.extend_from_slice(sums);
    }

    fn losses(&self, place: usize) -> &[u64] {
        &self.losses[place * self.n_classes..][..self.n_classes]
    }

    /// The loss of the best label between two places.
    pub(crate) fn error(&self, from: usize, to: usize) -> u64 {
        let both = self.losses(from).iter().zip(self.losses(to));
        both.map(|(from, to)| to - from).min().unwrap_or(0)
    }

    /// The least value of all rows; `None` if no cutting has enough rows everywhere.
    pub(crate) fn best(
        &self,
        rule: IntervalRule,
        encoding: ValueEncoding,
        deadline: &mut Deadline<'_>,
    ) -> Result<Option<u64>, Stopped> {
        let n = self.places.len() - 1;
        let (mut values, mut best) = (self.none(), None);
        for _ in 0..rule.most().min(n) {
            deadline.before(self.losses.len())?;
            values = self.one_more(&values, rule, encoding);
            best = best.into_iter().chain(values[n]).min();
        }
        Ok(best)
    }

    /// Numbers of intervals up to `most` that leave enough rows everywhere, and the least loss with each.
    pub(crate) fn least_losses(
        &self,
        most: usize,
        min_leaf: usize,
        encoding: ValueEncoding,
        deadline: &mut Deadline<'_>,
    ) -> Result<Vec<(usize, u64)>, Stopped> {
        let n = self.places.len() - 1;
        let rule = IntervalRule::new(most, min_leaf);
        let (mut values, mut losses) = (self.none(), Vec::new());
        for intervals in 1..=most.min(n) {
            deadline.before(self.losses.len())?;
            values = self.one_more(&values, rule, encoding);
            losses.extend(values[n].map(|value| (intervals, encoding.loss_of(value))));
        }
        Ok(losses)
    }

    /// Values of the rows before each place, without any interval.
    fn none(&self) -> Vec<Option<u64>> {
        let mut values = vec![None; self.places.len()];
        values[0] = Some(0);
        values
    }

    /// Given the least values of the rows before each place in some intervals, those with one more.
    fn one_more(
        &self,
        before: &[Option<u64>],
        rule: IntervalRule,
        encoding: ValueEncoding,
    ) -> Vec<Option<u64>> {
        // For each class the least value of a start, less the losses before it.
        let mut starts: Vec<Option<i64>> = vec![None; self.n_classes];
        let mut next = 0;
        let value = |place: usize| {
            while next < place && self.places[place] - self.places[next] >= rule.min_leaf() {
                if let Some(before) = before[next] {
                    for (start, &loss) in starts.iter_mut().zip(self.losses(next)) {
                        let from = before as i64 - encoding.loss(loss) as i64;
                        *start = Some(start.map_or(from, |start| start.min(from)));
                    }
                }
                next += 1;
            }
            let both = starts.iter().zip(self.losses(place));
            let ends =
                both.filter_map(|(start, &loss)| Some((*start)? + encoding.loss(loss) as i64));
            ends.min().map(|value| value as u64 + encoding.per_leaf())
        };
        (0..self.places.len()).map(value).collect()
    }

    /// The places to cut at for a value that was found: the lowest first one, then the lowest second one,
    /// and so on.
    pub(crate) fn cuts(
        &self,
        value: u64,
        rule: IntervalRule,
        encoding: ValueEncoding,
    ) -> Option<Vec<usize>> {
        let n = self.places.len() - 1;
        // From the right: values of the rows after each place, in 0, 1, ... intervals.
        let turned = self.turned();
        let mut after = vec![turned.none()];
        for intervals in 1..=rule.most().min(n) {
            after.push(turned.one_more(&after[intervals - 1], rule, encoding));
            if after[intervals][n] == Some(value) {
                return self.walk(value, intervals, &after, rule, encoding);
            }
        }
        None
    }

    /// Reads the line from the left, always to the first place that still reaches the value.
    fn walk(
        &self,
        value: u64,
        intervals: usize,
        after: &[Vec<Option<u64>>],
        rule: IntervalRule,
        encoding: ValueEncoding,
    ) -> Option<Vec<usize>> {
        let n = self.places.len() - 1;
        let (mut from, mut left, mut cuts) = (0, value, Vec::new());
        for rest in (1..intervals).rev() {
            let to = (from + 1..n).find(|&to| {
                let is_long = self.places[to] - self.places[from] >= rule.min_leaf();
                let first = encoding.leaf(self.error(from, to));
                is_long && after[rest][n - to].is_some_and(|after| first + after == left)
            })?;
            left -= encoding.leaf(self.error(from, to));
            cuts.push(to);
            from = to;
        }
        Some(cuts)
    }

    /// The line as seen from its other end.
    fn turned(&self) -> Self {
        let n = self.places.len() - 1;
        let all = self.losses(n);
        let losses = (0..=n).rev().flat_map(|place| {
            let both = all.iter().zip(self.losses(place));
            both.map(|(all, before)| all - before)
        });
        Self {
            n_classes: self.n_classes,
            places: self
                .places
                .iter()
                .rev()
                .map(|place| self.places[n] - place)
                .collect(),
            losses: losses.collect(),
        }
    }
}

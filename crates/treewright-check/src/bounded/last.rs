//! The last level: the best split of a feature into leaves, by the number of leaves.

use super::class::Categorical;
use super::curve::{Curve, INFINITE};
use super::search::{MISSING, Search};
use crate::report::{TooLarge, spend};
use crate::values::Value;

/// More categories in a node are not put into groups where leaves have a rule: there are too many ways.
const MOST_GROUPED: usize = 12;

impl Search<'_> {
    /// The least values of trees of one level that ask a feature, with any leaves, for the rows of side 0 and those of
    /// side 1. Rows come in the order of the feature.
    pub(super) fn one_level(
        &self,
        order: &[u32],
        feature: usize,
        side: impl Fn(u32) -> usize,
    ) -> Result<[Curve; 2], TooLarge> {
        if self.is_numeric[feature] {
            self.intervals_of(order, feature, side)
        } else {
            self.categories_of(order, feature, side)
        }
    }

    /// A place `k * n_classes + c` of `open` has the least value of all rows so far in `k + 1` intervals, the last of
    /// which answers `c`. Between different values the last interval may end.
    fn intervals_of(
        &self,
        order: &[u32],
        feature: usize,
        side: impl Fn(u32) -> usize,
    ) -> Result<[Curve; 2], TooLarge> {
        let n_classes = self.values.n_classes;
        let leaf = self.values.per_leaf;
        let most = self.intervals.min(order.len()).max(1);
        spend(self.work, order.len() * n_classes * most)?;
        let ranks = &self.ranks[feature];
        let mut open = [(); 2].map(|()| vec![INFINITE; n_classes * most]);
        let mut missing = [(); 2].map(|()| vec![leaf; n_classes]);
        let mut last = [None; 2];
        let mut has_missing = [false; 2];
        for &row in order {
            let at = side(row);
            if at > 1 {
                continue;
            }
            let rank = ranks[row as usize];
            if rank == MISSING {
                has_missing[at] = true;
                self.add(&mut missing[at], row);
                continue;
            }
            let open = &mut open[at];
            match last[at].replace(rank) {
                None => open[..n_classes].fill(leaf),
                Some(before) if before != rank => {
                    for k in (1..most).rev() {
                        let (before, after) = open.split_at_mut(k * n_classes);
                        let new = least_of(&before[(k - 1) * n_classes..]) + leaf;
                        for value in &mut after[..n_classes] {
                            *value = new.min(*value);
                        }
                    }
                }
                Some(_) => {}
            }
            for open in open.chunks_exact_mut(n_classes) {
                self.add(open, row);
            }
        }
        Ok([0, 1].map(|at| {
            let (leaves, value) = if has_missing[at] {
                (1, least_of(&missing[at]))
            } else {
                (0, 0)
            };
            let mut curve = Curve::none(self.last);
            if last[at].is_none() {
                curve.lower(leaves, value);
            } else {
                for (k, open) in open[at].chunks_exact(n_classes).enumerate() {
                    curve.lower(leaves + k + 1, value + least_of(open));
                }
            }
            curve
        }))
    }

    /// One leaf, for the rows of side 0 and those of side 1.
    pub(super) fn leaf_of_sides(
        &self,
        rows: &[u32],
        side: impl Fn(u32) -> usize,
    ) -> Result<[Curve; 2], TooLarge> {
        spend(self.work, rows.len() * self.values.n_classes)?;
        Ok([0, 1].map(|at| {
            let own: Vec<u32> = rows
                .iter()
                .copied()
                .filter(|&row| side(row) == at)
                .collect();
            let mut curve = Curve::none(self.last);
            curve.lower(1, self.leaf(&own));
            curve
        }))
    }

    fn categories_of(
        &self,
        order: &[u32],
        feature: usize,
        side: impl Fn(u32) -> usize,
    ) -> Result<[Curve; 2], TooLarge> {
        spend(self.work, order.len() * self.values.n_classes)?;
        let ranks = &self.ranks[feature];
        // For each side and category the values of its answers, without what a leaf costs.
        let mut groups: [Vec<Vec<Value>>; 2] = [Vec::new(), Vec::new()];
        let mut missing: [Option<Vec<Value>>; 2] = [None, None];
        let mut last = [None; 2];
        let none = || vec![0; self.values.n_classes];
        for &row in order {
            let at = side(row);
            if at > 1 {
                continue;
            }
            let rank = ranks[row as usize];
            if rank == MISSING {
                self.add(missing[at].get_or_insert_with(none), row);
                continue;
            }
            if last[at].replace(rank) != Some(rank) {
                groups[at].push(none());
            }
            if let Some(group) = groups[at].last_mut() {
                self.add(group, row);
            }
        }
        let mut curves = [Curve::none(self.last), Curve::none(self.last)];
        for (at, curve) in curves.iter_mut().enumerate() {
            let of_missing = missing[at].as_ref();
            let value = of_missing.map_or(0, |sums| least_of(sums) + self.values.per_leaf);
            for (leaves, least) in self.splits_of(&groups[at])? {
                curve.lower(leaves + usize::from(of_missing.is_some()), least + value);
            }
        }
        Ok(curves)
    }

    /// The least values of categories in leaves, and how many leaves these are.
    fn splits_of(&self, groups: &[Vec<Value>]) -> Result<Vec<(usize, Value)>, TooLarge> {
        let leaf = self.values.per_leaf;
        let n = groups.len();
        // Each category has its best answer: that is the least of all, with as many leaves.
        let apart = groups.iter().map(|group| least_of(group)).sum::<Value>();
        if n == 0 || self.categorical == Categorical::Multiway {
            return Ok(vec![(n, apart + leaf * n as Value)]);
        }
        let mut all = vec![0; self.values.n_classes];
        for group in groups {
            for (sum, value) in all.iter_mut().zip(group) {
                *sum += value;
            }
        }
        let mut splits = vec![(1, least_of(&all) + leaf)];
        if self.categorical == Categorical::OneVsRest {
            spend(self.work, n * all.len())?;
            for group in groups.iter().take(if n > 1 { n } else { 0 }) {
                let others = all.iter().zip(group).map(|(all, own)| all - own);
                let others = others.min().unwrap_or(0);
                splits.push((2, least_of(group) + others + 2 * leaf));
            }
            return Ok(splits);
        }
        for leaves in 2..=self.most_groups().min(n) {
            let least = if leaves >= n || leaves >= all.len() {
                apart
            } else {
                // Which answers there are decides all: each category takes the best of them.
                spend(self.work, ways(all.len(), leaves).saturating_mul(2 * n))?;
                best_answers(groups, &vec![INFINITE; n], 0, leaves)
            };
            splits.push((leaves, least + leaf * leaves as Value));
        }
        Ok(splits)
    }

    /// The most groups of categories at the last level.
    fn most_groups(&self) -> usize {
        self.intervals.max(2)
    }

    /// The same for all rows, with leaves that keep the rule; `INFINITE` where there are none.
    pub(super) fn one_level_strict(
        &self,
        order: &[u32],
        feature: usize,
    ) -> Result<Curve, TooLarge> {
        let ranks = &self.ranks[feature];
        let n_rows = order.len();
        spend(
            self.work,
            n_rows * self.values.n_classes * (1 + self.intervals.min(n_rows)),
        )?;
        let mut groups: Vec<&[u32]> = order
            .chunk_by(|&a, &b| ranks[a as usize] == ranks[b as usize])
            .collect();
        let (mut leaves, mut value) = (0, 0);
        if let Some(group) = groups.pop_if(|group| ranks[group[0] as usize] == MISSING) {
            (leaves, value) = (1, self.strict_leaf(group));
        }
        let mut curve = Curve::none(self.last);
        let splits = match self.categorical {
            _ if groups.is_empty() => vec![(0, 0)],
            _ if self.is_numeric[feature] => self.strict_intervals(&groups)?,
            Categorical::Multiway => {
                let each = groups.iter().map(|group| self.strict_leaf(group));
                let sum = each.fold(0, |sum, leaf| (sum + leaf).min(INFINITE));
                vec![(groups.len(), sum)]
            }
            Categorical::OneVsRest => self.strict_pairs(&groups)?,
            Categorical::Grouped => self.strict_groups(&groups)?,
        };
        for (more, least) in splits {
            curve.lower(leaves + more, (value + least).min(INFINITE));
        }
        Ok(curve)
    }

    fn strict_leaf(&self, rows: &[u32]) -> Value {
        if self.rule.allows_rows(rows) {
            self.leaf(rows)
        } else {
            INFINITE
        }
    }

    /// The best intervals of a row of groups: `least[j]` for the first `j` groups in `k` intervals, from that for `k - 1`.
    fn strict_intervals(&self, line: &[&[u32]]) -> Result<Vec<(usize, Value)>, TooLarge> {
        let n_classes = self.values.n_classes;
        let (mut sums, mut amounts) = (vec![vec![0; n_classes]], vec![self.rule.nothing()]);
        for group in line {
            let mut sum = sums[sums.len() - 1].clone();
            let mut amount = amounts[amounts.len() - 1].clone();
            for &row in *group {
                self.add(&mut sum, row);
                self.rule.add(&mut amount, row);
            }
            sums.push(sum);
            amounts.push(amount);
        }
        let n = line.len();
        let mut least = vec![INFINITE; n + 1];
        least[0] = 0;
        let mut found = Vec::new();
        for k in 1..=self.intervals.min(n) {
            let mut next = vec![INFINITE; n + 1];
            let mut start = vec![INFINITE; n_classes];
            let mut from = 0;
            for to in 1..=n {
                if !self.rule.is_about_size() {
                    // More rows may break the rule again: the interval may begin anywhere.
                    start.fill(INFINITE);
                    from = 0;
                    spend(self.work, to * n_classes)?;
                }
                while from < to {
                    let allowed = self.rule.allows_between(&amounts[from], &amounts[to]);
                    if !allowed && self.rule.is_about_size() {
                        break;
                    }
                    if allowed && least[from] < INFINITE {
                        for (start, sum) in start.iter_mut().zip(&sums[from]) {
                            *start = (*start).min(least[from] - sum);
                        }
                    }
                    from += 1;
                }
                let ends = start.iter().zip(&sums[to]);
                let ends = ends.filter(|(start, _)| **start < INFINITE);
                let ends = ends.map(|(start, sum)| start + sum + self.values.per_leaf);
                next[to] = ends.min().unwrap_or(INFINITE);
            }
            found.push((k, next[n]));
            least = next;
        }
        Ok(found)
    }

    /// One category against the others, or all together.
    fn strict_pairs(&self, groups: &[&[u32]]) -> Result<Vec<(usize, Value)>, TooLarge> {
        let mut found = vec![(1, self.strict_leaf(&groups.concat()))];
        for at in 0..groups.len() {
            let others = [&groups[..at], &groups[at + 1..]].concat().concat();
            if others.is_empty() {
                continue;
            }
            spend(
                self.work,
                (others.len() + groups[at].len()) * self.values.n_classes,
            )?;
            found.push((2, self.strict_leaf(groups[at]) + self.strict_leaf(&others)));
        }
        Ok(found)
    }

    /// Groups of categories in all ways: a set of them is the group with its first one, and the best of the others.
    fn strict_groups(&self, groups: &[&[u32]]) -> Result<Vec<(usize, Value)>, TooLarge> {
        let n = groups.len();
        if n > MOST_GROUPED {
            return Err(TooLarge);
        }
        let n_sets = 1_usize << n;
        let of_set = |set: usize| -> Vec<u32> {
            let own = (0..n).filter(|at| set >> at & 1 == 1);
            own.flat_map(|at| groups[at].iter().copied()).collect()
        };
        let n_rows: usize = groups.iter().map(|group| group.len()).sum();
        spend(self.work, n_sets * n_rows * self.values.n_classes)?;
        let alone: Vec<Value> = (0..n_sets)
            .map(|set| self.strict_leaf(&of_set(set)))
            .collect();
        let mut best = alone.clone();
        let mut found = vec![(1, best[n_sets - 1])];
        for leaves in 2..=self.most_groups().min(n) {
            let mut next = best.clone();
            for (set, least) in next.iter_mut().enumerate().skip(1) {
                let first = 1 << set.trailing_zeros();
                // Subsets with the first one, from the largest on.
                let others = set & !first;
                let mut part = others;
                spend(self.work, 1 << others.count_ones())?;
                while part > 0 {
                    part = (part - 1) & others;
                    let rest = others & !part;
                    *least = (alone[first | part] + best[rest]).min(*least);
                }
            }
            found.push((leaves, next[n_sets - 1]));
            best = next;
        }
        Ok(found)
    }
}

/// In how many ways a number of things can be chosen.
fn ways(of: usize, chosen: usize) -> usize {
    let factor = |ways: usize, at: usize| ways.saturating_mul(of - at) / (at + 1);
    (0..chosen).fold(1, factor)
}

/// The least sum over groups if each takes one of `left` answers, chosen from `from` on, or has the value so far.
fn best_answers(groups: &[Vec<Value>], so_far: &[Value], from: usize, left: usize) -> Value {
    if left == 0 {
        return so_far.iter().sum();
    }
    let n_classes = groups[0].len();
    let with = |answer: usize| {
        let values = groups.iter().zip(so_far);
        let values: Vec<Value> = values.map(|(own, &least)| least.min(own[answer])).collect();
        best_answers(groups, &values, answer + 1, left - 1)
    };
    (from..=n_classes - left)
        .map(with)
        .min()
        .unwrap_or(INFINITE)
}

pub(crate) fn least_of(values: &[Value]) -> Value {
    values.iter().copied().min().unwrap_or(INFINITE)
}

//! The least value of some rows, and the tree that has it.

use std::sync::Arc;

use crate::budget::Budget;
use crate::learn::optimal::deadline::{Looks, Stopped};
use crate::learn::optimal::deeper::best_first::Deep;
use crate::learn::optimal::deeper::region_bounds::Bounds;
use crate::learn::optimal::depth2::Two;
use crate::learn::optimal::depth2::screening::Scouted;
use crate::learn::optimal::problem::{Cells, Kind, Known, Rows, Rule, Setting, Sketch, Solved};

/// The search for the best trees of a table.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) budget: &'a Budget,
    /// What a row more can cost beside its weight: it may need a leaf of its own.
    pub(super) per_row: u64,
    /// What waits may take so much memory.
    pub(super) most_bytes: usize,
    pub(super) bounds: &'a Bounds,
    /// When time is up, so much may still be done for the last level of a tree.
    pub(super) work_at_last: u64,
    /// What is known of all rows from afar, for trees of two levels.
    pub(super) scouted: Option<&'a Scouted>,
}

impl Search<'_> {
    /// The least value of some rows if it is below `bound`, with what is known from earlier searches.
    pub(super) fn solve(
        &self,
        rows: &Arc<Rows>,
        depth: usize,
        bound: u64,
        before: &Known,
    ) -> Solved {
        let region = rows
            .region
            .as_ref()
            .filter(|_| depth > 1 && self.is_monotone());
        let Some(region) = region else {
            return self.solve_new(rows, depth, bound, before);
        };
        let least = self.bounds.find(depth, region);
        if least >= bound {
            return Solved::at_least(least, before, self.setting.table.kinds.len());
        }
        let solved = self.solve_new(rows, depth, bound, before);
        let whole = &self.setting.table.whole;
        self.bounds.insert(depth, region, rows, whole, solved.least);
        solved
    }

    /// Do fewer rows never cost more? A leaf can become too small.
    pub(super) fn is_monotone(&self) -> bool {
        self.setting.rule.min_leaf == 1
    }

    /// The same for rows that were not met before.
    fn solve_new(&self, rows: &Arc<Rows>, depth: usize, bound: u64, before: &Known) -> Solved {
        match depth {
            0 => match self.setting.leaf(rows) {
                Some(value) => Solved::exactly(value, bound, Sketch::Leaf),
                None => Solved::never(),
            },
            1 => match self.one(rows) {
                Ok(Some(value)) => Solved::exactly(value, bound, Sketch::Leaf),
                Ok(None) => Solved::never(),
                Err(Stopped) => Solved::stopped(),
            },
            2 if self.setting.is_narrow() => self.two(false).solve(rows, bound, before),
            _ => Deep::solve(self, rows, depth, bound, before, None),
        }
    }

    /// The same for a node of the tree, with all threads and the first question of the first of equal trees,
    /// when it is known what is possible with a level less.
    pub(super) fn solve_node(
        &self,
        rows: &Arc<Rows>,
        depth: usize,
        bound: u64,
        flat: Option<Solved>,
    ) -> Solved {
        match depth {
            ..2 => self.solve(rows, depth, bound, &Known::default()),
            2 if self.setting.is_narrow() => self.two(true).solve(rows, bound, &Known::default()),
            2 => Deep::solve(
                self,
                rows,
                depth,
                bound,
                &Known::default(),
                Some(self.solve(rows, 1, bound, &Known::default())),
            ),
            _ => Deep::solve(self, rows, depth, bound, &Known::default(), flat),
        }
    }

    /// The least value of some rows by at most one question; `None` if there are too few of them.
    pub(super) fn one(&self, rows: &Rows) -> Result<Option<u64>, Stopped> {
        let is_spent = || self.budget.is_spent();
        self.setting.one(rows, &mut Looks::new(&is_spent))
    }

    /// The same search for when time is up: with only as many intervals as a tree can be made of at once.
    pub(super) fn in_a_hurry(&self) -> Self {
        let rule = self.setting.rule;
        let most = self.work_at_last / self.setting.work_of_one(1).max(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(2);
        Self {
            setting: Setting {
                rule: Rule {
                    most: rule.most.min(most),
                    ..rule
                },
                ..self.setting
            },
            ..*self
        }
    }

    fn two(&self, is_node: bool) -> Two<'_> {
        Two {
            setting: self.setting,
            budget: self.budget,
            is_node,
            scouted: self.scouted.filter(|_| is_node),
        }
    }

    /// For each cut of a feature what the rows below it could cost more, at most.
    pub(super) fn most_below(&self, rows: &Rows, feature: usize) -> Vec<u64> {
        let cells = &rows.cells[feature];
        let mut sum = 0;
        let mut most = vec![0];
        for rank in 0..cells.n_ranks() as u32 {
            for &row in cells.rows(rank, rank + 1) {
                let weight = u64::from(rows.labels[row as usize].weight);
                sum += self.setting.price.loss(weight) + self.per_row;
            }
            most.push(sum);
        }
        most
    }

    /// No tree with one question has more leaves.
    pub(super) fn most_leaves_of_one(&self) -> u64 {
        let table = self.setting.table;
        let leaves = |(kind, cells): (&Kind, &Cells)| match kind {
            Kind::Numeric => self.setting.rule.most.min(cells.n_ranks()) + 1,
            Kind::Categorical => cells.n_ranks() + 1,
        };
        let all = table.kinds.iter().zip(&table.whole.cells).map(leaves);
        all.max().unwrap_or(1) as u64
    }

    /// How far the search is.
    pub(super) fn tell(&self, depth: usize, best: u64, least: u64) {
        let price = self.setting.price;
        let (best, least) = (price.in_losses(best), price.in_losses(least));
        let gap = if best > 0.0 {
            (best - least) / best
        } else {
            0.0
        };
        let news = format!("depth {depth}: cost {best}, at least {least}, gap {gap:.3}");
        self.budget.progress().tell(news);
    }
}

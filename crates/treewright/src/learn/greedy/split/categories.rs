//! The splits of a categorical feature at a node, by counting: no list of its rows is needed.
//!
//! For rows that count as one each. A table of counts, category by class, holds the one many-way split
//! that there is, and missing values are one more category.

use super::candidate_split::{BestShape, Scored, Shape};
use super::measure::{Baseline, Logs, Measure, Score, rounding};
use super::node_view::NodeView;
use super::search::SplitSearch;
use crate::learn::greedy::parameters::MissingPolicy;

/// Counting pays where the table has not many more cells than the node has rows.
const CELLS_A_ROW: usize = 4;

/// Small tables are always worth it.
const FREE_CELLS: usize = 256;

/// Is a table of these numbers of categories and classes worth filling for this many rows?
pub(crate) fn counting_pays(n_categories: usize, n_classes: usize, n_rows: usize) -> bool {
    (n_categories + 1) * n_classes <= CELLS_A_ROW * n_rows + FREE_CELLS
}

/// Counts of one categorical feature at one node.
pub(crate) struct CategoryCounts<'a> {
    search: &'a SplitSearch,
    measure: &'a Measure,
    node: &'a NodeView<'a>,
    n_classes: usize,
    /// Category by class; missing is the last category.
    table: &'a [u32],
    /// Rows of each category.
    sizes: &'a [u32],
}

/// What looking at a feature by counting yields: `None` if it is constant, else its best split if any.
pub(crate) type CategoryResult = Option<BestShape>;

/// Memory that is used again from feature to feature.
#[derive(Debug, Default)]
pub(crate) struct CategoryTables {
    cells: Vec<u32>,
    sizes: Vec<u32>,
}

impl<'a> CategoryCounts<'a> {
    /// Counts the rows of a node; `rows` has the category and the class of each.
    pub(crate) fn new(
        search: &'a SplitSearch,
        measure: &'a Measure,
        node: &'a NodeView<'a>,
        n_categories: usize,
        rows: impl Iterator<Item = (u32, usize)>,
        tables: &'a mut CategoryTables,
    ) -> Self {
        let n_classes = node.counts.len();
        tables.cells.clear();
        tables.cells.resize((n_categories + 1) * n_classes, 0);
        tables.sizes.clear();
        tables.sizes.resize(n_categories + 1, 0);
        for (category, class) in rows {
            let category = (category as usize).min(n_categories);
            tables.cells[category * n_classes + class] += 1;
            tables.sizes[category] += 1;
        }
        Self {
            search,
            measure,
            node,
            n_classes,
            table: &tables.cells,
            sizes: &tables.sizes,
        }
    }

    /// The best split: into all categories, or, where missing rows have a branch of their own, also
    /// into missing and present.
    pub(crate) fn best(&self) -> CategoryResult {
        let (&n_missing, sizes) = self.sizes.split_last().expect("one for missing at least");
        let n_present = sizes.iter().filter(|&&size| size > 0).count();
        let own_branch = self.search.missing == MissingPolicy::Branch && n_missing > 0;
        if n_present == 0 || n_present == 1 && !own_branch {
            return None;
        }
        let least = self.search.min_count();
        let enough = |&n: &u32| n == 0 || n as usize >= least;
        let mut best = None;
        if own_branch {
            if !enough(&n_missing) {
                return Some(None);
            }
            let n_known: u32 = sizes.iter().sum();
            if enough(&n_known) {
                let known = self.sum(0..sizes.len());
                let children = [(&known[..], n_known), (self.row(sizes.len()), n_missing)];
                self.keep(&mut best, Shape::MissingOnly, &children, true);
            }
        }
        if n_present > 1 && sizes.iter().all(enough) {
            let last = sizes.len() + usize::from(own_branch);
            let occurs = (0..last).filter(|&category| self.sizes[category] > 0);
            let children = occurs.map(|category| (self.row(category), self.sizes[category]));
            let children: Vec<(&[u32], u32)> = children.collect();
            self.keep(
                &mut best,
                Shape::Multiway,
                &children,
                own_branch || n_missing == 0,
            );
        }
        Some(best)
    }

    fn row(&self, category: usize) -> &[u32] {
        &self.table[category * self.n_classes..][..self.n_classes]
    }

    /// Counts of several categories together.
    fn sum(&self, categories: std::ops::Range<usize>) -> Vec<u32> {
        let mut sum = vec![0; self.n_classes];
        for category in categories {
            for (sum, count) in sum.iter_mut().zip(self.row(category)) {
                *sum += count;
            }
        }
        sum
    }

    fn keep(
        &self,
        best: &mut BestShape,
        shape: Shape,
        children: &[(&[u32], u32)],
        of_all_rows: bool,
    ) {
        let score = self.score(children, of_all_rows);
        let tolerance = Score::tolerance(self.node.weight);
        let better = best
            .as_ref()
            .is_none_or(|best| score.compare(&best.score, tolerance).is_gt());
        if better
            && (self.search.zero_gain || score.is_positive(0.0, tolerance))
            && self.search.gains_enough(&score, self.node)
        {
            *best = Some(Scored {
                shape,
                missing: None,
                score,
            });
        }
    }

    fn score(&self, children: &[(&[u32], u32)], of_all_rows: bool) -> Score {
        if let Measure::Entropy(logs) = self.measure
            && let Some(score) = self.entropy(logs, children, of_all_rows)
        {
            return score;
        }
        let number = |counts: &[u32]| counts.iter().map(|&n| f64::from(n)).collect::<Vec<f64>>();
        let counts: Vec<Vec<f64>> = children.iter().map(|child| number(child.0)).collect();
        let slices: Vec<&[f64]> = counts.iter().map(Vec::as_slice).collect();
        let weights: Vec<f64> = children.iter().map(|child| f64::from(child.1)).collect();
        let (counts, weight) = if of_all_rows {
            (self.node.counts.to_vec(), self.node.weight)
        } else {
            let known = self.sum(0..self.sizes.len() - 1);
            (number(&known), f64::from(known.iter().sum::<u32>()))
        };
        let base = Baseline {
            counts,
            weight,
            node_weight: self.node.weight,
            whole: true,
        };
        self.measure.score(&base, &slices, &weights)
    }

    /// The drop of entropy in whole numbers, unless it is so small that shares must be compared.
    fn entropy(&self, logs: &Logs, children: &[(&[u32], u32)], of_all_rows: bool) -> Option<Score> {
        let table = logs.table();
        let log = |&n: &u32| table[n as usize];
        let worth = |counts: &[u32], n: u32| counts.iter().map(log).sum::<i64>() - log(&n);
        let after: i64 = children.iter().map(|child| worth(child.0, child.1)).sum();
        let before = if of_all_rows {
            let counts = &self.node.totals.counts;
            worth(counts, counts.iter().sum())
        } else {
            let known = self.sum(0..self.sizes.len() - 1);
            worth(&known, known.iter().sum())
        };
        let drop = after - before;
        let terms = (children.len() + 1) * (self.n_classes + 1);
        (drop > rounding(terms)).then(|| Score::whole(drop, logs.unit()))
    }
}

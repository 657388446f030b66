//! Two groups of categories, as `docs/algorithms/greedy.md` defines them, and all there are.

use std::cmp::Ordering;

use treewright::data::{Column, Value};
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy};
use treewright::tree::Split;

use super::{Candidate, Group, Missing, NodeRows, Problem, values_of};

/// Shares, means and medians closer than this may be equal.
const NEAR: f64 = 1e-9;

/// All groupings of at most this many categories are tried.
const MOST_CATEGORIES: usize = 7;

impl Problem<'_> {
    /// The cuts of all orders of the categories, each with whether the order is certain, and the number of orders.
    pub(super) fn grouped_splits(
        &self,
        node: &NodeRows,
        feature: usize,
        values: &[Value],
    ) -> (Vec<(Split, bool)>, usize) {
        let occurring = self.occurring(feature, values);
        let groups = self.groups(node, feature, &occurring);
        let orders = self.orders(&groups, node.whole);
        let splits = orders
            .iter()
            .flat_map(|compare| self.cuts_of(feature, values, &occurring, compare));
        (splits.collect(), orders.len())
    }

    /// The rows of each category.
    fn groups(&self, node: &NodeRows, feature: usize, occurring: &[u32]) -> Vec<Group> {
        let column = &self.data.columns()[feature];
        let group = |&code: &u32| {
            let has_code = |row| column.value(row) == Value::Category(code);
            let rows = node.shares.iter().copied();
            self.group(rows.filter(move |&(row, _)| has_code(row)))
        };
        occurring.iter().map(group).collect()
    }

    /// How two categories compare in each order, and whether they are so close that this is open.
    #[allow(clippy::type_complexity)]
    fn orders<'g>(
        &self,
        groups: &'g [Group],
        whole: bool,
    ) -> Vec<Box<dyn Fn(usize, usize) -> (Ordering, bool) + 'g>> {
        let near = |a: f64, b: f64| (a - b).abs() <= NEAR * (1.0 + a.abs() + b.abs());
        if self.criterion == Criterion::Mse {
            return vec![Box::new(move |a, b| {
                let [a, b] = [a, b].map(|group| groups[group].mean());
                (a.total_cmp(&b), near(a, b))
            })];
        }
        if self.criterion == Criterion::Mae {
            return vec![Box::new(move |a, b| {
                // The median is open where halves of the weight are.
                let medians = [a, b].map(|group: usize| groups[group].medians(1e-9));
                let means = [a, b].map(|group: usize| groups[group].mean());
                let [of_a, of_b] = [a, b].map(|group: usize| groups[group].medians(0.0)[0]);
                let is_open = medians[0]
                    .iter()
                    .any(|&a| medians[1].iter().any(|&b| near(a, b)))
                    || medians.iter().any(|medians| medians.len() > 1);
                let order = of_a.total_cmp(&of_b).then(means[0].total_cmp(&means[1]));
                (order, is_open)
            })];
        }
        let occurs = |&class: &usize| groups.iter().any(|group| group.counts[class] > 0.0);
        let mut classes: Vec<usize> = (0..self.n_classes).filter(occurs).collect();
        if classes.len() <= 2 {
            classes = classes.last().copied().into_iter().collect();
        }
        let order = |class: usize| {
            Box::new(move |a: usize, b: usize| {
                let (a, b): (&Group, &Group) = (&groups[a], &groups[b]);
                let [x, y] = [a, b].map(|group| group.counts[class] / group.weight);
                if whole {
                    let product = |x: f64, y: f64| x as u128 * y as u128;
                    let [left, right] =
                        [(a, b), (b, a)].map(|(a, b)| product(a.counts[class], b.weight));
                    return (left.cmp(&right), false);
                }
                (x.total_cmp(&y), near(x, y))
            }) as Box<dyn Fn(usize, usize) -> (Ordering, bool) + 'g>
        };
        classes.into_iter().map(order).collect()
    }

    /// The cuts of an order; where it is open, every group that may stand below a cut.
    fn cuts_of(
        &self,
        feature: usize,
        values: &[Value],
        occurring: &[u32],
        compare: &dyn Fn(usize, usize) -> (Ordering, bool),
    ) -> Vec<(Split, bool)> {
        let mut order: Vec<usize> = (0..occurring.len()).collect();
        order.sort_by(|&a, &b| compare(a, b).0);
        let below = |first: &[usize]| {
            let is_first = |code: u32| first.iter().any(|&group| occurring[group] == code);
            self.parted(feature, values, &|code| u32::from(!is_first(code)))
        };
        let mut splits = Vec::new();
        let mut start = 0;
        for same in order.chunk_by(|&a, &b| compare(a, b).1) {
            if start > 0 {
                splits.push((below(&order[..start]), true));
            }
            for some in 1..(1_usize << same.len()) - 1 {
                let chosen = (0..same.len()).filter(|at| some >> at & 1 == 1);
                let first = [
                    &order[..start],
                    &chosen.map(|at| same[at]).collect::<Vec<_>>(),
                ]
                .concat();
                splits.push((below(&first), false));
            }
            start += same.len();
        }
        splits
    }

    /// Every way to part the categories of a node in two, where one of the cuts must be as good as the best of them;
    /// none where that is not promised.
    pub(crate) fn all_groupings(&self, node: &NodeRows) -> Vec<Candidate> {
        if self.params.categorical_splits != CategoricalSplits::Grouped
            || !self.promises_best_groups(node)
        {
            return Vec::new();
        }
        let features = 0..self.data.columns().len();
        let has_two_classes = |feature: &usize| {
            let values = values_of(node, &self.data.columns()[*feature]);
            let groups = self.groups(node, *feature, &self.occurring(*feature, &values));
            let occurs = |&class: &usize| groups.iter().any(|group| group.counts[class] > 0.0);
            (0..self.n_classes).filter(occurs).count() <= 2
        };
        features
            .filter(|&feature| matches!(self.data.columns()[feature], Column::Categorical(_)))
            .filter(has_two_classes)
            .flat_map(|feature| self.groupings(node, feature))
            .collect()
    }

    /// Every way to part the categories of a feature in two.
    pub(crate) fn groupings(&self, node: &NodeRows, feature: usize) -> Vec<Candidate> {
        let values = values_of(node, &self.data.columns()[feature]);
        let occurring = self.occurring(feature, &values);
        if !(2..=MOST_CATEGORIES).contains(&occurring.len()) {
            return Vec::new();
        }
        let has_missing = values.contains(&Value::Missing);
        let places: &[Missing] = match self.params.missing {
            MissingPolicy::Learned if has_missing => &[Missing::With(0), Missing::With(1)],
            MissingPolicy::Branch if has_missing => &[Missing::Own],
            _ => &[Missing::Apart],
        };
        let grouping = |some: usize| {
            let is_chosen = |code: u32| {
                let at = occurring.iter().position(|&other| other == code);
                some >> at.unwrap() & 1 == 1
            };
            let split = self.parted(feature, &values, &|code| u32::from(is_chosen(code)));
            places
                .iter()
                .map(move |&at| self.candidate(node, split.clone(), at))
        };
        (1..1 << (occurring.len() - 1)).flat_map(grouping).collect()
    }

    /// Do the rules leave all groupings open? Two classes, or numbers and squared error, are needed, too.
    fn promises_best_groups(&self, node: &NodeRows) -> bool {
        let params = self.params;
        // Parts of a row may be less than a row.
        let any_size = node.undivided && params.min_leaf <= 1 && params.min_leaf_weight == 0.0;
        any_size
            && self.criterion != Criterion::Mae
            && !(self.criterion == Criterion::GainRatio && params.min_gain > 0.0)
    }
}

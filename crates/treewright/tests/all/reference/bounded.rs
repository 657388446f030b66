//! The best tree of bounded depth by trying all of them. Slow, and meant to be obvious.
//!
//! All figures are whole numbers: losses in tenths, weighted so that a leaf cost of `p/q` is whole, too.

use std::collections::BTreeMap;

use treewright::cost::ClassShare;
use treewright::data::{Column, Dataset, MISSING_CODE, Target};
use treewright::learn::optimal::Optimal;
use treewright::tree::{CategoricalSplits, PathRules};

use super::rules::allows;

/// Objective, then leaves: less is better.
pub(crate) type Worth = (u64, usize);

/// A table for which the best trees are wanted.
pub(crate) struct Bounded<'a> {
    data: &'a Dataset,
    intervals: usize,
    splits: CategoricalSplits,
    min_leaf: usize,
    /// The least weight of a leaf.
    min_weight: f64,
    /// The least share of the predicted class in a leaf, as a fraction.
    share: Option<[u64; 2]>,
    rules: PathRules,
    /// The class of each row, and its weight in tenths.
    rows: Vec<(usize, u64)>,
    /// For each row what each label costs.
    losses: Vec<Vec<u64>>,
    /// What a tenth of a loss is worth.
    per_loss: u64,
    /// What a leaf is worth.
    per_leaf: u64,
}

impl<'a> Bounded<'a> {
    /// A leaf costs `p / q`; weights are whole numbers of tenths, and costs are whole.
    pub(crate) fn new(data: &'a Dataset, learner: &Optimal, (p, q): (u64, u64)) -> Self {
        let Target::Classes(classes) = data.target() else {
            panic!("no classes");
        };
        let n_classes = data.schema().classes().len();
        let tenths = |row: usize| (data.weight(row) * 10.0).round() as u64;
        let losses = (0..data.n_rows()).map(|row| {
            let truth = classes[row] as usize;
            let cost = |class| learner.loss.of_class(truth, class) as u64;
            (0..n_classes)
                .map(|class| tenths(row) * cost(class))
                .collect()
        });
        Self {
            data,
            intervals: learner.intervals.unwrap_or(n_classes + 1),
            splits: learner.categorical_splits,
            min_leaf: learner.min_leaf,
            min_weight: learner.min_leaf_weight * data.total_weight(),
            share: learner.min_class_share.as_ref().map(ClassShare::ratio),
            rules: learner.rules.clone(),
            rows: (0..data.n_rows())
                .map(|row| (classes[row] as usize, tenths(row)))
                .collect(),
            losses: losses.collect(),
            per_loss: q,
            per_leaf: p * (0..data.n_rows()).map(tenths).sum::<u64>(),
        }
    }

    /// An objective as the learner reports it.
    pub(crate) fn objective(&self, (value, _): Worth) -> f64 {
        let tenths = (0..self.data.n_rows()).map(|row| (self.data.weight(row) * 10.0).round());
        value as f64 / self.per_loss as f64 / tenths.sum::<f64>()
    }

    /// The best tree for all rows.
    pub(crate) fn best(&self, depth: usize) -> Worth {
        let rows: Vec<usize> = (0..self.data.n_rows()).collect();
        // One leaf is always allowed.
        let leaf = self.label(&rows);
        self.least(&rows, depth, &[])
            .map_or(leaf, |least| least.min(leaf))
    }

    /// Loss and leaves of the best tree for some rows; `None` if they are too few.
    pub(crate) fn loss_and_leaves(&self, rows: &[usize], depth: usize) -> Option<(u64, usize)> {
        self.least(rows, depth, &[])
            .map(|worth| self.in_losses(worth))
    }

    /// The same for a single leaf, however small.
    pub(crate) fn as_leaf(&self, rows: &[usize]) -> (u64, usize) {
        self.in_losses(self.label(rows))
    }

    fn in_losses(&self, (value, leaves): Worth) -> (u64, usize) {
        let loss = (value - leaves as u64 * self.per_leaf) / self.per_loss;
        (loss, leaves)
    }

    /// What the best answer for a row costs.
    pub(crate) fn least_loss(&self, row: usize) -> u64 {
        self.losses[row].iter().copied().min().unwrap()
    }

    /// What the worst answer for a row costs.
    pub(crate) fn most_loss(&self, row: usize) -> u64 {
        self.losses[row].iter().copied().max().unwrap()
    }

    fn label(&self, rows: &[usize]) -> Worth {
        let loss = |class: usize| rows.iter().map(|&row| self.losses[row][class]).sum::<u64>();
        let n_classes = self.losses[0].len();
        let least = (0..n_classes).map(loss).min().unwrap();
        (least * self.per_loss + self.per_leaf, 1)
    }

    fn leaf(&self, rows: &[usize]) -> Option<Worth> {
        let weight: f64 = rows.iter().map(|&row| self.data.weight(row)).sum();
        let is_large = rows.len() >= self.min_leaf && weight >= self.min_weight;
        (is_large && self.is_sure(rows)).then(|| self.label(rows))
    }

    /// Has the class that a leaf of these rows predicts its share?
    fn is_sure(&self, rows: &[usize]) -> bool {
        let Some([part, whole]) = self.share else {
            return true;
        };
        let loss = |&class: &usize| rows.iter().map(|&row| self.losses[row][class]).sum::<u64>();
        let n_classes = self.losses[0].len();
        // The first of equal ones.
        let predicted = (0..n_classes).min_by_key(loss).unwrap();
        let weight = |is_in: &dyn Fn(usize) -> bool| {
            let rows = rows.iter().map(|&row| self.rows[row]);
            rows.filter(|&(class, _)| is_in(class))
                .map(|(_, weight)| weight)
                .sum::<u64>()
        };
        whole * weight(&|class| class == predicted) >= part * weight(&|_| true)
    }

    /// The best tree for some rows below the splits of a path.
    fn least(&self, rows: &[usize], depth: usize, path: &[usize]) -> Option<Worth> {
        let mut best = self.leaf(rows);
        for feature in 0..self.data.columns().len() {
            if depth == 0 || !allows(&self.rules, self.data, path, feature) {
                continue;
            }
            best = better(best, self.by_column(rows, feature, depth, path));
            if !self.rules.root_only.is_empty() {
                // Intervals cannot be made by further cuts of a feature that is asked once.
                best = better(best, self.by_column(rows, feature, 1, path));
            }
        }
        best
    }

    fn by_column(
        &self,
        rows: &[usize],
        feature: usize,
        depth: usize,
        path: &[usize],
    ) -> Option<Worth> {
        let column = &self.data.columns()[feature];
        let path = &[path, &[feature]].concat();
        let (groups, missing) = groups(rows, column);
        let of_missing = if missing.is_empty() {
            Some((0, 0))
        } else {
            self.least(&missing, depth - 1, path)
        };
        let of_present = match column {
            _ if groups.is_empty() => None,
            Column::Categorical(_) => {
                let all = self.parts_of_categories(&groups, depth, !missing.is_empty());
                let of_parts = |(parts, depth): (Vec<Vec<usize>>, usize)| {
                    parts.iter().try_fold((0, 0), |sum, part| {
                        Some(plus(sum, self.least(part, depth, path)?))
                    })
                };
                return better_sum(all.into_iter().map(|(parts, depth)| {
                    let of_missing = if missing.is_empty() {
                        Some((0, 0))
                    } else {
                        self.least(&missing, depth, path)
                    };
                    Some(plus(of_missing?, of_parts((parts, depth))?))
                }));
            }
            Column::Numeric(_) if depth == 1 => self.in_intervals(&groups, self.intervals),
            Column::Numeric(_) => self.in_two(&groups, depth, !missing.is_empty(), path),
        };
        Some(plus(of_missing?, of_present?))
    }

    /// All ways in which a split may part categories, each with the depth that is left to its branches.
    fn parts_of_categories(
        &self,
        groups: &[Vec<usize>],
        depth: usize,
        has_missing: bool,
    ) -> Vec<(Vec<Vec<usize>>, usize)> {
        if self.splits == CategoricalSplits::Multiway {
            return vec![(groups.to_vec(), depth - 1)];
        }
        let mut ways = Vec::new();
        if has_missing {
            ways.push((vec![groups.concat()], depth - 1));
        }
        for apart in 0..groups.len() {
            let mut rest = groups.to_vec();
            let group = rest.remove(apart);
            if !rest.is_empty() {
                ways.push((vec![group, rest.concat()], depth - 1));
            }
        }
        if self.splits == CategoricalSplits::Grouped {
            for parts in partitions(groups, self.intervals.max(2)) {
                if parts.len() > 1 || has_missing {
                    ways.push((parts, 0));
                }
            }
        }
        ways
    }

    /// For each number of leaves the least loss of a tree with as many.
    pub(crate) fn losses_by_leaves(&self, depth: usize) -> BTreeMap<usize, u64> {
        let rows: Vec<usize> = (0..self.data.n_rows()).collect();
        let mut losses = self.by_leaves(&rows, depth, &[]);
        // One leaf is always allowed.
        losses.insert(1, self.as_leaf(&rows).0);
        losses
    }

    fn by_leaves(&self, rows: &[usize], depth: usize, path: &[usize]) -> BTreeMap<usize, u64> {
        let mut best = BTreeMap::new();
        if let Some(leaf) = self.leaf(rows) {
            best.insert(1, self.in_losses(leaf).0);
        }
        if depth > 1 && !self.rules.root_only.is_empty() {
            take_better(&mut best, self.by_leaves(rows, 1, path));
        }
        for (feature, column) in self.data.columns().iter().enumerate() {
            if depth == 0 || !allows(&self.rules, self.data, path, feature) {
                continue;
            }
            let path = &[path, &[feature]].concat();
            let (groups, missing) = groups(rows, column);
            let mut of_present = BTreeMap::new();
            match column {
                _ if groups.is_empty() => {}
                Column::Categorical(_) => {
                    for (parts, depth) in
                        self.parts_of_categories(&groups, depth, !missing.is_empty())
                    {
                        let mut of_parts = BTreeMap::from([(0, 0)]);
                        for part in &parts {
                            of_parts = both(&of_parts, &self.by_leaves(part, depth, path));
                        }
                        if !missing.is_empty() {
                            of_parts = both(&of_parts, &self.by_leaves(&missing, depth, path));
                        }
                        take_better(&mut best, of_parts);
                    }
                    continue;
                }
                Column::Numeric(_) if depth == 1 => {
                    of_present = self.cut_by_leaves(&groups, self.intervals);
                }
                Column::Numeric(_) => {
                    if !missing.is_empty() {
                        of_present = self.by_leaves(&groups.concat(), depth - 1, path);
                    }
                    for cut in 1..groups.len() {
                        let sides = [&groups[..cut], &groups[cut..]];
                        let [low, high] =
                            sides.map(|side| self.by_leaves(&side.concat(), depth - 1, path));
                        take_better(&mut of_present, both(&low, &high));
                    }
                }
            }
            if !missing.is_empty() {
                of_present = both(&of_present, &self.by_leaves(&missing, depth - 1, path));
            }
            take_better(&mut best, of_present);
        }
        best
    }

    fn cut_by_leaves(&self, groups: &[Vec<usize>], most: usize) -> BTreeMap<usize, u64> {
        let mut best = BTreeMap::new();
        if let Some(leaf) = self.leaf(&groups.concat()) {
            best.insert(1, self.in_losses(leaf).0);
        }
        for cut in 1..groups.len() {
            if most > 1
                && let Some(first) = self.leaf(&groups[..cut].concat())
            {
                let first = BTreeMap::from([(1, self.in_losses(first).0)]);
                let others = self.cut_by_leaves(&groups[cut..], most - 1);
                take_better(&mut best, both(&first, &others));
            }
        }
        best
    }

    /// All ways to cut at the last level.
    fn in_intervals(&self, groups: &[Vec<usize>], most: usize) -> Option<Worth> {
        let mut best = self.leaf(&groups.concat());
        if most > 1 {
            for cut in 1..groups.len() {
                let first = self.leaf(&groups[..cut].concat());
                let others = self.in_intervals(&groups[cut..], most - 1);
                best = better(best, first.zip(others).map(|(a, b)| plus(a, b)));
            }
        }
        best
    }

    /// All ways to cut above the last level, or no cut where values are missing.
    fn in_two(
        &self,
        groups: &[Vec<usize>],
        depth: usize,
        has_missing: bool,
        path: &[usize],
    ) -> Option<Worth> {
        let mut best = None;
        if has_missing {
            best = self.least(&groups.concat(), depth - 1, path);
        }
        for cut in 1..groups.len() {
            let left = self.least(&groups[..cut].concat(), depth - 1, path);
            let right = self.least(&groups[cut..].concat(), depth - 1, path);
            best = better(best, left.zip(right).map(|(a, b)| plus(a, b)));
        }
        best
    }
}

/// The least losses of two sets of rows together.
fn both(a: &BTreeMap<usize, u64>, b: &BTreeMap<usize, u64>) -> BTreeMap<usize, u64> {
    let mut sums = BTreeMap::new();
    for (leaves, loss) in a {
        let sum = |(more, other): (&usize, &u64)| (leaves + more, loss + other);
        take_better(&mut sums, b.iter().map(sum).collect());
    }
    sums
}

fn take_better(best: &mut BTreeMap<usize, u64>, others: BTreeMap<usize, u64>) {
    for (leaves, loss) in others {
        let known = best.entry(leaves).or_insert(loss);
        *known = loss.min(*known);
    }
}

/// All ways to put groups together into at most a given number.
fn partitions(groups: &[Vec<usize>], most: usize) -> Vec<Vec<Vec<usize>>> {
    let Some((first, others)) = groups.split_first() else {
        return vec![Vec::new()];
    };
    let mut ways = Vec::new();
    for parts in partitions(others, most) {
        for with in 0..parts.len() {
            let mut parts = parts.clone();
            parts[with].extend(first);
            ways.push(parts);
        }
        if parts.len() < most {
            let mut parts = parts;
            parts.push(first.clone());
            ways.push(parts);
        }
    }
    ways
}

fn better_sum(all: impl Iterator<Item = Option<Worth>>) -> Option<Worth> {
    all.flatten().min()
}

fn plus(a: Worth, b: Worth) -> Worth {
    (a.0 + b.0, a.1 + b.1)
}

fn better(a: Option<Worth>, b: Option<Worth>) -> Option<Worth> {
    a.into_iter().chain(b).min()
}

/// Rows with the same value, in the order of the values, and rows without one.
fn groups(rows: &[usize], column: &Column) -> (Vec<Vec<usize>>, Vec<usize>) {
    let key = |row: usize| match column {
        Column::Numeric(numbers) => (!numbers[row].is_nan()).then_some(numbers[row]),
        Column::Categorical(codes) => (codes[row] != MISSING_CODE).then(|| f64::from(codes[row])),
    };
    let mut keys: Vec<f64> = rows.iter().filter_map(|&row| key(row)).collect();
    keys.sort_by(|a, b| a.partial_cmp(b).unwrap());
    keys.dedup();
    let with = |wanted: Option<f64>| rows.iter().copied().filter(move |&row| key(row) == wanted);
    (
        keys.iter().map(|&key| with(Some(key)).collect()).collect(),
        with(None).collect(),
    )
}

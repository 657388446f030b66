//! The plan of the first of the best trees, in the order of features and cuts.
//!
//! A search keeps the root split of its best tree. The levels below are solved again, and the last level gets its
//! intervals.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use super::TreePlan;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::depth1::any_intervals::cuts_of_any;
use crate::learn::optimal::depth1::lowest_cut::{lowest_cut, lowest_cut_in};
use crate::learn::optimal::depth1::sized_intervals::SizedIntervals;
use crate::learn::optimal::depth2::scan::root::ScanRoot;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{
    FeatureCells, FeatureKind, Inherited, NONE, RootSplit, RowSet, Sketch,
};
use crate::learn::optimal::search::TreeSearch;

impl TreeSearch<'_> {
    /// The best tree of some rows: of all with the same value the first, in the order of features and cuts.
    pub(crate) fn plan(&self, rows: &Arc<RowSet>, depth: usize) -> Result<TreePlan, Stopped> {
        let leaf = match self.context.leaf(rows) {
            Some(leaf) => leaf,
            None if !self.context.rule.has_share() => return Ok(TreePlan::Leaf),
            None => self.above_all(rows),
        };
        if depth == 0 || leaf <= 2 * self.context.encoding.per_leaf() {
            return Ok(TreePlan::Leaf);
        }
        if depth == 1 {
            return Ok(self.plan_one(rows, leaf));
        }
        let shallower = match depth {
            2 => None,
            _ => Some(self.solve(rows, depth - 1, leaf, &Inherited::default())),
        };
        let solved = self.solve_node(rows, depth, leaf, shallower);
        if !solved.is_done {
            return Err(Stopped);
        }
        self.plan_below(rows, depth, solved.sketch.as_ref())
    }

    /// More than any tree of some rows is worth.
    fn above_all(&self, rows: &RowSet) -> u64 {
        let encoding = self.context.encoding;
        encoding.loss(rows.weight()) + (rows.len() as u64 + 1) * encoding.per_leaf()
    }

    /// The best tree below a root split that is known.
    pub(crate) fn plan_below(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        sketch: Option<&Sketch>,
    ) -> Result<TreePlan, Stopped> {
        let Some(Sketch::Alone(root) | Sketch::Split(root, _)) = sketch else {
            return Ok(TreePlan::Leaf);
        };
        if root.is_groups() {
            return Ok(self.plan_groups(rows, root.feature()));
        }
        let is_numeric = self.context.table.kinds()[root.feature()] == FeatureKind::Numeric;
        if depth == 2
            && is_numeric
            && self
                .context
                .table
                .never_below()
                .below(root.feature())
                .is_empty()
            && self.context.rule.allows_any_leaf()
            && self.has_small_sums(rows)
        {
            let is_scan =
                self.context.rule.most() == 2 && !rows.cells()[root.feature()].has_missing();
            return Ok(match root.cut() {
                Some(cut) if is_scan && self.context.has_scans(rows) => {
                    self.plan_scan(rows, root.feature(), cut)
                }
                _ => self.plan_two(rows, *root),
            });
        }
        self.asking(rows, *root, |_, part| self.plan(part, depth - 1))
    }

    /// Do sums for all ranks and classes of a feature take little memory?
    fn has_small_sums(&self, rows: &RowSet) -> bool {
        const MOST_SUMS: usize = 1 << 22;
        let most = rows
            .cells()
            .iter()
            .map(FeatureCells::n_ranks)
            .max()
            .unwrap_or(0);
        (most + 1).saturating_mul(self.context.table.n_classes()) <= MOST_SUMS
    }

    /// The best tree of two levels below a numeric root split that is known, without the rows of its parts.
    fn plan_two(&self, rows: &RowSet, root: RootSplit) -> TreePlan {
        let (feature, cut) = (root.feature(), root.cut());
        let cells = &rows.cells()[feature];
        let cuts: Vec<u32> = cut.into_iter().collect();
        let n_parts = cuts.len() + 1 + usize::from(cells.has_missing());
        let part_of = |row: usize| match cells.ranks()[row] {
            NONE => n_parts - 1,
            rank => usize::from(cut.is_some_and(|cut| cut <= rank)),
        };
        let plan = |at: usize| {
            let is_in = |row: usize| part_of(row) == at;
            let part: Vec<u32> = (0..rows.len() as u32)
                .filter(|&row| is_in(row as usize))
                .collect();
            let mut sums = vec![0; rows.sums().len()];
            for &row in &part {
                let label = rows.labels()[row as usize];
                sums[label.class as usize] += u64::from(label.weight);
            }
            let most = sums.iter().copied().max().unwrap_or(0);
            let leaf = self.context.encoding.leaf(sums.iter().sum::<u64>() - most);
            match self.context.asked_in(rows, &part).into_iter().min() {
                Some((value, child)) if value < leaf => {
                    let narrow = rows.narrow(is_in, |feature| feature == child);
                    self.plan_by(&narrow, child, value)
                }
                _ => TreePlan::Leaf,
            }
        };
        let children = (0..n_parts).map(plan).collect();
        self.split(rows, feature, &cuts, children)
    }

    /// The best tree of two levels below a numeric root split that is known, for two classes in two intervals: what
    /// each child costs on both sides follows from one scan.
    fn plan_scan(&self, rows: &RowSet, feature: usize, cut: u32) -> TreePlan {
        let root = ScanRoot::new(
            feature,
            Cow::Borrowed(rows),
            0,
            self.context.encoding.per_leaf(),
        );
        let (leaves, values) = if rows.weight() <= i16::LARGEST {
            root.at::<i16>(self.context, cut)
        } else if rows.weight() <= i32::LARGEST {
            root.at::<i32>(self.context, cut)
        } else {
            root.at::<i64>(self.context, cut)
        };
        let of_root = rows.cells()[feature].ranks();
        let plan = |side: usize| {
            let least = values
                .iter()
                .enumerate()
                .map(|(child, value)| (value[side], child))
                .min();
            let Some((value, child)) = least.filter(|&(value, _)| value < leaves[side]) else {
                return TreePlan::Leaf;
            };
            let is_in = |row: usize| (of_root[row] >= cut) == (side == 1);
            let cells = &rows.cells()[child];
            if cells.has_missing() || self.context.table.kinds()[child] == FeatureKind::Categorical
            {
                let narrow = rows.narrow(is_in, |feature| feature == child);
                return self.plan_by(&narrow, child, value);
            }
            let between_ranks = lowest_cut_in(rows, child, is_in, value, self.context.encoding);
            let Some(ranks) = between_ranks else {
                return TreePlan::Leaf;
            };
            let numbers = ranks.map(|rank| self.context.table.number(child, rows, rank));
            let leaves = vec![TreePlan::Leaf; 2];
            if self.context.table.has_categories(child) {
                // There are but two.
                return self.in_groups(child, numbers.map(|code| vec![code as u32]).into(), leaves);
            }
            let [below, above] = numbers;
            TreePlan::Split {
                feature: self.context.table.columns()[child],
                cuts: vec![between(below, above)],
                children: leaves,
            }
        };
        let children = (0..2).map(plan).collect();
        self.split(rows, feature, &[cut], children)
    }

    /// The best tree of one level.
    fn plan_one(&self, rows: &RowSet, leaf: u64) -> TreePlan {
        let features = 0..self.context.table.kinds().len();
        // A value that is known needs its tree, however late it is.
        let mut deadline = Deadline::new(&|| false);
        let asked = |feature: usize| {
            let value = self.context.asked(rows, feature, &mut deadline);
            Some((value.ok()??, feature))
        };
        let Some((value, feature)) = features.filter_map(asked).min() else {
            return TreePlan::Leaf;
        };
        if value >= leaf {
            return TreePlan::Leaf;
        }
        self.plan_by(rows, feature, value)
    }

    /// The best groups of categories.
    fn plan_groups(&self, rows: &RowSet, feature: usize) -> TreePlan {
        // A value that was found needs its tree, however late it is.
        let value = self
            .context
            .asked(rows, feature, &mut Deadline::new(&|| false));
        match value {
            Ok(Some(value)) => self.plan_by(rows, feature, value),
            _ => TreePlan::Leaf,
        }
    }

    /// The first tree of one level that splits on a feature and has a value.
    fn plan_by(&self, rows: &RowSet, feature: usize, value: u64) -> TreePlan {
        if self.context.table.is_binary(feature) {
            let value = value - self.context.missing(rows, feature).unwrap_or(0);
            let losses = self.context.losses_of_groups(
                rows,
                feature,
                usize::MAX,
                &mut Deadline::new(&|| false),
            );
            let is_it = |&groups: &(usize, u64)| self.context.value_of(groups) == value;
            let groups = losses
                .ok()
                .and_then(|losses| losses.into_iter().find(is_it));
            return self.groups_of_leaves(rows, feature, groups.expect("a value has groups"));
        }
        let cells = &rows.cells()[feature];
        let n_missing = usize::from(cells.has_missing());
        let cuts: Vec<u32> = match self.context.table.kinds()[feature] {
            FeatureKind::Categorical => (1..cells.n_ranks() as u32).collect(),
            FeatureKind::Numeric => {
                let (rule, encoding) = (self.context.rule, self.context.encoding);
                let value = value - self.context.missing(rows, feature).unwrap_or(0);
                if rule.has_share() {
                    self.pure_cuts(rows, feature, value)
                } else if rule.most() == 2 && rule.min_leaf() == 1 {
                    lowest_cut(rows, feature, value, encoding)
                        .into_iter()
                        .collect()
                } else if rule.most() >= cells.n_ranks() && rule.min_leaf() == 1 {
                    cuts_of_any(rows, feature, encoding)
                } else {
                    let intervals = SizedIntervals::new(self.context.table, rows, feature);
                    let cuts = intervals.cuts(value, rule, encoding);
                    let cuts = cuts.expect("a value that was found has cuts");
                    cuts.into_iter().map(|cut| cut as u32).collect()
                }
            }
        };
        let children = vec![TreePlan::Leaf; cuts.len() + 1 + n_missing];
        self.split(rows, feature, &cuts, children)
    }

    /// The lowest cuts of intervals with a value, if the predicted class has a least share in each.
    fn pure_cuts(&self, rows: &RowSet, feature: usize, value: u64) -> Vec<u32> {
        let most = self.context.rule.most();
        let mut deadline = Deadline::new(&|| false);
        let losses = self
            .context
            .losses_of_pure(rows, feature, most, &mut deadline);
        let is_it = |&found: &(usize, u64)| self.context.value_of(found) == value;
        let found = losses
            .ok()
            .and_then(|losses| losses.into_iter().find(is_it));
        let cuts = found.and_then(|found| self.context.pure_cuts_of(rows, feature, found));
        cuts.expect("a value that was found has cuts")
    }

    /// The first groups of categories, as many as that and with this loss, each a leaf.
    pub(crate) fn groups_of_leaves(
        &self,
        rows: &RowSet,
        feature: usize,
        groups: (usize, u64),
    ) -> TreePlan {
        let found = self.context.groups_of(rows, feature, groups);
        let ranks = found.expect("a loss that was found has groups");
        let has_missing = rows.cells()[feature].has_missing();
        let n_children = ranks.len() + usize::from(has_missing);
        self.groups_of_ranks(rows, feature, &ranks, vec![TreePlan::Leaf; n_children])
    }

    /// A split of categories in groups of ranks.
    fn groups_of_ranks(
        &self,
        rows: &RowSet,
        feature: usize,
        ranks: &[Vec<u32>],
        children: Vec<TreePlan>,
    ) -> TreePlan {
        let code = |&rank: &u32| self.context.table.number(feature, rows, rank) as u32;
        let codes = |group: &Vec<u32>| group.iter().map(code).collect();
        let groups = ranks.iter().map(codes).collect();
        self.in_groups(feature, groups, children)
    }

    fn in_groups(
        &self,
        feature: usize,
        groups: Vec<Vec<u32>>,
        children: Vec<TreePlan>,
    ) -> TreePlan {
        TreePlan::Groups {
            feature: self.context.table.columns()[feature],
            groups,
            children,
        }
    }

    /// One category against the rest, or all categories against missing cells, and what is below.
    fn asking_apart<E>(
        &self,
        rows: &Arc<RowSet>,
        root: RootSplit,
        below: impl Fn(usize, &Arc<RowSet>) -> Result<TreePlan, E>,
    ) -> Result<TreePlan, E> {
        let feature = root.feature();
        let cells = &rows.cells()[feature];
        let ranks = 0..cells.n_ranks() as u32;
        let groups: Vec<Vec<u32>> = match root.cut() {
            None => vec![ranks.collect()],
            Some(cut) => vec![
                vec![cut - 1],
                ranks.filter(|&rank| rank + 1 != cut).collect(),
            ],
        };
        let parts = self.branches(rows, root).into_iter().map(Arc::new);
        let parts = parts.enumerate();
        let children: Result<Vec<TreePlan>, E> = parts.map(|(at, part)| below(at, &part)).collect();
        Ok(self.groups_of_ranks(rows, feature, &groups, children?))
    }

    /// A split, and what is below it.
    pub(crate) fn asking<E>(
        &self,
        rows: &Arc<RowSet>,
        root: RootSplit,
        below: impl Fn(usize, &Arc<RowSet>) -> Result<TreePlan, E>,
    ) -> Result<TreePlan, E> {
        let (feature, cut) = (root.feature(), root.cut());
        if self.context.table.is_binary(feature) {
            return self.asking_apart(rows, root, below);
        }
        let n_ranks = rows.cells()[feature].n_ranks() as u32;
        let cuts: Vec<u32> = match self.context.table.kinds()[feature] {
            FeatureKind::Numeric => cut.into_iter().collect(),
            FeatureKind::Categorical => (1..n_ranks).collect(),
        };
        let parts = self.branches(rows, root).into_iter().map(Arc::new);
        let children = parts.enumerate().map(|(at, part)| below(at, &part));
        let children: Result<Vec<TreePlan>, E> = children.collect();
        Ok(self.split(rows, feature, &cuts, children?))
    }

    pub(crate) fn split(
        &self,
        rows: &RowSet,
        feature: usize,
        cuts: &[u32],
        children: Vec<TreePlan>,
    ) -> TreePlan {
        let table = self.context.table;
        let number = |rank| table.number(feature, rows, rank);
        if table.has_categories(feature) && table.kinds()[feature] == FeatureKind::Numeric {
            // There are but two, or one.
            let n_ranks = rows.cells()[feature].n_ranks() as u32;
            let ends = cuts.iter().copied().chain([n_ranks]);
            let starts = std::iter::once(0).chain(cuts.iter().copied());
            let groups = starts.zip(ends).map(|(start, end)| (start..end).collect());
            let groups: Vec<Vec<u32>> = groups.collect();
            return self.groups_of_ranks(rows, feature, &groups, children);
        }
        let threshold = |&cut: &u32| between(number(cut - 1), number(cut));
        let cuts = match self.context.table.kinds()[feature] {
            FeatureKind::Numeric => cuts.iter().map(threshold).collect(),
            FeatureKind::Categorical => Vec::new(),
        };
        TreePlan::Split {
            feature: self.context.table.columns()[feature],
            cuts,
            children,
        }
    }

    /// The tree of a sketch, the last level as good as it can be.
    pub(crate) fn follow(&self, rows: &Arc<RowSet>, depth: usize, sketch: &Sketch) -> TreePlan {
        let (root, sketches) = match sketch {
            Sketch::Leaf if depth == 1 => {
                return match self.context.leaf(rows) {
                    Some(leaf) => self.plan_one(rows, leaf),
                    None if !self.context.rule.has_share() => TreePlan::Leaf,
                    None => self.plan_one(rows, self.above_all(rows)),
                };
            }
            Sketch::Leaf => return TreePlan::Leaf,
            Sketch::Alone(root) | Sketch::Split(root, _) if root.is_groups() => {
                return self.plan_groups(rows, root.feature());
            }
            Sketch::Alone(root) => (root, &[][..]),
            Sketch::Split(root, sketches) => (root, &sketches[..]),
        };
        let Ok(plan) = self.asking::<Infallible>(rows, *root, |at, part| {
            Ok(match sketches.get(at) {
                Some(sketch) => self.follow(part, depth - 1, sketch),
                None => self.follow(part, 1, &Sketch::Leaf),
            })
        });
        plan
    }
}

/// A number above the first and not above the second: midway where there is one.
pub(crate) fn between(below: f64, above: f64) -> f64 {
    let middle = below / 2.0 + above / 2.0;
    if below < middle && middle <= above {
        middle
    } else {
        above
    }
}

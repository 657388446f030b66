//! The least value of some rows, and the tree that has it.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use crate::budget::Budget;
use crate::learn::optimal::deadline::{Looks, Stopped};
use crate::learn::optimal::deeper::best_first::Deep;
use crate::learn::optimal::deeper::region_bounds::Bounds;
use crate::learn::optimal::depth1::intervals::{self, Line, Rule};
use crate::learn::optimal::depth2::Two;
use crate::learn::optimal::depth2::histogram::Setting;
use crate::learn::optimal::depth2::scan::root::Front;
use crate::learn::optimal::depth2::screening::Scouted;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::incumbent::{Known, Root, Sketch, Solved};
use crate::learn::optimal::problem::rows::{Cells, Rows};
use crate::learn::optimal::problem::table::{Kind, NONE};

/// A tree without the data.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    Leaf,
    Split {
        feature: usize,
        /// Where the next interval begins; none for categories.
        cuts: Vec<f64>,
        /// For the intervals or the categories that there are, then for missing values if there are any.
        children: Vec<Plan>,
    },
}

impl Plan {
    /// How many nodes the tree has.
    pub(super) fn n_nodes(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::Split { children, .. } => 1 + children.iter().map(Self::n_nodes).sum::<usize>(),
        }
    }
}

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

    /// The best tree of some rows: of all with the same value the first, in the order of features and cuts.
    pub(super) fn plan(&self, rows: &Arc<Rows>, depth: usize) -> Result<Plan, Stopped> {
        let Some(leaf) = self.setting.leaf(rows) else {
            return Ok(Plan::Leaf);
        };
        if depth == 0 || leaf <= 2 * self.setting.price.per_leaf {
            return Ok(Plan::Leaf);
        }
        if depth == 1 {
            return Ok(self.plan_one(rows, leaf));
        }
        let flat = match depth {
            2 => None,
            _ => Some(self.solve(rows, depth - 1, leaf, &Known::default())),
        };
        let solved = self.solve_node(rows, depth, leaf, flat);
        if !solved.is_done {
            return Err(Stopped);
        }
        self.plan_below(rows, depth, solved.sketch.as_ref())
    }

    /// The best tree below a first question that is known.
    pub(super) fn plan_below(
        &self,
        rows: &Arc<Rows>,
        depth: usize,
        sketch: Option<&Sketch>,
    ) -> Result<Plan, Stopped> {
        let Some(Sketch::Alone(root) | Sketch::Split(root, _)) = sketch else {
            return Ok(Plan::Leaf);
        };
        let is_numeric = self.setting.table.kinds[root.feature] == Kind::Numeric;
        if depth == 2 && is_numeric && self.setting.rule.min_leaf == 1 && self.has_small_sums(rows)
        {
            let is_walk = self.setting.rule.most == 2 && !rows.cells[root.feature].has_missing();
            return Ok(match root.cut {
                Some(cut) if is_walk && self.setting.has_walks(rows) => {
                    self.plan_walk(rows, root.feature, cut)
                }
                _ => self.plan_two(rows, *root),
            });
        }
        self.asking(rows, *root, |_, part| self.plan(part, depth - 1))
    }

    /// Do sums for all ranks and classes of a feature take little memory?
    fn has_small_sums(&self, rows: &Rows) -> bool {
        const MOST_SUMS: usize = 1 << 22;
        let most = rows.cells.iter().map(Cells::n_ranks).max().unwrap_or(0);
        (most + 1).saturating_mul(self.setting.table.n_classes) <= MOST_SUMS
    }

    /// The best tree of two levels below a numeric question that is known, without the rows of its parts.
    fn plan_two(&self, rows: &Rows, Root { feature, cut }: Root) -> Plan {
        let cells = &rows.cells[feature];
        let cuts: Vec<u32> = cut.into_iter().collect();
        let n_parts = cuts.len() + 1 + usize::from(cells.has_missing());
        let part_of = |row: usize| match cells.ranks[row] {
            NONE => n_parts - 1,
            rank => usize::from(cut.is_some_and(|cut| cut <= rank)),
        };
        let plan = |at: usize| {
            let is_in = |row: usize| part_of(row) == at;
            let part: Vec<u32> = (0..rows.len() as u32)
                .filter(|&row| is_in(row as usize))
                .collect();
            let mut sums = vec![0; rows.sums.len()];
            for &row in &part {
                let label = rows.labels[row as usize];
                sums[label.class as usize] += u64::from(label.weight);
            }
            let most = sums.iter().copied().max().unwrap_or(0);
            let leaf = self.setting.price.leaf(sums.iter().sum::<u64>() - most);
            match self.setting.asked_in(rows, &part).into_iter().min() {
                Some((value, child)) if value < leaf => {
                    let narrow = rows.narrow(is_in, |feature| feature == child);
                    self.plan_by(&narrow, child, value)
                }
                _ => Plan::Leaf,
            }
        };
        let children = (0..n_parts).map(plan).collect();
        self.split(rows, feature, &cuts, children)
    }

    /// The same for two classes in two intervals: what each child costs on both sides follows from one walk.
    fn plan_walk(&self, rows: &Rows, feature: usize, cut: u32) -> Plan {
        let front = Front::new(feature, Cow::Borrowed(rows), 0, self.setting.price.per_leaf);
        let (leaves, values) = if rows.weight() <= i16::LARGEST {
            front.at::<i16>(self.setting, cut)
        } else if rows.weight() <= i32::LARGEST {
            front.at::<i32>(self.setting, cut)
        } else {
            front.at::<i64>(self.setting, cut)
        };
        let of_root = &rows.cells[feature].ranks;
        let plan = |side: usize| {
            let least = values
                .iter()
                .enumerate()
                .map(|(child, value)| (value[side], child))
                .min();
            let Some((value, child)) = least.filter(|&(value, _)| value < leaves[side]) else {
                return Plan::Leaf;
            };
            let is_in = |row: usize| (of_root[row] >= cut) == (side == 1);
            let cells = &rows.cells[child];
            if cells.has_missing() || self.setting.table.kinds[child] == Kind::Categorical {
                let narrow = rows.narrow(is_in, |feature| feature == child);
                return self.plan_by(&narrow, child, value);
            }
            let between_ranks =
                intervals::lowest_cut_in(rows, child, is_in, value, self.setting.price);
            let Some(ranks) = between_ranks else {
                return Plan::Leaf;
            };
            let [below, above] = ranks.map(|rank| self.setting.table.number(child, rows, rank));
            Plan::Split {
                feature: self.setting.table.columns[child],
                cuts: vec![between(below, above)],
                children: vec![Plan::Leaf; 2],
            }
        };
        let children = (0..2).map(plan).collect();
        self.split(rows, feature, &[cut], children)
    }

    /// The best tree of one level.
    fn plan_one(&self, rows: &Rows, leaf: u64) -> Plan {
        let features = 0..self.setting.table.kinds.len();
        // A value that is known needs its tree, however late it is.
        let mut looks = Looks::new(&|| false);
        let asked = |feature: usize| {
            let value = self.setting.asked(rows, feature, &mut looks);
            Some((value.ok()??, feature))
        };
        let Some((value, feature)) = features.filter_map(asked).min() else {
            return Plan::Leaf;
        };
        if value >= leaf {
            return Plan::Leaf;
        }
        self.plan_by(rows, feature, value)
    }

    /// The first tree of one level that asks a feature and has a value.
    fn plan_by(&self, rows: &Rows, feature: usize, value: u64) -> Plan {
        let cells = &rows.cells[feature];
        let n_missing = usize::from(cells.has_missing());
        let cuts: Vec<u32> = match self.setting.table.kinds[feature] {
            Kind::Categorical => (1..cells.n_ranks() as u32).collect(),
            Kind::Numeric => {
                let (rule, price) = (self.setting.rule, self.setting.price);
                let value = value - self.setting.missing(rows, feature).unwrap_or(0);
                if rule.most == 2 && rule.min_leaf == 1 {
                    intervals::lowest_cut(rows, feature, value, price)
                        .into_iter()
                        .collect()
                } else if rule.most >= cells.n_ranks() && rule.min_leaf == 1 {
                    intervals::cuts_of_any(rows, feature, price)
                } else {
                    let line = Line::new(self.setting.table, rows, feature);
                    let cuts = line.cuts(value, rule, price);
                    let cuts = cuts.expect("a value that was found has cuts");
                    cuts.into_iter().map(|cut| cut as u32).collect()
                }
            }
        };
        let children = vec![Plan::Leaf; cuts.len() + 1 + n_missing];
        self.split(rows, feature, &cuts, children)
    }

    /// A question, and what is below it.
    fn asking<E>(
        &self,
        rows: &Arc<Rows>,
        Root { feature, cut }: Root,
        below: impl Fn(usize, &Arc<Rows>) -> Result<Plan, E>,
    ) -> Result<Plan, E> {
        let n_ranks = rows.cells[feature].n_ranks() as u32;
        let cuts: Vec<u32> = match self.setting.table.kinds[feature] {
            Kind::Numeric => cut.into_iter().collect(),
            Kind::Categorical => (1..n_ranks).collect(),
        };
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain(std::iter::once(n_ranks));
        let present = starts.zip(ends).map(|(start, end)| match end - start {
            1 => rows.group(feature, start),
            _ => rows.within(feature, start..end),
        });
        let is_missing = rows.cells[feature].has_missing();
        let parts = present.chain(is_missing.then(|| rows.missing(feature)));
        let parts = parts.map(Arc::new).enumerate();
        let children: Result<Vec<Plan>, E> = parts.map(|(at, part)| below(at, &part)).collect();
        Ok(self.split(rows, feature, &cuts, children?))
    }

    fn split(&self, rows: &Rows, feature: usize, cuts: &[u32], children: Vec<Plan>) -> Plan {
        let number = |rank| self.setting.table.number(feature, rows, rank);
        let threshold = |&cut: &u32| between(number(cut - 1), number(cut));
        let cuts = match self.setting.table.kinds[feature] {
            Kind::Numeric => cuts.iter().map(threshold).collect(),
            Kind::Categorical => Vec::new(),
        };
        Plan::Split {
            feature: self.setting.table.columns[feature],
            cuts,
            children,
        }
    }

    /// The tree of a sketch, the last level as good as it can be.
    pub(super) fn follow(&self, rows: &Arc<Rows>, depth: usize, sketch: &Sketch) -> Plan {
        let (root, sketches) = match sketch {
            Sketch::Leaf if depth == 1 => {
                let leaf = self.setting.leaf(rows);
                return leaf.map_or(Plan::Leaf, |leaf| self.plan_one(rows, leaf));
            }
            Sketch::Leaf => return Plan::Leaf,
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
pub(super) fn between(below: f64, above: f64) -> f64 {
    let middle = below / 2.0 + above / 2.0;
    if below < middle && middle <= above {
        middle
    } else {
        above
    }
}

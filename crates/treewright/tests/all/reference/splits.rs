//! All splits of a node, in the plainest way: every split looks at every row.
//!
//! `docs/algorithms/greedy.md` is the specification; [`gains`] compares the splits.

pub(crate) mod gains;
mod groups;

use treewright::data::{Column, Dataset, Target, Value};
use treewright::learn::Greedy;
use treewright::learn::greedy::{CategoricalSplits, Criterion, MissingPolicy};
use treewright::tree::{Closed, Split};

use self::gains::Verdict;

/// Rows of a node with their shares.
pub(crate) type Shares = Vec<(usize, f64)>;

/// A table and the parameters to learn with.
pub(crate) struct Problem<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) params: &'a Greedy,
    pub(crate) criterion: Criterion,
    /// Class of each row, or bin of its number.
    pub(crate) class: Vec<usize>,
    pub(crate) n_classes: usize,
    /// Target number of each row, in regression.
    pub(crate) number: Vec<f64>,
    pub(super) root_impurity: f64,
}

/// Rows seen together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// Sum of the shares.
    pub(crate) rows: f64,
    pub(crate) weight: f64,
    /// Weight by class (or bin).
    pub(crate) counts: Vec<f64>,
    /// Numbers with their weights, in regression.
    pub(crate) numbers: Vec<(f64, f64)>,
}

/// A node that asks for a split.
pub(crate) struct NodeRows {
    pub(crate) shares: Shares,
    pub(crate) group: Group,
    pub(super) impurity: f64,
    /// Whole weights and no distributed row.
    pub(crate) whole: bool,
    /// No row has a share below 1.
    pub(crate) undivided: bool,
}

/// Where a split has the missing rows of its node while it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// They have no say, or there are none.
    Apart,
    /// In a child of their own, the last.
    Own,
    /// In this child, with known rows.
    With(usize),
}

/// One way to split a node.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) split: Split,
    pub(crate) missing: Missing,
    /// Is it certain that the learner looks at it? Rounding may leave the order of categories open.
    pub(crate) is_sure: bool,
    /// What the children share out: the known rows, or with branches for missing all rows.
    pub(super) parent: Group,
    /// The children, without rows that are distributed or sent to the heaviest child.
    pub(crate) children: Vec<Group>,
    missing_weight: f64,
    pub(crate) gain: f64,
    /// Entropy of the groups.
    pub(super) information: f64,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(data: &'a Dataset, params: &'a Greedy) -> Self {
        let classification = matches!(data.target(), Target::Classes(_));
        let default = if classification {
            Criterion::Gini
        } else {
            Criterion::Mse
        };
        let criterion = params.criterion.unwrap_or(default);
        let (class, n_classes, number) = match data.target() {
            Target::Classes(classes) => (
                classes.iter().map(|&class| class as usize).collect(),
                data.schema().classes().len(),
                Vec::new(),
            ),
            Target::Numbers(numbers) if criterion == Criterion::BinnedGini => (
                numbers
                    .iter()
                    .map(|&y| bin(y, numbers, params.bins))
                    .collect(),
                params.bins,
                numbers.clone(),
            ),
            Target::Numbers(numbers) => (vec![0; numbers.len()], 1, numbers.clone()),
            Target::Absent => panic!("a table to learn from has a target"),
        };
        let mut problem = Self {
            data,
            params,
            criterion,
            class,
            n_classes,
            number,
            root_impurity: 0.0,
        };
        let root = problem.root();
        problem.root_impurity = root.impurity;
        problem
    }

    pub(crate) fn root(&self) -> NodeRows {
        self.node((0..self.data.n_rows()).map(|row| (row, 1.0)).collect())
    }

    pub(crate) fn node(&self, shares: Shares) -> NodeRows {
        let undivided = shares.iter().all(|&(_, share)| share == 1.0);
        let group = self.group(shares.iter().copied());
        NodeRows {
            impurity: self.impurity(&group),
            group,
            whole: undivided && self.data.has_whole_weights(),
            undivided,
            shares,
        }
    }

    pub(super) fn group(&self, shares: impl Iterator<Item = (usize, f64)>) -> Group {
        let mut group = Group {
            counts: vec![0.0; self.n_classes],
            ..Group::default()
        };
        for (row, share) in shares {
            self.add(&mut group, row, share);
        }
        group
    }

    fn add(&self, group: &mut Group, row: usize, share: f64) {
        let weight = self.data.weight(row) * share;
        group.rows += share;
        group.weight += weight;
        group.counts[self.class[row]] += weight;
        if let Some(&number) = self.number.get(row) {
            group.numbers.push((number, weight));
        }
    }

    /// Are all rows of the node of one class (one bin, one number)?
    pub(crate) fn is_pure(&self, node: &NodeRows) -> bool {
        let first = node.shares[0].0;
        node.shares
            .iter()
            .all(|&(row, _)| match self.data.target() {
                Target::Numbers(numbers) if self.class.iter().all(|&bin| bin == 0) => {
                    numbers[row] == numbers[first]
                }
                _ => self.class[row] == self.class[first],
            })
    }

    /// Every split of the node, in the order in which ties are decided.
    pub(crate) fn candidates(&self, node: &NodeRows) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (feature, column) in self.data.columns().iter().enumerate() {
            let values = values_of(node, column);
            let has_missing = values.contains(&Value::Missing);
            if values.iter().all(|&value| value == Value::Missing) {
                continue;
            }
            let splits = match column {
                Column::Numeric(_) => numeric_splits(feature, &values),
                Column::Categorical(_) => self.categorical_splits(node, feature, &values),
            };
            let policy = self.params.missing;
            let is_tried = policy == MissingPolicy::Learned && has_missing;
            let is_apart = policy == MissingPolicy::Branch && has_missing;
            if is_tried || is_apart {
                let present = self.present(feature, &values);
                all.push(self.candidate(node, present, Missing::Own));
            }
            let candidates = |missing| {
                let judged = splits.iter().map(move |(split, is_sure)| Candidate {
                    is_sure: *is_sure,
                    ..self.candidate(node, split.clone(), missing)
                });
                judged.collect::<Vec<_>>()
            };
            let is_multiway = self.params.categorical_splits == CategoricalSplits::Multiway
                && matches!(column, Column::Categorical(_));
            if is_tried && is_multiway {
                let splits = splits.iter().map(|(split, _)| split);
                all.extend(splits.flat_map(|split| self.in_the_best_child(node, split)));
            } else if is_tried {
                all.extend(
                    [0, 1]
                        .map(|child| candidates(Missing::With(child)))
                        .concat(),
                );
            } else if is_apart {
                all.extend(candidates(Missing::Own));
            } else {
                all.extend(candidates(Missing::Apart));
            }
        }
        all
    }

    /// A many-way split with the missing rows in the child with which it gains most: several if rounding leaves it
    /// open.
    fn in_the_best_child(&self, node: &NodeRows, split: &Split) -> Vec<Candidate> {
        let with = |child| self.candidate(node, split.clone(), Missing::With(child));
        let all: Vec<Candidate> = (0..split.n_present()).map(with).collect();
        let enough = |candidate: &&Candidate| self.is_large_enough(node, candidate) != Verdict::No;
        let most = all.iter().filter(enough).map(|it| it.gain);
        let most = most.fold(f64::NEG_INFINITY, f64::max);
        let mut best: Vec<Candidate> = all
            .iter()
            .filter(enough)
            .filter(|candidate| candidate.gain >= most - 1e-9)
            .cloned()
            .collect();
        if node.whole && self.number.is_empty() {
            best.truncate(1);
        }
        let is_sure = best.len() == 1;
        for it in &mut best {
            it.is_sure = is_sure;
        }
        best
    }

    /// All known values together.
    fn present(&self, feature: usize, values: &[Value]) -> Split {
        match &self.data.columns()[feature] {
            Column::Numeric(_) => cut(feature, Vec::new()),
            Column::Categorical(_) => self.parted(feature, values, &|_| 0),
        }
    }

    /// The codes of a feature that occur.
    pub(super) fn occurring(&self, feature: usize, values: &[Value]) -> Vec<u32> {
        let n_codes = self.data.schema().features[feature].categories().len() as u32;
        let occurs = |code: &u32| values.contains(&Value::Category(*code));
        (0..n_codes).filter(occurs).collect()
    }

    /// The split that sends each code that occurs to a child.
    pub(super) fn parted(
        &self,
        feature: usize,
        values: &[Value],
        child_of: &dyn Fn(u32) -> u32,
    ) -> Split {
        let occurring = self.occurring(feature, values);
        let n_codes = self.data.schema().features[feature].categories().len() as u32;
        let branches = (0..n_codes)
            .map(|code| occurring.contains(&code).then(|| child_of(code)))
            .collect();
        Split::Categories { feature, branches }
    }

    fn categorical_splits(
        &self,
        node: &NodeRows,
        feature: usize,
        values: &[Value],
    ) -> Vec<(Split, bool)> {
        let occurring = self.occurring(feature, values);
        if occurring.len() < 2 {
            return Vec::new();
        }
        let each = || {
            let one = |&one: &u32| {
                let split = self.parted(feature, values, &|code| u32::from(code != one));
                (split, true)
            };
            occurring.iter().map(one).collect::<Vec<_>>()
        };
        match self.params.categorical_splits {
            CategoricalSplits::Multiway => {
                let place = |code| occurring.iter().position(|&other| other == code).unwrap();
                vec![(
                    self.parted(feature, values, &|code| place(code) as u32),
                    true,
                )]
            }
            CategoricalSplits::OneVsRest => each(),
            CategoricalSplits::Grouped => {
                let (mut splits, n_orders) = self.grouped_splits(node, feature, values);
                if n_orders > 1 {
                    splits.extend(each());
                }
                splits
            }
        }
    }

    pub(crate) fn candidate(&self, node: &NodeRows, split: Split, missing: Missing) -> Candidate {
        let n_children = split.n_present() + usize::from(missing == Missing::Own);
        let mut children = vec![self.group(std::iter::empty()); n_children];
        let column = &self.data.columns()[split.feature()];
        let mut missing_weight = 0.0;
        let mut parent = self.group(std::iter::empty());
        for &(row, share) in &node.shares {
            if let Some(child) = place(&split, column.value(row)) {
                self.add(&mut children[child], row, share);
            } else {
                missing_weight += self.data.weight(row) * share;
                let child = match missing {
                    Missing::Apart => continue,
                    Missing::Own => n_children - 1,
                    Missing::With(child) => child,
                };
                self.add(&mut children[child], row, share);
            }
            self.add(&mut parent, row, share);
        }
        let inside: f64 = children
            .iter()
            .map(|child| child.weight / parent.weight * self.impurity(child))
            .sum();
        let gain = parent.weight / node.group.weight * (self.impurity(&parent) - inside);
        let mut candidate = Candidate {
            split,
            missing,
            is_sure: true,
            parent,
            children,
            missing_weight,
            gain,
            information: 0.0,
        };
        candidate.information = candidate
            .group_weights()
            .map(|weight| weight / node.group.weight)
            .filter(|&p| p > 0.0)
            .map(|p| -p * p.log2())
            .sum();
        candidate
    }
}

impl Candidate {
    /// Weights of the groups that the split makes of the node's rows.
    pub(super) fn group_weights(&self) -> impl Iterator<Item = f64> {
        let missing = (self.missing == Missing::Apart).then_some(self.missing_weight);
        self.children
            .iter()
            .map(|child| child.weight)
            .chain(missing)
    }

    /// Positions of the children of largest known weight: several if rounding or a tie leaves it open.
    pub(crate) fn heaviest(&self, whole: bool) -> Vec<usize> {
        let known = self.children.len() - usize::from(self.missing == Missing::Own);
        let known = &self.children[..known];
        let most = known.iter().map(|child| child.weight).fold(0.0, f64::max);
        let slack = if whole { 0.0 } else { 1e-9 * most };
        let heaviest = (0..known.len()).filter(|&child| known[child].weight >= most - slack);
        if whole {
            heaviest.take(1).collect()
        } else {
            heaviest.collect()
        }
    }
}

impl Group {
    pub(crate) fn mean(&self) -> f64 {
        self.mean_of(|y| y)
    }

    pub(super) fn mean_of(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.numbers
            .iter()
            .map(|&(y, weight)| weight * f(y))
            .sum::<f64>()
            / self.weight
    }

    /// Weighted sum of squared distances from the mean.
    pub(crate) fn sse(&self) -> f64 {
        let mean = self.mean();
        self.mean_of(|y| (y - mean).powi(2)) * self.weight
    }

    /// What may be called the median if sums of weights are off by `slack`; without slack just one.
    pub(crate) fn medians(&self, slack: f64) -> Vec<f64> {
        let mut sorted = self.numbers.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let below = |y: f64| -> f64 {
            sorted
                .iter()
                .filter(|other| other.0 <= y)
                .map(|other| other.1)
                .sum()
        };
        let half = self.weight / 2.0;
        let at = sorted.partition_point(|&(y, _)| below(y) < half - slack);
        let lower = sorted[at.min(sorted.len() - 1)].0;
        let upper = sorted.iter().map(|other| other.0).find(|&y| y > lower);
        match upper {
            Some(upper) if (below(lower) - half).abs() <= slack => {
                let middle = f64::midpoint(lower, upper);
                if slack == 0.0 {
                    vec![middle]
                } else {
                    vec![lower, middle, upper]
                }
            }
            _ => vec![lower],
        }
    }
}

/// The child that a value goes to; `None` for missing values.
pub(crate) fn place(split: &Split, value: Value) -> Option<usize> {
    match (split, value) {
        (Split::Intervals { cuts, .. }, Value::Number(x)) => {
            Some(cuts.iter().filter(|&&cut| x > cut).count())
        }
        (Split::Categories { branches, .. }, Value::Category(code)) => {
            branches[code as usize].map(|child| child as usize)
        }
        _ => None,
    }
}

/// The values of the rows of a node.
pub(super) fn values_of(node: &NodeRows, column: &Column) -> Vec<Value> {
    let rows = node.shares.iter();
    rows.map(|&(row, _)| column.value(row)).collect()
}

fn cut(feature: usize, cuts: Vec<f64>) -> Split {
    Split::Intervals {
        feature,
        cuts,
        closed: Closed::Right,
    }
}

fn numeric_splits(feature: usize, values: &[Value]) -> Vec<(Split, bool)> {
    let mut distinct: Vec<f64> = values
        .iter()
        .filter_map(|value| match value {
            Value::Number(x) => Some(*x),
            _ => None,
        })
        .collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    distinct
        .windows(2)
        .map(|pair| (cut(feature, vec![midpoint(pair[0], pair[1])]), true))
        .collect()
}

// The specification fixes the formula, not only the number.
#[allow(clippy::manual_midpoint)]
fn midpoint(a: f64, b: f64) -> f64 {
    let middle = a / 2.0 + b / 2.0;
    if a <= middle && middle < b { middle } else { a }
}

/// The bin of a number; a number between two bins belongs to the upper one, the largest to the last.
fn bin(y: f64, numbers: &[f64], bins: usize) -> usize {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least == largest {
        return 0;
    }
    (((y - least) / (largest - least) * bins as f64) as usize).min(bins - 1)
}

/// Is the bin of every number the same, however the formula is rounded?
pub(crate) fn bins_are_clear(numbers: &[f64], bins: usize) -> bool {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let inner = numbers.iter().filter(|&&y| y > least && y < largest);
    inner.copied().all(|y| {
        let position = (y - least) * bins as f64 / (largest - least);
        (position - position.round()).abs() > 1e-9
    })
}

#[test]
fn midpoints_stay_between_their_neighbours() {
    let one = 1.0_f64;
    assert_eq!(midpoint(1.0, 2.0), 1.5);
    assert_eq!(midpoint(-7e300, 7e300), 0.0);
    assert_eq!(
        midpoint(one.next_up(), one.next_up().next_up()),
        one.next_up()
    );
    assert_eq!(midpoint(0.0, 5e-324), 0.0);
}

#[test]
fn medians_by_weight() {
    let group = |numbers: &[(f64, f64)]| Group {
        numbers: numbers.to_vec(),
        weight: numbers.iter().map(|x| x.1).sum(),
        ..Group::default()
    };
    assert_eq!(
        group(&[(3.0, 1.0), (1.0, 1.0), (2.0, 1.0)]).medians(0.0),
        [2.0]
    );
    assert_eq!(
        group(&[(3.0, 2.0), (1.0, 1.0), (2.0, 1.0)]).medians(0.0),
        [2.5]
    );
    assert_eq!(
        group(&[(3.0, 3.0), (1.0, 1.0), (2.0, 1.0)]).medians(0.0),
        [3.0]
    );
    assert_eq!(
        group(&[(1.0, 1.0), (1.0, 1.0), (5.0, 2.0)]).medians(0.0),
        [3.0]
    );
}

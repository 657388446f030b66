//! Which trees a tree was compared with, by the parameters of its file.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use serde_json::{Map, Value as Json};

use super::search::different;
use crate::figures::{Figures, visit};
use crate::numbers::{Ratio, binary, nearest, of_json};
use crate::read::data::{Column, Data};
use crate::read::model::{Closed, Missing, Model, Node, Split};

/// Parameters that say which features and which leaves a tree may have.
pub(crate) const TREE_RULES: [&str; 4] =
    ["interactions", "root_only", "not_above", "min_class_share"];

/// How categories are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Categorical {
    /// A branch for each.
    Multiway,
    /// One against the others.
    OneVsRest,
    /// One category against the rest, and at the last level groups of categories.
    Grouped,
}

/// Which trees a tree was compared with.
pub(crate) struct Class {
    pub(crate) depth: usize,
    pub(crate) intervals: usize,
    pub(crate) categorical: Categorical,
    pub(crate) min_leaf: usize,
    /// The share of the weight of all rows that a leaf has at least.
    pub(crate) min_leaf_weight: Ratio,
    /// The least share of the class that a leaf answers.
    pub(crate) share: Option<Ratio>,
    /// For each feature: which features are never asked below it.
    pub(crate) never_below: Vec<Vec<usize>>,
    /// A tree has at most this many leaves.
    pub(crate) most_leaves: Option<usize>,
    pub(crate) leaf_cost: Ratio,
}

impl Class {
    pub(crate) fn new(model: &Model) -> Result<Self, String> {
        let params = &model.learner.params;
        let whole = |name: &str| {
            let number = params.get(name).and_then(Json::as_u64);
            number
                .map(|number| number as usize)
                .ok_or_else(|| format!("params.{name} is no whole number"))
        };
        let ratio = |name: &str| match params.get(name) {
            None => Ok(Ratio::zero()),
            Some(value) => of_json(value)
                .filter(|ratio| *ratio >= Ratio::zero())
                .ok_or_else(|| format!("params.{name} is no number of at least 0")),
        };
        let most_leaves = match params.get("leaves") {
            None | Some(Json::Null) => None,
            Some(_) => Some(whole("leaves")?).filter(|&leaves| leaves > 0),
        };
        if most_leaves.is_none() && params.get("leaves").is_some_and(|leaves| !leaves.is_null()) {
            return Err("params.leaves is 0".into());
        }
        Ok(Self {
            depth: whole("depth")?,
            intervals: whole("intervals")?.max(1),
            categorical: match params.get("categorical_splits").map(Json::as_str) {
                None | Some(Some("multiway")) => Categorical::Multiway,
                Some(Some("one-vs-rest")) => Categorical::OneVsRest,
                Some(Some("grouped")) => Categorical::Grouped,
                Some(_) => return Err("params.categorical_splits is not known".into()),
            },
            min_leaf: whole("min_leaf")?,
            min_leaf_weight: ratio("min_leaf_weight")?,
            share: share(model)?,
            never_below: never_below(model)?,
            most_leaves,
            leaf_cost: ratio("leaf_cost")?,
        })
    }

    /// Are these the trees that proof files are about?
    pub(crate) fn is_plain(&self) -> bool {
        self.categorical == Categorical::Multiway
            && self.share.is_none()
            && self.never_below.iter().all(Vec::is_empty)
    }

    /// Deeper trees ask something that parts nothing. With one interval the last level has no cuts: hence one more.
    pub(crate) fn effective_depth(&self, data: &Data) -> usize {
        let questions = |column: &Column| match column {
            Column::Codes(_) if self.categorical == Categorical::Multiway => 1,
            Column::Codes(codes) => codes.iter().flatten().collect::<BTreeSet<_>>().len(),
            Column::Numbers(numbers) => different(numbers).len(),
        };
        let longest: usize = data.columns.iter().map(questions).sum();
        let one_more = usize::from(self.intervals == 1);
        self.depth.min(longest.min(data.n_rows() - 1) + one_more)
    }

    /// More leaves than this no tree of the class has that is of use.
    pub(crate) fn most_possible(&self, data: &Data) -> usize {
        let branches = |column: &Column, is_last: bool| {
            let (present, has_missing) = match column {
                Column::Numbers(numbers) if is_last => {
                    let some = different(numbers).len().min(self.intervals);
                    (some, numbers.iter().any(|number| number.is_nan()))
                }
                Column::Numbers(numbers) => (2, numbers.iter().any(|number| number.is_nan())),
                Column::Codes(codes) => {
                    let some: BTreeSet<_> = codes.iter().flatten().collect();
                    let most = match self.categorical {
                        Categorical::Multiway => some.len(),
                        Categorical::Grouped if is_last => some.len().min(self.intervals.max(2)),
                        _ => 2,
                    };
                    (most, codes.contains(&None))
                }
            };
            (present + usize::from(has_missing)).max(1)
        };
        let most = |is_last: bool| {
            let all = data.columns.iter().map(|column| branches(column, is_last));
            all.max().unwrap_or(1)
        };
        let mut leaves = 1_usize;
        for level in 0..self.depth {
            let is_last = level + 1 == self.depth;
            leaves = leaves.saturating_mul(most(false).max(if is_last { most(true) } else { 1 }));
            if leaves >= data.n_rows() {
                return data.n_rows();
            }
        }
        leaves
    }

    /// Is the tree one of these?
    pub(crate) fn has(&self, figures: &Figures<'_>, data: &Data) -> Result<(), String> {
        if self
            .most_leaves
            .is_some_and(|most| figures.n_leaves() > most)
        {
            return Err(format!("{} leaves are too many", figures.n_leaves()));
        }
        keeps_paths(&self.never_below, figures)?;
        if let Some(share) = &self.share {
            keeps_share(share, figures)?;
        }
        let depths = figures.depths();
        let codes = codes_of_children(figures, data);
        for (at, node) in figures.nodes.iter().enumerate() {
            let fault = |fault: String| format!("node {at}: {fault}");
            let branches = codes.get(&at).map_or(&[][..], |branches| branches);
            self.has_node(figures, data, at, (node, branches), depths[at])
                .map_err(fault)?;
        }
        Ok(())
    }

    fn has_node(
        &self,
        figures: &Figures<'_>,
        data: &Data,
        at: usize,
        (node, branches): (&Node, &[BTreeSet<usize>]),
        depth: usize,
    ) -> Result<(), String> {
        let Some(split) = &node.split else {
            let weight: Ratio = data.weighted(&figures.sums[at]).iter().sum();
            // The weight of a leaf was compared after rounding.
            let least = &self.min_leaf_weight * data.total() * (Ratio::one() - binary(1e-9));
            if at > 0 && (figures.rows[at] < self.min_leaf || weight < least) {
                return Err(format!(
                    "a leaf with {} rows of weight {}",
                    figures.rows[at],
                    nearest(&weight)
                ));
            }
            return Ok(());
        };
        if depth >= self.depth {
            return Err(format!("a split below depth {}", self.depth));
        }
        let above_leaves = node.children.iter().all(|&child| figures.is_leaf(child));
        let is_last = depth + 1 == self.depth;
        let outcomes = match split {
            Split::Intervals { cuts, closed, .. } => {
                let most = match above_leaves {
                    true if is_last => self.intervals,
                    true => self.intervals.max(2),
                    false => 2,
                };
                if cuts.len() >= most || *closed != Closed::Left {
                    return Err(format!(
                        "{} intervals, expected at most {most}, closed on the left",
                        cuts.len() + 1
                    ));
                }
                cuts.len() + 1
            }
            Split::Categories {
                branches: of_codes, ..
            } => {
                let used: Vec<_> = of_codes.iter().flatten().collect();
                let outcomes = used.iter().map(|&&child| child + 1).max().unwrap_or(0);
                if self.categorical == Categorical::Multiway && used.len() != outcomes {
                    return Err("several categories in one branch".into());
                }
                self.has_branches(branches, outcomes, above_leaves)?;
                outcomes
            }
        };
        let own = node.children.len() > outcomes;
        let missing = figures.has_missing[at];
        if figures.has_unseen[at] {
            return Err("a category of its rows has no branch".into());
        }
        if own != missing
            || node
                .missing
                .is_none_or(|missing| !matches!(missing, Missing::Child(_)))
        {
            return Err("missing values have a branch exactly where there are some".into());
        }
        match node
            .children
            .iter()
            .find(|&&child| figures.rows[child] == 0)
        {
            Some(child) => Err(format!("child {child} has no rows")),
            None => Ok(()),
        }
    }

    /// Are these the branches of a split on categories? Of each there are the categories that rows have.
    fn has_branches(
        &self,
        branches: &[BTreeSet<usize>],
        outcomes: usize,
        above_leaves: bool,
    ) -> Result<(), String> {
        let has_single = branches.iter().any(|codes| codes.len() == 1);
        let most = match self.categorical {
            Categorical::Multiway => return Ok(()),
            Categorical::Grouped if above_leaves => self.intervals.max(2),
            _ if outcomes > 1 && !has_single => {
                return Err("no branch has a single category".into());
            }
            _ => 2,
        };
        if outcomes > most {
            return Err(format!("{outcomes} groups, expected at most {most}"));
        }
        Ok(())
    }
}

/// Does a tree of any learner keep the rules of its file about features and leaves? `None` if there are none.
pub(crate) fn keeps_rules(model: &Model, figures: &Figures<'_>) -> Option<Result<(), String>> {
    let params = &model.learner.params;
    TREE_RULES.iter().find(|name| params.contains_key(**name))?;
    let keeps = || {
        keeps_paths(&never_below(model)?, figures)?;
        share(model)?.map_or(Ok(()), |share| keeps_share(&share, figures))
    };
    Some(keeps())
}

/// Is no feature asked below one that does not allow it?
fn keeps_paths(never_below: &[Vec<usize>], figures: &Figures<'_>) -> Result<(), String> {
    let mut never: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); figures.nodes.len()];
    for (at, node) in figures.nodes.iter().enumerate() {
        let Some(split) = &node.split else { continue };
        let feature = split.feature();
        if never[at].contains(&feature) {
            return Err(format!("node {at}: feature {feature} is not allowed here"));
        }
        let below: BTreeSet<usize> = never[at]
            .iter()
            .chain(&never_below[feature])
            .copied()
            .collect();
        for &child in &node.children {
            never[child].clone_from(&below);
        }
    }
    Ok(())
}

/// Has the answer of each leaf its least share? A single leaf may have less.
fn keeps_share(share: &Ratio, figures: &Figures<'_>) -> Result<(), String> {
    let mut leaves = (1..figures.nodes.len()).filter(|&at| figures.is_leaf(at));
    match leaves.find(|&at| !has_share(share, &figures.nodes[at])) {
        Some(at) => Err(format!(
            "node {at}: less than the share {share} of its class"
        )),
        None => Ok(()),
    }
}

/// Has the answer of a node this share of its weight, up to rounding? Counts were checked.
pub(crate) fn has_share(share: &Ratio, node: &Node) -> bool {
    let weights: Vec<Ratio> = node.counts.iter().map(|&count| binary(count)).collect();
    let all: Ratio = weights.iter().sum();
    let own = weights.get(node.value as usize);
    let is_whole = weights.iter().all(Ratio::is_integer);
    let slack = if is_whole { 0.0 } else { 1e-9 };
    own.is_some_and(|own| *own >= share * &all * (Ratio::one() - binary(slack)))
}

/// For each node that splits categories and each of its branches: the categories that rows have there.
fn codes_of_children(figures: &Figures<'_>, data: &Data) -> BTreeMap<usize, Vec<BTreeSet<usize>>> {
    let mut found: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
    for row in 0..data.n_rows() {
        visit(figures.nodes, data, row, |at, _| {
            let Some(split @ Split::Categories { feature, .. }) = &figures.nodes[at].split else {
                return;
            };
            let Column::Codes(codes) = &data.columns[*feature] else {
                return;
            };
            if let (Some(child), Some(code)) = (data.branch(split, row), codes[row]) {
                let branches = found.entry(at).or_default();
                branches.resize(branches.len().max(child + 1), BTreeSet::new());
                branches[child].insert(code);
            }
        });
    }
    found
}

/// The least share of the class that a leaf answers, if there is one.
pub(crate) fn share(model: &Model) -> Result<Option<Ratio>, String> {
    let Some(given) = model.learner.params.get("min_class_share") else {
        return Ok(None);
    };
    let is_share = |share: &Ratio| *share > Ratio::zero() && *share <= Ratio::one();
    let share = of_json(given).filter(is_share);
    let fault = "params.min_class_share is no number above 0 and at most 1";
    share.map(Some).ok_or_else(|| fault.into())
}

/// All rules about paths say which features are never asked below a feature.
fn never_below(model: &Model) -> Result<Vec<Vec<usize>>, String> {
    let params = &model.learner.params;
    let mut never = vec![Vec::new(); model.features.len()];
    for group in groups_of_features(model, params, "interactions")? {
        for &above in &group {
            never[above].extend(group.iter().filter(|&&below| below != above));
        }
    }
    for pair in groups_of_features(model, params, "not_above")? {
        let [above, below] = pair[..] else {
            return Err("params.not_above has no pairs".into());
        };
        never[above].push(below);
    }
    if let Some(names) = params.get("root_only") {
        let only = features(model, names).ok_or("params.root_only is no list of features")?;
        for never in &mut never {
            never.extend(&only);
        }
    }
    Ok(never)
}

fn groups_of_features(
    model: &Model,
    params: &Map<String, Json>,
    name: &str,
) -> Result<Vec<Vec<usize>>, String> {
    let Some(given) = params.get(name) else {
        return Ok(Vec::new());
    };
    let groups = given.as_array().map(|groups| groups.iter());
    let groups = groups.and_then(|groups| groups.map(|names| features(model, names)).collect());
    groups.ok_or_else(|| format!("params.{name} is no list of lists of features"))
}

fn features(model: &Model, names: &Json) -> Option<Vec<usize>> {
    let place = |name: &Json| {
        let mut all = model.features.iter();
        all.position(|feature| name.as_str() == Some(&feature.name))
    };
    names.as_array()?.iter().map(place).collect()
}

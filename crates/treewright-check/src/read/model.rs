//! The model and family files, read strictly: a field that is not known is refused.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::read::dates::Date;

/// A model file, or a family file, which has `members` in place of a certificate of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) task: String,
    pub(crate) features: Vec<Feature>,
    pub(crate) target: Target,
    pub(crate) reading: Reading,
    pub(crate) learner: Learner,
    pub(crate) training: Training,
    #[serde(default)]
    pub(crate) certificate: Option<Certificate>,
    #[serde(default)]
    pub(crate) nodes: Option<Vec<Node>>,
    // Of families only.
    pub(crate) penalty: Option<String>,
    pub(crate) penalty_values: Option<Vec<f64>>,
    pub(crate) members: Option<Vec<Member>>,
    search: Option<Value>,
    pub(crate) costs_from: Option<CostsFrom>,
    chosen: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Feature {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) categories: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Numeric,
    Categorical,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) classes: Vec<String>,
    pub(crate) costs: Option<Vec<Vec<f64>>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reading {
    pub(crate) na: Vec<String>,
    pub(crate) weight: Option<String>,
    /// Numeric features whose cells are dates.
    #[serde(default)]
    pub(crate) dates: Vec<Date>,
    /// Are rows without a target left out?
    #[serde(default)]
    pub(crate) skip_missing_target: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Learner {
    pub(crate) name: String,
    pub(crate) params: Map<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Training {
    pub(crate) rows: usize,
    pub(crate) weight: f64,
    pub(crate) errors: Option<f64>,
    pub(crate) cost: f64,
    pub(crate) leaves: usize,
    pub(crate) depth: usize,
    #[serde(rename = "seconds")]
    _seconds: f64,
}

/// The certificate of a tree, or that of a family: `exact`, `tolerance`, `exact_down_to`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Certificate {
    pub(crate) objective: Option<f64>,
    pub(crate) lower_bound: Option<f64>,
    pub(crate) gap: Option<f64>,
    pub(crate) optimal: Option<bool>,
    pub(crate) exact: bool,
    pub(crate) tolerance: Option<f64>,
    pub(crate) fewest_leaves: Option<bool>,
    #[serde(rename = "what")]
    _what: Option<String>,
    /// `None` is infinity.
    pub(crate) exact_down_to: Option<f64>,
}

impl Certificate {
    /// Is it claimed that no tree as good has fewer leaves? Files of older versions do not say; they do for exact costs.
    pub(crate) fn claims_fewest(&self) -> bool {
        self.fewest_leaves.unwrap_or(self.exact)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostsFrom {
    #[serde(rename = "rows")]
    _rows: usize,
    #[serde(rename = "weight")]
    _weight: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    pub(crate) leaves: usize,
    pub(crate) cost: f64,
    pub(crate) errors: Option<f64>,
    /// `None` is infinity.
    pub(crate) lambda_low: Option<f64>,
    pub(crate) lambda_high: Option<f64>,
    pub(crate) lower_bound: Option<f64>,
    #[serde(rename = "cv_error")]
    _cv_error: Option<f64>,
    #[serde(rename = "cv_se")]
    _cv_se: Option<f64>,
    pub(crate) nodes: Option<Vec<Node>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    #[serde(default)]
    pub(crate) counts: Vec<f64>,
    #[serde(rename = "mean")]
    _mean: Option<f64>,
    #[serde(rename = "weight")]
    _weight: Option<f64>,
    #[serde(rename = "sse")]
    _sse: Option<f64>,
    #[serde(rename = "bins")]
    _bins: Option<Vec<f64>>,
    pub(crate) value: f64,
    pub(crate) split: Option<Split>,
    #[serde(default)]
    pub(crate) children: Vec<usize>,
    pub(crate) missing: Option<Missing>,
    pub(crate) collapse_at: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Split {
    Intervals {
        feature: usize,
        cuts: Vec<f64>,
        closed: Closed,
    },
    Categories {
        feature: usize,
        branches: Vec<Option<usize>>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Closed {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Missing {
    Child(usize),
    Shared(Distribute),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Distribute {
    Distribute,
}

impl Node {
    pub(crate) fn leaf(counts: Vec<f64>, value: f64) -> Self {
        Self {
            counts,
            _mean: None,
            _weight: None,
            _sse: None,
            _bins: None,
            value,
            split: None,
            children: Vec::new(),
            missing: None,
            collapse_at: None,
        }
    }
}

impl Split {
    pub(crate) fn feature(&self) -> usize {
        match *self {
            Self::Intervals { feature, .. } | Self::Categories { feature, .. } => feature,
        }
    }
}

impl Model {
    /// Reads a file and checks all that does not need the rows.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let model: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        model.check()?;
        Ok(model)
    }

    pub(crate) fn is_family(&self) -> bool {
        self.members.is_some()
    }

    fn check(&self) -> Result<(), String> {
        let format = match self.members {
            None => "treewright.tree",
            Some(_) => "treewright.family",
        };
        if self.format != format || self.version != 1 {
            return Err(format!("not a file of the format {format:?}, version 1"));
        }
        let certificate = self.certificate.as_ref();
        let has_other_fields = match self.members {
            None => {
                self.penalty.is_some()
                    || self.penalty_values.is_some()
                    || self.costs_from.is_some()
                    || self.search.is_some()
                    || self.chosen.is_some()
                    || certificate.is_some_and(|claimed| claimed.exact_down_to.is_some())
            }
            Some(_) => certificate.is_some_and(|claimed| {
                claimed.objective.is_some()
                    || claimed.lower_bound.is_some()
                    || claimed.gap.is_some()
                    || claimed.optimal.is_some()
                    || claimed.fewest_leaves.is_some()
            }),
        };
        if has_other_fields {
            return Err("fields of a family in a tree, or of a tree in a family".into());
        }
        let n_classes = self.target.classes.len();
        match &*self.task {
            "classification" if n_classes > 0 => {}
            "regression" if n_classes == 0 => {}
            task => return Err(format!("task {task:?} with {n_classes} classes")),
        }
        for feature in &self.features {
            if (feature.kind == Kind::Categorical) != feature.categories.is_some() {
                return Err(format!(
                    "feature {:?}: kind and categories differ",
                    feature.name
                ));
            }
        }
        if let Some(costs) = &self.target.costs {
            let is_square =
                costs.len() == n_classes && costs.iter().all(|row| row.len() == n_classes);
            if !is_square || costs.iter().flatten().any(|&cost| cost < 0.0) {
                return Err("costs are not a number of at least 0 for each pair of classes".into());
            }
        }
        let mut trees = 0;
        for nodes in self.nodes.iter().chain(
            self.members
                .iter()
                .flatten()
                .filter_map(|member| member.nodes.as_ref()),
        ) {
            self.check_tree(nodes)?;
            trees += 1;
        }
        let expected = match &self.members {
            Some(members) if self.nodes.is_none() => members.len(),
            _ => 1,
        };
        if trees != expected || expected == 0 {
            return Err(format!("{trees} trees, expected {expected}"));
        }
        Ok(())
    }

    /// Nodes must form one tree: each but the first is the child of one node before it.
    fn check_tree(&self, nodes: &[Node]) -> Result<(), String> {
        let mut parents = vec![0; nodes.len()];
        if nodes.is_empty() {
            return Err("a tree without nodes".into());
        }
        for (at, node) in nodes.iter().enumerate() {
            self.check_node(node, nodes.len())
                .map_err(|fault| format!("node {at}: {fault}"))?;
            for &child in &node.children {
                if child <= at || child >= nodes.len() {
                    return Err(format!("node {at}: child {child} does not come after it"));
                }
                parents[child] += 1;
            }
        }
        match (1..nodes.len()).find(|&at| parents[at] != 1) {
            Some(at) => Err(format!("node {at} has {} parents", parents[at])),
            None => Ok(()),
        }
    }

    fn check_node(&self, node: &Node, _n_nodes: usize) -> Result<(), String> {
        let n_classes = self.target.classes.len();
        if node.counts.len() != n_classes || node.counts.iter().any(|&count| count < 0.0) {
            return Err(format!("counts are not {n_classes} numbers of at least 0"));
        }
        if n_classes > 0
            && (node.value.fract() != 0.0 || !(0.0..n_classes as f64).contains(&node.value))
        {
            return Err(format!("value {} is no class", node.value));
        }
        let Some(split) = &node.split else {
            let is_bare = node.children.is_empty() && node.missing.is_none();
            return if is_bare {
                Ok(())
            } else {
                Err("children without a split".into())
            };
        };
        let feature = self
            .features
            .get(split.feature())
            .ok_or("no such feature")?;
        let outcomes = match split {
            Split::Intervals { cuts, .. } => {
                if feature.kind != Kind::Numeric || cuts.windows(2).any(|pair| pair[0] >= pair[1]) {
                    return Err("cuts of a feature that is not numeric, or that do not rise".into());
                }
                cuts.len() + 1
            }
            Split::Categories { branches, .. } => {
                if feature.categories.as_ref().map(Vec::len) != Some(branches.len()) {
                    return Err("not a branch for each category".into());
                }
                let most = branches.iter().flatten().max();
                let outcomes = most.map_or(0, |most| most.saturating_add(1));
                if (0..outcomes).any(|child| !branches.contains(&Some(child))) {
                    return Err("a child that no category takes".into());
                }
                outcomes
            }
        };
        let n_children = node.children.len();
        let fits = match node.missing {
            Some(Missing::Child(child)) if n_children == outcomes + 1 => child == outcomes,
            Some(Missing::Child(child)) => n_children == outcomes && child < outcomes,
            Some(Missing::Shared(_)) => n_children == outcomes,
            None => false,
        };
        if fits && n_children > 0 {
            Ok(())
        } else {
            Err(format!(
                "{n_children} children for {outcomes} outcomes, and for missing values"
            ))
        }
    }
}

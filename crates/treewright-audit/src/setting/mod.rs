//! What is learned from a table: a learner with its parameters, and what ends its work.

pub(crate) mod command;
pub(crate) mod drawn;

use serde::{Deserialize, Serialize};

/// A learner with its parameters, and how it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// What is learned.
    pub job: Job,
    /// What ends the work before it is done.
    #[serde(default, skip_serializing_if = "Stop::is_never")]
    pub stop: Stop,
    /// On this many threads.
    pub threads: usize,
}

/// What ends the work before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Nothing.
    #[default]
    Never,
    /// The budget is spent after this many looks at it.
    Looks(u64),
    /// This many microseconds have passed.
    Micros(u64),
    /// More bytes than this would be needed.
    Bytes(u64),
}

impl Stop {
    fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// What is learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// The best tree of a depth.
    Optimal(OptimalJob),
    /// The best trees of a depth for every number of leaves.
    OptimalPath(SizesJob),
    /// One of these: for a number of leaves, or for a weight of a penalty.
    OptimalSize(SizesJob),
    /// The best dyadic tree for one aim.
    Dyadic(DyadicJob),
    /// The best dyadic trees for all weights.
    DyadicPath(DyadicJob),
    /// A greedy tree as it grows; nothing is proven of it.
    Greedy(GreedyJob),
    /// The best pruning of a greedy tree.
    Prune(PruneJob),
    /// All best prunings of a greedy tree.
    PrunePath(PruneJob),
    /// The best subset of the features.
    Select(GreedyJob),
    /// All distinct trees over subsets of the features.
    Distinct(GreedyJob),
}

/// Parameters of an optimal tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimalJob {
    /// The largest depth.
    pub depth: usize,
    /// The most intervals at the last level; `None` is `auto`.
    pub intervals: Option<usize>,
    /// The least rows of a leaf.
    pub min_leaf: usize,
    /// The least share of the weight in a leaf.
    #[serde(default)]
    pub min_leaf_weight: f64,
    /// `grouped`, `one-vs-rest` or `multiway`.
    #[serde(default = "multiway")]
    pub categorical_splits: String,
    /// Which features may be asked below which.
    #[serde(default, skip_serializing_if = "Rules::is_empty")]
    pub rules: Rules,
    /// The least share of the class of a leaf; nothing for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub min_class_share: String,
    /// What a leaf costs.
    pub leaf_cost: String,
    /// Tiny sizes of the parts in which work is done.
    #[serde(default)]
    pub tiny: bool,
}

/// Rules about the features on a path, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// A path has at most one feature of each of these groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Vec<String>>,
    /// Asked at the root only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub root_only: Vec<String>,
    /// Pairs, the first never above the second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_above: Vec<Vec<String>>,
}

impl Rules {
    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.interactions.is_empty() && self.root_only.is_empty() && self.not_above.is_empty()
    }

    /// Is a feature named?
    pub(crate) fn name(&self, feature: &str) -> bool {
        let groups = self.interactions.iter().chain(&self.not_above).flatten();
        groups.chain(&self.root_only).any(|name| name == feature)
    }
}

/// Kept cases of times when there were no other splits do not name them.
fn multiway() -> String {
    "multiway".into()
}

/// Parameters of the best trees of every number of leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizesJob {
    /// The trees. What a leaf costs does not matter.
    pub trees: OptimalJob,
    /// `linear`, `sqrt`, `log`, `power:T` or `table`.
    pub penalty: String,
    /// The values of a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<String>,
    /// `lambda` or `leaves`, and its value; not for families.
    pub aim: (String, String),
    /// The tree is searched for alone, and not taken out of the family.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

/// Parameters of a dyadic tree or path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DyadicJob {
    /// `auto`, a number, or numbers with commas.
    pub k: String,
    /// `quantile` or `LO:HI`; nothing for `range`.
    #[serde(default, rename = "box", skip_serializing_if = "String::is_empty")]
    pub grid_box: String,
    /// `collapsed` or `boxed`.
    pub model: String,
    /// `share`, `order` or `one-vs-rest`.
    pub coding: String,
    /// A share of the range.
    #[serde(default)]
    pub snap: f64,
    /// `linear`, `sqrt`, `log`, `power:T` or `table`.
    pub penalty: String,
    /// The values of a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<String>,
    /// `smaller` or `larger`.
    pub ties: String,
    /// `lambda`, `kappa` or `leaves`, and its value; not for paths.
    pub aim: (String, String),
    /// `auto`, `bnb`, `mrp` or `mr`; for paths `hull`, `grid`, `adaptive` or `heuristic`.
    pub search: String,
    /// Members that are only tied are there, too; for paths.
    #[serde(default)]
    pub collinear: bool,
}

/// Parameters of a greedy tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GreedyJob {
    /// The criterion.
    pub criterion: String,
    /// The largest depth.
    pub max_depth: Option<usize>,
    /// The least rows of a leaf.
    pub min_leaf: usize,
    /// `distribute`, `branch` or `majority`.
    pub missing: String,
    /// `multiway` or `one-vs-rest`.
    pub categorical_splits: String,
    /// Also splits that gain nothing.
    pub zero_gain: bool,
    /// The least share of the class of a leaf; nothing for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub min_class_share: String,
}

/// Parameters of a pruning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PruneJob {
    /// How the tree grows.
    pub greedy: GreedyJob,
    /// `linear`, `sqrt`, `log`, `power:T` or `table`.
    pub penalty: String,
    /// The values of a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<String>,
    /// `error` or `impurity`.
    pub cost: String,
    /// `lambda`, `leaves` or `max-cost`, and its value; not for families.
    pub aim: (String, String),
    /// `auto`, `additive`, `family` or `table`.
    pub method: String,
}

impl Job {
    /// The names of all jobs, with the share of tables that they get.
    pub const ALL: [(&'static str, u32); 10] = [
        ("optimal", 25),
        ("optimal-path", 10),
        ("optimal-size", 5),
        ("dyadic", 20),
        ("dyadic-path", 14),
        ("greedy", 4),
        ("prune", 9),
        ("prune-path", 9),
        ("select", 2),
        ("distinct", 2),
    ];

    /// The name on the command line of the audit.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Optimal(_) => "optimal",
            Self::OptimalPath(_) => "optimal-path",
            Self::OptimalSize(_) => "optimal-size",
            Self::Dyadic(_) => "dyadic",
            Self::DyadicPath(_) => "dyadic-path",
            Self::Greedy(_) => "greedy",
            Self::Prune(_) => "prune",
            Self::PrunePath(_) => "prune-path",
            Self::Select(_) => "select",
            Self::Distinct(_) => "distinct",
        }
    }
}

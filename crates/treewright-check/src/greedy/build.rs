//! A plain greedy builder, after docs/algorithms/greedy.md: what every feature offers at a node, and the tree of a set of
//! features. What is closer than roundings that are not fixed is not decided.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use serde_json::{Map, Value as Json};

use super::offers::offer;
use super::score::{Criterion, MOST, Score};
use crate::bounded::class::{Categorical, TREE_RULES};
use crate::bounded::search::different;
use crate::read::data::{Column, Data};
use crate::read::model::{Missing, Model, Node, Split};
use crate::report::{TooLarge, spend};

/// What may be remembered, in numbers of rows, about.
const MEMORY: usize = 200_000_000;

/// Where rows without a value go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    Distribute,
    Branch,
    Majority,
    Learned,
}

/// The rules of the learner.
pub(super) struct Rules {
    pub(super) criterion: Criterion,
    max_depth: usize,
    min_split: usize,
    pub(super) min_leaf: usize,
    pub(super) min_gain: f64,
    pub(super) missing: Policy,
    pub(super) categorical: Categorical,
    pub(super) zero_gain: bool,
}

impl Rules {
    fn new(params: &Map<String, Json>) -> Result<Self, String> {
        let get = |name: &str| params.get(name).ok_or(format!("params.{name} is missing"));
        let whole = |name: &str| {
            let number = get(name)?.as_u64();
            number
                .map(|number| number as usize)
                .ok_or(format!("params.{name} is no whole number"))
        };
        let text = |name: &str| Ok::<_, String>(get(name)?.as_str().unwrap_or(""));
        Ok(Self {
            criterion: Criterion::new(text("criterion")?)?,
            max_depth: match get("max_depth")? {
                Json::Null => usize::MAX,
                _ => whole("max_depth")?,
            },
            min_split: whole("min_split")?,
            min_leaf: whole("min_leaf")?,
            min_gain: get("min_gain")?
                .as_f64()
                .ok_or("params.min_gain is no number")?,
            missing: match text("missing")? {
                "distribute" => Policy::Distribute,
                "branch" => Policy::Branch,
                "majority" => Policy::Majority,
                "learned" => Policy::Learned,
                other => return Err(format!("params.missing {other:?} is not known")),
            },
            categorical: match text("categorical_splits")? {
                "multiway" => Categorical::Multiway,
                "one-vs-rest" => Categorical::OneVsRest,
                "grouped" => Categorical::Grouped,
                other => return Err(format!("params.categorical_splits {other:?} is not known")),
            },
            zero_gain: get("zero_gain")? == true,
        })
    }
}

/// The best split of a feature at a node.
pub(super) struct Offer {
    pub(super) score: Score,
    pub(super) split: Split,
    pub(super) missing: Missing,
    /// The rows of each child.
    pub(super) children: Vec<Vec<u32>>,
}

/// What each feature offers some rows, or why that is not known.
type Offers = Rc<Vec<Result<Option<Offer>, String>>>;

pub(crate) struct Builder<'a> {
    pub(super) data: &'a Data,
    pub(super) rules: Rules,
    weights: Vec<u64>,
    pub(super) n_categories: Vec<usize>,
    /// How many different values each feature has.
    n_values: Vec<usize>,
    known: BTreeMap<Vec<u32>, Offers>,
    memory: usize,
    work: &'a Cell<u64>,
}

/// A tree, and which features it asks.
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) used: u32,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(data: &'a Data, model: &Model, work: &'a Cell<u64>) -> Result<Self, String> {
        let rules = Rules::new(&model.learner.params)?;
        if TREE_RULES
            .iter()
            .any(|name| model.learner.params.contains_key(*name))
        {
            return Err(
                "trees that keep rules about their features or leaves are not grown here".into(),
            );
        }
        let categories = model
            .features
            .iter()
            .map(|feature| feature.categories.as_ref());
        let n_categories = categories.map(|names| names.map_or(0, Vec::len)).collect();
        let weight = |row: usize| data.weighted_row(row).to_integer().to_u64();
        let weights: Option<Vec<u64>> = (0..data.n_rows()).map(weight).collect();
        let has_missing = |column: &Column| (0..data.n_rows()).any(|row| column.is_missing(row));
        if !data.has_exact_sums {
            return Err("weights that are not whole numbers".into());
        }
        if rules.missing == Policy::Distribute && data.columns.iter().any(has_missing) {
            return Err("rows with missing values are shared out".into());
        }
        let weights = weights.filter(|weights| weights.iter().sum::<u64>() <= MOST);
        Ok(Self {
            data,
            rules,
            weights: weights.ok_or("weights are too large")?,
            n_categories,
            n_values: data.columns.iter().map(n_values).collect(),
            known: BTreeMap::new(),
            memory: MEMORY,
            work,
        })
    }

    pub(super) fn counts(&self, rows: &[u32]) -> Vec<u64> {
        let mut counts = vec![0; self.data.n_classes()];
        for &row in rows {
            counts[self.data.classes[row as usize]] += self.weights[row as usize];
        }
        counts
    }

    /// The answer of a node: the class of least cost, the first of equals.
    fn value(&self, rows: &[u32]) -> f64 {
        let mut sums = vec![BigInt::zero(); self.data.n_classes()];
        for &row in rows {
            sums[self.data.classes[row as usize]] += &self.data.weights[row as usize];
        }
        let costs = self.data.costs_of(&sums);
        let least = costs.iter().min();
        costs
            .iter()
            .position(|cost| Some(cost) == least)
            .unwrap_or(0) as f64
    }

    /// The tree of a set of features, a bit for each.
    pub(crate) fn tree(&mut self, features: u32) -> Result<Tree, String> {
        let mut tree = Tree {
            nodes: Vec::new(),
            used: 0,
        };
        let mut open = vec![(None, (0..self.data.n_rows() as u32).collect::<Vec<_>>(), 0)];
        while let Some((parent, rows, depth)) = open.pop() {
            let at = tree.nodes.len();
            if let Some((parent, place)) = parent {
                let parent: &mut Node = &mut tree.nodes[parent];
                parent.children[place] = at;
            }
            let counts = self.counts(&rows);
            spend(self.work, rows.len() + 100).map_err(|TooLarge| "too large")?;
            let is_pure = counts.iter().filter(|count| **count > 0).count() < 2;
            let is_leaf =
                is_pure || depth >= self.rules.max_depth || rows.len() < self.rules.min_split;
            let value = self.value(&rows);
            let counts = counts.iter().map(|&count| count as f64).collect();
            let mut node = Node::leaf(counts, value);
            if !is_leaf {
                let offers = self.offers(&rows)?;
                if let Some(offer) = self.best(&offers, features)? {
                    tree.used |= 1 << offer.split.feature();
                    node.split = Some(offer.split.clone());
                    node.missing = Some(offer.missing);
                    node.children = vec![0; offer.children.len()];
                    for (place, rows) in offer.children.iter().enumerate().rev() {
                        open.push((Some((at, place)), rows.clone(), depth + 1));
                    }
                }
            }
            tree.nodes.push(node);
        }
        Ok(tree)
    }

    /// The best offer of some features; of equal ones that of the lowest feature.
    fn best<'b>(&self, offers: &'b Offers, features: u32) -> Result<Option<&'b Offer>, String> {
        let mut best: Option<&Offer> = None;
        for (feature, offer) in offers.iter().enumerate() {
            if features >> feature & 1 == 0 {
                continue;
            }
            if let Some(offer) = offer.as_ref().map_err(Clone::clone)? {
                best = match best {
                    Some(best) if !self.is_better(&offer.score, &best.score)? => Some(best),
                    _ => Some(offer),
                };
            }
        }
        Ok(best)
    }

    pub(super) fn is_better(&self, score: &Score, than: &Score) -> Result<bool, String> {
        let order = score.compare(than, self.rules.criterion)?;
        Ok(order == Ordering::Greater)
    }

    fn offers(&mut self, rows: &Vec<u32>) -> Result<Offers, String> {
        if let Some(offers) = self.known.get(rows) {
            return Ok(offers.clone());
        }
        let n_features = self.data.columns.len();
        let cost = rows.len() * (n_features + 1);
        // Every cut looks at all values of its feature.
        let values = self.n_values.iter().map(|&n| n.min(rows.len()));
        let cuts: usize = values.map(|n| n * n + 20 * rows.len()).sum();
        let orders = match self.rules.categorical {
            Categorical::Grouped => 1 + self.data.n_classes(),
            Categorical::Multiway | Categorical::OneVsRest => 1,
        };
        spend(self.work, cuts * orders * self.data.n_classes()).map_err(|TooLarge| "too large")?;
        self.memory = self.memory.checked_sub(cost + 100).ok_or("too large")?;
        let offers: Offers = Rc::new((0..n_features).map(|f| offer(self, rows, f)).collect());
        self.known.insert(rows.clone(), offers.clone());
        Ok(offers)
    }
}

fn n_values(column: &Column) -> usize {
    match column {
        Column::Numbers(numbers) => different(numbers).len(),
        Column::Codes(codes) => codes.iter().flatten().collect::<BTreeSet<_>>().len(),
    }
}

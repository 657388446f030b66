//! The best trees of every number of leaves by trying all of them, and the documents that say so.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::{Value, json};

/// A table, and which of all trees are looked at.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// For each feature and row its value; `None` is missing.
    cells: Vec<Vec<Option<u8>>>,
    is_numeric: Vec<bool>,
    classes: Vec<usize>,
    weights: Vec<u64>,
    pub(crate) depth: usize,
    pub(crate) intervals: usize,
    pub(crate) categorical: &'static str,
    pub(crate) min_leaf: usize,
    /// A share of all weight, in percent.
    pub(crate) min_weight: u64,
    pub(crate) interactions: Vec<Vec<usize>>,
    pub(crate) root_only: Vec<usize>,
    pub(crate) not_above: Vec<[usize; 2]>,
    /// The least share of the class of a leaf, in percent.
    pub(crate) share: u64,
}

const N_CLASSES: usize = 3;

#[derive(Debug, Clone)]
enum Tree {
    Leaf,
    Split(Value, Vec<(Vec<usize>, Tree)>),
}

/// For each number of leaves the least loss and its tree.
type Best = BTreeMap<usize, (u64, Tree)>;

impl Task {
    pub(crate) fn random(random: &mut Rng) -> Self {
        let depth = [0, 1, 1, 2, 2, 2, 2, 3][random.usize(..8)];
        let n_rows = random.usize(2..if depth == 3 { 8 } else { 13 });
        let n_features = random.usize(1..if depth == 3 { 3 } else { 4 });
        let has_missing = random.u8(..3) == 0;
        let has_weights = random.u8(..3) == 0;
        let n_classes = random.usize(2..=N_CLASSES);
        let n_values = random.u8(2..6);
        let is_numeric: Vec<bool> = (0..n_features).map(|_| random.bool()).collect();
        let cell = |random: &mut Rng| {
            let is_missing = has_missing && random.u8(..5) == 0;
            (!is_missing).then(|| random.u8(..n_values))
        };
        let column = |random: &mut Rng| (0..n_rows).map(|_| cell(random)).collect();
        let cells = (0..n_features).map(|_| column(random)).collect();
        let weight = |random: &mut Rng| if has_weights { random.u64(1..4) } else { 1 };
        let some = |random: &mut Rng| random.usize(..n_features);
        let mut task = Self {
            cells,
            is_numeric,
            classes: (0..n_rows).map(|_| random.usize(..n_classes)).collect(),
            weights: (0..n_rows).map(|_| weight(random)).collect(),
            depth,
            intervals: random.usize(2..4),
            categorical: ["multiway", "one-vs-rest", "grouped"][random.usize(..3)],
            min_leaf: if random.u8(..3) == 0 {
                random.usize(2..4)
            } else {
                1
            },
            min_weight: 0,
            interactions: Vec::new(),
            root_only: Vec::new(),
            not_above: Vec::new(),
            share: 0,
        };
        if task.min_leaf == 1 && random.u8(..5) == 0 {
            task.min_weight = [10, 25][random.usize(..2)];
        }
        match random.u8(..8) {
            0 if n_features > 1 => task.interactions.push(vec![0, n_features - 1]),
            1 => task.root_only.push(some(random)),
            2 if n_features > 1 => task.not_above.push([0, 1]),
            3 => task.share = [40, 60, 75, 90, 100][random.usize(..5)],
            _ => {}
        }
        task
    }

    fn name(feature: usize) -> String {
        format!("x{feature}")
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for feature in 0..self.cells.len() {
            write!(text, "{},", Self::name(feature)).unwrap();
        }
        text += "w,class\n";
        for row in 0..self.classes.len() {
            for (feature, cells) in self.cells.iter().enumerate() {
                match cells[row] {
                    None => text += "?,",
                    Some(value) if self.is_numeric[feature] => write!(text, "{value},").unwrap(),
                    Some(value) => write!(text, "c{value},").unwrap(),
                }
            }
            writeln!(text, "{},k{}", self.weights[row], self.classes[row]).unwrap();
        }
        text
    }

    fn total(&self) -> u64 {
        self.weights.iter().sum()
    }

    fn counts(&self, rows: &[usize]) -> Vec<u64> {
        let mut counts = vec![0; N_CLASSES];
        for &row in rows {
            counts[self.classes[row]] += self.weights[row];
        }
        counts
    }

    fn loss(&self, rows: &[usize]) -> u64 {
        let counts = self.counts(rows);
        counts.iter().sum::<u64>() - counts.iter().max().unwrap()
    }

    fn is_leaf(&self, rows: &[usize]) -> bool {
        let counts = self.counts(rows);
        let weight: u64 = counts.iter().sum();
        rows.len() >= self.min_leaf
            && 100 * weight >= self.min_weight * self.total()
            && 100 * counts.iter().max().unwrap() >= self.share * weight
    }

    fn rows(&self) -> Vec<usize> {
        (0..self.classes.len()).collect()
    }

    /// For each number of leaves at which the least loss falls, that loss and the tree.
    fn best(&self) -> Vec<(usize, u64, Tree)> {
        let rows = self.rows();
        let allowed = vec![true; self.cells.len()];
        let mut all = self.all(&rows, self.depth, &allowed);
        // One leaf may be of any size.
        all.insert(1, (self.loss(&rows), Tree::Leaf));
        let mut best: Vec<(usize, u64, Tree)> = Vec::new();
        for (leaves, (loss, tree)) in all {
            if best.last().is_none_or(|(_, least, _)| loss < *least) {
                best.push((leaves, loss, tree));
            }
        }
        best
    }

    /// The least losses by leaves.
    pub(crate) fn losses(&self) -> Vec<(usize, u64)> {
        let best = self.best().into_iter();
        best.map(|(leaves, loss, _)| (leaves, loss)).collect()
    }

    fn all(&self, rows: &[usize], depth: usize, allowed: &[bool]) -> Best {
        let mut best = Best::new();
        if self.is_leaf(rows) {
            best.insert(1, (self.loss(rows), Tree::Leaf));
        }
        for feature in (0..self.cells.len()).filter(|&at| depth > 0 && allowed[at]) {
            let below = self.allowed_below(feature, allowed);
            for (split, parts, are_leaves) in self.splits(rows, feature, depth) {
                let mut sums = Best::from([(0, (0, Tree::Split(split, Vec::new())))]);
                for part in parts {
                    let depth = if are_leaves { 0 } else { depth - 1 };
                    let of_part = self.all(&part, depth, &below);
                    let mut next = Best::new();
                    for (leaves, (loss, tree)) in &sums {
                        for (more, (other, child)) in &of_part {
                            let Tree::Split(split, children) = tree else {
                                panic!()
                            };
                            let mut children = children.clone();
                            children.push((part.clone(), child.clone()));
                            let tree = Tree::Split(split.clone(), children);
                            take(&mut next, leaves + more, loss + other, tree);
                        }
                    }
                    sums = next;
                }
                for (leaves, (loss, tree)) in sums {
                    take(&mut best, leaves, loss, tree);
                }
            }
        }
        best
    }

    fn allowed_below(&self, feature: usize, allowed: &[bool]) -> Vec<bool> {
        let is_allowed = |other: usize| {
            let is_apart = |group: &Vec<usize>| {
                group.contains(&feature) && group.contains(&other) && feature != other
            };
            allowed[other]
                && !self.root_only.contains(&other)
                && !self.not_above.contains(&[feature, other])
                && !self.interactions.iter().any(is_apart)
        };
        (0..allowed.len()).map(is_allowed).collect()
    }

    /// All splits of a feature with the rows of their children, and whether these must be leaves.
    fn splits(
        &self,
        rows: &[usize],
        feature: usize,
        depth: usize,
    ) -> Vec<(Value, Vec<Vec<usize>>, bool)> {
        let cell = |row: usize| self.cells[feature][row];
        let missing: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|&row| cell(row).is_none())
            .collect();
        let mut values: Vec<u8> = rows.iter().filter_map(|&row| cell(row)).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() {
            return Vec::new();
        }
        let is_numeric = self.is_numeric[feature];
        let mut found = Vec::new();
        // Every way to put the values into numbered groups, the first value into the first one.
        for groups in groupings(values.len()) {
            let n_groups = groups.iter().max().unwrap() + 1;
            if n_groups == 1 && missing.is_empty() {
                continue;
            }
            let is_in_row = groups.windows(2).all(|pair| pair[0] <= pair[1]);
            let has_single =
                (0..n_groups).any(|group| groups.iter().filter(|&&of| of == group).count() == 1);
            let most = if depth == 1 {
                self.intervals
            } else {
                self.intervals.max(2)
            };
            let (is_split, may_be_last) = match self.categorical {
                _ if is_numeric => (is_in_row && n_groups <= 2, is_in_row && n_groups <= most),
                "multiway" => (n_groups == values.len(), n_groups == values.len()),
                "one-vs-rest" => {
                    let is_one = n_groups == 1 || n_groups == 2 && has_single;
                    (is_one, is_one)
                }
                _ => (
                    n_groups == 1 || n_groups == 2 && has_single,
                    n_groups <= self.intervals.max(2),
                ),
            };
            let place = |value: u8| values.iter().position(|&known| known == value);
            let mut parts: Vec<Vec<usize>> = (0..n_groups)
                .map(|group| {
                    let is_in = |&row: &usize| {
                        cell(row)
                            .and_then(place)
                            .is_some_and(|at| groups[at] == group)
                    };
                    rows.iter().copied().filter(is_in).collect()
                })
                .collect();
            if !missing.is_empty() {
                parts.push(missing.clone());
            }
            let split = if is_numeric {
                let cuts = (1..values.len()).filter(|&at| groups[at] != groups[at - 1]);
                let cuts: Vec<f64> = cuts.map(|at| f64::from(values[at]) - 0.5).collect();
                json!({"kind": "intervals", "feature": feature, "cuts": cuts, "closed": "left"})
            } else {
                let all = self.categories(feature);
                let branches = all.iter().map(|&value| place(value).map(|at| groups[at]));
                let branches: Vec<_> = branches.collect();
                json!({"kind": "categories", "feature": feature, "branches": branches})
            };
            if is_split && depth > 1 {
                found.push((split.clone(), parts.clone(), false));
            }
            if may_be_last && (depth == 1 || !is_split) {
                found.push((split, parts, true));
            }
        }
        found
    }

    fn categories(&self, feature: usize) -> Vec<u8> {
        let mut all: Vec<u8> = self.cells[feature].iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn nodes(&self, rows: &[usize], tree: &Tree) -> Vec<Value> {
        let mut nodes = Vec::new();
        self.add_nodes(rows, tree, &mut nodes);
        nodes
    }

    fn add_nodes(&self, rows: &[usize], tree: &Tree, nodes: &mut Vec<Value>) {
        let counts = self.counts(rows);
        let value = counts
            .iter()
            .position(|count| Some(count) == counts.iter().max());
        let at = nodes.len();
        nodes.push(json!({"counts": counts, "value": value}));
        let Tree::Split(split, children) = tree else {
            return;
        };
        let mut places = Vec::new();
        for (rows, child) in children {
            places.push(nodes.len());
            self.add_nodes(rows, child, nodes);
        }
        nodes[at]["split"] = split.clone();
        nodes[at]["children"] = json!(places);
        let feature = split["feature"].as_u64().unwrap() as usize;
        let has_missing = rows.iter().any(|&row| self.cells[feature][row].is_none());
        nodes[at]["missing"] = json!(if has_missing { children.len() - 1 } else { 0 });
    }

    fn params(&self) -> Value {
        let names = |features: &[usize]| -> Vec<String> {
            features
                .iter()
                .map(|&feature| Self::name(feature))
                .collect()
        };
        let mut params = json!({
            "depth": self.depth, "intervals": self.intervals, "min_leaf": self.min_leaf,
            "categorical_splits": self.categorical,
        });
        if self.min_weight > 0 {
            params["min_leaf_weight"] = json!(self.min_weight as f64 / 100.0);
        }
        let groups: Vec<_> = self.interactions.iter().map(|group| names(group)).collect();
        let pairs: Vec<_> = self.not_above.iter().map(|pair| names(pair)).collect();
        if !groups.is_empty() {
            params["interactions"] = json!(groups);
        }
        if !pairs.is_empty() {
            params["not_above"] = json!(pairs);
        }
        if !self.root_only.is_empty() {
            params["root_only"] = json!(names(&self.root_only));
        }
        if self.share > 0 {
            params["min_class_share"] = json!(self.share as f64 / 100.0);
        }
        params
    }

    /// What all documents have.
    fn document(&self, format: &str) -> Value {
        let feature = |feature: usize| {
            let mut schema = json!({"name": Self::name(feature), "kind": "numeric"});
            if !self.is_numeric[feature] {
                let names = self.categories(feature);
                let names: Vec<String> = names.iter().map(|value| format!("c{value}")).collect();
                schema = json!({
                    "name": Self::name(feature), "kind": "categorical", "categories": names,
                });
            }
            schema
        };
        let features: Vec<Value> = (0..self.cells.len()).map(feature).collect();
        json!({
            "format": format, "version": 1, "task": "classification", "features": features,
            "target": {"name": "class", "classes": ["k0", "k1", "k2"]},
            "reading": {"na": ["?"], "weight": "w"},
            "learner": {"name": "optimal", "params": self.params()},
        })
    }

    fn training(&self, leaves: usize, loss: u64, nodes: &[Value]) -> Value {
        let mut depths = vec![0; nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                depths[child.as_u64().unwrap() as usize] = depths[at] + 1;
            }
        }
        json!({
            "rows": self.classes.len(), "weight": self.total() as f64, "errors": loss as f64,
            "cost": loss as f64 / self.total() as f64, "leaves": leaves,
            "depth": depths.iter().max(), "seconds": 0.0,
        })
    }

    /// The family of the best trees, without the one at a place, if any.
    pub(crate) fn family(&self, without: Option<usize>) -> Value {
        let mut best = self.best();
        if let Some(without) = without {
            best.remove(without);
        }
        let trees: Vec<(usize, u64, Vec<Value>)> = best
            .iter()
            .map(|(leaves, loss, tree)| (*leaves, *loss, self.nodes(&self.rows(), tree)))
            .collect();
        self.family_of(&trees)
    }

    /// A family of these trees, with the weights that they have.
    fn family_of(&self, trees: &[(usize, u64, Vec<Value>)]) -> Value {
        let total = self.total() as f64;
        let mut members: Vec<Value> = trees
            .iter()
            .map(|(leaves, loss, nodes)| {
                json!({
                    "leaves": leaves, "cost": *loss as f64 / total, "errors": *loss as f64,
                    "lambda_low": null, "lambda_high": null, "nodes": nodes,
                })
            })
            .collect();
        // From one corner of the lower hull to the next: where the loss falls most for a leaf, on ties farthest.
        let (mut at, mut high) = (0, Value::Null);
        while at < trees.len() {
            let fall = |next: usize| {
                let less = trees[at].1 as f64 - trees[next].1 as f64;
                less / (trees[next].0 - trees[at].0) as f64
            };
            let next = (at + 1..trees.len()).max_by(|&a, &b| {
                let order = fall(a).total_cmp(&fall(b));
                order.then(a.cmp(&b))
            });
            let low = next.map_or(0.0, |next| (fall(next) / total).next_up());
            members[at]["lambda_low"] = json!(low);
            members[at]["lambda_high"] = high;
            high = json!(low);
            at = next.unwrap_or(trees.len());
        }
        let mut family = self.document("treewright.family");
        let (leaves, loss, nodes) = trees.last().unwrap();
        family["training"] = self.training(*leaves, *loss, nodes);
        family["penalty"] = json!("linear");
        family["members"] = json!(members);
        family["certificate"] = json!({"exact": true, "exact_down_to": 0});
        family
    }

    /// One of the best trees as a model that says it is the best with at most this many leaves.
    pub(crate) fn model(&self, at: usize, most: usize) -> Value {
        let (leaves, loss, tree) = &self.best()[at];
        let nodes = self.nodes(&self.rows(), tree);
        let mut model = self.document("treewright.tree");
        model["learner"]["params"]["leaf_cost"] = json!(0.0);
        model["learner"]["params"]["leaves"] = json!(most);
        model["training"] = self.training(*leaves, *loss, &nodes);
        let cost = *loss as f64 / self.total() as f64;
        model["certificate"] = json!({
            "objective": cost, "lower_bound": cost, "gap": 0.0, "optimal": true, "exact": true,
            "fewest_leaves": true,
        });
        model["nodes"] = json!(nodes);
        model
    }
}

fn take(best: &mut Best, leaves: usize, loss: u64, tree: Tree) {
    if best.get(&leaves).is_none_or(|(least, _)| loss < *least) {
        best.insert(leaves, (loss, tree));
    }
}

/// All ways to put a number of things into groups: for each thing the number of its group.
fn groupings(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for _ in 1..n {
        let with = |groups: &Vec<usize>| {
            let n_groups = groups.iter().max().unwrap() + 1;
            (0..=n_groups)
                .map(|group| [groups.clone(), vec![group]].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

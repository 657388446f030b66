//! Random trees that no table was needed for, with random costs: falling and rising, full of ties and
//! zeros, whole and real, small and huge.

use std::fmt;
use std::sync::Arc;

use fastrand::Rng;
use treewright::cost::Loss;
use treewright::data::{Feature, FeatureKind, Schema, TargetColumn, TargetKind};
use treewright::prune::{Impurity, NodeCosts, PruningCost};
use treewright::tree::{Closed, MissingRoute, NodeId, Outcome, Split, Tree, TreeBuilder};

/// A tree with a cost for every node. Prints itself compactly: `5[2 1[0 1]]` is a root of cost 5 with
/// two children of cost 2 and 1, the second of which is split again.
pub(crate) struct PrunableTree {
    pub(crate) tree: Arc<Tree>,
    pub(crate) costs: NodeCosts,
    /// The costs that the tree was given, or has by itself.
    pub(crate) numbers: Vec<f64>,
}

impl fmt::Display for PrunableTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = self.costs.scale().total_weight;
        write!(f, "weight {weight:?}, costs ")?;
        self.write_node(f, NodeId::ROOT)
    }
}

impl PrunableTree {
    fn write_node(&self, f: &mut fmt::Formatter<'_>, id: NodeId) -> fmt::Result {
        write!(f, "{}", self.numbers[id.index()])?;
        let Some(branch) = self.tree.branch(id) else {
            return Ok(());
        };
        for (position, child) in branch.children().enumerate() {
            f.write_str(if position == 0 { "[" } else { " " })?;
            self.write_node(f, child)?;
        }
        f.write_str("]")
    }
}

/// A tree with at most this many leaves, with counts that add up, and with costs of any kind.
pub(crate) fn random_tree(rng: &mut Rng, most_leaves: usize) -> PrunableTree {
    let shape = random_shape(rng, most_leaves);
    let tree = Arc::new(tree_of(rng, &shape));
    let kind = rng.u8(..12);
    let own = [
        PruningCost::Error,
        PruningCost::Error,
        PruningCost::Impurity(Impurity::Gini),
        PruningCost::Impurity(Impurity::Entropy),
    ];
    let own = own
        .get(kind as usize)
        .filter(|_| tree.weight(NodeId::ROOT) > 0.0);
    if let Some(&own) = own {
        let costs = NodeCosts::of(&tree, own).expect("the tree has classes and rows");
        let numbers = tree
            .ids()
            .map(|id| costs.at(id) as f64 * costs.scale().unit);
        return PrunableTree {
            numbers: numbers.collect(),
            tree,
            costs,
        };
    }
    let numbers = random_costs(rng, &shape, kind);
    let errors: Option<Vec<f64>> = match rng.u8(..3) {
        0 => None,
        1 => Some(shape.iter().map(|_| f64::from(rng.u8(..9))).collect()),
        _ => Some(shape.iter().map(|_| rng.f64() * 5.0).collect()),
    };
    let weight = [1.0, 100.0, 7.0, 0.3, 1e-5, 1234.5, 1e9][rng.usize(..7)];
    let costs = NodeCosts::new(&tree, &numbers, errors.as_deref(), weight)
        .expect("costs are finite and not negative");
    PrunableTree {
        tree,
        costs,
        numbers,
    }
}

/// The children of every node, in the order in which the nodes are made.
type TreeShape = Vec<Vec<usize>>;

fn random_shape(rng: &mut Rng, most_leaves: usize) -> TreeShape {
    let target = rng.usize(1..=most_leaves);
    let is_binary = rng.bool();
    let order = rng.u8(..4);
    let mut shape: TreeShape = vec![Vec::new()];
    let mut leaves = vec![0];
    while leaves.len() < target {
        let room = target - leaves.len() + 1;
        let n_children = if is_binary {
            2
        } else {
            rng.usize(2..=5).min(room)
        };
        let split = match order {
            0 => 0,
            1 => leaves.len() - 1,
            _ => rng.usize(..leaves.len()),
        };
        let parent = leaves.remove(split);
        for _ in 0..n_children {
            let child = shape.len();
            leaves.push(child);
            shape[parent].push(child);
            shape.push(Vec::new());
        }
    }
    shape
}

/// A tree of that shape with counts that add up. Mostly every node answers its most frequent class.
fn tree_of(rng: &mut Rng, shape: &TreeShape) -> Tree {
    let n_classes = rng.usize(2..=4);
    let most = [1, 2, 5, 30][rng.usize(..4)];
    let strange = rng.u8(..4) == 0;
    let mut counts: Vec<Vec<f64>> = vec![Vec::new(); shape.len()];
    for id in (0..shape.len()).rev() {
        counts[id] = (0..n_classes)
            .map(|class| {
                if shape[id].is_empty() {
                    f64::from(rng.u8(0..=most))
                } else {
                    shape[id].iter().map(|&child| counts[child][class]).sum()
                }
            })
            .collect();
    }
    let mut outcome = |id: usize| {
        let value = if strange && rng.u8(..3) == 0 {
            rng.usize(..n_classes)
        } else {
            Loss::ZeroOne.best_class(&counts[id])
        };
        (Outcome::Counts(counts[id].clone()), value as f64)
    };
    let (root, value) = outcome(0);
    let mut builder = TreeBuilder::new(schema(n_classes), Loss::ZeroOne, root, value)
        .expect("the schema fits the counts");
    // In the order of the shape, so that nodes get the numbers they have there.
    let mut inner: Vec<usize> = (0..shape.len())
        .filter(|&id| !shape[id].is_empty())
        .collect();
    inner.sort_by_key(|&id| shape[id][0]);
    for id in inner {
        let n_children = shape[id].len();
        let split = Split::Intervals {
            feature: id % 2,
            cuts: (1..n_children).map(|cut| (id * 8 + cut) as f64).collect(),
            closed: Closed::Right,
        };
        let missing = match id % 3 {
            0 => MissingRoute::Distribute,
            _ => MissingRoute::Child((id % n_children) as u32),
        };
        let children: Vec<_> = shape[id].iter().map(|&child| outcome(child)).collect();
        let first = builder.split(NodeId(id as u32), split, missing, children);
        assert_eq!(first.expect("the split is valid").index(), shape[id][0]);
    }
    builder.finish()
}

fn schema(n_classes: usize) -> Arc<Schema> {
    let feature = |name: &str| Feature {
        name: name.into(),
        kind: FeatureKind::Numeric,
    };
    Arc::new(Schema {
        features: vec![feature("x"), feature("y")],
        target: TargetColumn {
            name: "class".into(),
            kind: TargetKind::Classes((0..n_classes).map(|class| format!("c{class}")).collect()),
        },
        ..Schema::default()
    })
}

/// Invented costs of one of several kinds.
fn random_costs(rng: &mut Rng, shape: &TreeShape, kind: u8) -> Vec<f64> {
    let mut costs = vec![0.0; shape.len()];
    let real = [1.0, 1e-3, 1e6, 1e150, 1e-150][rng.usize(..5)];
    let most_gain = rng.u64(0..=4);
    for id in (0..shape.len()).rev() {
        let below: f64 = shape[id].iter().map(|&child| costs[child]).sum();
        let leaves = shape[id].len() as f64 - 1.0;
        let is_leaf = shape[id].is_empty();
        costs[id] = match kind {
            // Anything, with many ties.
            4 => f64::from(rng.u8(..6)),
            5 => f64::from(rng.u8(..2)),
            // Falling, with many ties and splits that gain nothing.
            6 if is_leaf => f64::from(rng.u8(..4)),
            6 | 7 if !is_leaf => below + rng.u64(0..=most_gain) as f64,
            // Every split gains as much for a leaf: one price for all.
            8 if !is_leaf => below + leaves * 3.0,
            // Large whole numbers, mostly falling.
            9 if is_leaf => rng.u64(..1 << 40) as f64,
            9 => (below * (0.9 + 0.2 * rng.f64())).floor(),
            // Real numbers, falling, and any.
            10 if !is_leaf => below + rng.f64() * real,
            10 | 11 => rng.f64() * real,
            _ => 0.0,
        };
    }
    costs
}

//! The nodes of a tree in a file, and back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cost::Loss;
use crate::data::Schema;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::tree::{Closed, MissingRoute, Moments, NodeId, Outcome, Split, Tree, TreeBuilder};

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sse: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bins: Option<Vec<f64>>,
    value: Amount,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<SplitFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<MissingFile>,
    /// Only in nested families: from this weight of the penalty on the node is a leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    collapse_at: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum SplitFile {
    Intervals {
        feature: usize,
        cuts: Vec<f64>,
        closed: ClosedFile,
    },
    Categories {
        feature: usize,
        branches: Vec<Option<u32>>,
    },
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ClosedFile {
    Left,
    Right,
}

/// A child position, or a word, of which only one means something.
#[derive(Serialize)]
#[serde(untagged)]
enum MissingFile {
    Child(u32),
    Word(String),
}

impl<'de> Deserialize<'de> for MissingFile {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = MissingFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a child position or \"distribute\"")
            }

            fn visit_u64<E: serde::de::Error>(
                self,
                child: u64,
            ) -> std::result::Result<MissingFile, E> {
                u32::try_from(child)
                    .map(MissingFile::Child)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(child), &self))
            }

            fn visit_str<E: serde::de::Error>(
                self,
                word: &str,
            ) -> std::result::Result<MissingFile, E> {
                Ok(MissingFile::Word(word.to_owned()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A number that is written as a whole number where it is one.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(transparent)]
pub(super) struct Amount(pub(super) f64);

impl Serialize for Amount {
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        const LARGEST_EXACT: f64 = (1_u64 << 53) as f64;
        if self.0.fract() == 0.0 && self.0.abs() < LARGEST_EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// Builds the tree from the nodes of a file.
pub(super) fn tree(schema: Arc<Schema>, loss: Loss, nodes: &[NodeFile]) -> Result<Tree> {
    tree_and_places(schema, loss, nodes).map(|(tree, _)| tree)
}

/// Builds the tree from the nodes of a file, which may stand in any order that puts children after
/// their parent. Also tells for every node of the tree its place in the file.
pub(super) fn tree_and_places(
    schema: Arc<Schema>,
    loss: Loss,
    nodes: &[NodeFile],
) -> Result<(Tree, Vec<usize>)> {
    let Some(root) = nodes.first() else {
        return Err(Error::model(
            "\"nodes\" is empty, expected at least the root",
        ));
    };
    let mut builder = TreeBuilder::new(schema, loss, root.outcome(0)?, root.value.0)?;
    let mut has_parent = vec![false; nodes.len()];
    has_parent[0] = true;
    let mut place_of = vec![0];
    // The branches whose parents are built, the one with the first child first: a file that has
    // siblings side by side, as ours have, keeps its numbers.
    let mut ready = BinaryHeap::new();
    ready.extend(BranchFile::of(nodes, 0, NodeId::ROOT)?);
    while let Some(Reverse(branch)) = ready.pop() {
        let mut outcomes = Vec::with_capacity(branch.children.len());
        for &child in branch.children {
            let node = child_of(nodes, branch.place, child)?;
            if std::mem::replace(&mut has_parent[child], true) {
                return Err(broken(child, "has more than one parent"));
            }
            outcomes.push((node.outcome(child)?, node.value.0));
        }
        place_of.extend(branch.children);
        let route = branch.missing.route(branch.place)?;
        let first = builder
            .split(branch.id, branch.split.split(), route, outcomes)
            .map_err(|error| renumbered(&error, &place_of))?;
        for (id, &child) in (first.0..).zip(branch.children) {
            ready.extend(BranchFile::of(nodes, child, NodeId(id))?);
        }
    }
    match has_parent.iter().position(|has_parent| !has_parent) {
        Some(orphan) => Err(broken(orphan, "has no parent")),
        None => Ok((builder.finish(), place_of)),
    }
}

/// An inner node of a file whose place in the tree is known. Ordered by its first child in the file,
/// then by its own place, which no other has.
struct BranchFile<'a> {
    first_child: usize,
    place: usize,
    id: NodeId,
    split: &'a SplitFile,
    children: &'a [usize],
    missing: &'a MissingFile,
}

impl<'a> BranchFile<'a> {
    /// `None` for a leaf.
    fn of(nodes: &'a [NodeFile], place: usize, id: NodeId) -> Result<Option<Reverse<Self>>> {
        let node = &nodes[place];
        match (&node.split, &node.children, &node.missing) {
            (None, None, None) => Ok(None),
            (Some(split), Some(children), Some(missing)) => Ok(Some(Reverse(Self {
                first_child: children.iter().copied().min().unwrap_or(0),
                place,
                id,
                split,
                children,
                missing,
            }))),
            _ => {
                let what = "\"split\", \"children\" and \"missing\" come together or not at all";
                Err(broken(place, what))
            }
        }
    }

    fn key(&self) -> (usize, usize) {
        (self.first_child, self.place)
    }
}

impl PartialEq for BranchFile<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for BranchFile<'_> {}

impl PartialOrd for BranchFile<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BranchFile<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

fn child_of(nodes: &[NodeFile], parent: usize, child: usize) -> Result<&NodeFile> {
    let Some(node) = nodes.get(child) else {
        return Err(broken(parent, &format!("child {child} does not exist")));
    };
    if child <= parent {
        let what = format!("child {child} must come after its parent");
        return Err(broken(parent, &what));
    }
    Ok(node)
}

/// Refuses what only the nodes of a nested family have.
pub(super) fn without_collapse_at(nodes: &[NodeFile]) -> Result<()> {
    match nodes.iter().position(|node| node.collapse_at.is_some()) {
        Some(place) => Err(broken(place, "\"collapse_at\" belongs to a nested family")),
        None => Ok(()),
    }
}

pub(super) fn broken(place: usize, what: &str) -> Error {
    Error::node(place, what)
}

/// A fault that the builder found, with the number that the node has in the file.
fn renumbered(error: &Error, place_of: &[usize]) -> Error {
    match error.kind() {
        ErrorKind::Node { node, what } => match place_of.get(*node) {
            Some(&place) => broken(place, what),
            None => Error::node(*node, what.clone()),
        },
        ErrorKind::Model(message) => Error::model(message.clone()),
        _ => Error::model(error.to_string()),
    }
}

impl NodeFile {
    pub(super) fn of(tree: &Tree, id: NodeId) -> Self {
        let mut node = Self {
            value: Amount(tree.value(id)),
            ..Self::default()
        };
        match tree.moments(id) {
            None => node.counts = Some(tree.counts(id).to_vec()),
            Some(moments) => {
                node.mean = Some(moments.mean);
                node.weight = Some(moments.weight);
                node.sse = Some(moments.sse);
                node.bins = Some(tree.bins(id).to_vec()).filter(|bins| !bins.is_empty());
            }
        }
        if let Some(branch) = tree.branch(id) {
            node.split = Some(SplitFile::of(&branch.split));
            node.children = Some(branch.children().map(NodeId::index).collect());
            node.missing = Some(match branch.missing {
                MissingRoute::Child(child) => MissingFile::Child(child),
                MissingRoute::Distribute => MissingFile::Word("distribute".into()),
            });
        }
        node
    }

    /// The same with other numbers of features.
    pub(super) fn with_features(mut self, place_of: &[usize]) -> Self {
        match &mut self.split {
            Some(SplitFile::Intervals { feature, .. } | SplitFile::Categories { feature, .. }) => {
                *feature = place_of[*feature];
            }
            None => {}
        }
        self
    }

    /// The same, as a node of a nested family.
    pub(super) fn collapsing(mut self, at: Option<f64>) -> Self {
        self.collapse_at = at;
        self
    }

    /// The weight from which on the node is a leaf; `None` if it always is.
    pub(super) fn collapse_at(&self, place: usize) -> Result<Option<f64>> {
        match (self.collapse_at, &self.split) {
            (Some(_), None) => Err(broken(place, "a leaf with \"collapse_at\"")),
            (None, Some(_)) => Err(broken(place, "an inner node without \"collapse_at\"")),
            (at, _) => Ok(at),
        }
    }

    fn outcome(&self, id: usize) -> Result<Outcome> {
        match (&self.counts, self.mean, self.weight, self.sse) {
            (Some(counts), None, None, None) if self.bins.is_none() => {
                Ok(Outcome::Counts(counts.clone()))
            }
            (None, Some(mean), Some(weight), Some(sse)) => Ok(Outcome::Numbers(
                Moments { mean, weight, sse },
                self.bins.clone(),
            )),
            _ => Err(Error::model(format!(
                "node {id}: expected either \"counts\" or \"mean\", \"weight\" and \"sse\""
            ))),
        }
    }
}

impl SplitFile {
    fn of(split: &Split) -> Self {
        match split {
            Split::Intervals {
                feature,
                cuts,
                closed,
            } => Self::Intervals {
                feature: *feature,
                cuts: cuts.clone(),
                closed: match closed {
                    Closed::Left => ClosedFile::Left,
                    Closed::Right => ClosedFile::Right,
                },
            },
            Split::Categories { feature, branches } => Self::Categories {
                feature: *feature,
                branches: branches.clone(),
            },
        }
    }

    fn split(&self) -> Split {
        match self {
            Self::Intervals {
                feature,
                cuts,
                closed,
            } => Split::Intervals {
                feature: *feature,
                cuts: cuts.clone(),
                closed: match closed {
                    ClosedFile::Left => Closed::Left,
                    ClosedFile::Right => Closed::Right,
                },
            },
            Self::Categories { feature, branches } => Split::Categories {
                feature: *feature,
                branches: branches.clone(),
            },
        }
    }
}

impl MissingFile {
    fn route(&self, id: usize) -> Result<MissingRoute> {
        match self {
            Self::Child(child) => Ok(MissingRoute::Child(*child)),
            Self::Word(word) if word == "distribute" => Ok(MissingRoute::Distribute),
            Self::Word(word) => Err(Error::model(format!(
                "node {id}: missing is {}, expected a child position or \"distribute\"",
                quoted(word)
            ))),
        }
    }
}

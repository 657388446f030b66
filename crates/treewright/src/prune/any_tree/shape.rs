//! The shape of a tree from anywhere: checked, and with its nodes in an order that pruning can use.

use crate::error::{Error, Result};

/// Which node is whose child, in an order where siblings are neighbours and come after their parent.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The nodes from the first to before the second are the children of a node; none or at least two.
    children: Vec<(u32, u32)>,
    chains: Vec<Chain>,
    /// The original nodes, chain by chain.
    nodes: Vec<usize>,
}

/// The original nodes that are one here: each is the single child of the one before.
#[derive(Debug, Clone, Copy)]
struct Chain {
    start: usize,
    /// Where they end if the node is a leaf: with the cheapest of them.
    leaf_end: usize,
    end: usize,
}

impl Shape {
    /// Refuses what is not a tree with root 0. The second result is what each node costs as a leaf.
    pub(super) fn new(children: &[Vec<i64>], costs: &[f64]) -> Result<(Self, Vec<f64>)> {
        let parents = parents(children)?;
        let mut shape = Self {
            children: Vec::new(),
            chains: Vec::new(),
            nodes: Vec::with_capacity(children.len()),
        };
        let mut least = Vec::new();
        // The nodes in their new order, by the top of their chain.
        let mut tops = vec![0];
        while let Some(&top) = tops.get(shape.children.len()) {
            let start = shape.nodes.len();
            let (mut node, mut cheapest) = (top, top);
            let mut leaf_end = start + 1;
            shape.nodes.push(node);
            while let [child] = children[node][..] {
                node = child as usize;
                shape.nodes.push(node);
                if costs[node] < costs[cheapest] {
                    cheapest = node;
                    leaf_end = shape.nodes.len();
                }
            }
            let first = tops.len() as u32;
            tops.extend(children[node].iter().map(|&child| child as usize));
            shape.children.push((first, tops.len() as u32));
            let end = shape.nodes.len();
            shape.chains.push(Chain {
                start,
                leaf_end,
                end,
            });
            least.push(costs[cheapest]);
        }
        if shape.nodes.len() < children.len() {
            return Err(circle(&parents, &shape.nodes));
        }
        Ok((shape, least))
    }

    pub(super) fn children(&self) -> &[(u32, u32)] {
        &self.children
    }

    /// The original nodes that a pruning keeps for a node.
    pub(super) fn nodes(&self, node: usize, is_leaf: bool) -> &[usize] {
        let chain = self.chains[node];
        &self.nodes[chain.start..if is_leaf { chain.leaf_end } else { chain.end }]
    }
}

/// The parent of every node but the root. Every other node has exactly one.
fn parents(children: &[Vec<i64>]) -> Result<Vec<usize>> {
    const NONE: usize = usize::MAX;
    let n_nodes = children.len();
    if n_nodes == 0 {
        return Err(Error::model(
            "children: there are no nodes, expected at least one",
        ));
    }
    if u32::try_from(n_nodes).is_err() {
        let what = format!(
            "children: {n_nodes} nodes, expected fewer than {}",
            u32::MAX
        );
        return Err(Error::model(what));
    }
    let mut parents = vec![NONE; n_nodes];
    for (node, of_node) in children.iter().enumerate() {
        for &child in of_node {
            let inside = usize::try_from(child).ok().filter(|&child| child < n_nodes);
            let problem = match inside {
                None => format!("there are only nodes 0 to {}", n_nodes - 1),
                Some(0) => "node 0 is the root".to_owned(),
                Some(child) if child == node => "no node is its own child".to_owned(),
                Some(child) if parents[child] == node => "it has this child already".to_owned(),
                Some(child) if parents[child] != NONE => {
                    format!("that is a child of node {} already", parents[child])
                }
                Some(child) => {
                    parents[child] = node;
                    continue;
                }
            };
            return Err(Error::model(format!(
                "children: node {node} has child {child}, but {problem}"
            )));
        }
    }
    match (1..n_nodes).find(|&node| parents[node] == NONE) {
        None => Ok(parents),
        Some(node) => Err(Error::model(format!(
            "children: node {node} is nobody's child, expected of node 0 only, the root"
        ))),
    }
}

/// All nodes have one parent, but not all come from the root: some are above themselves.
fn circle(parents: &[usize], reached: &[usize]) -> Error {
    let mut is_reached = vec![false; parents.len()];
    for &node in reached {
        is_reached[node] = true;
    }
    let outside = is_reached.iter().position(|is_reached| !is_reached);
    let mut node = outside.unwrap_or(0);
    let mut is_seen = is_reached;
    while !is_seen[node] {
        is_seen[node] = true;
        node = parents[node];
    }
    Error::model(format!(
        "children: node {node} is below itself, expected a tree without circles"
    ))
}

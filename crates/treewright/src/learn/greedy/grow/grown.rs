//! A tree, or a part of one, before its nodes are numbered.

use std::sync::Arc;

use super::Grower;
use super::summary::{NodeSummary, Summaries};
use crate::cost::Loss;
use crate::error::{Error, Result};
use crate::tree::{MissingRoute, NodeId, Split, Tree, TreeBuilder};

/// A tree, or the upper part of one, before its nodes are numbered.
pub(super) struct Grown {
    pub(super) nodes: Vec<GrownNode>,
    pub(super) n_branches: usize,
}

/// A tree whose categorical splits list more branches than this would not fit into memory.
const MOST_BRANCHES: usize = 1 << 26;

impl Grown {
    /// Counts the branches of a split; refuses it if there are too many.
    pub(super) fn count_branches(&mut self, split: &Split) -> Result<()> {
        let Split::Categories { branches, .. } = split else {
            return Ok(());
        };
        self.n_branches += branches.len();
        if self.n_branches <= MOST_BRANCHES {
            return Ok(());
        }
        Err(Error::schema(
            "the categorical splits would need too much memory: use multiway splits, a \
             smaller depth, or drop features with very many categories",
        ))
    }
}

pub(super) struct GrownNode {
    pub(super) summary: NodeSummary,
    pub(super) below: Below,
}

/// What hangs below a node.
pub(super) enum Below {
    Nothing,
    /// Children from this position on.
    Children(usize, Split, MissingRoute),
    /// The subtree that a task grows.
    Task(usize),
}

impl Grower<'_> {
    /// Puts the parts together and numbers the nodes: a node's children when the node is reached, and
    /// everything below its first child before anything below the second.
    pub(super) fn number(&self, top: Grown, subtrees: Vec<Grown>) -> Result<Tree> {
        let mut parts = vec![top];
        parts.extend(subtrees);
        let mut nodes: Vec<Vec<Option<GrownNode>>> = parts
            .into_iter()
            .map(|grown| grown.nodes.into_iter().map(Some).collect())
            .collect();
        let mut take = |part: usize, node: usize| {
            nodes[part][node]
                .take()
                .expect("every node hangs in one place")
        };
        let root = take(0, 0);
        let value = root.summary.value;
        let outcome = self.summaries.outcome(root.summary);
        let loss = match &self.summaries {
            Summaries::Classes(loss) => (*loss).clone(),
            Summaries::Numbers { .. } => Loss::Squared,
        };
        let mut builder = TreeBuilder::new(Arc::clone(self.schema), loss, outcome, value)?;
        let mut stack = vec![(NodeId::ROOT, 0, root.below)];
        while let Some((id, part, below)) = stack.pop() {
            match below {
                Below::Nothing => {}
                // Task `t` grew part `t + 1`; the summary of its root is that of this node.
                Below::Task(task) => stack.push((id, task + 1, take(task + 1, 0).below)),
                Below::Children(first, split, missing) => {
                    let n_children = split.n_present()
                        + usize::from(missing == MissingRoute::Child(split.n_present() as u32));
                    let mut outcomes = Vec::with_capacity(n_children);
                    let mut belows = Vec::with_capacity(n_children);
                    for child in first..first + n_children {
                        let GrownNode { summary, below } = take(part, child);
                        let value = summary.value;
                        outcomes.push((self.summaries.outcome(summary), value));
                        belows.push(below);
                    }
                    let first_id = builder.split(id, split, missing, outcomes)?;
                    for (offset, below) in belows.into_iter().enumerate().rev() {
                        stack.push((NodeId(first_id.0 + offset as u32), part, below));
                    }
                }
            }
        }
        Ok(builder.finish())
    }
}

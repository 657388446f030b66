//! Prunings: the same tree with some inner nodes turned into leaves.

use super::{Branch, Node, NodeId, Outcomes, Tree};

impl Tree {
    /// The pruning whose leaves are the topmost nodes that `is_cut` names, and the leaves below no
    /// such node. Nodes keep their order.
    #[must_use]
    pub fn cut(&self, is_cut: impl Fn(NodeId) -> bool) -> Self {
        // The nodes that stay, and their new numbers. Siblings stay or go together, so they remain
        // neighbours.
        let mut number = vec![u32::MAX; self.n_nodes()];
        number[0] = 0;
        let mut kept: Vec<NodeId> = Vec::new();
        for id in self.ids() {
            if number[id.index()] == u32::MAX {
                continue;
            }
            number[id.index()] = kept.len() as u32;
            kept.push(id);
            if let Some(branch) = self.branch(id).filter(|_| !is_cut(id)) {
                for child in branch.children() {
                    number[child.index()] = 0;
                }
            }
        }
        let nodes = kept.iter().map(|&id| Node {
            branch: self
                .branch(id)
                .filter(|branch| number[branch.first_child.index()] != u32::MAX)
                .map(|branch| Branch {
                    first_child: NodeId(number[branch.first_child.index()]),
                    ..branch.clone()
                }),
            value: self.value(id),
        });
        Self {
            nodes: nodes.collect(),
            schema: self.schema.clone(),
            loss: self.loss.clone(),
            outcomes: self.outcomes.of(&kept),
        }
    }

    /// The largest sum that numbers of the nodes have over the leaves of any pruning. Weights in a
    /// file need not add up, so a node may count more than the root.
    pub(crate) fn largest_sum(&self, numbers: &[f64]) -> f64 {
        let mut sums = numbers.to_vec();
        for id in self.ids().rev() {
            if let Some(branch) = self.branch(id) {
                let below: f64 = branch.children().map(|child| sums[child.index()]).sum();
                sums[id.index()] = sums[id.index()].max(below);
            }
        }
        sums[0]
    }
}

impl Outcomes {
    /// The outcomes of some nodes.
    fn of(&self, nodes: &[NodeId]) -> Self {
        let pick = |all: &[f64], width: usize| -> Vec<f64> {
            let mut picked = Vec::with_capacity(nodes.len() * width);
            for id in nodes {
                picked.extend_from_slice(&all[id.index() * width..][..width]);
            }
            picked
        };
        match self {
            Self::Counts { n_classes, counts } => Self::Counts {
                n_classes: *n_classes,
                counts: pick(counts, *n_classes),
            },
            Self::Numbers {
                moments,
                n_bins,
                bins,
            } => Self::Numbers {
                moments: nodes.iter().map(|id| moments[id.index()]).collect(),
                n_bins: *n_bins,
                bins: pick(bins, *n_bins),
            },
        }
    }
}

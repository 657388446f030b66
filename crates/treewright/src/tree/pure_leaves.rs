//! Trees whose leaves are sure: of the weight of each, the class that it predicts has a least share.

use super::{NodeId, Tree};
use crate::cost::ClassShare;

impl Tree {
    /// Has the class that a node predicts this share of its weight?
    pub fn has_share(&self, id: NodeId, share: &ClassShare) -> bool {
        share.allows(self.counts(id), self.value(id) as usize)
    }

    /// The first leaf in which the predicted class has less than this share. A tree of one leaf may have less.
    pub fn below_share(&self, share: &ClassShare) -> Option<NodeId> {
        let is_leaf = |id: &NodeId| *id != NodeId::ROOT && self.is_leaf(*id);
        let mut leaves = self.ids().filter(is_leaf);
        leaves.find(|&id| !self.has_share(id, share))
    }

    /// The largest pruning in all leaves of which the predicted class has at least this share; a single leaf if there is
    /// none.
    #[must_use]
    pub fn cut_to_share(&self, share: &ClassShare) -> Self {
        // Has the tree below a node such a pruning, and is it a leaf?
        let (mut is_sure, mut is_cut) = (vec![false; self.n_nodes()], vec![false; self.n_nodes()]);
        for id in self.ids().rev() {
            let at = id.index();
            let mut children = self
                .branch(id)
                .into_iter()
                .flat_map(super::Branch::children);
            is_cut[at] = self.is_leaf(id) || children.any(|child| !is_sure[child.index()]);
            is_sure[at] = !is_cut[at] || self.has_share(id, share);
        }
        self.cut(|id| is_cut[id.index()])
    }
}

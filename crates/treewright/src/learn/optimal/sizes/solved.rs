//! What a search leaves behind about some rows, for every number of leaves.

use std::sync::Arc;

use super::losses::LossBySize;
use crate::learn::optimal::problem::{Inherited, RootSplit, Sketch, ValueEncoding};

/// What is known about some rows.
#[derive(Debug, Clone)]
pub(crate) struct Solved {
    /// No tree of a size loses less. It is the least loss where that was wanted.
    pub(crate) lower: LossBySize,
    /// The best trees that were found, for each size.
    pub(crate) best: Vec<FoundTree>,
    /// Was the search finished?
    pub(crate) is_done: bool,
    /// What holds for all sets that contain these rows, too.
    pub(crate) inherited: Arc<Inherited>,
}

/// The best tree of a size.
#[derive(Debug, Clone)]
pub(crate) struct FoundTree {
    pub(crate) loss: u64,
    /// Its root, if the search at hand has found it, and not one with a level less.
    pub(crate) root: Option<Arc<FoundRoot>>,
    pub(crate) plan: SizePlan,
}

/// The upper levels of a tree with a number of leaves.
#[derive(Debug, Clone)]
pub(crate) enum SizePlan {
    /// A leaf, or the best split into leaves.
    Last,
    /// The best tree of a depth, of any size.
    Best(usize, Option<Sketch>),
    /// A root split, and what is below.
    Split(Arc<FoundRoot>),
}

/// A root split, with the numbers of leaves of its branches.
#[derive(Debug)]
pub(crate) struct FoundRoot {
    pub(crate) depth: usize,
    pub(crate) split: RootSplit,
    pub(crate) branches: Vec<FoundBranch>,
}

/// A branch of a root split.
#[derive(Debug)]
pub(crate) struct FoundBranch {
    pub(crate) leaves: usize,
    pub(crate) loss: u64,
    pub(crate) plan: SizePlan,
}

impl FoundRoot {
    /// The best trees of these sizes below a root split.
    pub(crate) fn new(depth: usize, split: RootSplit, parts: &[&Solved], sizes: &[usize]) -> Self {
        let branch = |(part, &leaves): (&&Solved, &usize)| {
            let tree = &part.best[leaves.min(part.best.len()) - 1];
            FoundBranch {
                leaves: leaves.min(part.best.len()),
                loss: tree.loss,
                plan: tree.plan.clone(),
            }
        };
        Self {
            depth,
            split,
            branches: parts.iter().zip(sizes).map(branch).collect(),
        }
    }

    /// The tree has no more leaves.
    pub(crate) fn leaves(&self) -> usize {
        self.branches.iter().map(|branch| branch.leaves).sum()
    }
}

impl FoundTree {
    pub(crate) fn by(loss: u64, root: &Arc<FoundRoot>) -> Self {
        Self {
            loss,
            root: Some(Arc::clone(root)),
            plan: SizePlan::Split(Arc::clone(root)),
        }
    }

    /// A tree whose root need not be known.
    pub(crate) fn planned(loss: u64, plan: SizePlan) -> Self {
        Self {
            loss,
            root: None,
            plan,
        }
    }

    /// A tree of any size that another search has found.
    pub(crate) fn of_any(
        depth: usize,
        encoding: ValueEncoding,
        value: u64,
        sketch: &Sketch,
    ) -> Self {
        let plan = SizePlan::Best(depth, Some(sketch.clone()));
        Self::planned(encoding.loss_of(value), plan)
    }

    /// This tree, as one with a level less.
    pub(crate) fn as_shallower(&self) -> Self {
        Self::planned(self.loss, self.plan.clone())
    }
}

impl Solved {
    /// Losses that are known, of a leaf or of one split.
    pub(crate) fn exactly(losses: LossBySize) -> Self {
        let tree = |leaves| FoundTree::planned(losses.at(leaves), SizePlan::Last);
        Self {
            best: (1..=losses.len()).map(tree).collect(),
            lower: losses,
            is_done: true,
            inherited: Arc::default(),
        }
    }

    /// There was no time to find out anything but the loss of a leaf.
    pub(crate) fn stopped(leaf: u64, n_sizes: usize) -> Self {
        Self {
            lower: LossBySize::same(0, n_sizes),
            is_done: false,
            ..Self::exactly(LossBySize::same(leaf, n_sizes))
        }
    }

    /// Nothing is said about trees with more levels than `depth`. Those with up to one leaf more have no more levels.
    pub(crate) fn forget_deeper(&mut self, depth: usize) {
        for leaves in depth + 2..=self.lower.len() {
            self.lower.set(leaves, 0);
        }
    }

    /// There is a tree with some leaves; it counts where it is better.
    pub(crate) fn offer(&mut self, leaves: usize, tree: &FoundTree) {
        for known in self.best.iter_mut().skip(leaves - 1) {
            if tree.loss < known.loss {
                *known = tree.clone();
            }
        }
    }

    /// The losses of the trees that were found.
    pub(crate) fn upper(&self) -> LossBySize {
        self.best.iter().map(|tree| tree.loss).collect()
    }
}

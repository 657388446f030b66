//! The tree of a size, when its loss is known: the first in the order of features and cuts.

use std::sync::Arc;

use super::SizeSearch;
use super::losses::LossBySize;
use super::node::Node;
use super::solved::{FoundRoot, SizePlan, Solved};
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::depth1::sized_intervals::SizedIntervals;
use crate::learn::optimal::plan::TreePlan;
use crate::learn::optimal::problem::{FeatureKind, IntervalRule, RowSet, Sketch};

impl SizeSearch<'_> {
    /// The tree of some rows with a loss that the best trees of this size and depth have.
    pub(crate) fn plan(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        leaves: usize,
        loss: u64,
    ) -> Result<TreePlan, Stopped> {
        if let Some(plan) = self.plan_last(rows, depth.min(1), leaves, loss) {
            return Ok(plan);
        }
        let mut below = self.solve(rows, 1, &vec![0; leaves], &Arc::default());
        for depth in 2..=depth {
            let mut wanted = vec![0; leaves];
            wanted[leaves - 1] = loss + 1;
            let mut node = Node::new(self, rows, depth, &wanted, &below, true);
            node.raise_floor(leaves, loss);
            node.run();
            let solved = node.finish(&wanted, &below);
            if !solved.is_done {
                return Err(Stopped);
            }
            let tree = &solved.best[leaves - 1];
            if tree.loss == loss
                && let Some(root) = &tree.root
            {
                return self.plan_below(rows, root);
            }
            below = Solved {
                lower: LossBySize::same(0, leaves),
                ..solved
            };
        }
        Err(Stopped)
    }

    /// The best tree of a depth and any size, as the search for these knows it.
    pub(crate) fn plan_best(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        sketch: Option<&Sketch>,
    ) -> Result<TreePlan, Stopped> {
        self.search.plan_below(rows, depth, sketch)
    }

    /// The tree below a root split that is known.
    pub(crate) fn plan_below(
        &self,
        rows: &Arc<RowSet>,
        root: &FoundRoot,
    ) -> Result<TreePlan, Stopped> {
        self.search.asking(rows, root.split, |at, part| {
            let branch = &root.branches[at];
            self.plan(part, root.depth - 1, branch.leaves, branch.loss)
        })
    }

    /// A leaf or one split into leaves, if that has the loss.
    fn plan_last(&self, rows: &RowSet, depth: usize, leaves: usize, loss: u64) -> Option<TreePlan> {
        let context = self.context();
        if context.leaf_loss(rows) == loss {
            return Some(TreePlan::Leaf);
        }
        if depth == 0 {
            return None;
        }
        // A loss that is known needs its tree, however late it is.
        let mut deadline = Deadline::new(&|| false);
        let asked = |feature: usize| {
            let losses = context.losses_of_split(rows, feature, leaves, &mut deadline);
            let of_loss = losses.ok()?.into_iter().find(|&(_, found)| found == loss);
            of_loss.map(|(leaves, _)| (leaves, feature))
        };
        let (leaves, feature) = (0..rows.cells().len()).filter_map(asked).min()?;
        Some(self.plan_split(rows, feature, leaves, loss))
    }

    /// The first split on a feature into a number of leaves that has a loss.
    fn plan_split(&self, rows: &RowSet, feature: usize, leaves: usize, loss: u64) -> TreePlan {
        let context = self.context();
        let cells = &rows.cells()[feature];
        let n_missing = usize::from(cells.has_missing());
        if context.table.is_binary(feature) {
            let missing = context.missing(rows, feature).unwrap_or(0);
            let loss = loss - context.encoding.loss_of(missing);
            let groups = (leaves - n_missing, loss);
            return self.search.groups_of_leaves(rows, feature, groups);
        }
        let cuts: Vec<u32> = match context.table.kinds()[feature] {
            FeatureKind::Categorical => (1..cells.n_ranks() as u32).collect(),
            FeatureKind::Numeric if context.rule.has_share() => {
                let missing = context.missing(rows, feature).unwrap_or(0);
                let loss = loss - context.encoding.loss_of(missing);
                let cuts = context.pure_cuts_of(rows, feature, (leaves - n_missing, loss));
                cuts.expect("a loss that was found has cuts")
            }
            FeatureKind::Numeric => {
                let missing = context.missing(rows, feature).unwrap_or(0);
                let missing = context.encoding.loss_of(missing);
                let intervals = leaves - n_missing;
                let value = context.encoding.loss(loss - missing)
                    + intervals as u64 * context.encoding.per_leaf();
                let rule = IntervalRule::new(intervals, context.rule.min_leaf());
                let line = SizedIntervals::new(context.table, rows, feature);
                let cuts = line.cuts(value, rule, context.encoding);
                let cuts = cuts.expect("a loss that was found has cuts");
                cuts.into_iter().map(|cut| cut as u32).collect()
            }
        };
        let children = vec![TreePlan::Leaf; cuts.len() + 1 + n_missing];
        self.search.split(rows, feature, &cuts, children)
    }

    /// The tree of a plan, when there is no time to look for the first of equal ones.
    pub(crate) fn follow(
        &self,
        rows: &Arc<RowSet>,
        plan: &SizePlan,
        leaves: usize,
        loss: u64,
    ) -> TreePlan {
        match plan {
            SizePlan::Last => {
                let plan = self.plan_last(rows, 1, leaves, loss);
                plan.unwrap_or(TreePlan::Leaf)
            }
            SizePlan::Best(depth, sketch) => {
                let plan = sketch
                    .as_ref()
                    .map(|sketch| self.search.follow(rows, *depth, sketch));
                plan.unwrap_or(TreePlan::Leaf)
            }
            SizePlan::Split(root) => {
                let Ok(plan) =
                    self.search
                        .asking::<std::convert::Infallible>(rows, root.split, |at, part| {
                            let branch = &root.branches[at];
                            Ok(self.follow(part, &branch.plan, branch.leaves, branch.loss))
                        });
                plan
            }
        }
    }
}

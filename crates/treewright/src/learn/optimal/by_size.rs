//! The best trees for every number of leaves.

use std::sync::Arc;

use crate::budget::Budget;
use crate::cost::{RowLosses, SolutionValue};
use crate::data::Dataset;
use crate::error::Result;
use crate::learn::optimal::Optimal;
use crate::learn::optimal::by_depth::keep_time_for_plan;
use crate::learn::optimal::claim::most_loss;
use crate::learn::optimal::deeper::region_bounds::RegionBounds;
use crate::learn::optimal::problem::{Context, IntervalRule, RankTable, RowSet};
use crate::learn::optimal::search::TreeSearch;
use crate::learn::optimal::sizes::SizeSearch;
use crate::learn::optimal::sizes::losses::LossBySize;
use crate::learn::optimal::sizes::solved::{FoundTree, SizePlan, Solved};
use crate::learn::optimal::switches::Switches;
use crate::tree::{Tree, check_claim};

/// The best tree with a number of leaves.
#[derive(Debug, Clone)]
pub struct SizedTree {
    /// The tree.
    pub tree: Tree,
    /// Its cost in units, and its leaves.
    pub value: SolutionValue,
    /// No tree with at most as many leaves costs less, in units.
    pub lower: i64,
}

impl Optimal {
    /// The best trees of every size, with the speed-ups that are switched on.
    #[doc(hidden)]
    pub fn fit_sizes_with(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
    ) -> Result<Vec<SizedTree>> {
        self.check(data)?;
        let losses = RowLosses::new(data, &self.loss, "optimal trees", most_loss(data))?;
        let table = RankTable::new(data, &losses, self.leaf_size(data));
        let encoding = self.encoding(&table, losses.scale, losses.is_whole)?;
        let columns = (0..data.columns().len()).collect();
        let (table, is_sorted) = table.sorted(columns, budget);
        let region_bounds = RegionBounds::new(self.most_bytes);
        let context = self.context(&table, encoding, switches);
        let (search_budget, kept) = keep_time_for_plan(context, budget);
        let search = self.tree_search(context, &search_budget, kept, &region_bounds);
        let any_leaf = IntervalRule::new(context.rule.most(), 1);
        let relaxed_bounds = RegionBounds::new(self.most_bytes);
        let relaxed = TreeSearch {
            context: Context {
                rule: any_leaf,
                ..context
            },
            region_bounds: &relaxed_bounds,
            ..search
        };
        let relaxed = SizeSearch::new(&relaxed, None);
        let relaxed = (context.rule.min_leaf() > 1).then_some(&relaxed);
        let by_size = BySize::solve(&search, relaxed, self.depth, is_sorted);
        let rows = table.whole();
        let cost = |loss: u64| loss as i64 + table.constant();
        let mut trees = Vec::new();
        for leaves in by_size.members() {
            let loss = by_size.solved.best[leaves - 1].loss;
            let tree = by_size.plan(rows, leaves).build(data, &self.loss)?;
            let value = SolutionValue {
                cost: cost(loss),
                leaves,
            };
            check_claim(value, tree.recounted(data, losses.counting), losses.slack)?;
            trees.push(SizedTree {
                tree,
                value,
                lower: cost(by_size.solved.lower.at(leaves)),
            });
        }
        Ok(trees)
    }
}

/// The best trees of every size.
struct BySize<'a> {
    search: SizeSearch<'a>,
    tree_search: &'a TreeSearch<'a>,
    solved: Solved,
}

impl<'a> BySize<'a> {
    /// One depth after the other: if time is up, the best trees of the last one stand.
    fn solve(
        tree_search: &'a TreeSearch<'a>,
        relaxed: Option<&'a SizeSearch<'a>>,
        depth: usize,
        is_sorted: bool,
    ) -> Self {
        let table = tree_search.context.table;
        let rows = table.whole();
        let search = SizeSearch::new(tree_search, relaxed);
        let depth = if is_sorted {
            depth.min(table.longest_way())
        } else {
            0
        };
        let n_sizes = search.most_leaves(rows.len(), depth);
        // One leaf is always allowed.
        let mut solved = Solved::exactly(LossBySize::same(rows.error(), n_sizes));
        let mut of_any = [None, None];
        let mut lower = solved.clone();
        for level in 1..=depth {
            if let Some(relaxed) = relaxed {
                (lower, of_any[0]) = relaxed.solve_top(rows, level, &lower, None, of_any[0].take());
            }
            let floor = relaxed.map(|_| &lower);
            (solved, of_any[1]) = search.solve_top(rows, level, &solved, floor, of_any[1].take());
            if !solved.is_done || !lower.is_done {
                solved.is_done = false;
                if level < depth {
                    solved.forget_deeper();
                }
                break;
            }
        }
        Self {
            search,
            tree_search,
            solved,
        }
    }

    /// The numbers of leaves with which a tree loses less than with fewer.
    fn members(&self) -> Vec<usize> {
        let loss = |leaves: usize| self.solved.best[leaves - 1].loss;
        let is_better = |&leaves: &usize| leaves == 1 || loss(leaves) < loss(leaves - 1);
        (1..=self.solved.best.len()).filter(is_better).collect()
    }

    fn plan(&self, rows: &Arc<RowSet>, leaves: usize) -> crate::learn::optimal::plan::TreePlan {
        let FoundTree { loss, plan, .. } = &self.solved.best[leaves - 1];
        let first = match plan {
            _ if !self.solved.is_done => None,
            SizePlan::Last => self.search.plan(rows, 1, leaves, *loss).ok(),
            SizePlan::Best(depth, sketch) => self
                .tree_search
                .plan_below(rows, *depth, sketch.as_ref())
                .ok(),
            SizePlan::Split(root) => self.search.plan_below(rows, root).ok(),
        };
        first.unwrap_or_else(|| self.search.follow(rows, plan, leaves, *loss))
    }
}

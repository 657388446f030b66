//! The best trees for every number of leaves.

use std::sync::Arc;
use std::time::Instant;

use crate::budget::Budget;
use crate::cost::{
    Counting, Lambda, Penalty, RowLosses, Scale, SolutionValue, lambda_low, lower_hull,
};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::FamilyLearner;
use crate::learn::exact::by_rows;
use crate::learn::optimal::Optimal;
use crate::learn::optimal::by_depth::keep_time_for_plan;
use crate::learn::optimal::claim::most_loss;
use crate::learn::optimal::deeper::region_bounds::RegionBounds;
use crate::learn::optimal::plan::TreePlan;
use crate::learn::optimal::problem::{Context, IntervalRule, RowSet};
use crate::learn::optimal::search::TreeSearch;
use crate::learn::optimal::sizes::SizeSearch;
use crate::learn::optimal::sizes::losses::LossBySize;
use crate::learn::optimal::sizes::solved::{FoundTree, SizePlan, Solved};
use crate::learn::optimal::switches::Switches;
use crate::tree::{Family, FamilyFit, Training, Tree, check_claim};

/// Larger trees are not looked for, unless they are asked for: no one reads them.
const MOST_LEAVES: usize = 256;

/// The best trees of every size, from the smallest to the largest.
#[derive(Debug)]
pub(super) struct SizedTrees {
    /// A tree for each number of leaves with which one costs less than with fewer.
    trees: Vec<Tree>,
    /// Their costs in units, and their leaves.
    values: Vec<SolutionValue>,
    /// For each number of leaves: no tree with at most as many costs less, in units.
    lower: Vec<i64>,
    /// Trees with more leaves may cost as little as this, in units; `None` if there are no such trees that cost less.
    larger: Option<i64>,
}

impl FamilyLearner for Optimal {
    fn fit_family(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        self.fit_family_with(data, budget, Switches::USUAL)
    }

    fn weight(&self, _data: &Dataset) -> Result<Lambda> {
        Ok(self.leaf_cost.clone())
    }
}

impl Optimal {
    /// Learns the best trees of every size in another way of working: that must not change them.
    #[doc(hidden)]
    pub fn fit_family_with(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
    ) -> Result<FamilyFit> {
        let start = Instant::now();
        self.check(data)?;
        if self.intervals == Some(1) {
            let expected = "at least 2 for trees of every size";
            return Err(Error::parameter("intervals", 1, expected));
        }
        let budget = &budget.within_memory(self.most_bytes);
        let losses = RowLosses::new(data, &self.loss, "optimal trees", most_loss(data))?;
        let found = self.sized_trees(data, &losses, budget, switches)?;
        let exact_down_to = found.exact_down_to(&self.penalty, losses.scale);
        let lower_bounds = found.lower_bounds(losses.scale);
        let SizedTrees {
            mut trees,
            mut values,
            ..
        } = found;
        let rounded = matches!(losses.counting, Counting::Rounded(_));
        let costs = rounded.then(|| by_rows(&mut values, &mut trees, data));
        let family = Family::new(self.penalty.clone(), losses.scale, values, Arc::new(trees));
        let family = family.with_costs(costs).with_all_sizes();
        family.check_weights()?;
        let seconds = start.elapsed();
        let training = Training::of_leaves(&family.tree(family.len() - 1), data).taking(seconds);
        Ok(FamilyFit {
            family,
            learner: self.family_info(data),
            training,
            exact: losses.is_whole,
            tolerance: losses.tolerance().filter(|_| !losses.is_whole),
            exact_down_to,
            lower_bounds: lower_bounds.filter(|_| !rounded),
            costs_from: None,
            cross_validation: None,
            work: None,
            seconds: seconds.as_secs_f64(),
        })
    }

    fn sized_trees(
        &self,
        data: &Dataset,
        losses: &RowLosses<'_>,
        budget: &Budget,
        switches: Switches,
    ) -> Result<SizedTrees> {
        let table = self.table(data, losses);
        // Leaves only break ties.
        let free = Self {
            leaf_cost: Lambda::zero(),
            ..self.clone()
        };
        let encoding = free.encoding(&table, losses.scale, losses.is_whole)?;
        let columns = (0..data.columns().len()).collect();
        let has_room = budget.has_room_for(self.bytes(data));
        let (table, is_sorted) = if has_room {
            table.sorted(columns, budget)
        } else {
            (table, false)
        };
        let region_bounds = [(); 2].map(|()| RegionBounds::new(self.most_bytes));
        let context = free.context(&table, encoding, switches);
        let (search_budget, kept) = keep_time_for_plan(context, budget);
        let search = self.tree_search(context, &search_budget, kept, &region_bounds[0]);
        let relaxed = TreeSearch {
            context: Context {
                rule: IntervalRule::new(context.rule.most(), 1),
                ..context
            },
            region_bounds: &region_bounds[1],
            ..search
        };
        let relaxed = SizeSearch::new(&relaxed, None);
        let relaxed = (context.rule.min_leaf() > 1).then_some(&relaxed);
        let depth = if is_sorted { self.depth } else { 0 };
        let mut by_size = BySize::solve(&search, relaxed, depth, self.leaves);
        if depth < self.depth {
            by_size.solved.forget_deeper();
            by_size.larger = Some(0);
        }
        let cost = |loss: u64| loss as i64 + table.constant();
        let (mut trees, mut values) = (Vec::new(), Vec::new());
        for leaves in by_size.members() {
            let value = SolutionValue {
                cost: cost(by_size.solved.best[leaves - 1].loss),
                leaves,
            };
            let tree = by_size.plan(table.whole(), leaves);
            let tree = tree.build(data, &self.loss)?;
            check_claim(value, tree.recounted(data, losses.counting), losses.slack)?;
            trees.push(tree);
            values.push(value);
        }
        let n_sizes = by_size.solved.best.len();
        let lower = (1..=n_sizes).map(|leaves| cost(by_size.solved.lower.at(leaves)));
        Ok(SizedTrees {
            trees,
            values,
            lower: lower.collect(),
            larger: by_size.larger.map(cost),
        })
    }
}

impl SizedTrees {
    /// The lower bounds of all trees, divided by the total weight, unless all of them are proven.
    fn lower_bounds(&self, scale: Scale) -> Option<Vec<f64>> {
        let lower = |value: &SolutionValue| self.lower[value.leaves - 1].min(value.cost);
        let is_proven = |value: &SolutionValue| lower(value) == value.cost;
        let bound = |value: &SolutionValue| scale.cost(lower(value).max(0));
        let is_open = !self.values.iter().all(is_proven);
        is_open.then(|| self.values.iter().map(bound).collect())
    }

    /// From this weight on it is certain which tree is best.
    fn exact_down_to(&self, penalty: &Penalty, scale: Scale) -> f64 {
        // Trees that are there, and trees that might be.
        let mut all: Vec<(SolutionValue, bool)> = Vec::new();
        for (place, &lower) in self.lower.iter().enumerate() {
            let leaves = place + 1;
            let found = self.values.iter().find(|value| value.leaves == leaves);
            let known = self.values.partition_point(|value| value.leaves <= leaves);
            let known = self.values[known.max(1) - 1].cost;
            if lower < known {
                let cost = lower;
                all.push((SolutionValue { cost, leaves }, false));
            } else if let Some(&value) = found {
                all.push((value, true));
            }
        }
        if let Some(cost) = self.larger {
            let leaves = self.lower.len() + 1;
            all.push((SolutionValue { cost, leaves }, false));
        }
        let trees: Vec<SolutionValue> = all.iter().map(|(tree, _)| *tree).collect();
        let best = lower_hull(&trees, penalty);
        let certain = best.iter().take_while(|&&place| all[place].1).count();
        match best.get(certain) {
            None => 0.0,
            Some(_) if certain == 0 => f64::INFINITY,
            Some(&open) => lambda_low(trees[best[certain - 1]], trees[open], penalty, scale),
        }
    }
}

/// The best trees of every size, as the search knows them.
struct BySize<'a> {
    search: SizeSearch<'a>,
    tree_search: &'a TreeSearch<'a>,
    solved: Solved,
    /// Trees with more leaves may lose as little as this, if that is less than others lose.
    larger: Option<u64>,
}

impl<'a> BySize<'a> {
    /// One depth after the other: if time is up, the best trees of the last one stand.
    fn solve(
        tree_search: &'a TreeSearch<'a>,
        relaxed: Option<&'a SizeSearch<'a>>,
        depth: usize,
        most_leaves: Option<usize>,
    ) -> Self {
        let table = tree_search.context.table;
        let rows = table.whole();
        let search = SizeSearch::new(tree_search, relaxed);
        let depth = depth.min(table.longest_way());
        let n_possible = search.most_leaves(rows.len(), depth);
        let n_sizes = n_possible.min(most_leaves.unwrap_or(MOST_LEAVES));
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
        // If the best tree of any size is among them, larger ones are no better.
        let least = solved.best[n_sizes - 1].loss;
        let [relaxed_any, own_any] = of_any;
        let of_any = own_any.or(relaxed_any).filter(|_| solved.is_done);
        let of_any = of_any.map_or(0, |it| tree_search.context.encoding.loss_of(it.lower));
        let larger =
            (n_possible > n_sizes && most_leaves.is_none() && of_any < least).then_some(of_any);
        Self {
            search,
            tree_search,
            solved,
            larger,
        }
    }

    /// The numbers of leaves with which a tree loses less than with fewer.
    fn members(&self) -> Vec<usize> {
        let loss = |leaves: usize| self.solved.best[leaves - 1].loss;
        let is_better = |&leaves: &usize| leaves == 1 || loss(leaves) < loss(leaves - 1);
        (1..=self.solved.best.len()).filter(is_better).collect()
    }

    fn plan(&self, rows: &Arc<RowSet>, leaves: usize) -> TreePlan {
        let FoundTree { loss, plan, .. } = &self.solved.best[leaves - 1];
        if leaves == 1 {
            return TreePlan::Leaf;
        }
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

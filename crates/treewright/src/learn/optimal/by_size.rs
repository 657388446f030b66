//! The best trees for every number of leaves.

use std::sync::Arc;
use std::time::Instant;

use crate::budget::Budget;
use crate::cost::{
    Counting, Lambda, Objective, Penalty, RowLosses, Scale, SolutionValue, lambda_low, lower_hull,
};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::FamilyLearner;
use crate::learn::exact::by_rows;
use crate::learn::optimal::Optimal;
use crate::learn::optimal::by_depth::{LITTLE_WORK, keep_time_for_plans};
use crate::learn::optimal::claim::most_loss;
use crate::learn::optimal::deeper::equivalent_points::least_loss;
use crate::learn::optimal::deeper::region_bounds::RegionBounds;
use crate::learn::optimal::plan::TreePlan;
use crate::learn::optimal::problem::{RowSet, SortedColumns};
use crate::learn::optimal::search::TreeSearch;
use crate::learn::optimal::sizes::SizeSearch;
use crate::learn::optimal::sizes::losses::LossBySize;
use crate::learn::optimal::sizes::solved::{FoundTree, SizePlan, Solved};
use crate::learn::optimal::switches::Switches;
use crate::tree::{Family, FamilyFit, Training, Tree, check_claim};

/// Larger trees are not looked for, unless they are asked for: no one reads them.
pub(super) const MOST_LEAVES: usize = 256;

/// The best trees of every size, from the smallest to the largest.
#[derive(Debug)]
pub(super) struct SizedTrees {
    /// A tree for each number of leaves with which one costs less than with fewer.
    pub(super) trees: Vec<Tree>,
    /// Their costs in units, and their leaves.
    pub(super) values: Vec<SolutionValue>,
    /// For each number of leaves: no tree with at most as many costs less, in units.
    pub(super) lower: Vec<i64>,
    /// Trees with more leaves may cost as little as this, in units; `None` if there are no such trees that cost less.
    pub(super) larger: Option<i64>,
    /// Did the search not come to its end?
    is_stopped: bool,
    /// Was there no search for more than one leaf?
    is_unsearched: bool,
}

/// Which of the trees of all sizes are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Trees have at most this many leaves.
    pub(super) most_leaves: usize,
    /// Only the best tree for this is made, if there is one.
    pub(super) best_for: Option<&'a Objective>,
    /// Columns that were sorted for several searches.
    pub(super) shared: Option<&'a SortedColumns<'a>>,
}

impl FamilyLearner for Optimal {
    fn fit_family(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        self.fit_family_with(data, budget, Switches::USUAL)
    }

    fn fit_fold(&self, data: &Dataset, budget: &Budget) -> Result<FamilyFit> {
        let Penalty::Table(table) = &self.penalty else {
            return self.fit_family(data, budget);
        };
        let n_lines = table.values().len();
        let within_table = Self {
            leaves: Some(self.leaves.map_or(n_lines, |leaves| leaves.min(n_lines))),
            ..self.clone()
        };
        within_table.fit_family(data, budget)
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
        self.family_of(data, budget, switches, None)
    }

    /// The same, from a table that several learners share.
    pub(crate) fn fit_family_sorted(
        &self,
        table: &SortedColumns<'_>,
        budget: &Budget,
    ) -> Result<FamilyFit> {
        let shared = self.shared(table, budget);
        self.family_of(table.data(), budget, Switches::USUAL, shared)
    }

    fn family_of(
        &self,
        data: &Dataset,
        budget: &Budget,
        switches: Switches,
        shared: Option<&SortedColumns<'_>>,
    ) -> Result<FamilyFit> {
        let start = Instant::now();
        self.check(data)?;
        let budget = &budget.within_memory(self.most_bytes);
        let losses = RowLosses::new(data, &self.loss, "optimal trees", most_loss(data))?;
        let wanted = Wanted {
            most_leaves: self.leaves.unwrap_or(MOST_LEAVES),
            best_for: None,
            shared,
        };
        let mut found = self.sized_trees(data, &losses, budget, switches, wanted)?;
        if self.leaves.is_some() {
            found.forget_larger();
        }
        let largest = found.values.iter().map(|value| value.leaves).max();
        self.penalty.check(largest.unwrap_or(1))?;
        let exact_down_to = found.exact_down_to(&self.penalty, losses.scale);
        let is_open = found.is_stopped || found.is_open();
        let rounded = matches!(losses.counting, Counting::Rounded(_));
        let SizedTrees {
            mut trees,
            mut values,
            lower,
            ..
        } = found;
        let costs = rounded.then(|| by_rows(&mut values, &mut trees, data));
        let lower_bounds = is_open.then(|| {
            let bound = |(place, value): (usize, &SolutionValue)| {
                let lower = lower[value.leaves - 1];
                match &costs {
                    Some(costs) if lower >= value.cost => costs[place],
                    Some(costs) => losses.scale.cost(lower.max(0)).min(costs[place]),
                    None => losses.scale.cost(lower.clamp(0, value.cost)),
                }
            };
            values.iter().enumerate().map(bound).collect()
        });
        let family = Family::new(self.penalty.clone(), losses.scale, values, Arc::new(trees));
        let family = family.with_costs(costs).with_all_sizes();
        family.check_weights()?;
        let seconds = start.elapsed();
        let last = family.len() - 1;
        let units = || family.values()[last].cost;
        let exact = losses.counting.exact_cost(losses.scale, units);
        let training = Training::of_leaves(&family.tree(last), data);
        let training = training.costing(exact).taking(seconds);
        Ok(FamilyFit {
            family,
            learner: self.family_info(data),
            training,
            exact: losses.is_whole,
            tolerance: losses.tolerance().filter(|_| !losses.is_whole),
            exact_down_to,
            lower_bounds,
            costs_from: None,
            cross_validation: None,
            work: None,
            seconds: seconds.as_secs_f64(),
        })
    }

    /// The best trees of every size, as far as the budget allows.
    pub(super) fn sized_trees(
        &self,
        data: &Dataset,
        losses: &RowLosses<'_>,
        budget: &Budget,
        switches: Switches,
        wanted: Wanted<'_>,
    ) -> Result<SizedTrees> {
        if self.intervals == Some(1) {
            let expected = "at least 2 for trees of every size";
            return Err(Error::parameter("intervals", 1, expected));
        }
        let table = self.table(data, losses)?.sharing(wanted.shared);
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
        let region_bounds = RegionBounds::new(self.most_bytes);
        let context = free.context(&table, encoding, switches);
        let n_trees = if wanted.best_for.is_some() {
            1
        } else {
            wanted.most_leaves
        };
        let (search_budget, kept) = keep_time_for_plans(context, budget, n_trees);
        let work_of_plan = context.work_of_one(context.rule.most());
        let is_late = |n_built: usize| {
            let is_much = work_of_plan.saturating_mul(n_built as u64) > LITTLE_WORK;
            is_much && budget.is_spent()
        };
        let search = self.tree_search(context, &search_budget, kept, &region_bounds);
        let relaxed = search.with_least(1);
        let relaxed = SizeSearch::new(&relaxed, None);
        let relaxed = (!search.is_monotone()).then_some(&relaxed);
        let depth = if is_sorted { self.depth } else { 0 };
        let mut by_size = BySize::solve(&search, relaxed, depth, wanted.most_leaves);
        if depth < self.depth {
            by_size.solved.forget_deeper(0);
            by_size.larger = Some(0);
        }
        let cost = |loss: u64| loss as i64 + table.constant();
        let n_sizes = by_size.solved.best.len();
        let is_done = by_size.solved.is_done;
        let value = |leaves: usize| SolutionValue {
            cost: cost(by_size.solved.best[leaves - 1].loss),
            leaves,
        };
        let mut members: Vec<SolutionValue> = by_size.members().into_iter().map(value).collect();
        if let Some(objective) = wanted.best_for.filter(|_| is_done) {
            let best = members.iter().copied();
            let best = best.min_by(|a, b| objective.compare(*a, *b));
            members = best.into_iter().collect();
        }
        let (mut found, mut is_whole): (Vec<(SolutionValue, Tree)>, bool) = (Vec::new(), is_done);
        for (n_built, value) in largest_first(members).enumerate() {
            if is_late(n_built) {
                is_whole = false;
                break;
            }
            let (plan, is_of_value) = by_size.plan(table.whole(), value.leaves);
            if !is_of_value && !plan.is_of_leaves(&table) {
                is_whole = false;
                continue;
            }
            let tree = plan.build(data, &self.loss)?;
            let recounted = tree.recounted(data, &losses.counting);
            is_whole &= is_of_value;
            if is_of_value {
                check_claim(value, recounted, losses.slack)?;
                found.push((value, tree));
            } else if recounted.leaves <= n_sizes {
                // The last level of a tree that was not finished may be better than the search knew.
                found.push((recounted, tree));
            }
        }
        keep_better(&mut found);
        let (mut values, mut trees): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if values.is_empty() {
            // There was no time for the only tree that is wanted.
            let leaf = TreePlan::Leaf.build(data, &self.loss)?;
            values.push(leaf.recounted(data, &losses.counting));
            trees.push(leaf);
        }
        if let Some(objective) = wanted.best_for.filter(|_| !is_whole) {
            // What trees cost that were not finished is known when they are built.
            let places = 0..values.len();
            let best = places.min_by(|&a, &b| objective.compare(values[a], values[b]));
            let best = best.expect("a single leaf is always there");
            trees = vec![trees.swap_remove(best)];
            values = vec![values[best]];
        }
        let lower = (1..=n_sizes).map(|leaves| cost(by_size.solved.lower.at(leaves)));
        Ok(SizedTrees {
            trees,
            values,
            lower: lower.collect(),
            larger: by_size.larger.map(cost),
            is_stopped: depth < self.depth || !is_whole,
            is_unsearched: depth < self.depth,
        })
    }
}

impl SizedTrees {
    /// Says that trees with more leaves do not matter. Without any search those with two leaves are larger ones.
    pub(super) fn forget_larger(&mut self) {
        if !self.is_unsearched {
            self.larger = None;
        }
    }

    /// May a tree of some size cost less than the one that was found?
    fn is_open(&self) -> bool {
        let costs = |place: usize| {
            let smaller = self.values.partition_point(|it| it.leaves <= place + 1);
            self.values[smaller.max(1) - 1].cost
        };
        let mut lower = self.lower.iter().enumerate();
        lower.any(|(place, &lower)| lower < costs(place))
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
        // A table of penalties allows no trees for which it has no line.
        all.retain(|(tree, _)| penalty.check(tree.leaves).is_ok());
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
        most_leaves: usize,
    ) -> Self {
        let table = tree_search.context.table;
        let rows = table.whole();
        let search = SizeSearch::new(tree_search, relaxed);
        let depth = depth.min(table.longest_way());
        let n_possible = search.most_leaves(rows.len(), depth);
        let n_sizes = n_possible.min(most_leaves);
        // One leaf is always allowed.
        let mut solved = Solved::exactly(LossBySize::same(rows.error(), n_sizes));
        let mut of_any = [None, None];
        let mut lower = solved.clone();
        let mut early = None;
        let start = Instant::now();
        for level in 1..=depth {
            if level == 3 {
                let time = tree_search.time_for_early_tree(start.elapsed());
                early = time.and_then(|time| tree_search.early_tree(rows, depth, time));
            }
            if let Some(relaxed) = relaxed {
                (lower, of_any[0]) = relaxed.solve_top(rows, level, &lower, None, of_any[0].take());
            }
            let large = relaxed.map_or(Vec::new(), |relaxed| {
                with_leaves(relaxed, &lower, rows, tree_search)
            });
            let floor = relaxed.map(|_| (&lower, &large[..]));
            (solved, of_any[1]) = search.solve_top(rows, level, &solved, floor, of_any[1].take());
            if !solved.is_done || !lower.is_done {
                solved.is_done = false;
                if level < depth {
                    solved.forget_deeper(level - 1);
                }
                break;
            }
        }
        let context = tree_search.context;
        if let Some((value, sketch)) = early.filter(|_| !solved.is_done) {
            let tree = FoundTree::of_any(depth, context.encoding, value, &sketch);
            solved.offer(context.encoding.leaves(value) as usize, &tree);
        }
        if !solved.is_done && context.switches.equivalent_points {
            let loss = least_loss(rows, tree_search.budget);
            solved.lower.raise(n_sizes, loss);
        }
        // If the best tree of any size is among them, larger ones are no better.
        let least = solved.best[n_sizes - 1].loss;
        let [relaxed_any, own_any] = of_any;
        let of_any = own_any.or(relaxed_any).filter(|_| solved.is_done);
        let of_any = of_any.map_or(0, |it| tree_search.context.encoding.loss_of(it.lower));
        let larger = (n_possible > n_sizes && of_any < least).then_some(of_any);
        Self {
            search,
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

    fn plan(&self, rows: &Arc<RowSet>, leaves: usize) -> (TreePlan, bool) {
        plan_of(&self.search, &self.solved, rows, leaves)
    }
}

/// The order in which trees are made while there is time: the largest is the best one, and small ones are wanted more
/// than those between.
fn largest_first(mut members: Vec<SolutionValue>) -> impl Iterator<Item = SolutionValue> {
    let largest = members.pop();
    largest.into_iter().chain(members)
}

/// Keeps the trees that cost less than all smaller ones. Of a search that was stopped, larger trees need not be better.
fn keep_better(found: &mut Vec<(SolutionValue, Tree)>) {
    found.sort_by_key(|(value, _)| (value.leaves, value.cost));
    let mut least = i64::MAX;
    found.retain(|(value, _)| {
        let is_better = value.cost < least;
        least = least.min(value.cost);
        is_better
    });
}

/// The best tree of a size, and whether there was time to look for all of it.
fn plan_of(
    search: &SizeSearch<'_>,
    solved: &Solved,
    rows: &Arc<RowSet>,
    leaves: usize,
) -> (TreePlan, bool) {
    let FoundTree { loss, plan, .. } = &solved.best[leaves - 1];
    if leaves == 1 {
        return (TreePlan::Leaf, solved.is_done);
    }
    let first = match plan {
        _ if !solved.is_done => None,
        SizePlan::Last => search.plan(rows, 1, leaves, *loss).ok(),
        SizePlan::Best(depth, sketch) => search.plan_best(rows, *depth, sketch.as_ref()).ok(),
        SizePlan::Split(root) => search.plan_below(rows, root).ok(),
    };
    match first {
        Some(plan) => (plan, true),
        None => (search.follow(rows, plan, leaves, *loss), false),
    }
}

/// The numbers of leaves with which the best trees with leaves of any kind have only those that are allowed.
fn with_leaves(
    relaxed: &SizeSearch<'_>,
    solved: &Solved,
    rows: &Arc<RowSet>,
    search: &TreeSearch<'_>,
) -> Vec<usize> {
    let table = search.context.table;
    if !solved.is_done || !search.context.switches.relaxed_first {
        return Vec::new();
    }
    let loss = |leaves: usize| solved.best[leaves - 1].loss;
    let is_large = |&leaves: &usize| {
        loss(leaves) < loss(leaves - 1)
            && matches!(plan_of(relaxed, solved, rows, leaves), (plan, true)
                if plan.is_of_leaves(table))
    };
    (2..=solved.best.len()).filter(is_large).collect()
}

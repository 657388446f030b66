//! One depth after the other, until the time is up: the search of a learner, and the tree that it has found.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::Optimal;
use crate::learn::optimal::claim::lower_of_any_depth;
use crate::learn::optimal::deeper::best_first::BestFirst;
use crate::learn::optimal::deeper::helper::Helper;
use crate::learn::optimal::deeper::notes::RootNotes;
use crate::learn::optimal::deeper::region_bounds::RegionBounds;
use crate::learn::optimal::depth2::screening::Screened;
use crate::learn::optimal::plan::TreePlan;
use crate::learn::optimal::problem::{
    Context, FeatureCells, Inherited, RankTable, RowSet, SearchResult, Sketch, ValueEncoding,
};
use crate::learn::optimal::proof::Prover;
use crate::learn::optimal::search::TreeSearch;
use crate::learn::optimal::switches::Switches;
use crate::tree::Proof;

/// About the time that a step of one split takes.
const NANOS_PER_STEP: u64 = 4;
/// Steps that may come after the end of the time: they take some hundredths of a second.
pub(super) const LITTLE_WORK: u64 = 1 << 24;

/// A tree that was found.
pub(super) struct FoundTree {
    pub(super) plan: TreePlan,
    /// What it is worth.
    pub(super) value: u64,
    /// No tree is worth less; `None` if that is the tree itself.
    pub(super) lower: Option<u64>,
}

impl FoundTree {
    /// A leaf, where nothing was searched.
    pub(super) fn leaf(value: u64, lower: u64) -> Self {
        Self {
            plan: TreePlan::Leaf,
            value,
            lower: Some(lower),
        }
    }
}

impl Optimal {
    /// One depth after the other: if time is up, the best tree of the last one stands. Of all the time there is a
    /// part for the search.
    pub(super) fn search(
        &self,
        table: &RankTable<'_>,
        encoding: ValueEncoding,
        [all, budget]: [&Budget; 2],
        switches: Switches,
        screened: Option<&Screened>,
        proof: Option<&mut Proof>,
    ) -> FoundTree {
        let rows = Arc::clone(table.whole());
        let region_bounds = RegionBounds::new(self.most_bytes);
        let context = self.context(table, encoding, switches);
        let (budget, kept) = keep_time_for_plans(context, budget, 1);
        let search = TreeSearch {
            screened,
            ..self.tree_search(context, &budget, kept, &region_bounds)
        };
        let deepest = self.depth.min(table.longest_way());
        let depths = Depths::solve(&search, &rows, deepest, proof.is_some(), all);
        if let Some(proof) = proof {
            Prover::new(&search).fill(proof, deepest, depths.proven, &depths.notes);
        }
        FoundTree {
            plan: depths.plan(search, &rows),
            value: depths.best,
            lower: depths.lower,
        }
    }
}

impl Optimal {
    /// The search for the best trees of a table.
    pub(super) fn tree_search<'a>(
        &self,
        context: Context<'a>,
        budget: &'a Budget,
        kept: Duration,
        region_bounds: &'a RegionBounds,
    ) -> TreeSearch<'a> {
        let (table, encoding) = (context.table, context.encoding);
        let features = 0..table.kinds().len();
        let may_need_leaf = { features }.any(|feature| table.is_multiway(feature))
            || table.whole().cells().iter().any(FeatureCells::has_missing);
        TreeSearch {
            context,
            budget,
            most_bytes: self.most_bytes,
            region_bounds,
            work_at_last: LITTLE_WORK.max(kept.as_nanos() as u64 / NANOS_PER_STEP),
            screened: None,
            helper: None,
            per_row: if may_need_leaf {
                encoding.per_leaf()
            } else {
                0
            },
        }
    }
}

impl TreeSearch<'_> {
    /// A good tree by local search in this time.
    pub(super) fn early_tree(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        time: Duration,
    ) -> Option<(u64, Sketch)> {
        if !self.context.switches.local_search {
            return None;
        }
        let budget = self.budget.within(time);
        let local = TreeSearch {
            budget: &budget,
            ..*self
        };
        local.good_tree(rows, depth)
    }

    /// A good tree before the search of a depth, if it is time to look for one.
    fn early_tree_at(
        &self,
        rows: &Arc<RowSet>,
        [depth, deepest]: [usize; 2],
        spent: Duration,
    ) -> Option<(u64, Sketch)> {
        let time = match depth {
            3 | 4 if self.budget.left().is_some() => self.time_for_early_tree(spent)?,
            // Without a limit it takes as long as all before, which is little beside what comes.
            4 => spent,
            _ => return None,
        };
        self.early_tree(rows, deepest, time)
    }

    /// The time for a local search, if all of it is limited: little where the search itself is quick.
    pub(super) fn time_for_early_tree(&self, spent: Duration) -> Option<Duration> {
        const PART: u32 = 4;
        const TIMES_SPENT: u32 = 8;
        let left = self.budget.left()?;
        Some((left / PART).min(TIMES_SPENT * spent))
    }
}

/// The last level of a tree is made at the end. With many classes in many intervals that takes so long that some time
/// is kept for it, for each of the trees that are wanted.
pub(super) fn keep_time_for_plans(
    context: Context<'_>,
    budget: &Budget,
    n_trees: usize,
) -> (Budget, Duration) {
    let work = context.work_of_one(context.rule.most());
    let work = work.saturating_mul(n_trees as u64);
    let left = budget.left().filter(|_| work > LITTLE_WORK);
    let kept = left.map_or(Duration::ZERO, |left| {
        Duration::from_nanos(work.saturating_mul(NANOS_PER_STEP)).min(left / 4)
    });
    (budget.keeping(kept), kept)
}

/// What is known after some depths.
struct Depths {
    /// The least value so far.
    best: u64,
    /// The depth with this value, and its result; `None` if it is that of a leaf.
    known: Option<(usize, SearchResult)>,
    /// After a search that was stopped: no tree has a smaller value.
    lower: Option<u64>,
    /// No tree of the last depth has a smaller value.
    proven: u64,
    /// What the search of the last depth has found out, for a proof.
    notes: Vec<RootNotes>,
}

impl Depths {
    fn solve(
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        deepest: usize,
        is_noted: bool,
        all: &Budget,
    ) -> Self {
        let mut depths = Self {
            best: search.context.encoding.leaf(rows.error()),
            known: None,
            lower: None,
            proven: 0,
            notes: Vec::new(),
        };
        let is_relaxed = !search.is_monotone() && search.context.switches.relaxed_first;
        let mut relaxed = is_relaxed.then(|| Relaxed::new(search, depths.best));
        let mut shallower = None;
        let mut early: Option<(u64, Sketch)> = None;
        let own = search;
        let helper: OnceCell<Helper<'_>> = OnceCell::new();
        let start = Instant::now();
        for depth in 2.min(deepest)..=deepest {
            let is_noted = is_noted && depth > 2 && depth == deepest;
            if let Some(tree) = own.early_tree_at(rows, [depth, deepest], start.elapsed())
                && early.as_ref().is_none_or(|early| tree.0 < early.0)
            {
                if let Some(helper) = helper.get() {
                    helper.begin_with(&tree);
                } else if let Some(new) = Helper::new(own, rows, deepest, tree.clone()) {
                    helper.get_or_init(|| new);
                }
                early = Some(tree);
            }
            let search = &TreeSearch {
                helper: helper.get(),
                ..*own
            };
            let upper = depths.upper(search, early.as_ref(), [depth, deepest]);
            let of_relaxed = relaxed.as_mut().filter(|_| depth > 1);
            let least = of_relaxed.map(|relaxed| relaxed.solve(search, rows, depth, upper));
            let known_lower = match least {
                Some(Least::Value(least)) => least,
                _ => 0,
            };
            let solved = match least {
                Some(Least::Tree(solved)) => solved,
                Some(Least::Value(least)) if least >= upper => {
                    SearchResult::at_least(upper, &Inherited::default(), rows.cells().len())
                }
                _ => match shallower.take() {
                    Some(shallower) if is_noted && !is_relaxed => {
                        let solved;
                        (solved, depths.notes) =
                            BestFirst::solve_noting(search, rows, depth, upper, shallower);
                        solved
                    }
                    shallower => search.solve_node(rows, depth, upper, shallower),
                },
            };
            let is_done = solved.is_done;
            if let Some(value) = solved.value.filter(|&value| value < upper) {
                depths.best = value;
                depths.known = Some((depth, solved.clone()));
            }
            if is_noted && is_relaxed && is_done {
                let known =
                    SearchResult::at_least(depths.best, &Inherited::default(), rows.cells().len());
                (_, depths.notes) =
                    BestFirst::solve_noting(search, rows, depth, depths.best, known);
            }
            // What leaves of any kind cost at least is never lost.
            let lower = solved.lower.max(known_lower);
            let (helper_lower, helper_tree) = helper.get().map_or((0, None), Helper::found);
            if !is_done
                && let Some(tree) = helper_tree
                && early.as_ref().is_none_or(|early| tree.0 < early.0)
            {
                early = Some(tree);
            }
            if let Some((value, sketch)) = early.take_if(|tree| !is_done && tree.0 < depths.best) {
                depths.best = value;
                let found = SearchResult::exactly(value, value + 1, sketch);
                depths.known = Some((deepest, found.into_stopped()));
            }
            if !is_done {
                // Of deeper trees the search knows nothing.
                let lower = if depth == deepest { lower } else { 0 };
                let lower = lower.max(helper_lower);
                let lower = lower_of_any_depth(&search.context, lower, depths.best, all);
                depths.lower = Some(lower);
            }
            if depth == deepest {
                depths.proven = if is_done {
                    depths.best
                } else {
                    lower.min(depths.best)
                };
            }
            shallower = Some(solved);
            if !is_done {
                break;
            }
        }
        depths
    }

    /// Trees of a depth with values from this on are not wanted.
    fn upper(
        &self,
        search: &TreeSearch<'_>,
        early: Option<&(u64, Sketch)>,
        [depth, deepest]: [usize; 2],
    ) -> u64 {
        let Some((early, _)) = early else {
            return self.best;
        };
        // Of three levels the best tree is wanted even if deeper ones are known to be better: its root makes a good
        // tree of more levels.
        if depth == 3 && depth < deepest && search.context.encoding.loss_of(*early) > 0 {
            return self.best;
        }
        // A tree of local search counts only if the time is up. Until then equal trees are wanted, too: the first of
        // them is found.
        self.best.min(early + 1)
    }

    /// The tree with the least value.
    fn plan(&self, search: TreeSearch<'_>, rows: &Arc<RowSet>) -> TreePlan {
        let Some((depth, solved)) = &self.known else {
            return TreePlan::Leaf;
        };
        let is_stopped = self.lower.is_some();
        if is_stopped && search.context.work_of_one(2) > search.work_at_last {
            // There is no time for its last level.
            return TreePlan::Leaf;
        }
        // The tree of a search that was stopped must not take long.
        let in_a_hurry = search.in_a_hurry();
        let is_late = is_stopped && in_a_hurry.context.rule != search.context.rule;
        let search = if is_late { in_a_hurry } else { search };
        plan_of(&search, rows, *depth, self.best, solved, is_late)
    }
}

/// The tree with a value that was found.
fn plan_of(
    search: &TreeSearch<'_>,
    rows: &Arc<RowSet>,
    depth: usize,
    best: u64,
    solved: &SearchResult,
    is_late: bool,
) -> TreePlan {
    // A tree of one level may be as good.
    let is_shallower = depth == 1
        || depth == 2
            && search.context.encoding.leaves(best) <= search.most_leaves_of_one()
            && search.context.one(rows, &mut Deadline::new(&|| is_late)) == Ok(Some(best));
    let plan = match solved.is_done && !is_late {
        true if is_shallower => search.plan(rows, 1),
        true => search.plan_below(rows, depth, solved.sketch.as_ref()),
        false => Err(Stopped),
    };
    plan.unwrap_or_else(|Stopped| {
        let sketch = solved.sketch.as_ref();
        sketch.map_or(TreePlan::Leaf, |sketch| search.follow(rows, depth, sketch))
    })
}

/// The search with leaves of any kind, where there are rules about leaves: one depth after the other.
struct Relaxed {
    /// The least value so far, with leaves of any kind.
    best: u64,
    shallower: Option<SearchResult>,
    /// Was a search stopped?
    is_stopped: bool,
}

/// What leaves of any kind tell about those that are allowed.
enum Least {
    /// The best tree of a depth has only leaves that are allowed.
    Tree(SearchResult),
    /// No tree has a smaller value.
    Value(u64),
}

impl Relaxed {
    fn new(search: &TreeSearch<'_>, best: u64) -> Self {
        Self {
            best: search
                .context
                .encoding
                .leaf(search.context.table.whole().error())
                .min(best),
            shallower: None,
            is_stopped: false,
        }
    }

    /// Searches trees of a depth. Only values below `upper` matter.
    fn solve(
        &mut self,
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
    ) -> Least {
        if self.is_stopped {
            return Least::Value(0);
        }
        // The other search needs some of the time.
        let left = search.budget.left();
        let budget = search
            .budget
            .keeping(left.map_or(Duration::ZERO, |left| left / 2));
        let relaxed = TreeSearch {
            budget: &budget,
            ..search.with_least(1)
        };
        let before = self.best;
        let solved = relaxed.solve_node(rows, depth, before, self.shallower.take());
        self.is_stopped = !solved.is_done;
        let value = solved.value.filter(|&value| value < before);
        self.best = value.unwrap_or(before);
        let least = if solved.is_done {
            self.best
        } else {
            solved.lower
        };
        let is_new = value.is_some_and(|value| value < upper) && solved.is_done;
        self.shallower = Some(solved.clone());
        if is_new {
            let plan = plan_of(&relaxed, rows, depth, self.best, &solved, false);
            let table = search.context.table;
            if plan.is_of_leaves(table) {
                return Least::Tree(solved);
            }
        }
        Least::Value(least)
    }
}

//! One depth after the other, until the time is up: the search of a learner, and the tree that it has found.

use std::sync::Arc;
use std::time::Duration;

use crate::budget::Budget;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::Optimal;
use crate::learn::optimal::claim::lower_of_any_depth;
use crate::learn::optimal::deeper::best_first::BestFirst;
use crate::learn::optimal::deeper::region_bounds::RegionBounds;
use crate::learn::optimal::depth2::screening::Screened;
use crate::learn::optimal::plan::TreePlan;
use crate::learn::optimal::problem::{
    FeatureCells, FeatureKind, RankTable, SearchResult, ValueEncoding,
};
use crate::learn::optimal::proof::Prover;
use crate::learn::optimal::search::TreeSearch;
use crate::learn::optimal::switches::Switches;
use crate::tree::Proof;

/// How long a step of asking one question takes, about.
const NANOS_PER_STEP: u64 = 4;
/// So many steps may come after the end of the time: they take some hundredths of a second.
const LITTLE_WORK: u64 = 1 << 24;

/// A tree that was found.
pub(super) struct FoundTree {
    pub(super) plan: TreePlan,
    /// What it is worth.
    pub(super) value: u64,
    /// No tree is worth less; `None` if that is the tree itself.
    pub(super) lower: Option<u64>,
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
        let may_need_leaf = table.kinds().contains(&FeatureKind::Categorical)
            || rows.cells().iter().any(FeatureCells::has_missing);
        let context = self.context(table, encoding, switches);
        // The last level of a tree is made at the end. With many classes in many intervals that takes so long that
        // some time is kept for it.
        let work = context.work_of_one(context.rule.most());
        let left = budget.left().filter(|_| work > LITTLE_WORK);
        let kept = left.map_or(Duration::ZERO, |left| {
            Duration::from_nanos(work.saturating_mul(NANOS_PER_STEP)).min(left / 4)
        });
        let budget = &budget.keeping(kept);
        let search = TreeSearch {
            context,
            budget,
            most_bytes: self.most_bytes,
            region_bounds: &RegionBounds::new(self.most_bytes),
            work_at_last: LITTLE_WORK.max(kept.as_nanos() as u64 / NANOS_PER_STEP),
            screened,
            per_row: if may_need_leaf {
                encoding.per_leaf()
            } else {
                0
            },
        };
        let mut best = encoding.leaf(rows.error());
        let mut found = FoundTree {
            plan: TreePlan::Leaf,
            value: best,
            lower: None,
        };
        let mut known: Option<(usize, SearchResult)> = None;
        let mut shallower = None;
        let mut notes = Vec::new();
        let mut proven = 0;
        let deepest = self.depth.min(table.longest_way());
        for depth in 2.min(deepest)..=deepest {
            let is_noted = proof.is_some() && depth > 2 && depth == deepest;
            let solved = match shallower.take() {
                Some(shallower) if is_noted => {
                    let solved;
                    (solved, notes) =
                        BestFirst::solve_noting(&search, &rows, depth, best, shallower);
                    solved
                }
                shallower => search.solve_node(&rows, depth, best, shallower),
            };
            let is_done = solved.is_done;
            if let Some(value) = solved.value.filter(|&value| value < best) {
                best = value;
                known = Some((depth, solved.clone()));
            }
            if !is_done {
                // Of deeper trees the search knows nothing.
                let least = if depth == deepest { solved.least } else { 0 };
                found.lower = Some(lower_of_any_depth(&search.context, least, best, all));
            }
            if depth == deepest {
                proven = if is_done {
                    best
                } else {
                    solved.least.min(best)
                };
            }
            shallower = Some(solved);
            if !is_done {
                break;
            }
        }
        if let Some(proof) = proof {
            Prover::new(&search).fill(proof, deepest, proven, &notes);
        }
        found.value = best;
        let Some((depth, solved)) = known else {
            return found;
        };
        found.value = best;
        if found.lower.is_some() && search.context.work_of_one(2) > search.work_at_last {
            // There is no time for its last level.
            return found;
        }
        // The tree of a search that was stopped must not take long.
        let in_a_hurry = search.in_a_hurry();
        let is_late = found.lower.is_some() && in_a_hurry.context.rule != search.context.rule;
        let search = if is_late { in_a_hurry } else { search };
        // A tree of one level may be as good.
        let is_shallower = depth == 1
            || depth == 2
                && encoding.leaves(best) <= search.most_leaves_of_one()
                && search.context.one(&rows, &mut Deadline::new(&|| is_late)) == Ok(Some(best));
        let plan = match solved.is_done && !is_late {
            true if is_shallower => search.plan(&rows, 1),
            true => search.plan_below(&rows, depth, solved.sketch.as_ref()),
            false => Err(Stopped),
        };
        found.plan = plan.unwrap_or_else(|Stopped| {
            let sketch = solved.sketch.as_ref();
            sketch.map_or(TreePlan::Leaf, |sketch| search.follow(&rows, depth, sketch))
        });
        found
    }
}

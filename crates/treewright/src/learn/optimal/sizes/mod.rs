//! The best trees for every number of leaves, by one search.
//!
//! | file | contents |
//! |---|---|
//! | `losses` | losses by number of leaves, and how leaves are shared between branches |
//! | `last_split` | the best split into leaves |
//! | `node` | best-first search over ranges of cuts, for all sizes at once |
//! | `range` | ranges of cuts and their middle cuts |
//! | `scans` | the last two levels, many cuts at once |
//! | `solved` | what a search has found out about some rows |
//! | `plan` | the tree of a size |

pub(crate) mod last_split;
pub(crate) mod losses;
mod node;
pub(crate) mod plan;
mod range;
mod scans;
pub(crate) mod solved;

use std::sync::Arc;

use self::losses::{LossBySize, NEVER};
use self::node::Node;
use self::solved::{FoundTree, SizePlan, Solved};
use crate::learn::exact::Deadline;
use crate::learn::optimal::problem::{
    Context, FeatureCells, FeatureKind, Inherited, Region, RootSplit, RowSet, SearchResult,
};
use crate::learn::optimal::search::TreeSearch;

/// A search for the best trees of every size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SizeSearch<'a> {
    /// The search for the best tree of any size.
    search: &'a TreeSearch<'a>,
    /// The same with leaves of any kind, where there are rules about leaves here: its losses are lower bounds. Fewer rows
    /// never lose more only there.
    relaxed: Option<&'a SizeSearch<'a>>,
    /// Does every row have a number in each column?
    is_plain: bool,
    /// Do missing cells have branches of their own anywhere?
    has_missing: bool,
    /// The most categories of a feature that has a branch for each.
    most_categories: usize,
}

impl<'a> SizeSearch<'a> {
    pub(crate) fn new(search: &'a TreeSearch<'a>, relaxed: Option<&'a Self>) -> Self {
        let table = search.context.table;
        let has_missing = table.whole().cells().iter().any(FeatureCells::has_missing);
        let has_categories = table.kinds().contains(&FeatureKind::Categorical);
        let categories = (0..table.kinds().len()).filter(|&feature| table.is_multiway(feature));
        let most_categories = categories
            .map(|feature| table.whole().cells()[feature].n_ranks())
            .max()
            .unwrap_or(0);
        Self {
            search,
            relaxed,
            is_plain: !has_missing && !has_categories && search.is_monotone(),
            has_missing,
            most_categories,
        }
    }

    pub(super) fn context(&self) -> Context<'a> {
        self.search.context
    }

    /// The search whose losses are lower bounds for all sets that contain some rows.
    pub(super) fn bounding(&self) -> &Self {
        self.relaxed.unwrap_or(self)
    }

    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Is time up, or are there too many ranges that wait?
    pub(super) fn is_spent(&self, n_waiting: usize) -> bool {
        const BYTES_PER_RANGE: usize = 512;
        n_waiting * BYTES_PER_RANGE > self.search.most_bytes || self.search.budget.is_spent()
    }

    /// May cuts near one that misses by far be left out? A row more must not need a leaf of its own.
    pub(super) fn has_close_cuts(&self) -> bool {
        self.context().switches.close_cuts && !self.has_missing && self.most_categories == 0
    }

    /// No tree of a depth has more leaves, for a number of rows.
    pub(crate) fn most_leaves(&self, n_rows: usize, depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let missing = usize::from(self.has_missing);
        let most = self.context().rule.most().max(2).max(self.most_categories);
        let last = most.saturating_add(missing);
        let branches = self.most_categories.max(2) + missing;
        let all = (1..depth).fold(last, |all, _| all.saturating_mul(branches));
        all.min(n_rows)
    }

    /// The regions of both sides of a root split.
    pub(super) fn regions_of(&self, rows: &RowSet, root: RootSplit) -> [Option<Region>; 2] {
        self.search.regions_of(rows, root)
    }

    /// The rows on both sides of a root split.
    pub(super) fn parted(&self, rows: &RowSet, root: RootSplit) -> [RowSet; 2] {
        self.search.parted(rows, root)
    }

    /// How many rows are on the low side of a root split.
    pub(super) fn n_below(&self, rows: &RowSet, root: RootSplit) -> usize {
        self.search.n_below(rows, root)
    }

    /// The least losses of some rows where they are wanted, with what is known from smaller sets of rows.
    pub(super) fn solve(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        wanted: &[u64],
        known: &Arc<Inherited>,
    ) -> Solved {
        let leaf = self.context().leaf_loss(rows);
        if depth == 0 {
            return Solved::exactly(LossBySize::same(leaf, wanted.len()));
        }
        if depth == 1 {
            let is_spent = || self.search.budget.is_spent();
            let mut deadline = Deadline::new(&is_spent);
            return match self
                .context()
                .losses_of_one(rows, wanted.len(), &mut deadline)
            {
                Ok(losses) => Solved::exactly(losses),
                Err(_) => Solved::stopped(leaf, wanted.len()),
            };
        }
        let below = self.solve(rows, depth - 1, wanted, &Arc::default());
        let mut node = Node::new(self, rows, depth, wanted, &below, false);
        let mut inherited = Arc::clone(known);
        if below.is_done && node.is_open() {
            if self.has_tree_search() {
                let of_any = self.best_of_any(&node, rows, depth, known);
                inherited = Arc::new(of_any.inherited);
            }
            node.run();
        }
        Solved {
            inherited,
            ..node.finish(wanted, &below)
        }
    }

    /// The best trees of all rows, when those with a level less are known: of equal trees the first, found by all
    /// threads. The best trees with leaves of any size may be known, and with how many leaves theirs are large enough.
    /// Also what is known about the best tree of any size.
    pub(crate) fn solve_top(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        below: &Solved,
        relaxed: Option<(&Solved, &[usize])>,
        of_any: Option<SearchResult>,
    ) -> (Solved, Option<SearchResult>) {
        let wanted = vec![NEVER; below.best.len()];
        if depth == 1 {
            let mut solved = self.solve(rows, 1, &wanted, &Arc::default());
            if self.context().leaf(rows).is_none() {
                // One leaf is always allowed.
                solved = if solved.is_done {
                    Solved::exactly(solved.lower.or_leaf(rows.error()))
                } else {
                    Solved::stopped(rows.error(), wanted.len())
                };
            }
            return (solved, None);
        }
        let mut node = Node::new(self, rows, depth, &wanted, below, true);
        if let Some((relaxed, large)) = relaxed {
            for &leaves in large {
                let tree = &relaxed.best[leaves - 1];
                node.offer_tree(leaves, &FoundTree::planned(tree.loss, tree.plan.clone()));
            }
            node.raise_floors(&relaxed.lower);
        }
        let mut known = None;
        if node.is_open() && self.has_tree_search() {
            let upper = self.context().encoding.leaf(rows.error());
            let solved = self.search.solve_node(rows, depth, upper, of_any);
            self.take(
                &node,
                depth,
                self.context().encoding.loss_of(upper),
                &solved,
            );
            known = Some(solved);
        }
        if node.is_open() {
            node.run();
        }
        (node.finish(&wanted, below), known)
    }

    /// Is there a search for the best tree of any size?
    fn has_tree_search(&self) -> bool {
        self.search.has_ranges()
    }

    /// The best tree of any size, by the search that is made for it: if it is not good enough, nothing is.
    fn best_of_any(
        &self,
        node: &Node<'_, '_>,
        rows: &Arc<RowSet>,
        depth: usize,
        known: &Inherited,
    ) -> SearchResult {
        let encoding = self.context().encoding;
        let wanted = node.wanted_for(RootSplit::uncut(0));
        let below = wanted.into_iter().max().unwrap_or(0);
        let solved = self.search.solve(rows, depth, encoding.loss(below), known);
        self.take(node, depth, below, &solved);
        solved
    }

    /// Takes over what a search for the best tree of any size has found out: trees that lose less than `below`
    /// matter.
    fn take(&self, node: &Node<'_, '_>, depth: usize, below: u64, solved: &SearchResult) {
        let encoding = self.context().encoding;
        match solved.value {
            _ if !solved.is_done => {
                node.stop();
                node.raise_floor(usize::MAX, encoding.loss_of(solved.lower).min(below));
                if let (Some(value), Some(sketch)) = (solved.value, &solved.sketch) {
                    let tree = FoundTree::of_any(depth, encoding, value, sketch);
                    node.offer_tree(encoding.leaves(value) as usize, &tree);
                }
            }
            None => node.raise_floor(usize::MAX, below),
            Some(value) => {
                let (loss, leaves) = (encoding.loss_of(value), encoding.leaves(value) as usize);
                let plan = SizePlan::Best(depth, solved.sketch.clone());
                node.offer_tree(leaves, &FoundTree::planned(loss, plan));
                node.raise_floor(usize::MAX, loss);
                // It has the fewest leaves of all with this loss.
                node.raise_floor(leaves - 1, loss + 1);
            }
        }
    }
}

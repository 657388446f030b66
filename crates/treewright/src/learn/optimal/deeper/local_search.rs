//! Good trees early: local search over the cuts of upper levels.
//!
//! **Problem.** A search that proves a tree goes where lower bounds are low, and not where trees are good. When it is
//! stopped, its incumbent may be that of a level less.
//!
//! **Method.** The best tree of two levels is found exactly; its root is the first root of a deeper tree, whose
//! branches are solved in the same way. Then the cut of the root moves in steps of fewer and fewer rows as long as the
//! tree gets better, and so does, for all rows, the best single cut of every other feature. Trees of the last two
//! levels are always the best ones. Nothing is proven here.

use std::sync::Arc;

use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::depth1::intervals::losses_of_intervals;
use crate::learn::optimal::depth1::lowest_cut::lowest_cut;
use crate::learn::optimal::problem::{FeatureKind, Inherited, RootSplit, RowSet, Sketch};
use crate::learn::optimal::search::TreeSearch;

/// A local search over the roots of some rows.
struct LocalSearch<'s> {
    search: &'s TreeSearch<'s>,
    rows: &'s Arc<RowSet>,
    depth: usize,
    best: (u64, Sketch),
    tried: Vec<RootSplit>,
}

impl TreeSearch<'_> {
    /// A good tree of at least two levels for all rows; `None` if there is no time for any.
    pub(crate) fn good_tree(&self, rows: &Arc<RowSet>, depth: usize) -> Option<(u64, Sketch)> {
        let mut local = self.local_search(rows, depth)?;
        local.start();
        for feature in 0..rows.cells().len() {
            if let Ok(Some(cut)) = self.best_single_cut(rows, feature) {
                local.walk(RootSplit::at(feature, cut));
            }
        }
        Some(local.best)
    }

    /// A good tree of some rows with a value below `upper`.
    pub(super) fn good_tree_below(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
    ) -> Option<(u64, Sketch)> {
        if depth <= 2 {
            let solved = self.solve(rows, depth, upper, &Inherited::default());
            return solved.value.zip(solved.sketch);
        }
        let mut local = self.local_search(rows, depth)?;
        local.start();
        Some(local.best).filter(|&(value, _)| value < upper)
    }

    /// Begins with the best tree of two levels.
    fn local_search<'s>(&'s self, rows: &'s Arc<RowSet>, depth: usize) -> Option<LocalSearch<'s>> {
        let leaf = self.context.leaf(rows)?;
        let solved = self.solve(rows, depth.min(2), leaf + 1, &Inherited::default());
        let best = solved.value.zip(solved.sketch)?;
        Some(LocalSearch {
            search: self,
            rows,
            depth,
            best,
            tried: Vec::new(),
        })
    }

    /// The cut of a feature that is best if both sides are leaves; none where it has no such cut.
    fn best_single_cut(&self, rows: &RowSet, feature: usize) -> Result<Option<u32>, Stopped> {
        let is_numeric = self.context.table.kinds()[feature] == FeatureKind::Numeric;
        if !is_numeric || rows.cells()[feature].n_ranks() < 2 {
            return Ok(None);
        }
        let is_spent = || self.budget.is_spent();
        let losses = losses_of_intervals(rows, feature, 2, &mut Deadline::new(&is_spent))?;
        let value = |loss| self.context.encoding.loss(loss) + 2 * self.context.encoding.per_leaf();
        let loss = losses.last().copied().unwrap_or(0);
        Ok(lowest_cut(
            rows,
            feature,
            value(loss),
            self.context.encoding,
        ))
    }
}

impl LocalSearch<'_> {
    /// Is there something to win? Of trees without any loss there are only some with fewer leaves.
    fn is_open(&self) -> bool {
        let encoding = self.search.context.encoding;
        self.depth > 2 && self.best.0 > 2 * encoding.per_leaf() && encoding.loss_of(self.best.0) > 0
    }

    /// From the root of the best tree of two levels.
    fn start(&mut self) {
        let sketch = &self.best.1;
        if let (true, Sketch::Alone(root) | Sketch::Split(root, _)) = (self.is_open(), sketch) {
            self.walk(*root);
        }
    }

    /// Tries a root and moves its cut, as long as that makes the tree better.
    fn walk(&mut self, root: RootSplit) {
        let cells = &self.rows.cells()[root.feature()];
        let Some(mut cut) = root
            .cut()
            .filter(|_| !cells.has_missing() && !root.is_groups())
        else {
            return;
        };
        if !self.takes(root) && self.best_root() != Some(root) {
            return;
        }
        if self.search.context.table.is_binary(root.feature()) {
            // Categories have no neighbours.
            return;
        }
        let starts = cells.starts();
        let mut step = self.rows.len() as u32 / 4;
        while step > 0 && self.is_open() && !self.search.budget.is_spent() {
            let place = starts[cut as usize];
            let moved = [place.saturating_sub(step), place + step].map(|place| {
                let cut = starts.partition_point(|&start| start < place) as u32;
                cut.clamp(1, cells.n_ranks() as u32 - 1)
            });
            let mut moved = moved.into_iter();
            let better = moved.find(|&cut| self.takes(RootSplit::at(root.feature(), cut)));
            match better {
                Some(better) => cut = better,
                None => step /= 2,
            }
        }
    }

    fn best_root(&self) -> Option<RootSplit> {
        match &self.best.1 {
            Sketch::Leaf => None,
            Sketch::Alone(root) | Sketch::Split(root, _) => Some(*root),
        }
    }

    /// Tries a root split: is its tree better than the best so far?
    fn takes(&mut self, root: RootSplit) -> bool {
        if !self.is_open() || self.tried.contains(&root) || self.search.budget.is_spent() {
            return false;
        }
        self.tried.push(root);
        let found = self.tree_below(root);
        let is_better = found.is_some();
        if let Some(better) = found {
            self.best = better;
        }
        is_better
    }

    /// A better tree with a root split.
    fn tree_below(&self, root: RootSplit) -> Option<(u64, Sketch)> {
        root.cut().filter(|_| !root.is_groups())?;
        let regions = self.search.regions_of(self.rows, root);
        let (mut value, mut sketches) = (0, Vec::new());
        for (part, region) in self.search.parted(self.rows, root).into_iter().zip(regions) {
            let part = Arc::new(part.with_region(region));
            let upper = self.best.0.saturating_sub(value);
            let (of_part, sketch) = self.search.good_tree_below(&part, self.depth - 1, upper)?;
            value += of_part;
            sketches.push(sketch);
        }
        (value < self.best.0).then_some((value, Sketch::Split(root, sketches)))
    }
}

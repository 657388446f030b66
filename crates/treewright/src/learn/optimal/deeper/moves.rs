//! Local search on a tree that was found: random moves of its upper splits.
//!
//! **Method.** A node above the last two levels gets another split: its cut moves, or another feature is asked. What is
//! below keeps its splits where it can, and the last two levels are always the best ones, which is where most of a
//! tree is decided. A move that makes the tree better stays. The moves are drawn from the same numbers every time; how
//! many there are is a matter of time.

use std::sync::Arc;

use fastrand::Rng;

use crate::learn::exact::Deadline;
use crate::learn::optimal::problem::{Inherited, RootSplit, RowSet, Sketch};
use crate::learn::optimal::search::TreeSearch;

/// Moves of a node before another one gets its turn: it takes time to find its rows.
const TURN: usize = 8;

/// A tree whose upper splits are known.
#[derive(Debug)]
struct KnownTree {
    value: u64,
    /// The root split, if this is above the last two levels.
    root: Option<KnownSplit>,
    /// The branches of the root.
    parts: Vec<KnownTree>,
    /// What is below, if there is no root.
    last: Sketch,
}

/// A split, and where its upper side begins among all rows, or its category: so other rows can be split like this.
#[derive(Debug, Clone, Copy)]
struct KnownSplit {
    split: RootSplit,
    rank: u32,
}

/// The local search.
#[derive(Debug)]
pub(crate) struct Moves {
    depth: usize,
    tree: KnownTree,
    rng: Rng,
}

impl Moves {
    /// From a tree of a depth that was found; none if there is no time.
    pub(crate) fn from(
        search: &TreeSearch<'_>,
        rows: &Arc<RowSet>,
        depth: usize,
        sketch: &Sketch,
    ) -> Option<Self> {
        let mut rng = Rng::with_seed(0);
        let tree = Mover::new(search, &mut rng).grow(rows, depth, sketch)?;
        Some(Self { depth, tree, rng })
    }

    /// The value of the best tree so far.
    pub(crate) fn value(&self) -> u64 {
        self.tree.value
    }

    /// The best tree so far.
    pub(crate) fn best(&self) -> (u64, Sketch) {
        (self.tree.value, self.tree.sketch())
    }

    /// Tries some moves of a node.
    pub(crate) fn try_some(&mut self, search: &TreeSearch<'_>, rows: &Arc<RowSet>) {
        Mover::new(search, &mut self.rng).descend(&mut self.tree, rows, self.depth);
    }
}

impl KnownTree {
    fn ending(value: u64, last: Sketch) -> Self {
        Self {
            value,
            root: None,
            parts: Vec::new(),
            last,
        }
    }

    fn sketch(&self) -> Sketch {
        match self.root {
            None => self.last.clone(),
            Some(root) => {
                let parts = self.parts.iter().map(Self::sketch);
                Sketch::Split(root.split, parts.collect())
            }
        }
    }
}

/// Moves in the tree of a search.
struct Mover<'m, 's, 'a> {
    search: &'s TreeSearch<'a>,
    rng: &'m mut Rng,
}

impl<'m, 's, 'a> Mover<'m, 's, 'a> {
    fn new(search: &'s TreeSearch<'a>, rng: &'m mut Rng) -> Self {
        Self { search, rng }
    }

    /// The tree of a sketch, with the best last two levels.
    fn grow(&mut self, rows: &Arc<RowSet>, depth: usize, sketch: &Sketch) -> Option<KnownTree> {
        let (split, sketches) = match sketch {
            _ if depth <= 2 => return self.last(rows, depth, u64::MAX),
            Sketch::Leaf => {
                return Some(KnownTree::ending(
                    self.search.context.leaf(rows)?,
                    Sketch::Leaf,
                ));
            }
            Sketch::Alone(split) | Sketch::Split(split, _) if split.is_groups() => {
                let context = self.search.context;
                let value = context.asked(rows, split.feature(), &mut Deadline::new(&|| false));
                return Some(KnownTree::ending(value.ok()??, split.alone()));
            }
            Sketch::Alone(split) => (*split, &[][..]),
            Sketch::Split(split, sketches) => (*split, &sketches[..]),
        };
        let mut tree = self.splitting(rows, split);
        for (at, part) in self.branches(rows, split).iter().enumerate() {
            let below = sketches.get(at);
            let part = match below {
                Some(sketch) => self.grow(part, depth - 1, sketch)?,
                None => self.last(part, 2, u64::MAX)?,
            };
            tree.value += part.value;
            tree.parts.push(part);
        }
        Some(tree)
    }

    /// The best tree of up to two levels, if it is worth less than `upper`.
    fn last(&self, rows: &Arc<RowSet>, depth: usize, upper: u64) -> Option<KnownTree> {
        let solved = self.search.solve(rows, depth, upper, &Inherited::default());
        Some(KnownTree::ending(solved.value?, solved.sketch?))
    }

    fn splitting(&self, rows: &RowSet, split: RootSplit) -> KnownTree {
        let rank = split.cut().map_or(0, |cut| {
            let is_binary = self.search.context.table.is_binary(split.feature());
            self.whole_rank(rows, split.feature(), cut - u32::from(is_binary))
        });
        KnownTree {
            value: 0,
            root: Some(KnownSplit { split, rank }),
            parts: Vec::new(),
            last: Sketch::Leaf,
        }
    }

    /// The rank of a cell among all rows.
    fn whole_rank(&self, rows: &RowSet, feature: usize, rank: u32) -> u32 {
        let cells = &rows.cells()[feature];
        let row = cells.order()[cells.starts()[rank as usize] as usize];
        let all = self.search.context.table.whole().cells()[feature].ranks();
        all[rows.ids()[row as usize] as usize]
    }

    /// Other rows, split as some rows are; none if all of them would be on one side.
    fn same(&self, rows: &RowSet, known: KnownSplit) -> Option<RootSplit> {
        let feature = known.split.feature();
        let n_ranks = rows.cells()[feature].n_ranks() as u32;
        if known.split.cut().is_none() {
            return (n_ranks > 0).then_some(known.split);
        }
        let is_below = |rank: &u32| self.whole_rank(rows, feature, *rank) < known.rank;
        let (mut low, mut high) = (0, n_ranks);
        while low < high {
            let middle = u32::midpoint(low, high);
            if is_below(&middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if self.search.context.table.is_binary(feature) {
            let is_there = low < n_ranks && self.whole_rank(rows, feature, low) == known.rank;
            return (is_there && low < rows.cells()[feature].n_ways_apart())
                .then(|| RootSplit::at(feature, low + 1));
        }
        (0 < low && low < n_ranks).then(|| RootSplit::at(feature, low))
    }

    /// The rows of each branch, with their regions.
    fn branches(&self, rows: &RowSet, split: RootSplit) -> Vec<Arc<RowSet>> {
        let has_missing = rows.cells()[split.feature()].has_missing();
        let regions = if has_missing {
            [None, None]
        } else {
            self.search.regions_of(rows, split)
        };
        let mut regions = regions.into_iter();
        let parts = self.search.branches(rows, split).into_iter();
        parts
            .map(|part| Arc::new(part.with_region(regions.next().flatten())))
            .collect()
    }

    /// Goes down to some node and tries moves there.
    fn descend(&mut self, tree: &mut KnownTree, rows: &Arc<RowSet>, depth: usize) {
        let inner = tree.root.filter(|_| depth > 3 && self.rng.u8(..3) > 0);
        if let Some(root) = inner {
            let at = self.rng.usize(..tree.parts.len());
            if let Some(part) = self.branches(rows, root.split).get(at) {
                let before = tree.parts[at].value;
                self.descend(&mut tree.parts[at], part, depth - 1);
                tree.value -= before - tree.parts[at].value;
            }
            return;
        }
        for _ in 0..TURN {
            if self.search.budget.is_spent() {
                return;
            }
            let Some(split) = self.another(tree, rows) else {
                continue;
            };
            // Sometimes what is below is looked for anew.
            let is_known = self.rng.u8(..4) > 0;
            let known = if is_known { &tree.parts[..] } else { &[] };
            if let Some(better) = self.with_split(rows, depth, split, known, tree.value) {
                *tree = better;
            }
        }
    }

    /// Another root split: a cut further off, or of any feature.
    fn another(&mut self, tree: &KnownTree, rows: &RowSet) -> Option<RootSplit> {
        let table = self.search.context.table;
        let numeric = tree
            .root
            .map(|root| root.split)
            .filter(|split| !table.is_binary(split.feature()));
        if let Some(split) = numeric.filter(|_| self.rng.bool()) {
            let cells = &rows.cells()[split.feature()];
            let place = i64::from(cells.starts()[split.cut()? as usize]);
            // Small steps are as likely as large ones.
            let bits = usize::BITS - cells.order().len().leading_zeros();
            let most = 1 << self.rng.u32(..bits);
            let step = self.rng.i64(1..=most);
            let place = if self.rng.bool() {
                place + step
            } else {
                place - step
            };
            return cut_at(rows, split.feature(), place).filter(|it| *it != split);
        }
        let feature = self.rng.usize(..rows.cells().len());
        let cells = &rows.cells()[feature];
        match cells.n_ranks() as u32 {
            0 => None,
            1 => cells.has_missing().then(|| RootSplit::uncut(feature)),
            _ if table.is_multiway(feature) => Some(RootSplit::uncut(feature)),
            _ if table.is_binary(feature) => {
                let cut = self.rng.u32(1..=cells.n_ways_apart());
                Some(RootSplit::at(feature, cut))
            }
            _ => {
                let place = self.rng.i64(..cells.order().len() as i64);
                cut_at(rows, feature, place)
            }
        }
    }

    /// The tree with a root split that is worth less than `upper`, if there is one. Its branches keep the splits of known
    /// ones, if there are as many.
    fn with_split(
        &mut self,
        rows: &Arc<RowSet>,
        depth: usize,
        split: RootSplit,
        known: &[KnownTree],
        upper: u64,
    ) -> Option<KnownTree> {
        let branches = self.branches(rows, split);
        let mut tree = self.splitting(rows, split);
        // The largest branch costs most, and may cost too much.
        let mut order: Vec<usize> = (0..branches.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(branches[at].len()));
        let mut parts: Vec<Option<KnownTree>> = branches.iter().map(|_| None).collect();
        for at in order {
            let known = known.get(at).filter(|_| known.len() == branches.len());
            let most = upper.saturating_sub(tree.value);
            let part = self.below(&branches[at], depth - 1, known, most)?;
            tree.value += part.value;
            parts[at] = Some(part);
        }
        tree.parts = parts.into_iter().flatten().collect();
        (tree.value < upper).then_some(tree)
    }

    /// A branch that is worth less than `upper`, if possible with the splits of a known one.
    fn below(
        &mut self,
        rows: &Arc<RowSet>,
        depth: usize,
        known: Option<&KnownTree>,
        upper: u64,
    ) -> Option<KnownTree> {
        if depth <= 2 {
            return self.last(rows, depth, upper);
        }
        let known = known.filter(|known| known.root.is_some());
        let same = known.and_then(|known| self.same(rows, known.root?));
        if let (Some(known), Some(split)) = (known, same) {
            return self.with_split(rows, depth, split, &known.parts, upper);
        }
        let (_, sketch) = self.search.good_tree_below(rows, depth, upper)?;
        self.grow(rows, depth, &sketch)
    }
}

/// The cut of a feature nearest to a place in its order; none where there is none.
fn cut_at(rows: &RowSet, feature: usize, place: i64) -> Option<RootSplit> {
    let cells = &rows.cells()[feature];
    let n_ranks = cells.n_ranks() as u32;
    if n_ranks < 2 {
        return None;
    }
    let is_before = |start: &u32| i64::from(*start) < place;
    let cut = cells.starts().partition_point(is_before) as u32;
    Some(RootSplit::at(feature, cut.clamp(1, n_ranks - 1)))
}

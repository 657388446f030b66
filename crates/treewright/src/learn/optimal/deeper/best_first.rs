//! Depth three and more: best-first branch and bound over ranges of cuts.
//!
//! **Problem.** Find the best root split of some rows, whose branches have trees with one level less.
//!
//! **Lemma.** Let `L(t)` and `R(t)` be the least values of the rows below and above a cut `t`. Fewer rows never cost
//! more, so `L(a) + R(b)` is a lower bound for all cuts between `a` and `b`.
//!
//! **Method.** Ranges of cuts of all features wait in one queue. The range with the least lower bound comes next:
//! its middle cut is solved, with a level less, and leaves two ranges with better ones (see `bisect`). When no
//! range has a lower bound below the incumbent, nothing better exists.
//!
//! **Source.** Quant-BnB and ConTree also branch over ranges of thresholds. Here the ranges of all features are in
//! one queue, and lower bounds of root features are inherited by larger sets of rows.

mod bisect;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::best_first::bisect::OpenRange;
pub(crate) use super::best_first::bisect::middle_cut;
use super::notes::{Notes, RootNotes};
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{
    Edge, Floors, Inherited, NONE, RootSplit, RowSet, SearchResult, Sketch, TreeIncumbent,
};
use crate::learn::optimal::search::TreeSearch;

/// What waits, and what is being done.
#[derive(Debug, Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<OpenRange>>,
    /// Bounds of the ranges that are worked on.
    busy: Vec<u64>,
    floors: Vec<u64>,
    /// A lower bound of the value at depth - 1.
    shallower: u64,
    is_stopped: bool,
}

/// A feature as the root that parts its rows in two: a numeric one, or one category against the rest.
#[derive(Debug)]
pub(super) struct NumericRoot {
    feature: usize,
    /// The rows that have a value.
    rows: Arc<RowSet>,
    /// The value of the others.
    missing: u64,
    missing_sketch: Option<Sketch>,
    /// What the rows below each rank could cost, at most.
    most: Vec<u64>,
    /// How large the rows below each rank are, if leaves have a least size.
    sizes: Vec<usize>,
}

/// A search from three levels on.
pub(crate) struct BestFirst<'s, 'a> {
    search: &'s TreeSearch<'a>,
    depth: usize,
    roots: Vec<Option<NumericRoot>>,
    incumbent: TreeIncumbent,
    queue: Mutex<Queue>,
    news: Condvar,
    /// Is it about all rows?
    is_top: bool,
    /// Was a branch of a root given up?
    is_cut_short: AtomicBool,
    notes: Notes,
}

impl<'s, 'a> BestFirst<'s, 'a> {
    /// The least value of some rows if it is below `upper`. For all rows of a table it is known already what
    /// is possible with a level less.
    pub(crate) fn solve(
        search: &'s TreeSearch<'a>,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
        before: &Inherited,
        shallower: Option<SearchResult>,
    ) -> SearchResult {
        let mut deep = Self::new(search, depth, upper, shallower.is_some());
        deep.run(rows, upper, before, shallower)
    }

    /// The least value of some rows if it is below `upper`, found by all threads, and what was found out about the
    /// branches of every feature.
    pub(crate) fn solve_noting(
        search: &'s TreeSearch<'a>,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
        shallower: SearchResult,
    ) -> (SearchResult, Vec<RootNotes>) {
        let mut deep = Self::new(search, depth, upper, true);
        deep.notes = Notes::wanted(search.context.table.kinds().len());
        let solved = deep.run(rows, upper, &Inherited::default(), Some(shallower));
        (solved, deep.notes.into_features())
    }

    fn new(search: &'s TreeSearch<'a>, depth: usize, upper: u64, is_top: bool) -> Self {
        Self {
            search,
            depth,
            roots: search.context.table.kinds().iter().map(|_| None).collect(),
            incumbent: TreeIncumbent::below(upper, is_top),
            queue: Mutex::default(),
            news: Condvar::new(),
            is_top,
            is_cut_short: AtomicBool::new(false),
            notes: Notes::default(),
        }
    }

    fn run(
        &mut self,
        rows: &Arc<RowSet>,
        upper: u64,
        before: &Inherited,
        shallower: Option<SearchResult>,
    ) -> SearchResult {
        self.start(rows, before, shallower);
        self.work();
        let queue = std::mem::take(&mut *self.lock());
        let mut all = queue.floors;
        for Reverse(range) in &queue.waiting {
            let lower = &mut all[range.feature()];
            *lower = (*lower).min(range.lower());
        }
        let known = Floors {
            own: all,
            shallower: queue.shallower,
            before,
        };
        SearchResult::new(
            &self.incumbent,
            upper,
            self.search.context.leaf(rows),
            known,
            !queue.is_stopped,
        )
    }

    fn start(&mut self, rows: &Arc<RowSet>, before: &Inherited, shallower: Option<SearchResult>) {
        let context = self.search.context;
        let n_features = context.table.kinds().len();
        let mut queue = Queue {
            floors: vec![u64::MAX; n_features],
            ..Queue::default()
        };
        if let Some(leaf) = context.leaf(rows) {
            self.incumbent.offer(leaf, Sketch::Leaf);
        }
        let least = context.encoding.per_leaf();
        if self.incumbent.value() > 2 * least {
            // A level less is quick, and often nearly as good, unless it is known that it is not good enough.
            let upper = self.incumbent.value();
            // Intervals of a feature that is asked once cannot be made by further cuts of it.
            let asks_once = context.asks_once(rows);
            let is_wanted = context.switches.shallower_incumbent || asks_once;
            let shallower = shallower.filter(|_| is_wanted);
            let shallower = shallower.unwrap_or_else(|| match before.shallower {
                _ if !is_wanted => SearchResult::at_least(0, before, n_features),
                known if known >= upper => SearchResult::at_least(known, before, n_features),
                _ => {
                    let nothing = Inherited::default();
                    self.search.solve(rows, self.depth - 1, upper, &nothing)
                }
            });
            queue.is_stopped |= !shallower.is_done;
            queue.shallower = shallower.lower;
            // Other trees of one level are also some of two, and have to be found as such.
            if let (Some(value), Some(sketch), true) = (
                shallower.value,
                &shallower.sketch,
                self.depth > 2 || asks_once,
            ) {
                self.incumbent.offer(value, sketch.clone());
            }
            let none = Arc::new(Inherited::default());
            for feature in 0..n_features {
                let floor = before.floor(feature);
                if floor >= self.incumbent.upper_for(RootSplit::uncut(feature)) {
                    queue.floors[feature] = floor;
                    continue;
                }
                let (floor, ranges) = self.root(rows, feature, queue.shallower, &none);
                queue.floors[feature] = floor;
                queue.waiting.extend(ranges.into_iter().map(Reverse));
            }
            self.deepen(shallower.sketch.as_ref());
            queue.is_stopped |= self.is_cut_short.load(Ordering::Relaxed);
        }
        self.queue = Mutex::new(queue);
    }

    /// The root of a good tree, with one level more below.
    fn deepen(&self, shallower: Option<&Sketch>) {
        let Some(&(Sketch::Alone(question) | Sketch::Split(question, _))) = shallower else {
            return;
        };
        let root = self.roots[question.feature()].as_ref();
        if let (Some(root), Some(_)) = (root, question.cut().filter(|_| !question.is_groups())) {
            let upper = self
                .incumbent
                .upper_for(question)
                .saturating_sub(root.missing);
            let mut value = root.missing;
            let mut parts = Vec::new();
            for rows in self.search.parted(&root.rows, question) {
                let rows = Arc::new(rows);
                let nothing = Inherited::default();
                let solved = self.search.solve(&rows, self.depth - 1, upper, &nothing);
                let (Some(side), Some(sketch)) = (solved.value, solved.sketch) else {
                    return;
                };
                value += side;
                parts.push(sketch);
            }
            parts.extend(root.missing_sketch.clone());
            self.incumbent.offer(value, Sketch::Split(question, parts));
        }
    }

    /// A floor for a feature as the root, and the range of all its cuts, or one for each category. With a level less
    /// all rows have at least the value `shallower`.
    fn root(
        &mut self,
        rows: &Arc<RowSet>,
        feature: usize,
        shallower: u64,
        none: &Arc<Inherited>,
    ) -> (u64, Vec<OpenRange>) {
        let context = self.search.context;
        let cells = &rows.cells()[feature];
        if cells.n_ranks() == 0 || cells.n_ranks() == 1 && !cells.has_missing() {
            return (u64::MAX, Vec::new());
        }
        let (mut missing, mut missing_sketch) = (0, None);
        if cells.has_missing() {
            let part = Arc::new(context.below(rows.missing(feature), feature));
            let limit = self.incumbent.upper_for(RootSplit::uncut(feature));
            let solved = self
                .search
                .solve(&part, self.depth - 1, limit, &Inherited::default());
            self.note(&solved);
            self.notes.missing(feature, solved.lower_of(limit));
            let Some(value) = solved.value.filter(|_| solved.is_done) else {
                return (solved.lower, Vec::new());
            };
            (missing, missing_sketch) = (value, solved.sketch);
        }
        if context.table.is_multiway(feature) {
            return (
                self.categories(rows, feature, missing, missing_sketch),
                Vec::new(),
            );
        }
        let (present, floor) = if cells.has_missing() {
            self.present(rows, feature, missing, missing_sketch.as_ref())
        } else {
            (Arc::clone(rows), u64::MAX)
        };
        let is_binary = context.table.is_binary(feature);
        let floor = if is_binary {
            floor.min(self.groups(rows, feature))
        } else {
            floor
        };
        let most = self.search.most_below(&present, feature);
        let sizes = if self.search.is_monotone() {
            Vec::new()
        } else {
            self.search.sizes_below(&present, feature)
        };
        let ranges = if is_binary {
            // Where all rows have a category, `shallower` is about them.
            let known = if cells.has_missing() { 0 } else { shallower };
            self.ranges_apart(&present, (feature, missing), &most, known, none)
        } else {
            let least = context.encoding.per_leaf();
            let n_ranks = present.cells()[feature].n_ranks() as u32;
            let known = [Arc::clone(none), Arc::clone(none)];
            let [first, last] = self.cuts(&sizes, n_ranks);
            let range = (first <= last)
                .then(|| OpenRange::new(feature, [first, last], [least; 2], missing, known));
            range.into_iter().collect()
        };
        self.roots[feature] = Some(NumericRoot {
            feature,
            sizes,
            most,
            rows: present,
            missing,
            missing_sketch,
        });
        (floor, ranges)
    }

    /// A range for each category against the rest. The rest costs at least what all rows cost with a level less, but
    /// for the rows of the category: these would cost no more than `most` says.
    fn ranges_apart(
        &self,
        present: &RowSet,
        (feature, missing): (usize, u64),
        most: &[u64],
        shallower: u64,
        none: &Arc<Inherited>,
    ) -> Vec<OpenRange> {
        let least = self.search.context.encoding.per_leaf();
        let shallower = if self.search.is_monotone() {
            shallower
        } else {
            0
        };
        let range = |cut: u32| {
            let of_category = most[cut as usize] - most[cut as usize - 1];
            let rest = shallower.saturating_sub(of_category).max(least);
            let known = [Arc::clone(none), Arc::clone(none)];
            OpenRange::new(feature, [cut, cut], [least, rest], missing, known)
        };
        let n_ways = present.cells()[feature].n_ways_apart();
        (1..=n_ways).map(range).collect()
    }

    /// The value of a root whose branches are leaves with groups of categories.
    fn groups(&self, rows: &RowSet, feature: usize) -> u64 {
        let is_spent = || self.search.budget.is_spent();
        let asked = self
            .search
            .context
            .asked(rows, feature, &mut Deadline::new(&is_spent));
        match asked {
            Ok(Some(value)) => {
                self.incumbent
                    .offer(value, RootSplit::groups(feature).alone());
                value
            }
            Ok(None) => u64::MAX,
            Err(Stopped) => {
                self.is_cut_short.store(true, Ordering::Relaxed);
                0
            }
        }
    }

    /// The first and the last cut that leave enough rows on both sides. Notes are wanted for all cuts.
    fn cuts(&self, sizes: &[usize], n_ranks: u32) -> [u32; 2] {
        let least = self.search.context.rule.min_leaf();
        let Some(&all) = sizes.last().filter(|_| !self.notes.are_wanted()) else {
            return [1, n_ranks.max(1) - 1];
        };
        let first = sizes.partition_point(|&size| size < least);
        let last = sizes.partition_point(|&size| size + least <= all);
        [first.max(1) as u32, (last.max(1) - 1) as u32]
    }

    /// The rows that have a number, and a floor for the split of these from the missing cells.
    fn present(
        &self,
        rows: &Arc<RowSet>,
        feature: usize,
        missing: u64,
        missing_sketch: Option<&Sketch>,
    ) -> (Arc<RowSet>, u64) {
        let cells = &rows.cells()[feature];
        let root = RootSplit::uncut(feature);
        let region = rows.region();
        let region = region.map(|region| region.cut(Edge::new(feature, true), 0));
        let present = rows.only(|row| cells.ranks()[row] != NONE);
        let present = Arc::new(present.with_region(region));
        let upper = self.incumbent.upper_for(root) - missing;
        let nothing = Inherited::default();
        let part = self.below(&present, feature);
        let solved = self.search.solve(&part, self.depth - 1, upper, &nothing);
        self.note(&solved);
        self.notes.present(feature, solved.lower_of(upper));
        if let Some(value) = solved.value {
            let parts = solved.sketch.into_iter().chain(missing_sketch.cloned());
            let sketch = Sketch::Split(root, parts.collect());
            self.incumbent.offer(missing + value, sketch);
        }
        (present, missing.saturating_add(solved.lower))
    }

    /// Rows as a branch below a split on a feature.
    fn below(&self, rows: &Arc<RowSet>, feature: usize) -> Arc<RowSet> {
        let context = self.search.context;
        if context.has_rules() {
            Arc::new(context.below(RowSet::clone(rows), feature))
        } else {
            Arc::clone(rows)
        }
    }

    /// Remembers if a search had to be given up.
    fn note(&self, solved: &SearchResult) {
        self.is_cut_short
            .fetch_or(!solved.is_done, Ordering::Relaxed);
    }

    /// A floor for a categorical root: its value, if that is the best.
    fn categories(
        &self,
        rows: &RowSet,
        feature: usize,
        missing: u64,
        missing_sketch: Option<Sketch>,
    ) -> u64 {
        let n_ranks = rows.cells()[feature].n_ranks() as u32;
        let (mut value, mut parts) = (missing, Vec::new());
        for rank in 0..n_ranks {
            let others = u64::from(n_ranks - rank - 1) * self.search.context.encoding.per_leaf();
            let best = self.incumbent.upper_for(RootSplit::uncut(feature));
            if value + others >= best {
                return value + others;
            }
            let upper = best - value - others;
            let part = rows.group(feature, rank);
            let part = Arc::new(self.search.context.below(part, feature));
            let solved = self
                .search
                .solve(&part, self.depth - 1, upper, &Inherited::default());
            self.note(&solved);
            self.notes.category(feature, solved.lower_of(upper));
            let (Some(branch), Some(sketch), true) = (solved.value, &solved.sketch, solved.is_done)
            else {
                return (value + others).saturating_add(solved.lower);
            };
            value += branch;
            parts.push(sketch.clone());
        }
        parts.extend(missing_sketch);
        let root = RootSplit::uncut(feature);
        self.incumbent.offer(value, Sketch::Split(root, parts));
        value
    }

    fn work(&self) {
        if !self.is_top || rayon::current_num_threads() == 1 {
            self.worker();
            return;
        }
        rayon::scope(|scope| {
            for _ in 0..rayon::current_num_threads() {
                scope.spawn(|_| self.worker());
            }
        });
    }

    /// Do the ranges that wait need too much memory?
    fn is_too_large(&self, queue: &Queue) -> bool {
        let per_range = size_of::<OpenRange>() + 2 * size_of::<u64>() * queue.floors.len();
        queue.waiting.len() * per_range > self.search.most_bytes
    }

    /// The root of a range.
    pub(super) fn numeric_root(&self, range: &OpenRange) -> &NumericRoot {
        let root = self.roots[range.feature()].as_ref();
        root.expect("a range is made after its root")
    }

    /// Trees that split on a feature first may have this value.
    pub(crate) fn lower_floor(&self, feature: usize, value: u64) {
        let floor = &mut self.lock().floors[feature];
        *floor = value.min(*floor);
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self) {
        while let Some(range) = self.next() {
            let lower = range.lower();
            if let Some(helper) = self.search.helper {
                if self.is_top {
                    helper.hear(self.depth, lower);
                }
                helper.help();
            }
            let at_work = AtWork(self);
            let rest = self.split(&range);
            drop(at_work);
            let mut queue = self.lock();
            if let Some(at) = queue.busy.iter().position(|&busy| busy == lower) {
                queue.busy.swap_remove(at);
            }
            if let Some(ranges) = rest {
                queue.waiting.extend(ranges.into_iter().map(Reverse));
            } else {
                queue.is_stopped = true;
                queue.waiting.push(Reverse(range));
            }
            drop(queue);
            self.news.notify_all();
        }
    }

    /// The range with the least lower bound, as long as there may be a better tree in any of them.
    fn next(&self) -> Option<OpenRange> {
        let mut queue = self.lock();
        loop {
            let best = self.incumbent.value();
            // Of ranges with equal lower bounds the first in the order of features and cuts comes first.
            let is_near = |Reverse(range): &Reverse<OpenRange>| range.is_open(&self.incumbent);
            let is_open = queue.waiting.peek().is_some_and(is_near);
            if is_open && (self.search.budget.is_spent() || self.is_too_large(&queue)) {
                queue.is_stopped = true;
            }
            if queue.is_stopped {
                return None;
            }
            if is_open && let Some(Reverse(range)) = queue.waiting.pop() {
                queue.busy.push(range.lower());
                if self.is_top {
                    let least = queue.busy.iter().copied().min().unwrap_or(best);
                    self.search.tell(self.depth, best, least);
                }
                return Some(range);
            }
            if queue.busy.is_empty() {
                return None;
            }
            queue = self
                .news
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A worker that is at a range. If it panics, nobody may wait for what it would have found.
struct AtWork<'d, 's, 'a>(&'d BestFirst<'s, 'a>);

impl Drop for AtWork<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_stopped = true;
            self.0.news.notify_all();
        }
    }
}

//! The least losses of a node's rows for every number of leaves, from two levels on.
//!
//! **Problem.** For each number of leaves `k`, find the tree of a depth with at most `k` leaves that loses least.
//!
//! **Lemma.** Let `L(t, i)` and `R(t, j)` be the least losses of the rows below and above a cut `t` with `i` and `j`
//! leaves. Fewer rows never lose more, with any number of leaves. So for all cuts between `a` and `b`,
//!
//! `B(k) = min over i + j = k of L(a, i) + R(b, j)`
//!
//! is a lower bound of what trees with `k` leaves lose.
//!
//! **Method.** Ranges of cuts of all features wait in one queue, as in `deeper`, but each has a lower bound for every
//! number of leaves. The range that may improve a tree most comes next: its middle cut is solved, and two ranges with
//! better bounds remain. A range is dropped when no number of leaves is open there any more.
//!
//! **Sizes that need no search.** A tree with `k` leaves has at most `k - 1` levels: so for `k` up to the depth the
//! trees with a level less are the best. And `k` leaves predict at most `k` classes: a tree that gets all rows of
//! the `k` largest classes right cannot be improved.

use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::SizeSearch;
use super::losses::{LossBySize, Wanted, wanted_of_part};
use super::range::{NumericRoot, OpenRange, SolvedCut};
use super::solved::{FoundRoot, FoundTree, Solved};
use crate::learn::exact::Stopped;
use crate::learn::optimal::problem::{Inherited, NONE, RootSplit, RowSet};

/// A node's rows, and what is known about them.
pub(super) struct Node<'s, 'a> {
    pub(super) search: &'s SizeSearch<'a>,
    pub(super) rows: &'s Arc<RowSet>,
    pub(super) depth: usize,
    /// Of equal trees, is the first wanted, in the order of root splits? Then all threads work.
    is_first_wanted: bool,
    roots: Vec<Option<NumericRoot>>,
    state: Mutex<State>,
    news: Condvar,
}

/// What is known so far, and what waits.
struct State {
    wanted: Wanted,
    /// No tree of a size loses less: what is known without any search.
    floor: LossBySize,
    best: Vec<FoundTree>,
    waiting: BinaryHeap<OpenRange>,
    /// The ranges that are worked on.
    busy: Vec<OpenRange>,
    /// Has every feature been looked at? Else nothing is known about some root splits.
    is_entered: bool,
    is_stopped: bool,
}

impl State {
    /// Losses of trees with a root split matter if they are below this; 0 for sizes that are closed.
    fn wanted_for(&self, root: RootSplit, is_first_wanted: bool) -> Wanted {
        let below = |(place, tree): (usize, &FoundTree)| {
            let limit = self.wanted[place];
            let is_before = || matches!(&tree.root, Some(found) if root < found.split);
            let best = tree.loss + u64::from(is_first_wanted && is_before());
            let below = limit.min(best);
            let is_open = below > self.floor.at(place + 1);
            if is_open { below } else { 0 }
        };
        self.best.iter().enumerate().map(below).collect()
    }

    fn offer(&mut self, leaves: usize, loss: u64, root: &Arc<FoundRoot>, is_first_wanted: bool) {
        for tree in &mut self.best[leaves - 1..] {
            let is_before = || matches!(&tree.root, Some(found) if root.split < found.split);
            if loss < tree.loss || loss == tree.loss && is_first_wanted && is_before() {
                *tree = FoundTree::by(loss, root);
            }
        }
    }
}

impl<'s, 'a> Node<'s, 'a> {
    /// A node whose trees with a level less are known, and a lower bound of what any tree loses.
    pub(super) fn new(
        search: &'s SizeSearch<'a>,
        rows: &'s Arc<RowSet>,
        depth: usize,
        wanted: &[u64],
        below: &Solved,
        is_first_wanted: bool,
    ) -> Self {
        let mut floor = LossBySize::same(0, wanted.len());
        let mut sums = rows.sums().to_vec();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        let mut left = rows.weight();
        for (place, sum) in (0..wanted.len()).zip(sums.into_iter().chain(std::iter::repeat(0))) {
            left -= sum;
            floor.raise(place + 1, left);
        }
        // Trees with so few leaves have a level less.
        let wanted = wanted.iter().enumerate();
        let wanted = wanted.map(|(place, &below)| if place < depth { 0 } else { below });
        Self {
            search,
            rows,
            depth,
            is_first_wanted,
            roots: rows.cells().iter().map(|_| None).collect(),
            state: Mutex::new(State {
                wanted: wanted.collect(),
                floor,
                best: below.best.iter().map(FoundTree::as_shallower).collect(),
                waiting: BinaryHeap::new(),
                busy: Vec::new(),
                is_entered: false,
                is_stopped: !below.is_done,
            }),
            news: Condvar::new(),
        }
    }

    /// No tree with at most this many leaves loses less.
    pub(super) fn raise_floor(&self, leaves: usize, loss: u64) {
        self.lock().floor.raise(leaves, loss);
    }

    /// No tree of any size loses less than this.
    pub(super) fn raise_floors(&self, losses: &LossBySize) {
        self.lock().floor.raise_all(losses);
    }

    /// There is a tree that is better than others of its size; nothing is known about its root.
    pub(super) fn offer_tree(&self, leaves: usize, tree: &FoundTree) {
        for known in self.lock().best.iter_mut().skip(leaves - 1) {
            if tree.loss < known.loss {
                *known = tree.clone();
            }
        }
    }

    pub(super) fn stop(&self) {
        self.lock().is_stopped = true;
    }

    /// Losses of trees with a root split matter if they are below this; 0 for sizes that are closed.
    pub(super) fn wanted_for(&self, root: RootSplit) -> Wanted {
        self.lock().wanted_for(root, self.is_first_wanted)
    }

    /// Is there a size for which a tree could be better?
    pub(super) fn is_open(&self) -> bool {
        let first = RootSplit::uncut(0);
        self.wanted_for(first).iter().any(|&below| below > 0)
    }

    /// Tries all root splits.
    pub(super) fn run(&mut self) {
        if self.depth == 2 && self.search.has_scans(self.rows) {
            if self.is_open() && self.scan() == Err(Stopped) {
                self.stop();
            }
            return;
        }
        for feature in 0..self.rows.cells().len() {
            if self.is_stopped() {
                return;
            }
            if !self.is_open() {
                break;
            }
            let range = self.enter(feature);
            let mut state = self.lock();
            match range {
                Ok(range) => state.waiting.extend(range),
                Err(Stopped) => state.is_stopped = true,
            }
        }
        if self.is_stopped() {
            return;
        }
        self.all_entered(true);
        if !self.is_parallel() {
            self.worker();
            return;
        }
        rayon::scope(|scope| {
            for _ in 0..rayon::current_num_threads() {
                scope.spawn(|_| self.worker());
            }
        });
    }

    /// Every feature was looked at; what is not solved waits.
    pub(super) fn all_entered(&self, is_done: bool) {
        let mut state = self.lock();
        state.is_entered = true;
        state.is_stopped |= !is_done;
    }

    /// A range in which there may be a better tree.
    pub(super) fn put_back(&self, range: OpenRange) {
        self.lock().waiting.push(range);
    }

    /// How many numbers of leaves there are.
    pub(super) fn all_sizes(&self) -> usize {
        self.lock().best.len()
    }

    pub(super) fn is_parallel(&self) -> bool {
        self.is_first_wanted && rayon::current_num_threads() > 1
    }

    /// What was found out, for sizes that are wanted.
    pub(super) fn finish(self, wanted: &[u64], below: &Solved) -> Solved {
        let is_first_wanted = self.is_first_wanted;
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let mut lower = below.lower.clone();
        for (place, tree) in state.best.iter().enumerate().skip(self.depth) {
            let mut known = tree.loss.min(wanted[place]);
            for range in state.waiting.iter().chain(&state.busy) {
                let is_open = state.wanted_for(range.first_split(), is_first_wanted)[place] > 0;
                known = known.min(if is_open {
                    range.bound().at(place + 1)
                } else {
                    known
                });
            }
            if state.is_stopped && !state.is_entered {
                known = 0;
            }
            lower.set(place + 1, known.max(state.floor.at(place + 1)));
        }
        lower.raise_all(&state.floor);
        Solved {
            lower: lower.never_rising(),
            best: state.best,
            is_done: !state.is_stopped,
            inherited: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.lock().is_stopped
    }

    /// Solves the splits on a feature that have no cuts; the range of all its cuts remains, or one for each category.
    fn enter(&mut self, feature: usize) -> Result<Vec<OpenRange>, Stopped> {
        let cells = &self.rows.cells()[feature];
        let n_ranks = cells.n_ranks() as u32;
        if n_ranks == 0 || n_ranks == 1 && !cells.has_missing() {
            return Ok(Vec::new());
        }
        let context = self.search.context();
        let uncut = RootSplit::uncut(feature);
        let mut missing = None;
        if cells.has_missing() {
            let part = Arc::new(context.below(self.rows.missing(feature), feature));
            let wanted = self.wanted_for(uncut);
            let of_part = wanted_of_part(&wanted, None, 1, self.n_sizes(part.len(), 1));
            let solved = self.solve(&part, &of_part)?;
            missing = Some(solved);
        }
        if context.table.is_multiway(feature) {
            let groups = (0..n_ranks).map(|rank| self.rows.group(feature, rank));
            self.parts(uncut, groups.collect(), missing.as_ref())?;
            return Ok(Vec::new());
        }
        let rows = if missing.is_some() {
            let present = self.rows.only(|row| cells.ranks()[row] != NONE);
            self.parts(uncut, vec![present.clone()], missing.as_ref())?;
            Arc::new(present)
        } else {
            Arc::clone(self.rows)
        };
        let n_ranks = rows.cells()[feature].n_ranks() as u32;
        self.roots[feature] = Some(NumericRoot::new(feature, rows, missing));
        if n_ranks < 2 {
            return Ok(Vec::new());
        }
        let n_others = 1 + usize::from(self.root(feature).missing().is_some());
        let nothing = Arc::new(LossBySize::same(0, self.n_sizes(usize::MAX, n_others)));
        let known = Arc::new(Inherited::default());
        let range = |cuts: [u32; 2]| {
            let sides = [Arc::clone(&nothing), Arc::clone(&nothing)];
            let known = [Arc::clone(&known), Arc::clone(&known)];
            self.range(feature, cuts, sides, known)
        };
        let is_binary = self.search.context().table.is_binary(feature);
        Ok(if is_binary {
            let n_ways = self.root(feature).rows().cells()[feature].n_ways_apart();
            let cuts = 1..=n_ways;
            cuts.filter_map(|cut| range([cut, cut])).collect()
        } else {
            range([1, n_ranks - 1]).into_iter().collect()
        })
    }

    /// A root split whose branches are known: each is solved in turn.
    fn parts(
        &self,
        split: RootSplit,
        parts: Vec<RowSet>,
        missing: Option<&Solved>,
    ) -> Result<(), Stopped> {
        let n_parts = parts.len();
        let mut rest = missing.map(|missing| missing.lower.clone());
        let mut all: Vec<Solved> = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            let part = Arc::new(self.search.context().below(part, split.feature()));
            let more = n_parts - at - 1;
            let wanted = self.wanted_for(split);
            let n_others = more + all.len() + usize::from(missing.is_some());
            let n_sizes = self.n_sizes(part.len(), n_others);
            let of_part = wanted_of_part(&wanted, rest.as_ref(), more, n_sizes);
            if of_part.iter().all(|&below| below == 0) {
                return Ok(());
            }
            let solved = self.solve(&part, &of_part)?;
            let lower = match &rest {
                None => solved.lower.clone(),
                Some(rest) => rest.plus(&solved.lower, wanted.len()),
            };
            rest = Some(lower);
            all.push(solved);
        }
        all.extend(missing.cloned());
        self.offer_all(split, &all.iter().collect::<Vec<_>>());
        Ok(())
    }

    /// Offers the best trees of all sizes with a root split.
    pub(super) fn offer_all(&self, split: RootSplit, parts: &[&Solved]) {
        let wanted = self.wanted_for(split);
        // The best ways to share leaves among the parts up to each.
        let mut sums: Vec<LossBySize> = Vec::new();
        for part in parts {
            let upper = part.upper();
            sums.push(match sums.last() {
                None => upper,
                Some(before) => before.plus(&upper, wanted.len()),
            });
        }
        let Some(all) = sums.last() else {
            return;
        };
        for (place, &below) in wanted.iter().enumerate() {
            let leaves = place + 1;
            if all.at(leaves) >= below || leaves < parts.len() {
                continue;
            }
            let mut left = leaves;
            let mut sizes = vec![0; parts.len()];
            for at in (1..parts.len()).rev() {
                let before = &sums[at - 1];
                let (others, _) = before
                    .share(&parts[at].upper(), left)
                    .expect("a sum that was found has parts");
                sizes[at] = left - others;
                left = others;
            }
            sizes[0] = left;
            let root = Arc::new(FoundRoot::new(self.depth, split, parts, &sizes));
            let mut state = self.lock();
            state.offer(root.leaves(), all.at(leaves), &root, self.is_first_wanted);
        }
    }

    /// How many numbers of leaves matter for a part of the rows, beside some others.
    pub(super) fn n_sizes(&self, n_rows: usize, n_others: usize) -> usize {
        let all = self.lock().best.len();
        let most = self.search.most_leaves(n_rows, self.depth - 1);
        all.saturating_sub(n_others).min(most).max(1)
    }

    /// The losses of a part of the rows, with a level less.
    fn solve(&self, part: &Arc<RowSet>, wanted: &[u64]) -> Result<Solved, Stopped> {
        let nothing = Arc::default();
        let solved = self.search.solve(part, self.depth - 1, wanted, &nothing);
        if solved.is_done {
            Ok(solved)
        } else {
            Err(Stopped)
        }
    }

    /// A range of cuts, if there may be a better tree in it.
    fn range(
        &self,
        feature: usize,
        cuts: [u32; 2],
        sides: [Arc<LossBySize>; 2],
        known: [Arc<Inherited>; 2],
    ) -> Option<OpenRange> {
        let root = self.root(feature);
        let n_sizes = self.lock().best.len();
        let range = OpenRange::new(feature, cuts, sides, known, root.missing(), n_sizes);
        let wanted = self.wanted_for(range.first_split());
        range.with_gain(&wanted)
    }

    /// The root of a range.
    pub(super) fn root(&self, feature: usize) -> &NumericRoot {
        let root = self.roots[feature].as_ref();
        root.expect("a range is made after its root")
    }

    fn worker(&self) {
        while let Some((range, wanted)) = self.next() {
            let at_work = AtWork(self);
            let solved = self.solve_middle(&range, &wanted);
            let ranges = solved.map(|solved| self.around(&range, solved));
            drop(at_work);
            let mut state = self.lock();
            let at = state.busy.iter().position(|busy| busy.is_same(&range));
            if let Some(at) = at {
                state.busy.swap_remove(at);
            }
            if let Some(ranges) = ranges {
                state.waiting.extend(ranges);
            } else {
                state.is_stopped = true;
                state.waiting.push(range);
            }
            drop(state);
            self.news.notify_all();
        }
    }

    /// The next range in which a tree may be better, and which losses matter there.
    fn next(&self) -> Option<(OpenRange, Wanted)> {
        let mut state = self.lock();
        loop {
            if state.is_stopped {
                return None;
            }
            while let Some(range) = state.waiting.pop() {
                let wanted = state.wanted_for(range.first_split(), self.is_first_wanted);
                let wanted = range.still_wanted(wanted);
                if wanted.iter().all(|&below| below == 0) {
                    continue;
                }
                if self.search.is_spent(state.waiting.len()) {
                    state.is_stopped = true;
                    state.waiting.push(range);
                    return None;
                }
                state.busy.push(range.clone());
                return Some((range, wanted));
            }
            if state.busy.is_empty() {
                return None;
            }
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Offers the trees of a cut; the ranges below and above it remain, without cuts too close to it.
    fn around(&self, range: &OpenRange, solved: SolvedCut) -> Vec<OpenRange> {
        let root = self.root(range.feature());
        let cut = solved.cut;
        if let Some(sides) = &solved.sides {
            let parts: Vec<&Solved> = sides.iter().chain(root.missing()).collect();
            self.offer_all(RootSplit::at(root.feature(), cut), &parts);
        }
        let wanted = self.wanted_for(range.first_split());
        let wanted = range.still_wanted(wanted);
        let n_sizes = wanted.len();
        let mut value = solved.lower[0].plus(&solved.lower[1], n_sizes);
        if let Some(missing) = root.missing() {
            value = value.plus(&missing.lower, n_sizes);
        }
        let open = wanted.iter().enumerate().filter(|&(_, &below)| below > 0);
        // Where the middle cut itself is wanted, so are its neighbours: rows between may weigh nothing.
        let slack = open.map(|(place, &below)| value.at(place + 1).checked_sub(below));
        let slack = slack.min().flatten();
        let slack = slack.filter(|_| self.search.has_close_cuts());
        let [first, last] = range.cuts();
        let (before, after) = root.far_from(cut, [first, last], slack);
        let [low, high] = solved.lower.map(Arc::new);
        let [known_low, known_high] = solved.inherited;
        let [lower_first, lower_last] = range.sides().clone();
        let [known_first, known_last] = range.known().clone();
        let below = (first <= before).then(|| {
            let sides = [lower_first, high];
            self.range(
                range.feature(),
                [first, before],
                sides,
                [known_first, known_high],
            )
        });
        let above = (after <= last).then(|| {
            let sides = [low, lower_last];
            self.range(
                range.feature(),
                [after, last],
                sides,
                [known_low, known_last],
            )
        });
        [below, above].into_iter().flatten().flatten().collect()
    }
}

/// A worker that is at a range. If it panics, nobody may wait for what it would have found.
struct AtWork<'n, 's, 'a>(&'n Node<'s, 'a>);

impl Drop for AtWork<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_stopped = true;
            self.0.news.notify_all();
        }
    }
}

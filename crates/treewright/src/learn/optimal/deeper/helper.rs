//! Good trees and lower bounds while a proof is on its way.
//!
//! **Problem.** A search that proves a tree goes where lower bounds are low. Stopped halfway, it has looked at few
//! good trees, and its lower bound is about some roots only.
//!
//! **Method.** With a limit of time, a part of it goes to a local search for better trees and to a lower bound for the
//! depth that is wanted, step by step between the steps of the proof. What they find counts when the search is
//! stopped. A search that ends by itself soon is not held up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::moves::Moves;
use super::rising_bound::{Aim, RisingBound};
use crate::learn::exact::Stopped;
use crate::learn::optimal::problem::{RowSet, Sketch};
use crate::learn::optimal::search::TreeSearch;

/// There is a lower bound of its own from this depth on. At depth three the proof itself tries all roots soon.
const LEAST_DEPTH: usize = 4;

/// What goes on beside a proof.
#[derive(Debug)]
pub(crate) struct Helper<'a> {
    search: TreeSearch<'a>,
    rows: Arc<RowSet>,
    depth: usize,
    from: Instant,
    /// The lower bound of the proof.
    of_proof: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bound: RisingBound,
    /// The tree to begin with.
    sketch: Sketch,
    moves: Option<Moves>,
    /// The least value so far.
    best: u64,
    /// How long the lower bound and the local search took.
    spent: [Duration; 2],
}

impl<'a> Helper<'a> {
    /// For trees of a depth, the best of which so far is known; none without a limit of time.
    pub(crate) fn new(
        search: &TreeSearch<'a>,
        rows: &Arc<RowSet>,
        depth: usize,
        (best, sketch): (u64, Sketch),
    ) -> Option<Self> {
        let left = search
            .budget
            .left()
            .filter(|_| search.context.switches.helper)?;
        let least = search.context.encoding.per_leaf();
        Some(Self {
            search: TreeSearch { ..*search },
            rows: Arc::clone(rows),
            depth,
            from: Instant::now() + left / search.context.switches.sizes.helped_after,
            of_proof: AtomicU64::new(0),
            state: Mutex::new(State {
                bound: RisingBound::new(depth, rows.len(), least),
                sketch,
                moves: None,
                best,
                spent: [Duration::ZERO; 2],
            }),
        })
    }

    /// The local search goes on with a better tree.
    pub(crate) fn begin_with(&self, (value, sketch): &(u64, Sketch)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *value < state.best {
            state.best = *value;
            state.sketch = sketch.clone();
            state.moves = None;
        }
    }

    /// Hears the lower bound of a proof for trees of a depth.
    pub(crate) fn hear(&self, depth: usize, lower: u64) {
        if depth == self.depth {
            self.of_proof.fetch_max(lower, Ordering::Relaxed);
        }
    }

    /// Does what is due. Only one thread at a time helps; the others go on with the proof.
    pub(crate) fn help(&self) {
        let Ok(mut state) = self.state.try_lock() else {
            return;
        };
        let part = self.search.context.switches.sizes.helped_part;
        loop {
            let now = Instant::now();
            let due = now.saturating_duration_since(self.from) / part;
            // Where the proof knows more, there is no need for another bound.
            let is_behind = state.bound.lower() < self.of_proof.load(Ordering::Relaxed);
            let at = usize::from(is_behind || state.spent[0] > state.spent[1]);
            if state.spent[at] >= due || self.search.budget.is_spent() {
                return;
            }
            let is_over = if at == 0 {
                self.raise(&mut state)
            } else {
                self.improve(&mut state)
            };
            state.spent[at] = if is_over {
                Duration::MAX
            } else {
                state.spent[at] + now.elapsed()
            };
        }
    }

    /// A step for the lower bound. Is there nothing more to do?
    fn raise(&self, state: &mut State) -> bool {
        if self.depth < LEAST_DEPTH {
            return true;
        }
        let relaxed = self.search.with_least(1);
        let search = if self.search.is_monotone() {
            &self.search
        } else {
            &relaxed
        };
        let aim = Aim {
            upper: state.best,
            per_row: state.best as f64 / self.rows.len().max(1) as f64,
        };
        let result = state.bound.raise(search, &self.rows, aim, 1);
        result == Err(Stopped) || state.bound.is_done(state.best)
    }

    /// A step of the local search. Is there nothing more to do?
    fn improve(&self, state: &mut State) -> bool {
        if state.moves.is_none() {
            let moves = Moves::from(&self.search, &self.rows, self.depth, &state.sketch);
            state.moves = moves;
        }
        let Some(moves) = &mut state.moves else {
            return true;
        };
        moves.try_some(&self.search, &self.rows);
        state.best = state.best.min(moves.value());
        moves.value() <= state.bound.lower()
    }

    /// What was found: no tree has a smaller value than the first number, and a tree with its value.
    pub(crate) fn found(&self) -> (u64, Option<(u64, Sketch)>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.bound.lower(), state.moves.as_ref().map(Moves::best))
    }
}

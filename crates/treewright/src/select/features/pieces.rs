//! Parts of the enumeration of distinct trees, for several threads.
//!
//! Each piece has a small share of all sets. The pieces do not depend on the number of threads, and in their
//! order they are the whole enumeration.

use std::ops::ControlFlow;
use std::sync::mpsc::SyncSender;

use super::distinct::Met;
use super::enumerate::{Enumeration, Place, Start};
use super::lattice::{Lattice, bits};
use super::meter::Meter;

/// A piece with a share of all sets below this is not cut any further.
const SMALL: f64 = 1.0 / 128.0;
/// Trees that are handed over together.
const BATCH: usize = 256;

/// A part of the enumeration.
pub(super) struct Piece {
    start: Start,
    /// Its share of all sets.
    width: f64,
    /// Only the largest set: its subsets are in other pieces.
    only_first: bool,
}

/// Trees of a piece, in order.
pub(super) struct Batch<T> {
    pub(super) trees: Vec<Item<T>>,
    /// Trees that were built since the last distinct one.
    pub(super) built: u64,
    /// Is the piece complete with this batch?
    pub(super) is_last: bool,
}

pub(super) struct Item<T> {
    pub(super) made: T,
    pub(super) n_features: usize,
    /// Trees that were built to find it, since the one before.
    pub(super) built: u64,
}

impl Piece {
    /// All sets of this many features.
    pub(super) fn whole(n_features: usize) -> Self {
        Self::new(Start::all(n_features), 1.0, false)
    }

    fn new(start: Start, width: f64, only_first: bool) -> Self {
        Self {
            start,
            width,
            only_first,
        }
    }

    /// Goes through the sets of the piece, until the budget is spent or `visit` has had enough.
    pub(super) fn walk<'a>(
        &self,
        sets: &mut Enumeration<'a>,
        meter: &Meter<'_>,
        mut visit: impl FnMut(&Place, &Lattice<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut seen = meter.part(self.width);
        if seen.is_spent() {
            return ControlFlow::Break(());
        }
        sets.lattice.watch(Some(meter.budget()));
        sets.start(&self.start);
        loop {
            if sets.lattice.is_stopped() {
                return ControlFlow::Break(());
            }
            visit(sets.place(), &sets.lattice)?;
            seen.count(sets.place().is_new);
            if seen.is_due() && seen.report(|| sets.share_done()) {
                return ControlFlow::Break(());
            }
            if self.only_first || !sets.propose() {
                break;
            }
            sets.accept();
        }
        seen.finish();
        ControlFlow::Continue(())
    }

    /// Sends what is made of the trees, until nobody listens.
    pub(super) fn send<T>(
        &self,
        sets: &mut Enumeration<'_>,
        meter: &Meter<'_>,
        make: &impl Fn(&Met<'_, '_>) -> T,
        sender: &SyncSender<Batch<T>>,
    ) -> ControlFlow<()> {
        let mut batch = Batch::new();
        let walk = self.walk(sets, meter, |place, lattice| {
            batch.built += 1;
            if !place.is_new {
                return ControlFlow::Continue(());
            }
            batch.trees.push(Item {
                made: make(&Met::new(place, lattice)),
                n_features: bits::len(&place.used),
                built: std::mem::take(&mut batch.built),
            });
            if batch.trees.len() < BATCH {
                return ControlFlow::Continue(());
            }
            match sender.send(std::mem::replace(&mut batch, Batch::new())) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        batch.is_last = walk.is_continue();
        // If nobody listens any more, the next piece will find out.
        let _ = sender.send(batch);
        walk
    }
}

impl<T> Batch<T> {
    fn new() -> Self {
        Self {
            trees: Vec::new(),
            built: 0,
            is_last: false,
        }
    }
}

/// Cuts the enumeration of all sets of this many features into pieces.
pub(super) fn cut(mut sets: Enumeration<'_>, n_features: usize, meter: &Meter<'_>) -> Vec<Piece> {
    let all = Start::all(n_features);
    let mut pieces = vec![Piece::new(all.clone(), 0.0, true)];
    sets.lattice.watch(Some(meter.budget()));
    sets.start(&all);
    // Once it is time to stop no piece is begun, so that it does not matter which are left away.
    while !sets.lattice.is_stopped() && sets.propose() {
        let (place, _) = sets.proposal();
        let start = Start {
            required: place.required.clone(),
            optional: place.optional.clone(),
        };
        let width = place.width;
        let is_cut = width > SMALL && !meter.is_spent();
        pieces.push(Piece::new(start, if is_cut { 0.0 } else { width }, is_cut));
        if is_cut {
            sets.accept();
        }
    }
    pieces
}

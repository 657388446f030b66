//! Every distinct tree over the subsets of the features, exactly once: one after the other, counted, or
//! streamed by several threads in the same order.
//!
//! Several threads take pieces of the enumeration; each has its own cache of shared parts. A stream takes the
//! trees of the pieces in order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::USUAL_BYTES;
use super::enumerate::{Enumeration, Order, Place, Start};
use super::estimate::check;
use super::lattice::{Ground, Lattice, bits};
use super::meter::Meter;
use super::pieces::{self, Batch, Piece};
use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learn::Greedy;
use crate::tree::Tree;

/// The distinct trees that the greedy learner grows over the subsets of the features.
///
/// ```
/// use treewright::data::{Dataset, ReadOptions, csv::CsvSource};
/// use treewright::learn::Greedy;
/// use treewright::select::Distinct;
///
/// let table = "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n";
/// let source = CsvSource::new(table.into(), b',')?;
/// let data = Dataset::read(&source, &ReadOptions::default())?;
/// let distinct = Distinct::new(Greedy::default());
/// let trees: Vec<Vec<usize>> = distinct
///     .trees(&data)?
///     .map(|tree| tree.features)
///     .collect();
/// // Both features, either of them, and the leaf without any.
/// assert_eq!(trees, [vec![0, 1], vec![0], vec![1], vec![]]);
/// # Ok::<(), treewright::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Distinct {
    /// How trees grow.
    pub greedy: Greedy,
    /// In which order features are taken away.
    pub order: Order,
    /// Memory for what trees share, in bytes, for all threads together. With less the search is slower.
    pub most_bytes: usize,
}

/// One of the distinct trees.
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctTree {
    /// The features that it splits on, rising.
    pub features: Vec<usize>,
    /// The tree.
    pub tree: Tree,
}

/// A distinct tree that has been met but not taken out yet.
#[derive(Debug)]
pub struct Met<'t, 'a> {
    place: &'t Place,
    lattice: &'t Lattice<'a>,
}

/// How many distinct trees there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Features of the table.
    pub n_features: usize,
    /// Distinct trees.
    pub distinct: u64,
    /// Trees that were built to find them.
    pub built: u64,
    /// Distinct trees that use exactly 0, 1, 2, ... features.
    pub by_size: Vec<u64>,
    /// Are these all trees?
    pub complete: bool,
    /// Time that it took.
    pub time: Duration,
}

/// Goes through the distinct trees, one by one.
#[derive(Debug)]
pub struct DistinctTrees<'a> {
    sets: Enumeration<'a>,
    all: Start,
    is_started: bool,
    built: u64,
}

/// Pieces whose trees may wait for their turn.
const PIECES_AHEAD: usize = 8;
/// Batches of a piece that may wait.
const BATCHES_AHEAD: usize = 16;

impl<'t, 'a> Met<'t, 'a> {
    pub(super) fn new(place: &'t Place, lattice: &'t Lattice<'a>) -> Self {
        Self { place, lattice }
    }

    /// The features that the tree splits on, rising.
    pub fn features(&self) -> Vec<usize> {
        bits::iter(&self.place.used).collect()
    }

    /// The tree, over all features of the table.
    pub fn tree(&self) -> Tree {
        self.lattice.tree(0, &self.place.tops[0])
    }
}

impl Distinct {
    /// In the usual order.
    pub fn new(greedy: Greedy) -> Self {
        Self {
            greedy,
            order: Order::default(),
            most_bytes: USUAL_BYTES,
        }
    }

    /// The trees one by one: first that of all features.
    pub fn trees<'a>(&'a self, data: &'a Dataset) -> Result<DistinctTrees<'a>> {
        let grounds = self.grounds(data, &Budget::unlimited())?;
        let grounds = grounds.expect("without limits there is no reason to stop");
        Ok(DistinctTrees {
            sets: self.sets(&grounds, self.most_bytes),
            all: Start::all(data.columns().len()),
            is_started: false,
            built: 0,
        })
    }

    /// Counts the trees.
    pub fn count(&self, data: &Dataset, budget: &Budget) -> Result<Count> {
        let start = Instant::now();
        let n_features = data.columns().len();
        let Some(grounds) = self.grounds(data, budget)? else {
            return Ok(Count::stopped(n_features, start.elapsed()));
        };
        let meter = Meter::new(budget);
        let n_threads = rayon::current_num_threads();
        let pieces = self.pieces(&grounds, n_threads, &meter);
        let most_bytes = self.bytes_of_one(n_threads, budget);
        let next = AtomicUsize::new(0);
        let work = |_: rayon::BroadcastContext<'_>| {
            let mut count = Count::none_of(n_features);
            let mut sets = self.sets(&grounds, most_bytes);
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                let walk = piece.walk(&mut sets, &meter, |place, _| {
                    count.hear(place);
                    ControlFlow::Continue(())
                });
                if walk.is_break() {
                    count.complete = false;
                    break;
                }
            }
            count
        };
        let mut count = Count::none_of(n_features);
        for part in rayon::broadcast(work) {
            count.add(&part);
        }
        count.time = start.elapsed();
        Ok(count)
    }

    /// Streams the trees in the order of [`Self::trees`], at most `limit` of them: `make` turns a tree into
    /// something, on any thread, and `take` gets these in order.
    pub fn stream<T: Send>(
        &self,
        data: &Dataset,
        limit: Option<u64>,
        budget: &Budget,
        make: impl Fn(&Met<'_, '_>) -> T + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<Count> {
        let start = Instant::now();
        if limit == Some(0) {
            return Err(Error::parameter("limit", 0, "at least 1"));
        }
        let n_features = data.columns().len();
        let Some(grounds) = self.grounds(data, budget)? else {
            return Ok(Count::stopped(n_features, start.elapsed()));
        };
        let meter = Meter::new(budget);
        let n_threads = rayon::current_num_threads();
        let pieces = self.pieces(&grounds, n_threads, &meter);
        let most_bytes = self.bytes_of_one(n_threads, budget);
        // Pieces have a channel each, and the channels come in the order of the pieces. Both queues are
        // short, so that a thread that is far ahead waits.
        let (announce, in_order) = sync_channel(PIECES_AHEAD);
        let todo = Mutex::new((pieces.iter(), Some(announce)));
        let next = || {
            let (pieces, announce) = &mut *lock(&todo);
            let Some(piece) = pieces.next() else {
                *announce = None;
                return None;
            };
            let (sender, receiver) = sync_channel::<Batch<T>>(BATCHES_AHEAD);
            let is_wanted = announce.as_ref()?.send(receiver).is_ok();
            is_wanted.then_some((piece, sender))
        };
        let no_more = || lock(&todo).1 = None;
        let work = || {
            let _at_work = AtWork(&no_more);
            let mut sets = self.sets(&grounds, most_bytes);
            while let Some((piece, sender)) = next() {
                if piece.send(&mut sets, &meter, &make, &sender).is_break() {
                    break;
                }
            }
        };
        let mut count = Count::none_of(n_features);
        let received = std::thread::scope(|scope| {
            // Not the threads of the pool: those here wait while their piece is not the next one.
            for n_started in 0..n_threads {
                let started = std::thread::Builder::new().spawn_scoped(scope, work);
                // One is enough.
                match started {
                    Err(error) if n_started == 0 => {
                        return Err(Error::io(format!("cannot start a thread: {error}")));
                    }
                    Err(_) => break,
                    Ok(_) => {}
                }
            }
            // When this is done the receivers are gone, which tells everybody that no more is wanted.
            count.receive(in_order, limit, &mut take)
        });
        received?;
        count.time = start.elapsed();
        Ok(count)
    }

    /// The parts of the work. One thread needs only one.
    fn pieces(
        &self,
        grounds: &Arc<[Ground<'_>]>,
        n_threads: usize,
        meter: &Meter<'_>,
    ) -> Vec<Piece> {
        let n_features = grounds[0].n_features();
        if n_threads == 1 {
            return vec![Piece::whole(n_features)];
        }
        let most_bytes = self.bytes_of_one(1, meter.budget());
        pieces::cut(self.sets(grounds, most_bytes), n_features, meter)
    }

    /// The rows, ready for a search; `None` if the budget does not suffice for that.
    fn grounds<'a>(
        &'a self,
        data: &'a Dataset,
        budget: &Budget,
    ) -> Result<Option<Arc<[Ground<'a>]>>> {
        check(&self.greedy, data)?;
        let ground = Ground::of_rows(&self.greedy, data, budget)?;
        Ok(ground.map(|ground| Arc::from([ground])))
    }

    /// What one of several threads may take: no more than half of what there is, since allocators need their
    /// part, too.
    fn bytes_of_one(&self, n_threads: usize, budget: &Budget) -> usize {
        let room = usize::try_from(budget.room() / 2).unwrap_or(usize::MAX);
        self.most_bytes.min(room) / n_threads
    }

    fn sets<'a>(&self, grounds: &Arc<[Ground<'a>]>, most_bytes: usize) -> Enumeration<'a> {
        let n_features = grounds[0].n_features();
        let lattice = Lattice::new(Arc::clone(grounds), n_features, most_bytes);
        Enumeration::new(lattice, self.order)
    }
}

/// A thread that looks for trees. If it panics, nobody may wait for what it would have announced.
struct AtWork<F: Fn()>(F);

impl<F: Fn()> Drop for AtWork<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

impl Count {
    fn none_of(n_features: usize) -> Self {
        Self {
            n_features,
            distinct: 0,
            built: 0,
            by_size: vec![0; n_features + 1],
            complete: true,
            time: Duration::ZERO,
        }
    }

    /// Of a search that was stopped before it had a tree.
    fn stopped(n_features: usize, time: Duration) -> Self {
        Self {
            complete: false,
            time,
            ..Self::none_of(n_features)
        }
    }

    fn hear(&mut self, place: &Place) {
        self.built += 1;
        if place.is_new {
            self.distinct += 1;
            self.by_size[bits::len(&place.used)] += 1;
        }
    }

    fn add(&mut self, part: &Self) {
        self.distinct += part.distinct;
        self.built += part.built;
        self.complete &= part.complete;
        for (sum, n) in self.by_size.iter_mut().zip(&part.by_size) {
            *sum += n;
        }
    }

    /// Takes the trees of all pieces in order. The search is complete if every piece is and nothing was
    /// left behind by the limit.
    fn receive<T>(
        &mut self,
        pieces: Receiver<Receiver<Batch<T>>>,
        limit: Option<u64>,
        take: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        for piece in pieces {
            let mut is_complete = false;
            for batch in piece {
                for item in batch.trees {
                    if limit == Some(self.distinct) {
                        self.complete = false;
                        return Ok(());
                    }
                    self.built += item.built;
                    self.distinct += 1;
                    self.by_size[item.n_features] += 1;
                    take(item.made)?;
                }
                // What was built in vain after the last tree that is wanted does not count.
                if limit != Some(self.distinct) {
                    self.built += batch.built;
                }
                is_complete = batch.is_last;
            }
            if !is_complete {
                self.complete = false;
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Iterator for DistinctTrees<'_> {
    type Item = DistinctTree;

    fn next(&mut self) -> Option<DistinctTree> {
        loop {
            if self.is_started {
                if !self.sets.propose() {
                    return None;
                }
                self.sets.accept();
            } else {
                self.sets.start(&self.all);
                self.is_started = true;
            }
            self.built += 1;
            let place = self.sets.place();
            if place.is_new {
                let met = Met::new(place, &self.sets.lattice);
                return Some(DistinctTree {
                    features: met.features(),
                    tree: met.tree(),
                });
            }
        }
    }
}

impl DistinctTrees<'_> {
    /// Trees that have been built so far.
    pub fn n_built(&self) -> u64 {
        self.built
    }
}

/// Nobody panics while holding it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

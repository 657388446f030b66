//! The fits of a validation: which is next, and what is left of a fold once all learners had it.
//!
//! Fits are handed out by repeat, fold and learner, so that what is stopped early has whole folds, and whole
//! repeats before others begin. The losses of single rows are kept only until the last learner is through
//! with a fold; what remains of it are sums.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::figures::{FoldSums, summary};
use super::{Validation, figures};
use crate::budget::Budget;
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::eval::Folds;
use crate::learn::Learner;
use crate::select::held_out::{LossUnits, loss_of};
use crate::select::resampling::Resampling;
use crate::tree::Tree;

/// What all workers share.
pub(super) struct Work<'a> {
    resampling: Resampling,
    repeats: usize,
    folds_per_repeat: usize,
    learners: &'a [&'a (dyn Learner + Sync)],
    data: &'a Dataset,
    budget: &'a Budget,
    /// What all trees are measured with. The first one to be finished brings it.
    measure: OnceLock<(Loss, LossUnits)>,
    state: Mutex<State>,
}

/// What changes while the work is done.
struct State {
    next: u64,
    /// The repeat that was dealt last.
    dealt: (usize, Arc<Folds>),
    /// Folds that some learners are through with.
    open: BTreeMap<u64, Vec<Option<Held>>>,
    done: Vec<FoldSums>,
    /// The failure of the earliest fit that failed.
    failure: Option<(u64, Error)>,
}

/// A fit that is to be done.
struct Task {
    number: u64,
    repeat: usize,
    fold: usize,
    learner: usize,
    folds: Arc<Folds>,
}

/// A tree and its losses on the rows left out.
pub(super) struct Held {
    pub(super) losses: Vec<f64>,
    pub(super) leaves: usize,
    pub(super) depth: usize,
    pub(super) seconds: f64,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        resampling: Resampling,
        learners: &'a [&'a (dyn Learner + Sync)],
        data: &'a Dataset,
        budget: &'a Budget,
    ) -> Result<Self> {
        let repeats = resampling.repeats()?;
        let first = resampling.deal(data, 0)?;
        let work = Self {
            resampling,
            repeats,
            folds_per_repeat: first.len(),
            learners,
            data,
            budget,
            measure: OnceLock::new(),
            state: Mutex::new(State {
                next: 0,
                dealt: (0, Arc::new(first)),
                open: BTreeMap::new(),
                done: Vec::new(),
                failure: None,
            }),
        };
        budget.progress().start(work.n_fits());
        Ok(work)
    }

    fn n_folds(&self) -> usize {
        self.folds_per_repeat.saturating_mul(self.repeats)
    }

    pub(super) fn n_fits(&self) -> u64 {
        (self.n_folds() as u64).saturating_mul(self.learners.len() as u64)
    }

    /// Does one fit after the other until there are no more.
    pub(super) fn take_part(&self) {
        while let Some(task) = self.next() {
            match self.fit(&task) {
                Ok(Some(held)) => self.keep(&task, held),
                Ok(None) => return,
                Err(error) => self.fail(task.number, error),
            }
        }
    }

    /// The figures of what was done.
    pub(super) fn finish(self) -> Result<Validation> {
        let planned = self.n_folds();
        let state = self.state.into_inner();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = state.failure {
            return Err(error);
        }
        state.done.sort_by_key(|fold| (fold.repeat, fold.fold));
        let units = match self.measure.into_inner() {
            Some((_, units)) => units,
            None => LossUnits::of(self.data, &Loss::ZeroOne, self.repeats),
        };
        Ok(summary(&state.done, self.learners.len(), &units, planned))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next fit, unless there are no more, the budget is spent or one has failed.
    fn next(&self) -> Option<Task> {
        let mut state = self.state();
        if state.next == self.n_fits() || state.failure.is_some() || self.budget.is_spent() {
            return None;
        }
        let number = state.next;
        let n_learners = self.learners.len() as u64;
        let fold = number / n_learners;
        let folds_per_repeat = self.folds_per_repeat as u64;
        let repeat = (fold / folds_per_repeat) as usize;
        if state.dealt.0 != repeat {
            match self.resampling.deal(self.data, repeat) {
                Ok(folds) => state.dealt = (repeat, Arc::new(folds)),
                Err(error) => {
                    state.failure = Some((number, error));
                    return None;
                }
            }
        }
        state.next += 1;
        Some(Task {
            number,
            repeat,
            fold: (fold % folds_per_repeat) as usize,
            learner: (number % n_learners) as usize,
            folds: Arc::clone(&state.dealt.1),
        })
    }

    /// Learns without the rows of a fold and asks for them; `None` if the budget is spent.
    fn fit(&self, task: &Task) -> Result<Option<Held>> {
        let train = self.data.rows(&task.folds.train(task.fold));
        let fit = self.learners[task.learner].fit(&train, &self.budget.for_part())?;
        if self.budget.is_spent() {
            return Ok(None);
        }
        drop(train);
        let tree = &fit.model;
        self.check_loss(tree)?;
        let test = self.data.rows(&task.folds.test(task.fold));
        let answers = tree.predict(&test);
        let losses = answers.iter().enumerate();
        Ok(Some(Held {
            losses: losses
                .map(|(row, &answer)| loss_of(tree, &test, row, answer))
                .collect(),
            leaves: fit.training.leaves,
            depth: fit.training.depth,
            seconds: fit.training.seconds,
        }))
    }

    /// Refuses learners that do not agree on what a wrong class costs: their errors have no common scale.
    fn check_loss(&self, tree: &Tree) -> Result<()> {
        let (loss, _) = self.measure.get_or_init(|| {
            let units = LossUnits::of(self.data, tree.loss(), self.repeats);
            (tree.loss().clone(), units)
        });
        let is_comparable = matches!(self.data.target(), Target::Numbers(_)) || tree.loss() == loss;
        if is_comparable {
            return Ok(());
        }
        Err(Error::schema(
            "the learners cannot be compared: they do not agree on what wrong predictions cost",
        ))
    }

    /// Keeps what a fit has left; the last one of a fold makes sums of all.
    fn keep(&self, task: &Task, held: Held) {
        let n_learners = self.learners.len();
        let key = task.number / n_learners as u64;
        let mut state = self.state();
        let slots = state.open.entry(key);
        let slots = slots.or_insert_with(|| (0..n_learners).map(|_| None).collect());
        slots[task.learner] = Some(held);
        let is_complete = slots.iter().all(Option::is_some);
        let complete = is_complete.then(|| state.open.remove(&key)).flatten();
        drop(state);
        if let Some(slots) = complete {
            let held: Vec<Held> = slots.into_iter().flatten().collect();
            let sums = self.sums(task, &held);
            self.state().done.push(sums);
        }
        self.budget.progress().advance(1);
    }

    fn sums(&self, task: &Task, held: &[Held]) -> FoldSums {
        let (_, units) = self.measure.get().expect("the trees brought it");
        let rows = task.folds.test(task.fold);
        let weights: Vec<f64> = rows.iter().map(|&row| self.data.weight(row)).collect();
        figures::fold_sums((task.repeat, task.fold), held, &weights, units)
    }

    fn fail(&self, number: u64, error: Error) {
        let mut state = self.state();
        let is_earlier = state
            .failure
            .as_ref()
            .is_none_or(|&(other, _)| number < other);
        if is_earlier {
            state.failure = Some((number, error));
        }
    }
}

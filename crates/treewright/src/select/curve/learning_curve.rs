//! Learning curves: error against the number of rows learned from.
//!
//! In every repeat a share of the rows is held out, and learners see ever longer beginnings of the others, put
//! in an order of which every beginning has its share of every class. All learners see the same rows. The
//! error is the cost on the rows held out, divided by their weight.
//!
//! Work: a fit for each repeat, size and learner. Those of a repeat share the cores; the repeats follow each
//! other, so that a curve that is stopped has few repeats rather than few sizes. Threads do not change it.

use std::time::Duration;

use rayon::prelude::*;

use crate::budget::Budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::eval::{Folds, nested_order, score};
use crate::learn::Learner;
use crate::select::resampling::seed_of;

/// Automatic sizes go down to about this many rows, if there are more.
const FEWEST_ROWS: usize = 10;
/// There are at most this many automatic sizes.
const MOST_SIZES: usize = 8;

/// Which rows are learned from, which are held out, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningCurve {
    /// Numbers of rows to learn from; `None` takes all that are not held out, half of them, a quarter, ...
    pub sizes: Option<Vec<usize>>,
    /// How often rows are held out anew, at least once.
    pub repeats: usize,
    /// Share of the rows that is held out, between 0 and 1.
    pub holdout: f64,
    /// Decides the rows.
    pub seed: u64,
}

impl Default for LearningCurve {
    fn default() -> Self {
        Self {
            sizes: None,
            repeats: 10,
            holdout: 0.3,
            seed: 0,
        }
    }
}

/// The curves of some learners.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Numbers of rows learned from, rising.
    pub sizes: Vec<usize>,
    /// Number of rows held out.
    pub held_out: usize,
    /// For each learner a point for each size.
    pub points: Vec<Vec<Point>>,
    /// Was the budget spent before the end?
    pub stopped: bool,
}

/// Means over the repeats for one learner and one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Number of rows learned from.
    pub rows: usize,
    /// How many repeats are complete. The figures are NaN if none is.
    pub repeats: usize,
    /// Cost on the rows held out, divided by their weight.
    pub error: f64,
    /// Standard error of that over the repeats; NaN for one.
    pub se: f64,
    /// Number of leaves.
    pub leaves: f64,
    /// Depth of the tree.
    pub depth: f64,
    /// Wall time of learning.
    pub seconds: f64,
}

/// What one tree is like.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    error: f64,
    leaves: usize,
    depth: usize,
    seconds: f64,
}

impl LearningCurve {
    /// The rows of a repeat, counted from 0: those to learn from in the order in which they are added, and
    /// those held out in the order of the table.
    pub fn deal(&self, data: &Dataset, repeat: usize) -> Result<(Vec<usize>, Vec<usize>)> {
        let seed = seed_of(self.seed, repeat as u64);
        let folds = Folds::holdout(data, self.holdout, seed)?;
        let order = nested_order(data, &folds.train(0), !seed);
        Ok((order, folds.test(0)))
    }

    /// Draws the curves of some learners. If the budget is spent, a repeat counts for the sizes for which all
    /// learners came to their end.
    pub fn draw(
        &self,
        learners: &[&(dyn Learner + Sync)],
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Curve> {
        if self.repeats == 0 {
            return Err(Error::parameter("repeats", 0, "at least 1"));
        }
        let (order, test) = self.deal(data, 0)?;
        let sizes = self.checked_sizes(order.len(), data.n_rows())?;
        let fits = (sizes.len() * learners.len()) as u64;
        budget
            .progress()
            .start(fits.saturating_mul(self.repeats as u64));
        // For each size, the complete repeats with an outcome for each learner.
        let mut complete: Vec<Vec<Vec<Outcome>>> = vec![Vec::new(); sizes.len()];
        let mut stopped = false;
        for repeat in 0..self.repeats {
            let round = self.round(repeat, &sizes, learners, data, budget)?;
            for (outcomes, complete) in round.into_iter().zip(&mut complete) {
                match outcomes {
                    Some(outcomes) => complete.push(outcomes),
                    None => stopped = true,
                }
            }
            if stopped {
                break;
            }
        }
        let curve_of = |learner: usize| {
            let points = sizes.iter().zip(&complete);
            points
                .map(|(&rows, repeats)| Point::of(rows, repeats.iter().map(|all| all[learner])))
                .collect()
        };
        Ok(Curve {
            points: (0..learners.len()).map(curve_of).collect(),
            sizes,
            held_out: test.len(),
            stopped,
        })
    }

    /// For each size the outcomes of all learners in one repeat; `None` where the budget was spent.
    fn round(
        &self,
        repeat: usize,
        sizes: &[usize],
        learners: &[&(dyn Learner + Sync)],
        data: &Dataset,
        budget: &Budget,
    ) -> Result<Vec<Option<Vec<Outcome>>>> {
        if budget.is_spent() {
            return Ok(vec![None; sizes.len()]);
        }
        let (order, test) = self.deal(data, repeat)?;
        let test = data.rows(&test);
        let tasks = sizes.len() * learners.len();
        let results: Vec<Result<Option<Outcome>>> = (0..tasks)
            .into_par_iter()
            .with_max_len(1)
            .map(|task| {
                let rows = first_rows(&order, sizes[task / learners.len()]);
                let learner = learners[task % learners.len()];
                let outcome = outcome(learner, &rows, data, &test, budget)?;
                budget.progress().advance(1);
                Ok(outcome)
            })
            .collect();
        let outcomes = results.into_iter().collect::<Result<Vec<_>>>()?;
        let by_size = outcomes.chunks(learners.len().max(1));
        Ok(by_size.map(|all| all.iter().copied().collect()).collect())
    }

    /// The sizes in rising order, each once.
    fn checked_sizes(&self, n_train: usize, n_rows: usize) -> Result<Vec<usize>> {
        let Some(sizes) = &self.sizes else {
            return Ok(automatic_sizes(n_train));
        };
        let mut sizes = sizes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        let held_out = n_rows - n_train;
        let allowed = || {
            format!("between 1 and {n_train}, the rows that are left when {held_out} are held out")
        };
        let is_wrong = |size: &&usize| !(1..=n_train).contains(*size);
        match sizes.iter().find(is_wrong) {
            Some(size) => Err(Error::parameter("sizes", size, allowed())),
            None if sizes.is_empty() => Err(Error::parameter("sizes", "none", allowed())),
            None => Ok(sizes),
        }
    }
}

/// All rows, half of them, a quarter, ..., in rising order.
fn automatic_sizes(n_train: usize) -> Vec<usize> {
    let halves = (0..MOST_SIZES).map(|halvings| n_train >> halvings);
    let mut sizes: Vec<usize> = halves.take_while(|&rows| rows >= FEWEST_ROWS).collect();
    if sizes.is_empty() {
        sizes.push(n_train);
    }
    sizes.reverse();
    sizes
}

/// The first rows of an order, in the order of the table.
fn first_rows(order: &[usize], n: usize) -> Vec<usize> {
    let mut rows = order[..n].to_vec();
    rows.sort_unstable();
    rows
}

/// Learns from some rows and looks at others; `None` if the budget is spent.
fn outcome(
    learner: &dyn Learner,
    train: &[usize],
    data: &Dataset,
    test: &Dataset,
    budget: &Budget,
) -> Result<Option<Outcome>> {
    const NANOS_PER_ROW: u64 = 250;
    // To look at the others takes time, too, which nothing can stop.
    let budget = &budget.keeping(Duration::from_nanos(test.n_rows() as u64 * NANOS_PER_ROW));
    if budget.is_spent() {
        return Ok(None);
    }
    let fit = learner.fit(&data.rows(train), &budget.for_part())?;
    if budget.is_spent() {
        return Ok(None);
    }
    Ok(Some(Outcome {
        error: score(&fit.model, test)?.cost,
        leaves: fit.training.leaves,
        depth: fit.training.depth,
        seconds: fit.training.seconds,
    }))
}

impl Point {
    fn of(rows: usize, outcomes: impl Iterator<Item = Outcome>) -> Self {
        let outcomes: Vec<Outcome> = outcomes.collect();
        let n = outcomes.len() as f64;
        let mean = |figure: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(figure).sum::<f64>() / n;
        let error = mean(&|outcome| outcome.error);
        let squares: f64 = outcomes.iter().map(|one| (one.error - error).powi(2)).sum();
        Self {
            rows,
            repeats: outcomes.len(),
            error,
            se: (squares / (n - 1.0) / n).sqrt(),
            leaves: mean(&|outcome| outcome.leaves as f64),
            depth: mean(&|outcome| outcome.depth as f64),
            seconds: mean(&|outcome| outcome.seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_halve() {
        assert_eq!(automatic_sizes(100), [12, 25, 50, 100]);
        assert_eq!(automatic_sizes(3), [3]);
        assert_eq!(automatic_sizes(1_000_000).len(), MOST_SIZES);
    }

    #[test]
    fn means_and_standard_errors() {
        let outcome = |error, leaves| Outcome {
            error,
            leaves,
            depth: 1,
            seconds: 0.5,
        };
        let point = Point::of(7, [outcome(0.1, 2), outcome(0.3, 5)].into_iter());
        assert_eq!((point.rows, point.repeats), (7, 2));
        assert!((point.error - 0.2).abs() < 1e-15 && (point.se - 0.1).abs() < 1e-15);
        assert_eq!((point.leaves, point.depth, point.seconds), (3.5, 1.0, 0.5));
        let one = Point::of(7, std::iter::once(outcome(0.1, 2)));
        assert!(one.error == 0.1 && one.se.is_nan());
        let none = Point::of(7, std::iter::empty());
        assert!(none.repeats == 0 && none.error.is_nan());
    }
}

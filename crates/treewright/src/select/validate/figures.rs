//! From sums over rows to means, standard errors and differences.
//!
//! A difference of two learners is summed as if it were one more learner, whose loss on a row is the
//! difference of both. The same formulas then give its mean and its standard error.

use super::work::Held;
use super::{FoldFigures, LearnerFigures, PairedDifference, Spread, TreeFigures, Validation};
use crate::select::held_out::{LossUnits, Sums};

/// What remains of a fold.
pub(super) struct FoldSums {
    pub(super) repeat: usize,
    pub(super) fold: usize,
    /// Of each learner, then of each pair.
    sums: Sums,
    weight: f64,
    trees: Vec<TreeFigures>,
}

/// Where a pair stands in the list: 1 against 0, 2 against 0, 2 against 1, ...
pub(super) fn place_of(learner: usize, against: usize) -> usize {
    learner * (learner - 1) / 2 + against
}

/// All pairs in that order.
fn pairs(n_learners: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_learners).flat_map(|learner| (0..learner).map(move |against| (learner, against)))
}

/// Sums up a fold that all learners are through with.
pub(super) fn fold_sums(
    (repeat, fold): (usize, usize),
    held: &[Held],
    weights: &[f64],
    units: &LossUnits,
) -> FoldSums {
    let n_learners = held.len();
    let mut sums = Sums::new(n_learners + n_learners * (n_learners - 1) / 2);
    for (row, &weight) in weights.iter().enumerate() {
        units.add_row(&mut sums, weight);
        let loss = |learner: usize| held[learner].losses[row];
        let (alone, paired) = sums.amounts.split_at_mut(n_learners);
        for (learner, amount) in alone.iter_mut().enumerate() {
            amount.add(units.amount(weight, loss(learner)));
        }
        for ((learner, against), amount) in pairs(n_learners).zip(paired) {
            amount.add(units.difference(weight, loss(learner), loss(against)));
        }
    }
    let tree = |(learner, held): (usize, &Held)| TreeFigures {
        error: units.mean(&sums, learner),
        leaves: held.leaves,
        depth: held.depth,
        seconds: held.seconds,
    };
    FoldSums {
        repeat,
        fold,
        trees: held.iter().enumerate().map(tree).collect(),
        weight: weights.iter().sum(),
        sums,
    }
}

/// The figures of all folds, which are in order.
pub(super) fn summary(
    folds: &[FoldSums],
    n_learners: usize,
    units: &LossUnits,
    planned: usize,
) -> Validation {
    let totals = Totals::of(folds, n_learners, units);
    let learner = |place: usize| {
        let over_folds = |figure: &dyn Fn(&TreeFigures) -> f64| {
            let figures = folds.iter().map(|fold| figure(&fold.trees[place]));
            Spread::of(&figures.collect::<Vec<f64>>())
        };
        LearnerFigures {
            error: totals.mean(place),
            se: totals.se(place),
            leaves: over_folds(&|tree| tree.leaves as f64),
            depth: over_folds(&|tree| tree.depth as f64),
            seconds: over_folds(&|tree| tree.seconds).mean,
        }
    };
    let difference = |(learner, against): (usize, usize)| {
        let place = n_learners + place_of(learner, against);
        let costs = || folds.iter().map(|fold| fold.sums.amounts[place].cost);
        let (mean, se) = (totals.mean(place), totals.se(place));
        PairedDifference {
            learner,
            against,
            mean,
            se,
            z: if se > 0.0 { mean / se } else { f64::NAN },
            won: costs().filter(|&cost| cost < 0).count(),
            tied: costs().filter(|&cost| cost == 0).count(),
            lost: costs().filter(|&cost| cost > 0).count(),
        }
    };
    let fold = |fold: &FoldSums| FoldFigures {
        repeat: fold.repeat,
        fold: fold.fold,
        rows: fold.sums.rows,
        weight: fold.weight,
        trees: fold.trees.clone(),
    };
    Validation {
        learners: (0..n_learners).map(learner).collect(),
        differences: pairs(n_learners).map(difference).collect(),
        folds: folds.iter().map(fold).collect(),
        planned,
    }
}

/// Sums over folds, of learners and then of pairs.
struct Totals<'a> {
    all: Sums,
    /// Of those repeats that have folds.
    repeats: Vec<Sums>,
    units: &'a LossUnits,
}

impl<'a> Totals<'a> {
    fn of(folds: &[FoldSums], n_learners: usize, units: &'a LossUnits) -> Self {
        let none = Sums::new(n_learners + pairs(n_learners).count());
        let mut all = none.clone();
        let mut repeats = Vec::new();
        for of_repeat in folds.chunk_by(|a, b| a.repeat == b.repeat) {
            let mut sums = none.clone();
            for fold in of_repeat {
                sums.add(&fold.sums);
            }
            all.add(&sums);
            repeats.push(sums);
        }
        Self {
            all,
            repeats,
            units,
        }
    }

    fn mean(&self, place: usize) -> f64 {
        self.units.mean(&self.all, place)
    }

    /// The mean over the repeats. One that was stopped counts by its share of the rows: from few rows comes
    /// a large standard error, which is not that of the mean over all.
    fn se(&self, place: usize) -> f64 {
        let most = self.repeats.iter().map(|sums| sums.rows).max();
        let share = |sums: &Sums| sums.rows as f64 / most.unwrap_or(1) as f64;
        let shares: f64 = self.repeats.iter().map(share).sum();
        let each = self.repeats.iter();
        let sum: f64 = each
            .map(|sums| share(sums) * self.units.se(sums, place))
            .sum();
        sum / shares
    }
}

impl Spread {
    fn of(figures: &[f64]) -> Self {
        let n = figures.len() as f64;
        let mean = figures.iter().sum::<f64>() / n;
        let squares: f64 = figures.iter().map(|figure| (figure - mean).powi(2)).sum();
        let sd = if figures.len() > 1 {
            (squares / (n - 1.0)).sqrt()
        } else {
            f64::NAN
        };
        Self { mean, sd }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_their_places() {
        for (place, (learner, against)) in pairs(6).enumerate() {
            assert_eq!(place_of(learner, against), place);
        }
    }

    #[test]
    fn spreads() {
        let spread = Spread::of(&[1.0, 3.0, 5.0]);
        assert_eq!((spread.mean, spread.sd), (3.0, 2.0));
        let one = Spread::of(&[4.0]);
        assert!(one.mean == 4.0 && one.sd.is_nan());
        assert!(Spread::of(&[]).mean.is_nan());
    }
}

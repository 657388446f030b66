//! How well one class is ranked before the others.
//!
//! Rows are ordered by the share that was predicted for the positive class. Rows with equal shares are one group: no
//! figure depends on their order. All figures come from sums over these groups, from the highest share down.

use super::CONFIDENCE;
use super::bins::parts;
use crate::data::Dataset;
use crate::eval::interval::exact_interval;

/// The calibration has at most this many parts.
const CALIBRATION_PARTS: usize = 10;
/// Gains are told for these shares of the rows, in per cent.
const GAIN_SHARES: [u32; 12] = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

/// How well a positive class is ranked before the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The positive class.
    pub positive: usize,
    /// Weight of its rows.
    pub positives: f64,
    /// Weight of the other rows.
    pub negatives: f64,
    /// The probability that a positive row is ranked before a negative one, where a tie counts half.
    pub auc: f64,
    /// 2 AUC - 1.
    pub gini: f64,
    /// The largest distance between the shares of positive and of negative rows above a threshold (the statistic of
    /// Kolmogorov and Smirnov).
    pub ks: f64,
    /// The highest threshold at which it is reached.
    pub ks_threshold: f64,
    /// The mean precision over the thresholds, weighted by the recall that each adds.
    pub average_precision: f64,
    /// How many times more positive rows there are in the highest tenth of all rows than on average.
    pub lift_of_tenth: f64,
    /// The mean distance between predicted and actual share over the parts of the calibration.
    pub calibration_error: f64,
    /// The shares that were predicted, from the highest down: the ROC and precision-recall curves.
    pub thresholds: Vec<Threshold>,
    /// What the highest rows hold.
    pub gains: Vec<Gain>,
    /// Predicted and actual shares in parts of about equal weight, from the lowest up.
    pub calibration: Vec<CalibrationBin>,
}

/// What happens if all rows whose predicted share is at least `share` are taken for positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The predicted share.
    pub share: f64,
    /// Weight of the positive rows that are taken for positive.
    pub true_positives: f64,
    /// Weight of the negative rows that are taken for positive.
    pub false_positives: f64,
}

/// What the highest rows hold. Of rows with equal shares a part is taken as if their order were random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// This share of all rows.
    pub rows: f64,
    /// Holds this share of the positive ones.
    pub positives: f64,
    /// The share of the positive class among these rows, divided by its share among all rows.
    pub lift: f64,
}

/// Rows with about the same predicted share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationBin {
    /// Their weight.
    pub weight: f64,
    /// The mean predicted share of the positive class.
    pub predicted: f64,
    /// Its actual share.
    pub actual: f64,
    /// The exact interval for that, with a confidence of 95 %; `None` if the rows have different weights.
    pub interval: Option<(f64, f64)>,
}

/// Rows with equal predicted shares.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    share: f64,
    positives: f64,
    negatives: f64,
    n_positives: u64,
    n_rows: u64,
}

impl Group {
    fn weight(&self) -> f64 {
        self.positives + self.negatives
    }
}

impl Ranking {
    /// `None` unless there are both positive rows and others.
    pub(super) fn of(
        data: &Dataset,
        truths: &[u32],
        positive: usize,
        shares: &[f64],
    ) -> Option<Self> {
        let groups = groups(data, truths, positive, shares);
        let thresholds = thresholds(&groups);
        let all = thresholds.last()?;
        let (positives, negatives) = (all.true_positives, all.false_positives);
        if positives <= 0.0 || negatives <= 0.0 {
            return None;
        }
        let auc = auc(&groups, positives, negatives);
        let (ks, ks_threshold) = largest_distance(&thresholds, positives, negatives);
        let gains: Vec<Gain> = GAIN_SHARES
            .iter()
            .map(|&percent| gain(&thresholds, f64::from(percent) / 100.0))
            .collect();
        let calibration = calibration(&groups, data.has_equal_weights());
        let off = calibration
            .iter()
            .map(|bin| bin.weight * (bin.predicted - bin.actual).abs());
        Some(Self {
            positive,
            positives,
            negatives,
            auc,
            gini: 2.0 * auc - 1.0,
            ks,
            ks_threshold,
            average_precision: average_precision(&thresholds),
            lift_of_tenth: gain(&thresholds, 0.1).lift,
            calibration_error: off.sum::<f64>() / (positives + negatives),
            thresholds,
            gains,
            calibration,
        })
    }
}

/// Rows with equal shares together, from the highest share down.
fn groups(data: &Dataset, truths: &[u32], positive: usize, shares: &[f64]) -> Vec<Group> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    let mut groups: Vec<Group> = Vec::new();
    for row in order {
        if groups.last().is_none_or(|group| group.share != shares[row]) {
            groups.push(Group {
                share: shares[row],
                ..Group::default()
            });
        }
        let group = groups.last_mut().expect("one was just made");
        let is_positive = truths[row] as usize == positive;
        if is_positive {
            group.positives += data.weight(row);
        } else {
            group.negatives += data.weight(row);
        }
        group.n_positives += u64::from(is_positive);
        group.n_rows += 1;
    }
    groups
}

fn thresholds(groups: &[Group]) -> Vec<Threshold> {
    let (mut true_positives, mut false_positives) = (0.0, 0.0);
    let threshold = |group: &Group| {
        true_positives += group.positives;
        false_positives += group.negatives;
        Threshold {
            share: group.share,
            true_positives,
            false_positives,
        }
    };
    groups.iter().map(threshold).collect()
}

/// The weight of the pairs in the right order, divided by that of all pairs.
fn auc(groups: &[Group], positives: f64, negatives: f64) -> f64 {
    let mut above = 0.0;
    let mut twice = 0.0;
    for group in groups {
        twice += group.negatives * (2.0 * above + group.positives);
        above += group.positives;
    }
    twice / (2.0 * positives * negatives)
}

fn largest_distance(thresholds: &[Threshold], positives: f64, negatives: f64) -> (f64, f64) {
    let (mut most, mut at) = (0.0, thresholds[0].share);
    for threshold in thresholds {
        let found = threshold.true_positives / positives;
        let distance = (found - threshold.false_positives / negatives).abs();
        if distance > most {
            (most, at) = (distance, threshold.share);
        }
    }
    (most, at)
}

fn average_precision(thresholds: &[Threshold]) -> f64 {
    let mut before = 0.0;
    let mut sum = 0.0;
    for threshold in thresholds {
        let taken = threshold.true_positives + threshold.false_positives;
        let added = threshold.true_positives - before;
        if added > 0.0 {
            sum += added * (threshold.true_positives / taken);
        }
        before = threshold.true_positives;
    }
    sum / before
}

/// What this share of the rows holds, if the highest are taken.
fn gain(thresholds: &[Threshold], rows: f64) -> Gain {
    let taken = |at: &Threshold| at.true_positives + at.false_positives;
    let all = &thresholds[thresholds.len() - 1];
    let wanted = rows * taken(all);
    let above = thresholds.partition_point(|at| taken(at) <= wanted);
    let (held, have) = above.checked_sub(1).map_or((0.0, 0.0), |last| {
        let last = &thresholds[last];
        (last.true_positives, taken(last))
    });
    let held = match thresholds.get(above) {
        Some(next) if wanted > have => {
            let part = (wanted - have) / (taken(next) - have);
            held + part * (next.true_positives - held)
        }
        _ => held,
    };
    let positives = held / all.true_positives;
    Gain {
        rows,
        positives,
        lift: positives / rows,
    }
}

/// From the lowest shares up.
fn calibration(groups: &[Group], is_counted: bool) -> Vec<CalibrationBin> {
    let rising: Vec<&Group> = groups.iter().rev().collect();
    let weights: Vec<f64> = rising.iter().map(|group| group.weight()).collect();
    let bin = |part: std::ops::Range<usize>| {
        let groups = &rising[part];
        let weight: f64 = groups.iter().map(|group| group.weight()).sum();
        let told: f64 = groups.iter().map(|it| it.share * it.weight()).sum();
        let positives: f64 = groups.iter().map(|group| group.positives).sum();
        let interval = is_counted.then(|| {
            let n_positives = groups.iter().map(|group| group.n_positives).sum();
            let n_rows = groups.iter().map(|group| group.n_rows).sum();
            exact_interval(n_positives, n_rows, CONFIDENCE)
        });
        CalibrationBin {
            weight,
            predicted: told / weight,
            actual: positives / weight,
            interval,
        }
    };
    let parts = parts(&weights, CALIBRATION_PARTS);
    parts.into_iter().map(bin).collect()
}

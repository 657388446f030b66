//! Figures of quality in documents: the score of a tree, and its part in a report. They are not read back.

use serde::Serialize;

use crate::eval::{
    CalibrationBin, ClassFigures, ClassQuality, Gain, NumberBin, NumberQuality, QUANTILES, Quality,
    Ranking, Score, Threshold,
};

/// Curves have at most about this many points; of more, some are chosen that are spread evenly over the rows.
const MOST_POINTS: usize = 400;
/// In a report, which has the curves of many trees.
const MOST_POINTS_OF_REPORT: usize = 100;

#[derive(Serialize)]
pub(super) struct ScoreFile<'a> {
    rows: usize,
    weight: f64,
    cost: f64,
    #[serde(flatten)]
    quality: QualityFile<'a>,
    leaves: usize,
    depth: usize,
    features_queried: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum QualityFile<'a> {
    Classes(Box<ClassQualityFile<'a>>),
    Numbers(Box<NumberQualityFile>),
}

#[derive(Serialize)]
pub(super) struct ClassQualityFile<'a> {
    error: f64,
    errors: f64,
    error_interval: Option<(f64, f64)>,
    baseline: MostFrequentFile<'a>,
    confusion: &'a [Vec<f64>],
    classes: Vec<ClassFiguresFile<'a>>,
    log_loss: Option<f64>,
    brier: f64,
    ranking: Option<RankingFile<'a>>,
}

#[derive(Serialize)]
struct MostFrequentFile<'a> {
    class: &'a str,
    error: f64,
}

#[derive(Serialize)]
struct ClassFiguresFile<'a> {
    class: &'a str,
    support: f64,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

#[derive(Serialize)]
struct RankingFile<'a> {
    positive: &'a str,
    positives: f64,
    negatives: f64,
    auc: f64,
    gini: f64,
    ks: f64,
    ks_threshold: f64,
    average_precision: f64,
    lift_of_tenth: f64,
    calibration_error: f64,
    thresholds: ThresholdsFile,
    gains: Vec<GainFile>,
    calibration: Vec<CalibrationFile>,
}

#[derive(Serialize)]
struct ThresholdsFile {
    share: Vec<f64>,
    true_positives: Vec<f64>,
    false_positives: Vec<f64>,
}

#[derive(Serialize)]
struct GainFile {
    rows: f64,
    positives: f64,
    lift: f64,
}

#[derive(Serialize)]
struct CalibrationFile {
    weight: f64,
    predicted: f64,
    actual: f64,
    interval: Option<(f64, f64)>,
}

#[derive(Serialize)]
pub(super) struct NumberQualityFile {
    mse: f64,
    rmse: f64,
    mae: f64,
    r2: Option<f64>,
    bias: f64,
    baseline: MeanFile,
    residuals: QuantilesFile,
    bins: Vec<NumberBinFile>,
}

#[derive(Serialize)]
struct MeanFile {
    mean: f64,
    rmse: f64,
    mae: f64,
}

#[derive(Serialize)]
struct QuantilesFile {
    shares: [f64; QUANTILES.len()],
    values: [f64; QUANTILES.len()],
}

#[derive(Serialize)]
struct NumberBinFile {
    weight: f64,
    predicted: f64,
    actual: f64,
    quantiles: [f64; QUANTILES.len()],
}

impl<'a> ScoreFile<'a> {
    pub(super) fn of(score: &'a Score) -> Self {
        Self {
            rows: score.rows,
            weight: score.weight,
            cost: score.cost,
            quality: QualityFile::of(&score.quality, MOST_POINTS),
            leaves: score.leaves,
            depth: score.depth,
            features_queried: score.features_queried,
        }
    }
}

impl<'a> QualityFile<'a> {
    /// Of a tree of a report.
    pub(super) fn of_entry(quality: &'a Quality) -> Self {
        Self::of(quality, MOST_POINTS_OF_REPORT)
    }

    fn of(quality: &'a Quality, most_points: usize) -> Self {
        match quality {
            Quality::Classes(quality) => {
                Self::Classes(Box::new(ClassQualityFile::of(quality, most_points)))
            }
            Quality::Numbers(quality) => Self::Numbers(Box::new(NumberQualityFile::of(quality))),
        }
    }
}

impl<'a> ClassQualityFile<'a> {
    fn of(quality: &'a ClassQuality, most_points: usize) -> Self {
        let label = |class: usize| &*quality.classes[class].class;
        let class = |figures: &'a ClassFigures| ClassFiguresFile {
            class: &figures.class,
            support: figures.support,
            precision: figures.precision,
            recall: figures.recall,
            f1: figures.f1,
        };
        Self {
            error: quality.error,
            errors: quality.errors,
            error_interval: quality.error_interval,
            baseline: MostFrequentFile {
                class: label(quality.baseline.class),
                error: quality.baseline.error,
            },
            confusion: &quality.confusion,
            classes: quality.classes.iter().map(class).collect(),
            // JSON has no infinity.
            log_loss: quality.log_loss.is_finite().then_some(quality.log_loss),
            brier: quality.brier,
            ranking: quality
                .ranking
                .as_ref()
                .map(|ranking| RankingFile::of(ranking, label(ranking.positive), most_points)),
        }
    }
}

impl<'a> RankingFile<'a> {
    fn of(ranking: &Ranking, positive: &'a str, most_points: usize) -> Self {
        let gain = |gain: &Gain| GainFile {
            rows: gain.rows,
            positives: gain.positives,
            lift: gain.lift,
        };
        let bin = |bin: &CalibrationBin| CalibrationFile {
            weight: bin.weight,
            predicted: bin.predicted,
            actual: bin.actual,
            interval: bin.interval,
        };
        Self {
            positive,
            positives: ranking.positives,
            negatives: ranking.negatives,
            auc: ranking.auc,
            gini: ranking.gini,
            ks: ranking.ks,
            ks_threshold: ranking.ks_threshold,
            average_precision: ranking.average_precision,
            lift_of_tenth: ranking.lift_of_tenth,
            calibration_error: ranking.calibration_error,
            thresholds: ThresholdsFile::of(ranking, most_points),
            gains: ranking.gains.iter().map(gain).collect(),
            calibration: ranking.calibration.iter().map(bin).collect(),
        }
    }
}

impl ThresholdsFile {
    fn of(ranking: &Ranking, most_points: usize) -> Self {
        let points = spread(ranking, most_points);
        let column = |pick: fn(&Threshold) -> f64| points.iter().map(|point| pick(point)).collect();
        Self {
            share: column(|point| point.share),
            true_positives: column(|point| point.true_positives),
            false_positives: column(|point| point.false_positives),
        }
    }
}

/// All points of a curve, or of many some that are spread evenly over the rows, with the one of the largest distance.
fn spread(ranking: &Ranking, most_points: usize) -> Vec<&Threshold> {
    let all = &ranking.thresholds;
    if all.len() <= most_points {
        return all.iter().collect();
    }
    let total = ranking.positives + ranking.negatives;
    let step = |point: &Threshold| {
        let taken = point.true_positives + point.false_positives;
        (taken / total * (most_points - 2) as f64) as usize
    };
    let mut before = None;
    let last = all.len() - 1;
    let is_chosen = |(place, point): &(usize, &Threshold)| {
        let is_next = before.replace(step(point)) != Some(step(point));
        is_next || *place == last || point.share == ranking.ks_threshold
    };
    let chosen = all.iter().enumerate().filter(is_chosen);
    chosen.map(|(_, point)| point).collect()
}

impl NumberQualityFile {
    fn of(quality: &NumberQuality) -> Self {
        let bin = |bin: &NumberBin| NumberBinFile {
            weight: bin.weight,
            predicted: bin.predicted,
            actual: bin.actual,
            quantiles: bin.quantiles,
        };
        Self {
            mse: quality.mse,
            rmse: quality.rmse,
            mae: quality.mae,
            r2: quality.r2,
            bias: quality.bias,
            baseline: MeanFile {
                mean: quality.mean,
                rmse: quality.baseline_rmse,
                mae: quality.baseline_mae,
            },
            residuals: QuantilesFile {
                shares: QUANTILES,
                values: quality.residuals,
            },
            bins: quality.bins.iter().map(bin).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_their_ends_and_the_largest_distance() {
        let threshold = |place: usize| Threshold {
            share: 1.0 - place as f64 / 5000.0,
            true_positives: (place + 1) as f64,
            false_positives: 0.0,
        };
        let ranking = Ranking {
            positive: 1,
            positives: 5000.0,
            negatives: 1.0,
            auc: 1.0,
            gini: 1.0,
            ks: 1.0,
            ks_threshold: threshold(777).share,
            average_precision: 1.0,
            lift_of_tenth: 1.0,
            calibration_error: 0.0,
            thresholds: (0..5000).map(threshold).collect(),
            gains: Vec::new(),
            calibration: Vec::new(),
        };
        let points = spread(&ranking, MOST_POINTS);
        assert!(points.len() <= MOST_POINTS, "{}", points.len());
        assert!(points.len() > MOST_POINTS / 2);
        assert_eq!(points[0], &threshold(0));
        assert_eq!(points[points.len() - 1], &threshold(4999));
        assert!(points.contains(&&threshold(777)));
    }
}

//! Rows against 1/eps for optimal trees of depth 1 and 2, beside the VC dimensions of the two classes.
//!
//! `eps` is the mean error on rows held out minus the least cost of a tree of that depth on the whole table:
//! what is lost by learning from fewer rows. By theory the rows that are needed grow with the VC dimension,
//! so the ratio of the rows that both depths need for the same `eps` can be compared with the ratio of their
//! dimensions, as Auer, Holte and Maass (1995) do.

use super::learning_curve::Point;
use crate::data::Dataset;
use crate::eval::{TreeClass, sample_size};

/// What is looked at as a typical aim: `eps` and `delta` of [`sample_size`].
const AIM: (f64, f64) = (0.1, 0.05);

/// The curves of two depths, and how they compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Depth 1 and depth 2.
    pub depths: [DepthRates; 2],
    /// Rows that both depths need for the same `eps`, by falling `eps`.
    pub same_error: Vec<SameError>,
    /// Geometric mean of the ratios of rows, depth 2 to depth 1.
    pub ratio: Option<f64>,
    /// The same ratio of the lower bounds on the VC dimension.
    pub vc_lower_ratio: Option<f64>,
    /// And of the upper ones.
    pub vc_upper_ratio: Option<f64>,
}

/// The curve of one depth.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthRates {
    /// The depth.
    pub depth: usize,
    /// The least cost on the whole table, divided by its weight; `None` if it is not proven.
    pub optimum: Option<f64>,
    /// A point for each size.
    pub points: Vec<RatePoint>,
    /// Bounds on the VC dimension; `None` where there are not two classes, or too few features.
    pub vc_lower: Option<f64>,
    /// Also for large numbers of features only.
    pub vc_upper: Option<f64>,
    /// Rows that are enough for an `eps` of 0.1 with probability 0.95, by the upper bound.
    pub rows_enough: Option<f64>,
}

/// How far from the optimum trees learned from a given number of rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatePoint {
    /// Number of rows learned from.
    pub rows: usize,
    /// Mean error minus the optimum; `None` if that is not positive, or not known.
    pub eps: Option<f64>,
}

/// The rows that both depths need for an `eps`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SameError {
    /// Distance from the optimum of the depth.
    pub eps: f64,
    /// Rows for depth 1 and for depth 2; between two sizes they are interpolated along 1/eps.
    pub rows: [f64; 2],
    /// The second divided by the first.
    pub ratio: f64,
}

impl Rates {
    /// Compares the curves of depth 1 and depth 2, given the optimum of each on the whole table.
    pub fn new(
        data: &Dataset,
        intervals: usize,
        curves: [&[Point]; 2],
        optima: [Option<f64>; 2],
    ) -> Self {
        let depths = [0, 1].map(|i| DepthRates::new(data, i + 1, intervals, curves[i], optima[i]));
        let same_error = same_errors(&depths);
        let over = |bound: fn(&DepthRates) -> Option<f64>| {
            Some(bound(&depths[1])? / bound(&depths[0])?).filter(|ratio| ratio.is_finite())
        };
        let logs: f64 = same_error.iter().map(|point| point.ratio.ln()).sum();
        let n = same_error.len() as f64;
        Self {
            ratio: (n > 0.0).then(|| (logs / n).exp()),
            vc_lower_ratio: over(|depth| depth.vc_lower),
            vc_upper_ratio: over(|depth| depth.vc_upper),
            same_error,
            depths,
        }
    }
}

impl DepthRates {
    fn new(
        data: &Dataset,
        depth: usize,
        intervals: usize,
        curve: &[Point],
        optimum: Option<f64>,
    ) -> Self {
        let point = |point: &Point| RatePoint {
            rows: point.rows,
            eps: optimum
                .map(|optimum| point.error - optimum)
                .filter(|eps| *eps > 0.0),
        };
        let class = TreeClass::of(data, depth, intervals);
        let has_two = data.schema().classes().len() == 2;
        let vc_upper = class.vc_upper().ok().filter(|_| has_two);
        Self {
            depth,
            optimum,
            points: curve.iter().map(point).collect(),
            vc_lower: class.vc_lower().ok().filter(|_| has_two),
            vc_upper,
            rows_enough: vc_upper.and_then(|vc| sample_size(vc, AIM.0, AIM.1).ok()),
        }
    }

    /// Where the curve first reaches `1 / eps`: on the line between two neighbouring sizes that have an
    /// `eps`.
    fn rows_for(&self, eps: f64) -> Option<f64> {
        let at = |point: &RatePoint| Some((point.rows as f64, 1.0 / point.eps?));
        let aim = 1.0 / eps;
        let mut points = self.points.iter().map(at);
        let mut before = points.next()?;
        if before.is_some_and(|(_, reached)| reached == aim) {
            return before.map(|(rows, _)| rows);
        }
        for point in points {
            if let (Some((low, from)), Some((high, to))) = (before, point)
                && (from.min(to)..=from.max(to)).contains(&aim)
            {
                let share = if from == to {
                    0.0
                } else {
                    (aim - from) / (to - from)
                };
                return Some(low + share * (high - low));
            }
            before = point;
        }
        None
    }
}

/// The rows that both need, at each `eps` that either of them has.
fn same_errors(depths: &[DepthRates; 2]) -> Vec<SameError> {
    let points = depths.iter().flat_map(|depth| &depth.points);
    let mut all: Vec<f64> = points.filter_map(|point| point.eps).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all.dedup();
    let both = |eps: f64| {
        let rows = [depths[0].rows_for(eps)?, depths[1].rows_for(eps)?];
        Some(SameError {
            eps,
            rows,
            ratio: rows[1] / rows[0],
        })
    };
    all.into_iter().filter_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(points: &[(usize, Option<f64>)]) -> DepthRates {
        let point = |&(rows, eps): &(usize, Option<f64>)| RatePoint { rows, eps };
        DepthRates {
            depth: 1,
            optimum: Some(0.0),
            points: points.iter().map(point).collect(),
            vc_lower: None,
            vc_upper: None,
            rows_enough: None,
        }
    }

    #[test]
    fn rows_lie_between_sizes() {
        // 1/eps is 2 at 10 rows, 4 at 30, nothing at 60, 8 at 90, 10 at 120.
        let eps = [
            (10, Some(0.5)),
            (30, Some(0.25)),
            (60, None),
            (90, Some(0.125)),
            (120, Some(0.1)),
        ];
        let curve = depth(&eps);
        assert_eq!(curve.rows_for(0.5), Some(10.0));
        assert_eq!(curve.rows_for(1.0 / 3.0), Some(20.0));
        assert_eq!(curve.rows_for(0.2), None);
        assert_eq!(curve.rows_for(1.0 / 9.0), Some(105.0));
        assert_eq!(curve.rows_for(0.05), None);
        assert_eq!(depth(&[]).rows_for(0.5), None);
        assert_eq!(depth(&[(5, Some(0.5))]).rows_for(0.5), Some(5.0));
    }

    #[test]
    fn the_same_error_at_twice_the_rows() {
        let one = depth(&[(10, Some(0.5)), (20, Some(0.25)), (40, Some(0.125))]);
        let two = depth(&[(20, Some(0.5)), (40, Some(0.25))]);
        let same = same_errors(&[one, two]);
        assert_eq!(same.len(), 2);
        assert!(same.iter().all(|point| point.ratio == 2.0));
        assert_eq!(same[0].rows, [10.0, 20.0]);
    }
}

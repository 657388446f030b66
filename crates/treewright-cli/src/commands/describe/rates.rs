//! The part of `curve` about rows against 1/eps.

use serde::Serialize;
use treewright::data::Dataset;
use treewright::learn::Learner;
use treewright::learn::optimal::Optimal;
use treewright::select::{Curve, DepthRates, Rates};
use treewright::tree::Certificate;
use treewright::{Budget, Result};

use crate::output::{self, rounded};

/// What is said about two depths.
#[derive(Debug, Serialize)]
pub(super) struct RatesDocument {
    depths: Vec<DepthDocument>,
    same_eps: Vec<SameEps>,
    ratio: Option<f64>,
    vc_lower_ratio: Option<f64>,
    vc_upper_ratio: Option<f64>,
}

#[derive(Debug, Serialize)]
struct DepthDocument {
    depth: usize,
    optimum: Option<f64>,
    vc_lower: Option<f64>,
    vc_upper: Option<f64>,
    rows_enough: Option<f64>,
    points: Vec<EpsPoint>,
}

#[derive(Debug, Serialize)]
struct EpsPoint {
    rows: usize,
    eps: Option<f64>,
}

#[derive(Debug, Serialize)]
struct SameEps {
    eps: f64,
    rows: [f64; 2],
    ratio: f64,
}

/// Compares two learners of a curve, at their places in it: those of depth 1 and depth 2.
pub(super) fn compare(
    learners: [(usize, Optimal); 2],
    curve: &Curve,
    data: &Dataset,
    budget: &Budget,
) -> Result<RatesDocument> {
    let classes = data.schema().classes().len();
    let intervals = learners[0].1.intervals.unwrap_or(classes + 1);
    let mut optima = [None; 2];
    for ((_, learner), optimum) in learners.iter().zip(&mut optima) {
        let fit = learner.fit(data, &budget.for_part())?;
        let is_proven = fit
            .certificate
            .as_ref()
            .is_some_and(Certificate::is_optimal);
        *optimum = is_proven.then_some(fit.training.cost);
    }
    let curves = learners.map(|(place, _)| curve.points[place].as_slice());
    Ok(Rates::new(data, intervals, curves, optima).into())
}

impl From<Rates> for RatesDocument {
    fn from(rates: Rates) -> Self {
        let same = rates.same_error.iter().map(|same| SameEps {
            eps: same.eps,
            rows: same.rows,
            ratio: same.ratio,
        });
        Self {
            same_eps: same.collect(),
            ratio: rates.ratio,
            vc_lower_ratio: rates.vc_lower_ratio,
            vc_upper_ratio: rates.vc_upper_ratio,
            depths: rates.depths.into_iter().map(DepthDocument::from).collect(),
        }
    }
}

impl From<DepthRates> for DepthDocument {
    fn from(rates: DepthRates) -> Self {
        let points = rates.points.iter().map(|point| EpsPoint {
            rows: point.rows,
            eps: point.eps,
        });
        Self {
            points: points.collect(),
            depth: rates.depth,
            optimum: rates.optimum,
            vc_lower: rates.vc_lower,
            vc_upper: rates.vc_upper,
            rows_enough: rates.rows_enough,
        }
    }
}

impl RatesDocument {
    pub(super) fn in_words(&self) -> String {
        let about = "rows against 1/eps, where eps = error - least cost on the whole table:\n";
        let unknown =
            "stopped before the least cost on the whole table was proven: no eps is known\n";
        let is_unknown = self.depths.iter().any(|depth| depth.optimum.is_none());
        let has_same = !self.same_eps.is_empty();
        let parts = [
            Some(about.to_owned()),
            Some(self.by_size()),
            is_unknown.then(|| unknown.to_owned()),
            has_same.then(|| "rows for the same eps:\n".to_owned()),
            has_same.then(|| self.by_eps()),
            Some(self.ratios()),
            Some(self.dimensions()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    fn by_size(&self) -> String {
        let header = ["rows", "eps, depth 1", "1/eps", "eps, depth 2", "1/eps"];
        let rows = self.depths[0].points.iter().zip(&self.depths[1].points);
        let figures = rows.map(|(one, two)| {
            let inverse = |eps: Option<f64>| shown(eps.map(|eps| 1.0 / eps), |x| format!("{x:.2}"));
            vec![
                one.rows.to_string(),
                shown(one.eps, rounded),
                inverse(one.eps),
                shown(two.eps, rounded),
                inverse(two.eps),
            ]
        });
        output::figures(header.map(str::to_owned).into(), figures)
    }

    fn by_eps(&self) -> String {
        let header = ["1/eps", "rows, depth 1", "rows, depth 2", "ratio"];
        let figures = self.same_eps.iter().map(|same| {
            vec![
                format!("{:.2}", 1.0 / same.eps),
                format!("{:.1}", same.rows[0]),
                format!("{:.1}", same.rows[1]),
                format!("{:.2}", same.ratio),
            ]
        });
        output::figures(header.map(str::to_owned).into(), figures)
    }

    /// The ratio of the curves beside those of the bounds.
    fn ratios(&self) -> String {
        let two_digits = |ratio: Option<f64>| shown(ratio, |ratio| format!("{ratio:.2}"));
        let row = |what: &str, ratio| vec![what.to_owned(), two_digits(ratio)];
        let rows = [
            row("rows for the same eps (geometric mean)", self.ratio),
            row("lower bounds on the VC dimension", self.vc_lower_ratio),
            row("upper bounds, for many features", self.vc_upper_ratio),
        ];
        let header = vec!["depth 2 / depth 1".to_owned(), "ratio".to_owned()];
        output::figures(header, rows)
    }

    /// The bounds themselves, and what they ask for.
    fn dimensions(&self) -> String {
        let header = ["depth", "VC at least", "VC at most", "rows enough"];
        let row = |depth: &DepthDocument| {
            let tenth = |figure: Option<f64>| shown(figure, |figure| format!("{figure:.1}"));
            vec![
                depth.depth.to_string(),
                tenth(depth.vc_lower),
                tenth(depth.vc_upper),
                shown(depth.rows_enough, |rows| format!("{rows:.0}")),
            ]
        };
        if self.depths.iter().all(|depth| depth.vc_lower.is_none()) {
            return "the bounds on the VC dimension are for two classes\n".into();
        }
        let table = output::figures(
            header.map(str::to_owned).into(),
            self.depths.iter().map(row),
        );
        let enough = "rows enough: for eps <= 0.1 with probability 0.95, whatever the table\n";
        format!("{table}\n{enough}")
    }
}

/// A figure, or a dash.
fn shown(figure: Option<f64>, text: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "-".into(), text)
}

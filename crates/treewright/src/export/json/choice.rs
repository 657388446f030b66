//! How the tree of a report was chosen, as its document has it.

use serde::Serialize;

use crate::eval::{Explored, GoodEnough, KeptAside, Stop};

#[derive(Serialize)]
pub(super) struct ChoiceFile {
    rule: &'static str,
    tolerance: Option<f64>,
    /// How much too good the error of the tree looks because it was chosen by it.
    optimism: Option<f64>,
    holdout: Option<HoldoutFile>,
    /// The share of rows that has judged the trees, where there was no time for folds.
    judged_by: Option<f64>,
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct HoldoutFile {
    rows: usize,
    error: f64,
    se: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// Is the interval no exact one? Only there if that is so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approximate: bool,
}

impl ChoiceFile {
    pub(super) fn of(explored: &Explored) -> Self {
        let (rule, tolerance) = match explored.rule {
            GoodEnough::OneSe => ("1se", None),
            GoodEnough::Tolerance(points) => ("tolerance", Some(points)),
        };
        Self {
            rule,
            tolerance,
            optimism: explored.optimism,
            holdout: explored.kept_aside.map(HoldoutFile::of),
            judged_by: explored.judged_by_share,
            stopped: explored.stopped.map(|stopped| match stopped {
                Stop::Interrupted => "interrupted",
                Stop::Time => "time",
                Stop::Memory => "memory",
                Stop::TimeAndMemory => "time and memory",
            }),
        }
    }
}

impl HoldoutFile {
    fn of(aside: KeptAside) -> Self {
        Self {
            rows: aside.rows,
            error: aside.error,
            se: aside.se,
            low: aside.interval.map(|it| it.0),
            high: aside.interval.map(|it| it.1),
            approximate: aside.interval.is_some() && !aside.is_exact,
        }
    }
}

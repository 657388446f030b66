//! Makes a table smaller as long as the verdict stays: a case for the corpus is short.

use std::time::{Duration, Instant};

use crate::case::Case;
use crate::judge::{Verdict, judge};
use crate::setting::{Job, SizesJob};

/// No more time than this for one case.
const PATIENCE: Duration = Duration::from_secs(20);

/// The smallest case that was found whose verdict is still a refutation, with that verdict.
pub fn shrunk(case: &Case, verdict: &Verdict) -> (Case, Verdict) {
    let end = Instant::now() + PATIENCE;
    let mut best = (case.clone(), verdict.clone());
    let mut step = best.0.table.rows.len().div_ceil(2);
    while step > 0 {
        let before = best.0.table.rows.len();
        let mut at = 0;
        while at < best.0.table.rows.len() && Instant::now() < end {
            let mut smaller = best.0.clone();
            let last = (at + step).min(smaller.table.rows.len());
            smaller.table.rows.drain(at..last);
            if !take(&mut best, smaller) {
                at += step;
            }
        }
        if step > 1 || best.0.table.rows.len() == before {
            step /= 2;
        }
    }
    let mut column = best.0.table.names.len();
    while column > 0 && Instant::now() < end {
        column -= 1;
        if let Some(smaller) = without_column(&best.0, column) {
            take(&mut best, smaller);
        }
    }
    best
}

/// Takes a smaller case if it is still refuted.
fn take(best: &mut (Case, Verdict), smaller: Case) -> bool {
    let verdict = judge(&smaller).verdict;
    let is_refuted = matches!(verdict, Verdict::Refuted(_));
    if is_refuted {
        *best = (smaller, verdict);
    }
    is_refuted
}

/// The case without a feature, unless that is the only one.
fn without_column(case: &Case, column: usize) -> Option<Case> {
    let table = &case.table;
    let name = &table.names[column];
    let is_needed = column + 1 == table.names.len() || Some(name) == table.reading.weight.as_ref();
    if is_needed || table.n_features() == 1 {
        return None;
    }
    // A list of halvings has a number for each feature.
    let is_list = |k: &str| k.contains(',');
    match &case.setting.job {
        Job::Dyadic(job) | Job::DyadicPath(job) if is_list(&job.k) => return None,
        Job::Optimal(job)
        | Job::OptimalPath(SizesJob { trees: job, .. })
        | Job::OptimalSize(SizesJob { trees: job, .. })
            if job.rules.name(name) =>
        {
            return None;
        }
        _ => (),
    }
    let mut smaller = case.clone();
    let table = &mut smaller.table;
    table.reading.categorical.retain(|other| other != name);
    table.names.remove(column);
    for row in &mut table.rows {
        row.remove(column);
    }
    Some(smaller)
}

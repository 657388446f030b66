//! How good the trees of a report are on rows left out: each row is answered by the tree that has not seen it.

use std::cmp::Reverse;

use super::found::Found;
use super::kept_aside;
use crate::data::Dataset;
use crate::error::Result;
use crate::eval::{Answers, JudgedOn, Quality, Report, positive_class};
use crate::select::resampling::Resampling;
use crate::tree::CrossValidation;

/// The figures of all trees together take about this many bytes of a page at most.
const MOST_BYTES: usize = 500_000;
/// What the figures of one tree take, without its confusion matrix.
const BYTES_OF_ONE: usize = 5_000;

/// The number of trees whose figures fit a page.
pub(super) fn most_judged(data: &Dataset) -> usize {
    let n_classes = data.schema().classes().len();
    MOST_BYTES / (BYTES_OF_ONE + 4 * n_classes * n_classes)
}

/// The rows left out, fold by fold.
struct LeftOut {
    folds: Vec<Dataset>,
    /// What is true of all of them, in the same order.
    truths: Dataset,
}

/// Adds to a report how good its trees are on rows left out: first the one that is good enough, then the chosen ones
/// of each family, then the others, the smallest first, as long as there is room and time.
pub(super) fn judge(
    report: &mut Report,
    families: &[Found],
    data: &Dataset,
    is_late: &dyn Fn() -> bool,
) -> Result<()> {
    let judged_by = families.get(report.start.0).and_then(|it| it.judged_by);
    let Some(resampling) = judged_by else {
        return Ok(());
    };
    let left_out = LeftOut::of(data, resampling)?;
    let order = in_order(report).into_iter().take(most_judged(data));
    for (n_judged, (at, place)) in order.enumerate() {
        // The figures of the first tree are part of the answer.
        if n_judged > 0 && is_late() {
            break;
        }
        let entry = &mut report.sections[at].entries[place];
        let found = &families[at];
        let known = found.fit.cross_validation.as_ref().zip(entry.member);
        if let Some((errors, member)) = known.filter(|_| found.judged_by == judged_by)
            && let Some(tree) = &entry.tree
        {
            entry.quality = left_out.quality(errors, member, positive_class(tree))?;
        }
    }
    report.judged_on = Some(JudgedOn::LeftOut);
    Ok(())
}

/// What a single leaf costs on the rows left out, where these are not all rows.
pub(super) fn baseline(families: &[Found], data: &Dataset) -> Result<Option<f64>> {
    let resampling = families.iter().find_map(|it| it.judged_by);
    let (Some(first), Some(resampling @ Resampling::Holdout { .. })) =
        (families.first(), resampling)
    else {
        return Ok(None);
    };
    let rows = data.rows(&resampling.deal(data, 0)?.test(0));
    let single = first.fit.family.tree(0);
    let is_single = single.n_leaves() == 1;
    Ok(is_single.then(|| kept_aside::judge(&single, &rows).error))
}

/// The entries of a report, the most important first.
fn in_order(report: &Report) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (at, section) in report.sections.iter().enumerate() {
        for (place, entry) in section.entries.iter().enumerate() {
            let is_chosen = section
                .chosen
                .is_some_and(|it| it.min == place || it.one_se == place);
            let is_start = (at, place) == report.start;
            places.push((
                Reverse(is_start),
                Reverse(is_chosen),
                entry.leaves,
                at,
                place,
            ));
        }
    }
    places.sort_unstable();
    places.into_iter().map(|it| (it.3, it.4)).collect()
}

impl LeftOut {
    /// Of several repeats the first, so that every row counts once.
    fn of(data: &Dataset, resampling: Resampling) -> Result<Self> {
        let folds = resampling.deal(data, 0)?;
        let rows: Vec<Vec<usize>> = (0..folds.len()).map(|fold| folds.test(fold)).collect();
        Ok(Self {
            truths: data.features(&[]).rows(&rows.concat()),
            folds: rows.iter().map(|rows| data.rows(rows)).collect(),
        })
    }

    /// How good a member of a family is; `None` if the trees of the folds are not known.
    fn quality(
        &self,
        errors: &CrossValidation,
        member: usize,
        positive: Option<usize>,
    ) -> Result<Option<Quality>> {
        let mut answers = Answers::default();
        for (place, rows) in self.folds.iter().enumerate() {
            let fold = errors.folds.get(place);
            let trees = fold.and_then(|fold| fold.trees.as_ref());
            let Some(tree) = trees.and_then(|trees| trees.tree(member)) else {
                return Ok(None);
            };
            answers.extend(Answers::of(&tree, rows));
        }
        Quality::of(&self.truths, &answers, positive).map(Some)
    }
}

//! Reports on a table, on one tree, on one family.

use std::sync::Arc;

use super::answer::{shorten, start};
use super::left_out::most_judged;
use super::sections::{of_family, of_tree};
use crate::cost::Loss;
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::eval::{JudgedOn, Quality, Report, Sample, Section, SectionKind, positive_class};
use crate::tree::{FamilyFit, Fit, NodeId, Tree};

/// Confusion matrices of all trees together have at most this many numbers.
const MOST_CONFUSION_CELLS: usize = 80_000;

/// A report on rows, without trees.
pub(super) fn blank(title: &str, data: &Dataset, loss: &Loss) -> Report {
    Report {
        title: title.to_owned(),
        schema: Arc::clone(data.schema()),
        loss: loss.clone(),
        rows: data.n_rows(),
        weight: data.total_weight(),
        is_weighted: !data.has_equal_weights(),
        has_missing: data.columns().iter().map(Column::has_missing).collect(),
        folds: None,
        baseline: None,
        baseline_left_out: None,
        explored: None,
        sections: Vec::new(),
        start: (0, 0),
        sample: Sample::of(data),
        check: None,
        other_rows: None,
        judged_on: None,
    }
}

impl Report {
    /// A report on one learned tree; with rows also on what it does to them.
    pub fn on_model(title: &str, fit: &Fit, data: Option<&Dataset>) -> Result<Self> {
        let section = Section {
            id: fit.learner.kind.name().to_owned(),
            way: None,
            kind: SectionKind::Tree,
            learner: fit.learner.clone(),
            penalty: None,
            seconds: fit.training.seconds,
            chosen: None,
            state: None,
            trunk: None,
            entries: vec![of_tree(fit)],
        };
        let tree = &fit.model;
        on_sections(title, vec![section], tree, fit.training.rows, data)
    }

    /// A report on a family; with rows also on what its trees do to them.
    pub fn on_family(title: &str, fit: &FamilyFit, data: Option<&Dataset>) -> Result<Self> {
        let tree = fit.family.tree(0);
        let mut report = on_sections(title, vec![of_family(fit)], &tree, fit.training.rows, data)?;
        report.folds = fit.learner.params.folds();
        Ok(report)
    }
}

fn on_sections(
    title: &str,
    sections: Vec<Section>,
    tree: &Tree,
    rows: usize,
    data: Option<&Dataset>,
) -> Result<Report> {
    let mut report = match data {
        Some(data) => blank(title, data, tree.loss()),
        None => Report {
            title: title.to_owned(),
            schema: Arc::clone(tree.schema()),
            loss: tree.loss().clone(),
            rows,
            weight: tree.weight(NodeId::ROOT),
            is_weighted: false,
            has_missing: vec![false; tree.schema().features.len()],
            folds: None,
            baseline: None,
            baseline_left_out: None,
            explored: None,
            sections: Vec::new(),
            start: (0, 0),
            sample: None,
            check: None,
            other_rows: None,
            judged_on: None,
        },
    };
    if data.is_some_and(|data| data.n_rows() != rows) {
        report.other_rows = Some(report.rows);
        (report.rows, report.weight) = (rows, tree.weight(NodeId::ROOT));
    }
    // Without the rows that it was learned from a model only tells that they were weighted.
    report.is_weighted |= (data.is_none() || report.other_rows.is_some())
        && (tree.schema().reading.weight.is_some()
            || sections
                .iter()
                .any(|it| it.learner.params.has_class_weight()));
    report.sections = sections;
    if let Some(data) = data {
        look_at(&mut report.sections, data, &|| false)?;
        judge(&mut report, data)?;
    }
    report.start = start(&report);
    let n_classes = tree.schema().classes().len();
    shorten(&mut report.sections, report.start, n_classes);
    Ok(report)
}

/// How good the trees are on the rows: for a report on given trees all that there is.
fn judge(report: &mut Report, data: &Dataset) -> Result<()> {
    let entries = report.sections.iter_mut().flat_map(|it| &mut it.entries);
    for entry in entries.take(most_judged(data)) {
        if let Some(tree) = &entry.tree {
            entry.quality = Some(Quality::of_tree(tree, data, positive_class(tree))?);
        }
    }
    report.judged_on = Some(JudgedOn::Rows);
    Ok(())
}

/// Looks at rows, as long as there is room for what is seen, and time.
pub(super) fn look_at(
    sections: &mut [Section],
    data: &Dataset,
    is_late: &dyn Fn() -> bool,
) -> Result<()> {
    let n_classes = data.schema().classes().len();
    let mut room = MOST_CONFUSION_CELLS;
    for entry in sections.iter_mut().flat_map(|section| &mut section.entries) {
        if let Some(rest) = room.checked_sub(n_classes * n_classes)
            && !is_late()
        {
            room = rest;
            entry.look_at(data)?;
        }
    }
    Ok(())
}

//! The document of a report, which the page shows. It is not read back.

use serde::Serialize;
use serde_json::{Map, Value};

use super::VERSION;
use super::check::CheckFile;
use super::choice::ChoiceFile;
use super::columns::{FeatureFile, ReadingFile, TargetFile, TaskFile};
use super::nodes::{Amount, NodeFile};
use super::quality::QualityFile;
use crate::cost::Loss;
use crate::data::{Column, Dataset, MISSING_CODE, Target};
use crate::eval::{
    Entry, FamilyLine, JudgedOn, Proven, Report, Sample, Section, SectionKind, Trunk,
};
use crate::export::{python, sql, words};
use crate::tree::Tree;

/// Texts of trees up to this size are part of the document,
const MOST_LEAVES_OF_TEXTS: usize = 40;
/// as long as they do not take more than this many bytes.
const MOST_TEXT_BYTES: usize = 400_000;

#[derive(Serialize)]
pub(super) struct ReportFile<'a> {
    format: &'static str,
    version: u32,
    title: &'a str,
    task: TaskFile,
    table: TableFile<'a>,
    features: Vec<ReportFeatureFile>,
    target: TargetFile,
    reading: ReadingFile,
    folds: Option<FoldsFile>,
    baseline: Option<BaselineFile>,
    answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<ChoiceFile>,
    families: Vec<SectionFile<'a>>,
    start: StartFile,
    sample: Option<SampleFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckFile<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_rows: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judged_on: Option<&'static str>,
}

#[derive(Serialize)]
struct TableFile<'a> {
    name: &'a str,
    rows: usize,
    weight: f64,
    /// Only there if rows have different weights.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    weighted: bool,
}

#[derive(Serialize)]
struct ReportFeatureFile {
    #[serde(flatten)]
    feature: FeatureFile,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    missing: bool,
}

#[derive(Serialize)]
struct FoldsFile {
    folds: usize,
    repeats: usize,
    seed: u64,
}

#[derive(Serialize)]
struct BaselineFile {
    cost: f64,
    /// On rows left out.
    cv_error: Option<f64>,
}

#[derive(Serialize)]
struct StartFile {
    family: usize,
    member: usize,
}

#[derive(Serialize)]
struct SectionFile<'a> {
    id: &'a str,
    title: String,
    kind: &'static str,
    learner: LearnerOfReport<'a>,
    penalty: Option<&'a str>,
    seconds: f64,
    chosen: Option<ChosenFile>,
    /// The tree to name first.
    shown: Option<usize>,
    /// Is another family at least as good with as few leaves?
    dominated: bool,
    words: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<NodeFile>>,
    members: Vec<EntryFile<'a>>,
}

#[derive(Serialize)]
struct LearnerOfReport<'a> {
    name: &'a str,
    params: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct ChosenFile {
    min: usize,
    #[serde(rename = "1se")]
    one_se: usize,
}

#[derive(Serialize)]
struct EntryFile<'a> {
    leaves: usize,
    depth: Option<usize>,
    cost: f64,
    errors: Option<Amount>,
    lambda_low: Option<f64>,
    lambda_high: Option<f64>,
    cv_error: Option<f64>,
    cv_se: Option<f64>,
    words: String,
    optimal: Option<bool>,
    gap: Option<f64>,
    nodes: Option<Vec<NodeFile>>,
    confusion: Option<Vec<Vec<Amount>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<QualityFile<'a>>,
    importances: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<TextsFile>,
}

#[derive(Serialize)]
struct TextsFile {
    sql: Option<String>,
    python: String,
}

#[derive(Serialize)]
struct SampleFile {
    row: Vec<usize>,
    columns: Vec<Vec<Option<Amount>>>,
    target: Vec<Amount>,
    of: usize,
}

impl<'a> ReportFile<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let schema = &report.schema;
        let features = schema.features.iter().zip(&report.has_missing);
        let mut room = MOST_TEXT_BYTES;
        Self {
            format: "treewright.report",
            version: VERSION,
            title: &report.title,
            task: TaskFile::of(schema),
            table: TableFile {
                name: &report.title,
                rows: report.rows,
                weight: report.weight,
                weighted: report.is_weighted,
            },
            features: features
                .map(|(feature, &missing)| ReportFeatureFile {
                    feature: FeatureFile::of(feature),
                    missing,
                })
                .collect(),
            target: target(report),
            reading: ReadingFile::of(schema),
            folds: report.folds.map(|(folds, repeats, seed)| FoldsFile {
                folds,
                repeats,
                seed,
            }),
            baseline: report.baseline.map(|cost| BaselineFile {
                cost,
                cv_error: report.baseline_of_unseen().filter(|_| is_judged(report)),
            }),
            answer: words::answer(report),
            choice: report.explored.as_ref().map(ChoiceFile::of),
            families: families(report, &mut room),
            start: StartFile {
                family: report.start.0,
                member: report.start.1,
            },
            sample: report.sample.as_ref().map(SampleFile::of),
            check: report.check.as_ref().map(CheckFile::of),
            other_rows: report.other_rows,
            judged_on: report.judged_on.map(|it| match it {
                JudgedOn::LeftOut => "left_out",
                JudgedOn::Rows => "rows",
            }),
        }
    }
}

/// Was anything judged on rows left out?
fn is_judged(report: &Report) -> bool {
    let mut entries = report.sections.iter().flat_map(|section| &section.entries);
    entries.any(|entry| entry.validated.is_some())
}

fn families<'a>(report: &'a Report, room: &mut usize) -> Vec<SectionFile<'a>> {
    let lines = report.lines();
    let sections = report.sections.iter().enumerate();
    let section = |(at, section): (usize, &'a Section)| {
        let line = lines.iter().find(|line| line.section == at).copied();
        SectionFile::of(section, &report.loss, line, room)
    };
    sections.map(section).collect()
}

fn target(report: &Report) -> TargetFile {
    let schema = &report.schema;
    let costs = match &report.loss {
        Loss::Matrix(matrix) => {
            let row = |row: &[f64]| row.iter().copied().map(Amount).collect();
            Some(matrix.rows().map(row).collect())
        }
        _ => None,
    };
    TargetFile {
        name: schema.target.name.clone(),
        classes: schema
            .is_classification()
            .then(|| schema.classes().to_vec()),
        costs,
    }
}

impl<'a> SectionFile<'a> {
    fn of(section: &'a Section, loss: &Loss, line: Option<FamilyLine>, room: &mut usize) -> Self {
        let in_trunk = section.trunk.as_ref().map_or(0, |it| it.tree.n_leaves());
        let entry = |entry: &'a Entry| {
            // What can be cut from the trunk need not be there twice.
            let own = entry.tree.as_ref().filter(|_| entry.leaves > in_trunk);
            EntryFile::of(entry, loss, own, texts(entry, room))
        };
        Self {
            id: &section.id,
            title: words::title(section),
            kind: match section.kind {
                SectionKind::Family => "family",
                SectionKind::Tree => "trees",
            },
            learner: LearnerOfReport {
                name: section.learner.kind.name(),
                params: section.learner.params.as_json(),
            },
            penalty: section.penalty.as_deref(),
            seconds: section.seconds,
            chosen: section.chosen.map(|chosen| ChosenFile {
                min: chosen.min,
                one_se: chosen.one_se,
            }),
            shown: line.map(|line| line.entry),
            dominated: line.is_some_and(|line| line.is_dominated),
            words: words::section(section),
            nodes: section.trunk.as_ref().map(trunk_nodes),
            members: section.entries.iter().map(entry).collect(),
        }
    }
}

impl<'a> EntryFile<'a> {
    fn of(entry: &'a Entry, loss: &Loss, own: Option<&Tree>, texts: Option<TextsFile>) -> Self {
        let (optimal, gap) = match entry.standing.proven() {
            Proven::Best => (Some(true), Some(0.0)),
            Proven::Within(gap) => (Some(false), Some(gap)),
            Proven::Nothing => (None, None),
        };
        let amounts = |row: &Vec<f64>| row.iter().copied().map(Amount).collect();
        let confusion = entry.confusion.as_ref();
        Self {
            leaves: entry.leaves,
            depth: entry.depth,
            cost: entry.cost,
            errors: entry.errors.map(Amount),
            lambda_low: entry.lambda_low,
            lambda_high: entry.lambda_high,
            cv_error: entry.validated.map(|it| it.0),
            cv_se: entry.validated.map(|it| it.1),
            words: words::entry(entry, loss),
            optimal,
            gap,
            nodes: own.map(nodes),
            confusion: confusion.map(|rows| rows.iter().map(amounts).collect()),
            quality: entry.quality.as_ref().map(QualityFile::of_entry),
            importances: entry.importances.as_deref(),
            texts,
        }
    }
}

/// The tree as SQL and Python, while there is room.
fn texts(entry: &Entry, room: &mut usize) -> Option<TextsFile> {
    let tree = entry.tree.as_ref();
    let tree = tree.filter(|_| entry.leaves <= MOST_LEAVES_OF_TEXTS)?;
    let texts = TextsFile {
        // Names may have characters that no SQL can have.
        sql: sql::sql(tree).ok(),
        python: python::python(tree),
    };
    let size = texts.sql.as_ref().map_or(0, String::len) + texts.python.len();
    *room = room.checked_sub(size)?;
    Some(texts)
}

fn nodes(tree: &Tree) -> Vec<NodeFile> {
    tree.ids().map(|id| NodeFile::of(tree, id)).collect()
}

fn trunk_nodes(trunk: &Trunk) -> Vec<NodeFile> {
    let nodes = nodes(&trunk.tree).into_iter().zip(&trunk.collapse_at);
    nodes.map(|(node, &at)| node.collapsing(at)).collect()
}

impl SampleFile {
    fn of(sample: &Sample) -> Self {
        let rows = &sample.rows;
        Self {
            row: sample.places.iter().map(|place| place + 1).collect(),
            columns: rows.columns().iter().map(cells).collect(),
            target: truths(rows),
            of: sample.of,
        }
    }
}

fn cells(column: &Column) -> Vec<Option<Amount>> {
    match column {
        Column::Numeric(numbers) => {
            let cell = |number: &f64| (!number.is_nan()).then_some(Amount(*number));
            numbers.iter().map(cell).collect()
        }
        Column::Categorical(codes) => {
            let cell = |&code: &u32| (code != MISSING_CODE).then(|| Amount(f64::from(code)));
            codes.iter().map(cell).collect()
        }
    }
}

fn truths(rows: &Dataset) -> Vec<Amount> {
    match rows.target() {
        Target::Classes(classes) => classes.iter().map(|&class| Amount(class.into())).collect(),
        Target::Numbers(numbers) => numbers.iter().copied().map(Amount).collect(),
        Target::Absent => Vec::new(),
    }
}

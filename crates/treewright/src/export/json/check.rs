//! The document of the data check. It is not read back.

use serde::Serialize;

use crate::check::{ColumnCheck, Finding, TableCheck};
use crate::data::Role;
use crate::export::words;

#[derive(Serialize)]
pub(super) struct CheckFile<'a> {
    columns: Vec<ColumnFile<'a>>,
    rows: RowsFile,
    findings: Vec<FindingFile>,
}

#[derive(Serialize)]
struct ColumnFile<'a> {
    name: &'a str,
    role: &'static str,
    kind: &'static str,
    distinct: usize,
    missing: usize,
    /// Does `explore` leave it out, unless told otherwise?
    left_out: bool,
    findings: Vec<FindingFile>,
}

#[derive(Serialize)]
struct RowsFile {
    rows: usize,
    without_target: usize,
    duplicates: usize,
}

#[derive(Serialize)]
struct FindingFile {
    code: &'static str,
    severity: &'static str,
    message: String,
    fix: Option<String>,
}

impl<'a> CheckFile<'a> {
    pub(super) fn of(check: &'a TableCheck) -> Self {
        let columns = check.columns.iter();
        Self {
            columns: columns
                .map(|column| ColumnFile::of(check, column))
                .collect(),
            rows: RowsFile {
                rows: check.rows.rows,
                without_target: check.rows.without_target,
                duplicates: check.rows.duplicates,
            },
            findings: findings(check, None, &check.findings),
        }
    }
}

impl<'a> ColumnFile<'a> {
    fn of(check: &TableCheck, column: &'a ColumnCheck) -> Self {
        Self {
            name: &column.name,
            role: match column.role {
                Role::Feature => "feature",
                Role::Target => "target",
                Role::Weight => "weight",
                Role::Unused => "unused",
            },
            kind: column.kind.name(),
            distinct: column.distinct,
            missing: column.missing,
            left_out: column.findings.iter().any(Finding::leaves_out),
            findings: findings(check, Some(column), &column.findings),
        }
    }
}

fn findings(
    check: &TableCheck,
    column: Option<&ColumnCheck>,
    findings: &[Finding],
) -> Vec<FindingFile> {
    let finding = |finding: &Finding| FindingFile {
        code: finding.code(),
        severity: finding.severity().name(),
        message: words::finding(finding, column),
        fix: words::fix(check, column, finding),
    };
    findings.iter().map(finding).collect()
}

//! `check`: what in a table would spoil a tree.

use std::process::ExitCode;

use anyhow::Result;
use treewright::check::{ColumnCheck, Finding, Severity, TableCheck};
use treewright::data::Role;
use treewright::error::quoted;
use treewright::export::{json, words};

use crate::args::CheckArgs;
use crate::commands::count;
use crate::input::{self, Table};
use crate::output::{self, Console, cell, indented};

/// What is found is indented by this much, below the severity.
const INDENT: usize = 9;
/// Of more columns with the same finding only the first ones are described.
const MOST_ALIKE: usize = 3;

pub(crate) fn run(args: &CheckArgs, console: &Console) -> Result<ExitCode> {
    let file = args.output.destination(console)?;
    let options = args.table.options();
    let found = console.timed("reading", || {
        Table::open(args.table.path())?.check(&options)
    })?;
    let name = input::name_of(args.table.path());
    output::document(&json::check(&found), file.as_ref(), console, || {
        text(&name, &found)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn text(name: &str, found: &TableCheck) -> String {
    let rows = count(found.rows.rows, "row", "rows");
    let features = found.columns.iter();
    let features = features.filter(|column| column.role == Role::Feature);
    let features = count(features.count(), "feature", "features");
    let target = found
        .target()
        .map(|it| format!(", target {}", quoted(&it.name)));
    let head = format!("{name}: {rows}, {features}{}", target.unwrap_or_default());
    let mut text = indented(&cell(&head), 0);
    for severity in Severity::ALL {
        text.push_str(&of_severity(found, severity));
    }
    let counts = Severity::ALL.map(|severity| (severity, found.count(severity)));
    let counts = counts.into_iter().filter(|(_, n)| *n > 0);
    let counts: Vec<String> = counts
        .map(|(severity, n)| match severity {
            Severity::Error => count(n, "error", "errors"),
            Severity::Warning => count(n, "warning", "warnings"),
            Severity::Info => count(n, "note", "notes"),
        })
        .collect();
    let counts = if counts.is_empty() {
        "nothing found".into()
    } else {
        counts.join(", ")
    };
    format!("{text}\n{counts}\n")
}

/// A finding and its column, if it is about one.
type Found<'a> = (Option<&'a ColumnCheck>, &'a Finding);

/// The findings of a severity, those of the same kind together.
fn of_severity(found: &TableCheck, severity: Severity) -> String {
    let all: Vec<Found<'_>> = found
        .all()
        .filter(|(_, finding)| finding.severity() == severity)
        .collect();
    let mut codes: Vec<&str> = Vec::new();
    for (_, finding) in &all {
        if !codes.contains(&finding.code()) {
            codes.push(finding.code());
        }
    }
    let mut text = String::new();
    for code in codes {
        let alike: Vec<&Found<'_>> = all.iter().filter(|(_, it)| it.code() == code).collect();
        let shown = if alike.len() > MOST_ALIKE {
            MOST_ALIKE - 1
        } else {
            alike.len()
        };
        for (column, finding) in &alike[..shown] {
            text.push_str(&of_finding(found, *column, finding));
        }
        if shown < alike.len() {
            let names = alike[shown..].iter().filter_map(|(column, _)| *column);
            let names: Vec<&str> = names.map(|column| column.name.as_str()).collect();
            text.push_str(&others(&names, severity));
        }
    }
    text
}

fn of_finding(found: &TableCheck, column: Option<&ColumnCheck>, finding: &Finding) -> String {
    let sentence = words::finding(finding, column);
    let sentence = match column {
        Some(column) => format!("{}: {sentence}", column.name),
        None => sentence,
    };
    let severity = finding.severity().name();
    let mut text = format!("\n{severity:INDENT$}");
    text.push_str(indented(&cell(&sentence), INDENT).trim_start());
    if let Some(fix) = words::fix(found, column, finding) {
        text.push_str(&indented(&cell(&format!("fix: {fix}")), INDENT));
    }
    text
}

/// Columns with the same finding as those before.
fn others(names: &[&str], severity: Severity) -> String {
    const MOST_NAMES: usize = 12;
    let mut some = names[..names.len().min(MOST_NAMES)].join(", ");
    if names.len() > MOST_NAMES {
        some.push_str(", ... (--json has them all)");
    }
    let n = count(names.len(), "more column", "more columns");
    let severity = severity.name();
    let text = indented(&cell(&format!("and {n} like it: {some}")), INDENT);
    format!("\n{severity:INDENT$}{}", text.trim_start())
}
